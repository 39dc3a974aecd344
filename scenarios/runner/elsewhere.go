package runner

import (
	"context"
	"fmt"

	"github.com/rs/zerolog"

	"starling/actors/algorithm"
	"starling/actors/engine"
	"starling/messages"
	"starling/scenarios/jobs"
	"starling/scenarios/study"
)

// Elsewhere makes jobs in other processes, which leave what they would leave here.
type Elsewhere interface {
	// Begin prepares for the jobs of a scenario and returns how many should be asked for at
	// a time, at least 1.
	Begin(ctx context.Context, s *study.Scenario) (count int, err error)
	// Run makes the i-th job in the canonical order and returns what Alone.Run does, and who
	// made it. advance gets how many steps are done, which is fewer than before when the job
	// begins anew.
	Run(ctx context.Context, i int, advance func(steps int)) (body []byte, by string, err error)
}

// makeElsewhere has a job made by another process, and enters its result.
func (x *executor) makeElsewhere(ctx context.Context, arm *study.Arm, r *jobs.Result, advance func(steps int)) error {
	body, by, err := x.options.Elsewhere.Run(ctx, r.Index, advance)
	if err != nil {
		return err
	}
	if err := jobs.Read(r, arm, body); err != nil {
		return fmt.Errorf("what %s has sent is no result of the job: %w", by, err)
	}
	advance(arm.File.Horizon)
	return x.finish(r)
}

// Alone makes single jobs of a scenario for another process, which has the run.
type Alone struct{ x executor }

// NewAlone returns what makes jobs. Of the options it takes those that say how jobs are
// computed: runtime, shards, memory and theory. Close it.
func NewAlone(s *study.Scenario, options RunOptions, log zerolog.Logger) (*Alone, error) {
	s.Cache.Limit(jobs.CacheBudget(options.Memory))
	a := &Alone{executor{scenario: s, options: options, log: log}}
	if options.Engine == Actors {
		var err error
		if a.x.host, err = engine.NewHost(engine.HostOptions{Logger: log}); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// Run makes the i-th job in the canonical order, from its beginning, and returns its result
// as the journal of a run has it. It may be called concurrently. An error names neither
// scenario nor arm nor seed.
func (a *Alone) Run(ctx context.Context, i int, advance func(steps int)) (body []byte, err error) {
	defer func() {
		if p := algorithm.Recovered(recover()); p != nil {
			err = p
		}
	}()
	r := jobs.New(a.x.scenario, i)
	arm := a.x.scenario.Arms[r.Arm]
	j, err := arm.Algorithm.Job(r.Seed)
	if err != nil {
		return nil, err
	}
	if err := a.x.compute(ctx, arm, r, j, advance); err != nil {
		return nil, err
	}
	return messages.Write(nil, r), nil
}

// Close ends the runtime. All jobs must have returned.
func (a *Alone) Close() {
	if a.x.host != nil {
		a.x.host.Close()
	}
}
