package problem

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/stat/distuv"

	"starling/actors/algorithm/mirror"
	"starling/mechanisms/rng"
)

// log(1 + exp(-m)) and its derivative against values computed with 60 digits
// (Python decimal), over margins at which naive forms overflow, cancel or round to 0.
func TestLogisticMarginIsStable(t *testing.T) {
	for _, c := range []struct{ m, loss, slope float64 }{
		{0, 0.69314718055994530942, -0.5},
		{1, 0.31326168751822283405, -0.26894142136999512075},
		{-1, 1.3132616875182228340, -0.73105857863000487925},
		{40, 4.24835425529158898630e-18, -4.24835425529158897728e-18},
		{-40, 40.000000000000000004, -1},
		{700, 9.85967654375977085671e-305, -9.85967654375977085671e-305},
		{1000, 0, 0},
		{-1000, 1000, -1},
	} {
		for _, y := range []float64{1, -1} {
			loss, slope := logisticMargin{}.loss(c.m*y, y), logisticMargin{}.slope(c.m*y, y)
			if !scalar.EqualWithinRel(loss, c.loss, 1e-14) {
				t.Errorf("loss %v at margin %v, want %v", loss, c.m, c.loss)
			}
			if !scalar.EqualWithinRel(slope, y*c.slope, 1e-13) {
				t.Errorf("slope %v at margin %v, want %v", slope, c.m, y*c.slope)
			}
		}
	}
}

// A node's parameters and data drawn again from the definition: a literal
// reading of the spec's order of draws, with the inner product in exact
// arithmetic.
func TestSyntheticData(t *testing.T) {
	const seed, nodes, dim, horizon = 5, 20, 3, 40
	for _, o := range []LogisticOptions{
		{Alpha: 0.5, Beta: 2, Normalise: true},
		{Alpha: 0.5, Beta: 2, FeatureNorm: 3},
	} {
		in := must(must(NewLogistic(o, nodes, must(mirror.NewL2Ball(dim, 1, nil)))).Draw(seed, horizon)).(*linear)
		labels, scaled := map[float64]int{}, 0
		for i := range nodes {
			var parameters, stream rng.Stream
			r := parameters.Open(rng.NewKey(seed, rng.PurposeOf("data.node")), i, 0, 0)
			u, b := math.Sqrt(0.5)*r.NormFloat64(), math.Sqrt(2)*r.NormFloat64()
			c := u + r.NormFloat64()
			var w, v [dim]float64
			for j := range w {
				w[j] = u + r.NormFloat64()
			}
			for j := range v {
				v[j] = b + r.NormFloat64()
			}
			for step := 1; step <= horizon; step++ {
				r := stream.Open(rng.NewKey(seed, rng.PurposeOf("data.sample")), i, step, 0)
				a := make([]float64, dim)
				score := big.NewFloat(c)
				for j := range a {
					a[j] = v[j] + math.Sqrt(math.Pow(float64(j+1), -1.2))*r.NormFloat64()
					score.Add(score, new(big.Float).Mul(big.NewFloat(w[j]), big.NewFloat(a[j])))
				}
				label := float64(score.Sign())
				factor := 1 / floats.Norm(a, 2)
				if !o.Normalise {
					factor = min(1, 3*factor)
				}
				if factor != 1 {
					scaled++
				}
				floats.Scale(factor, a)
				labels[label]++
				in.one(i, step, func(gotA []float64, gotB float64) {
					if gotB != label || !floats.EqualApprox(gotA, a, 1e-12) {
						t.Fatalf("node %d, step %d: datum %v, %v, want %v, %v", i+1, step, gotA, gotB, a, label)
					}
				})
			}
		}
		if labels[1] == 0 || labels[-1] == 0 || labels[1]+labels[-1] != nodes*horizon {
			t.Errorf("labels %v, want some of both", labels)
		}
		if whole := scaled == nodes*horizon; scaled == 0 || whole != o.Normalise {
			t.Errorf("%d of %d features scaled with %+v", scaled, nodes*horizon, o)
		}
	}
}

// inChiSquare reports whether the sum of squares of n standard normal numbers
// is in the middle 1 - 1e-7 of its law.
func inChiSquare(sum float64, n int) bool {
	law := distuv.ChiSquared{K: float64(n)}
	return law.CDF(sum) > 5e-8 && law.Survival(sum) > 5e-8
}

// The laws of the parameters: over nodes, c_i ~ N(0, alpha + 1), the mean of
// w_i's entries ~ N(0, alpha + 1/d) and that of v_i's ~ N(0, beta + 1/d), all
// independent over nodes, so the sums of squares are chi-square (chance of a
// false failure 1e-7 each).
func TestSyntheticParameters(t *testing.T) {
	const nodes, dim = 2000, 10
	o := LogisticOptions{Alpha: 0.1, Beta: 3, Normalise: true}
	s := NewSynthetic(o, Variation{}, 11, nodes, dim, Zones{})
	var offset, model, mean float64
	for i := range nodes {
		law := &s.laws.kept[i]
		w, v := floats.Sum(law.model)/dim, floats.Sum(law.mean)/dim
		offset += law.offset * law.offset / (o.Alpha + 1)
		model += w * w / (o.Alpha + 1.0/dim)
		mean += v * v / (o.Beta + 1.0/dim)
	}
	for name, sum := range map[string]float64{"c": offset, "w": model, "v": mean} {
		if !inChiSquare(sum, nodes) {
			t.Errorf("%s: sum of squares %v, want chi-square of %d", name, sum, nodes)
		}
	}
}

// Nodes whose parameters are not kept have the same data, to the last bit, in any order and
// with any variation.
func TestPassingNodesHaveTheSameData(t *testing.T) {
	const nodes, dim = 5, 7
	o := LogisticOptions{Alpha: 0.5, Beta: 2, Normalise: true}
	zones := Zones{Count: 2, Of: func(node int) int { return node % 2 }}
	for _, v := range []Variation{{}, {Shared: 0.3, LabelNoise: 0.2}, {Shared: 1, Drift: &Drift{Kind: DriftGradual, Period: 3}}, {Shared: 0.2, Zonal: 0.5}, {Zonal: 1, Drift: &Drift{Kind: DriftAbrupt, Period: 2}}} {
		kept, passing := NewSynthetic(o, v, 11, nodes, dim, zones), NewPassing(o, v, 11, dim, zones)
		var stream rng.Stream
		want, got := make([]float64, dim), make([]float64, dim)
		for step := range 4 {
			for _, node := range []int{3, 3, 0, 4, 3} {
				y, z := kept.datum(want, node, step+1, &stream), passing.datum(got, node, step+1, &stream)
				if y != z || !slices.Equal(want, got) {
					t.Errorf("%+v, node %d, step %d: label %v and features %v, want %v and %v", v, node, step, z, got, y, want)
				}
			}
			rows, labels := make([]float64, nodes*dim), make([]float64, nodes)
			kept.data(rows, labels, 0, step+1, &stream)
			other, signs := make([]float64, nodes*dim), make([]float64, nodes)
			passing.data(other, signs, 0, step+1, &stream)
			if !slices.Equal(labels, signs) || !slices.Equal(rows, other) {
				t.Errorf("%+v, step %d: the data of all nodes differ", v, step)
			}
		}
	}
}

// Given the node, features are N(v_i, j^-1.2): the standardised sum of squares
// of each coordinate is chi-square, and its standardised sum is normal, below
// 5.5 (chance of a false failure 4e-8 and 1e-7 for each of 2 x 8 coordinates).
func TestSyntheticFeatures(t *testing.T) {
	const nodes, dim, n = 2, 8, 3000
	s := NewSynthetic(LogisticOptions{Alpha: 1, Beta: 1, FeatureNorm: 1e9}, Variation{}, 3, nodes, dim, Zones{})
	var stream rng.Stream
	for i := range nodes {
		var sum, squares [dim]float64
		a := make([]float64, dim)
		for step := range n {
			s.datum(a, i, step+1, &stream)
			for j := range a {
				z := (a[j] - s.laws.kept[i].mean[j]) / math.Sqrt(math.Pow(float64(j+1), -1.2))
				sum[j] += z
				squares[j] += z * z
			}
		}
		for j := range dim {
			if math.Abs(sum[j]) > 5.5*math.Sqrt(n) || !inChiSquare(squares[j], n) {
				t.Errorf("node %d, feature %d: sum %v, squares %v over %d", i+1, j+1, sum[j], squares[j], n)
			}
		}
	}
}

func TestLogisticBounds(t *testing.T) {
	set := must(mirror.NewL2Ball(4, 1, nil))
	for _, c := range []struct {
		options     LogisticOptions
		theta, beta float64
	}{
		{DefaultLogisticOptions(), 1, 0.25},
		{LogisticOptions{FeatureNorm: 3}, 3, 2.25},
	} {
		p := must(NewLogistic(c.options, 2, set))
		if beta, finite := p.Smoothness(); p.GradientBound() != c.theta || beta != c.beta || !finite {
			t.Errorf("theta %v, beta %v (%v), want %v, %v", p.GradientBound(), beta, finite, c.theta, c.beta)
		}
	}
}
