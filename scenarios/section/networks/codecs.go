package networks

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

// CodecSection is the section of a codec with its options C, whose zero value has the defaults.
type CodecSection[C compression.Codec] struct {
	Kind    string `yaml:"kind,required"`
	Options C      `yaml:",inline"`
}

// Codec implements Codec.
func (s *CodecSection[C]) Codec() (compression.Codec, error) { return s.Options, s.Options.Validate() }

// BuildCodec builds the codec that a section names, by its kind in the catalog.
func BuildCodec(kinds *kind.Catalog, section *document.Node) (compression.Codec, error) {
	s, err := kind.As[Codec](kinds.Codecs, section, "networks")
	if err != nil {
		return nil, err
	}
	return document.Typed[compression.Codec](section)(s.Codec())
}
