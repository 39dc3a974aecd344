package dpdonc_test

import (
	"math"
	"slices"

	"pgregory.net/rapid"

	"starling/actors/algorithm"
	"starling/actors/algorithm/dpdonc"
	"starling/actors/algorithm/mirror"
	"starling/mechanisms/noise"
)

// geometry is a pair of divergence and set that has a solver.
type geometry struct {
	divergence mirror.Divergence
	set        mirror.Set
}

// geometries draws any supported pair in the given dimension.
func geometries(d int) *rapid.Generator[geometry] {
	return rapid.Custom(func(t *rapid.T) (g geometry) {
		pair := rapid.SampledFrom(mirror.Pairs()).Draw(t, "pair")
		size := rapid.Float64Range(0.2, 4).Draw(t, "size")
		center := entries(d, 2).Draw(t, "center")
		switch pair.Set {
		case mirror.KindL1Ball:
			g.set = must(mirror.NewL1Ball(d, size, center))
		case mirror.KindL2Ball:
			g.set = must(mirror.NewL2Ball(d, size, center))
		case mirror.KindBox:
			upper := slices.Clone(center)
			for k := range upper {
				upper[k] += size * float64(k+1)
			}
			g.set = must(mirror.NewBox(center, upper))
		case mirror.KindSimplex:
			g.set = must(mirror.NewSimplex(d))
		}
		switch pair.Divergence {
		case mirror.KindEuclidean:
			g.divergence = must(mirror.NewEuclidean(rapid.Float64Range(0.05, 5).Draw(t, "scale")))
		case mirror.KindMahalanobis:
			g.divergence = must(mirror.NewMahalanobis(positiveDefinite(t, d)))
		case mirror.KindEntropy:
			g.divergence = mirror.Entropy{}
		}
		return g
	})
}

// positiveDefinite draws B B' + I/10.
func positiveDefinite(t *rapid.T, d int) [][]float64 {
	b := make([][]float64, d)
	for i := range b {
		b[i] = entries(d, 1).Draw(t, "row of B")
	}
	q := make([][]float64, d)
	for i := range q {
		q[i] = make([]float64, d)
		for j := range i + 1 {
			for k := range d {
				q[i][j] += b[i][k] * b[j][k]
			}
			q[j][i] = q[i][j]
		}
		q[i][i] += 0.1
	}
	return q
}

// optionsFor are valid options on a geometry.
func optionsFor(t *rapid.T, g geometry) dpdonc.Options {
	start := make([]float64, g.set.Dim())
	g.set.Center(start)
	return dpdonc.Options{
		Nodes: rapid.IntRange(1, 10).Draw(t, "N"), Divergence: g.divergence, Set: g.set,
		Step:        dpdonc.StepSize{Scale: rapid.Float64Range(0.1, 5).Draw(t, "step scale"), Unscaled: rapid.Bool().Draw(t, "unscaled")},
		Calibration: noise.Calibration{Law: noise.LaplaceLaw, Level: math.Inf(1)}, Theta: rapid.Float64Range(0.1, 10).Draw(t, "theta"),
		Bound: algorithm.BoundError, Noise: dpdonc.AsPrinted, Start: start, Floor: 1e-4,
		Positivity: rapid.SampledFrom([]dpdonc.Positivity{dpdonc.ClipMean, dpdonc.DualAverage}).Draw(t, "positivity"),
	}
}

// sensitivity is Delta(t) as (8) prints it.
func sensitivity(o dpdonc.Options, step int) float64 {
	alpha := o.Step.Scale / math.Sqrt(float64(step))
	if !o.Step.Unscaled {
		alpha /= float64(o.Nodes)
	}
	return 2 * math.Sqrt(float64(o.Set.Dim())) * alpha * o.Theta / o.Divergence.StrongConvexity()
}

// scaleTo gives x the 2-norm length, unless its squares are close to underflow.
func scaleTo(x []float64, length float64) {
	if size := norm(2, x); size > 1e-100 {
		for k := range x {
			x[k] *= length / size
		}
	}
}
