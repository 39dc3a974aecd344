package runner

import (
	"errors"
	"fmt"
	"slices"

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
