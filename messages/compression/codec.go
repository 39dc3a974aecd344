package compression

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"starling/mechanisms/rng"
)

// Codec encodes vectors. It is immutable, and several goroutines may use it at once.
type Codec interface {
	// Encode appends the form of x to dst. The entries of x, at most MaxLength of them, are
	// finite, and stay as they are; the form does not share memory with x. It returns an error
	// for a form that would have numbers beyond the largest.
	Encode(dst []byte, x []float64, w *Work) ([]byte, error)
	// Omega is the largest omega in (0, 1] for which Assumption 1 is proven for all x of
	// length d; 0 where there is none.
	Omega(d int) float64
	// Validate returns the fault of options.
	Validate() error
	// String returns the codec with its options in words.
	String() string
}

// Work is the source of draws, the settings and the memory of encoding. One goroutine uses it
// at a time.
type Work struct {
	// Rand is the source of draws of random codecs, opened anew for every vector.
	Rand *rng.Rand
	// Narrow means that the entries of a form are numbers of float32, in 4 bytes each; the
	// entries of the vector are such numbers then. Norms and scales stay float64.
	Narrow bool
	// Keep has the caller of a codec keep the vector as it was, for audits.
	Keep bool
	// sizes is working memory.
	sizes []uint64
}

// MaxLength is the longest vector that a form can be of: a few bytes can say that a vector of
// any length is zero, and the decoder has to make that vector.
const MaxLength = 1 << 24

// The forms, in the lowest bits of the first byte. They are part of the wire form: never
// renumber them.
const (
	formPlaces byte = 1 // entries with their places
	formSeed   byte = 2 // entries with the seed of their places
	formLevels byte = 3 // a unit, and levels with signs
	formSigns  byte = 4 // a scale, and signs
	formWhole  byte = 5 // whole numbers of a few bits

	narrow byte = 0x80 // entries are numbers of float32
)

// header is the byte of the form, and the length of the vector in 4 bytes.
const header = 1 + 4

// begin appends the header of a form.
func begin(dst []byte, form byte, x []float64, w *Work) ([]byte, error) {
	if len(x) > MaxLength {
		return dst, fmt.Errorf("a vector of %d entries; at most %d are encoded", len(x), MaxLength)
	}
	if w.Narrow {
		form |= narrow
	}
	return binary.LittleEndian.AppendUint32(append(dst, form), uint32(len(x))), nil
}

// errForm is wrapped by the errors of bytes that are no form.
var errForm = errors.New("malformed compressed vector")

// Decode writes the vector of a form to dst, in its memory where that is enough, and returns
// it at its length. src is not kept. It returns an error for bytes that no codec has encoded;
// dst is then of no use.
func Decode(dst []float64, src []byte) ([]float64, error) {
	if len(src) < header {
		return nil, fmt.Errorf("%w: %d bytes", errForm, len(src))
	}
	d := binary.LittleEndian.Uint32(src[1:])
	if d > MaxLength {
		return nil, fmt.Errorf("%w: %d entries; want at most %d", errForm, d, MaxLength)
	}
	r := reader{src: src[header:], narrow: IsNarrow(src)}
	decode, known := decoders[src[0]&^narrow]
	if !known {
		return nil, fmt.Errorf("%w: unknown form %d", errForm, src[0])
	}
	// The length that a form must have is checked before the vector is made.
	if want := decode.length(int(d), &r); r.err == nil && want != uint64(len(r.src)) {
		r.fail("%d bytes of %d entries; want %d", len(r.src), d, want)
	}
	if r.err != nil {
		return nil, r.err
	}
	if int(d) <= cap(dst) {
		dst = dst[:d]
	} else {
		dst = make([]float64, d)
	}
	decode.into(dst, &r)
	return dst, r.err
}

// IsNarrow reports whether the entries of a form are numbers of float32.
func IsNarrow(src []byte) bool { return len(src) > 0 && src[0]&narrow != 0 }

// decoder decodes one form.
type decoder struct {
	// length reads the bytes that determine how many bytes follow, and returns that number.
	length func(d int, r *reader) uint64
	into   func(dst []float64, r *reader)
}

var decoders = map[byte]decoder{
	formPlaces: {placesLength, decodePlaces},
	formSeed:   {seedLength, decodeSeed},
	formLevels: {levelsLength, decodeLevels},
	formSigns:  {signsLength, decodeSigns},
	formWhole:  {wholeLength, decodeWhole},
}

// reader reads a form.
type reader struct {
	src    []byte
	narrow bool
	count  int // of entries, or of the highest level
	err    error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: "+format, append([]any{errForm}, args...)...)
	}
}

// word reads 4 bytes of a length.
func (r *reader) word() uint32 {
	if len(r.src) < 4 {
		r.fail("%d bytes left, want 4", len(r.src))
		return 0
	}
	v := binary.LittleEndian.Uint32(r.src)
	r.src = r.src[4:]
	return v
}

// float is a number of 8 bytes, finite. Lengths have been checked.
func (r *reader) float() float64 {
	v := math.Float64frombits(binary.LittleEndian.Uint64(r.src))
	r.src = r.src[8:]
	r.finite(v)
	return v
}

func (r *reader) finite(v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		r.fail("an entry is %v", v)
	}
}

// size is how many bytes an entry takes.
func size(narrow bool) int {
	if narrow {
		return 4
	}
	return 8
}

// entry is an entry of the vector, finite.
func (r *reader) entry() float64 {
	if !r.narrow {
		return r.float()
	}
	v := float64(math.Float32frombits(binary.LittleEndian.Uint32(r.src)))
	r.src = r.src[4:]
	r.finite(v)
	return v
}

// put appends an entry.
func put(dst []byte, v float64, narrow bool) []byte {
	if narrow {
		return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(v)))
	}
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(v))
}

// share refuses a number that is no share of the entries.
func share(v float64) error {
	if !(v > 0 && v <= 1) {
		return fmt.Errorf("share %v; want a number > 0 and <= 1", v)
	}
	return nil
}

// kept is k, how many of d entries a share is: rounded up.
func kept(share float64, d int) int { return min(d, int(math.Ceil(float64(share*float64(d))))) }
