package ofl

import (
	"fmt"
	"math"
	"slices"

	"starling/mechanisms/accountant"
	"starling/scenarios/cache"
	"starling/scenarios/gauge"
	"starling/scenarios/limits"
	"starling/scenarios/problem"
	"starling/scenarios/problem/stream"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// Notes implements study.Plan.
func (p *oflPlan) Notes(j *study.Job) ([]study.Note, []study.Warning) {
	var r study.Remarks
	r.Start(p.before())
	o := &p.options
	r.Add("gradient-bound", "%.6g", o.GradientBound)
	if set := p.stream.Set; set != nil {
		r.Add("decisions", "projections on the %s of the sums that are sent, which are not projected", set.Kind())
	}
	r.Append(study.Affected(p.arm, o.Late), nil)
	if p.tiers != nil {
		r.Add("servers", "%s", p.tiers)
	}
	r.Add("epsilon.claimed", "%s", p.claim())
	if p.met.Times > 1 {
		r.Add("participation", "%s", p.participation())
	}
	if n, err := p.noise(); err == nil && n.Private() { // the job has made the same
		r.Append(p.mechanism.notes(n, p.arm.File.Budget.StatedDelta(p.mechanism.delta)), nil)
		if f := p.factors; f != nil {
			r.Add("groups", "epsilon and noise are of the learner with the largest epsilon; the noise of others is up to %.6g times as strong", slices.Max(f))
		}
	} else {
		r.Add("epsilon.accounted", "%s", accountant.NotPrivate())
		r.Unprotected("messages of learners show their gradients")
	}
	r.Append(p.stream.Notes, p.stream.Warnings)
	if !p.compares || p.stream.Minimiser == nil { // the comparator of regret takes time
		return r.Notes, r.Warnings
	}
	instance, err := p.stream.Kept(p.arm.Cache, j.Run.Seed, p.shape, p.reads())
	if err != nil {
		r.Warn("data", err.Error()) // the job has drawn the same
		return r.Notes, r.Warnings
	}
	c := p.comparator(j.Run.Seed, instance)
	budget, rounds, static := p.noteBudget(clipped(j), j.Theory)
	leftOut := ""
	if p.stream.Convexity == 0 || p.stream.Set != nil { // else the optima of rounds are no part of these notes
		leftOut = budget.Take(rounds)
	}
	if p.stream.Compared != nil {
		for _, n := range p.stream.Compared(c, leftOut) {
			r.Add(n.Name, "%s", n.Text)
		}
	}
	r.Append(p.boundNotes(c, j.Run.Seed, budget, rounds+static), nil)
	return r.Notes, r.Warnings
}

// data is the number of data in a run of OFL.
func (p *oflPlan) data() float64 {
	return limits.Product(p.shape.Learners, p.shape.Rounds, p.shape.Tau)
}

// NoiseLevel implements study.Noisy: the noise on the sum of a learner's inputs so far, and the
// bound of that sum, the mean over all inputs of a run. A prefix of k inputs has the
// k-th squared row norm of B as its variance; the mean over k is MSE at unit sensitivity.
func (p *oflPlan) NoiseLevel() (size, signal float64) {
	n, err := p.noise()
	if err != nil || !n.Private() {
		return 0, 0
	}
	halfway := float64(p.options.Inputs()+1) / 2
	deviation, variance := n.Additive().Deviation(), halfway
	if f := n.Factorization(); f != nil {
		variance = f.MSE() / (f.Sensitivity() * f.Sensitivity())
	}
	return p.strength() * deviation * math.Sqrt(variance*float64(p.stream.Model.Dim())), p.options.GradientBound * halfway
}

// roundsWork is about the work of the optima of all rounds: Newton's method makes a Hessian of
// the data, and factorises it.
func (p *oflPlan) roundsWork() float64 {
	return p.newtonWork(p.data(), float64(p.shape.Rounds))
}

// staticWork is about the work of one optimum over all data of a run.
func (p *oflPlan) staticWork() float64 { return p.newtonWork(p.data(), 1) }

// The work of parts of a run, in operations, measured on scenarios of the library. The values
// are below the measurements rather than above them.
const (
	localStepWork   = 400 // a local step of a learner
	localDimWork    = 25  // each coordinate of it
	datumWork       = 100 // to draw a datum and take its loss
	datumDimWork    = 10  // each coordinate of it
	newtonRounds    = 6   // iterations of Newton's method
	newtonRoundWork = 5000
)

// newtonWork is about the work of Newton's method for problems problems over data data in all:
// d^2 for each datum's part of a Hessian, and d^3 to factorise the Hessian of a problem.
func (p *oflPlan) newtonWork(data, problems float64) float64 {
	d := float64(p.stream.Model.Dim())
	return float64(data*datumDimWork*d) + float64(newtonRounds*(float64(data*(float64(d*d)+float64(4*d)+20))+float64(problems*(float64(d*d*d)+newtonRoundWork))))
}

// standingWork is about the work of standingStill without the optima.
func (p *oflPlan) standingWork() float64 {
	return p.data() * (datumWork + float64(datumDimWork*float64(p.stream.Model.Dim())))
}

// compared reports which optima the runs have found by themselves. A run with clipped
// gradients has no bounds.
func (p *oflPlan) compared(clipped bool) (rounds, static bool) {
	a := &study.ArmFile{File: p.arm.File}
	bounds := p.bounded() && !clipped && (p.records(a, BoundDynamic) || p.records(a, BoundStatic))
	return bounds || p.records(a, RegretDynamic), bounds || p.records(a, RegretStatic)
}

// noteBudget returns the budget of work for notes of an arm of OFL, and the work for optima
// that the job of these notes has not found. The budget is in proportion to the work of the
// runs themselves. So a check of a scenario, or a tiny run, never spends its time on notes.
func (p *oflPlan) noteBudget(clipped bool, theory study.EffortExtent) (b *study.Effort, rounds, static float64) {
	foundRounds, foundStatic := p.compared(clipped)
	run := float64(p.data() * (localStepWork + float64(localDimWork*float64(p.stream.Model.Dim()))))
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
	return study.NewEffort(math.Max(1, float64(p.arm.File.Seeds.Count))*run, theory), rounds, static
}

// records reports whether a metric is recorded: regret needs a comparator.
func (p *oflPlan) records(a *study.ArmFile, metric string) bool {
	if !p.comparable() && (metric == RegretDynamic || metric == RegretStatic) {
		return false
	}
	return a.Measure.Records(metric)
}

// dataKey names the data of a seed for comparators. Arms with one key meet the same data.
type dataKey struct {
	// problem is the text of the section, without comments. Two arms that write it alike
	// and have the same extent draw the same data.
	problem string
	shape   stream.Shape
	seed    uint64
}

// reads returns the reads of the data of a job by gauges, without the machines'.
func (p *oflPlan) reads() (r stream.Reads) {
	m, a := &p.arm.File.Measure, &study.ArmFile{File: p.arm.File}
	_, classifies := p.stream.Model.(stream.Classifier)
	r.Whole = p.records(a, RegretDynamic) || p.records(a, RegretStatic) || p.bounded() ||
		m.Names(gauge.RegretFixed) || m.Names(gauge.RegretInterval) || m.Names(gauge.RegretTracking)
	r.Again = r.Whole || m.Records(gauge.LossMean) || classifies && m.Records(AccuracyInstant)
	if classifies && m.Records(gauge.AccuracyTest) {
		r.Tests += len(p.arm.Points)
	}
	if classifies && m.Records(AccuracyFinal) {
		r.Tests++
	}
	if m.Names(gauge.LossFresh) {
		r.Tests += len(p.arm.Points)
	}
	return r
}

// Shares implements study.Sharer: data, and the comparator of regret. The comparator takes long
// to find: a sweep over epsilon has one for all its arms.
func (p *oflPlan) Shares(seed uint64) []cache.Need {
	needs := p.stream.Source.Needs(seed, p.shape, p.reads())
	if static := p.records(&study.ArmFile{File: p.arm.File}, RegretStatic); static && len(needs) > 0 {
		needs[0].Own = needs[0].Bytes // of the data: it holds all
	}
	if p.stream.Minimiser != nil {
		m, intervals := &p.arm.File.Measure, 0
		if m.Names(gauge.RegretInterval) {
			intervals += len(p.arm.Points)
		}
		if m.Names(gauge.RegretTracking) {
			intervals += p.shape.Steps()
		}
		bytes := stream.ComparatorBytes(p.stream.Minimiser, p.shape.Rounds, intervals)
		needs = append(needs, cache.Need{Key: p.dataKey(seed), Bytes: bytes, Alone: true}) // the notes of an arm compare too
	}
	return needs
}

func (p *oflPlan) dataKey(seed uint64) dataKey { return dataKey{p.problem, p.shape, seed} }

// comparator returns the comparator of regret on the data of a seed. Arms that meet the same
// data share it.
func (p *oflPlan) comparator(seed uint64, instance problem.Data) *stream.Comparator {
	return problems.Comparator(p.arm.Cache, p.dataKey(seed), p.stream.Minimiser, instance, p.shape)
}

// participation describes the inputs of the mechanism that a datum is in.
func (p *oflPlan) participation() string {
	inputs, apart := p.mechanism.inputs, "at least"
	if inputs.Even {
		apart = "exactly"
	}
	return fmt.Sprintf("a datum is met %d times, and is in %d inputs, %s %d apart", p.met.Times, inputs.Times, apart, inputs.Apart)
}
