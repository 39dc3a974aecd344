package standard

import (
	"errors"
	"fmt"

	"starling/scenarios/document"
	"starling/scenarios/problem/model"
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
	set, err := setOf(b, section, p.Problem.Model().Dim())
	if err != nil {
		return nil, err
	}
	c := &problems.Corpus{
		Dim: p.Problem.Model().Dim(), Set: set, Start: p.Problem.Start, Started: p.Weights, Before: p.Warm.Before, Tests: true, Classifies: true, Fixed: true,
		Trained: p.Trained("w"), Held: p.Held(), Notes: p.Notes, Warnings: p.Warnings, Deals: p.Problem.Deals(),
	}
	c.Draw = func(seed uint64, clients int) (*problems.Divided, error) {
		data, err := p.Problem.First(seed, clients, samples)
		if err != nil {
			return nil, err
		}
		return dividedImages(p, data), nil
	}
	c.Shares = func(seed uint64, clients int) []study.Note {
		fewest, most, all, err := p.Problem.Labels(seed, clients)
		if err != nil {
			return nil // such data cannot be divided
		}
		return []study.Note{{Key: "labels", Value: fmt.Sprintf("%d labels at most and %d at least at a client, of %d", most, fewest, all)}}
	}
	c.Public = func(seed uint64, clients int) (*problems.Divided, error) {
		data, err := p.Problem.Held(seed, clients)
		if err != nil {
			return nil, err
		}
		return dividedImages(p, data), nil
	}
	return c, nil
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
	}
	for i := range data.Clients() {
		d.Clients = append(d.Clients, data.Client(i))
	}
	return d
}
