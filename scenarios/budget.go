package scenarios

import (
	"fmt"
	"math"
	"slices"

	"starling/mechanisms/accountant"
	"starling/scenarios/document"
	"starling/scenarios/meter"
	"starling/scenarios/results"
)

// budgetAction is what happens when a budget does not last.
type budgetAction string

const (
	// budgetStop lets a node stop before the release that would exceed it.
	budgetStop budgetAction = "stop"
	// budgetRefuse refuses the scenario if the planned releases exceed it.
	budgetRefuse budgetAction = "refuse"
)

func budgetActions() []budgetAction { return []budgetAction{budgetStop, budgetRefuse} }

// budgetSection is a limit on every node's accounted loss over the run, under
// pure differential privacy and basic composition.
//
// A node that stops does so in the turn of the release that it cannot pay for:
// it has played that step, sends nothing in it or after it, and plays no more.
// Nothing takes its place. What its neighbours fold is the weighted sum of what
// arrives, from which its share is then missing. In DPDO-NC all nodes have the
// same planned losses, so all of them stop in the same step and no sum is ever
// short of a part.
type budgetSection struct {
	Epsilon epsilonValue `yaml:"epsilon,required" doc:"largest privacy loss of a node over the run, above 0, or none for no limit"`
	Delta   float64      `yaml:"delta" doc:"delta at which Gaussian losses are compared with epsilon; absent, that of the mechanism in dpfl and ali-dpfl, and 0, at which no Gaussian loss is within it, in others"`
	On      budgetAction `yaml:"on,required" doc:"what a budget that does not last does: stop ends a node's part before the release that would exceed it, refuse refuses the scenario"`
}

// limit is the budget as a loss.
func (b *budgetSection) limit() accountant.Loss {
	return accountant.Loss{Epsilon: float64(b.Epsilon), Delta: b.Delta}
}

// affords tells whether a loss is within a budget, after conversion where the
// budget has a delta.
func affords(budget, total accountant.Loss) bool {
	if budget.Delta == 0 || !budget.Private() || !total.Private() {
		return total.Within(budget)
	}
	epsilon, err := total.EpsilonAt(budget.Delta, accountant.PLD)
	return err == nil && accountant.Loss{Epsilon: epsilon}.Within(accountant.Loss{Epsilon: budget.Epsilon})
}

// loss is the budget as a loss, nil where there is none.
func (b *budgetSection) loss() *accountant.Loss {
	if b == nil {
		return nil
	}
	limit := b.limit()
	return &limit
}

// plannedLoss is the loss of a node's releases over the steps of a plan, and
// how many of the first steps a budget pays for. The losses are added in the
// order in which the meter adds them.
func (p *algorithmPlan) plannedLoss(steps int, budget accountant.Loss) (total accountant.Loss, within int) {
	for k := range steps {
		total = total.Compose(p.loss(p.firstStep + k))
		if affords(budget, total) {
			within = k + 1
		}
	}
	return total, within
}

// checkBudget refuses an arm whose planned loss exceeds its budget, if that is
// what the budget says.
func checkBudget(arm *Arm) error {
	b := arm.file.Budget
	if b == nil || b.On != budgetRefuse || math.IsInf(float64(b.Epsilon), 1) || arm.algorithm.budgeted {
		return nil
	}
	total, within := arm.algorithm.plannedLoss(arm.file.Horizon, b.limit())
	if affords(b.limit(), total) {
		return nil
	}
	text := "no step is within the budget"
	if within > 0 {
		text = fmt.Sprintf("step %d is the last within the budget", arm.algorithm.firstStep+within-1)
	}
	planned := fmt.Sprintf("a loss of %s", total)
	if !total.Private() {
		planned = "an infinite loss"
	}
	return document.At("budget.epsilon", "the releases of %d steps have %s a node, over the budget of %s; %s",
		arm.file.Horizon, planned, b.limit(), text)
}

// budgetNotes says what the budget of an arm comes to.
func (arm *Arm) budgetNotes() []note {
	b := arm.file.Budget
	if b == nil || math.IsInf(float64(b.Epsilon), 1) || arm.algorithm.budgeted {
		return nil
	}
	_, within := arm.algorithm.plannedLoss(arm.file.Horizon, b.limit())
	value := fmt.Sprintf("%s a node; it pays for all steps", b.limit())
	if within < arm.file.Horizon {
		value = fmt.Sprintf("%s a node; it pays for %d of %d steps", b.limit(), within, arm.file.Horizon)
	}
	return []note{{"budget", value}}
}

// stopWarnings say which nodes ended their part in a job and when: a warning
// for all nodes that did so in one step for one reason.
func stopWarnings(arm *Arm, seed uint64, stops []meter.Stop) (warnings []results.Warning) {
	for len(stops) > 0 {
		first := stops[0]
		alike := func(s meter.Stop) bool { return s.Step == first.Step && s.Reason == first.Reason }
		count := 0
		for _, s := range stops {
			if alike(s) {
				count++
			}
		}
		who := fmt.Sprintf("%d of %d nodes ended their", count, arm.file.Nodes)
		switch count {
		case 1:
			who = fmt.Sprintf("node %d ended its", int(first.Node)+arm.algorithm.firstLabel)
		case arm.file.Nodes:
			who = fmt.Sprintf("all %d nodes ended their", count)
		}
		warnings = append(warnings, results.Warning{Code: "stopped", Arm: arm.Name,
			Message: fmt.Sprintf("seed %d: %s part at step %d: %s", seed, who, first.Step, first.Reason)})
		stops = slices.DeleteFunc(slices.Clone(stops), alike)
	}
	return warnings
}
