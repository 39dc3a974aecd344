package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// tolerance is the relative error that is allowed to float32: its unit is
// 6e-8, and the longest sums, of a few hundred terms of either sign, lose two
// digits of it at most.
const tolerance = 1e-5

// TestReference checks the reference by central differences in float64 along
// random directions. With h = 1e-5 rounding leaves 1e-16/1e-5 = 1e-11 and
// truncation h^2 = 1e-10 times a third derivative. A ReLU or a maximum that
// changes within h of the point would show as an error of about its slope
// times the share of the step, so some directions may miss; most may not.
func TestReference(t *testing.T) {
	const h, directions = 1e-5, 5
	for name, o := range networks {
		m, r := newModel(t, o), newReference(o)
		params, data := randomParameters(m, 1), newNormalSamples(m, 1, 1)
		features, label := data.wide(0), data.labels[0]
		gradient := r.gradient(params, features, label)
		random := rand.New(rand.NewPCG(1, 3))
		missed := 0
		for range directions {
			up, down, slope := slices.Clone(params), slices.Clone(params), 0.0
			for k := range params {
				d := random.NormFloat64() / math.Sqrt(float64(len(params)))
				up[k], down[k] = params[k]+h*d, params[k]-h*d
				slope += gradient[k] * d
			}
			got := (r.loss(up, features, label) - r.loss(down, features, label)) / (2 * h)
			if math.Abs(got-slope) > 1e-6*norm(gradient)/math.Sqrt(float64(len(params))) {
				missed++
			}
		}
		if missed > 1 {
			t.Errorf("%s: %d of %d directions miss their difference quotient", name, missed, directions)
		}
	}
}

// TestDifferences checks Gradient against central differences of Loss, both in
// float32, along the gradient, to the 1e-4 asked for. A step of h leaves the
// rounding of the loss, some 1e-7 times the logits' size, over h, and h^2 times
// a sixth of a third derivative. Of logistic regression the latter is below
// 30 here, so that h = 3e-3 leaves less than 1e-4 of both; three linear layers
// have a product of three parameters in each logit and slopes of 20, for which
// h = 1e-3 does. Models without a kink only: others change slope within the
// step.
func TestDifferences(t *testing.T) {
	for name, test := range map[string]struct {
		options Options
		h       float64
	}{
		"logistic": {networks["logistic"], 3e-3},
		"linear":   {networks["linear-filters"], 1e-3},
	} {
		m, h := newModel(t, test.options), test.h
		w, params, data := m.NewWorkspace(), initial(m), newNormalSamples(m, 3, 2)
		features, gradient := make([]float32, m.Inputs()), make([]float64, m.Dim())
		for i := range data.Len() {
			label := data.Sample(i, features)
			m.Gradient(gradient, params, features, label, w)
			length := norm(gradient)
			at := func(step float64) float64 {
				moved := slices.Clone(params)
				for k := range moved {
					moved[k] += step * gradient[k] / length
				}
				loss, _ := m.Loss(moved, features, label, w)
				return loss
			}
			if got := (at(h) - at(-h)) / (2 * h); math.Abs(got-length) > 1e-4*max(1, length) {
				t.Errorf("%s: slope %v, gradient %v", name, got, length)
			}
		}
	}
}

func TestGradientIsThatOfTheReference(t *testing.T) {
	for name, o := range networks {
		t.Run(name, func(t *testing.T) {
			m, r := newModel(t, o), newReference(o)
			if m.Dim() != r.dim {
				t.Fatalf("%d parameters, want %d", m.Dim(), r.dim)
			}
			w, features, got := m.NewWorkspace(), make([]float32, m.Inputs()), make([]float64, m.Dim())
			data := newNormalSamples(m, 4, 3)
			for i := range data.Len() {
				params := randomParameters(m, uint64(i))
				label := data.Sample(i, features)
				loss := m.Gradient(got, params, features, label, w)
				want := r.gradient(params, data.wide(i), label)
				if err := distance(got, want) / norm(want); !(err < tolerance) {
					t.Errorf("sample %d: relative error %.2g of the gradient", i, err)
				}
				if want := r.loss(params, data.wide(i), label); math.Abs(loss-want) > tolerance*max(1, want) {
					t.Errorf("sample %d: loss %v, want %v", i, loss, want)
				}
				logits := r.forward(params, data.wide(i))
				last := logits[len(logits)-1]
				if got := m.Predict(params, features, w); last[got] < slices.Max(last)-tolerance {
					t.Errorf("sample %d: predicted %d of logits %v", i, got, last)
				}
			}
		})
	}
}

// TestSumClipped checks sums, norms, losses and counts against one gradient
// after the other, for batches around the size of a block, with repetitions.
func TestSumClipped(t *testing.T) {
	for name, o := range networks {
		t.Run(name, func(t *testing.T) {
			m := newModel(t, o)
			w, params, data := m.NewWorkspace(), randomParameters(m, 4), newNormalSamples(m, 20, 4)
			norms := oneByOne(m, params, data, nil, math.Inf(1), nil)
			median := slices.Sorted(slices.Values(norms))[len(norms)/2] * 1.0001
			for _, size := range []int{1, blockSize - 1, blockSize, blockSize + 1, 3*blockSize + 2} {
				batch := make([]int, size)
				for i := range batch {
					batch[i] = i * 7 % data.Len()
				}
				for _, clip := range []float64{math.Inf(1), median, 1e-3} {
					want, got := make([]float64, m.Dim()), make([]float64, m.Dim())
					norms := oneByOne(m, params, data, batch, clip, want)
					c, err := m.SumClipped(got, params, data, batch, clip, w)
					if err != nil {
						t.Fatal(err)
					}
					checkClipping(t, c, norms, clip)
					if err := distance(got, want) / norm(want); !(err < tolerance) {
						t.Errorf("%d samples, C = %v: relative error %.2g", size, clip, err)
					}
				}
			}
		})
	}
}

// oneByOne adds clipped gradients to sum, unless it is nil, and returns their
// norms before; a batch of nil is all of the data.
func oneByOne(m *Model, params []float64, data Samples, batch []int, clip float64, sum []float64) (norms []float64) {
	w, features, g := m.NewWorkspace(), make([]float32, m.Inputs()), make([]float64, m.Dim())
	if batch == nil {
		for i := range data.Len() {
			batch = append(batch, i)
		}
	}
	for _, i := range batch {
		label := data.Sample(i, features)
		m.Gradient(g, params, features, label, w)
		length := norm(g)
		norms = append(norms, length)
		for k := range sum {
			sum[k] += g[k] * min(1, clip/length)
		}
	}
	return norms
}

func checkClipping(t *testing.T, c Clipping, norms []float64, clip float64) {
	t.Helper()
	clipped := 0
	for i, want := range norms {
		if math.Abs(c.Norms[i]-want) > tolerance*want {
			t.Errorf("norm %d is %v, want %v", i, c.Norms[i], want)
		}
		if want > clip {
			clipped++
		}
	}
	if len(c.Norms) != len(norms) || c.Clipped != clipped {
		t.Errorf("%d norms and %d clipped, want %d and %d", len(c.Norms), c.Clipped, len(norms), clipped)
	}
}

// TestClippedNorm checks that a clipped gradient alone has norm C, to what the
// documentation says.
func TestClippedNorm(t *testing.T) {
	for name, o := range networks {
		m := newModel(t, o)
		w, params, data, dst := m.NewWorkspace(), randomParameters(m, 5), newNormalSamples(m, 8, 5), make([]float64, m.Dim())
		for i := range data.Len() {
			const clip = 1e-2
			if _, err := m.SumClipped(dst, params, data, []int{i}, clip, w); err != nil {
				t.Fatal(err)
			}
			if got := norm(dst); math.Abs(got-clip) > 1e-6*clip {
				t.Errorf("%s: clipped gradient of norm %v, want %v", name, got, clip)
			}
		}
	}
}

func TestMeanGradient(t *testing.T) {
	m := newModel(t, networks["paper"])
	params, data := randomParameters(m, 6), newNormalSamples(m, 37, 6)
	want, got := make([]float64, m.Dim()), make([]float64, m.Dim())
	oneByOne(m, params, data, nil, math.Inf(1), want)
	for k := range want {
		want[k] /= 37
	}
	loss, err := m.MeanGradient(got, params, data, m.NewWorkspace())
	if err != nil {
		t.Fatal(err)
	}
	if err := distance(got, want) / norm(want); !(err < tolerance) {
		t.Errorf("relative error %.2g", err)
	}
	e, err := m.Evaluate(params, data)
	if err != nil || math.Abs(e.Loss-loss) > 1e-12*loss {
		t.Errorf("loss %v, %v; evaluated %v", loss, err, e.Loss)
	}
	if _, err := m.MeanGradient(got, params, Subset{Samples: data}, m.NewWorkspace()); err == nil {
		t.Error("the mean of no samples")
	}
}

func TestEmptyBatchSumsToZero(t *testing.T) {
	m := newModel(t, networks["logistic"])
	dst := []float64{}
	for range m.Dim() {
		dst = append(dst, 7)
	}
	c, err := m.SumClipped(dst, initial(m), newNormalSamples(m, 2, 1), []int{}, 1, m.NewWorkspace())
	if err != nil || norm(dst) != 0 || c.Clipped != 0 || c.Loss != 0 || len(c.Norms) != 0 {
		t.Errorf("%v, %v, %v", dst, c, err)
	}
}

func TestSumClippedRefuses(t *testing.T) {
	m := newModel(t, networks["paper"])
	other := newModel(t, networks["same"])
	data := newNormalSamples(m, 3, 1)
	wrong := newNormalSamples(m, 3, 1)
	wrong.labels[1] = 10
	broken := initial(m)
	broken[m.Dim()-1] = 1e39
	huge := initial(m)
	for k := range huge {
		huge[k] *= 1e30
	}
	infinite := newNormalSamples(m, 3, 1)
	infinite.features[5] = float32(math.Inf(1))
	for _, test := range []struct {
		params []float64
		data   Samples
		batch  []int
		clip   float64
		want   string
	}{
		{initial(m), data, []int{0}, 0, "clipping norm C = 0"},
		{initial(m), data, []int{0}, math.NaN(), "clipping norm C = NaN"},
		{initial(m), newNormalSamples(other, 3, 1), []int{0}, 1, "samples of 588 features, the model takes 196"},
		{initial(m), data, []int{0, 3}, 1, "sample 3, want 0 to 2"},
		{initial(m), data, []int{-1}, 1, "sample -1, want 0 to 2"},
		{initial(m), wrong, []int{0, 1}, 1, "sample 1 has label 10, the model has classes 0 to 9"},
		{broken, data, []int{0}, 1, "a parameter is not finite in float32"},
		{huge, data, []int{0}, 1, "sample 1 of the batch has loss"},
		{initial(m), infinite, []int{1, 0}, 1, "sample 2 of the batch has loss"},
	} {
		_, err := m.SumClipped(make([]float64, m.Dim()), test.params, test.data, test.batch, test.clip, m.NewWorkspace())
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %q", err, test.want)
		}
	}
}

// TestNotFinite checks that parameters that float32 does not hold are not
// hidden by a ReLU.
func TestNotFinite(t *testing.T) {
	m := newModel(t, networks["paper"])
	data, features := newNormalSamples(m, 1, 1), make([]float32, m.Inputs())
	label := data.Sample(0, features)
	for _, v := range []float64{math.NaN(), math.Inf(-1), -1e39} {
		params, dst := initial(m), make([]float64, m.Dim())
		params[0] = v
		if loss := m.Gradient(dst, params, features, label, m.NewWorkspace()); !math.IsNaN(loss) || !math.IsNaN(norm(dst)) {
			t.Errorf("%v: loss %v, gradient of norm %v", v, loss, norm(dst))
		}
		if got := m.Predict(params, features, m.NewWorkspace()); got != -1 {
			t.Errorf("%v: predicted %d", v, got)
		}
		if e, err := m.Evaluate(params, data); err != nil || !math.IsNaN(e.Loss) || e.Correct != 0 {
			t.Errorf("%v: %+v, %v", v, e, err)
		}
	}
}

func TestNoAllocations(t *testing.T) {
	for name, o := range networks {
		m := newModel(t, o)
		w, params, data, dst := m.NewWorkspace(), initial(m), newNormalSamples(m, 20, 1), make([]float64, m.Dim())
		features := make([]float32, m.Inputs())
		batch := make([]int, 40)
		if n := testing.AllocsPerRun(5, func() {
			m.Gradient(dst, params, features, 1, w)
			if _, err := m.SumClipped(dst, params, data, batch, 1, w); err != nil {
				t.Error(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
