package scenarios

import (
	"fmt"
	"math"

	"starling/scenarios/meter/federated"
)

// What notes may take beside the runs of an arm, in operations: multiply-adds, of
// about a nanosecond each. Estimates depend on sizes alone, so that what is noted
// never depends on a clock.
const (
	// noteShare is the part of the runs of an arm that notes may take.
	noteShare = 0.05
	// alwaysMade is what notes may take whatever the runs do: a tenth of a second.
	alwaysMade = 1e8
)

// What parts of a run take, in operations, measured on scenarios of the library.
// They are below what was measured rather than above it.
const (
	turnWork       = 400 // a turn of a node of DPDO-NC
	messageWork    = 100 // a message that it hears
	coordinateWork = 20  // a coordinate of its decision
	localStepWork  = 400 // a local step of a learner of OFL, and of each
	localDimWork   = 25  // coordinate of it
	datumWork      = 100 // to draw a datum and take its loss, and of each
	datumDimWork   = 10  // coordinate of it
	newtonRounds   = 6   // iterations of Newton's method
	newtonWork     = 5000
)

// noteBudget is what is left for the notes of an arm. Its notes are made once, of
// the first seed, whatever the number of seeds.
type noteBudget struct{ run, left float64 }

func newNoteBudget(run float64) *noteBudget {
	return &noteBudget{run, max(alwaysMade, noteShare*run)}
}

// take takes what a note needs. If that is over what is left, it takes nothing and
// returns what to say in place of the note.
func (b *noteBudget) take(work float64) (leftOut string) {
	if work > b.left {
		return b.refusal(work)
	}
	b.left -= work
	return ""
}

func (b *noteBudget) refusal(work float64) string {
	return fmt.Sprintf("left out: it would take about %.2g operations, and with other notes over 5 %% of the run's %.2g", work, b.run)
}

// dpdoncWork is about what the runs of an arm of DPDO-NC take under all seeds.
func dpdoncWork(f *file, edges, dim int) float64 {
	node := turnWork + coordinateWork*float64(dim)
	return float64(f.Seeds.Count) * float64(f.Horizon) * (float64(f.Nodes)*node + float64(edges)*(messageWork+2*float64(dim)))
}

// data is how many data a run of OFL meets.
func (p *oflPlan) data() float64 { return product(p.shape.Learners, p.shape.Rounds, p.shape.Tau) }

// roundsWork is about what the optima of all rounds take, and staticWork that of all
// data together: Newton's method makes a Hessian of the data, and factorises it.
func (p *oflPlan) roundsWork() float64 {
	return p.newtonWork(p.data(), float64(p.shape.Rounds))
}

func (p *oflPlan) staticWork() float64 { return p.newtonWork(p.data(), 1) }

func (p *oflPlan) newtonWork(data, problems float64) float64 {
	d := float64(p.stream.model.Dim())
	return data*datumDimWork*d + newtonRounds*(data*(d*d+4*d+20)+problems*(d*d*d+newtonWork))
}

// standingWork is about what standingStill takes beside the optima.
func (p *oflPlan) standingWork() float64 {
	return p.data() * (datumWork + datumDimWork*float64(p.stream.model.Dim()))
}

// compared tells which optima the runs have found by themselves. A run whose
// gradients were clipped has no bounds.
func (p *oflPlan) compared(clipped bool) (rounds, static bool) {
	a := &armFile{file: p.arm.file}
	bounds := p.bounded() && !clipped && (p.records(a, federated.BoundDynamic) || p.records(a, federated.BoundStatic))
	return bounds || p.records(a, federated.RegretDynamic), bounds || p.records(a, federated.RegretStatic)
}

// noteBudget is what notes of an arm of OFL may take, and what the optima need that
// the job of these notes has not found.
func (p *oflPlan) noteBudget(clipped bool) (b *noteBudget, rounds, static float64) {
	foundRounds, foundStatic := p.compared(clipped)
	run := p.data() * (localStepWork + localDimWork*float64(p.stream.model.Dim()))
	if foundRounds {
		run += p.roundsWork()
	} else {
		rounds = p.roundsWork()
	}
	if foundStatic {
		run += p.staticWork()
	} else {
		static = p.staticWork()
	}
	return newNoteBudget(math.Max(1, float64(p.arm.file.Seeds.Count)) * run), rounds, static
}
