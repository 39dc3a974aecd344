package views

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/actors/algorithm"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/results"
	"starling/scenarios/study"
	"starling/scenarios/view"
	"starling/scenarios/view/plot"
)

// Opening is the arm and the step at which the picture of a network opens.
type Opening struct {
	Arm  string `json:"arm"`
	Step int    `json:"step"`
	// Text says in a sentence why it is there; empty for the first step of the arm with the most
	// nodes, of a run in which nothing happens to nodes and messages and no server waits.
	Text string `json:"text,omitempty"`
}

// mostOpening bounds the pairs of an edge and a step that are looked at for an arm: some tenths
// of a second of work. Beyond, an arm with an effect on messages opens at its first step.
const mostOpening = 1 << 21

// Opening returns the first arm of a run in which something happens to nodes or messages, and
// the first step of it under the first seed: nodes are Byzantine, edges change by an event,
// messages are late or lost, or nodes are down.
func (f *Folder) Opening(ctx context.Context, id string) (*Opening, error) {
	s, err := f.scenario(id)
	if err != nil {
		return nil, err
	}
	var named []results.ArmEntry
	for _, arm := range s.Arms {
		named = append(named, results.ArmEntry{Name: arm.Name, Values: arm.Values})
	}
	labels := plot.ArmLabels(named)
	for _, arm := range s.Arms {
		step, reason, err := f.happens(ctx, s, arm, f.firstRecord(id, arm))
		if err != nil {
			return nil, err
		}
		if reason != "" {
			return &Opening{Arm: arm.Name, Step: step, Text: fmt.Sprintf("Opened at arm %s, step %d: %s.", labels[arm.Name], step, reason)}, nil
		}
	}
	largest := slices.MaxFunc(s.Arms, func(a, b *study.Arm) int { return a.Extent.Participants - b.Extent.Participants }) // the first of them
	n, err := view.DescribeNetwork(s, largest.Name, s.Seeds.Base)
	if err != nil {
		return nil, document.BadInput(err)
	}
	out := &Opening{Arm: largest.Name, Step: n.FirstAtServer()}
	if out.Step > n.FirstStep {
		out.Text = fmt.Sprintf("Opened at arm %s, step %d: the first in which the server hears the levels below it.", labels[out.Arm], out.Step)
		return out, nil
	}
	least := f.firstRecord(id, largest)
	if at, period := fullest(n); at > 0 {
		for out.Step = n.FirstStep + at; out.Step < least && out.Step+period < n.FirstStep+n.Horizon; {
			out.Step += period
		}
		out.Text = fmt.Sprintf("Opened at step %d, with the most edges of a period of %d steps.", out.Step, period)
	} else if least > out.Step {
		out.Step, out.Text = least, fmt.Sprintf("Opened at step %d, the first with recorded values.", least)
	}
	return out, nil
}

// firstRecord returns the first step of an arm of a finished run with recorded values; the first step of all where there is
// none, or the run is under way.
func (f *Folder) firstRecord(id string, arm *study.Arm) int {
	first := arm.Extent.FirstStep
	e, err := f.entry(id)
	if err != nil || !e.Shown {
		return first
	}
	o, err := f.opened(id)
	if err != nil {
		return first
	}
	found := int64(math.MaxInt64)
	for _, rows := range o.Rows { // any order
		if i := slices.IndexFunc(rows, func(row results.SummaryRow) bool { return row.Arm == arm.Name }); i >= 0 {
			found = min(found, rows[i].Step)
		}
	}
	if found == math.MaxInt64 {
		return first
	}
	return max(first, int(found))
}

// fullest returns the first step, from 0, with the most edges between nodes of one period of graphs that repeat, and the
// period; 0 where they do not repeat within the horizon, or are large.
func fullest(n *view.Network) (at, period int) {
	period, ok := n.Graphs.Period()
	if !ok || period < 2 || period > n.Horizon || period*n.Graphs.Nodes() > mostOpening>>4 {
		return 0, 0
	}
	most := -1
	for step := range period {
		g := n.Graphs.At(step)
		if edges := g.Edges() - g.SelfLoops(); edges > most {
			at, most = step, edges
		}
	}
	return at, period
}

// happens returns the first step of an arm in which something happens, from a least one on if it does there, and names the
// event; the text is empty where nothing happens.
func (f *Folder) happens(ctx context.Context, s *study.Scenario, arm *study.Arm, least int) (step int, reason string, err error) {
	first := arm.Extent.FirstStep
	if arm.Adversaries != nil {
		return least, byzantine(arm.Adversaries.Nodes), nil
	}
	step, reason = first+arm.File.Horizon, ""
	if event, ok := arm.Topology.FirstEvent(); ok && first+event-1 < step {
		step, reason = first+event-1, "the first event of its graphs"
	}
	if arm.Effects == nil || s.Folder.Withheld != "" {
		return step, reason, nil
	}
	job, err := arm.Algorithm.Job(s.Seeds.Base)
	if err != nil || job.Run.Network == nil {
		return step, reason, err
	}
	graphs, err := arm.Topology.Sequence(s.Seeds.Base)
	if err != nil {
		return 0, "", err
	}
	if arm.Topology.Serves() {
		graphs = job.Run.Graphs // messages go by way of servers
	}
	work, end := 0, min(arm.File.Horizon, step-first)
	for k := range end {
		at := (k + least - first) % end // those before the least step come last
		g := graphs.At(at)
		if work += g.Nodes() + g.Edges(); work > mostOpening || ctx.Err() != nil {
			break
		}
		turn := job.Run.TurnOf(at)
		if effect := downAt(job.Run.Network, g.Nodes(), turn); effect != "" {
			return first + at, since(effect, at, least-first), nil
		}
		for i := range messages.NodeID(g.Nodes()) {
			from, _ := g.In(i)
			for _, j := range from {
				if effect := fateAt(job.Run.Network, j, i, turn); effect != "" {
					return first + at, since(effect, at, least-first), nil
				}
			}
		}
	}
	if reason == "" && ctx.Err() == nil && arm.Effects.Limited {
		return least, "edges carry a limited number of bytes", nil
	}
	return step, reason, ctx.Err()
}

// since says of an event at a step, from 0, that steps before a least one were looked at only after those from there on.
func since(event string, at, least int) string {
	if least == 0 || at < least {
		return event
	}
	return strings.Replace(event, "the first step", "the first step from the first record on", 1)
}

// fateAt says what becomes first of a message between nodes; empty where it arrives in time.
func fateAt(effects algorithm.Network, from, to messages.NodeID, turn int) string {
	if from == to || effects.Local(from, to) {
		return ""
	}
	switch delay, lost := effects.Fate(from, to, turn); {
	case lost:
		return "the first step in which messages are lost"
	case delay > 0:
		return "the first step in which messages are late"
	}
	return ""
}

// downAt says that a node is down in a turn; empty where all are up.
func downAt(effects algorithm.Network, nodes, turn int) string {
	for i := range messages.NodeID(nodes) {
		if !effects.Up(i, turn) {
			return "the first step in which a node is down"
		}
	}
	return ""
}

// byzantine names Byzantine nodes by their numbers.
func byzantine(list []int) string {
	if len(list) == 1 {
		return fmt.Sprintf("node %d is Byzantine", list[0])
	}
	last := len(list) - 1
	return fmt.Sprintf("nodes %s and %d are Byzantine", document.Numbers(list[:last]), list[last])
}
