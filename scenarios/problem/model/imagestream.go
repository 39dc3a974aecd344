package model

import (
	"starling/actors/option"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/stream"
)

// images are a stream of images: a learner meets its training images one a step,
// in an order drawn at random, and none twice.
type images struct {
	train, test *dataset.Images
	met, fresh  dataset.Partition
	label       func(class float64) float64
	validation  *images // with images of validation in place of test images; nil where there are none
}

// Validation implements stream.Validated.
func (s *images) Validation() stream.Tester {
	if s.validation == nil {
		return nil
	}
	return s.validation
}

// Stream returns the training images as learners meet them under a seed. A learner meets no
// image twice, since the privacy account counts one use of an image: it is an error if a
// learner has fewer images than steps. The test images of each label are divided among the
// learners in proportion to their training images of it: all of them, so that a learner may
// have none.
func (p *ImageProblem) Stream(seed uint64, shape stream.Shape) (stream.Tester, error) {
	met, err := p.split(p.train, seed, shape.Learners)
	if err != nil {
		return nil, err
	}
	s := p.rows(met.Shuffle(rng.NewKey(seed, dataset.PurposePartition)))
	for i := range shape.Learners {
		if n := len(met[i]); n < shape.Steps() {
			return nil, option.Errorf("partition", "learner %d has %d images for %d steps, and meets none twice; want fewer steps, or more images; %s", i+1, n, shape.Steps(), p.options.Partition.Least(shape.Steps()))
		}
	}
	return s, nil
}

// Rows returns the first samples training images of each client as data that stay, 0 for all,
// with the number of images of each. Test images are divided as by Stream. A client with fewer
// images is an error.
func (p *ImageProblem) Rows(seed uint64, clients, samples int) (data stream.Tester, sizes []int, err error) {
	parts, err := p.parts(p.train, division{seed, clients, samples})
	if err != nil {
		return nil, nil, err
	}
	for _, part := range parts {
		sizes = append(sizes, len(part))
	}
	return p.rows(parts), sizes, nil
}

// rows returns the training images of a division as rows, with test images beside them.
func (p *ImageProblem) rows(met dataset.Partition) *images {
	rows := &images{train: p.train, test: p.test, met: met, fresh: p.alike(met, p.test), label: p.options.Label}
	if p.validation != nil {
		rows.validation = &images{train: p.train, test: p.validation, met: met, fresh: p.alike(met, p.validation), label: p.options.Label}
	}
	return rows
}

// alike divides images that are held out in the proportions of the training images of learners.
func (p *ImageProblem) alike(met dataset.Partition, held *dataset.Images) dataset.Partition {
	tests := make([]int, held.Len())
	for k := range tests {
		tests[k] = k
	}
	label := func(im *dataset.Images) func(int) int {
		return func(k int) int { return int(im.Labels[k]) }
	}
	return dataset.Alike(met, label(p.train), tests, label(held), p.options.Set.Classes)
}

// Width implements problem.Data: the features and the label.
func (s *images) Width() int { return s.train.Shape.Dim() + 1 }

// Datum implements problem.Data.
func (s *images) Datum(dst []float64, node messages.NodeID, step int) {
	s.write(dst, s.train, s.met[node][step-1])
}

// TestSamples implements stream.Tester.
func (s *images) TestSamples(node messages.NodeID) int { return len(s.fresh[node]) }

// Test implements stream.Tester.
func (s *images) Test(dst []float64, node messages.NodeID, index int) {
	s.write(dst, s.test, s.fresh[node][index])
}

// write writes an image with values in [0, 1] and its label. The values are the values of
// dataset.Images.Features, which are float32.
func (s *images) write(dst []float64, im *dataset.Images, index int) {
	pixels := im.Bytes(index)
	for k, v := range pixels {
		dst[k] = float64(float32(v) / 255)
	}
	dst[len(pixels)] = float64(im.Labels[index])
	if s.label != nil {
		dst[len(pixels)] = s.label(dst[len(pixels)])
	}
}
