package gauge

import (
	"errors"
	"fmt"

	"starling/actors/algorithm"
	"starling/messages"
	"starling/scenarios/problem"
)

// RegretOptions select the measurements.
type RegretOptions struct {
	// Nodes is N, FirstStep the paper's index of the first step, and Steps the horizon.
	Nodes     int
	FirstStep int
	Steps     int
	// Points are the steps at which metrics are recorded, the paper's
	// indices, strictly ascending; the last is the last step.
	Points []int
	// Measured are the nodes for which regret is taken, at least one, strictly ascending.
	Measured []messages.NodeID
	// Out are nodes that are not measured, ascending. Their costs are no part of regret.
	Out []messages.NodeID
	// Problem is the problem that is learned, and Instance is its instance for this run's
	// seed.
	Problem  problem.Problem
	Instance problem.Instance
	// Feedback gives the points that nodes play around their decisions; nil is the decisions
	// themselves. Regret is taken at the points played, for two points as the mean of both.
	Feedback *algorithm.Feedback
	// Interval is the length of the intervals over which regret is taken as well; 0 is none.
	Interval int
	// Ticks is true if steps are ticks of clocks, so that they have times.
	Ticks bool
	// Effects is true if the network has effects. The messages that it loses and delays are
	// then recorded.
	Effects bool
	// Limited is true if the bandwidth of its edges is limited. Drops and queues of edges are
	// then recorded.
	Limited bool
	// Masses is true if nodes record masses of push-sum in every step, and nothing keeps those
	// regretOf a step from summing to Nodes. The sum is then checked.
	Masses bool
	// Moves is true if nodes record the distance of each mirror step, as mirror.QuantityMove
	// says. It is then measured.
	Moves bool
	// Classifies is true if data of the problem have labels that decisions predict.
	Classifies bool
}

// Validate returns an error for the first option that cannot describe a run.
func (o *RegretOptions) Validate() error {
	if err := CheckPoints(o.FirstStep, o.FirstStep+o.Steps-1, o.Points); err != nil {
		return err
	}
	if len(o.Measured) == 0 {
		return errors.New("measure: no node's regret is taken")
	}
	next := messages.NodeID(0)
	for i, node := range o.Measured {
		if node < next || int(node) >= o.Nodes {
			return fmt.Errorf("measure: measured node %d of the list has the index %d, want %d to %d", i+1, node, next, o.Nodes-1)
		}
		next = node + 1
	}
	return nil
}

// RegretGauges returns the gauges of a run, in groups; see New. A node that was down in a
// step, or has ended its part and does not play on, keeps the regret it had, and is in the
// metrics of decisions where it played. It panics if Validate refuses the options: scenarios
// are checked before their runs are made.
func RegretGauges(o RegretOptions) [][]Gauge {
	if err := o.Validate(); err != nil {
		panic(err)
	}
	spread := &Spread{Who: Deciders{End: messages.NodeID(o.Nodes), Out: o.Out}, Dim: o.Problem.Dim()}
	if tracker, ok := o.Instance.(problem.Tracker); ok {
		spread.Target = tracker.Target
	}
	first := []Gauge{newLinearRegret(o), spread}
	if many, ok := o.Instance.(problem.Many); ok && o.Classifies {
		first = append(first, &Accuracy{Out: o.Out, Later: &Later{Most: o.Nodes, Ask: many.Tries}})
	} else if fresh, ok := o.Instance.(problem.Classifier); ok {
		first = append(first, &Accuracy{Out: o.Out, Try: Trying(fresh, 0)})
	}
	first = append(first, &Traffic{})
	if o.Effects {
		first = append(first, &Fates{Limited: o.Limited})
	}
	first = append(first, Paid())
	if o.Masses {
		first = append(first, &masses{nodes: o.Nodes})
	}
	if o.Moves {
		return [][]Gauge{first, {&moves{}}}
	}
	return [][]Gauge{first}
}

// RegretMetrics lists the names of the metrics of runs with the options, and of Expected. tracks
// means that there is a target to be found, and classifies that data have labels.
func (o *RegretOptions) Metrics(tracks, classifies bool) []string {
	list := []string{RegretExpected, RegretRun, RegretNode, Consensus, MessagesSent, BytesSent}
	if o.Interval > 0 {
		list = append(list, RegretAdaptive)
	}
	if tracks {
		list = append(list, TargetError)
	}
	if classifies {
		list = append(list, AccuracyTest)
	}
	if o.Effects {
		list = append(list, FateMetrics(o.Limited)...)
	}
	if o.Moves {
		list = append(list, MoveLargest, MoveExcess)
	}
	if o.Ticks {
		list = append(list, TimeElapsed.Name)
	}
	return list
}
