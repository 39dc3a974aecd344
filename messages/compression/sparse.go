package compression

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"starling/mechanisms/rng"
)

// TopK sends the k entries of largest magnitude with their places, and leaves the others
// out; k is Share times the length, rounded up. Of equal magnitudes the first are sent.
//
// Assumption 1 holds with omega = k/d: the entries left out have at most the mean square of
// all (the paper's first example).
//
// An entry takes 8 bytes, or 4 where entries are of float32, and as many bits as its place
// has.
type TopK struct {
	Share float64 `yaml:"share,required" over:"0" max:"1" says:"share %v" unit:"share of entries" doc:"share of the entries that are sent, rounded up to whole entries"`
}

// Validate implements Codec.
func (c TopK) Validate() error { return share(c.Share) }

// String implements Codec.
func (c TopK) String() string { return fmt.Sprintf("top-k, share %v", c.Share) }

// Omega implements Codec.
func (c TopK) Omega(d int) float64 { return ratio(kept(c.Share, d), d) }

// ratio is k/d, 1 of a vector without entries.
func ratio(k, d int) float64 {
	if d == 0 {
		return 1
	}
	return float64(k) / float64(d)
}

// Encode implements Codec.
func (c TopK) Encode(dst []byte, x []float64, w *Work) ([]byte, error) {
	dst, err := begin(dst, formPlaces, x, w)
	if err != nil {
		return dst, err
	}
	k := kept(c.Share, len(x))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(k))
	least, equals := w.least(x, k)
	chosen := func(v float64) bool {
		size := sizeOf(v)
		if size == least {
			equals--
			return equals >= 0
		}
		return size > least
	}
	b := bitWriter{dst: dst}
	width, all := widthOf(len(x)-1), equals
	for i, v := range x {
		if k > 0 && chosen(v) {
			b.put(uint64(i), width)
		}
	}
	dst, equals = b.end(), all
	for _, v := range x {
		if k > 0 && chosen(v) {
			dst = put(dst, v, w.Narrow)
		}
	}
	return dst, nil
}

// sizeOf returns a number with the same order as magnitudes.
func sizeOf(v float64) uint64 { return math.Float64bits(math.Abs(v)) }

// least returns the least size of the k largest of x, and how many of these have it. For k = 0
// both are 0.
func (w *Work) least(x []float64, k int) (least uint64, equals int) {
	if k == 0 {
		return 0, 0
	}
	w.sizes = w.sizes[:0]
	for _, v := range x {
		w.sizes = append(w.sizes, sizeOf(v))
	}
	least, equals = nth(w.sizes, k-1), k
	for _, v := range x {
		if sizeOf(v) > least {
			equals--
		}
	}
	return least, equals
}

// nth is the number that has n others before it in descending order. It reorders them
// (Hoare, Algorithm 65: Find, 1961).
func nth(v []uint64, n int) uint64 {
	for len(v) > 32 {
		// The median of three is moved to the front and divides the rest.
		a, b, c := v[0], v[len(v)/2], v[len(v)-1]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := 0, len(v)-1
		for i <= j {
			for v[i] > pivot {
				i++
			}
			for v[j] < pivot {
				j--
			}
			if i <= j {
				v[i], v[j] = v[j], v[i]
				i++
				j--
			}
		}
		switch {
		case n <= j:
			v = v[:j+1]
		case n >= i:
			v, n = v[i:], n-i
		default:
			return v[n]
		}
	}
	slices.Sort(v)
	return v[len(v)-1-n]
}

// placesLength is the places, then the entries.
func placesLength(d int, r *reader) uint64 {
	r.entries(d)
	return bytesOf(r.count, widthOf(d-1)) + uint64(r.count*size(r.narrow))
}

// entries reads how many there are.
func (r *reader) entries(d int) {
	k := r.word()
	if uint64(k) > uint64(d) {
		r.fail("%d entries of %d", k, d)
		k = 0
	}
	r.count = int(k)
}

func decodePlaces(dst []float64, r *reader) {
	width := widthOf(len(dst) - 1)
	places := bitReader{src: r.src}
	r.src = r.src[bytesOf(r.count, width):]
	clear(dst)
	last := -1
	for range r.count {
		i := int(places.take(width))
		if i <= last || i >= len(dst) {
			r.fail("place %d after %d of %d entries", i, last, len(dst))
			return
		}
		last, dst[i] = i, r.entry()
	}
	if places.rest != 0 {
		r.fail("the places end with %d", places.rest)
	}
}

// RandomK sends k entries at places that are drawn at random, all sets of k alike, and
// leaves the others out; k is Share times the length, rounded up. A seed of 8 bytes stands
// for the places.
//
// Assumption 1 holds with omega = k/d, as an equality (the paper's first example). Unbiased
// multiplies the entries sent by d/k: E Q(x) = x then, and E ||Q(x) - x||^2 = (d/k - 1)
// ||x||^2.
type RandomK struct {
	Share    float64 `yaml:"share,required" over:"0" max:"1" says:"share %v" unit:"share of entries" doc:"share of the entries that are sent, rounded up to whole entries"`
	Unbiased bool    `yaml:"unbiased" doc:"divide the message by its share, so that its mean is the vector itself; algorithms that send again the part that was lost do without"`
}

// Validate implements Codec.
func (c RandomK) Validate() error { return share(c.Share) }

// String implements Codec.
func (c RandomK) String() string {
	return fmt.Sprintf("random-k, share %v%s", c.Share, unbiased(c.Unbiased))
}

// unbiased is a word for those that are.
func unbiased(is bool) string {
	if is {
		return ", unbiased"
	}
	return ""
}

// Omega implements Codec.
func (c RandomK) Omega(d int) float64 {
	k := ratio(kept(c.Share, d), d)
	if c.Unbiased {
		return max(0, 2-1/k)
	}
	return k
}

// Encode implements Codec.
func (c RandomK) Encode(dst []byte, x []float64, w *Work) ([]byte, error) {
	dst, err := begin(dst, formSeed, x, w)
	if err != nil {
		return dst, err
	}
	k, scale := kept(c.Share, len(x)), 1.0
	if c.Unbiased && k > 0 {
		scale = float64(len(x)) / float64(k)
	}
	seed := w.Rand.Uint64()
	dst = binary.LittleEndian.AppendUint32(dst, uint32(k))
	dst = binary.LittleEndian.AppendUint64(dst, seed)
	draw := sample{rng.New(seed), k, len(x)}
	for i, v := range x {
		if !draw.next() {
			continue
		}
		v = float64(v * scale)
		if math.IsInf(v, 0) || w.Narrow && math.IsInf(float64(float32(v)), 0) {
			return dst, fmt.Errorf("entry %d, scaled to %v, is beyond the largest number", i+1, v)
		}
		dst = put(dst, v, w.Narrow)
	}
	return dst, nil
}

// sample draws a subset place by place (Knuth, The Art of Computer Programming 2, section
// 3.4.2, Algorithm S).
type sample struct {
	rand       *rng.Rand
	want, left int // yet to be chosen, and places left
}

func (s *sample) next() bool {
	if s.want == 0 {
		return false
	}
	s.left--
	if s.rand.IntN(s.left+1) >= s.want {
		return false
	}
	s.want--
	return true
}

// seedLength is the seed, then the entries.
func seedLength(d int, r *reader) uint64 {
	r.entries(d)
	return 8 + uint64(r.count*size(r.narrow))
}

func decodeSeed(dst []float64, r *reader) {
	draw := sample{rng.New(binary.LittleEndian.Uint64(r.src)), r.count, len(dst)}
	r.src = r.src[8:]
	for i := range dst {
		if dst[i] = 0; draw.next() {
			dst[i] = r.entry()
		}
	}
}
