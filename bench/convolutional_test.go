package bench

import (
	"os"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"starling/mechanisms/rng"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/model"
)

// images are those of a data set, the first of the training part, where
// STARLING_DATA names a folder, and otherwise generated ones of their shape.
func images(b *testing.B, name string, count int) model.Images {
	b.Helper()
	if folder := os.Getenv("STARLING_DATA"); folder != "" {
		set, err := dataset.LoadImages(folder, name)
		if err != nil {
			b.Fatal(err)
		}
		if set.Train.Len() < count {
			b.Fatalf("%d training images of %s, want %d", set.Train.Len(), name, count)
		}
		d := set.Train.Shape.Dim()
		return model.Images{Images: &dataset.Images{
			Shape: set.Train.Shape, Pixels: set.Train.All()[:count*d], Labels: set.Train.Labels[:count],
		}}
	}
	o := dataset.DefaultSyntheticOptions()
	o.Train, o.Test = count, 1
	set, err := dataset.NewSynthetic(o, rng.NewKey(1, dataset.PurposeSynthetic))
	if err != nil {
		b.Fatal(err)
	}
	return model.Images{Images: set.Train}
}

// work counts the multiplications of a sample's gradient, each of which comes
// with an addition; biases, ReLUs, maxima and the softmax do not count.
type work struct {
	forward, backward int
	// reached is backward without those by derivatives that a max-pool sets to
	// 0 whatever the data: of each square one value is the maximum.
	reached int
}

// operations are the floating-point operations of forward and backward.
func (w work) operations() float64 { return 2 * float64(w.forward+w.backward) }

// computed are the operations that cannot be left out because of a max-pool.
func (w work) computed() float64 { return 2 * float64(w.forward+w.reached) }

// workOf counts from the shapes of the layers. Backward takes a product for the
// gradient of each layer's parameters and one for the derivatives by its inputs,
// which nobody asks for at the first layer.
func workOf(o model.Options) (w work) {
	shape, first := o.Input, true
	for i, layer := range o.Layers {
		switch layer.Kind {
		case model.KindConvolution:
			margin := 0
			if layer.Padding == model.PaddingSame {
				margin = layer.Size / 2
			}
			patch := shape.Channels * layer.Size * layer.Size
			shape = dataset.Shape{Channels: layer.Filters, Rows: shape.Rows + 2*margin - layer.Size + 1, Columns: shape.Columns + 2*margin - layer.Size + 1}
			w.add(shape.Dim()*patch, pooled(shape, o.Layers[i+1:])*patch, first)
			first = false
		case model.KindMaxPool:
			shape.Rows, shape.Columns = shape.Rows/layer.Size, shape.Columns/layer.Size
		case model.KindDense:
			w.add(shape.Dim()*layer.Units, shape.Dim()*layer.Units, first)
			shape, first = dataset.Shape{Channels: layer.Units, Rows: 1, Columns: 1}, false
		}
	}
	w.add(shape.Dim()*o.Classes, shape.Dim()*o.Classes, first)
	return w
}

func (w *work) add(products, reached int, first bool) {
	w.forward += products
	times := 2
	if first {
		times = 1
	}
	w.backward += times * products
	w.reached += times * reached
}

// pooled is how many values of a shape the max-pool above lets through, and all
// of them where there is none right above.
func pooled(shape dataset.Shape, above []model.Layer) int {
	for _, layer := range above {
		switch layer.Kind {
		case model.KindReLU:
			continue
		case model.KindMaxPool:
			return shape.Channels * (shape.Rows / layer.Size) * (shape.Columns / layer.Size)
		}
		break
	}
	return shape.Dim()
}

// perStep is the network of the second version of the paper on online federated
// learning: 28 x 28 x 1, two convolutions of 32 filters of 3 x 3, each with a
// max-pool of 2 x 2, dense layers of 64 and 10.
func perStep(tb testing.TB) *model.Model {
	tb.Helper()
	o, err := model.Convolutional(dataset.Shape{Channels: 1, Rows: 28, Columns: 28}, 10, model.PerStepConvolutional())
	if err != nil {
		tb.Fatal(err)
	}
	m, err := model.New(o)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// TestWork counts by hand: 26 x 26 and 11 x 11 positions of convolutions that see
// 9 and 288 values, of which max-pools leave 13 x 13 and 5 x 5.
func TestWork(t *testing.T) {
	want := work{forward: 194_688 + 1_115_136 + 51_200 + 640}
	want.backward = 194_688 + 2*(1_115_136+51_200+640)
	want.reached = 13*13*32*9 + 2*(5*5*32*288+51_200+640)
	if got := workOf(perStep(t).Options()); got != want {
		t.Errorf("the network takes %+v multiplications, want %+v", got, want)
	}
}

// gemm is a product of matrices to time, rows x inner by inner x columns.
type gemm struct {
	name                 string
	rows, columns, inner int
	transposed           bool // whether the right factor lies transposed
}

// square is the product that a peak is usually stated of; the others are those
// that the network asks for, per sample of convolutions and per 16 samples of
// the dense layer.
var (
	square   = gemm{"512x512x512", 512, 512, 512, false}
	products = []gemm{
		{"convolution-1", 32, 192, 9, false},
		{"convolution-2", 32, 121, 288, true},
		{"dense", 16, 64, 800, true},
	}
)

// prepare returns a call of the product, and its floating-point operations.
// Nothing is 0 in the factors: gonum would skip it.
func (g gemm) prepare() (multiply func(), operations float64) {
	matrix := func(rows, columns int) blas32.General {
		m := blas32.General{Rows: rows, Cols: columns, Stride: columns, Data: make([]float32, rows*columns)}
		for k := range m.Data {
			m.Data[k] = 1 + float32(k%7)/8
		}
		return m
	}
	a, b, c := matrix(g.rows, g.inner), matrix(g.inner, g.columns), matrix(g.rows, g.columns)
	transposed := blas.NoTrans
	if g.transposed {
		transposed, b = blas.Trans, matrix(g.columns, g.inner)
	}
	return func() { blas32.Gemm(blas.NoTrans, transposed, 1, a, b, 0, c) }, 2 * float64(g.rows) * float64(g.columns) * float64(g.inner)
}

// rates returns a call that times products, each for long enough, and returns
// their GFLOP/s on a core.
func rates(list []gemm) func() []float64 {
	type timed struct {
		multiply   func()
		operations float64
		times      int
	}
	_, most := square.prepare()
	calls := make([]timed, len(list))
	for i, g := range list {
		multiply, operations := g.prepare()
		calls[i] = timed{multiply, operations, max(1, int(most/operations/8))}
	}
	return func() []float64 {
		found := make([]float64, len(calls))
		for i, c := range calls {
			t0 := processorTime()
			for range c.times {
				c.multiply()
			}
			found[i] = c.operations * float64(c.times) / float64((processorTime() - t0).Nanoseconds())
		}
		return found
	}
}

// BenchmarkCNN takes the sum of the clipped gradients of a batch of 75 on one
// core, and in turn with it blas32's products, all in time of a processor. Targets: at least 60 % of the
// GFLOP/s of the product of two matrices of 512 x 512, at most 0.8 ms a sample.
//
// The network takes 2 x 3,890,000 operations a sample, which GFLOP/s and ratio
// count. Behind a max-pool most derivatives are 0, and the program leaves out
// what they would be multiplied with: computed-GFLOP/s and computed-ratio count
// only what is left then, 2 x 2,000,000 operations.
func BenchmarkCNN(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	m, data := perStep(b), images(b, "mnist", 1000)
	params, dst, w := make([]float64, m.Dim()), make([]float64, m.Dim()), m.NewWorkspace()
	m.Init(params, rng.NewKey(1, model.PurposeInit))
	batch := make([]int, 75)
	for i := range batch {
		batch[i] = 13 * i
	}
	count, all := workOf(m.Options()), append([]gemm{square}, products...)
	measure := rates(all)
	peaks := make([][]float64, len(all))
	var ratios, speeds []float64
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		for i, rate := range measure() {
			peaks[i] = append(peaks[i], rate)
		}
		b.StartTimer()
		t0 := processorTime()
		if _, err := m.SumClipped(dst, params, data, batch, 0.1, w); err != nil {
			b.Fatal(err)
		}
		speed := float64(len(batch)) / float64((processorTime() - t0).Nanoseconds())
		speeds = append(speeds, speed)
		ratios = append(ratios, count.operations()*speed/peaks[0][len(peaks[0])-1])
	}
	b.ReportMetric(0, "ns/op") // of the clock, which others on the machine share
	speed, ratio := median(speeds), median(ratios)
	b.ReportMetric(1e-6/speed, "ms/sample")
	b.ReportMetric(count.operations()*speed, "GFLOP/s")
	b.ReportMetric(ratio, "ratio")
	b.ReportMetric(count.computed()*speed, "computed-GFLOP/s")
	b.ReportMetric(ratio*count.computed()/count.operations(), "computed-ratio")
	for i, g := range all {
		b.ReportMetric(median(peaks[i]), g.name+"-GFLOP/s")
	}
}
