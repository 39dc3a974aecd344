package results

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/floats"
)

// Arithmetic names, in 16 hex digits, what the elementary functions, products
// and sums of this process give to the last bit: it is a digest of such results
// for fixed arguments. They depend on the processor, for exp has a path with
// fused multiply-add that is chosen when the program starts, and on the build,
// for a compiler may round x*y + z once. Processes whose names differ give other
// bits to the same scenario; equal names are no proof of equal bits.
var Arithmetic = sync.OnceValue(func() string {
	h := sha256.New()
	put := func(values ...float64) {
		for _, v := range values {
			h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
		}
	}
	// Arguments are small and plain: what is looked for is another rounding, not another
	// range.
	const count = 64
	var xs, ys [count]float64
	for i := range count {
		x := float64(i+1) / 7
		xs[i], ys[i] = x, 1/x
		put(math.Exp(x), math.Exp(-x), math.Expm1(-x), math.Log(x), math.Log1p(x), math.Tanh(x), math.Pow(x, 0.3),
			math.Sin(x), math.Cos(x), math.Hypot(x, 1), math.Erf(x), math.Gamma(x), multiplyAdd(x, 1/x, -1))
	}
	put(floats.Dot(xs[:], xs[:]), floats.Sum(ys[:]), floats.Norm(xs[:], 2))
	floats.AddScaled(ys[:], 1./3, xs[:])
	put(ys[:]...)
	return hex.EncodeToString(h.Sum(nil)[:8])
})

// multiplyAdd is x*y + z as the compiler rounds it: once, or twice.
//
//go:noinline
func multiplyAdd(x, y, z float64) float64 { return x*y + z }

// OtherArithmetic says that two runs were made with different arithmetic, whose
// bits differ, and names both; empty where it is the same as far as is known:
// older manifests do not name theirs.
func OtherArithmetic(first, second *Versions) string {
	if first.Arithmetic == "" || second.Arithmetic == "" || first.Arithmetic == second.Arithmetic {
		return ""
	}
	return fmt.Sprintf("the runs were made with different arithmetic, %s and %s: their processors or builds round otherwise, which alone makes bits differ",
		first.Platform(), second.Platform())
}

// Platform names what changes bits: the system, the processor's family, the
// level that the program was built for, and the arithmetic of the process.
func (v *Versions) Platform() string {
	text := v.GOOS + "/" + v.GOARCH
	if v.GOAMD64 != "" {
		text += " " + v.GOAMD64
	}
	return text + " " + v.Arithmetic
}
