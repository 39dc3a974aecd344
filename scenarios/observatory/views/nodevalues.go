package views

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"starling/scenarios/accounts"
	"starling/scenarios/document"
	"starling/scenarios/ledger"
	"starling/scenarios/results"
)

// NodeValues are values of the nodes of a job, for their colours in a picture.
type NodeValues struct {
	// Choices are the values that the run has; empty where it has none.
	Choices []NodeChoice `json:"choices"`
	// Of is the key of the choice, and Label describes its values; both are empty without a choice.
	Of    string `json:"of"`
	Label string `json:"label"`
	// Values are by the number of the node in print. A node without a value is left out, and
	// nil stands for an infinite one.
	Values map[int32]*float64 `json:"values"`
}

// NodeChoice is a value that nodes have.
type NodeChoice struct {
	Key  string `json:"key"`
	Name string `json:"name"`
	// To is true if the values are losses to a node that the reader chooses.
	To bool `json:"to,omitempty"`
}

// The keys of choices of losses; the others are metrics of nodes.
const (
	lossOfNode = "loss"
	lossToNode = "loss-to"
)

// NodeValues returns the values of a choice, at the last record up to the step of the moment, or
// by the end of the run for losses. to is the number of the node that losses are to.
func (f *Folder) NodeValues(id string, m Moment, of, to string) (*NodeValues, error) {
	n := &NodeValues{Choices: []NodeChoice{}, Of: of, Values: map[int32]*float64{}}
	e, err := f.entry(id)
	if err != nil || !e.Shown {
		return n, err
	}
	o, err := f.opened(id)
	if err != nil {
		return nil, err
	}
	if err := n.recorded(o, m); err != nil {
		return nil, err
	}
	units, pairs, err := n.losses(o.Source, m)
	switch known := slices.ContainsFunc(n.Choices, func(c NodeChoice) bool { return c.Key == of }); {
	case err != nil || of == "":
		return n, err
	case !known:
		return nil, document.BadInput(fmt.Errorf("the nodes of arm %q have no values %q", m.Arm, of))
	case of == lossToNode:
		return n, n.lossesTo(pairs, m, to)
	case of == lossOfNode:
		n.Label, n.Values = "ε of the node's data to the observer to whom it is largest, by the end of the run", units
	}
	return n, nil
}

// recorded adds the metrics that the job has of its nodes as choices, and sets the values if one
// of them is chosen: of the last record up to the step of the moment.
func (n *NodeValues) recorded(o *opened, m Moment) error {
	last, names := int64(math.MinInt64), map[string]bool{}
	err := o.Source.OfJob(m.Arm, m.Seed, func(row results.Row) error {
		if row.Node == nil {
			return nil
		}
		if math.IsNaN(row.Value) {
			return nil
		}
		names[row.Metric] = true
		if row.Metric != n.Of || row.Step < last || row.Step > max(last, int64(m.Step)) && len(n.Values) > 0 {
			return nil
		}
		if row.Step > last {
			clear(n.Values)
			last = row.Step
		}
		n.Values[*row.Node] = finite(row.Value)
		return nil
	})
	for _, name := range slices.Sorted(maps.Keys(names)) {
		n.Choices = append(n.Choices, NodeChoice{Key: name, Name: o.Known.Label(name, false)})
	}
	if len(n.Values) > 0 {
		n.Label = fmt.Sprintf("%s (%s) at step %d", o.Known.Label(n.Of, false), n.Of, last)
	}
	return err
}

// mostUnits is the largest number of units of equal losses that are nodes of a picture, and not a
// population that no run holds.
const mostUnits = 1 << 21

// losses adds the choices of losses. It returns the losses of nodes to the strongest observer
// of each, and the losses of pairs of nodes.
func (n *NodeValues) losses(run *results.Run, m Moment) (units map[int32]*float64, pairs []accounts.Pairs, err error) {
	units = map[int32]*float64{}
	err = run.Privacy(func(row results.PrivacyRow) error {
		if row.Arm != m.Arm || row.Seed != m.Seed || !row.Final || row.Units > mostUnits {
			return nil
		}
		for unit := row.Unit; unit < row.Unit+row.Units; unit++ {
			if before, ok := units[unit]; !ok || before != nil && row.Epsilon > *before {
				units[unit] = finite(row.Epsilon)
			}
		}
		return nil
	})
	if err != nil || len(units) == 0 {
		return nil, nil, err
	}
	n.Choices = append(n.Choices, NodeChoice{Key: lossOfNode, Name: "ε to the strongest observer"})
	pairs, err = accounts.PairsOf(run)
	if errors.Is(err, accounts.ErrNoPairs) {
		return units, nil, nil
	}
	if slices.ContainsFunc(pairs, func(p accounts.Pairs) bool { return p.Arm == m.Arm }) {
		n.Choices = append(n.Choices, NodeChoice{Key: lossToNode, Name: "ε to the chosen node", To: true})
	}
	return units, pairs, err
}

// finite is a value; nil for an infinite one, for which JSON has no number.
func finite(v float64) *float64 {
	if math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// lossesTo sets the values to the losses to a node under the seed; none is chosen by an empty text.
func (n *NodeValues) lossesTo(pairs []accounts.Pairs, m Moment, to string) error {
	if to == "" {
		n.Label = "ε of the node's data to the chosen node: choose one"
		return nil
	}
	node, err := strconv.ParseInt(to, 10, 32)
	if err != nil {
		return document.BadInput(fmt.Errorf("node %q: want a number", to))
	}
	n.Label = fmt.Sprintf("ε of the node's data to node %d by the end of the run", node)
	for i := range pairs {
		if pairs[i].Arm != m.Arm {
			continue
		}
		for _, row := range pairs[i].Under(m.Seed) {
			if accounts.Single(row.Observer) == int32(node) {
				n.Values[row.Unit] = finite(row.Epsilon)
			}
		}
	}
	return nil
}

// KnownValue is a recorded value of a node.
type KnownValue struct {
	Name string `json:"name"`
	Step int64  `json:"step"`
	// Value is nil where it is infinite.
	Value *float64 `json:"value"`
}

// knownOf returns the last values of the metrics of a node up to a step, by name, and
// then its privacy loss so far to the strongest observer, or the largest of all nodes where the
// ledger has none until then.
func knownOf(o *opened, m Moment, node int32, to int64) ([]KnownValue, error) {
	last := map[string]KnownValue{}
	err := o.Source.OfJob(m.Arm, m.Seed, func(row results.Row) error {
		if row.Node == nil || *row.Node != node || row.Step > to || math.IsNaN(row.Value) {
			return nil
		}
		if before, ok := last[row.Metric]; !ok || row.Step >= before.Step {
			last[row.Metric] = KnownValue{o.Known.Label(row.Metric, false), row.Step, finite(row.Value)}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	list := []KnownValue{}
	for _, name := range slices.Sorted(maps.Keys(last)) {
		list = append(list, last[name])
	}
	loss, found := KnownValue{Name: "epsilon so far"}, false
	err = o.Source.Privacy(func(row results.PrivacyRow) error {
		if row.Arm != m.Arm || row.Seed != m.Seed || row.Step > to || node < row.Unit || node >= row.Unit+row.Units {
			return nil
		}
		if !found || loss.Value != nil && row.Epsilon > *loss.Value {
			found, loss.Value = true, finite(row.Epsilon)
		}
		loss.Step = max(loss.Step, row.Step)
		return nil
	})
	if !found { // the ledger has no loss of the node up to there; the run has the largest of all nodes
		loss.Name = "largest epsilon of a node so far"
		for _, row := range o.Rows[ledger.EpsilonTotal] {
			if row.Arm == m.Arm && row.Step <= to && row.Step >= loss.Step {
				found, loss.Step, loss.Value = true, row.Step, finite(row.Mean)
			}
		}
	}
	if found {
		list = append(list, loss)
	}
	return list, err
}
