package results

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strings"
	"sync"

	"starling/mechanisms/kernel"
	"starling/mechanisms/portable"
)

// Arithmetic names, in 16 hex digits, the arithmetic of this process: it is a digest of the
// bits that its elementary functions and kernels give for fixed arguments. It is the same on
// every machine and for every build of one version, since the results of a run do not depend
// on these. Another name is the sign of a machine or build where that fails. Processes with
// different names give other bits to the same scenario; equal names are no proof of equal
// bits.
var Arithmetic = sync.OnceValue(func() string {
	h := sha256.New()
	put := func(values ...float64) {
		for _, v := range values {
			h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
		}
	}
	// Arguments are small and plain: the test is for another rounding, not another range.
	const count = 64
	var xs, ys [count]float64
	for i := range count {
		x := float64(i+1) / 7
		xs[i], ys[i] = x, 1/x
		put(portable.Exp(x), portable.Exp(-x), portable.Expm1(-x), portable.Log(x), portable.Log1p(x), portable.Tanh(x), portable.Pow(x, 0.3),
			portable.Sin(x), portable.Cos(x), portable.Hypot(x, 1), portable.Erf(x), portable.Lgamma(x), portable.NormalQuantile(x/10))
	}
	put(kernel.Dot(xs[:], xs[:]), kernel.Sum(ys[:]), kernel.Norm(xs[:]))
	kernel.Axpy(ys[:], 1./3, xs[:])
	put(ys[:]...)
	return hex.EncodeToString(h.Sum(nil)[:8])
})

// OtherArithmetic returns a sentence that names the arithmetic of both runs, where their
// arithmetic differs, and so their bits. It is empty where the arithmetic is the same as far
// as is known: older manifests do not name theirs.
func OtherArithmetic(first, second *Versions) string {
	if first.Arithmetic == "" || second.Arithmetic == "" || first.Arithmetic == second.Arithmetic {
		return ""
	}
	return fmt.Sprintf("the runs were made with different arithmetic, %s and %s: their processors or builds round otherwise, which alone makes bits differ",
		first.Platform(), second.Platform())
}

// OtherMachine names, for runs whose bits differ, the differences of their arithmetic,
// processors or builds; empty where nothing is known to differ.
func OtherMachine(first, second *Versions) string {
	if text := OtherArithmetic(first, second); text != "" {
		return text
	}
	if first.Arithmetic == "" || second.Arithmetic == "" || first.machine() == second.machine() {
		return ""
	}
	return fmt.Sprintf("the runs were made on different processors or by builds for different ones, %s and %s: their arithmetic has the same name, so this should not make bits differ",
		first.Platform(), second.Platform())
}

// Platform names the properties that could change bits: the system, the processor's family and
// features, the level that the program was built for, and the arithmetic of the process.
func (v *Versions) Platform() string { return v.GOOS + "/" + v.machine() + " " + v.Arithmetic }

// machine is the processor's part of Platform.
func (v *Versions) machine() string {
	text := v.GOARCH
	for _, more := range []string{v.GOAMD64, v.GOARM64, strings.Join(v.Features, "+")} {
		if more != "" {
			text += " " + more
		}
	}
	return text
}
