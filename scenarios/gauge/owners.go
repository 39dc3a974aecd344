package gauge

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/messages"
	"starling/scenarios/metric"
)

// Owners are the participants with data of their own, of which a run records values one by
// one: the nodes of a decentralized algorithm, and the clients of a server. A nil *Owners
// is a run that records none.
type Owners struct {
	First messages.NodeID   // the first of them
	Count int               // their number
	Out   []messages.NodeID // participants that are not measured, ascending
	Label int               // the paper's number of participant 0
	// Steps are the steps in which the value of each participant is recorded, ascending.
	Steps []int
	// Groups is the number of the group of each participant, len Count, at least 0. With groups
	// the mean of each group is recorded at every point, and no value of a single participant.
	// nil is no groups.
	Groups []int
	// Scores are the scores of predictions that are recorded of each participant.
	Scores []*Quantity
}

// at returns the number of a participant, from 0. ok is false for participants without data of
// their own, and for those that are not measured.
func (p *Owners) at(node messages.NodeID) (i int, ok bool) {
	i = int(node - p.First)
	_, out := slices.BinarySearch(p.Out, node)
	return i, i >= 0 && i < p.Count && !out
}

// Decide reports whether the deciders of a run are its participants.
func (p *Owners) Decide(who Deciders) bool {
	return who.First == p.First && who.n() == p.Count
}

// Columns returns the columns of a quantity of the participants: its statistics, and its values.
// values returns the value of each participant at a point, len Count, NaN if it has none; the
// columns change nothing of it.
func (p *Owners) Columns(q *Quantity, span *Span, values func(point int) []float64) (columns []Column) {
	measured := func(point int) []float64 { return p.measured(values(point)) }
	for _, s := range q.statistics() {
		columns = append(columns, Column{Metric: q.of(&s), Last: q.Last, Value: func(point int) float64 {
			list := measured(point)
			slices.Sort(list)
			return s.value(list, q.Better)
		}})
	}
	if q.IsScore() {
		columns = append(columns, Column{Metric: q.ofUndefined(), Value: func(point int) float64 { return float64(p.missing(values(point))) }})
	}
	if p.Groups != nil {
		return append(columns, Column{Metric: q.ofGroup(), Last: q.Last, Rows: func(point int, to Sheet) {
			for group, mean := range p.groupMeans(values(point)) {
				to.AddNode(span.Points[point], group-p.Label, q.ofGroup().Name, mean)
			}
		}})
	}
	return append(columns, Column{Metric: q.ofParticipant(), Last: q.Last, Rows: func(point int, to Sheet) {
		if _, recorded := slices.BinarySearch(p.Steps, span.Points[point]); !recorded {
			return
		}
		for i, value := range values(point) {
			if node := p.First + messages.NodeID(i); p.measures(node) {
				to.AddNode(span.Points[point], int(node), q.ofParticipant().Name, value)
			}
		}
	}})
}

// measures reports whether a participant is measured.
func (p *Owners) measures(node messages.NodeID) bool {
	_, ok := p.at(node)
	return ok
}

// measured returns the values that there are, of participants that are measured; a new slice.
func (p *Owners) measured(values []float64) (list []float64) {
	for i, value := range values {
		if p.measures(p.First+messages.NodeID(i)) && !math.IsNaN(value) {
			list = append(list, value)
		}
	}
	return list
}

// groupMeans yields each group that has measured participants, ascending, with the mean of the
// values of its participants.
func (p *Owners) groupMeans(values []float64) func(yield func(group int, mean float64) bool) {
	sums, counts := make([]float64, slices.Max(p.Groups)+1), make([]int, slices.Max(p.Groups)+1)
	members := make([]bool, len(sums))
	for i, value := range values {
		if group := p.Groups[i]; p.measures(p.First + messages.NodeID(i)) {
			members[group] = true
			if !math.IsNaN(value) {
				sums[group] += value
				counts[group]++
			}
		}
	}
	return func(yield func(int, float64) bool) {
		for group, member := range members {
			if member && !yield(group, sums[group]/float64(counts[group])) {
				return
			}
		}
	}
}

// Quantity is a number that each participant of a run can have, the first part of the names of
// its metrics.
type Quantity struct {
	Name    string
	Summary string // of the value of a participant
	Unit    string
	Better  metric.Direction
	// Last means that the values are known at the end of a run only.
	Last bool
	// Signed means that values may be below 0, so that they have no Gini coefficient.
	Signed bool
	// Derived means that the values follow from the scenario; see metric.Metric.
	Derived bool

	// score is the score of predictions that it is, nil if it is none. validation is true if it
	// is taken on validation rows, and false on fresh data.
	score      *scoring
	validation bool
}

// The quantities of participants.
var (
	LossOf = Quantity{
		Name: "loss", Better: metric.LowerIsBetter,
		Summary: "mean loss so far of its decisions on the data that it met; a client whose server decides has the mean loss of the server's newest model on its data",
	}
	AccuracyOf = Quantity{
		Name: "accuracy", Unit: metric.Share, Better: metric.HigherIsBetter,
		Summary: "share of its own fresh data that its decision of the step classifies right; a client whose server decides has the share of its data that the server's newest model classifies right",
	}
	RegretOf = Quantity{
		Name: "regret", Better: metric.LowerIsBetter, Last: true, Signed: true,
		Summary: "its loss less the loss on the same data of the fixed decision that is best for the data of all; the mean over participants is regret.fixed where all have as many data; a node that did not decide in every step has none, and no statistic counts it; it is recorded at the last step",
	}
	EpsilonOf = Quantity{
		Name: "epsilon", Better: metric.LowerIsBetter, Derived: true,
		Summary: "accounted privacy loss so far to the first observer of the ledger; it is infinite without noise",
	}
	MessagesOf = Quantity{
		Name: "messages", Unit: "messages", Better: metric.LowerIsBetter, Derived: true,
		Summary: "messages that it has sent to others so far",
	}
)

// OwnerQuantities lists the quantities, in the order of lists.
func OwnerQuantities() []*Quantity {
	return append([]*Quantity{&LossOf, &AccuracyOf, &RegretOf, &EpsilonOf, &MessagesOf}, scoreQuantities...)
}

// OwnerMetrics returns the metrics of all quantities, in the order of lists.
func OwnerMetrics() (list metric.List) {
	for _, q := range OwnerQuantities() {
		for _, s := range q.statistics() {
			list = append(list, q.of(&s))
		}
		if q.IsScore() {
			list = append(list, q.ofUndefined())
		}
		list = append(list, q.ofParticipant(), q.ofGroup())
	}
	return list
}

// IsOfOwners reports whether a metric is one of these.
func IsOfOwners(name string) bool { return slices.Contains(ownerNames, name) }

var ownerNames = OwnerMetrics().Names()

// Names returns the names of the metrics of the quantity.
func (q *Quantity) Names() (names []string) {
	for _, s := range q.statistics() {
		names = append(names, q.of(&s).Name)
	}
	if q.IsScore() {
		names = append(names, q.ofUndefined().Name)
	}
	return append(names, q.ofParticipant().Name, q.ofGroup().Name)
}

// OfOne returns the name of the metric of single participants.
func (q *Quantity) OfOne() string { return q.ofParticipant().Name }

// OfGroup returns the name of the metric of groups.
func (q *Quantity) OfGroup() string { return q.ofGroup().Name }

// Recorded returns the names of the metrics of the quantity in runs that record it, by group or
// by participant.
func (q *Quantity) Recorded(groups bool) []string {
	names := q.Names()
	if n := len(names); groups {
		return append(names[:n-2], names[n-1])
	}
	return names[:len(names)-1]
}

// statistics returns the statistics of the quantity, in the order of lists; a new slice.
func (q *Quantity) statistics() []statistic {
	return slices.DeleteFunc(slices.Clone(statistics), func(s statistic) bool { return q.Signed && s.name == gini })
}

// of returns the metric of a statistic of the quantity.
func (q *Quantity) of(s *statistic) metric.Metric {
	m := q.metric(s.name, s.sentence()+ofEach)
	m.Label, m.Level = fmt.Sprintf("%s of participants, %s", q.Name, s.label), metric.OfRun
	if s.dispersion {
		m.Better = metric.LowerIsBetter
	}
	if s.name == gini {
		m.Unit = ""
	}
	return m
}

// ofParticipant returns the metric of single participants, and ofGroup of groups.
func (q *Quantity) ofParticipant() metric.Metric {
	return q.metric(ofOne, "value of a participant: ")
}

func (q *Quantity) ofGroup() metric.Metric {
	return q.metric(ofGroup, "mean over the participants of each group. The number of the group stands in the column node"+ofEach)
}

// ofEach stands in summaries before the value of a participant.
const ofEach = ". Value of a participant: "

// The last parts of the names of values.
const (
	ofOne   = "participant"
	ofGroup = "group"
)

// sentence describes a statistic.
func (s *statistic) sentence() string {
	what, remark, some := strings.Cut(s.summary, ", ")
	text := what + " over the participants"
	if some {
		text += ". It is " + remark
	}
	return text
}

// sentences writes a summary of facts between semicolons as sentences, without the last full stop.
func sentences(summary string) string {
	facts := strings.Split(summary, "; ")
	for i, fact := range facts[1:] {
		facts[i+1] = strings.ToUpper(fact[:1]) + fact[1:]
	}
	return strings.Join(facts, ". ")
}

// metric returns a metric of the quantity, of a node unless the caller changes that. Its summary begins
// with the text given, and goes on with the value of a participant.
func (q *Quantity) metric(name, begin string) metric.Metric {
	return metric.Metric{
		Name: q.Name + "." + name, Summary: begin + sentences(q.Summary) + ". Recorded where measure.by is given", Label: fmt.Sprintf("%s of a %s", q.Name, name),
		Unit: q.Unit, Better: q.Better, Level: metric.OfNode, Derived: q.Derived, Asked: true,
	}
}
