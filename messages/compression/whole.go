package compression

import (
	"fmt"
	"math"
)

// mostBits is how many bits an entry of Whole has at most: float32 has all such numbers.
const mostBits = 24

// Whole sends whole numbers from -2^Bits/2 on, below 2^Bits/2, as they are, in Bits bits
// each: messages that are added up modulo 2^Bits. It encodes no other entries.
type Whole struct{ Bits int }

// Validate implements Codec.
func (c Whole) Validate() error {
	if c.Bits < 1 || c.Bits > mostBits {
		return fmt.Errorf("%d bits; want 1 to %d", c.Bits, mostBits)
	}
	return nil
}

// String implements Codec.
func (c Whole) String() string { return fmt.Sprintf("whole numbers of %d bits", c.Bits) }

// Omega implements Codec: nothing is lost.
func (c Whole) Omega(int) float64 { return 1 }

// Encode implements Codec. The error is of another entry, too.
func (c Whole) Encode(dst []byte, x []float64, w *Work) ([]byte, error) {
	dst, err := begin(dst, formWhole, x, w)
	if err != nil {
		return dst, err
	}
	half := math.Ldexp(1, c.Bits-1)
	b := bitWriter{dst: append(dst, byte(c.Bits))}
	for i, v := range x {
		if v != math.Floor(v) || v < -half || v >= half {
			return dst, fmt.Errorf("entry %d of the sent vector is %v, and no whole number of %d bits", i+1, v, c.Bits)
		}
		b.put(uint64(v+half), c.Bits)
	}
	return b.end(), nil
}

// wholeLength is the entries, after a byte that tells their bits.
func wholeLength(d int, r *reader) uint64 {
	r.count = 1
	if len(r.src) < 1 {
		r.fail("no bits")
		return 0
	}
	if r.count, r.src = int(r.src[0]), r.src[1:]; r.count < 1 || r.count > mostBits {
		r.fail("%d bits", r.count)
	}
	return bytesOf(d, r.count)
}

func decodeWhole(dst []float64, r *reader) {
	b, half := bitReader{src: r.src}, math.Ldexp(1, r.count-1)
	for i := range dst {
		dst[i] = float64(b.take(r.count)) - half
	}
	if b.rest != 0 {
		r.fail("the entries end with %d", b.rest)
	}
}
