package bench

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"starling/bench/workload"
	"starling/mechanisms/factorization"
	"starling/mechanisms/rng"
)

// noiseSteps is how many steps of correlated noise a factorization has, and
// noiseDraws how many numbers a timed loop draws: as many streams one after the
// other as it takes.
const (
	noiseSteps = 4000
	noiseDraws = 4_000_000
)

// noiseKinds are the factorizations, with parameters that people use.
func noiseKinds(n int) []factorization.Options {
	var list []factorization.Options
	for _, kind := range factorization.Kinds() {
		o := factorization.Options{Kind: kind, N: n}
		switch kind {
		case factorization.ARSum:
			o.Chains = 8
		case factorization.BandedToeplitz:
			o.Bands = 16
		case factorization.BLT:
			o.Buffers = 4
		}
		list = append(list, o)
	}
	return list
}

// BenchmarkNoise compares the correlated noise of all steps with as many
// independent normal numbers. Targets at d = 1000: ratio at most 3 for ar-sum and 8
// for toeplitz. The plain convolution with the square root's coefficients, which
// toeplitz replaces, takes time in proportion to the step.
func BenchmarkNoise(b *testing.B) {
	draws := noiseDraws
	if testing.Short() {
		draws = noiseSteps
	}
	for _, d := range []int{2, 100, 1000} {
		streams := max(1, draws/noiseSteps/d)
		for _, o := range noiseKinds(noiseSteps) {
			f, err := factorization.New(o)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%s/d=%d", o.Kind, d), func(b *testing.B) {
				compareNoise(b, d, streams, func(dst []float64, r *rng.Rand) {
					s, err := f.Stream(d)
					if err != nil {
						b.Fatal(err)
					}
					for range noiseSteps {
						if err := s.Next(dst, r); err != nil {
							b.Fatal(err)
						}
					}
				})
			})
		}
	}
	if testing.Short() {
		return
	}
	b.Run("convolution/d=100", func(b *testing.B) { compareNoise(b, 100, 1, plainConvolution) })
}

// compareNoise times independent normal numbers of the standard library and the noise of some streams in
// turn and reports the median ratio, and the medians by step and coordinate.
func compareNoise(b *testing.B, d, streams int, noise func(dst []float64, r *rng.Rand)) {
	r, library := rng.New(1), rand.New(rand.NewPCG(1, 2))
	dst := make([]float64, d)
	noise(dst, r) // once, uncounted
	per := float64(noiseSteps * d * streams)
	var ratios, plain, correlated []float64
	for b.Loop() {
		t0 := time.Now()
		for range streams * noiseSteps {
			for i := range dst {
				dst[i] = library.NormFloat64()
			}
		}
		t1 := time.Now()
		for range streams {
			noise(dst, r)
		}
		t2 := time.Now()
		ratios = append(ratios, float64(t2.Sub(t1))/float64(t1.Sub(t0)))
		plain = append(plain, float64(t1.Sub(t0).Nanoseconds())/per)
		correlated = append(correlated, float64(t2.Sub(t1).Nanoseconds())/per)
	}
	b.ReportMetric(0, "ns/op") // the sum of both says nothing
	b.ReportMetric(median(ratios), "ratio")
	b.ReportMetric(median(plain), "normal-ns")
	b.ReportMetric(median(correlated), "noise-ns")
}

// plainConvolution is the loop a person would write for the increments of the
// square root's noise: the numbers of all steps so far times the coefficients of
// (1-x)^(1/2).
func plainConvolution(dst []float64, r *rng.Rand) {
	coefficients := make([]float64, noiseSteps)
	coefficients[0] = 1
	for j := 1; j < noiseSteps; j++ {
		coefficients[j] = coefficients[j-1] * (1 - 1.5/float64(j))
	}
	numbers := make([][]float64, noiseSteps)
	for t := range numbers {
		row := make([]float64, len(dst))
		numbers[t] = row
		for i := range row {
			row[i] = r.NormFloat64()
		}
		clear(dst)
		for j, c := range coefficients[:t+1] {
			workload.Axpy(dst, c, numbers[t-j])
		}
	}
}
