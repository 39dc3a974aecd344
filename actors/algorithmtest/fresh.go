package algorithmtest

import (
	"context"
	"testing"

	"github.com/rs/zerolog"

	"starling/actors/algorithm"
	"starling/actors/engine"
	"starling/actors/lockstep"
	"starling/actors/runtimetest"
	"starling/messages"
)

// Fataler is a *testing.T, a *testing.B or a *rapid.T.
type Fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// Runtime plays a run to its end.
type Runtime = func(*algorithm.Run) error

// Lockstep is the sequential runtime.
func Lockstep(r *algorithm.Run) error { return lockstep.Run(context.Background(), r) }

// NewHost returns a host that is closed when the test is over.
func NewHost(t testing.TB) *engine.Host {
	t.Helper()
	host, err := engine.NewHost(engine.HostOptions{Workers: 3, Logger: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(host.Close)
	return host
}

// Actors returns the actor runtime with so many shards, and a lookahead of 1 to
// 3 turns that differs from one number of shards to the next.
func Actors(host *engine.Host, shards int) Runtime {
	return func(r *algorithm.Run) error {
		return host.Run(context.Background(), r, engine.Options{Shards: shards, Lookahead: 1 + shards%3})
	}
}

// Fresh makes one and the same run again and again, each time with new machines
// and a new meter, which the run's own meter writes to.
type Fresh func() (*algorithm.Run, *runtimetest.Meter)

// Finish plays to the end, and returns all results that must not depend on the runtime.
func (f Fresh) Finish(t Fataler, runtime Runtime) runtimetest.Outcome {
	t.Helper()
	return f.finish(t, runtime, func(*algorithm.Run, *runtimetest.Meter) error { return nil })
}

// finish makes the run ready and plays it to the end.
func (f Fresh) finish(t Fataler, runtime Runtime, ready func(*algorithm.Run, *runtimetest.Meter) error) runtimetest.Outcome {
	t.Helper()
	run, meter := f()
	if err := ready(run, meter); err != nil {
		t.Fatalf("restoring: %v", err)
	}
	if err := runtime(run); err != nil {
		t.Fatalf("run: %v", err)
	}
	return runtimetest.Left(run, meter, func(trace *runtimetest.Trace) {
		run, meter := f()
		if ready(run, meter) == nil {
			_ = trace.Watch(runtime)(run) // the error is ignored: the trace shows the last turn that was reached
		}
	})
}

// FinishWithPauses is Finish with a pause after every so many steps. It returns a snapshot of
// the run at each.
func (f Fresh) FinishWithPauses(t Fataler, every int, runtime Runtime) (runtimetest.Outcome, []runtimetest.Snapshot) {
	t.Helper()
	var pauses []runtimetest.Snapshot
	o := f.finish(t, runtime, func(run *algorithm.Run, meter *runtimetest.Meter) error {
		pauses = nil
		runtimetest.Pause(run, meter, every, &pauses)
		return nil
	})
	return o, pauses
}

// FinishFrom is Finish from a pause on.
func (f Fresh) FinishFrom(t Fataler, pause runtimetest.Snapshot, runtime Runtime) runtimetest.Outcome {
	t.Helper()
	return f.finish(t, runtime, pause.Restore)
}

// Reborn is a runtime on which every machine is replaced, before each of its
// turns, by a new one restored from its state.
func (f Fresh) Reborn(runtime Runtime) Runtime {
	return func(r *algorithm.Run) error {
		for i, m := range r.Machines {
			b := &reborn{m, func() algorithm.Machine {
				run, _ := f()
				return run.Machines[i]
			}}
			r.Machines[i] = b
			if _, ok := m.(algorithm.Folder); ok {
				r.Machines[i] = rebornFolder{b}
			}
		}
		return runtime(r)
	}
}

// reborn is a machine that is written and read before each of its turns: a field that State
// leaves out is then lost, and shows.
type reborn struct {
	algorithm.Machine
	fresh func() algorithm.Machine
}

func (b *reborn) Step(t *algorithm.Turn) error {
	state := messages.Write(nil, b.Machine)
	b.Machine = runtimetest.Replace(b.Machine, b.fresh())
	if err := messages.Read(state, b.Machine); err != nil {
		return err
	}
	return b.Machine.Step(t)
}

type rebornFolder struct{ *reborn }

func (b rebornFolder) FoldLength() int { return b.Machine.(algorithm.Folder).FoldLength() }

func (b rebornFolder) Fold(sum []float64, e *messages.Envelope) {
	b.Machine.(algorithm.Folder).Fold(sum, e)
}
