package runner

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"starling/scenarios/gauge"
	"starling/scenarios/jobs"
	"starling/scenarios/loading"
	"starling/scenarios/results"
	"starling/scenarios/results/checkpoint"
	"starling/scenarios/results/comparison"
	"starling/scenarios/study"
)

// Parts reads the parts of statistics over seeds that the jobs of finished runs have left, so
// that such a statistic can be computed for other weights of the seeds. Nothing runs again.
type Parts struct {
	// Loader reads the scenarios of the runs again. With Showing it runs no code that they name.
	Loader loading.Loader
	opened map[string]*partsOf // by folder
}

// partsOf are the parts of one run; err is the reason why there are none.
type partsOf struct {
	scenario *study.Scenario
	keys     []checkpoint.Key
	records  *checkpoint.Records
	err      error
}

// errNoParts is the error of runs without their jobs.
var errNoParts = errors.New("its folder jobs/, which has the values for the statistic, is missing")

// Statistic returns the statistic over some seeds of an arm at a recorded step. It implements
// comparison.Statistics: the error says what is missing.
func (p *Parts) Statistic(arm comparison.Arm, metricName string, step int64, seeds []uint64) (comparison.Statistic, error) {
	if metricName != gauge.RegretExpected {
		return nil, fmt.Errorf("no parts of %s are kept", metricName)
	}
	of := p.of(arm.Run)
	i, estimator, err := of.estimator(arm.Name, metricName)
	if err != nil {
		return nil, err
	}
	r, err := estimator.Expected().Resample(int(step), func(visit func(gauge.RegretPart)) error { return of.visit(i, seeds, visit) })
	if err != nil {
		return nil, err
	}
	return r.Weighted, nil
}

// estimator returns the estimator of a metric of an arm, and the number of the arm.
func (o *partsOf) estimator(arm, metricName string) (int, study.Estimator, error) {
	if o.err != nil {
		return 0, nil, o.err
	}
	i := slices.IndexFunc(o.scenario.Arms, func(a *study.Arm) bool { return a.Name == arm })
	if i < 0 {
		return 0, nil, fmt.Errorf("the scenario has no arm %q", arm)
	}
	estimator, ok := study.EstimatorOf(o.scenario.Arms[i])
	if !ok {
		return 0, nil, fmt.Errorf("the arm does not record %s", metricName)
	}
	return i, estimator, nil
}

// Close closes the files.
func (p *Parts) Close() {
	for _, of := range p.opened {
		if of.records != nil {
			of.records.Close()
		}
	}
}

// of opens the parts of a run, each run once.
func (p *Parts) of(run *results.Run) *partsOf {
	if of := p.opened[run.Dir]; of != nil {
		return of
	}
	if p.opened == nil {
		p.opened = map[string]*partsOf{}
	}
	of := &partsOf{}
	of.err = of.open(run, &p.Loader)
	p.opened[run.Dir] = of
	return of
}

// open reads the scenario of a run and the keys of its jobs.
func (o *partsOf) open(run *results.Run, loader *loading.Loader) error {
	dir := results.Jobs(run.Dir)
	there, err := checkpoint.Exists(dir)
	if err != nil {
		return err
	}
	if !there {
		return errNoParts
	}
	id, err := checkpoint.ReadIdentity(dir)
	if err != nil {
		return err
	}
	if o.scenario, err = loader.Load(filepath.Join(run.Dir, results.ScenarioFile)); err != nil {
		return err
	}
	if o.records, err = checkpoint.OpenRecords(dir); err != nil {
		return err
	}
	o.keys = jobs.Keys(o.scenario, id.Build)
	return nil
}

// visit visits the parts of an arm under some seeds.
func (o *partsOf) visit(arm int, seeds []uint64, visit func(gauge.RegretPart)) error {
	for _, seed := range seeds {
		i := arm*o.scenario.Seeds.Count + int(seed-o.scenario.Seeds.Base)
		r := jobs.New(o.scenario, i)
		body, ok, err := o.records.Body(o.keys[i])
		if err == nil && !ok {
			err = errors.New("the job is not in jobs/: the data, or the arithmetic of this program, are others")
		}
		if err == nil {
			err = jobs.Read(r, o.scenario.Arms[arm], body)
		}
		if err == nil && r.Failure != nil {
			err = r.Failure
		}
		if err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
		visit(r.Part)
	}
	return nil
}
