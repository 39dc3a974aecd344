package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"starling/messages"
	"starling/scenarios/jobs"
	"starling/scenarios/results"
	"starling/scenarios/study"
)

// noteFailure adds the failure of a job, if it is the first of its arm. Jobs come in the
// canonical order.
func noteFailure(list []results.Failure, r *jobs.Result) []results.Failure {
	if r.Failure == nil || len(list) > 0 && list[len(list)-1].Arm == r.Failure.Arm {
		return list
	}
	return append(list, *r.Failure)
}

// allFailed is the error of a scenario of which no arm is left.
func allFailed(s *study.Scenario, failures []results.Failure) error {
	text := fmt.Sprintf("scenario %s, %s", s.Name, failures[0].String())
	if n := len(failures) - 1; n > 0 {
		text += fmt.Sprintf("\nall other arms, %d, failed, too", n)
	}
	return errors.New(text)
}

// without is a scenario without the arms that failed; its jobs have the keys that they had.
func without(s *study.Scenario, failures []results.Failure) *study.Scenario {
	failed := func(name string) bool {
		return slices.ContainsFunc(failures, func(f results.Failure) bool { return f.Arm == name })
	}
	left := *s
	left.Arms = slices.DeleteFunc(slices.Clone(s.Arms), func(arm *study.Arm) bool { return failed(arm.Name) })
	left.Remarks = slices.DeleteFunc(slices.Clone(s.Remarks), func(w results.Warning) bool { return failed(w.Arm) })
	return &left
}

// hopeless tells that an arm has failed under a seed before that of a job, which is not made
// then. So the first seed of an arm that fails is the same whatever runs at a time: all before
// it are made.
func (x *executor) hopeless(r *jobs.Result) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	first, failed := x.failed[r.Arm]
	return failed && first < r.Index
}

// fail enters a job that has failed.
func (x *executor) fail(r *jobs.Result) error {
	x.mu.Lock()
	if first, failed := x.failed[r.Arm]; !failed || r.Index < first {
		x.failed[r.Arm] = r.Index
	}
	x.mu.Unlock()
	x.log.Warn().Str("arm", r.Failure.Arm).Uint64("seed", r.Seed).Str("failure", r.Failure.Error()).Msg("job failed")
	x.options.live.Fail(r.Index, r.Failure.String())
	return x.store.Fail(x.keys[r.Index], messages.Write(nil, r))
}

// takeLeft hands the results of all jobs of the arms that are left to a collector, once more.
func (c *collector) takeLeft() error {
	read := func(i int) *jobs.Result {
		r := jobs.New(c.scenario, i)
		r.Err = c.again(r)
		return r
	}
	size := func(int) int { return chunkSize } // a job at a time
	return readAhead(context.Background(), jobs.Count(c.scenario), size, read, c.Take)
}

// warnFailed tells readers of the results what is not there.
func (c *collector) warnFailed(failures []results.Failure) {
	for i := range failures {
		f := &failures[i]
		jobs.WriteFramed(c.hash, fmt.Append(nil, "failed ", f.String()))
		c.Warnings = append(c.Warnings, results.Warning{Code: "failed", Message: f.String() + "; the arm is left out, with all its seeds"})
	}
	c.failures = failures
}
