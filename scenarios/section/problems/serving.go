package problems

import (
	"starling/actors/algorithm/batch"
	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/cache"
	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/kind"
	"starling/scenarios/problem"
	"starling/scenarios/problem/stream"
	"starling/scenarios/study"
)

// ReadCorpus returns the data of the clients of an algorithm, with so many samples of each; nil
// is the default.
func ReadCorpus(b *study.Builder, a *study.ArmFile, algorithm string, samples *int) (*Corpus, error) {
	count := 0
	if samples != nil {
		count = *samples
	}
	return buildCorpusOf(b, a, "the algorithm "+algorithm, count)
}

// Trains reports whether clients of the problem of an arm take local steps of their own.
func Trains(a *study.ArmFile) bool {
	piece, ok := trainer(a)
	return ok && piece.Trains(a.Problem)
}

// Keeps is the number of numbers that a client of the problem of an arm keeps from round to round.
func Keeps(a *study.ArmFile) int {
	if piece, ok := trainer(a); ok {
		return piece.Keeps(a.Problem)
	}
	return 0
}

// trainer is the piece of a problem of clients that may take local steps of their own.
func trainer(a *study.ArmFile) (piece AsTrainer, ok bool) {
	if a.Problem == nil {
		return nil, false
	}
	piece, err := kind.PieceOf[AsTrainer](a.Kinds.Problems, a.Problem, "")
	return piece, err == nil
}

// CheckSized refuses sizes of more clients than there are. An audit has fewer, and takes the first.
func (c *Corpus) CheckSized(clients int) error {
	if c.Sized > clients {
		return document.At("problem.sizes", "%d sizes of %d clients; want one for each", c.Sized, clients)
	}
	return nil
}

// Entries lists the cache entries that jobs of a seed share.
func (c *Corpus) Entries(seed uint64, clients int) []cache.Need {
	if c.Needs == nil {
		return nil
	}
	return c.Needs(seed, clients)
}

// Begin returns the initial model under a seed: the given one, or without it the problem's, on
// the set. The error, of a given model, is its length.
func (c *Corpus) Begin(seed uint64, given []float64) ([]float64, error) {
	start := given
	if start == nil {
		start = c.within(c.Start(seed))
	}
	if len(start) != c.Dim {
		return nil, document.At("", "algorithm.start has %d numbers; the model has %d", len(start), c.Dim)
	}
	return start, nil
}

// BeginOn returns the initial model of a run on data: of Begin, unless the data have one of their
// own, for which an external program is asked, and none is given.
func (c *Corpus) BeginOn(data *Divided, seed uint64, given []float64) ([]float64, error) {
	if data.Start == nil || given != nil {
		return c.Begin(seed, given)
	}
	start, err := data.Start()
	if err != nil {
		return nil, err
	}
	return c.within(start), nil
}

// within returns a model after its projection on the set, which is written to it.
func (c *Corpus) within(x []float64) []float64 {
	if c.Set != nil {
		c.Set.Project(x, x, make([]float64, c.Set.WorkSize()))
	}
	return x
}

// Remarks returns remarks on the initial model and the data, in slices of their own.
func (c *Corpus) Remarks() (r study.Remarks) {
	r.Start(c.Before(accountant.AddOrRemove))
	r.Append(c.Notes, c.Warnings)
	return r
}

// Comparator returns the least losses of fixed decisions on data of a shape. Jobs that meet the
// same data share it under a key of their own in the cache, and otherwise have it alone.
func Comparator(in *cache.Cache, key any, best stream.Minimiser, data problem.Data, shape stream.Shape) *stream.Comparator {
	find := func() (*stream.Comparator, error) { return stream.NewComparator(best, data, shape), nil }
	c, kept, _ := cache.Get(in, key, find)
	if !kept {
		c, _ = find()
		c = c.Alone()
	}
	return c
}

// Evaluations returns the problem's own measurements of the models of one seed.
func (c *Corpus) Evaluations(d *Divided) (list []gauge.Evaluation) {
	var values []float64 // of the model of a step; evaluations come one after the other
	var of int
	for i, m := range c.Own {
		list = append(list, gauge.Evaluation{Metric: m, OfStep: func(step int, x []float64) (_ float64, err error) {
			if values == nil || of != step {
				of = step
				if values, err = d.Measure(x); err != nil {
					return 0, err
				}
			}
			return values[i], nil
		}})
	}
	return list
}

// Answers returns the questions about models that Divided.Probe answers.
func (c *Corpus) Answers() gauge.Answers {
	a := gauge.Answers{Met: true, Fresh: c.Tests, Best: c.Compared, BestPoint: c.Point, Losses: c.Losses, Accuracies: c.Accuracies, Validation: c.Validates, OwnFresh: c.OwnFresh, OwnValidation: c.OwnValidation}
	return a.Predicting(c.Predictions)
}

// Probe returns the values of the models of a server on the data: a round meets the data of all
// clients. The server begins with the model start, and records the data so far under the name
// seen, as multiples of size.
func (d *Divided) Probe(start []float64, seen string, size float64) gauge.Probe {
	of := func(loss func([]float64) (float64, error)) func(messages.NodeID, int, []float64) float64 {
		return func(_ messages.NodeID, _ int, x []float64) float64 {
			value, err := loss(x)
			if err != nil {
				panic(err) // the data are checked before they are divided
			}
			return value
		}
	}
	probe := gauge.Probe{Seen: seen, Size: size, Best: d.Least, Same: true, Met: of(d.Loss)}
	if d.FreshLoss != nil {
		probe.Fresh = of(d.FreshLoss)
	}
	predict := func(predict func(*problem.Predictions, []float64) error) gauge.Predict {
		if predict == nil {
			return nil
		}
		return func(s *problem.Predictions, _ messages.NodeID, _ int, x []float64) {
			if err := predict(s, x); err != nil {
				panic(batch.Failure{Err: err})
			}
		}
	}
	probe.Form, probe.Predict = d.Form, predict(d.Predict)
	if v := d.Validation; v != nil {
		probe.Validation = &gauge.HeldOut{Fresh: of(v.Loss), Predict: predict(v.Predict)}
	}
	if d.Own != nil {
		own := *d.Own
		own.Start = start
		probe.OwnData, probe.BestPoint = &own, d.BestPoint
	}
	return probe
}
