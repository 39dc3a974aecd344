package model

import (
	"math"
	"testing"

	"starling/mechanisms/rng"
	"starling/scenarios/problem/dataset"
)

// mnist is the shape of MNIST, and generated images of it.
var mnist = dataset.Shape{Channels: 1, Rows: 28, Columns: 28}

func syntheticImages(tb testing.TB, train, test int) *dataset.ImageSet {
	tb.Helper()
	o := dataset.DefaultSyntheticOptions()
	o.Train, o.Test = train, test
	set, err := dataset.NewSynthetic(o, rng.NewKey(1, dataset.PurposeSynthetic))
	if err != nil {
		tb.Fatal(err)
	}
	return set
}

// papersNetworks are the networks that are measured, by name.
func papersNetworks(tb testing.TB) map[string]*Model {
	tb.Helper()
	models := map[string]*Model{}
	for name, o := range map[string]Options{
		"logistic":   Logistic(mnist, 10),
		"perceptron": Perceptron(mnist, 10, 128),
	} {
		models[name] = newModel(tb, o)
	}
	for name, c := range map[string]ConvolutionalOptions{
		"convolutional":           PerStepConvolutional(),
		"convolutional-per-round": {Pooling: PoolEach, Padding: PaddingValid, Filters: 32, Hidden: []int{64, 32}}, // of version 1
		"convolutional-pool-last": {Pooling: PoolLast, Padding: PaddingValid, Filters: 32, Hidden: []int{64}},
	} {
		o, err := Convolutional(mnist, 10, c)
		if err != nil {
			tb.Fatal(err)
		}
		models[name] = newModel(tb, o)
	}
	return models
}

func newModel(tb testing.TB, o Options) *Model {
	tb.Helper()
	m, err := New(o)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func initial(m *Model) []float64 {
	params := make([]float64, m.Dim())
	m.Init(params, rng.NewKey(1, PurposeInit))
	return params
}

var benchmarked = []string{"logistic", "perceptron", "convolutional", "convolutional-pool-last"}

func BenchmarkGradient(b *testing.B) {
	set := syntheticImages(b, 100, 1)
	models := papersNetworks(b)
	for _, name := range benchmarked {
		m := models[name]
		b.Run(name, func(b *testing.B) {
			params, dst, w := initial(m), make([]float64, m.Dim()), m.NewWorkspace()
			features := make([]float32, m.Inputs())
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				set.Train.Features(i%100, features)
				m.Gradient(dst, params, features, int(set.Train.Labels[i%100]), w)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "samples/s")
		})
	}
}

func benchmarkSum(b *testing.B, m *Model, parallel bool) {
	set := syntheticImages(b, 1000, 1)
	params := initial(m)
	batch := make([]int, 75)
	for i := range batch {
		batch[i] = i * 13
	}
	run := func(next func() bool) {
		dst, w := make([]float64, m.Dim()), m.NewWorkspace()
		for next() {
			if _, err := m.SumClipped(dst, params, Images{set.Train}, batch, 0.1, w); err != nil {
				b.Error(err)
			}
		}
	}
	b.ReportAllocs()
	if parallel {
		b.RunParallel(func(pb *testing.PB) { run(pb.Next) })
	} else {
		run(b.Loop)
	}
	b.ReportMetric(float64(len(batch))*float64(b.N)/b.Elapsed().Seconds(), "samples/s")
}

func BenchmarkSumClipped(b *testing.B) {
	models := papersNetworks(b)
	for _, name := range benchmarked {
		b.Run(name, func(b *testing.B) { benchmarkSum(b, models[name], false) })
	}
}

func BenchmarkSumClippedParallel(b *testing.B) {
	models := papersNetworks(b)
	for _, name := range benchmarked {
		b.Run(name, func(b *testing.B) { benchmarkSum(b, models[name], true) })
	}
}

func BenchmarkEvaluate(b *testing.B) {
	models := papersNetworks(b)
	set := syntheticImages(b, 2000, 1)
	for _, name := range benchmarked {
		m := models[name]
		b.Run(name, func(b *testing.B) {
			params := initial(m)
			for b.Loop() {
				e, err := m.Evaluate(params, Images{set.Train})
				if err != nil || math.IsNaN(e.Loss) {
					b.Fatal(e, err)
				}
			}
			b.ReportMetric(float64(set.Train.Len())*float64(b.N)/b.Elapsed().Seconds(), "samples/s")
		})
	}
}
