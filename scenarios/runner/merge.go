package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"starling/scenarios/document"
	"starling/scenarios/jobs"
	"starling/scenarios/loading"
	"starling/scenarios/results"
	"starling/scenarios/results/checkpoint"
	"starling/scenarios/study"
)

// part is the folder of a part of a run.
type part struct {
	dir   string
	id    checkpoint.Identity
	share jobs.Share
	*checkpoint.Records
}

// Merge puts the parts of a run together. Each of the folders dirs is the folder of a part, or
// contains such folders. The results folder that it writes is the same as for a run of all
// jobs on one machine, with the same digest and the same data files. All parts have to be
// there and finished. They have to be parts of one scenario, divided alike, and made by the
// build and arithmetic of this process. Anything else is an InputError that names the fault,
// and nothing is written. Merge uses Out, Build, Version and Again of options. The parts stay
// as they are.
func Merge(ctx context.Context, dirs []string, l loading.Loader, options RunOptions) (*Outcome, error) {
	parts, err := openParts(dirs)
	defer func() {
		for _, p := range parts {
			p.Close()
		}
	}()
	if err == nil {
		err = checkParts(parts, options)
	}
	if err != nil {
		return nil, document.BadInput(err)
	}
	s, err := scenarioOf(parts[0], l, options)
	if err != nil {
		return nil, err
	}
	keys := jobs.Keys(s, options.Build)
	sorted, err := completeParts(s, parts, keys)
	if err != nil {
		return nil, document.BadInput(err)
	}
	dir := Dir(s, options)
	complete, err := results.IsComplete(dir)
	if err != nil {
		return nil, err
	}
	if complete && !options.Again {
		return existing(dir)
	}
	return mergeInto(ctx, s, dir, sorted, keys, options)
}

// openParts finds the parts in folders, and opens their records.
func openParts(dirs []string) (parts []*part, err error) {
	for _, dir := range dirs {
		before := len(parts)
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.IsDir() {
				return err
			}
			p, err := openPart(path)
			if err != nil || p == nil {
				return err
			}
			parts = append(parts, p)
			return filepath.SkipDir
		})
		if err != nil {
			return parts, err
		}
		if len(parts) == before {
			return parts, fmt.Errorf("%s is no part of a run, and has none in it: starling run SCENARIO --part K/N makes them", dir)
		}
	}
	return parts, nil
}

// openPart opens the folder of a part. It returns nil if the folder is no part.
func openPart(dir string) (*part, error) {
	saved := results.Checkpoints(dir)
	there, err := checkpoint.Exists(saved)
	if err != nil || !there {
		return nil, err
	}
	p := &part{dir: dir}
	if p.id, err = checkpoint.ReadIdentity(saved); err != nil || p.id.Part == "" {
		return nil, err
	}
	if p.share, err = jobs.ParseShare(p.id.Part); err != nil {
		return nil, fmt.Errorf("%s: %w", saved, err)
	}
	p.Records, err = checkpoint.OpenRecords(saved)
	return p, err
}

// checkParts refuses parts that are not of one run, or not of this program.
func checkParts(parts []*part, options RunOptions) error {
	first := parts[0]
	seen := map[int]*part{}
	for _, p := range parts {
		at := fmt.Sprintf("part %s in %s", p.share, p.dir)
		switch {
		case p.id.Scenario != first.id.Scenario:
			return fmt.Errorf("%s is of the scenario %s, and %s of %s; merge each scenario by itself, by the folders of its own parts: starling merge %s, then starling merge %s",
				at, p.id.Scenario, first.dir, first.id.Scenario, document.Word(runFolder(first.dir)), document.Word(runFolder(p.dir)))
		case p.id.Build != options.Build:
			return fmt.Errorf("%s was made by another build, %s (version %s); this is %s (version %s)", at, p.id.Build, p.id.Version, options.Build, options.Version)
		case p.id.Arithmetic != results.Arithmetic():
			return fmt.Errorf("%s was computed with other arithmetic, %s; this process has %s", at, p.id.Arithmetic, results.Arithmetic())
		case p.id.Hash != first.id.Hash:
			return fmt.Errorf("%s is of another scenario or other data than %s: %s; merge each by itself: starling merge %s, then starling merge %s",
				at, first.dir, firstDifference(p.dir, first.dir), document.Word(runFolder(first.dir)), document.Word(runFolder(p.dir)))
		case p.share.Parts != first.share.Parts:
			return fmt.Errorf("%s is one of %d, and %s is part %s", at, p.share.Parts, first.dir, first.share)
		case seen[p.share.Part] != nil:
			return fmt.Errorf("part %s is given twice: %s and %s", p.share, seen[p.share.Part].dir, p.dir)
		}
		seen[p.share.Part] = p
	}
	return nil
}

// runFolder returns the folder of a part's run: the part is parts/K-of-N in it.
func runFolder(part string) string { return filepath.ToSlash(filepath.Dir(filepath.Dir(part))) }

// scenarioOf reads the scenario of a part, with the data of this machine.
func scenarioOf(p *part, l loading.Loader, options RunOptions) (*study.Scenario, error) {
	file := filepath.Join(p.dir, results.ScenarioFile)
	s, err := l.Load(file)
	if err != nil {
		return nil, err
	}
	if hash := Hash(s, options.Build); hash != p.id.Hash {
		return nil, document.BadInput(fmt.Errorf("%s has the hash %s with the data that are here, and its part has %s: the file or the data were changed", file, hash, p.id.Hash))
	}
	return s, nil
}

// mostNamed is the number of parts that an error names.
const mostNamed = 20

// completeParts returns the parts by their numbers, from 1; parts that have no jobs may be
// nil. The error names every part that is missing or unfinished, with the command that
// makes it.
func completeParts(s *study.Scenario, parts []*part, keys []checkpoint.Key) ([]*part, error) {
	first := parts[0]
	sorted := make([]*part, first.share.Parts+1)
	for _, p := range parts {
		sorted[p.share.Part] = p
	}
	var faults []string
	for k, p := range sorted[1:] {
		share := jobs.Share{Part: k + 1, Parts: first.share.Parts}
		list := share.Of(s)
		if len(list) == 0 {
			continue
		}
		if p == nil {
			faults = append(faults, fmt.Sprintf("part %s is missing; this makes it:\n  %s", share, commandOf(filepath.Join(first.dir, results.ScenarioFile), outOf(first.dir), share)))
			continue
		}
		missing, err := p.missing(s, list, keys)
		if err != nil {
			return nil, err
		}
		if missing > 0 {
			faults = append(faults, fmt.Sprintf("part %s in %s is unfinished, with %d of %d runs; this goes on with it:\n  %s", share, p.dir, len(list)-missing, len(list), commandOf(filepath.Join(p.dir, results.ScenarioFile), outOf(p.dir), share)))
		}
	}
	if n := len(faults); n > mostNamed {
		faults = append(faults[:mostNamed], fmt.Sprintf("and %d parts more", n-mostNamed))
	}
	if len(faults) > 0 {
		return nil, errors.New(strings.Join(faults, "\n"))
	}
	return sorted, nil
}

// missing counts the jobs of a list that the part should have made and has not. Jobs of an arm
// that has failed under an earlier seed do not count.
func (p *part) missing(s *study.Scenario, list []int, keys []checkpoint.Key) (count int, err error) {
	arm := func(i int) int { return i / s.Seeds.Count }
	open := map[int]bool{} // arms with jobs that are missing
	for _, i := range list {
		open[arm(i)] = open[arm(i)] || !p.Has(keys[i])
	}
	failed := map[int]bool{} // arms that failed in the list so far; its jobs ascend
	for _, i := range list {
		switch {
		case failed[arm(i)] || !open[arm(i)]:
		case !p.Has(keys[i]):
			count++
		default:
			r := readPart(s, p, i, keys[i])
			if r.Err != nil {
				return 0, r.Err
			}
			failed[arm(i)] = r.Failure != nil
		}
	}
	return count, nil
}

// outOf returns the folder of all results into which a part was run, as far as its path shows
// it.
func outOf(dir string) string {
	if absolute, err := filepath.Abs(dir); err == nil && filepath.Base(filepath.Dir(absolute)) == filepath.Base(filepath.Dir(results.Part("x", 1, 1))) {
		return filepath.Join(dir, "..", "..", "..", "..")
	}
	return "results"
}

// mergeInto writes the results folder of the parts. If it made the folder and cannot complete
// it, it removes the folder.
func mergeInto(ctx context.Context, s *study.Scenario, dir string, parts []*part, keys []checkpoint.Key, options RunOptions) (*Outcome, error) {
	_, err := os.Stat(dir)
	made := errors.Is(err, fs.ErrNotExist)
	folder, err := results.Create(dir, folderOptions(s, options.Again))
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	began := time.Now()
	log := zerolog.New(folder.Log()).With().Timestamp().Logger()
	log.Info().Str("scenario", s.Name).Int("jobs", jobs.Count(s)).Int("parts", len(parts)-1).Msg("merge")
	outcome, err := conclude(s, options, folder, partsReader(parts, keys, options.Build), func(c *collector) error {
		return takeParts(ctx, s, parts, keys, c)
	})
	if err == nil {
		err = gather(s, dir, parts, options)
	}
	event := log.Info()
	if err != nil {
		event = log.Error().Err(err)
	}
	event.Dur("elapsed", time.Since(began)).Msg("ended")
	if err != nil {
		folder.Close()
		if made {
			err = errors.Join(err, os.RemoveAll(dir))
			os.Remove(filepath.Dir(dir)) // if it is empty
		}
		return nil, err
	}
	return outcome, folder.Unlock()
}

// takeParts hands the results of all jobs to the collector in the canonical order.
func takeParts(ctx context.Context, s *study.Scenario, parts []*part, keys []checkpoint.Key, c *collector) error {
	read := func(i int) *jobs.Result {
		p := partOf(parts, i)
		if !p.Has(keys[i]) { // a job of an arm that failed before
			return &jobs.Result{Index: i, Arm: i / s.Seeds.Count, Seed: jobs.SeedOf(s, i), Skipped: true}
		}
		r := readPart(s, p, i, keys[i])
		if r.Err == nil && r.Failure == nil {
			// This runs for several jobs at a time; take runs for one after the other.
			r.Err = r.Metrics.LoadRunLevel()
		}
		if r.Err != nil {
			r.Err = document.BadInput(r.Err)
		}
		return r
	}
	size := func(i int) int { return partOf(parts, i).Size(keys[i]) }
	return readAhead(ctx, len(keys), size, read, c.Take)
}

// partsReader reads results of jobs again, also of a scenario with fewer arms.
func partsReader(parts []*part, keys []checkpoint.Key, build string) reader {
	return func(s *study.Scenario) func(*jobs.Result) error {
		own := jobs.Keys(s, build)
		return func(r *jobs.Result) error {
			at := slices.Index(keys, own[r.Index]) // index among the jobs of all arms
			*r = *readPart(s, partOf(parts, at), r.Index, own[r.Index])
			return r.Err
		}
	}
}

// partOf returns the part that has the i-th job; parts are ordered by their numbers.
func partOf(parts []*part, i int) *part { return parts[i%(len(parts)-1)+1] }

// readPart returns the result of the i-th job from a part that has it.
func readPart(s *study.Scenario, p *part, i int, key checkpoint.Key) *jobs.Result {
	r := jobs.New(s, i)
	_, err := p.Visit(key, func(body []byte) error { return jobs.Read(r, s.Arms[r.Arm], body) })
	if err != nil {
		again := commandOf(filepath.Join(p.dir, results.ScenarioFile), outOf(p.dir), p.share)
		r.Err = fmt.Errorf("part %s in %s: %w; this makes it again:\n  %s --again", p.share, p.dir, err, again)
	}
	return r
}

// gather keeps the records of the parts with the results, as a run on one machine does.
func gather(s *study.Scenario, dir string, parts []*part, options RunOptions) error {
	var stores []string
	for _, p := range parts[1:] {
		if p != nil {
			stores = append(stores, results.Checkpoints(p.dir))
		}
	}
	options.Part = jobs.Share{}
	return checkpoint.Gather(results.Jobs(dir), identityOf(s, options), stores)
}

// firstDifference returns the first difference between the scenarios of two folders.
func firstDifference(theirs, ours string) string {
	a, errA := os.ReadFile(filepath.Join(theirs, results.ScenarioFile))
	b, errB := os.ReadFile(filepath.Join(ours, results.ScenarioFile))
	if err := errors.Join(errA, errB); err != nil {
		return "its scenario cannot be read: " + err.Error()
	}
	if slices.Equal(a, b) {
		return "the scenarios are the same, and the data are not"
	}
	return differenceOf(a, b)
}
