package standard

import (
	"errors"
	"fmt"

	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/limits"
	"starling/scenarios/problem"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/model"
	"starling/scenarios/problem/stream"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// Corpus implements problems.AsCorpus: training images divided among clients, with the
// clipped sums of package model.
func (Images) Corpus(b *study.Builder, section *document.Node, samples int) (*problems.Corpus, error) {
	p, err := newPictures(b, section)
	if err != nil {
		_, setErr := setOf(b, section, 0)
		return nil, errors.Join(err, setErr)
	}
	if p.rows != nil {
		return imageRows(b, section, p, samples)
	}
	c, err := p.corpus(b, section)
	if err != nil {
		return nil, err
	}
	c.Draw = func(seed uint64, clients int) (*problems.Divided, error) {
		data, err := p.Problem.First(seed, clients, samples)
		if err != nil {
			return nil, err
		}
		return dividedImages(p, data), nil
	}
	c.Shares = p.shares
	c.Public = func(seed uint64, clients int) (*problems.Divided, error) {
		data, err := p.Problem.Held(seed, clients)
		if err != nil {
			return nil, err
		}
		return dividedImages(p, data), nil
	}
	return c, nil
}

// corpus is the corpus of a network on images, which are not divided among clients yet.
func (p *pictures) corpus(b *study.Builder, section *document.Node) (*problems.Corpus, error) {
	set, err := setOf(b, section, p.Problem.Model().Dim())
	if err != nil {
		return nil, err
	}
	_, drawn := p.Problem.Drawn()
	return &problems.Corpus{
		Overlaps: drawn, Dim: p.Problem.Model().Dim(), Set: set, Start: p.Problem.Start, Started: p.Weights, Before: p.Warm.Before, Tests: true, Classifies: true, Losses: true, Accuracies: true, Predictions: p.Problem.Model().Predictions(), Validates: p.Problem.Validates(), Fixed: true,
		Trained: p.Trained("w"), Held: p.Held(), Notes: p.Notes, Warnings: p.Warnings, Deals: p.Problem.Deals(),
	}, nil
}

// Population implements problems.AsPopulation: clients that draw their images from all, with values over a
// panel of them. Accuracy is over the test images, and no estimate.
func (Images) Population(b *study.Builder, section *document.Node, clients, samples, panel int) (*problems.Corpus, error) {
	p, err := newPictures(b, section)
	if err != nil {
		_, setErr := setOf(b, section, 0)
		return nil, errors.Join(err, setErr)
	}
	size, drawn := p.Problem.Drawn()
	switch {
	case p.rows != nil:
		return nil, section.Resolve(document.At("model.kind", "images of a client are drawn where a network learns from them; want %s, %s or %s, or algorithm.draw: clients", modelSoftmax, modelMLP, modelCNN))
	case !drawn:
		return nil, section.Resolve(document.At("partition.kind", "all images are divided among the clients at once; want %s, by which a client draws its own, or algorithm.draw: clients", dataset.PartitionDrawn))
	case samples > size:
		return nil, document.At("algorithm.samples", "%d samples of a client that has %d images; want at most that", samples, size)
	}
	if samples == 0 {
		samples = size
	}
	if held := limits.Product(panel, samples); held > limits.Coordinates {
		return nil, document.At("algorithm.panel", "a panel of %d clients has %.3g images; want at most %d, which %d clients have", panel, held, limits.Coordinates, limits.Coordinates/samples)
	}
	c, err := p.corpus(b, section)
	if err != nil {
		return nil, err
	}
	c.Losses, c.Accuracies, c.Held = false, false, c.Held+8*limits.Product(panel, samples)
	c.Draw = func(seed uint64, _ int) (*problems.Divided, error) {
		nodes := problems.Panel(seed, clients, panel)
		judges, err := p.Problem.Panel(seed, nodes, samples)
		if err != nil {
			return nil, err
		}
		d := dividedImages(p, judges)
		d.Clients, d.Own = nil, nil
		d.Passing = func(client int) problems.Passing { return passingImages{p.Problem.Passing(seed, client, samples)} }
		d.Estimates = &problems.Estimates{Loss: func(x []float64) float64 { return stream.StandardError(judges.Losses(x), clients) }, Nodes: nodes, Losses: judges.Losses}
		return d, nil
	}
	return c, nil
}

// passingImages are the images of a client that comes and goes.
type passingImages struct{ *model.Client }

// Leave implements problems.Passing: indices are all that the client has.
func (passingImages) Leave() {}

// imageRows builds the corpus of images for a model of rows.
func imageRows(b *study.Builder, section *document.Node, p *pictures, samples int) (*problems.Corpus, error) {
	s, err := Images{}.Stream(b, section, nil)
	if err != nil {
		return nil, err
	}
	c := s.Corpus(func(seed uint64, clients int) (problem.Data, []int, error) {
		data, sizes, err := p.Problem.Rows(seed, clients, samples)
		if err != nil {
			return nil, nil, err
		}
		total := 0
		for _, size := range sizes {
			total += size
		}
		if numbers := limits.Product(total, data.Width()); numbers > limits.Coordinates {
			return nil, nil, document.At("train", "the images have %.3g numbers as rows of a model; want at most %d: fewer images, or algorithm.samples", numbers, limits.Coordinates)
		}
		return data, sizes, nil
	})
	_, c.Overlaps = p.Problem.Drawn()
	c.Held, c.Deals, c.Shares = p.Held()+8*min(p.Held(), limits.Coordinates), p.Problem.Deals(), p.shares
	return c, nil
}

// shares notes the labels that clients have under a seed.
func (p *pictures) shares(seed uint64, clients int) []study.Note {
	fewest, most, all, err := p.Problem.Labels(seed, clients)
	if err != nil {
		return nil // such data cannot be divided
	}
	return []study.Note{{Key: "labels", Value: fmt.Sprintf("%d labels at most and %d at least at a client, of %d", most, fewest, all)}}
}

// dividedImages judges models by the test set of the images, which is the same under all
// seeds, and by the training data that clients have.
func dividedImages(p *pictures, data *model.Federated) *problems.Divided {
	d := &problems.Divided{
		Loss: func(x []float64) (float64, error) {
			e, err := data.Evaluate(x)
			return e.Loss, err
		},
		Accuracy: func(x []float64) (float64, error) {
			e, err := p.Problem.Model().Evaluate(x, p.Problem.Test())
			return e.Accuracy(), err
		},
		FreshLoss: func(x []float64) (float64, error) {
			e, err := p.Problem.Model().Evaluate(x, p.Problem.Test())
			return e.Loss, err
		},
		Form: p.Problem.Model().Predictions(),
		Predict: func(s *problem.Predictions, x []float64) error {
			return p.Problem.Model().PredictAll(s, x, p.Problem.Test())
		},
		Own: &gauge.OwnData{
			Loss: func(client int, x []float64) (float64, error) {
				e, err := data.Client(client).Evaluate(x)
				return e.Loss, err
			},
			Accuracy: func(client int, x []float64) (float64, error) {
				e, err := data.Client(client).Evaluate(x)
				return e.Accuracy(), err
			},
		},
	}
	if p.Problem.Validates() {
		d.Validation = &problems.HeldOut{
			Loss: func(x []float64) (float64, error) {
				e, err := p.Problem.Model().Evaluate(x, p.Problem.Validation())
				return e.Loss, err
			},
			Predict: func(s *problem.Predictions, x []float64) error {
				return p.Problem.Model().PredictAll(s, x, p.Problem.Validation())
			},
		}
	}
	for i := range data.Clients() {
		d.Clients = append(d.Clients, data.Client(i))
	}
	return d
}
