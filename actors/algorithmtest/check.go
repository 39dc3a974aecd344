package algorithmtest

import (
	"errors"
	"math"
	"testing"

	"starling/actors/algorithm"
	"starling/actors/engine"
	"starling/actors/option"
	"starling/actors/runtimetest"
)

// CheckRuntimes fails unless the actor runtime plays the bits of lockstep with
// each of the numbers of shards.
func (f Fresh) CheckRuntimes(t testing.TB, host *engine.Host, name string, shards ...int) {
	t.Helper()
	want := f.Finish(t, Lockstep)
	for _, n := range shards {
		if diff := runtimetest.Diff(want, f.Finish(t, Actors(host, n))); diff != "" {
			t.Fatalf("%s, %d shards (-lockstep +actors):\n%s", name, n, diff)
		}
	}
}

// CheckResumes fails unless a run that pauses after every so many steps ends as
// one that never does, and so does one that goes on from any of the pauses, on
// either runtime: the state is complete. It returns how many pauses there were.
func (f Fresh) CheckResumes(t testing.TB, host *engine.Host, name string, every int) int {
	t.Helper()
	want := f.Finish(t, Lockstep)
	got, pauses := f.FinishWithPauses(t, every, Actors(host, 2))
	if diff := runtimetest.Diff(want, got); diff != "" {
		t.Fatalf("%s (-straight +paused):\n%s", name, diff)
	}
	for k, pause := range pauses {
		if diff := runtimetest.Diff(want, f.FinishFrom(t, pause, Lockstep)); diff != "" {
			t.Fatalf("%s, lockstep from pause %d on (-straight +resumed):\n%s", name, k+1, diff)
		}
		if diff := runtimetest.Diff(want, f.FinishFrom(t, pause, Actors(host, 3))); diff != "" {
			t.Fatalf("%s, actors from pause %d on (-straight +resumed):\n%s", name, k+1, diff)
		}
	}
	return len(pauses)
}

// CheckReborn fails unless machines that are restored before every turn play the
// same run: a state is complete between the hops of a step too.
func (f Fresh) CheckReborn(t testing.TB, name string) {
	t.Helper()
	want, got := f.Finish(t, Lockstep), f.Finish(t, f.Reborn(Lockstep))
	if diff := runtimetest.Diff(want, got); diff != "" {
		t.Fatalf("%s (-whole +reborn):\n%s", name, diff)
	}
}

// Quantity returns the values that a machine shows under a name; nil where it shows none.
func Quantity(m algorithm.Machine, name string) []float64 {
	for _, q := range algorithm.Quantities(m) {
		if q.Name == name {
			return q.Values
		}
	}
	return nil
}

// CloseTo fails unless got is within tolerance of want, relative for numbers
// above 1.
func CloseTo(t testing.TB, name string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*max(1, math.Abs(want))) && got != want {
		t.Errorf("%s is %v, want %v", name, got, want)
	}
}

// Fields are the options that an error names, in order; nil where it names none.
func Fields(err error) []string {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []string
		for _, e := range joined.Unwrap() {
			all = append(all, Fields(e)...)
		}
		return all
	}
	var fault *option.Error
	if errors.As(err, &fault) {
		return []string{fault.Path}
	}
	return nil
}
