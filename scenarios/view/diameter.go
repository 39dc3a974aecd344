package view

import (
	"fmt"
	"math"

	"starling/scenarios/document"
)

// DiameterFrom is the effective diameter from a step on, nil where the horizon
// comes before 90 % of the pairs are reached.
type DiameterFrom struct {
	Step  int      `json:"step"`
	Value *float64 `json:"value"`
}

// reachedShare is the share of the pairs that defines the effective diameter.
const reachedShare = 0.9

// spreading measures the spread of news from the step on, one hop a step: the number of steps
// after which 90 % of the ordered pairs of nodes have heard of each other, with a fraction of
// a step where that falls between two.
func (d *NetworkDescription) spreading(n measuresOf, first int) error {
	spread, err := n.Spread(n.Graphs, first, n.lasting(first))
	if err != nil {
		return err
	}
	if diameter, within := spread.EffectiveDiameter(reachedShare); within {
		d.Diameter = &diameter
	} else {
		why := "the horizon"
		if spread.Cut {
			why = "the limit on work"
		}
		d.remark("no effective diameter: after %d steps, %s, %.3g %% of the pairs are reached", len(spread.Reached)-1, why, 100*spread.Reached[len(spread.Reached)-1])
	}
	if spread.Sampled {
		d.remark("the effective diameter is from %d nodes", spread.Sources)
	}
	return nil
}

// mostDiameters is the greatest number of steps from which diameters over time are taken.
const mostDiameters = 12

// spreadingOverTime does the same from a dozen steps that are spread evenly over the
// horizon, or over a period that is shorter. A network that never changes has the same
// diameter from every step, and so an empty list.
func (d *NetworkDescription) spreadingOverTime(n measuresOf) error {
	steps := n.Horizon
	if period, periodic := n.Graphs.Period(); periodic {
		steps = min(steps, period)
	}
	if n.Graphs.Epoch(0) == n.Graphs.Epoch(steps-1) {
		return nil
	}
	starts := make([]int, min(steps, mostDiameters))
	for k := range starts {
		starts[k] = k * steps / len(starts)
	}
	found, err := n.EffectiveDiameters(n.Graphs, starts, n.lasting(steps-1), reachedShare)
	if err != nil {
		return err
	}
	if len(found.Steps) == 0 {
		d.Diameters = nil
		d.remark("no effective diameters over time: only the first is within the limit on work")
		return nil
	}
	for k, diameter := range found.Steps {
		at := DiameterFrom{Step: starts[k] + n.FirstStep}
		if !math.IsInf(diameter, 1) {
			at.Value = &diameter
		}
		d.Diameters = append(d.Diameters, at)
	}
	if len(found.Steps) < len(starts) {
		d.remark("effective diameters cover the first %d of %d selected steps (limit on work)", len(found.Steps), len(starts))
	}
	if found.Sampled {
		d.remark("effective diameters over time are from %d nodes", found.Sources)
	}
	return nil
}

// sentence states whether the nodes are connected, how fast averaging mixes and how fast news spreads.
func (d *NetworkDescription) sentence() string {
	var text string
	switch {
	case d.SmallestB == nil:
		text = fmt.Sprintf("not connected throughout: up to %s in %s", document.Counted(d.Components.Largest, "component"), document.Counted(d.Window, "step"))
	case *d.SmallestB == 1:
		text = "connected in every step"
	default:
		text = fmt.Sprintf("connected over every %d steps together", *d.SmallestB)
	}
	if d.MixingTime != nil {
		text += fmt.Sprintf("; averages mix in %s", document.Counted(*d.MixingTime, "step"))
	}
	if d.Diameter != nil {
		text += fmt.Sprintf("; news reaches 90 %% of the pairs in %.3g steps", *d.Diameter)
	}
	return text
}

// mostFollowed is the least number of steps for which a periodic network is followed.
const mostFollowed = 1 << 16

// lasting returns the end of the steps to follow from a step on. A periodic network goes on
// beyond the horizon, for its later graphs are known; any other ends there.
func (n *Network) lasting(first int) int {
	if _, periodic := n.Graphs.Period(); periodic {
		return max(n.Horizon, first+mostFollowed)
	}
	return n.Horizon
}
