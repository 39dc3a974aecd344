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
	kind   string
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
	o := options{Hidden: []int{3}}
	o.Kind = rapid.SampledFrom(kinds).Draw(t, "kind")
	d.kind = o.Kind
	o.L2 = rapid.SampledFrom([]float64{0, 0.3}).Draw(t, "l2")
	o.Delta = rapid.Float64Range(0.2, 2).Draw(t, "delta")
	var err error
	if d.Model, err = o.section().Model(d.data); err != nil {
		t.Fatal(err)
	}
	return d
}

// options are keys of all kinds of models. cosh is a kind of one's own.
type options struct {
	Kind      string
	L2, Delta float64
	Hidden    []int
	Classes   int
}

// kinds are the names of the kinds.
var kinds = []string{"linear", "logistic", "hinge", "huber", "softmax", "mlp", "cosh"}

func (o options) section() vector.Section {
	ridge, classes := vector.Ridge{L2: o.L2}, vector.Classes{Classes: o.Classes}
	switch o.Kind {
	case "linear":
		return &vector.Linear{Ridge: ridge}
	case "logistic":
		return &vector.Logistic{Ridge: ridge}
	case "hinge":
		return &vector.Hinge{Ridge: ridge}
	case "huber":
		return &vector.Huber{Ridge: ridge, Delta: o.Delta}
	case "softmax":
		return &vector.Softmax{Ridge: ridge, Classes: classes}
	case "mlp":
		return &vector.MLP{Ridge: ridge, Classes: classes, Hidden: o.Hidden}
	case "cosh":
		return &coshSection{ridge}
	}
	panic(o.Kind)
}

// coshSection is the section of models with the loss cosh(z - y) - 1, whose slope and second
// derivative have no bound on the line.
type coshSection struct{ vector.Ridge }

func (*coshSection) Label() vector.Label { return vector.Value }

func (o *coshSection) Model(data vector.Data) (vector.Model, error) {
	return vector.NewMargin(coshLoss{}, vector.Value, o.Ridge, data)
}

type coshLoss struct{}

func (coshLoss) Loss(z, y float64) float64     { return math.Cosh(z-y) - 1 }
func (coshLoss) Slope(z, y float64) float64    { return math.Sinh(z - y) }
func (coshLoss) Steepest(z, y float64) float64 { return math.Sinh(z + y) }
func (coshLoss) Bend(z, y float64) float64     { return math.Cosh(z + y) }

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
		d := drawModel(t, "linear", "logistic", "hinge", "huber", "cosh")
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
		d := drawModel(t, kinds...)
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
		d := drawModel(t, kinds...)
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
		m, err := options{Kind: c.kind, L2: c.l2, Delta: 0.5}.section().Model(vector.Data{Features: 1, FeatureNorm: 2, LabelSize: 5})
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
		d := drawModel(t, kinds...)
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

// Predictions agree with the loss and with the labels that are right: a model of probabilities has
// the loss -log p, and one of squares half of the squared error.
func TestPredictions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawModel(t, kinds...)
		form := problem.FormOf(d.Model)
		if d.kind == "cosh" {
			if form.Any() {
				t.Fatal("a curve that says nothing predicts")
			}
			return
		}
		x, datum := within(t, "x", d.Dim(), d.radius), d.datum(t)
		scores := make([]float64, form.Width())
		predicted, label := d.Model.(problem.Predictor).Predict(scores, x, datum)
		o := options{Kind: d.kind, Hidden: []int{3}, Delta: math.Inf(1)}
		if d.kind == "huber" {
			o.Kind = "linear"
		}
		plain, err := o.section().Model(d.data)
		if err != nil {
			t.Fatal(err)
		}
		want := plain.Loss(x, datum) // without a ridge
		switch {
		case form.Mean:
			if label != datum[len(datum)-1] || math.Abs((predicted-label)*(predicted-label)/2-want) > 1e-9 {
				t.Fatalf("prediction %v of %v, loss %v", predicted, label, want)
			}
		case (predicted == label) != d.Model.(stream.Classifier).Correct(x, datum):
			t.Fatalf("prediction %v of %v", predicted, label)
		case form.Probable && (math.Abs(floats.Sum(scores)-1) > 1e-12 || math.Abs(-math.Log(scores[int(label)])-want) > 1e-6):
			t.Fatalf("probabilities %v of label %v, loss %v", scores, label, want)
		case !form.Probable && (d.kind != "hinge" || math.Abs(max(0, 1-scores[int(label)])-want) > 1e-9):
			t.Fatalf("scores %v of label %v of a model %s, loss %v", scores, label, d.kind, want)
		}
	})
}

func TestSections(t *testing.T) {
	data := vector.Data{Features: 2, FeatureNorm: 1, Classes: 3}
	for want, section := range map[string]vector.Section{
		`l2: is -1`:                      &vector.Linear{Ridge: vector.Ridge{L2: -1}},
		`l2: is -2`:                      &vector.Logistic{Ridge: vector.Ridge{L2: -2}},
		`l2: is -3`:                      &vector.Hinge{Ridge: vector.Ridge{L2: -3}},
		`l2: is -4`:                      &vector.Softmax{Ridge: vector.Ridge{L2: -4}},
		`l2: is NaN`:                     &vector.Huber{Ridge: vector.Ridge{L2: math.NaN()}, Delta: 1},
		`l2: is +Inf`:                    &coshSection{vector.Ridge{L2: math.Inf(1)}},
		`delta: is 0`:                    &vector.Huber{},
		`hidden: is empty`:               &vector.MLP{},
		`units`:                          &vector.MLP{Hidden: []int{0}},
		`classes: is 1, want at least 2`: &vector.Softmax{Classes: vector.Classes{Classes: 1}},
		`classes: is 2, but the data have 3 classes`: &vector.Softmax{Classes: vector.Classes{Classes: 2}},
	} {
		if _, err := section.Model(data); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	zero := vector.Data{Features: 2, LabelSize: math.Inf(1)}
	for _, kind := range kinds {
		section := options{Kind: kind, Delta: 1, Hidden: []int{64}}.section()
		if _, err := section.Model(vector.Data{}); err == nil {
			t.Errorf("%s without features", kind)
		}
		m, err := section.Model(zero)
		if err != nil || math.IsNaN(m.GradientBound()) && kind != "logistic" || math.IsNaN(m.Smoothness()) {
			t.Errorf("%s of features that are 0: %v, bounds %v and %v", kind, err, m.GradientBound(), m.Smoothness())
		}
	}
	m, err := (&vector.MLP{Hidden: []int{4}}).Model(data)
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
