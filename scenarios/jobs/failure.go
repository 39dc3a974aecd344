package jobs

import (
	"context"
	"errors"
	"slices"
	"strings"

	"starling/actors/algorithm"
	"starling/actors/option"
	"starling/scenarios/document"
	"starling/scenarios/results"
	"starling/scenarios/study"
)

// Fail turns the result of a job into a failure if err is about the numbers of the job, and
// has a place in it. Such errors are a gradient, message or decision of a participant that is
// not finite, a class of the user that cannot go on, or graphs or data of a seed that do not
// fit the scenario. They are equal however the job is run. Fail reports whether it did so. A
// fault of the program, a cancelled job, and errors of files and processes are no failures of
// the arm.
func (r *Result) Fail(arm *study.Arm, err error) bool {
	failure := FailureIn(arm, r.Seed, err)
	if failure == nil {
		return false
	}
	*r = Result{Index: r.Index, Arm: r.Arm, Seed: r.Seed, Failure: failure}
	return true
}

// FailureIn returns the failure of an arm under a seed that is in an error of its job; nil for errors that are no
// failures of the arm, as Fail has them.
func FailureIn(arm *study.Arm, seed uint64, err error) *results.Failure {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	failure := failureOf(err)
	if failure != nil {
		failure.Arm, failure.Seed = arm.Name, seed
	}
	return failure
}

// failureOf returns the failure in an error, with its place; nil where there is none.
func failureOf(err error) *results.Failure {
	var elsewhere *results.Failure // of a job that another process has made
	var machine *algorithm.Failure
	var panicked *algorithm.Panic
	var places document.Issues
	var place *option.Error
	switch {
	case errors.As(err, &elsewhere):
		return elsewhere
	case errors.As(err, &machine):
		if machine.Fault() {
			return nil
		}
		step, node := int64(machine.Step), int32(machine.Label)
		return &results.Failure{Step: &step, Node: &node, Cause: machine.Cause.Error()}
	case errors.As(err, &panicked) && panicked.Stack == nil:
		return &results.Failure{Cause: panicked.Error()}
	case errors.As(err, &places):
		return &results.Failure{Cause: strings.ReplaceAll(places.Error(), "\n", "; ")}
	case errors.As(err, &place):
		return &results.Failure{Cause: place.Error()}
	}
	return nil
}

// NoteFailure adds the failure of a job, if it is the first of its arm. Jobs come in the
// canonical order.
func NoteFailure(list []results.Failure, r *Result) []results.Failure {
	if r.Failure == nil || len(list) > 0 && list[len(list)-1].Arm == r.Failure.Arm {
		return list
	}
	return append(list, *r.Failure)
}

// Without returns a scenario without the arms that failed; its jobs keep their keys.
func Without(s *study.Scenario, failures []results.Failure) *study.Scenario {
	failed := func(name string) bool {
		return slices.ContainsFunc(failures, func(f results.Failure) bool { return f.Arm == name })
	}
	left := *s
	left.Arms = slices.DeleteFunc(slices.Clone(s.Arms), func(arm *study.Arm) bool { return failed(arm.Name) })
	left.Remarks = slices.DeleteFunc(slices.Clone(s.Remarks), func(w results.Warning) bool { return failed(w.Arm) })
	return &left
}
