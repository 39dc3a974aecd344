// Package codecs reads the sections of codecs, which compress vectors on wires. The codecs
// themselves are in messages/compression. The network of a scenario decides their use.
package codecs

import (
	"starling/messages/compression"
	"starling/scenarios/document"
	"starling/scenarios/kind"
)

// Codec is the section of a codec, which has been decoded.
type Codec interface {
	// Codec returns the codec. The error comes from the keys.
	Codec() (compression.Codec, error)
}

// Section is the section of a codec with its options C, whose zero value has the defaults.
type Section[C compression.Codec] struct {
	Kind    string `yaml:"kind,required"`
	Options C      `yaml:",inline"`
}

// Codec implements Codec.
func (s *Section[C]) Codec() (compression.Codec, error) { return s.Options, s.Options.Validate() }

// Build builds the codec that a section names, by its kind in the catalog.
func Build(kinds *kind.Catalog, section *document.Node) (compression.Codec, error) {
	s, err := kind.As[Codec](kinds.Codecs, section, "networks")
	if err != nil {
		return nil, err
	}
	return document.Typed[compression.Codec](section)(s.Codec())
}
