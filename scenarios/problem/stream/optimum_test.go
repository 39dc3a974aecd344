package stream

import (
	"fmt"
	"math"
	"math/big"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"
	"pgregory.net/rapid"

	"starling/mechanisms/rng"
	"starling/messages"
)

// originInHull tells whether 0 is in the convex hull of whole points of the
// plane, exactly: in that of three of them (Caratheodory). By Gordan's theorem
// that is so if and only if no line through 0 has all of them strictly on one
// side.
func originInHull(z [][2]int) bool {
	cross := func(p, q [2]int) int { return p[0]*q[1] - p[1]*q[0] }
	onSegment := func(p, q [2]int) bool { return cross(p, q) == 0 && p[0]*q[0]+p[1]*q[1] <= 0 }
	for _, p := range z {
		for _, q := range z {
			if onSegment(p, q) { // also p = q = 0
				return true
			}
			for _, r := range z {
				a, b, c := cross(p, q), cross(q, r), cross(r, p)
				if a > 0 && b > 0 && c > 0 || a < 0 && b < 0 && c < 0 {
					return true
				}
			}
		}
	}
	return false
}

// provesSeparable checks with exact arithmetic that every margin is positive.
func provesSeparable(x, data []float64) bool {
	width := len(x) + 1
	for j := 0; j < len(data); j += width {
		margin := new(big.Rat)
		for k, v := range x {
			product := new(big.Rat).SetFloat64(v)
			margin.Add(margin, product.Mul(product, new(big.Rat).SetFloat64(data[j+k]*data[j+width-1])))
		}
		if margin.Sign() <= 0 {
			return false
		}
	}
	return true
}

// Separability in the plane, both ways, against an exact criterion, on whole
// data with repetitions, contradictions and data on one line. What is separable
// comes with a proof; what is not is solved, and no point does better.
func TestSeparabilityIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := drawIntegers(t, 2)
		var z [][2]int
		for j := 0; j < len(data); j += 3 {
			z = append(z, [2]int{int(data[j] * data[j+2]), int(data[j+1] * data[j+2])})
		}
		got := NewLogistic(2, math.Inf(1)).Minimum(slices.Clone(data))
		want := Separable
		if originInHull(z) {
			want = Solved
		}
		if got.Status != want {
			t.Fatalf("%v is %s, want %s: %+v", z, got.Status, want, got)
		}
		if want == Separable {
			if !provesSeparable(got.X, data) || got.Value != 0 || got.Gap != 0 {
				t.Fatalf("%v are separable, which %+v does not show", z, got)
			}
			return
		}
		if value := meanLoss(got.X, data); relative(got.Value, value) > 1e-12 || got.Gap > Tolerance {
			t.Fatalf("value %v with gap %v, at X it is %v", got.Value, got.Gap, value)
		}
		x := rapid.SliceOfN(rapid.Float64Range(-30, 30), 2, 2).Draw(t, "x")
		if value := meanLoss(x, data); value < got.Value-got.Gap-Tolerance/10 {
			t.Fatalf("the loss %v at %v is below %v - %v", value, x, got.Value, got.Gap)
		}
	})
}

// noisyData are m data in d dimensions whose labels are wrong one time in five.
func noisyData(m, d int, seed uint64) []float64 {
	var stream rng.Stream
	r := stream.Open(rng.NewKey(seed, rng.PurposeOf("test")), 0, 0, 0)
	var data []float64
	for range m {
		var sum float64
		for range d {
			v := r.NormFloat64()
			data = append(data, v)
			sum += v
		}
		if r.Float64() < 0.2 {
			sum = -sum
		}
		data = append(data, math.Copysign(1, sum))
	}
	return data
}

// The least loss by a method that uses no second derivative, and from the
// logistic loss as it is written down.
func TestMinimumByAnotherMethod(t *testing.T) {
	for _, c := range []struct{ m, d int }{{20, 1}, {60, 3}, {200, 8}} {
		data := noisyData(c.m, c.d, uint64(c.m))
		got := NewLogistic(c.d, math.Inf(1)).Minimum(slices.Clone(data))
		want, err := optimize.Minimize(optimize.Problem{
			Func: func(x []float64) (sum float64) {
				for j := 0; j < len(data); j += c.d + 1 {
					sum += math.Log(1 + math.Exp(-data[j+c.d]*floats.Dot(x, data[j:j+c.d])))
				}
				return sum / float64(c.m)
			},
		}, make([]float64, c.d), &optimize.Settings{Converger: &optimize.FunctionConverge{Absolute: 1e-13, Iterations: 2000}}, &optimize.NelderMead{})
		if err != nil {
			t.Fatal(err)
		}
		if got.Status != Solved || math.Abs(got.Value-want.F) > 1e-9 || got.GradientNorm > 1e-4 {
			t.Errorf("%d data in %d dimensions: %+v, want %v at %v", c.m, c.d, got, want.F, want.X)
		}
	}
}

// The duality gap bounds the distance from the least loss at every point, not
// only at the end, and is no bound too many.
func TestGapIsSound(t *testing.T) {
	data := noisyData(100, 4, 1)
	best := NewLogistic(4, math.Inf(1)).Minimum(slices.Clone(data))
	finite := 0
	rapid.Check(t, func(t *rapid.T) {
		o := newObjective(4, [][]float64{slices.Clone(data)})
		scale := math.Pow(10, rapid.Float64Range(-4, 0.5).Draw(t, "log scale"))
		x := slices.Clone(best.X)
		for k, v := range rapid.SliceOfN(rapid.Float64Range(-1, 1), 4, 4).Draw(t, "direction") {
			x[k] += scale * v
		}
		gradient := make([]float64, 4)
		o.gradient(gradient, x)
		gap, above := o.gap(x, gradient, Descent(gradient, o.hessian(x))), o.value(x)-best.Value
		if gap < above-1e-12 {
			t.Fatalf("gap %v at %v above the least loss", gap, above)
		}
		if !math.IsInf(gap, 1) {
			finite++
			if scale < 0.01 && gap > 2*above+2*Tolerance {
				t.Fatalf("gap %v at %v above the least loss", gap, above)
			}
		}
	})
	if finite == 0 {
		t.Error("no gap was finite")
	}
}

// Data that do not span the space, as n tau < d data never do: a contradiction
// costs 2 log 2 however well the rest is learned, an infimum that is reached
// only far out.
func TestDataThatDoNotSpan(t *testing.T) {
	for name, c := range map[string]struct {
		data []float64
		want float64
	}{
		"a contradiction":             {[]float64{1, 2, 0, 1, 1, 2, 0, -1}, math.Ln2},
		"a contradiction and a datum": {[]float64{1, 0, 0, 1, 1, 0, 0, -1, 0, 1, 0, 1}, 2 * math.Ln2 / 3},
		"only zeros":                  {[]float64{0, 0, 0, 1}, math.Ln2},
	} {
		got := NewLogistic(3, math.Inf(1)).Minimum(c.data)
		if got.Status != Solved || math.Abs(got.Value-c.want) > 2*Tolerance {
			t.Errorf("%s: %+v, want %v", name, got, c.want)
		}
	}
	repeated := []float64{1, 2, 0, 1, 1, 2, 0, 1, -2, -4, 0, -1} // in one direction
	if got := NewLogistic(3, math.Inf(1)).Minimum(slices.Clone(repeated)); got.Status != Separable || !provesSeparable(got.X, repeated) {
		t.Errorf("repeated data: %+v, want separable", got)
	}
}

// Data that are not finite have no least loss, and no status that says so.
func TestDataThatAreNotFinite(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		got := NewLogistic(2, math.Inf(1)).Minimum([]float64{1, v, 1, 1, 1, -1, 2, 1, 1})
		if got.Status != Undecided || !math.IsNaN(got.Value) || !math.IsNaN(got.Gap) {
			t.Errorf("%v among the data: %+v", v, got)
		}
	}
}

// Separable data beyond m = d, and the same with one contradiction.
func TestMoreDataThanDimensions(t *testing.T) {
	const d, m = 5, 60
	data := noisyData(m, d, 9)
	for j := 0; j < len(data); j += d + 1 { // labels of the model (1, .., 1)
		data[j+d] = math.Copysign(1, floats.Sum(data[j:j+d]))
	}
	model := NewLogistic(d, math.Inf(1))
	if got := model.Minimum(slices.Clone(data)); got.Status != Separable || !provesSeparable(got.X, data) {
		t.Errorf("%+v, want separable", got)
	}
	wrong := append(slices.Clone(data), data[:d+1]...)
	wrong[len(wrong)-1] *= -1
	if got := model.Minimum(wrong); got.Status != Solved || got.Value < 2*math.Ln2/(m+1) {
		t.Errorf("%+v, want a solved optimum above log(4)/%d", got, m+1)
	}
}

// "n tau = 80 < d = 100: each round's data are separable" (the spec, of the
// paper's Fig. 3): the proofs hold in exact arithmetic.
func TestRoundsOfThePaperAreSeparable(t *testing.T) {
	model, in := paper(1)
	shape := Shape{Learners: 20, Rounds: 1000, Tau: 4}
	for _, r := range []int{0, 1, 500, 999} {
		got := RoundOptimum(model, in, shape, r)
		data := make([]float64, 80*in.Width())
		for t := range 4 {
			for i := range 20 {
				at := (t*20 + i) * in.Width()
				in.Datum(data[at:at+in.Width()], messages.NodeID(i), 4*r+t+1)
			}
		}
		if got.Status != Separable || !provesSeparable(got.X, data) {
			t.Errorf("round %d: %s", r, got.Status)
		}
	}
}

// The static optimum of a short horizon of the paper's data, the same bits on
// one core and on all.
func TestStaticOptimumIsDeterministic(t *testing.T) {
	model, in := paper(1)
	shape := Shape{Learners: 20, Rounds: 150, Tau: 4}
	first := StaticOptimum(model, in, shape)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	second := StaticOptimum(model, in, shape)
	if first.Value != second.Value || !slices.Equal(first.X, second.X) {
		t.Errorf("%v on all cores, %v on one", first.Value, second.Value)
	}
	if first.Status == Undecided {
		t.Errorf("undecided: %+v", first)
	}
}

// A round of Fig. 3, whose 80 data in 100 dimensions are separable, and longer
// ones.
func BenchmarkRoundOptimum(b *testing.B) {
	model, in := paper(1)
	for _, tau := range []int{4, 8, 40} {
		b.Run(fmt.Sprint(20*tau, " data"), func(b *testing.B) {
			statuses := map[Status]int{}
			for r := range b.N {
				statuses[RoundOptimum(model, in, Shape{20, b.N, tau}, r).Status]++
			}
			b.Log(statuses)
		})
	}
}

func BenchmarkStaticOptimum(b *testing.B) {
	model, in := paper(1)
	for range b.N {
		o := StaticOptimum(model, in, Shape{20, 1000, 4})
		b.Log(o.Status, o.Value, o.Gap, o.GradientNorm)
	}
}

// Parts of data are one table, and are left as they are, also where labels are other
// numbers than -1 and 1, which scale the features.
func TestPartsAreOneTable(t *testing.T) {
	data := noisyData(150, 4, 3)
	scaled := slices.Clone(data)
	for at := 0; at < len(scaled); at += 5 {
		for k := range 4 {
			scaled[at+k] /= 2
		}
		scaled[at+4] *= 2
	}
	want := NewLogistic(4, math.Inf(1)).Minimum(data)
	for name, table := range map[string][]float64{"signs": data, "twice the signs": scaled} {
		parts := [][]float64{table[:35*5], nil, table[35*5 : 36*5], table[36*5:]}
		before := slices.Clone(table)
		got := NewLogistic(4, math.Inf(1)).MinimumOf(parts)
		if got.Value != want.Value || got.Gap != want.Gap || !slices.Equal(got.X, want.X) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
		if !slices.Equal(table, before) {
			t.Errorf("%s: the data have changed", name)
		}
	}
}
