package workload

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"starling/mechanisms/rng"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/model"
)

// The batches that gradients are taken of, and the norm that each is clipped to.
const (
	batchSize  = 75
	batchClip  = 0.1
	imageCount = 1000
)

// models are sums of clipped gradients on images of 28 x 28.
func models() []Workload {
	softmax := func(_ context.Context, e *Environment) (*Prepared, error) {
		return prepareModel(model.Logistic(imageShape, 10), e.steps(7500, batchSize), plainSoftmax)
	}
	convolution := func(_ context.Context, e *Environment) (*Prepared, error) {
		o, err := model.Convolutional(imageShape, 10, model.PerStepConvolutional())
		if err != nil {
			return nil, err
		}
		return prepareModel(o, e.steps(750, batchSize), convolutionProducts)
	}
	return []Workload{
		{Name: "models/softmax", Unit: sampleUnit, Summary: "model: clipped gradients of softmax regression, 7,850 parameters; beside a plain loop", prepare: softmax},
		{Name: "models/convolution", Unit: sampleUnit, Summary: "model: clipped gradients of two convolutions of 32 filters and dense layers; beside products of 512 x 512 matrices of as many multiplications", prepare: convolution},
	}
}

// imageShape is the shape of MNIST's images.
var imageShape = dataset.Shape{Channels: 1, Rows: 28, Columns: 28}

// batches are samples, some of them chosen.
type batches struct {
	samples model.Samples
	chosen  []int
	params  []float64
}

// prepareModel takes the gradients of so many batches. loop works through one batch.
func prepareModel(o model.Options, count int, loop func(b *batches) func()) (*Prepared, error) {
	m, err := model.New(o)
	if err != nil {
		return nil, err
	}
	images := dataset.DefaultSyntheticOptions()
	images.Train, images.Test = imageCount, 1
	set, err := dataset.NewSynthetic(images, rng.NewKey(1, dataset.PurposeSynthetic))
	if err != nil {
		return nil, err
	}
	b := &batches{samples: model.Images{Images: set.Train}, chosen: make([]int, batchSize), params: make([]float64, m.Dim())}
	for i := range b.chosen {
		b.chosen[i] = imageCount / batchSize * i
	}
	m.Init(b.params, rng.NewKey(1, model.PurposeInit))
	dst, work, plain := make([]float64, m.Dim()), m.NewWorkspace(), loop(b)
	run := func() error {
		for range count {
			if _, err := m.SumClipped(dst, b.params, b.samples, b.chosen, batchClip, work); err != nil {
				return err
			}
		}
		return nil
	}
	return &Prepared{Units: count * batchSize, Run: run, Loop: func() error {
		for range count {
			plain()
		}
		return nil
	}}, nil
}

// plainSoftmax sums the clipped gradients of softmax regression of a batch: for each sample
// the scores, the softmax, and the product of the residual with the features.
func plainSoftmax(b *batches) func() {
	const classes = 10
	d := b.samples.Width()
	features, scores := make([]float32, d), make([]float64, classes)
	sum := make([]float64, classes*(d+1))
	return func() {
		clear(sum)
		for _, i := range b.chosen {
			label := b.samples.Sample(i, features)
			norm := 1.0 // the bias is a feature that is 1
			for _, v := range features {
				norm += float64(v) * float64(v)
			}
			total := 0.0
			for c := range scores {
				row := b.params[c*d : (c+1)*d]
				s := b.params[classes*d+c]
				for k, v := range features {
					s += row[k] * float64(v)
				}
				scores[c] = math.Exp(s)
				total += scores[c]
			}
			square := 0.0
			for c := range scores {
				if scores[c] /= total; c == label {
					scores[c]--
				}
				square += scores[c] * scores[c]
			}
			scale := min(1, batchClip/math.Sqrt(norm*square))
			for c, residual := range scores {
				row := sum[c*d : (c+1)*d]
				for k, v := range features {
					row[k] += scale * residual * float64(v)
				}
				sum[classes*d+c] += scale * residual
			}
		}
	}
}

// convolutionMultiplications is the number of multiplications of a sample's gradient by the
// network, as TestWork of package bench counts them.
const convolutionMultiplications = 3_890_000

// convolutionProducts multiplies matrices of 512 x 512 for as many multiplications as a
// batch takes, to within one product.
func convolutionProducts(b *batches) func() {
	const size = 512
	square := func() blas32.General {
		m := blas32.General{Rows: size, Cols: size, Stride: size, Data: make([]float32, size*size)}
		for k := range m.Data {
			m.Data[k] = 1 + float32(k%7)/8 // nothing is 0: a product would skip it
		}
		return m
	}
	x, y, z := square(), square(), square()
	times := (len(b.chosen)*convolutionMultiplications + size*size*size/2) / (size * size * size)
	return func() {
		for range times {
			blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, x, y, 0, z)
		}
	}
}
