package runner

import (
	"context"
	"fmt"
	"io"

	"github.com/rs/zerolog"

	"starling/actors/algorithm"
	"starling/actors/engine"
	"starling/actors/spread"
	"starling/messages"
	"starling/scenarios/jobs"
	"starling/scenarios/limits"
	"starling/scenarios/study"
)

// Elsewhere makes jobs in other processes. The results are the same as in this process.
type Elsewhere interface {
	// Begin prepares for the jobs of a scenario and returns the number of jobs to request at a
	// time, at least 1.
	Begin(ctx context.Context, s *study.Scenario) (count int, err error)
	// Run makes the i-th job in the canonical order, or the rest of it from its last state on.
	// It returns the body that Single.Run returns, and the name of the process that made it.
	// advance gets the number of steps that are done. The number falls when the job goes back
	// to an earlier state.
	Run(ctx context.Context, i int, states States, advance func(steps int)) (body []byte, by string, err error)
}

// States reads and writes the saved states of a job.
type States struct {
	// Last returns the last state; it is empty if there is none.
	Last func() ([]byte, error)
	// Save replaces the last state by the bytes that state writes, as a whole or not at all.
	Save func(state func(io.Writer) error) error
}

// Spreader runs the shards of one job at a time in several processes.
type Spreader interface {
	// Begin prepares for the jobs of a scenario.
	Begin(ctx context.Context, s *study.Scenario) (count int, err error)
	// Spread runs the i-th job in the canonical order as engine.Host.Run does, in the given
	// number of shards; 0 chooses it. saved is the state from which the job goes on, empty for
	// the beginning. If the error is a LostError, the job is unfinished: it can go on from its
	// last saved state.
	Spread(ctx context.Context, host *engine.Host, i int, j *study.Job, saved []byte, shards int, advance func(steps int)) error
}

// LostError is the error of a spread run that has lost a process.
type LostError struct{ Cause error }

// Error implements error.
func (e *LostError) Error() string { return "a process is lost: " + e.Cause.Error() }

// Unwrap returns the cause.
func (e *LostError) Unwrap() error { return e.Cause }

// makeElsewhere has another process make a job, and enters its result.
func (x *executor) makeElsewhere(ctx context.Context, arm *study.Arm, r *jobs.Result, advance func(steps int)) error {
	key := x.keys[r.Index]
	last := func() ([]byte, error) {
		state, _, err := x.store.State(key)
		if err != nil {
			err = unusable(err)
		}
		return state, err
	}
	body, by, err := x.options.Elsewhere.Run(ctx, r.Index, States{last, x.keep(key)}, advance)
	if err != nil {
		return err
	}
	if err := jobs.Read(r, arm, body); err != nil {
		return fmt.Errorf("the message of %s is no result of the job: %w", by, err)
	}
	if err := r.Verify(); err != nil {
		return fmt.Errorf("the message of %s differs from its result: %w", by, err)
	}
	if r.Failure != nil {
		return r.Failure
	}
	advance(arm.File.Horizon)
	return x.finish(r)
}

// Single makes single jobs of a scenario for another process, which coordinates the run.
type Single struct{ x executor }

// NewSingle returns a Single. It uses the options that set how jobs are computed: runtime,
// shards, memory and theory. The caller has to close it.
func NewSingle(s *study.Scenario, options RunOptions, log zerolog.Logger) (*Single, error) {
	s.Cache.Limit(jobs.CacheBudget(options.Memory))
	a := &Single{executor{scenario: s, options: options, log: log}}
	if options.Engine == Actors {
		var err error
		if a.x.host, err = engine.NewHost(engine.HostOptions{Logger: log}); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// Run makes the i-th job in the canonical order, from its beginning or from a saved state. It
// returns the result in the form of a run's journal, also for a job that has failed. keep gets
// a function that writes the state, as often as the scenario has it saved. Run may be called
// concurrently. An error names neither scenario nor arm nor seed.
func (a *Single) Run(ctx context.Context, i int, saved []byte, keep func(state func(io.Writer) error) error, advance func(steps int)) (body []byte, err error) {
	defer func() {
		if p := algorithm.Recovered(recover()); p != nil {
			err = p
		}
	}()
	r := jobs.New(a.x.scenario, i)
	arm := a.x.scenario.Arms[r.Arm]
	j, err := a.job(ctx, i, saved)
	if err != nil && ctx.Err() == nil && r.Fail(arm, err) {
		return messages.Write(nil, r), nil
	} else if err != nil {
		return nil, err
	}
	if resume := j.Run.Resume; resume != nil {
		a.x.log.Info().Str("arm", arm.Name).Uint64("seed", r.Seed).Int("steps", resume.Offset).Msg("resumed")
		advance(resume.Offset)
	}
	jobs.Save(j, keep, &arm.File.Checkpoint)
	if err := a.compute(ctx, arm, r, j, advance); err != nil && (ctx.Err() != nil || !r.Fail(arm, err)) {
		return nil, err
	}
	return messages.Write(nil, r), nil
}

// compute calls the executor's compute and returns panics outside of machines as errors.
func (a *Single) compute(ctx context.Context, arm *study.Arm, r *jobs.Result, j *study.Job, advance func(steps int)) (err error) {
	defer func() {
		if p := algorithm.Recovered(recover()); p != nil {
			err = p
		}
	}()
	return a.x.compute(ctx, arm, r, j, nil, advance)
}

// Part runs this process's part of the i-th job, from its beginning or from a saved state.
// Other processes run the other parts. The run pauses every so many steps; the coordinator
// then saves the state.
func (a *Single) Part(ctx context.Context, i int, saved []byte, every, shards int, place *spread.Place) (err error) {
	defer func() {
		if p := algorithm.Recovered(recover()); p != nil {
			err = p
		}
	}()
	if a.x.host == nil {
		return fmt.Errorf("only the runtime %s spreads a run", Actors)
	}
	j, err := a.job(ctx, i, saved)
	if err != nil {
		return err
	}
	j.Run.Pauses = algorithm.Pauses{Every: every}
	return a.x.host.Run(ctx, &j.Run, engine.Options{Shards: shards, Spread: place})
}

// job returns the i-th job, at its beginning or at a saved state.
func (a *Single) job(ctx context.Context, i int, saved []byte) (*study.Job, error) {
	j, err := limits.Within(ctx, limits.Grace, func() (*study.Job, error) {
		return jobs.ArmOf(a.x.scenario, i).Algorithm.Job(jobs.SeedOf(a.x.scenario, i))
	})
	if err == nil && len(saved) > 0 {
		err = jobs.Resume(j, saved)
	}
	return j, err
}

// Close ends the runtime. All jobs must have returned.
func (a *Single) Close() {
	if a.x.host != nil {
		a.x.host.Close()
	}
}
