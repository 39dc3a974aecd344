package compression

import (
	"encoding/binary"
	"fmt"
	"math"
)

// maxLevels is the most levels that dithering has: 16 bits.
const maxLevels = 1<<16 - 1

// Dithering sends the 2-norm of the vector, and every entry as a sign and one of the levels
// 0 .. s, which chance rounds to (QSGD: Alistarh, Grubic, Li, Tomioka, Vojnovic, NeurIPS
// 2017; as the paper scales it):
//
//	Q(x) = sign(x) ||x|| / (s tau) floor(s |x| / ||x|| + xi),  xi uniform on [0, 1]^d,
//
// tau = 1 + min(d/s^2, sqrt(d)/s). Assumption 1 holds with omega = 1/tau. Unbiased leaves tau out:
// E Q(x) = x then, and E ||Q(x) - x||^2 <= (tau - 1) ||x||^2.
//
// An entry takes a bit for the sign, and as many as s has.
type Dithering struct {
	Levels   int  `yaml:"levels,required" min:"1" max:"65535" says:"%v levels" unit:"levels" doc:"s: entries are rounded at random to multiples of a part 1/s of the norm, 0 .. s; 2^b - 1 levels take b + 1 bits an entry"`
	Unbiased bool `yaml:"unbiased" doc:"leave out the division by tau, so that the mean of the message is the vector itself; algorithms that send again the part that was lost do without"`
}

// Validate implements Codec.
func (c Dithering) Validate() error {
	if c.Levels < 1 || c.Levels > maxLevels {
		return fmt.Errorf("%d levels; want 1 to %d", c.Levels, maxLevels)
	}
	return nil
}

// tau is the paper's.
func (c Dithering) tau(d int) float64 {
	s := float64(c.Levels)
	return 1 + min(float64(d)/(s*s), math.Sqrt(float64(d))/s)
}

// String implements Codec.
func (c Dithering) String() string {
	return fmt.Sprintf("dithering, levels %d%s", c.Levels, unbiased(c.Unbiased))
}

// Omega implements Codec.
func (c Dithering) Omega(d int) float64 {
	if c.Unbiased {
		return max(0, 2-c.tau(d))
	}
	return 1 / c.tau(d)
}

// Encode implements Codec.
func (c Dithering) Encode(dst []byte, x []float64, w *Work) ([]byte, error) {
	dst, err := begin(dst, formLevels, x, w)
	if err != nil {
		return dst, err
	}
	largest, sum := magnitude(x), 0.0
	for _, v := range x {
		if largest > 0 {
			part := v / largest
			sum += float64(part * part)
		}
	}
	root := math.Sqrt(sum) // ||x|| = largest root
	unit := float64(largest * (root / float64(c.Levels)))
	if !c.Unbiased {
		unit /= c.tau(len(x))
	}
	if math.IsInf(float64(unit*float64(c.Levels)), 0) {
		return dst, fmt.Errorf("the norm of the sent vector is beyond the largest number")
	}
	dst = binary.LittleEndian.AppendUint32(dst, uint32(c.Levels))
	dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(unit))
	b, width := bitWriter{dst: dst}, widthOf(c.Levels)
	for _, v := range x {
		level, sign := uint64(0), uint64(0)
		if largest > 0 {
			exact := float64(float64(c.Levels) * (math.Abs(v/largest) / root))
			level = min(uint64(exact+w.Rand.Float64()), uint64(c.Levels)) // more by rounding of numbers only
		}
		if math.Signbit(v) && level > 0 {
			sign = 1
		}
		b.put(sign, 1)
		b.put(level, width)
	}
	return b.end(), nil
}

// magnitude is the largest of x.
func magnitude(x []float64) (largest float64) {
	for _, v := range x {
		largest = max(largest, math.Abs(v))
	}
	return largest
}

// levelsLength is the unit, then signs and levels.
func levelsLength(d int, r *reader) uint64 {
	levels := r.word()
	if levels < 1 || levels > maxLevels {
		r.fail("%d levels", levels)
		levels = 1
	}
	r.count = int(levels)
	return 8 + bytesOf(d, 1+widthOf(r.count))
}

func decodeLevels(dst []float64, r *reader) {
	unit := r.float()
	b, width := bitReader{src: r.src}, widthOf(r.count)
	if unit < 0 || math.IsInf(float64(unit*float64(r.count)), 0) {
		r.fail("a unit of %v", unit)
		return
	}
	for i := range dst {
		negative, level := b.take(1) == 1, int(b.take(width))
		if level > r.count || negative && level == 0 {
			r.fail("level %d of %d", level, r.count)
			return
		}
		if dst[i] = float64(unit * float64(level)); negative {
			dst[i] = -dst[i]
		}
	}
	if b.rest != 0 {
		r.fail("the levels end with %d", b.rest)
	}
}

// Sign sends the signs of all entries, and the mean of their magnitudes, which becomes the
// magnitude of all: Q(x) = ||x||_1/d sign(x), sign(0) = 1 (Karimireddy, Rebjock, Stich, Jaggi,
// Error Feedback Fixes SignSGD, ICML 2019, Lemma 8).
//
// ||Q(x) - x||^2 = ||x||^2 - ||x||_1^2/d: Assumption 1 holds with omega = ||x||_1^2/(d ||x||^2),
// which is 1/d at worst, and 2/pi for long vectors of normal entries.
type Sign struct{}

// Validate implements Codec.
func (Sign) Validate() error { return nil }

// String implements Codec.
func (Sign) String() string { return "sign" }

// Omega implements Codec.
func (Sign) Omega(d int) float64 { return ratio(min(d, 1), d) }

// Encode implements Codec.
func (Sign) Encode(dst []byte, x []float64, w *Work) ([]byte, error) {
	dst, err := begin(dst, formSigns, x, w)
	if err != nil {
		return dst, err
	}
	largest, mean := magnitude(x), 0.0
	if largest > 0 {
		for _, v := range x {
			mean += math.Abs(v / largest)
		}
		mean = float64(largest * (mean / float64(len(x))))
	}
	b := bitWriter{dst: binary.LittleEndian.AppendUint64(dst, math.Float64bits(mean))}
	for _, v := range x {
		sign := uint64(0)
		if v < 0 {
			sign = 1
		}
		b.put(sign, 1)
	}
	return b.end(), nil
}

// signsLength is the scale, then the signs.
func signsLength(d int, _ *reader) uint64 { return 8 + bytesOf(d, 1) }

func decodeSigns(dst []float64, r *reader) {
	scale := r.float()
	b := bitReader{src: r.src}
	if scale < 0 {
		r.fail("a scale of %v", scale)
	}
	for i := range dst {
		if dst[i] = scale; b.take(1) == 1 {
			dst[i] = -scale
		}
	}
	if b.rest != 0 {
		r.fail("the signs end with %d", b.rest)
	}
}
