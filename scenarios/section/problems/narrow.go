package problems

import (
	"strconv"

	"starling/actors/algorithm/batch"
	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/kind"
	"starling/scenarios/ledger"
	"starling/scenarios/problem"
)

// Audits draw many runs. The law of the noise does not depend on the number of parameters, so
// audits take problems with few parameters.

// Narrows is the capability of a problem without a key for its dimension: Narrower returns values of a
// scenario that make the model small, path and text in turn. Its corpus is Fixed.
type Narrows interface{ Narrower() []string }

// Narrower returns the values of a scenario that make its problem small, path and text in
// turn. Where the dimension is a key they set it. A problem that Narrows adds its own.
func Narrower(kinds *kind.Catalog, doc *document.Document, dimension int) (values []string) {
	if _, bounded := doc.Find("problem.set"); !bounded {
		values = append(values, "problem.dimension", strconv.Itoa(dimension))
	}
	if _, given := doc.Find("problem.zonal"); given { // audits have no clock, and no time zones
		values = append(values, "problem.zonal", "0")
	}
	if section, given := doc.Find("problem"); given {
		if piece, err := kind.PieceOf[Narrows](kinds.Problems, section, "the audit"); err == nil {
			values = append(values, piece.Narrower()...)
		}
	}
	return values
}

// Narrowed returns the corpus of a scenario with the values of Narrower. A Fixed corpus has all
// but n of its parameters held at the start of a seed. The corpus has no set. Projections come
// after the noise and show no more than their noisy input, and audits test that input. After a
// projection on a set strong noise has another law.
func (c *Corpus) Narrowed(seed uint64, n int) *Corpus {
	if c.Fixed {
		return c.Hold(seed, min(n, c.Dim))
	}
	free := *c
	free.Set = nil
	return &free
}

// Hold returns the corpus of the first n parameters of the model. The others keep their values
// at the start of a seed, where runs begin. The corpus has no set.
func (c *Corpus) Hold(seed uint64, n int) *Corpus {
	start := c.Start(seed)
	held := *c
	held.Dim, held.Set, held.Trained = n, nil, nil
	held.Tests, held.Classifies, held.Compared = false, false, false
	held.Losses, held.Accuracies, held.Point, held.Own = false, false, false, nil
	held.Predictions, held.Validates = problem.ScoreForm{}, false
	held.Start = func(uint64) []float64 { return append([]float64(nil), start[:n]...) }
	held.Started, held.Before = false, func(accountant.Relation) *ledger.Before { return nil }
	held.Draw = heldDraw(c.Draw, start)
	if c.Public != nil {
		held.Public = heldDraw(c.Public, start)
	}
	return &held
}

// heldDraw divides data for models with held parameters.
func heldDraw(draw func(uint64, int) (*Divided, error), start []float64) func(uint64, int) (*Divided, error) {
	return func(seed uint64, clients int) (*Divided, error) {
		whole, err := draw(seed, clients)
		if err != nil {
			return nil, err
		}
		d := *whole
		d.Clients = make([]Samples, len(whole.Clients))
		for i, samples := range whole.Clients {
			d.Clients[i] = heldSamples{samples, start}
		}
		d.Loss = func(x []float64) (float64, error) { return whole.Loss(heldAt(start, x)) }
		d.Form, d.Predict, d.Validation = problem.ScoreForm{}, nil, nil
		d.Accuracy, d.FreshLoss, d.Least, d.Own, d.BestPoint = nil, nil, nil, nil, nil
		d.Start = nil // the others are held where a check without the program has them
		return &d, nil
	}
}

// heldSamples are the samples of a client, for the first parameters of a model.
type heldSamples struct {
	Samples
	start []float64 // of the whole model
}

// SumClipped implements Samples: the first entries of the sum, of gradients that are no
// longer than the whole ones.
func (s heldSamples) SumClipped(dst, params []float64, samples []int, clip float64) int {
	sum := make([]float64, len(s.start))
	clipped := s.Samples.SumClipped(sum, heldAt(s.start, params), samples, clip)
	copy(dst, sum)
	return clipped
}

// SumLossChanges implements Samples.
func (s heldSamples) SumLossChanges(from, to []float64, samples []int, bound float64) float64 {
	return s.Samples.SumLossChanges(heldAt(s.start, from), heldAt(s.start, to), samples, bound)
}

// Training implements batch.Trainers, of clients that take local steps by themselves.
func (s heldSamples) Training() batch.Desk {
	trainers, ok := s.Samples.(batch.Trainers)
	if !ok || trainers.Training() == nil {
		return nil
	}
	return heldDesk{trainers.Training()}
}

// heldDesk has local steps taken of whole models, of which the others than the first parameters stay.
type heldDesk struct{ whole batch.Desk }

// Answer implements batch.Desk.
func (h heldDesk) Answer(step int, nodes []messages.NodeID, questions []any) error {
	asked := make([]any, len(questions))
	for i, question := range questions {
		q := *question.(*batch.Train)
		s := q.Data.(heldSamples)
		q.Data, q.X = s.Samples.(batch.Trainers), heldAt(s.start, q.X)
		asked[i] = &q
	}
	err := h.whole.Answer(step, nodes, asked)
	for i, question := range questions {
		copy(question.(*batch.Train).X, asked[i].(*batch.Train).X)
	}
	return err
}

// heldAt returns the whole model: x for the first parameters, start for the others.
func heldAt(start, x []float64) []float64 {
	whole := append([]float64(nil), start...)
	copy(whole, x)
	return whole
}
