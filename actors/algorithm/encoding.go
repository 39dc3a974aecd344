package algorithm

import (
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/messages/compression"
)

// Encoding is the encoding of vectors on wires: each is rounded, compressed, or both, when it
// is sent, after its noise is added. That is post-processing of a release: it changes neither
// the exposure of the release nor the ledger. A broadcast is one vector for all its receivers,
// the node itself included: all compute with the decoded vector.
type Encoding struct {
	// Float32 rounds entries to numbers of float32.
	Float32 bool
	// Codec compresses; nil leaves vectors as they are.
	Codec compression.Codec
	// Keep has vectors keep their entries from before compression, for audits.
	Keep bool
	// Local reports whether a link crosses no wire. A vector along such a link alone stays as
	// it is. nil means that only the link of a node to itself crosses no wire.
	Local func(from, to messages.NodeID) bool
}

// Compressing keys the draws of codecs.
var Compressing = rng.PurposeOf("compression")

// Has reports whether a link crosses a wire on which vectors are encoded; nil encodes nothing.
func (e *Encoding) Has(from, to messages.NodeID) bool {
	return e != nil && from != to && (e.Local == nil || !e.Local(from, to))
}

// Compresses reports whether there is a codec.
func (e *Encoding) Compresses() bool { return e != nil && e.Codec != nil }

// Encode encodes a payload with finite entries; one that is encoded stays as it is. open opens
// the stream of a purpose, for codecs that draw. It returns an error for numbers beyond the
// largest.
func (e *Encoding) Encode(p messages.Payload, open func(rng.Purpose) *rng.Rand, w *compression.Work) error {
	if e.Float32 {
		if err := p.Narrow(); err != nil {
			return err
		}
	}
	if e.Codec == nil || p.Kind().Encoded() {
		return nil
	}
	w.Rand, w.Keep = open(Compressing), e.Keep
	return p.Compress(e.Codec, w)
}
