package factorization

import (
	"fmt"
	"testing"

	"starling/mechanisms/numeric"
	"starling/mechanisms/rng"
)

func BenchmarkOptimal(b *testing.B) {
	for _, n := range []int{1024, 4096, 65_536, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				build(b, Options{Kind: Optimal, N: n})
			}
		})
	}
}

func BenchmarkARSum(b *testing.B) {
	for _, n := range []int{4096, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				build(b, Options{Kind: ARSum, N: n, Chains: 8})
			}
		})
	}
}

// BenchmarkDiagonal times one evaluation; its unit is a pole and a row.
func BenchmarkDiagonal(b *testing.B) {
	const n, poles = 1_000_000, 32
	v := make([]float64, n)
	for i := range v {
		v[i] = 20
	}
	low, high := spectrum(v)
	r, _ := numeric.InverseRoot(low, high, poles)
	c := candidate{newEvaluator(n), v, make([]float64, n), nil}
	for b.Loop() {
		c.trace(r)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n/poles, "ns/pole/row")
}

// BenchmarkStream times the drawing of a whole stream; its unit is a step and a
// coordinate.
func BenchmarkStream(b *testing.B) {
	const n, d = 4096, 100
	for _, kind := range Kinds() {
		b.Run(string(kind), func(b *testing.B) {
			f := build(b, options(kind, n))
			r := rng.New(1)
			dst := make([]float64, d)
			for b.Loop() {
				s, err := f.Stream(d)
				if err != nil {
					b.Fatal(err)
				}
				for range n {
					if err := s.Next(dst, r); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n/d, "ns/step/coordinate")
		})
	}
}
