package gauge

import (
	"starling/messages"
	"starling/scenarios/metric"
	"starling/scenarios/problem"
)

// Predict adds the fresh data of a node to a sample of the form of a probe, with the predictions
// of a decision of a step.
type Predict func(s *problem.Predictions, node messages.NodeID, step int, x []float64)

// Predicting returns the answers with those about predictions of a form on fresh data.
func (a Answers) Predicting(f problem.ScoreForm) Answers {
	a.Classes, a.Scores, a.Probabilities, a.Means = f.Classes > 0, f.Scored, f.Probable, f.Mean
	return a
}

// PredictFresh returns Predict for an instance with fresh data. first is the participant that is
// node 0.
func PredictFresh(fresh problem.Predicting, first messages.NodeID) Predict {
	return func(s *problem.Predictions, node messages.NodeID, step int, x []float64) {
		problem.At(fresh, step).PredictFresh(s, node-first, x)
	}
}

// Scored returns the measure of a score of predictions on fresh data: of the decisions of the
// step of a point, each one's on its own fresh data, of which every datum counts alike. needs are
// the questions about predictions; a run that does not answer them is refused where
// measure.metrics names the metric. of gets a sample that it must not change.
func Scored(m metric.Metric, needs Answers, of func(s *problem.Predictions) float64) Measure {
	needs.Fresh = true
	m.Summary += ". Taken on fresh data: each decision of the step on data of its own node, all data with equal weight"
	return scored(m, needs, of, func(r *Run) *predictions {
		if r.predicted == nil {
			r.predicted = r.predictions(r.Predict)
		}
		return r.predicted
	})
}

// Validation is the beginning of the names of metrics of validation rows.
const Validation = "validation."

// validated returns a metric of validation rows in place of fresh data.
func validated(m metric.Metric) metric.Metric {
	m.Name, m.Label = Validation+m.Name, m.Label+" of validation rows"
	m.Summary += ". Taken on validation rows"
	m.Chart = metric.Chart{Name: "validation-" + m.Chart.Name, Title: m.Label}
	return m
}

// scoredOfValidation is Scored of validation rows, with the metric and needs of fresh data.
func scoredOfValidation(m metric.Metric, needs Answers, of func(s *problem.Predictions) float64) Measure {
	needs.Validation = true
	return scored(validated(m), needs, of, func(r *Run) *predictions {
		if r.chosen == nil {
			r.chosen = r.predictions(r.Validation.Predict)
		}
		return r.chosen
	})
}

// scored returns the measure of a score of predictions; shared returns those of a run.
func scored(m metric.Metric, needs Answers, of func(s *problem.Predictions) float64, shared func(r *Run) *predictions) Measure {
	m.Level, m.Asked, m.Course = metric.OfRun, true, metric.State
	m.Summary += ". Recorded where measure.metrics names it"
	return Measure{
		Metric: m, Needs: []Answers{needs}, Missing: needs.unpredicted,
		New: func(m *Measure, r *Run) Gauge {
			p := shared(r)
			return DerivedOf(p, m.column(p.ask(m.Metric, of)))
		},
	}
}

// unpredicted returns the reason why a run with other answers has none to these questions about
// predictions; empty if it has.
func (a Answers) unpredicted(of Answers) string {
	switch {
	case a.Fresh && !of.Fresh:
		return "its problem has no fresh data, such as test rows"
	case a.Validation && !of.Validation:
		return "its problem has no validation rows; give problem.validation, a share of the training rows or a number of other rows, or problem.validation_samples, if its kind has one of these keys"
	case a.within(of):
		return ""
	case of.Means && (a.Classes || a.Scores || a.Probabilities):
		return "its model predicts numbers, and this metric is of classes"
	case of.Classes && a.Means:
		return "its model predicts classes, and this metric is of numbers"
	case of.Scores:
		return "its model ranks classes, and has no probabilities of them"
	case of.Classes:
		return "its model chooses classes, and has no scores of them"
	}
	return "its model does not say which labels it predicts"
}

// predictions returns a gauge of predictions, which measures share.
func (r *Run) predictions(predict Predict) *predictions {
	p := &predictions{who: r.Who, dim: r.Dim, form: r.Form, predict: predict}
	r.gauges = append(r.gauges, p)
	return p
}

// predictions scores the decisions of a step on data of all deciders that are held out. A point is scored
// when all of its decisions are there, in the order of the nodes.
type predictions struct {
	who     Deciders
	dim     int // d
	form    problem.ScoreForm
	predict Predict
	of      []func(s *problem.Predictions) float64
	metrics metric.List // by score

	points []int
	open   gathering
	at     [][]float64 // by point, then by score: NaN before it is known
}

// ask adds a score, and returns its values by point.
func (p *predictions) ask(m metric.Metric, of func(s *problem.Predictions) float64) (value func(point int) float64) {
	i := len(p.of)
	p.of, p.metrics = append(p.of, of), append(p.metrics, m)
	return func(point int) float64 { return p.values(point)[i] }
}

// again implements everyStep: one gauge has the windows of all scores.
func (p *predictions) again() everyStep {
	return &scoresOfSteps{predictions{who: p.who, dim: p.dim, form: p.form, predict: p.predict, of: p.of, metrics: p.metrics}}
}

// scoresOfSteps are predictions with a column for each score.
type scoresOfSteps struct{ predictions }

// Begin implements Gauge.
func (p *scoresOfSteps) Begin(s *Span) (columns []Column) {
	p.predictions.Begin(s)
	for i, m := range p.metrics {
		columns = append(columns, Column{Metric: m, Value: func(point int) float64 { return p.values(point)[i] }})
	}
	return columns
}

// Begin implements Gauge.
func (p *predictions) Begin(s *Span) []Column {
	p.points, p.at = s.Points, make([][]float64, len(s.Points))
	for point := range p.at {
		p.at[point] = Undefined(len(p.of))
	}
	p.open.begin(p.who, p.dim, len(s.Points))
	return nil
}

// values returns the scores of a point. While the run goes on, a point with missing decisions
// counts those that are there.
func (p *predictions) values(point int) []float64 {
	if d := p.open.at(point); d != nil {
		return p.scores(point, d)
	}
	return p.at[point]
}

// scores returns the scores of the decisions of a point.
func (p *predictions) scores(point int, d *decisions) []float64 {
	var s problem.Predictions
	s.Reset(p.form)
	p.open.each(d, func(i int, x []float64) { p.predict(&s, p.who.First+messages.NodeID(i), p.points[point], x) })
	values := make([]float64, len(p.of))
	for i, of := range p.of {
		values[i] = of(&s)
	}
	return values
}

// Heeds implements Selective.
func (p *predictions) Heeds(at At) bool { return at.Exact }

// Played implements Decisions.
func (p *predictions) Played(node messages.NodeID, at At, x []float64) {
	if d := p.open.add(node, at, x); d != nil {
		p.reduce(at.Point, d)
	}
}

// reduce scores all decisions of a point and gives their memory back.
func (p *predictions) reduce(point int, d *decisions) {
	p.at[point] = p.scores(point, d)
	p.open.close(point, d)
}

// End implements Ender: a point with missing decisions counts those that are there.
func (p *predictions) End() { p.open.end(p.reduce) }

// Final implements Early.
func (p *predictions) Final(points int) int { return points }

// State implements Gauge.
func (p *predictions) State(c *messages.Codec) {
	messages.Each(c, "point", p.at, func(at *[]float64) { c.Floats("scores", *at) })
	p.open.State(c)
}
