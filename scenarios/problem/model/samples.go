package model

import (
	"fmt"

	"starling/scenarios/problem/dataset"
)

// Samples are labelled data: pure functions, safe for concurrent use.
type Samples interface {
	// Len returns the number of samples.
	Len() int
	// Width returns the number of features of a sample.
	Width() int
	// Sample overwrites features, len Width, with the features of sample i from 0, and returns
	// its label, a class from 0.
	Sample(i int, features []float32) (label int)
}

// Images are the images of a data set as samples, with features in [0, 1].
type Images struct{ *dataset.Images }

// Width implements Samples.
func (im Images) Width() int { return im.Shape.Dim() }

// Sample implements Samples.
func (im Images) Sample(i int, features []float32) int {
	im.Features(i, features)
	return int(im.Labels[i])
}

// Label returns the label of sample i. See labels.
func (im Images) Label(i int) int { return int(im.Labels[i]) }

// labels returns a function that gives the label of a sample. Samples that know the label
// without their features, which may take long to make, have a method Label.
func labels(data Samples) func(i int) int {
	if l, ok := data.(interface{ Label(i int) int }); ok {
		return l.Label
	}
	features := make([]float32, data.Width())
	return func(i int) int { return data.Sample(i, features) }
}

// Subset is a part of other samples, in the order of Indices.
type Subset struct {
	Samples Samples
	Indices []int
}

// Len implements Samples.
func (s Subset) Len() int { return len(s.Indices) }

// Width implements Samples.
func (s Subset) Width() int { return s.Samples.Width() }

// Sample implements Samples.
func (s Subset) Sample(i int, features []float32) int {
	return s.Samples.Sample(s.Indices[i], features)
}

// fits refuses samples of another width than the model's.
func (m *Model) fits(data Samples) error {
	if data.Width() != m.Inputs() {
		return fmt.Errorf("samples of %d features, the model takes %d", data.Width(), m.Inputs())
	}
	return nil
}

// read puts n samples into the block, from index first of batch, or from sample first of the
// data where batch is nil.
func (w *Workspace) read(data Samples, batch []int, first, n int) error {
	width := w.model.Inputs()
	for slot := range n {
		i := first + slot
		if batch != nil {
			i = batch[first+slot]
		}
		if i < 0 || i >= data.Len() {
			return fmt.Errorf("sample %d, want 0 to %d", i, data.Len()-1)
		}
		label := data.Sample(i, w.features[slot*width:(slot+1)*width])
		if label < 0 || label >= w.model.Classes() {
			return fmt.Errorf("sample %d has label %d, the model has classes 0 to %d", i, label, w.model.Classes()-1)
		}
		w.labels[slot] = label
	}
	return nil
}
