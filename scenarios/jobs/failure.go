package jobs

import (
	"context"
	"errors"

	"starling/actors/algorithm"
	"starling/actors/algorithm/panics"
	"starling/scenarios/results"
	"starling/scenarios/study"
)

// Fail makes the result of a job one that has failed where err is of the numbers of the job: a
// participant that came to a gradient, message or decision that is none, or a class of the user
// that cannot go on. It is equal however the job is run. It tells whether it did: a fault of
// the program, a job that was ended, and what is wrong with files and processes say nothing of
// the arm.
func (r *Result) Fail(arm *study.Arm, err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	failure := failureOf(err)
	if failure == nil {
		return false
	}
	failure.Arm, failure.Seed = arm.Name, r.Seed
	*r = Result{Index: r.Index, Arm: r.Arm, Seed: r.Seed, Failure: failure}
	return true
}

// failureOf is the failure in an error, with its place; nil where there is none.
func failureOf(err error) *results.Failure {
	var elsewhere *results.Failure // of a job that another process has made
	var machine *algorithm.Failure
	var panicked *panics.Panic
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
	}
	return nil
}
