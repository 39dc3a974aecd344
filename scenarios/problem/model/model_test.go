package model

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"starling/actors/algorithm/dpfl"
	"starling/actors/algorithm/ofl"
	"starling/mechanisms/rng"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/stream"
)

var (
	_ ofl.Model        = Online{}
	_ stream.Model     = Online{}
	_ stream.Evaluator = Online{}
	_ dpfl.Data        = (*Client)(nil)
	_ Samples          = Images{}
)

// TestParameters counts the parameters of the papers' networks by formula: a
// convolution of F filters on C channels has F (9 C + 1), a dense layer of U
// units on n inputs U (n + 1). Valid padding takes 28 to 26, 13, 11, 5 with a
// pool after each convolution and to 26, 24, 12 with one after both.
func TestParameters(t *testing.T) {
	models := papersNetworks(t)
	same, err := Convolutional(mnist, 10, ConvolutionalOptions{Pooling: PoolEach, Padding: PaddingSame, Filters: 32, Hidden: []int{64}})
	if err != nil {
		t.Fatal(err)
	}
	cifar := newModel(t, Logistic(dataset.Shape{Channels: 3, Rows: 32, Columns: 32}, 10))
	const convolutions = 32*(9+1) + 32*(9*32+1)
	for _, test := range []struct {
		name  string
		model *Model
		want  int
	}{
		{"logistic", models["logistic"], 10 * 785},
		{"logistic on CIFAR-10", cifar, 10 * 3073},
		{"perceptron", models["perceptron"], 128*785 + 10*129},
		{"version 2", models["convolutional"], convolutions + 64*(32*5*5+1) + 10*65},
		{"version 1", models["convolutional-per-round"], convolutions + 64*(32*5*5+1) + 32*65 + 10*33},
		{"pool last", models["convolutional-pool-last"], convolutions + 64*(32*12*12+1) + 10*65},
		{"same", newModel(t, same), convolutions + 64*(32*7*7+1) + 10*65},
	} {
		if got := test.model.Dim(); got != test.want {
			t.Errorf("%s: %d parameters, want %d", test.name, got, test.want)
		}
	}
}

func TestValidate(t *testing.T) {
	with := func(layers ...Layer) Options { return Options{Input: small(1), Classes: 3, Layers: layers} }
	for _, test := range []struct {
		options Options
		path    string
		want    string
	}{
		{Options{Input: dataset.Shape{Channels: 1, Rows: 0, Columns: 3}, Classes: 2}, "input.rows", "is 0, want 1 to"},
		{Options{Input: small(1), Classes: 1}, "classes", "is 1, want 2 to"},
		{with(Layer{Kind: "pool"}), "layers[0].kind", `is "pool", want one of convolution, dense, max-pool, relu`},
		{with(Dense(0)), "layers[0].units", "is 0, want 1 to"},
		{with(Layer{Kind: KindDense, Units: 3, Size: 2}), "layers[0].size", "is given, but a layer of kind dense has none"},
		{with(Layer{Kind: KindReLU, Padding: PaddingSame}), "layers[0].padding", "is given, but a layer of kind relu has none"},
		{with(Convolution(2, 3, "")), "layers[0].padding", `is "", want same or valid`},
		{with(Convolution(2, 4, PaddingSame)), "layers[0].size", "is 4, want an odd number with padding same"},
		{with(Convolution(2, 15, PaddingValid)), "layers[0].size", "is 15, larger than the 14x14 values below"},
		{with(MaxPool(2), MaxPool(8)), "layers[1].size", "is 8, larger than the 7x7 values below"},
		{with(ReLU()), "layers[0]", "is a relu where nothing can be negative"},
		{with(Dense(2), ReLU(), ReLU()), "layers[2]", "is a relu where nothing can be negative"},
		{with(Dense(2), MaxPool(1)), "layers[1]", "is a max-pool after a dense layer"},
		{with(Dense(1<<16), Dense(1<<16)), "layers[1]", "brings the network to"},
		{with(slices.Repeat([]Layer{Dense(1)}, 65)...), "layers", "has 65 entries, want at most 64"},
	} {
		_, err := New(test.options)
		if err == nil || !strings.Contains(err.Error(), test.path+": "+test.want) {
			t.Errorf("got %v, want %s: %s", err, test.path, test.want)
		}
	}
	if _, err := Convolutional(mnist, 10, ConvolutionalOptions{Pooling: "both", Padding: PaddingSame, Filters: 1}); err == nil {
		t.Error("an unknown pooling")
	}
}

// TestCallersOptions checks that a model keeps what it was made of, whatever
// becomes of the list that it was given or gave.
func TestCallersOptions(t *testing.T) {
	o := Perceptron(mnist, 10, 5)
	m := newModel(t, o)
	o.Layers[0].Units = 6
	m.Options().Layers[0].Units = 7
	if got := m.Options().Layers[0].Units; got != 5 {
		t.Errorf("%d units, want 5", got)
	}
}

// TestInit checks the moments of the weights, biases of 0, and that seeds
// matter. The estimate of a variance from n numbers has relative standard
// deviation below sqrt(2/n); six of them are exceeded with a chance of 1e-8.
func TestInit(t *testing.T) {
	m := papersNetworks(t)["convolutional"]
	params := initial(m)
	for _, layer := range []struct {
		name                 string
		start, weights, bias int
		variance             float64
	}{
		{"first convolution", 0, 288, 32, 2.0 / 9},
		{"second convolution", 320, 9216, 32, 2.0 / 288},
		{"dense", 9568, 51200, 64, 2.0 / 800},
		{"output", 60832, 640, 10, 2.0 / 74}, // uniform on +-l: l^2/3
	} {
		weights, square := params[layer.start:layer.start+layer.weights], 0.0
		for _, v := range weights {
			square += v * v
		}
		n := float64(layer.weights)
		if got := square / n; math.Abs(got/layer.variance-1) > 6*math.Sqrt(2/n) {
			t.Errorf("%s: variance %v, want %v", layer.name, got, layer.variance)
		}
		if biases := params[layer.start+layer.weights:][:layer.bias]; norm(biases) != 0 {
			t.Errorf("%s: biases %v", layer.name, biases)
		}
	}
	limit := math.Sqrt(6.0 / 74)
	if most := slices.Max(params[60832:61472]); most > limit || most < 0.95*limit {
		t.Errorf("largest weight of the output %v, want almost %v", most, limit)
	}
	again, other := initial(m), make([]float64, m.Dim())
	m.Init(other, rng.NewKey(2, PurposeInit))
	if !slices.Equal(params, again) || slices.Equal(params, other) {
		t.Error("the start is not a function of the key")
	}
	for _, v := range params {
		if float64(float32(v)) != v {
			t.Fatalf("%v is not a float32", v)
		}
	}
}

// TestFirstMaximumCounts checks ties of both ways to take maxima.
func TestFirstMaximumCounts(t *testing.T) {
	negativeZero := float32(math.Copysign(0, -1))
	for _, size := range []int{2, 3} {
		for _, relu := range []bool{false, true} {
			in := dataset.Shape{Channels: 2, Rows: 20*size + 1, Columns: 9*size + 1}
			o := Options{Input: in, Classes: 2, Layers: []Layer{MaxPool(size)}}
			if relu {
				o.Layers = append(o.Layers, ReLU())
			}
			m := newModel(t, o)
			w, r := m.NewWorkspace(), newReference(o)
			random := rand.New(rand.NewPCG(1, uint64(size)))
			x, wide := make([]float32, in.Dim()), make([]float64, in.Dim())
			for k := range x {
				x[k] = []float32{-1, negativeZero, 0, 0.5, 1, 1}[random.IntN(6)]
				wide[k] = float64(x[k])
			}
			y := w.slot(0, 0)
			m.stages[0].forward(w, place{}, x, y)
			for k, got := range w.sources(place{}) {
				want := r.maximum(0, wide, k)
				if v := max(wide[want], 0); relu && (float64(y[k]) != v || v > 0 && int(got) != want) {
					t.Errorf("size %d: maximum %d is %v at %d, want %v at %d", size, k, y[k], got, v, want)
				}
				if !relu && (float64(y[k]) != wide[want] || int(got) != want) {
					t.Errorf("size %d: maximum %d is %v at %d, want %v at %d", size, k, y[k], got, wide[want], want)
				}
			}
		}
	}
}

// TestSaturation checks the loss and its gradient where a softmax in float32
// would overflow, vanish or cancel.
func TestSaturation(t *testing.T) {
	tiny := math.Exp(-30)
	for _, test := range []struct {
		z     []float32
		label int
		loss  float64
		delta []float64
	}{
		{[]float32{1e4, 0}, 0, 0, []float64{0, 0}},
		{[]float32{1e4, 0}, 1, 1e4, []float64{1, -1}},
		{[]float32{-1e30, 1e30}, 0, 2 * float64(float32(1e30)), []float64{-1, 1}},
		{[]float32{30, 0}, 0, tiny, []float64{-tiny, tiny}},
		{[]float32{30, 0}, 1, 30, []float64{1, -1}},
		{[]float32{5, 5, 5, 5}, 2, math.Log(4), []float64{0.25, 0.25, -0.75, 0.25}},
	} {
		delta := make([]float32, len(test.z))
		if got := crossEntropy(delta, test.z, test.label); math.Abs(got-test.loss) > 1e-12*test.loss {
			t.Errorf("%v: loss %v, want %v", test.z, got, test.loss)
		}
		for k, want := range test.delta {
			if got := float64(delta[k]); math.Abs(got-want) > 1e-6*math.Abs(want) {
				t.Errorf("%v: derivative %d is %v, want %v", test.z, k, got, want)
			}
		}
	}
}

// TestDeterminism checks that neither the number of cores, nor where slices lie
// in memory, nor what a workspace was used for, changes a bit.
func TestDeterminism(t *testing.T) {
	for name, o := range networks {
		m := newModel(t, o)
		data, params := newNormalSamples(m, 40, 1), randomParameters(m, 1)
		batch := []int{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8}
		used := m.NewWorkspace()
		var first []float64
		for _, offset := range []int{0, 1, 2, 3} {
			shifted := append(make([]float64, offset), params...)[offset:]
			dst := make([]float64, offset+m.Dim())[offset:]
			if offset == 1 {
				used = m.NewWorkspace()
			}
			if _, err := m.SumClipped(dst, shifted, data, batch, 1, used); err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = dst
			}
			if !slices.Equal(first, dst) {
				t.Errorf("%s: the sum depends on where slices lie or on the workspace", name)
			}
		}
	}
	m := papersNetworks(t)["convolutional"]
	data, params := newNormalSamples(m, 3*evaluationPart+5, 2), initial(m)
	var first Evaluation
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, cores := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(cores)
		e, err := m.Evaluate(params, data)
		if err != nil {
			t.Fatal(err)
		}
		if cores == 1 {
			first = e
		}
		if e != first {
			t.Errorf("%d cores: %+v, want %+v", cores, e, first)
		}
	}
}

func TestEvaluate(t *testing.T) {
	m := newModel(t, networks["paper"])
	data, params, w := newNormalSamples(m, evaluationPart+3, 1), randomParameters(m, 1), m.NewWorkspace()
	features, want := make([]float32, m.Inputs()), Evaluation{Samples: data.Len()}
	for i := range data.Len() {
		label := data.Sample(i, features)
		loss, predicted := m.Loss(params, features, label, w)
		want.Loss += loss / float64(data.Len())
		if predicted == label {
			want.Correct++
		}
	}
	got, err := m.Evaluate(params, data)
	if err != nil || got.Correct != want.Correct || got.Samples != want.Samples || math.Abs(got.Loss-want.Loss) > tolerance*want.Loss {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	if got.Accuracy() != float64(want.Correct)/float64(data.Len()) {
		t.Errorf("accuracy %v", got.Accuracy())
	}
	data.labels[evaluationPart+1] = -1
	if _, err := m.Evaluate(params, data); err == nil || !strings.Contains(err.Error(), "has label -1") {
		t.Errorf("got %v", err)
	}
	for _, wrong := range []Samples{Subset{Samples: data}, newNormalSamples(newModel(t, networks["same"]), 1, 1)} {
		if _, err := m.Evaluate(params, wrong); err == nil {
			t.Errorf("evaluated %T of %d samples", wrong, wrong.Len())
		}
	}
}

// TestLearning checks that steps on clipped sums learn generated images, which
// are linearly separable.
func TestLearning(t *testing.T) {
	set := syntheticImages(t, 600, 300)
	few := ConvolutionalOptions{Pooling: PoolEach, Padding: PaddingValid, Filters: 8, Hidden: []int{32}}
	convolutional, err := Convolutional(mnist, 10, few)
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]Options{
		"logistic": Logistic(mnist, 10), "perceptron": Perceptron(mnist, 10, 32), "convolutional": convolutional,
	} {
		m := newModel(t, o)
		params, sum, w := initial(m), make([]float64, m.Dim()), m.NewWorkspace()
		const batchSize, steps, rate, clip = 50, 150, 0.5, 1
		random := rand.New(rand.NewPCG(1, 1))
		for range steps {
			if _, err := m.SumClipped(sum, params, Images{set.Train}, random.Perm(600)[:batchSize], clip, w); err != nil {
				t.Fatal(err)
			}
			for k, v := range sum {
				params[k] -= rate * v / batchSize
			}
		}
		e, err := m.Evaluate(params, Images{set.Test})
		if err != nil || e.Accuracy() <= 0.95 {
			t.Errorf("%s: accuracy %v, loss %v, %v", name, e.Accuracy(), e.Loss, err)
		}
	}
}

func TestOnline(t *testing.T) {
	m := newModel(t, networks["paper"])
	o, data, params, w := m.Online(), newNormalSamples(m, 12, 1), randomParameters(m, 1), m.NewWorkspace()
	var goroutines sync.WaitGroup
	for i := range data.Len() {
		features, want := make([]float32, m.Inputs()), make([]float64, m.Dim())
		label := data.Sample(i, features)
		m.Gradient(want, params, features, label, w)
		loss, predicted := m.Loss(params, features, label, w)
		goroutines.Go(func() {
			got, datum := make([]float64, o.Dim()), append(data.wide(i), float64(label))
			if len(datum) != o.Width() {
				t.Errorf("width %d, want %d", o.Width(), len(datum))
			}
			for range 3 {
				if o.Gradient(got, params, datum); !slices.Equal(got, want) {
					t.Errorf("datum %d has another gradient", i)
				}
				if o.Loss(params, datum) != loss || o.Correct(params, datum) != (predicted == label) {
					t.Errorf("datum %d has another loss or prediction", i)
				}
			}
		})
	}
	goroutines.Wait()
	for _, label := range []float64{-1, 10, 0.5, math.NaN()} {
		mustPanic(t, func() { o.Loss(params, append(data.wide(0), label)) })
	}
	mustPanic(t, func() { o.Loss(params, data.wide(0)) })
	mustPanic(t, func() { o.Loss(params[1:], append(data.wide(0), 0)) })
	mustPanic(t, func() {
		m.Gradient(params, params, make([]float32, m.Inputs()), 0, newModel(t, networks["paper"]).NewWorkspace())
	})
}

func mustPanic(t *testing.T, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Error("did not panic")
		}
	}()
	f()
}

func TestFederated(t *testing.T) {
	m := newModel(t, networks["paper"])
	data, params := newNormalSamples(m, 50, 1), randomParameters(m, 1)
	parts := [][]int{{4, 2, 49}, nil, {0}}
	for k := 5; k < 45; k++ {
		parts[1] = append(parts[1], k)
	}
	f, err := NewFederated(m, data, parts)
	if err != nil {
		t.Fatal(err)
	}
	if f.Clients() != 3 || f.Dim() != m.Dim() || f.Client(1).Size() != 40 {
		t.Errorf("%d clients of %d parameters, %d samples", f.Clients(), f.Dim(), f.Client(1).Size())
	}
	got, want := make([]float64, m.Dim()), make([]float64, m.Dim())
	clipped := f.Client(1).SumClipped(got, params, []int{0, 3, 39}, 1)
	c, err := m.SumClipped(want, params, data, []int{5, 8, 44}, 1, m.NewWorkspace())
	if err != nil || clipped != c.Clipped || !slices.Equal(got, want) {
		t.Errorf("another sum, %d clipped, want %d, %v", clipped, c.Clipped, err)
	}
	loss, err := f.Client(0).MeanGradient(got, params)
	if err != nil {
		t.Fatal(err)
	}
	if e, err := m.Evaluate(params, Subset{data, parts[0]}); err != nil || math.Abs(e.Loss-loss) > 1e-12*loss {
		t.Errorf("loss %v, want %v, %v", loss, e.Loss, err)
	}
	all, err := f.Evaluate(params)
	e, err2 := m.Evaluate(params, Subset{data, slices.Concat(parts...)})
	if err != nil || err2 != nil || all.Samples != 44 || all.Correct != e.Correct || math.Abs(all.Loss-e.Loss) > 1e-12*e.Loss {
		t.Errorf("%+v, %v, want %+v, %v", all, err, e, err2)
	}
	mustPanic(t, func() { f.Client(0).SumClipped(got, params, []int{3}, 1) })
	mustPanic(t, func() { f.Client(0).SumClipped(got, params, []int{0}, 0) })
	for _, bad := range [][][]int{nil, {{0}, {}}, {{50}}, {{-1}}} {
		if _, err := NewFederated(m, data, bad); err == nil {
			t.Errorf("accepted %v", bad)
		}
	}
}

func TestSumLossChanges(t *testing.T) {
	m := newModel(t, networks["paper"])
	data, from, to, w := newNormalSamples(m, 40, 1), randomParameters(m, 1), randomParameters(m, 2), m.NewWorkspace()
	parts, samples := [][]int{nil}, []int(nil)
	for k := range 40 {
		parts[0] = append(parts[0], 39-k)
		if k%2 == 0 {
			samples = append(samples, k)
		}
	}
	f, err := NewFederated(m, data, parts)
	if err != nil {
		t.Fatal(err)
	}
	for _, bound := range []float64{math.Inf(1), 0.1} {
		features, want, held := make([]float32, m.Inputs()), 0.0, 0
		for _, k := range samples {
			label := data.Sample(39-k, features)
			before, _ := m.Loss(from, features, label, w)
			after, _ := m.Loss(to, features, label, w)
			if math.Abs(after-before) > bound {
				held++
			}
			want += math.Max(-bound, math.Min(bound, after-before))
		}
		if got := f.Client(0).SumLossChanges(from, to, samples, bound); math.Abs(got-want) > tolerance {
			t.Errorf("bound %v: %v, want %v", bound, got, want)
		}
		if (held > 0) != (bound == 0.1) {
			t.Errorf("bound %v holds %d changes", bound, held)
		}
		checkSumChanges(t, f.Client(0), from, to, samples, bound)
	}
	checkSumChanges(t, f.Client(0), from, to, nil, 1)
	to[0] = math.NaN()
	mustPanic(t, func() { f.Client(0).SumLossChanges(from, to, samples, 1) })
	sum, other := make([]float64, m.Dim()), make([]float64, m.Dim())
	mustPanic(t, func() { f.Client(0).SumChanges(sum, other, from, to, samples, 1, 1) })
	mustPanic(t, func() { f.Client(0).SumChanges(sum, other, to, from, samples, 1, 1) })
	mustPanic(t, func() { f.Client(0).SumChanges(sum, other, from, from, samples, 0, 1) })
	mustPanic(t, func() { f.Client(0).SumChanges(sum, other, from, from, []int{40}, 1, 1) })
}

// checkSumChanges compares one pass with the three calls that it stands for, to
// the last bit, with gradients clipped and not.
func checkSumChanges(t *testing.T, c *Client, from, to []float64, samples []int, bound float64) {
	t.Helper()
	d := len(from)
	for _, clip := range []float64{math.Inf(1), 0.5} {
		want := [2][]float64{make([]float64, d), make([]float64, d)}
		clipped := c.SumClipped(want[0], from, samples, clip) + c.SumClipped(want[1], to, samples, clip)
		if (clipped > 0) != (clip == 0.5 && len(samples) > 0) {
			t.Errorf("a clip of %v clips %d gradients", clip, clipped)
		}
		change := c.SumLossChanges(from, to, samples, bound)
		got := [2][]float64{randomParameters(c.model, 3), randomParameters(c.model, 4)}
		if v := c.SumChanges(got[0], got[1], from, to, samples, clip, bound); v != change {
			t.Errorf("bound %v, clip %v: losses change by %v, want %v", bound, clip, v, change)
		}
		for k := range got {
			if !slices.Equal(got[k], want[k]) {
				t.Errorf("bound %v, clip %v: another sum of gradients at model %d", bound, clip, k)
			}
		}
	}
}
