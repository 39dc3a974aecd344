package messages

// NodeID is the index of a participant, 0 .. N-1, in the canonical order of a
// scenario. What people read (output columns, errors) carries the paper's own
// numbering, which the scenario derives from it.
type NodeID int32

// Envelope is one delivered message. The runtime fills in everything but the
// payload: the weight is the one of the turn in which the message was sent, so
// that a receiver folds q(t-1) with A(t-1).
type Envelope struct {
	From    NodeID
	Seq     int32   // position among the messages From sent to this receiver in turn Sent
	Sent    int32   // turn of sending, from 0
	Weight  float64 // a_ij of the turn of sending, i the receiver and j the sender
	Payload Payload
}

// Payload is the content of a message. A payload is immutable once sent: many
// receivers share it by pointer. Implementations are pointers, so that putting
// one in an interface allocates nothing.
type Payload interface {
	// Kind names the payload type on the wire and in ledgers.
	Kind() Kind
	// WireSize is the length of the wire form in bytes, envelope excluded.
	WireSize() int
	// AppendBinary appends the wire form to dst and returns it.
	AppendBinary(dst []byte) ([]byte, error)
	// CheckFinite returns an error that names the first entry that is NaN or
	// infinite, nil if there is none.
	CheckFinite() error
}

// Kind identifies a payload type. Its values are part of the wire form: never
// renumber them.
type Kind uint8

// The payload kinds.
const (
	// KindNoisedVector is a vector that a privacy mechanism has perturbed.
	KindNoisedVector Kind = 1
	// KindRawVector is a vector that carries data or what was computed from
	// data, without noise.
	KindRawVector Kind = 2
)

// Raw tells whether a payload carries data or what was computed from data
// without protection: whoever sees it learns what no privacy loss bounds. What
// carries nothing but releases of a mechanism, what follows from them, or what
// is public is not raw.
func (k Kind) Raw() bool { return k == KindRawVector }

// String returns the name used in ledgers and debug output.
func (k Kind) String() string {
	switch k {
	case KindNoisedVector:
		return "noised-vector"
	case KindRawVector:
		return "raw-vector"
	}
	return "unknown"
}
