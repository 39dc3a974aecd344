package vector_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"starling/scenarios/problem"
	"starling/scenarios/problem/stream"
	"starling/scenarios/problem/vector"
)

// drawn is a model with data that it fits, and points within a radius.
type drawn struct {
	vector.Model
	data   vector.Data
	radius float64
}

func drawModel(t *rapid.T, kinds ...string) drawn {
	d := drawn{
		data: vector.Data{
			Features: rapid.IntRange(1, 4).Draw(t, "features"), FeatureNorm: rapid.Float64Range(0.1, 3).Draw(t, "norm"),
			LabelSize: rapid.Float64Range(0, 5).Draw(t, "label size"), Classes: rapid.IntRange(2, 4).Draw(t, "classes"),
		},
		radius: rapid.Float64Range(0.1, 4).Draw(t, "radius"),
	}
	o := vector.DefaultOptions()
	o.Kind = rapid.SampledFrom(kinds).Draw(t, "kind")
	o.L2 = rapid.SampledFrom([]float64{0, 0.3}).Draw(t, "l2")
	o.Delta = rapid.Float64Range(0.2, 2).Draw(t, "delta")
	o.Hidden = []int{3}
	var err error
	if d.Model, err = vector.New(o, d.data); err != nil {
		t.Fatal(err)
	}
	return d
}

// within is a vector whose 2-norm is at most a length.
func within(t *rapid.T, name string, dim int, length float64) []float64 {
	x := rapid.SliceOfN(rapid.Float64Range(-1, 1), dim, dim).Draw(t, name)
	if norm := floats.Norm(x, 2); norm > 1 {
		floats.Scale(1/norm, x)
	}
	floats.Scale(length, x)
	return x
}

func (d drawn) datum(t *rapid.T) []float64 {
	a := within(t, "a", d.data.Features, d.data.FeatureNorm)
	switch d.Predicts() {
	case vector.Value:
		return append(a, rapid.Float64Range(-d.data.LabelSize, d.data.LabelSize).Draw(t, "y"))
	case vector.Sign:
		return append(a, rapid.SampledFrom([]float64{-1, 1}).Draw(t, "y"))
	}
	return append(a, float64(rapid.IntRange(0, d.data.Classes-1).Draw(t, "y")))
}

// Gradients of models of <x, a> are multiples of the features, to the last bit, where Slope
// says so, which is where there is no ridge.
func TestSlopes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawModel(t, vector.KindLinear, vector.KindLogistic, vector.KindHinge, vector.KindHuber)
		x, datum := within(t, "x", d.Dim(), d.radius), d.datum(t)
		linear, is := d.Model.(problem.GeneralizedLinear)
		if !is {
			t.Fatal("the model has no slope")
		}
		slope, only := linear.Slope(x, datum), linear.SlopeOnly()
		if ridge := d.StrongConvexity() > 0; only == ridge {
			t.Fatalf("a multiple of the features: %v; with a ridge: %v", only, ridge)
		}
		gradient := make([]float64, d.Dim())
		d.Gradient(gradient, x, datum)
		for k, g := range gradient {
			if only && g != slope*datum[k] {
				t.Fatalf("entry %d of the gradient is %v, want %v", k, g, slope*datum[k])
			}
		}
	})
}

// Gradients of all kinds by differences of the loss, where those of both sides agree:
// hinge, huber and ReLU have kinks. Networks compute in float32, so that their
// differences are coarse.
func TestGradients(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawModel(t, vector.Kinds()...)
		x, datum := within(t, "x", d.Dim(), d.radius), d.datum(t)
		step, tolerance := 1e-5, 1e-3
		if d.Predicts() == vector.Class {
			step, tolerance = 1e-2, 0.1
		}
		gradient := make([]float64, d.Dim())
		d.Gradient(gradient, x, datum)
		for k, got := range gradient {
			slope := func(by float64) float64 {
				at := slices.Clone(x)
				at[k] += by
				return (d.Loss(at, datum) - d.Loss(x, datum)) / by
			}
			up, down := slope(step), slope(-step)
			if math.Abs(up-down) <= tolerance && math.Abs(got-(up+down)/2) > tolerance {
				t.Fatalf("entry %d of the gradient is %v, want %v and %v", k, got, up, down)
			}
		}
	})
}

// No gradient is longer than its bounds, and none changes faster than its smoothness.
func TestConstants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawModel(t, vector.Kinds()...)
		x, y, datum := within(t, "x", d.Dim(), d.radius), within(t, "y", d.Dim(), d.radius), d.datum(t)
		atX, atY := make([]float64, d.Dim()), make([]float64, d.Dim())
		d.Gradient(atX, x, datum)
		d.Gradient(atY, y, datum)
		const rounding = 1 + 1e-5
		length := floats.Norm(atX, 2)
		if bound := d.BoundWithin(d.radius); !(length <= bound*rounding) || !(bound <= d.GradientBound()) {
			t.Fatalf("a gradient of length %v, bounds %v and %v", length, bound, d.GradientBound())
		}
		if apart := floats.Distance(x, y, 2); floats.Distance(atX, atY, 2) > d.Smoothness()*apart*rounding+1e-5 {
			t.Fatalf("gradients %v and %v at %v and %v", atX, atY, x, y)
		}
		if !d.Convex() {
			return
		}
		above := d.Loss(x, datum) + floats.Dot(atX, y) - floats.Dot(atX, x) + d.StrongConvexity()/2*math.Pow(floats.Distance(x, y, 2), 2)
		if d.Loss(y, datum) < above-1e-5*(1+math.Abs(above)) {
			t.Fatalf("the loss %v at %v is below %v, which convexity gives", d.Loss(y, datum), y, above)
		}
	})
}

// Bounds are attained: a datum and a point are as long as they may be.
func TestBoundsAreAttained(t *testing.T) {
	for _, c := range []struct {
		kind        string
		l2          float64
		x, datum    []float64
		all, within float64
		smoothness  float64
	}{
		{"linear", 0, []float64{-3}, []float64{2, 5}, math.Inf(1), 22, 4},
		{"linear", 0.5, []float64{-3}, []float64{2, 5}, math.Inf(1), 23.5, 4.5},
		{"huber", 0, []float64{-3}, []float64{2, 5}, 1, 1, 4},
		{"huber", 0.5, []float64{-3}, []float64{2, 5}, math.Inf(1), 2.5, 4.5},
		{"hinge", 0.5, []float64{-3}, []float64{2, 1}, math.Inf(1), 3.5, math.Inf(1)},
		{"hinge", 0, []float64{-3}, []float64{2, 1}, 2, 2, math.Inf(1)},
		{"logistic", 0, []float64{-3}, []float64{2, 1}, 2, 2, 1},
	} {
		o := vector.DefaultOptions()
		o.Kind, o.L2, o.Delta = c.kind, c.l2, 0.5
		m, err := vector.New(o, vector.Data{Features: 1, FeatureNorm: 2, LabelSize: 5})
		if err != nil {
			t.Fatal(err)
		}
		gradient := []float64{0}
		m.Gradient(gradient, c.x, c.datum)
		if m.GradientBound() != c.all || m.BoundWithin(3) != c.within || m.Smoothness() != c.smoothness {
			t.Errorf("%s: bounds %v and %v, smoothness %v, want %v", c.kind, m.GradientBound(), m.BoundWithin(3), m.Smoothness(), c)
		}
		if length := math.Abs(gradient[0]); length > c.within || length < 0.99*c.within {
			t.Errorf("%s: a gradient of length %v, want %v", c.kind, length, c.within)
		}
	}
}

// A model that classifies finds loss and prediction together as one by one; of numbers
// there is nothing right or wrong.
func TestEvaluate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawModel(t, vector.Kinds()...)
		x, datum := within(t, "x", d.Dim(), d.radius), d.datum(t)
		e, ok := d.Model.(stream.Evaluator)
		if labels, classifies := d.Model.(stream.Classifier); ok != (d.Predicts() != vector.Value) || ok != classifies {
			t.Fatalf("%T evaluates: %v, classifies: %v", d.Model, ok, classifies)
		} else if ok {
			if loss, correct := e.Evaluate(x, datum); loss != d.Loss(x, datum) || correct != labels.Correct(x, datum) {
				t.Fatalf("evaluated to %v, %v", loss, correct)
			}
		}
	})
}

func TestOptions(t *testing.T) {
	data := vector.Data{Features: 2, FeatureNorm: 1, Classes: 3}
	for want, change := range map[string]func(*vector.Options){
		`kind "svm"`:                    func(o *vector.Options) { o.Kind = "svm" },
		`l2 is -1`:                      func(o *vector.Options) { o.L2 = -1 },
		`l2 is NaN`:                     func(o *vector.Options) { o.L2 = math.NaN() },
		`delta is 0`:                    func(o *vector.Options) { o.Kind, o.Delta = vector.KindHuber, 0 },
		`hidden`:                        func(o *vector.Options) { o.Kind, o.Hidden = vector.KindMLP, nil },
		`units`:                         func(o *vector.Options) { o.Kind, o.Hidden = vector.KindMLP, []int{0} },
		`classes is 1, want at least 2`: func(o *vector.Options) { o.Kind, o.Classes = vector.KindSoftmax, 1 },
		`classes is 2, but the data have 3 classes`: func(o *vector.Options) { o.Kind, o.Classes = vector.KindSoftmax, 2 },
	} {
		o := vector.DefaultOptions()
		change(&o)
		if _, err := vector.New(o, data); err == nil || !strings.Contains(strings.NewReplacer(": ", " ", "is \"", "\"").Replace(err.Error()), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := vector.New(vector.DefaultOptions(), vector.Data{}); err == nil {
		t.Error("a model without features")
	}
	zero := vector.Data{Features: 2, LabelSize: math.Inf(1)}
	for _, kind := range vector.Kinds() {
		o := vector.DefaultOptions()
		o.Kind = kind
		m, err := vector.New(o, zero)
		if err != nil || math.IsNaN(m.GradientBound()) && kind != vector.KindLogistic || math.IsNaN(m.Smoothness()) {
			t.Errorf("%s of features that are 0: %v, bounds %v and %v", kind, err, m.GradientBound(), m.Smoothness())
		}
	}
	o := vector.DefaultOptions()
	o.Kind, o.Hidden = vector.KindMLP, []int{4}
	m, err := vector.New(o, data)
	if err != nil {
		t.Fatal(err)
	}
	one, other := make([]float64, m.Dim()), make([]float64, m.Dim())
	m.Start(one, 1)
	m.Start(other, 2)
	if m.Dim() != 4*3+3*5 || floats.Norm(one, 2) == 0 || floats.Equal(one, other) {
		t.Errorf("%d parameters, start at %v and %v", m.Dim(), one, other)
	}
}
