package messages

import "starling/messages/compression"

// NodeID is the index of a participant, 0 .. N-1, in the canonical order of a scenario. Output
// columns and errors carry the paper's own numbering, which the scenario derives from it.
type NodeID int32

// Envelope is one delivered message. The runtime fills in everything but the
// payload: the weight is the one of the turn in which the message was sent, so
// that a receiver folds q(t-1) with A(t-1).
type Envelope struct {
	// From is the sender, Seq the position among the messages that From sent to this
	// receiver in turn Sent. Inboxes are in the order of (From, Sent, Seq) whatever order
	// messages arrive in.
	From NodeID
	Seq  int32 // position among the messages From sent to this receiver in turn Sent
	// Sent is the turn of sending, from 0. Where the network delays messages it may lie
	// several turns back.
	Sent int32
	// Weight is a_ij of the turn of sending, i the receiver and j the sender.
	Weight  float64
	Payload Payload
}

// Newest returns the message of an inbox that was sent last, of those that were sent after a
// turn and are wanted; nil if there is none. Delayed messages overtake each other: the last to
// arrive need not be it.
func Newest(inbox []Envelope, after int, wanted func(*Envelope) bool) *Envelope {
	var newest *Envelope
	for i := range inbox {
		if e := &inbox[i]; int(e.Sent) > after && wanted(e) {
			newest, after = e, int(e.Sent)
		}
	}
	return newest
}

// Payload is the content of a message. A payload is immutable once sent: many
// receivers share it by pointer. Implementations are pointers, so that putting
// one in an interface allocates nothing.
type Payload interface {
	// Kind names the payload type on the wire and in ledgers.
	Kind() Kind
	// WireSize is the length of the wire form in bytes, envelope excluded.
	WireSize() int
	// State goes through the payload as it is on the wire, its kind in one byte
	// first.
	State(*Codec)
	// Expose writes the exposure of the payload, which the sender marks it with.
	Expose(Exposure)
	// CheckFinite returns an error that names the first entry that is NaN or
	// infinite, nil if there is none.
	CheckFinite() error
	// Narrow rounds the entries, which are finite, to numbers of float32, as which the
	// payload is on the wire from then on. The error names the first that is beyond the
	// largest of them; the payload is then of no use.
	Narrow() error
	// Compress encodes the entries, which are finite, and replaces them by those that
	// receivers decode. A payload that is encoded stays as it is. It returns the error of the
	// codec; the payload is then of no use.
	Compress(codec compression.Codec, w *compression.Work) error
}

// Kind identifies a payload type. Its values are part of the wire form: never
// renumber them.
type Kind uint8

// The payload kinds.
const (
	// KindReleasedVector is a vector of exposure Released.
	KindReleasedVector Kind = 1
	// KindRawVector is a vector of exposure Raw.
	KindRawVector Kind = 2
	// KindPublicVector is a vector of exposure Public.
	KindPublicVector Kind = 3
	// KindReleasedNarrow, KindRawNarrow and KindPublicNarrow are the kinds of vectors with
	// entries that are numbers of float32.
	KindReleasedNarrow Kind = 4
	KindRawNarrow      Kind = 5
	KindPublicNarrow   Kind = 6
	// KindReleasedEncoded, KindRawEncoded and KindPublicEncoded are the kinds of vectors in a
	// form of package compression.
	KindReleasedEncoded Kind = 7
	KindRawEncoded      Kind = 8
	KindPublicEncoded   Kind = 9
)

// Exposure is how much a payload shows an observer of protected data. The turn that sends the
// payload writes it, by its payment or stated reason; a privacy ledger holds it against
// payments.
type Exposure uint8

// The exposures. The zero value is the worst, so that a payload without a declared exposure
// counts as unprotected.
const (
	// Raw carries data or results computed from them without protection: no privacy loss
	// bounds its exposure.
	Raw Exposure = iota
	// Released carries nothing but releases of mechanisms, which a node has paid for, and
	// results that follow from them.
	Released
	// Public depends on no protected data.
	Public
)

// Exposure returns the exposure of the payloads of a kind; an unknown kind is Raw.
func (k Kind) Exposure() Exposure {
	switch k {
	case KindReleasedVector, KindReleasedNarrow, KindReleasedEncoded:
		return Released
	case KindPublicVector, KindPublicNarrow, KindPublicEncoded:
		return Public
	}
	return Raw
}

// Narrow reports whether the payloads of a kind have entries of float32.
func (k Kind) Narrow() bool { return k >= KindReleasedNarrow && k <= KindPublicNarrow }

// Encoded reports whether the payloads of a kind are in a form of package compression.
func (k Kind) Encoded() bool { return k >= KindReleasedEncoded && k <= KindPublicEncoded }

// IsVector reports whether the payloads of a kind are vectors.
func (k Kind) IsVector() bool { return k >= KindReleasedVector && k <= KindPublicEncoded }

// String returns the name used in ledgers and debug output.
func (k Kind) String() string {
	switch k {
	case KindReleasedVector:
		return "released-vector"
	case KindRawVector:
		return "raw-vector"
	case KindPublicVector:
		return "public-vector"
	case KindReleasedNarrow:
		return "released-vector of float32"
	case KindRawNarrow:
		return "raw-vector of float32"
	case KindPublicNarrow:
		return "public-vector of float32"
	case KindReleasedEncoded:
		return "released-vector, compressed"
	case KindRawEncoded:
		return "raw-vector, compressed"
	case KindPublicEncoded:
		return "public-vector, compressed"
	}
	return "unknown"
}
