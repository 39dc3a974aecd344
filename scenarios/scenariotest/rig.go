package scenariotest

import (
	"starling/scenarios/cache"
	"starling/scenarios/gauge"
	"starling/scenarios/study"
)

// Rig replaces the jobs of an arm: job makes the job of a seed, and own is the function that
// makes the job of the arm's plan. All else of the plan stays, except its shared values where
// shares is not nil.
func Rig(arm *study.Arm, shares func(seed uint64) []cache.Need, job func(seed uint64, own func(seed uint64) (*study.Job, error)) (*study.Job, error)) {
	arm.Algorithm = rigged{arm.Algorithm, shares, job}
}

// rigged is a plan with other jobs.
type rigged struct {
	study.Plan
	shares func(seed uint64) []cache.Need
	job    func(seed uint64, own func(seed uint64) (*study.Job, error)) (*study.Job, error)
}

func (r rigged) Job(seed uint64) (*study.Job, error) { return r.job(seed, r.Plan.Job) }

func (r rigged) Shares(seed uint64) []cache.Need {
	if r.shares != nil {
		return r.shares(seed)
	}
	if s, ok := r.Plan.(study.Sharer); ok {
		return s.Shares(seed)
	}
	return nil
}

func (r rigged) NoiseLevel() (noise, signal float64) {
	if n, ok := r.Plan.(study.Noisy); ok {
		return n.NoiseLevel()
	}
	return 0, 0
}

func (r rigged) Trained() *study.TrainedModel {
	if t, ok := r.Plan.(study.Trainer); ok {
		return t.Trained()
	}
	return nil
}

func (r rigged) AllSeeds() bool {
	j, ok := r.Plan.(study.Joint)
	return ok && j.AllSeeds()
}

func (r rigged) Estimates() bool {
	e, ok := r.Plan.(study.Estimator)
	return ok && e.Estimates()
}

func (r rigged) Expected() *gauge.ExpectedRegret { return r.Plan.(study.Estimator).Expected() }

func (r rigged) NewPart() gauge.RegretPart { return r.Plan.(study.Estimator).NewPart() }
