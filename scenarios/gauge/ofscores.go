package gauge

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/messages"
	"starling/scenarios/metric"
	"starling/scenarios/problem"
)

// scoreQuantities are the scores of predictions as quantities of participants: on fresh data, then
// on validation rows.
var scoreQuantities = func() (list []*Quantity) {
	for i := range scorings {
		list = append(list, scoreQuantity(&scorings[i], false))
	}
	list = append(list, scoreQuantity(&accuracyScoring, true))
	for i := range scorings {
		list = append(list, scoreQuantity(&scorings[i], true))
	}
	return list
}()

// scoreQuantity returns the quantity of a score.
func scoreQuantity(s *scoring, validation bool) *Quantity {
	m, rows := s.metric, "its own fresh data"
	if validation {
		m, rows = validated(m), "its own validation rows"
	}
	return &Quantity{
		Name: m.Name, Unit: m.Unit, Better: m.Better, Signed: s.signed, score: s, validation: validation,
		Summary: fmt.Sprintf("%s on %s, by its decision of the step, or by the newest model of a server that decides; it is NaN where it is not defined there", s.metric.Label, rows),
	}
}

// Asked reports whether measure.metrics asks for the quantity by names and patterns: for a score
// by its name or by the names of its metrics. All other quantities are recorded unasked.
func (q *Quantity) Asked(patterns []string) bool {
	return q.score == nil || slices.Contains(patterns, q.Name) || slices.ContainsFunc(q.Names(), func(name string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool { return strings.HasPrefix(p, q.Name+".") && metric.Matches(p, name) })
	})
}

// IsScore reports whether the quantity is a score of predictions.
func (q *Quantity) IsScore() bool { return q.score != nil }

// MissingScore returns the reason why runs with some answers have no such score of each
// participant; empty if they have it. decide is true if the participants are the deciders.
func (q *Quantity) MissingScore(of Answers, decide bool) string {
	needs, rows, own := q.score.needs, "test rows", of.OwnFresh
	needs.Fresh = true
	if q.validation {
		needs.Fresh, needs.Validation, rows, own = false, true, "validation rows", of.OwnValidation
	}
	if reason := needs.unpredicted(of); reason != "" {
		return reason
	}
	if !decide && !own {
		return "its " + rows + " are of no single participant"
	}
	return ""
}

// undefined is the last part of the name of the number of participants without a score.
const undefined = "undefined"

// ofUndefined returns the metric of the number of participants without a score.
func (q *Quantity) ofUndefined() metric.Metric {
	m := q.metric(undefined, "number of participants without a value. No statistic counts them"+ofEach)
	m.Label, m.Unit, m.Better, m.Level = fmt.Sprintf("participants without %s", q.score.metric.Label), "participants", metric.LowerIsBetter, metric.OfRun
	return m
}

// missing returns the number of measured participants without a value.
func (p *Owners) missing(values []float64) (count int) {
	for i, value := range values {
		if p.measures(p.First+messages.NodeID(i)) && math.IsNaN(value) {
			count++
		}
	}
	return count
}

// addScores adds the gauges of the scores that the participants have.
func (r *Run) addScores() {
	for _, validation := range []bool{false, true} {
		var list []*Quantity
		for _, q := range r.Owners.Scores {
			if q.validation == validation {
				list = append(list, q)
			}
		}
		if len(list) > 0 {
			r.gauges = append(r.gauges, r.scoresOf(list, validation))
		}
	}
}

// scoresOf returns the gauge of scores on fresh data, or on validation rows.
func (r *Run) scoresOf(list []*Quantity, validation bool) Gauge {
	predict := r.Predict
	if validation {
		predict = r.Validation.Predict
	}
	if r.OwnData == nil {
		return &scoresOfDeciders{form: r.Form, predict: predict, scores: list, of: r.Owners}
	}
	own := r.OwnData.Predict
	if validation {
		own = r.OwnData.PredictValidation
	}
	return &scoresOfClients{Model: Model{Start: r.OwnData.Start}, form: r.Form, predict: own, scores: list, of: r.Owners}
}

// scoresOfDeciders are scores of the decisions of single deciders on their own data. It is safe
// for concurrent use for different deciders.
type scoresOfDeciders struct {
	form    problem.ScoreForm
	predict Predict
	scores  []*Quantity
	of      *Owners
	at      [][]float64 // by score, then by point and participant: NaN if there is none
}

// Begin implements Gauge.
func (o *scoresOfDeciders) Begin(s *Span) (columns []Column) {
	n := o.of.Count
	for _, q := range o.scores {
		at := Undefined(len(s.Points) * n)
		o.at = append(o.at, at)
		columns = append(columns, o.of.Columns(q, s, func(point int) []float64 { return at[point*n : (point+1)*n] })...)
	}
	return columns
}

// Heeds implements Selective.
func (o *scoresOfDeciders) Heeds(at At) bool { return at.Exact }

// Played implements Decisions.
func (o *scoresOfDeciders) Played(node messages.NodeID, at At, x []float64) {
	i, ok := o.of.at(node)
	if !ok || !at.Exact {
		return
	}
	var s problem.Predictions
	s.Reset(o.form)
	o.predict(&s, node, at.Step, x)
	for k, q := range o.scores {
		o.at[k][at.Point*o.of.Count+i] = q.score.of(&s)
	}
}

// Final implements Early.
func (o *scoresOfDeciders) Final(points int) int { return points }

// State implements Gauge.
func (o *scoresOfDeciders) State(c *messages.Codec) {
	for k, q := range o.scores {
		c.Floats(q.Name, o.at[k])
	}
}

// scoresOfClients are scores of the newest model of a server on the data of each client.
type scoresOfClients struct {
	Model   // with the scores of the first client, then of the next
	form    problem.ScoreForm
	predict func(s *problem.Predictions, client int, x []float64) error
	scores  []*Quantity
	of      *Owners
}

// Begin implements Gauge.
func (o *scoresOfClients) Begin(s *Span) (columns []Column) {
	var sample problem.Predictions // of the client whose scores are taken
	for i := range o.of.Count {
		for k, q := range o.scores {
			o.Of = append(o.Of, Evaluation{Of: func(x []float64) (float64, error) {
				if k == 0 {
					sample.Reset(o.form)
					if err := o.predict(&sample, i, x); err != nil {
						return 0, fmt.Errorf("the predictions for client %d: %w", i+1, err)
					}
				}
				return q.score.of(&sample), nil
			}})
		}
	}
	for k, q := range o.scores {
		columns = append(columns, o.of.Columns(q, s, func(int) []float64 {
			values := make([]float64, o.of.Count)
			for i := range values {
				values[i] = o.now.values[i*len(o.scores)+k]
			}
			return values
		})...)
	}
	o.Model.Begin(s)
	for i := range o.takes {
		o.takes[i] = true // they have no names of their own
	}
	return columns
}
