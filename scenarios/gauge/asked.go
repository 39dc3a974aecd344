package gauge

import (
	"slices"

	"starling/messages"
	"starling/scenarios/problem"
)

// Probe is the answers of a run's problem about any decision. A nil function is a question
// without an answer. Its functions are called concurrently for different nodes.
type Probe struct {
	// Met returns the loss of a node at a step, at a decision x, len d.
	Met func(node messages.NodeID, step int, x []float64) float64
	// Fresh returns the mean loss of a decision of a step on the fresh data of a node, NaN for
	// a node without any. Tests returns the number of a node's fresh data; nil is that all
	// have the same number.
	Fresh func(node messages.NodeID, step int, x []float64) float64
	Tests func(node messages.NodeID) int
	// Predict adds the fresh data of a node to a sample of the form Form, with the predictions
	// of a decision of a step; nil, and the zero form, where the model has none.
	Form    problem.ScoreForm
	Predict Predict
	// Validation answers Fresh, Tests and Predict on validation rows; nil where there are none. Form
	// is the form of both.
	Validation *HeldOut
	// MetMany and FreshMany are Met and Fresh of many nodes at once, if that is much less work
	// than one by one; nil otherwise.
	MetMany, FreshMany Many
	// Best returns the least mean loss of one point on all data that were met. It is called
	// once, and only if every node decided in every step, or Same is true.
	Best func() float64
	// BestIn returns the same for the steps first .. last, the paper's numbers.
	BestIn func(first, last int) float64
	// BestPoint returns the point of Best, read only, nil where the search for it did not come
	// close enough. It is called once the run is over.
	BestPoint func() []float64
	// OwnData are the answers on the data of single clients, where a server decides; nil
	// elsewhere.
	OwnData *OwnData
	// Begin works out an answer of BestIn ahead, unless another run on the same data does so
	// at that time; nil if runs share nothing.
	Begin func(first, last int)
	// Target returns the point of each step, len d, against which regret is taken. MetThere
	// returns the mean over deciders of the loss at that point. Both are nil if there is no
	// target; the best point of each step by BestIn then takes its place.
	Target   func(step int) []float64
	MetThere func(step int) float64
	// Same means that all steps meet the same data, so that the best point of any step is the
	// best of all.
	Same bool
	// Seen is a quantity that a machine records: the data so far as multiples of Size. If it
	// is empty, decisions are counted. Adds means that a record adds to the records before, of
	// any machine; otherwise it is the number so far.
	Seen string
	Adds bool
	Size float64
	// RoundSteps is the number of steps in a round of a server, which hears of the others at
	// its end; 0 if there is no such round, and every step is one.
	RoundSteps int
}

// HeldOut are the answers of a probe on other data that are held out, as Fresh, Tests and Predict
// of Probe are on fresh data.
type HeldOut struct {
	Fresh   func(node messages.NodeID, step int, x []float64) float64
	Tests   func(node messages.NodeID) int
	Predict Predict
}

// HoldOut adds the answers on the validation rows of an instance, if it has any. first is the
// participant that is node 0.
func (p *Probe) HoldOut(instance any, first messages.NodeID) {
	held, ok := instance.(problem.Validated)
	if !ok {
		return
	}
	if v := held.Validation(); v != nil {
		p.Form = v.Predictions()
		p.Validation = &HeldOut{
			Fresh: MeanFresh(v, first), Predict: PredictFresh(v, first),
			Tests: func(node messages.NodeID) int { return v.TestSamples(node - first) },
		}
	}
}

// Answers are the questions that a probe answers.
type Answers struct {
	Met, Fresh, Best, BestIn, Target bool
	// Validation is true if there are validation rows.
	Validation bool
	// The predictions of labels of fresh data: classes, scores of classes, scores that are
	// probabilities, and numbers.
	Classes, Scores, Probabilities, Means bool
	// BestPoint, and Losses and Accuracies of OwnData, are questions that no measure of decisions
	// asks.
	BestPoint, Losses, Accuracies bool
	// OwnFresh and OwnValidation are the predictions of OwnData.
	OwnFresh, OwnValidation bool
}

// within reports whether other answers all these questions.
func (a Answers) within(other Answers) bool {
	return (!a.Met || other.Met) && (!a.Fresh || other.Fresh) && (!a.Best || other.Best) && (!a.BestIn || other.BestIn) && (!a.Target || other.Target) &&
		(!a.Validation || other.Validation) && (!a.Classes || other.Classes) && (!a.Scores || other.Scores) && (!a.Probabilities || other.Probabilities) && (!a.Means || other.Means)
}

// Answers returns the questions that the probe answers.
func (p *Probe) Answers() Answers {
	a := Answers{Met: p.Met != nil, Fresh: p.Fresh != nil, Best: p.Best != nil, BestIn: p.BestIn != nil, Target: p.Target != nil, Validation: p.Validation != nil}
	return a.Predicting(p.Form)
}

// there returns a function for the mean loss at a step, at the point against which regret is
// taken.
func (p *Probe) there() func(step int) float64 {
	if p.Target != nil {
		return p.MetThere
	}
	return func(step int) float64 { return p.BestIn(step, step) }
}

// Deciders are the participants that decide: First up to End-1.
type Deciders struct {
	First, End messages.NodeID
	// Out are the deciders that are not measured, ascending.
	Out []messages.NodeID
}

// n returns the number of deciders, with those that are out.
func (d Deciders) n() int { return int(d.End - d.First) }

// in returns the number of deciders that are measured.
func (d Deciders) in() int { return d.n() - len(d.Out) }

// at returns the number of a participant among the deciders, from 0. ok is true if it is a
// decider that is measured.
func (d Deciders) at(node messages.NodeID) (i int, ok bool) {
	if len(d.Out) > 0 {
		if _, out := slices.BinarySearch(d.Out, node); out {
			return 0, false
		}
	}
	return int(node - d.First), node >= d.First && node < d.End
}

// weights returns the numbers of data of the measured deciders, in units of the largest, so
// that the weight of each is 1 if all have the same number. nil counts all alike.
func (d Deciders) weights(samples func(node messages.NodeID) int) []float64 {
	if samples == nil {
		return nil
	}
	list, most := make([]float64, d.n()), 1
	for i := range list {
		if node := d.First + messages.NodeID(i); d.measures(node) {
			n := samples(node)
			list[i], most = float64(n), max(most, n)
		}
	}
	for i := range list {
		list[i] /= float64(most)
	}
	return list
}

// measures reports whether a decider is measured.
func (d Deciders) measures(node messages.NodeID) bool {
	_, ok := d.at(node)
	return ok
}

// later returns a Later that asks about decisions of all deciders of a step together; nil if
// ask is nil.
func (d Deciders) later(ask Many, take func(node messages.NodeID, at At, number float64)) *Later {
	if ask == nil {
		return nil
	}
	return &Later{Most: d.n(), Width: 1, Ask: ask, Take: func(node messages.NodeID, at At, _, answer []float64) { take(node, at, answer[0]) }}
}
