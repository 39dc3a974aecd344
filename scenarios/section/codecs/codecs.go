// Package codecs reads the sections of codecs, which compress vectors on wires. The codecs
// themselves are in messages/compression. The network of a scenario decides their use.
package codecs

import (
	"starling/messages/compression"
	"starling/scenarios/document"
	"starling/scenarios/kind"
)

// Section is the section of a codec with its options C.
type Section[C compression.Codec] struct {
	Kind  string `yaml:"kind,required"`
	Codec C      `yaml:",inline"`
}

// builder builds a codec from its section.
type builder = func(section *document.Node) (compression.Codec, error)

// Kind returns a codec's entry for the catalog. The zero value of the options has the
// defaults.
func Kind[C compression.Codec](name, summary string) kind.Kind {
	return kind.New(name, summary, Section[C]{}, builder(func(section *document.Node) (compression.Codec, error) {
		var s Section[C]
		if err := document.Decode(section, &s); err != nil {
			return nil, err
		}
		return document.Typed[compression.Codec](section)(s.Codec, s.Codec.Validate())
	}))
}

// Build builds the codec that a section names, by its kind in the catalog.
func Build(kinds *kind.Catalog, section *document.Node) (compression.Codec, error) {
	build, err := kind.Find[builder](kinds.Codecs, section, "networks")
	if err != nil {
		return nil, err
	}
	return build(section)
}
