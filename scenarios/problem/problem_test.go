package problem

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"starling/actors/algorithm"
	"starling/actors/algorithm/mirror"
	"starling/messages"
)

var (
	_ Problem = (*Localization)(nil)
	_ Problem = (*Logistic)(nil)
	_ Problem = (*RobustRegression)(nil)
	_ Tracker = (*localization)(nil)
	_ Tracker = (*robustRegression)(nil)
)

// must returns v and panics on an error: tests build from fixed options.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// printedSet is Omega of DPDO-NC, section 5.
func printedSet() mirror.Set { return must(mirror.NewL1Ball(2, 3, nil)) }

func localizationOf(sensors SensorOptions, nodes int, set mirror.Set) *Localization {
	o := DefaultLocalizationOptions()
	o.Sensors = sensors
	return must(NewLocalization(o, nodes, set))
}

func circleProblem() *Localization {
	return localizationOf(SensorOptions{Circle: &CircleOptions{Radius: 4}}, 6, printedSet())
}

func asPrintedProblem() *Localization {
	return localizationOf(SensorOptions{Same: &SameOptions{Position: []float64{0.8, 0.95}}}, 6, printedSet())
}

// still3D has a resting target in three dimensions, one sensor inside the set
// and one outside.
func still3D() *Localization {
	return must(NewLocalization(LocalizationOptions{
		Sensors:          SensorOptions{Positions: [][]float64{{0.2, 0.2, 0.3}, {2, -1, 1}}},
		Target:           TargetOptions{Start: []float64{0.5, 0.25, 0.25}, Motion: MotionStill},
		MeasurementNoise: 0.1,
	}, 2, must(mirror.NewBox([]float64{-1, 0, 0}, []float64{1, 0.5, 1}))))
}

func robustOptions(change func(*RobustRegressionOptions)) RobustRegressionOptions {
	o := DefaultRobustRegressionOptions()
	change(&o)
	return o
}

// problems is one of each kind and branch, on every kind of set.
func problems() map[string]Problem {
	ball := must(mirror.NewL2Ball(5, 2, []float64{1, 0, 0, -1, 0}))
	return map[string]Problem{
		"circle":     circleProblem(),
		"as-printed": asPrintedProblem(),
		"random near": localizationOf(SensorOptions{Random: &RandomOptions{Low: []float64{-1, 0}, High: []float64{1, 2}}},
			4, printedSet()),
		"random far": localizationOf(SensorOptions{Random: &RandomOptions{Low: []float64{5, 4}, High: []float64{6, 4.5}}},
			4, printedSet()),
		"moving":          movingProblem(),
		"still":           still3D(),
		"logistic":        must(NewLogistic(DefaultLogisticOptions(), 7, ball)),
		"logistic scaled": must(NewLogistic(LogisticOptions{Alpha: 2, Beta: 0, FeatureNorm: 1.5}, 3, must(mirror.NewSimplex(6)))),
		"robust":          must(NewRobustRegression(DefaultRobustRegressionOptions(), 5, ball)),
		"robust drifting": must(NewRobustRegression(robustOptions(func(o *RobustRegressionOptions) {
			o.Scale, o.Truth.Drift = 0.25, 0.3
		}), 4, must(mirror.NewSimplex(3)))),
	}
}

// movingProblem has 4 sensors that go round in a box, half of it in the set.
func movingProblem() Problem {
	p := localizationOf(SensorOptions{Topology: &TopologyOptions{Low: []float64{-3, -1}, High: []float64{5, 2}}}, 4, printedSet())
	return p.Following(func(seed uint64, steps int) (places []float64, _ error) {
		for step := range steps {
			for node := range 4 {
				sin, cos := math.Sincos(float64(seed%100) + float64(step)/5 + float64(node))
				places = append(places, 0.5+cos/2, 0.5+sin/2)
			}
		}
		return places, nil
	})
}

// eachProblem runs a subtest per problem, in a fixed order.
func eachProblem(t *testing.T, test func(t *testing.T, p Problem)) {
	all := problems()
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		t.Run(name, func(t *testing.T) { test(t, all[name]) })
	}
}

// drawPoint draws a point of the set: inside, and often on the border.
func drawPoint(t *rapid.T, set mirror.Set, label string) []float64 {
	d := set.Dim()
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, label), 0))
	reach := rapid.SampledFrom([]float64{0, 0.1, 0.5, 3}).Draw(t, label+" reach")
	x := make([]float64, d)
	set.Center(x)
	for k := range x {
		x[k] += reach * set.Diameter() * r.NormFloat64() / math.Sqrt(float64(d))
	}
	set.Project(x, x, make([]float64, set.WorkSize()))
	return x
}

const testHorizon = 12

// drawCase draws an instance with a node and step of it.
func drawCase(t *rapid.T, p Problem) (Instance, messages.NodeID, int) {
	in, err := p.Draw(rapid.Uint64().Draw(t, "seed"), testHorizon)
	if err != nil {
		t.Fatal(err)
	}
	return in, messages.NodeID(rapid.IntRange(0, p.Nodes()-1).Draw(t, "node")), rapid.IntRange(1, testHorizon).Draw(t, "step")
}

// gradient is Gradient into a new slice that held other numbers before.
func gradient(in Instance, node messages.NodeID, step int, x []float64) []float64 {
	dst := make([]float64, len(x))
	for k := range dst {
		dst[k] = math.NaN()
	}
	in.Gradient(dst, node, step, x)
	return dst
}

// The gradient agrees with central differences of the loss. Their error is
// h^2/6 times a third derivative, of order 1/r^2 at distance r from a sensor
// and at most of order 1/c^2 for the robust loss, plus rounding of order 1e-16/h.
func TestGradientMatchesFiniteDifferences(t *testing.T) {
	eachProblem(t, func(t *testing.T, p Problem) {
		rapid.Check(t, func(t *rapid.T) {
			in, node, step := drawCase(t, p)
			x := drawPoint(t, p.Set(), "x")
			if l, ok := in.(*localization); ok && floats.Distance(x, l.sensor(int(node), step), 2) < 0.05 {
				t.Skip("no derivative at the sensor")
			}
			got := gradient(in, node, step, x)
			want := fd.Gradient(nil, func(x []float64) float64 { return in.Loss(node, step, x) }, x,
				&fd.Settings{Formula: fd.Central, Step: 1e-5})
			if !floats.EqualApprox(got, want, 2e-6) {
				t.Fatalf("gradient %v, differences %v", got, want)
			}
		})
	})
}

// Every gradient on Omega is at most theta (DPDO-NC, below Assumption 3), up to
// rounding. The horizon is short, so the printed target is in Omega.
func TestGradientBoundHolds(t *testing.T) {
	eachProblem(t, func(t *testing.T, p Problem) {
		rapid.Check(t, func(t *rapid.T) {
			in, node, step := drawCase(t, p)
			x := drawPoint(t, p.Set(), "x")
			if got, bound := floats.Norm(gradient(in, node, step, x), 2), p.GradientBound(); got > bound*(1+1e-12) {
				t.Fatalf("gradient norm %v at %v, theta %v", got, x, bound)
			}
		})
	})
}

// Gradients change by at most beta ||x - y|| between points of Omega near and
// far (DPDO-NC, Assumption 3, which has it on all of R^d); 1e-9 is for rounding
// of the differences.
func TestSmoothnessHolds(t *testing.T) {
	eachProblem(t, func(t *testing.T, p Problem) {
		beta, finite := p.Smoothness()
		if !finite {
			if beta != 0 {
				t.Errorf("beta %v where none exists, want 0", beta)
			}
			return
		}
		rapid.Check(t, func(t *rapid.T) {
			in, node, step := drawCase(t, p)
			x, y := drawPoint(t, p.Set(), "x"), drawPoint(t, p.Set(), "y")
			near := rapid.Float64Range(0.001, 1).Draw(t, "near")
			for k := range y { // stays in Omega, which is convex
				y[k] = x[k] + near*(y[k]-x[k])
			}
			change := floats.Distance(gradient(in, node, step, x), gradient(in, node, step, y), 2)
			if limit := beta*floats.Distance(x, y, 2) + 1e-9; change > limit {
				t.Fatalf("gradients differ by %v, want at most %v (beta %v)", change, limit, beta)
			}
		})
	})
}

// orderedSum adds gradients to zero in ascending order of the node.
func orderedSum(in Instance, nodes, step int, x []float64) []float64 {
	sum := make([]float64, len(x))
	for i := range nodes {
		for k, g := range gradient(in, messages.NodeID(i), step, x) {
			sum[k] += g
		}
	}
	return sum
}

func sameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })
}

func TestSumGradientHasTheBitsOfTheOrderedSum(t *testing.T) {
	eachProblem(t, func(t *testing.T, p Problem) {
		rapid.Check(t, func(t *rapid.T) {
			in, _, step := drawCase(t, p)
			x := drawPoint(t, p.Set(), "x")
			got := slices.Repeat([]float64{math.NaN()}, len(x))
			in.SumGradient(got, step, x)
			if want := orderedSum(in, p.Nodes(), step, x); !sameBits(got, want) {
				t.Fatalf("sum %v, want %v", got, want)
			}
		})
	})
}

// Gradients of many nodes are those of each.
func TestGradientsAreThoseOfEach(t *testing.T) {
	found := 0
	eachProblem(t, func(t *testing.T, p Problem) {
		rapid.Check(t, func(t *rapid.T) {
			in, first, step := drawCase(t, p)
			rows, ok := in.(algorithm.RowCosts)
			if !ok {
				return
			}
			found++
			var x, want []float64
			for node := first; int(node) < p.Nodes(); node++ {
				at := drawPoint(t, p.Set(), "x")
				x, want = append(x, at...), append(want, gradient(in, node, step, at)...)
			}
			got := make([]float64, len(x))
			if rows.Gradients(got, first, step, x); !sameBits(got, want) {
				t.Fatalf("%v, want %v", got, want)
			}
		})
	})
	if found == 0 {
		t.Error("no problem has gradients of many nodes")
	}
}

// Gradients of data that are drawn at each use are those of data that are kept.
func TestGradientsOfDataThatAreNotKept(t *testing.T) {
	const nodes, steps, dim = 150, 3, 3
	p := must(NewLogistic(DefaultLogisticOptions(), nodes, must(mirror.NewL2Ball(dim, 2, nil))))
	kept, drawn := must(p.Draw(5, steps)).(*linear), must(p.draw(5, steps, 0)).(*linear)
	if kept.kept(2) == nil || drawn.kept(2) != nil {
		t.Fatal("the data are kept, or not, where they should not be")
	}
	x := make([]float64, nodes*dim)
	for k := range x {
		x[k] = float64(k%7) / 4
	}
	want, got := make([]float64, len(x)), make([]float64, len(x))
	kept.Gradients(want, 0, 2, x)
	drawn.Gradients(got, 0, 2, x)
	one := gradient(kept, 149, 2, x[149*dim:])
	if !sameBits(got, want) || !sameBits(one, want[149*dim:]) {
		t.Errorf("drawn %v, kept %v, alone %v", got[149*dim:], want[149*dim:], one)
	}
	drawn.Gradients(got[:80*dim], 70, 2, x[70*dim:])
	if !sameBits(got[:80*dim], want[70*dim:]) {
		t.Error("those of the last 80 nodes differ")
	}
}

// evaluate is everything an instance says about a step at x.
func evaluate(in Instance, nodes, step int, x []float64) []float64 {
	all := make([]float64, len(x))
	in.SumGradient(all, step, x)
	for i := range nodes {
		all = append(all, in.Loss(messages.NodeID(i), step, x))
		all = append(all, gradient(in, messages.NodeID(i), step, x)...)
	}
	if tracker, ok := in.(Tracker); ok {
		all = append(all, tracker.Target(step)...)
	}
	return all
}

// A second instance, of a longer horizon, that is asked backwards and from
// many goroutines at once, gives the same bits as the first asked in order.
func TestValuesDependOnKeysAlone(t *testing.T) {
	eachProblem(t, func(t *testing.T, p Problem) {
		x := make([]float64, p.Dim())
		p.Set().Center(x)
		first := must(p.Draw(42, testHorizon))
		want := make([][]float64, testHorizon+1)
		for step := 1; step <= testHorizon; step++ {
			want[step] = evaluate(first, p.Nodes(), step, x)
		}
		if slices.Equal(want[1], want[2]) {
			t.Error("two steps have the same values")
		}
		other := must(p.Draw(43, testHorizon))
		if slices.Equal(want[1], evaluate(other, p.Nodes(), 1, x)) {
			t.Error("two seeds have the same values")
		}
		second := must(p.Draw(42, 2*testHorizon))
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				for step := testHorizon; step >= 1; step-- {
					if got := evaluate(second, p.Nodes(), step, x); !sameBits(got, want[step]) {
						t.Errorf("step %d gives %v, want %v", step, got, want[step])
					}
				}
			})
		}
		group.Wait()
	})
}

// budgeted is a problem whose instances keep data.
type budgeted interface {
	Problem
	draw(seed uint64, horizon, budget int) (Instance, error)
}

// Data that is kept whole, kept for a window of steps, or not kept, have the
// same bits, also when goroutines push each other's steps out of the window.
func TestKeptAndRegeneratedDataAreTheSame(t *testing.T) {
	eachProblem(t, func(t *testing.T, p Problem) {
		b, ok := p.(budgeted)
		if !ok {
			return
		}
		x := make([]float64, p.Dim())
		p.Set().Center(x)
		step := 8 * p.Nodes() * (p.Dim() + 1)
		whole := must(b.draw(9, testHorizon, testHorizon*step))
		for _, budget := range []int{0, step - 1, step, 3 * step, testHorizon*step - 1} {
			other := must(b.draw(9, testHorizon, budget))
			var group sync.WaitGroup
			for worker := range 3 {
				group.Go(func() {
					for k := range 2 * testHorizon {
						s := 1 + (5*k+worker)%testHorizon
						if got, want := evaluate(other, p.Nodes(), s, x), evaluate(whole, p.Nodes(), s, x); !sameBits(got, want) {
							t.Errorf("budget %d, step %d: %v, want %v", budget, s, got, want)
						}
					}
				})
			}
			group.Wait()
		}
	})
}

// The window is what the budget allows, and whole data are drawn up front.
func TestSamplesKeepWithinTheBudget(t *testing.T) {
	p := must(NewLogistic(DefaultLogisticOptions(), 4, must(mirror.NewL2Ball(9, 1, nil))))
	const step = 8 * 4 * 10
	for _, c := range []struct{ budget, window, kept int }{
		{0, 0, 0}, {step - 1, 0, 0}, {step, 1, 0}, {5*step + 1, 5, 0}, {6 * step, 6, 6}, {60 * step, 6, 6},
	} {
		s := must(p.draw(1, 6, c.budget)).(*linear).samples
		kept := 0
		for t := 1; t <= 6; t++ {
			if s.kept(t) != nil {
				kept++
			}
		}
		if len(s.window) != c.window || kept != c.kept {
			t.Errorf("budget %d: window %d with %d steps kept, want %d with %d", c.budget, len(s.window), kept, c.window, c.kept)
		}
	}
}

func TestHotPathsDoNotAllocate(t *testing.T) {
	eachProblem(t, func(t *testing.T, p Problem) {
		in := must(p.Draw(3, testHorizon))
		x, dst := make([]float64, p.Dim()), make([]float64, p.Dim())
		p.Set().Center(x)
		got := testing.AllocsPerRun(100, func() {
			in.Loss(1, 2, x)
			in.Gradient(dst, 1, 2, x)
			in.SumGradient(dst, 3, x)
		})
		if got != 0 {
			t.Errorf("%v allocations, want 0", got)
		}
	})
}

// Calls outside the contract panic, for every problem in the same way; NaN is
// data and comes out again.
func TestContract(t *testing.T) {
	kinds := []string{circleProblem().Kind(), problems()["logistic"].Kind(), problems()["robust"].Kind()}
	if want := []string{"localization", "logistic", "robust-regression"}; !slices.Equal(kinds, want) {
		t.Errorf("kinds %v, want %v", kinds, want)
	}
	eachProblem(t, func(t *testing.T, p Problem) {
		if _, err := p.Draw(1, 0); err == nil {
			t.Error("a horizon of 0 steps is drawn")
		}
		in := must(p.Draw(1, 3))
		if _, tracks := in.(Tracker); p.(interface{ Tracks() bool }).Tracks() != tracks {
			t.Errorf("Tracks says %t of instances of which it is %t", !tracks, tracks)
		}
		x, dst := make([]float64, p.Dim()), make([]float64, p.Dim())
		longer := make([]float64, p.Dim()+1)
		for i, call := range []func(){
			func() { in.Loss(-1, 1, x) },
			func() { in.Loss(messages.NodeID(p.Nodes()), 1, x) },
			func() { in.Loss(0, 0, x) },
			func() { in.Loss(0, 1, longer) },
			func() { in.Gradient(dst, 0, 4, x) },
			func() { in.Gradient(longer, 0, 1, x) },
			func() { in.SumGradient(dst, 0, x) },
			func() { in.SumGradient(dst, 1, longer) },
		} {
			if !panics(call) {
				t.Errorf("call %d does not panic", i)
			}
		}
		if tracker, ok := in.(Tracker); ok && !(panics(func() { tracker.Target(0) }) && panics(func() { tracker.Target(4) })) {
			t.Error("Target of a step out of range does not panic")
		}
		x[0] = math.NaN()
		in.SumGradient(dst, 1, x)
		if !math.IsNaN(dst[0]) {
			t.Errorf("gradient %v at NaN", dst)
		}
	})
}

func panics(call func()) (panicked bool) {
	defer func() { panicked = recover() != nil }()
	call()
	return false
}

func BenchmarkSumGradient(b *testing.B) {
	set := must(mirror.NewL2Ball(100, 1, nil))
	for _, p := range []Problem{
		localizationOf(SensorOptions{Circle: &CircleOptions{Radius: 4}}, 1000, printedSet()),
		must(NewLogistic(DefaultLogisticOptions(), 1000, set)),
		must(NewRobustRegression(DefaultRobustRegressionOptions(), 1000, set)),
	} {
		b.Run(fmt.Sprintf("%s/nodes=%d/dim=%d", p.Kind(), p.Nodes(), p.Dim()), func(b *testing.B) {
			in := must(p.Draw(1, 50))
			x, dst := make([]float64, p.Dim()), make([]float64, p.Dim())
			b.ReportAllocs()
			for k := 0; b.Loop(); k++ {
				in.SumGradient(dst, 1+k%50, x)
			}
		})
	}
}
