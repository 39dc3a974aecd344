package stream

import (
	"starling/mechanisms/kernel"
	"starling/messages"
	"starling/scenarios/problem"
)

// Predictions implements problem.Predictor.
func (Logistic) Predictions() problem.ScoreForm {
	return problem.ScoreForm{Classes: 2, Scored: true, Probable: true}
}

// Predict implements problem.Predictor.
func (l Logistic) Predict(scores, x, datum []float64) (predicted, label float64) {
	return problem.PredictSign(scores, kernel.Dot(x, datum[:l.dim]), datum[l.dim])
}

// PredictFresh adds the fresh data of a node to a sample, with the predictions of a model at x.
// work, len Width of the data, is scratch.
func PredictFresh(s *problem.Predictions, m problem.Predictor, data Tester, work []float64, node messages.NodeID, x []float64) {
	scores := make([]float64, s.Width())
	for index := range data.TestSamples(node) {
		predicted, label := m.Predict(scores, x, TestRow(data, work, node, index))
		s.Add(scores, predicted, label)
	}
}

// Predictions implements problem.Predicting.
func (c *tested) Predictions() problem.ScoreForm { return problem.FormOf(c.model) }

// PredictFresh implements problem.Predicting.
func (c *tested) PredictFresh(s *problem.Predictions, node messages.NodeID, x []float64) {
	work := c.pool.Get().(*scratch)
	defer c.pool.Put(work)
	PredictFresh(s, c.model.(problem.Predictor), c.fresh, work.datum, node, x)
}

// Validation implements problem.Validated.
func (c *Costs) Validation() problem.HeldOut {
	if v := ValidationOf(c.data); v != nil {
		return &tested{c, v}
	}
	return nil
}

// Validation returns a corpus with validation rows in place of fresh data; nil where there are
// none.
func (c *Corpus) Validation() *Corpus {
	v := ValidationOf(c.data)
	if v == nil {
		return nil
	}
	of := &Corpus{model: c.model, data: v, parties: c.parties}
	of.pool.New = c.pool.New
	return of
}

// Predictions adds the fresh data of all parties to a sample, party by party, with predictions
// at x, len d. The data must be a Tester, and the model a problem.Predictor.
func (c *Corpus) Predictions(s *problem.Predictions, x []float64) {
	for party := range c.freshParties() {
		c.PredictionsOf(s, party, x)
	}
}

// PredictionsOf is Predictions of the fresh data of one party, from 0.
func (c *Corpus) PredictionsOf(s *problem.Predictions, party int, x []float64) {
	fresh := c.data.(Tester)
	PredictFresh(s, c.model.(problem.Predictor), fresh, make([]float64, fresh.Width()), messages.NodeID(party), x)
}
