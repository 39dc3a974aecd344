package runner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"starling/actors/algorithm"
	"starling/scenarios/accounts"
	"starling/scenarios/document"
	"starling/scenarios/forecast"
	"starling/scenarios/jobs"
	"starling/scenarios/results"
	"starling/scenarios/results/checkpoint"
	"starling/scenarios/results/figure"
	"starling/scenarios/study"
	"starling/scenarios/study/arms"
)

// Engine is a runtime. Both give the same results.
type Engine = jobs.Engine

// The runtimes.
const (
	Actors   = jobs.Actors
	Lockstep = jobs.Lockstep
)

// RunOptions are the settings of a run that do not change its results.
type RunOptions struct {
	// Out is the folder of all results; a run has its own folder in it, NAME/HASH.
	Out string
	// Engine is the runtime.
	Engine Engine
	// Shards is the number of groups into which the actor runtime divides participants; 0
	// chooses.
	Shards int
	// Memory is the limit on the bytes of memory that the jobs of a run take together; 0 is no
	// limit. Fewer jobs run at a time where it is small.
	Memory int64
	// Theory is the limit on the work for the theoretical notes of an arm.
	Theory study.EffortExtent
	// Again runs from the beginning even if results, or a part of them, are there.
	Again bool
	// Part is the share of the jobs that runs; the zero value is all. A part leaves no results
	// but a folder that Merge puts together with the others.
	Part jobs.Share
	// Resume means that the run refuses to begin anew beside an unfinished run that cannot go
	// on.
	Resume bool
	// Version is the program's version, for the manifest.
	Version string
	// Build names the program by its content, so that the results of another build do not pass
	// for this build's. See BuildID.
	Build string
	// Progress, if not nil, follows the run.
	Progress *Progress
	// Elsewhere, if not nil, makes the jobs in other processes. Results are the same.
	Elsewhere Elsewhere
	// Spread, if not nil, runs the shards of each job in other processes, one job at a time.
	// Results are the same.
	Spread Spreader

	live    *tracker // writes progress.json; nil writes nothing
	workers int      // number of jobs that run at a time; 0 before it is computed
	kept    *kept    // results of the jobs from other runs; nil is none
}

// Validate refuses settings that make no sense.
func (o *RunOptions) Validate() error {
	if o.Again && o.Resume {
		return errors.New("to run again starts over, and to resume continues; ask for one of them")
	}
	if o.Spread != nil && (o.Engine != Actors || o.Elsewhere != nil) {
		return fmt.Errorf("only the runtime %s spreads a run", Actors)
	}
	forecast := o.Forecast()
	return forecast.Validate()
}

// Forecast returns the settings for a forecast of the run.
func (o *RunOptions) Forecast() forecast.Options {
	return forecast.Options{Engine: o.Engine, Shards: o.Shards, Memory: o.Memory}
}

// Progress counts the steps and jobs of a run that are done. It may be read while the run goes
// on.
type Progress struct {
	// Steps and Jobs count the steps and jobs that are done, of all jobs together.
	Steps, Jobs atomic.Int64
	// Before counts the steps among Steps that an earlier start of the run has done: they took
	// no time of this one.
	Before atomic.Int64
	// Part is the share of the jobs that the run has; the zero value is all.
	Part jobs.Share
	// live has more detail on the jobs, once the run has its folder.
	live atomic.Pointer[tracker]
}

// Folder returns the folder in which progress.json is, "" before the run has it.
func (p *Progress) Folder() string {
	if t := p.live.Load(); t != nil {
		return t.options.Dir
	}
	return ""
}

// Left estimates the speed of the run in steps a second and the time that it will still take.
// elapsed is the time since this start of it. There is no estimate before the first step.
func (p *Progress) Left(all int64, elapsed time.Duration) (speed float64, left time.Duration, ok bool) {
	steps, before := p.Steps.Load(), p.Before.Load()
	if steps <= before || elapsed <= 0 {
		return 0, 0, false
	}
	speed = float64(steps-before) / elapsed.Seconds()
	if left, ok = p.live.Load().Left(); ok {
		return speed, left, true
	}
	return speed, time.Duration(float64(all-steps) / speed * float64(time.Second)), true
}

// Outcome is the outcome of a run.
type Outcome struct {
	// Dir is the folder of the results, and Manifest its manifest.
	Dir      string
	Manifest results.Manifest
	// Existing is true if the results existed already, and nothing was run.
	Existing bool
	// Resumed is true if the run went on from the end of an earlier one.
	Resumed bool
	// Adopted is the number of jobs that were not run, because runs of other seeds, arms or
	// figures had them. From are the folders of these runs.
	Adopted int
	From    []string
	// Failures are the failures of arms that the results leave out.
	Failures []results.Failure
	// Summary has the statistics over the seeds.
	Summary []results.SummaryRow
	// Warnings are remarks on the folder, a sentence each: files that could not be removed
	// after the run, files that an earlier process has left beside existing results, and
	// results made by other arithmetic.
	Warnings []string
}

// Hash returns the hash that names the results of the scenario under a build. It covers the
// file with all overrides and the seeds, and the contents of the data files that it names. It
// leaves out the section checkpoint.
func Hash(s *study.Scenario, build string) string {
	h := sha256.New()
	h.Write(withoutCheckpoints(s).Bytes())
	h.Write([]byte{0})
	h.Write([]byte(build))
	for _, d := range s.Data {
		fmt.Fprintf(h, "\x00%s %s", d.Name, d.Sha256)
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// Dir returns the results folder of the scenario.
func Dir(s *study.Scenario, options RunOptions) string {
	return filepath.Join(options.Out, s.Name, Hash(s, options.Build))
}

// Run runs every arm under every seed and writes the results folder. A scenario with complete
// results is not run again, and one that was interrupted goes on from its checkpoints, unless
// options.Again is set.
//
// If a job fails by its own numbers, its arm is left out of the results and listed in
// Failures. The other arms are run to their end, and the next run tries the failed arm anew.
// It is an error if all arms fail. A job that another run of the scenario has finished, such
// as a run of fewer seeds, is taken over from it. An error of a run names scenario, arm, seed,
// step and node.
func Run(s *study.Scenario, ctx context.Context, options RunOptions) (*Outcome, error) {
	if err := options.Validate(); err != nil {
		return nil, &document.InputError{Err: err}
	}
	dir := Dir(s, options)
	// The order below matters. Every check that can refuse the run comes before the folder is
	// created. The claim on the folder comes before checkpoints are touched, because another
	// process may be using them.
	complete, err := results.IsComplete(dir)
	if err != nil {
		return nil, err
	}
	if complete && !options.Again {
		// A run with failed arms goes on with these.
		outcome, err := existing(dir)
		if err != nil || len(outcome.Failures) == 0 {
			return outcome, err
		}
	}
	if options.Elsewhere == nil && options.Spread == nil {
		if options.workers, err = forecast.Workers(ctx, s, options.Forecast()); err != nil {
			return nil, err
		}
	}
	if err := arms.CheckGraphs(ctx, s, false); err != nil {
		return nil, err
	}
	saved := results.Checkpoints(dir)
	resumed, err := checkpoint.Exists(saved)
	if err != nil {
		return nil, err
	}
	if options.Resume && !resumed {
		if err := foreign(s, options); err != nil {
			return nil, err
		}
	}
	folder, err := results.Create(dir, folderOptions(s, options.Again || complete))
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	// From here on no other process works in the folder.
	if options.Again {
		if err := checkpoint.Remove(saved); err != nil {
			return nil, err
		}
	}
	if resumed, err = checkpoint.Exists(saved); err != nil {
		return nil, err
	}
	if options.kept, err = keptOf(s, options, saved); err != nil {
		return nil, err
	}
	defer options.kept.Close()
	store, err := checkpoint.Open(saved, identityOf(s, options))
	if err != nil {
		return nil, unusable(err)
	}
	defer store.Close()
	options.kept.warnCut(store.Cuts())
	options.follow(s, dir)
	outcome, err := runLogged(s, ctx, options, folder, store, resumed)
	followed := options.live.Stop(err, true)
	if err != nil {
		return nil, err
	}
	if followed != nil {
		outcome.Warnings = append(outcome.Warnings, fmt.Sprintf("the run is complete, but its progress file could not be removed, which does no harm: %v", followed))
	}
	// The manifest is written by now. An error from here on leaves a complete run.
	outcome.Resumed = resumed
	outcome.adopt(options.kept)
	store.Close() // so that every system lets go of its files
	outcome.tidy(folder, saved)
	return outcome, nil
}

// follow starts the writing of progress.json into the folder of a run, or of a part of one.
func (o *RunOptions) follow(s *study.Scenario, dir string) {
	o.live = startTracker(s, trackerOptions{Dir: dir, Hash: Hash(s, o.Build), Part: o.Part})
	if o.Progress != nil {
		o.Progress.live.Store(o.live)
	}
}

// adopt records the jobs that were taken over from other runs.
func (o *Outcome) adopt(k *kept) {
	o.Adopted, o.From = k.adopted, k.from
	o.Warnings = append(o.Warnings, k.warnings...)
}

// tidy removes files that a complete run does not need. Files that cannot be removed do no
// harm; a warning names them.
func (o *Outcome) tidy(folder *results.Folder, checkpoints string) {
	left := func(what string, err error) {
		if err == nil {
			return
		}
		text := fmt.Sprintf("the run is complete, but %s could not be removed, which does no harm: %v", what, err)
		o.Warnings = append(o.Warnings, text)
		log := zerolog.New(folder.Log()).With().Timestamp().Logger()
		log.Warn().Msg(text)
	}
	left("the checkpoints that it no longer needs", checkpoint.Keep(checkpoints, results.Jobs(o.Dir)))
	left("the claim on its folder", folder.Unlock())
}

// runLogged is runAll with its beginning and end in the folder's log.
func runLogged(s *study.Scenario, ctx context.Context, options RunOptions, folder *results.Folder, store *checkpoint.Store, resumed bool) (outcome *Outcome, err error) {
	log := zerolog.New(folder.Log()).With().Timestamp().Logger()
	err = logged(s, options, log, folder.Dir(), resumed, store, func() error {
		again := func(s *study.Scenario) func(*jobs.Result) error { return againFrom(s, options, store) }
		outcome, err = conclude(s, options, folder, again, func(c *collector) error {
			return RunJobs(s, ctx, options, store, log, c.Take)
		})
		if err == nil && len(outcome.Failures) > 0 {
			log.Error().Str("failed", outcome.Manifest.Failed()).Msg("arms are left out")
		}
		return err
	})
	return outcome, err
}

// againFrom returns a function that reads results of jobs from the journal of a run.
func againFrom(s *study.Scenario, options RunOptions, store *checkpoint.Store) func(*jobs.Result) error {
	keys := jobs.Keys(s, options.Build)
	return func(r *jobs.Result) error {
		body, _, err := store.Finished(keys[r.Index])
		if err == nil {
			err = jobs.Read(r, s.Arms[r.Arm], body)
		}
		return err
	}
}

// logged calls run with its beginning and end in the log of a folder.
func logged(s *study.Scenario, options RunOptions, log zerolog.Logger, dir string, resumed bool, store *checkpoint.Store, run func() error) error {
	log.Info().Str("scenario", s.Name).Str("engine", string(options.Engine)).Int("jobs", len(options.Part.Of(s))).
		Bool("resumed", resumed).Int("finished", store.Jobs()).Int64("dropped", store.Dropped()).Msg("started")
	began := time.Now()
	err := run()
	event := log.Info()
	if err != nil {
		event = log.Error().Err(err)
	}
	if p := (*algorithm.Panic)(nil); errors.As(err, &p) && p.Stack != nil {
		event.Bytes("stack", p.Stack)
		err = fmt.Errorf("%w\nthe stack of the panic is in %s", err, filepath.Join(dir, results.LogFile))
	}
	if errors.Is(err, context.Canceled) { // with any text of its cause
		event.Bool("interrupted", true)
	}
	took := time.Since(began)
	event.Dur("elapsed", took).Dur("total", options.live.Before()+took).Msg("ended")
	return err
}

// existing returns the outcome of a run that is complete.
func existing(dir string) (*Outcome, error) {
	run, err := results.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("%w; run again with --again to replace it", err)
	}
	outcome := &Outcome{Dir: dir, Manifest: run.Manifest, Failures: run.Manifest.Failures, Existing: true}
	for _, path := range results.Leftovers(dir) {
		outcome.Warnings = append(outcome.Warnings, fmt.Sprintf("the run is complete, and %s is still there: it does no harm, and nothing needs it", path))
	}
	if ours := results.CurrentVersions(""); results.OtherArithmetic(&run.Manifest.Versions, &ours) != "" {
		outcome.Warnings = append(outcome.Warnings, foreignText(dir, &run.Manifest.Versions, &ours))
	}
	err = run.Summary(func(row results.SummaryRow) error {
		outcome.Summary = append(outcome.Summary, row)
		return nil
	})
	return outcome, err
}

// foreignText is the warning that a complete run was computed with other arithmetic than this
// process has.
func foreignText(dir string, theirs, ours *results.Versions) string {
	return fmt.Sprintf("%s was computed with other arithmetic, %s, and this process has %s: it may give other bits; to compute the run here, remove the folder or run with --again",
		dir, theirs.Platform(), ours.Platform())
}

// conclude takes the results of all jobs, draws the figures, and commits the folder with its
// manifest.
//
// If arms failed, it begins the folder anew with the results of the other arms, which it reads
// with again.
func conclude(s *study.Scenario, options RunOptions, folder *results.Folder, again reader, takeAll func(*collector) error) (*Outcome, error) {
	c := NewCollector(s, folder)
	c.again = again(s)
	if err := takeAll(c); err != nil {
		return nil, err
	}
	if failures := c.failures; len(failures) == len(s.Arms) {
		return nil, allFailed(s, failures)
	} else if len(failures) > 0 {
		s = jobs.Without(s, failures)
		if err := folder.Restart(ResultsPlan(s), jobs.ArmRows(s)); err != nil {
			return nil, err
		}
		c = NewCollector(s, folder)
		c.again = again(s)
		if err := c.takeLeft(); err != nil {
			return nil, err
		}
		c.warnFailed(failures)
	}
	summary := folder.SummaryRows()
	c.hash = Hash(s, options.Build)
	if err := c.mark(summary); err != nil {
		return nil, err
	}
	figures := c.Draw(summary)
	folder.Beside(func() error { return figure.Render(figures, folder.PlotsDir()) })
	if err := folder.Commit(manifestOf(s, options, c)); err != nil {
		return nil, err
	}
	// No file is read once the run is complete: if reading failed, a complete run would end
	// with an error.
	m := folder.Manifest()
	return &Outcome{Dir: folder.Dir(), Manifest: m, Failures: m.Failures, Summary: summary}, nil
}

// reader returns a function that reads results of jobs again after they were taken. The
// scenario may lack some of the arms.
type reader func(s *study.Scenario) func(*jobs.Result) error

// folderOptions returns the description of a scenario's run for its results folder.
func folderOptions(s *study.Scenario, again bool) results.Options {
	return results.Options{
		Plan: ResultsPlan(s), Scenario: s.Document.Bytes(), Arms: jobs.ArmRows(s),
		Metrics: s.Kinds.AllMetrics(), Overwrite: again,
	}
}

// ResultsPlan returns the arms and seeds of a scenario in the form of a results folder.
func ResultsPlan(s *study.Scenario) results.Plan {
	plan := results.Plan{Seeds: results.Seeds{Base: s.Seeds.Base, Count: s.Seeds.Count}}
	for _, arm := range s.Arms {
		plan.Arms = append(plan.Arms, arm.Name)
	}
	return plan
}

func manifestOf(s *study.Scenario, options RunOptions, c *collector) results.Manifest {
	first := s.Arms[0]
	m := results.Manifest{
		FormatVersion: results.FormatVersion,
		Scenario:      s.Name,
		Description:   s.Description,
		Paper:         s.Paper,
		Hash:          Hash(s, options.Build),
		Status:        results.StatusComplete,
		Failures:      c.failures,
		Digest:        c.Digest(),
		Seeds:         ResultsPlan(s).Seeds,
		FirstStep:     int64(first.Extent.FirstStep),
		Versions:      results.CurrentVersions(options.Version),
		MeasuredNodes: results.MeasuredNodes{All: true},
		Notes:         c.Notes,
		Ledger:        accounts.LedgerEntries(s),
		Warnings:      c.Warnings,
		Arms:          c.Arms,
	}
	if len(m.Failures) > 0 {
		m.Status = results.StatusFailed
	}
	for _, arm := range s.Arms {
		m.Horizon = max(m.Horizon, int64(arm.File.Horizon))
		if study.SamplesNodes(arm) && m.MeasuredNodes.All {
			m.MeasuredNodes = results.MeasuredNodes{Nodes: study.NodeLabels(arm, arm.Measured)}
		}
	}
	return m
}

// takeLeft hands the results of all jobs of the remaining arms to a collector once more.
func (c *collector) takeLeft() error { return c.visit(c.Take) }

// visit reads the results of all jobs once more, in their order.
func (c *collector) visit(take func(*jobs.Result) error) error {
	read := func(i int) *jobs.Result {
		r := jobs.New(c.scenario, i)
		r.Err = c.again(r)
		return r
	}
	size := func(int) int { return chunkSize } // a job at a time
	return readAhead(context.Background(), jobs.Count(c.scenario), size, read, take)
}

// warnFailed adds warnings that name the arms missing from the results.
func (c *collector) warnFailed(failures []results.Failure) {
	for i := range failures {
		f := &failures[i]
		c.Warnings = append(c.Warnings, results.Warning{Code: "failed", Message: f.String() + "; the arm is left out, with all its seeds"})
	}
	c.failures = failures
}

// allFailed returns the error for a scenario in which all arms have failed.
func allFailed(s *study.Scenario, failures []results.Failure) error {
	text := fmt.Sprintf("scenario %s, %s", s.Name, failures[0].String())
	if n := len(failures) - 1; n > 0 {
		text += fmt.Sprintf("\nall other arms, %d, failed, too", n)
	}
	return errors.New(text)
}
