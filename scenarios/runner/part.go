package runner

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/rs/zerolog"

	"starling/scenarios/document"
	"starling/scenarios/forecast"
	"starling/scenarios/jobs"
	"starling/scenarios/results"
	"starling/scenarios/results/checkpoint"
	"starling/scenarios/study"
	"starling/scenarios/study/arms"
)

// RunPart runs the share of the jobs that options.Part names, into a folder of its own within
// the run's: OUT/NAME/HASH/parts/K-of-N. The folder has the scenario, a log, and the records
// of the jobs; Merge makes results of the parts. A part that was killed goes on when it is
// started again. A part that is finished does nothing. Arms that fail are in the outcome, and
// a part is finished without them. If the results of the whole run are complete, RunPart runs
// nothing either.
func RunPart(s *study.Scenario, ctx context.Context, options RunOptions) (*Outcome, error) {
	if err := options.Validate(); err != nil {
		return nil, &document.InputError{Err: err}
	}
	whole := Dir(s, options)
	if complete, err := results.IsComplete(whole); err != nil || complete && !options.Again {
		return &Outcome{Dir: whole, Existing: true}, err
	}
	var err error
	settings := options.Forecast()
	settings.Jobs = options.Part.Of(s)
	if options.Elsewhere == nil && options.Spread == nil {
		if options.workers, err = forecast.Workers(ctx, s, settings); err != nil {
			return nil, err
		}
	}
	if err := arms.CheckGraphs(ctx, s, false); err != nil {
		return nil, err
	}
	dir := results.Part(whole, options.Part.Part, options.Part.Parts)
	release, err := results.Claim(dir)
	if err != nil {
		return nil, err
	}
	outcome, err := runPart(s, ctx, options, dir)
	if unlock := release(); err == nil {
		err = unlock
	}
	return outcome, err
}

// runPart is RunPart in a folder that is claimed.
func runPart(s *study.Scenario, ctx context.Context, options RunOptions, dir string) (*Outcome, error) {
	saved := results.Checkpoints(dir)
	if options.Again {
		if err := checkpoint.Remove(saved); err != nil {
			return nil, err
		}
	}
	resumed, err := checkpoint.Exists(saved)
	if err != nil {
		return nil, err
	}
	if options.kept, err = keptOf(s, options, saved); err != nil {
		return nil, err
	}
	defer options.kept.Close()
	err = results.WriteFile(filepath.Join(dir, results.ScenarioFile), func(w io.Writer) error {
		_, err := w.Write(s.Document.Bytes())
		return err
	})
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(dir, results.LogFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	store, err := checkpoint.Open(saved, identityOf(s, options))
	if err != nil {
		return nil, unusable(err)
	}
	defer store.Close()
	options.kept.warnCut(store.Cuts())
	before := store.Jobs()
	log := zerolog.New(file).With().Timestamp().Logger()
	outcome := &Outcome{Dir: dir, Resumed: resumed, Existing: resumed && before == len(options.Part.Of(s))}
	options.follow(s, dir)
	err = logged(s, options, log, dir, resumed, store, func() error {
		return RunJobs(s, ctx, options, store, log, func(r *jobs.Result) error {
			outcome.Failures = jobs.NoteFailure(outcome.Failures, r)
			return nil
		})
	})
	if followed := options.live.Stop(err, false); err == nil {
		err = followed
	}
	outcome.adopt(options.kept)
	return outcome, err
}

// commandOf returns the command that makes a part of a run, or goes on with it.
func commandOf(scenario, out string, part jobs.Share) string {
	return fmt.Sprintf("starling run %s --part %s --out %s", document.Word(scenario), part, document.Word(out))
}
