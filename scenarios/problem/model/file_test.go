package model

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/mechanisms/rng"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/model/safetensors"
)

// filed are networks with layers of all kinds.
func filed(t testing.TB) map[string]*Model {
	t.Helper()
	convolutional, err := Convolutional(dataset.Shape{Channels: 3, Rows: 12, Columns: 11}, 4, ConvolutionalOptions{Pooling: PoolEach, Padding: PaddingValid, Filters: 5, Hidden: []int{6, 7}})
	if err != nil {
		t.Fatal(err)
	}
	grey := dataset.Shape{Channels: 1, Rows: 4, Columns: 5}
	models := map[string]*Model{}
	for name, options := range map[string]Options{
		"softmax": Logistic(grey, 3), "mlp": Perceptron(grey, 3, 2), "cnn": convolutional,
		"pooled": {Input: grey, Classes: 2, Layers: []Layer{MaxPool(2), Convolution(2, 1, PaddingSame), ReLU()}},
	} {
		m, err := New(options)
		if err != nil {
			t.Fatal(err)
		}
		models[name] = m
	}
	return models
}

func fileOf(t testing.TB, m *Model, params []float64, notes map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Write(&b, params, notes); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// unusual are parameters of which no two are the same, and which float32 does not
// hold.
func unusual(m *Model) []float64 {
	params := make([]float64, m.Dim())
	for k := range params {
		params[k] = math.Pi * float64(k+1) * math.Pow(-1, float64(k))
	}
	params[0] = math.Copysign(0, -1)
	return params
}

// TestTensors writes down what the tensors of two networks are, by the layers'
// formulas.
func TestTensors(t *testing.T) {
	models := filed(t)
	// 12x11 by 3x3: 10x9, halved 5x4, by 3x3: 3x2, halved 1x1.
	want := []Tensor{
		{"convolution1.weight", []int{5, 3, 3, 3}, 0, 135}, {"convolution1.bias", []int{5}, 135, 5},
		{"convolution2.weight", []int{5, 5, 3, 3}, 140, 225}, {"convolution2.bias", []int{5}, 365, 5},
		{"dense1.weight", []int{6, 5}, 370, 30}, {"dense1.bias", []int{6}, 400, 6},
		{"dense2.weight", []int{7, 6}, 406, 42}, {"dense2.bias", []int{7}, 448, 7},
		{"output.weight", []int{4, 7}, 455, 28}, {"output.bias", []int{4}, 483, 4},
	}
	if d := cmp.Diff(want, models["cnn"].Tensors()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]Tensor{{"output.weight", []int{3, 20}, 0, 60}, {"output.bias", []int{3}, 60, 3}}, models["softmax"].Tensors()); d != "" {
		t.Error(d)
	}
	for name, m := range models {
		list := m.Tensors()
		if end := list[len(list)-1]; end.First+end.Length != m.Dim() {
			t.Errorf("%s: the tensors have %d of %d parameters", name, end.First+end.Length, m.Dim())
		}
	}
}

// TestTensorsAreTheLayers predicts by plain loops over the tensors of a file, and
// compares with the model: names, shapes and order are what they are said to be.
func TestTensorsAreTheLayers(t *testing.T) {
	m := filed(t)["mlp"]
	params := make([]float64, m.Dim())
	m.Init(params, rng.NewKey(5, PurposeInit))
	for k := range params {
		params[k] += 0.01 * float64(k%7) // biases, too
	}
	file, err := safetensors.Read("x", fileOf(t, m, params, nil))
	if err != nil {
		t.Fatal(err)
	}
	tensor := map[string]safetensors.Tensor{}
	for _, one := range file.Tensors {
		tensor[one.Name] = one
	}
	layer := func(name string, x []float64) []float64 {
		w, b := tensor[name+".weight"], tensor[name+".bias"]
		y := slices.Clone(b.Values)
		for i := range y {
			for j, v := range x {
				y[i] += w.Values[i*w.Shape[1]+j] * v
			}
		}
		return y
	}
	for k := range 20 {
		x := make([]float64, m.Inputs()+1)
		for j := range m.Inputs() {
			x[j] = math.Abs(math.Sin(float64(k*31 + j)))
		}
		hidden := layer("dense1", x[:m.Inputs()])
		for j, v := range hidden {
			hidden[j] = max(0, v)
		}
		logits, sum := layer("output", hidden), 0.0
		for _, v := range logits {
			sum += math.Exp(v)
		}
		if got, want := m.Online().Loss(params, x), math.Log(sum)-logits[0]; math.Abs(got-want) > 1e-5 {
			t.Errorf("sample %d: loss %v, want %v", k, got, want)
		}
	}
}

// TestFileRoundTrip checks that a file gives back the network, every bit of the
// parameters, and the notes.
func TestFileRoundTrip(t *testing.T) {
	for name, m := range filed(t) {
		params, notes := unusual(m), map[string]string{"starling.arm": "a, b", "of": name}
		data := fileOf(t, m, params, notes)
		if !bytes.Equal(data, fileOf(t, m, params, notes)) {
			t.Errorf("%s: two files of one model differ", name)
		}
		saved, err := ReadFile("x", data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d := cmp.Diff(m.Options(), saved.Model.Options()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if d := cmp.Diff(notes, saved.Notes); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		again, err := m.ReadParams("x", data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for k, v := range params {
			if math.Float64bits(v) != math.Float64bits(saved.Params[k]) || math.Float64bits(v) != math.Float64bits(again[k]) {
				t.Fatalf("%s: parameter %d was %v and is %v and %v", name, k, v, saved.Params[k], again[k])
			}
		}
	}
}

// TestFileErrors checks that a file is refused that is damaged or another model's,
// and what is said of it.
func TestFileErrors(t *testing.T) {
	models := filed(t)
	m := models["mlp"]
	whole := fileOf(t, m, unusual(m), nil)
	rewritten := func(change func(f *safetensors.File)) []byte {
		f, err := safetensors.Read("x", whole)
		if err != nil {
			t.Fatal(err)
		}
		change(f)
		var b bytes.Buffer
		if err := safetensors.Write(&b, f); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	meta := func(key, value string) []byte {
		return rewritten(func(f *safetensors.File) { f.Metadata[key] = value })
	}
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"cut":     {whole[:len(whole)-1], "m.safetensors: byte "},
		"another": {fileOf(t, models["softmax"], unusual(models["softmax"]), nil), `no tensor "dense1.weight"; the model has dense1.weight, dense1.bias, output.weight, output.bias`},
		"another's more": {rewritten(func(f *safetensors.File) {
			f.Tensors = append(f.Tensors, safetensors.Tensor{Name: "more"})
			f.Tensors[4].Values = []float64{1}
		}), `"more" is not one of the model's`},
		"shape": {rewritten(func(f *safetensors.File) { f.Tensors[0].Shape = []int{20, 2} }),
			`tensor "dense1.weight" has the shape [20 2]; the model's is [2 20]`},
		"not a number":   {rewritten(func(f *safetensors.File) { f.Tensors[2].Values[4] = math.NaN() }), `value 4 of tensor "output.weight" is NaN`},
		"infinite":       {rewritten(func(f *safetensors.File) { f.Tensors[1].Values[0] = math.Inf(-1) }), `value 0 of tensor "dense1.bias" is -Inf`},
		"beyond float32": {rewritten(func(f *safetensors.File) { f.Tensors[1].Values[0] = 1e300 }), `value 0 of tensor "dense1.bias" is 1e+300; want finite numbers within the range of float32`},
		"version":        {meta(versionKey, "2"), `version "2"; this build reads version 1`},
		"no ReLU":        {meta(networkKey, `{"input":{"channels":1,"rows":4,"columns":5},"classes":3,"layers":[{"kind":"dense","units":2}]}`), "the file holds the network"},
		"no network":     {meta(networkKey, `{"unit": 1}`), `unknown field "unit"`},
		"two networks":   {meta(networkKey, `{} {}`), "text follows the network"},
	} {
		if _, err := m.ReadParams("m.safetensors", test.data); err == nil || !strings.HasPrefix(err.Error(), "m.safetensors: ") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v; want %q", name, err, test.want)
		}
	}
	plain := rewritten(func(f *safetensors.File) { f.Metadata = nil })
	if _, err := m.ReadParams("x", plain); err != nil {
		t.Errorf("parameters without metadata: %v", err)
	}
	for name, data := range map[string][]byte{"no metadata": plain, "no layers": meta(networkKey, `{}`), "cut": whole[:9], "version": meta(versionKey, "0")} {
		if _, err := ReadFile("m.safetensors", data); err == nil || !strings.HasPrefix(err.Error(), "m.safetensors: ") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if err := m.Write(&bytes.Buffer{}, unusual(m), map[string]string{networkKey: ""}); err == nil {
		t.Error("a note in place of the network")
	}
}

// FuzzReadFile checks that what is read of any file is a model that is written and
// read to the same.
func FuzzReadFile(f *testing.F) {
	for _, m := range filed(f) {
		f.Add(fileOf(f, m, unusual(m), map[string]string{"a": "b"}))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		saved, err := ReadFile("x", data)
		if err != nil {
			return
		}
		again, err := ReadFile("x", fileOf(t, saved.Model, saved.Params, saved.Notes))
		if err != nil {
			t.Fatal(err)
		}
		same := func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }
		if !slices.EqualFunc(saved.Params, again.Params, same) || !cmp.Equal(saved.Model.Options(), again.Model.Options()) || !cmp.Equal(saved.Notes, again.Notes) {
			t.Fatal("the file reads otherwise once it is written again")
		}
	})
}
