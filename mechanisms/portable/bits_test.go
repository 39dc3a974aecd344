package portable

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"
)

// TestBits names the bits of every function: a hash of the results at the same
// arguments, so that a build for another machine that computes others is found.
func TestBits(t *testing.T) {
	want := map[string]string{
		"Erf":            "b5e23cb60acf0cda",
		"Erfc":           "aeaf8470b5a73602",
		"NormalQuantile": "06bf11f94076436e",
		"Lgamma":         "643ae16fbedb69f0",
		"Exp":            "dd18c33af3ec24b0",
		"Expm1":          "da94828ac95ce014",
		"Tanh":           "4ee61c196f4c34fc",
		"Sinh":           "4f83b43f2f606697",
		"Log":            "60da1ca76eed8a9a",
		"Log1p":          "fb054659f048640a",
		"Log2":           "d1a13170d3a81db8",
		"Log10":          "2a474e254341eb07",
		"Sin":            "436d067899cbc46a",
		"Cos":            "00c6c25a59e6fd39",
		"Pow":            "acc9831b8c279260",
		"Hypot":          "2a011a965f2df4fb",
	}
	r := rand.New(rand.NewPCG(11, 12))
	var xs [2000]float64
	for i := range xs {
		xs[i] = math.Ldexp(float64(r.Float64()*2)-1, r.IntN(24)-12)
	}
	binaryOf := func(f func(x, y float64) float64) func(float64) float64 {
		i := 0
		return func(x float64) float64 { i++; return f(math.Abs(x), xs[i%len(xs)]) }
	}
	positive := func(f func(float64) float64) func(float64) float64 {
		return func(x float64) float64 { return f(math.Abs(x)) }
	}
	for _, f := range []struct {
		name string
		of   func(float64) float64
	}{
		{"Exp", Exp}, {"Expm1", Expm1}, {"Tanh", Tanh}, {"Sinh", Sinh},
		{"Log", positive(Log)}, {"Log1p", positive(Log1p)}, {"Log2", positive(Log2)}, {"Log10", positive(Log10)},
		{"Sin", Sin}, {"Cos", Cos}, {"Erf", Erf}, {"Erfc", Erfc},
		{"NormalQuantile", positive(func(x float64) float64 { return NormalQuantile(x / 4096) })}, {"Lgamma", positive(Lgamma)}, {"Pow", binaryOf(Pow)}, {"Hypot", binaryOf(Hypot)},
	} {
		sum := fnv.New64a()
		for _, x := range xs {
			_ = binary.Write(sum, binary.LittleEndian, math.Float64bits(f.of(x)))
		}
		if got := fmt.Sprintf("%016x", sum.Sum64()); got != want[f.name] {
			t.Errorf("%q: %q,", f.name, got)
		}
	}
}
