package runs

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"starling/scenarios/results"
	"starling/scenarios/results/checkpoint"
	"starling/scenarios/results/live"
)

// Status is the progress of a run.
type Status string

// The statuses of a run.
const (
	Running  Status = "running"
	Waiting  Status = "waiting"
	Failed   Status = "failed"
	Complete Status = "complete"
	Damaged  Status = "damaged"
)

// Statuses lists all statuses, the ones that want attention first.
func Statuses() []Status { return []Status{Running, Waiting, Failed, Damaged, Complete} }

// Run is a run as its folder shows it without its data files.
type Run struct {
	// Dir is the path of the folder, Scenario the name of the scenario, and Hash the name of
	// the folder.
	Dir      string `json:"dir"`
	Scenario string `json:"scenario"`
	Hash     string `json:"hash"`
	Status   Status `json:"status"`
	// Description is the description of the scenario; empty where it has none.
	Description string `json:"description,omitempty"`
	// Reason is the reason why a run failed or is damaged, or the event that it waits for.
	Reason string `json:"reason,omitempty"`
	// Shown means that there are results to look at. A complete run has them, and so has a run
	// of which some arms failed. Of the latter, Failures has the arms that failed, and Arms
	// the others.
	Shown    bool              `json:"shown"`
	Failures []results.Failure `json:"failures,omitempty"`
	// Arms have the names and values of the arms, and Seeds are the seeds of every arm. Both
	// are absent where an unfinished run does not state them.
	Arms  []ArmValues   `json:"arms,omitempty"`
	Seeds results.Seeds `json:"seeds"`
	// Horizon is the number of steps.
	Horizon int64 `json:"horizon,omitempty"`
	// Runs counts the runs under a seed: All is 0 where it is not known.
	Runs live.Count `json:"runs"`
	// Progress is the share of the steps that are done, from 0 to 1; null where it is not
	// known.
	Progress *float64 `json:"progress"`
	// Left is the number of seconds that a running one will still take, null where that is not
	// known.
	Left *float64 `json:"left,omitempty"`
	// Updated is the time of the last change, and Elapsed the number of seconds that all
	// starts of the run have taken, null where it is not known.
	Updated time.Time `json:"updated"`
	Elapsed *float64  `json:"elapsed"`
	// Digest is the digest of a complete run.
	Digest string `json:"digest,omitempty"`
	// Version is the version of the program that made the run.
	Version string   `json:"version,omitempty"`
	Tags    []string `json:"tags"`
	// Note is the note that people gave the run; empty for none.
	Note string `json:"note,omitempty"`
	// Differs are the values of the keys in which this run and others of its scenario's name
	// differ; see Differ. A key that the scenario of this run does not set is absent.
	Differs map[string]string `json:"differs,omitempty"`
	// Warnings is the number of warnings.
	Warnings int `json:"warnings"`
	// Parts are the parts of a run that is made in parts.
	Parts []Part `json:"parts,omitempty"`
}

// ArmValues is one variant of a sweep, with the values that it sets.
type ArmValues struct {
	Name   string          `json:"name"`
	Values []results.Value `json:"values,omitempty"`
}

// Part is the progress of a part of a run.
type Part struct {
	Name     string     `json:"part"`
	Status   Status     `json:"status"`
	Reason   string     `json:"reason,omitempty"`
	Runs     live.Count `json:"runs"`
	Progress *float64   `json:"progress"`
}

// depth is the number of levels below the listed folder on which a run can be: NAME/HASH, and
// one more for a folder of such folders.
const depth = 3

// readers is the number of folders that are read at a time.
const readers = 8

// List returns the runs in a folder and below it, by scenario and hash. The folder may be the
// folder of all results, of one scenario, or of one run. A folder below it that cannot be read
// is a damaged run, or is left out where nothing shows that it is a run. A missing folder is
// an error.
func List(folder string) ([]Run, error) {
	if _, err := os.ReadDir(folder); err != nil {
		return nil, err
	}
	dirs := find(filepath.Clean(folder), 0)
	list := make([]Run, len(dirs))
	var group sync.WaitGroup
	next := make(chan int)
	for range min(readers, len(dirs)) {
		group.Go(func() {
			for i := range next {
				list[i] = Of(dirs[i])
			}
		})
	}
	for i := range dirs {
		next <- i
	}
	close(next)
	group.Wait()
	slices.SortStableFunc(list, func(a, b Run) int {
		return cmp.Or(cmp.Compare(a.Scenario, b.Scenario), cmp.Compare(a.Hash, b.Hash))
	})
	return list, nil
}

// find lists the folders of runs in a folder, which is below levels under the listed folder. A
// folder that cannot be read has none.
func find(dir string, below int) (dirs []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	if isRun(dir, entries) {
		return []string{dir}
	}
	if below == depth {
		return nil
	}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if entry.Type()&fs.ModeSymlink != 0 { // such as to a larger disk
			if info, err := os.Stat(path); err != nil || !info.IsDir() {
				continue
			}
		} else if !entry.IsDir() {
			continue
		}
		dirs = append(dirs, find(path, below+1)...)
	}
	return dirs
}

// isHash reports whether a name is the name of the folder of a run, 12 hex digits: a run of
// which hardly any file remains has no other sign.
func isHash(name string) bool {
	if len(name) != 12 {
		return false
	}
	for _, c := range name {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// Of reads the state of a run from the folder dir. It never fails: an error makes the run a
// damaged one, and becomes its Reason.
func Of(dir string) Run {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		absolute = dir
	}
	r := Run{Dir: dir, Scenario: filepath.Base(filepath.Dir(absolute)), Hash: filepath.Base(absolute), Tags: []string{}}
	if tags, err := Tags(dir); err == nil {
		r.Tags = tags
	}
	r.Note, _ = Note(dir) // a note that cannot be read makes no run a damaged one
	complete, err := results.IsComplete(dir)
	switch {
	case err != nil:
		r.damage(err)
	case complete:
		r.complete()
	default:
		r.unfinished()
	}
	return r
}

func (r *Run) damage(err error) { r.Status, r.Reason = Damaged, err.Error() }

// complete fills in a run with COMPLETE.
func (r *Run) complete() {
	r.Updated = modified(filepath.Join(r.Dir, "COMPLETE"))
	m, err := results.Sealed(r.Dir)
	if err == nil {
		err = sizes(r.Dir, m.Files)
	}
	if m.Hash != "" { // else it cannot be read
		r.manifest(&m)
	}
	if err != nil {
		r.damage(err)
		return
	}
	r.Status, r.Shown = Complete, true
	if r.Failures = m.Failures; len(r.Failures) > 0 {
		text := strings.Replace(m.Failed(), "\n  ", " ", 1)
		r.Status, r.Reason = Failed, strings.ReplaceAll(text, "\n  ", "; ")
	}
	all, done := int64(len(m.Arms)+len(m.Failures))*int64(m.Seeds.Count), int64(len(m.Arms))*int64(m.Seeds.Count)
	share := float64(done) / float64(all)
	r.Runs, r.Progress = live.Count{All: all, Done: done}, &share
	if end, ok := lastEnd(filepath.Join(r.Dir, results.LogFile)); ok {
		r.Elapsed = &end.Took
	}
}

// sizes checks that files are there and have the sizes that the manifest says.
func sizes(dir string, files []results.FileEntry) error {
	for _, file := range files {
		switch info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(file.Name))); {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%s is missing", file.Name)
		case err != nil:
			return err
		case info.Size() != file.Size:
			return fmt.Errorf("%s is damaged: it has %d bytes, the manifest says %d", file.Name, info.Size(), file.Size)
		}
	}
	return nil
}

// manifest takes over the content of a manifest.
func (r *Run) manifest(m *results.Manifest) {
	r.Scenario, r.Description, r.Digest = m.Scenario, m.Description, m.Digest
	r.Seeds, r.Horizon, r.Version, r.Warnings = m.Seeds, m.Horizon, m.Versions.Starling, len(m.Warnings)
	for _, arm := range m.Arms {
		r.Arms = append(r.Arms, ArmValues{arm.Name, arm.Values})
	}
}

// unfinished fills in a run without COMPLETE.
func (r *Run) unfinished() {
	parts, _ := filepath.Glob(filepath.Join(quoted(r.Dir), "parts", "*-of-*"))
	whole := r.standing(r.Dir)
	switch {
	case whole.Status != Damaged:
		r.Status, r.Reason = whole.Status, whole.Reason
	case len(parts) > 0:
		r.parts(parts)
		return
	default:
		r.Status, r.Reason = Damaged, whole.Reason
	}
	r.Runs, r.Progress = whole.Runs, whole.Progress
}

// standing is the progress of a folder, which is a run's or a part's. It takes over the
// content of progress.json.
func (r *Run) standing(dir string) (p Part) {
	progress, broken := live.Read(dir)
	log := filepath.Join(dir, results.LogFile)
	r.touched(modified(log))
	if progress != nil {
		p.Runs = progress.Runs
		share := progress.Fraction()
		p.Progress = &share
		r.progress(progress)
	}
	saved := results.Checkpoints(dir)
	there, err := checkpoint.Exists(saved)
	switch {
	case results.Claimed(dir) || elsewhere(progress):
		p.Status = Running
		if progress != nil {
			r.Left = progress.Left
		}
		return p
	case err != nil:
		p.Status, p.Reason = Damaged, err.Error()
		return p
	case !there:
		p.Status, p.Reason = Damaged, "COMPLETE is missing, and so is a state from which the run could go on"
		return p
	}
	// progress.json may be older than the journal, where the process was killed.
	records, err := checkpoint.OpenRecords(saved)
	if err != nil {
		p.Status, p.Reason = Damaged, err.Error()
		return p
	}
	p.Runs.Done = max(p.Runs.Done, int64(records.Len()))
	records.Close()
	p.Status, p.Reason = Waiting, "interrupted; the same command goes on"
	if end, ok := lastEnd(log); ok && end.Error != "" && !end.Interrupted {
		p.Status, p.Reason = Failed, end.Error
	}
	if broken != nil {
		p.Reason += "; " + broken.Error()
	}
	return p
}

// progress takes over the facts in progress.json about the whole run, from whichever part.
func (r *Run) progress(p *live.Run) {
	if r.Arms == nil {
		for _, arm := range p.Arms {
			r.Arms = append(r.Arms, ArmValues{arm.Name, arm.Values})
			r.Horizon = max(r.Horizon, int64(arm.Horizon))
		}
	}
	r.Seeds = p.Seeds
	r.Warnings += len(p.Warnings) + p.WarningsMore
	took := p.Took()
	if r.Elapsed != nil {
		took += *r.Elapsed
	}
	r.Elapsed = &took
	r.touched(p.Updated)
}

func (r *Run) touched(at time.Time) {
	if at.After(r.Updated) {
		r.Updated = at
	}
}

// elsewhere reports whether a process on another machine writes the file: claims on a folder
// are not seen across all file systems.
func elsewhere(p *live.Run) bool {
	if p == nil || p.State != live.Running && p.State != live.Writing {
		return false
	}
	host, err := os.Hostname()
	age := time.Since(p.Updated)
	return err == nil && p.Host != host && age < time.Minute+time.Duration(5*min(p.Next, 3600)*float64(time.Second))
}

// parts fills in a run that is made in parts.
func (r *Run) parts(dirs []string) {
	r.Status, r.Reason = Waiting, ""
	done, failed := 0, ""
	share := 0.0
	var all, most int
	for _, dir := range dirs {
		var k, n int
		if _, err := fmt.Sscanf(filepath.Base(dir), "%d-of-%d", &k, &n); err != nil || k < 1 || n < k {
			continue
		}
		p := r.standing(dir)
		p.Name = fmt.Sprintf("%d/%d", k, n)
		if p.Runs.All > 0 && p.Runs.Done == p.Runs.All && p.Status == Waiting {
			p.Status, p.Reason = Complete, ""
			done++
		}
		switch {
		case p.Status == Running:
			r.Status = Running
		case p.Status == Failed || p.Status == Damaged:
			failed = fmt.Sprintf("part %s: %s", p.Name, p.Reason)
		}
		all, most = all+1, max(most, n)
		r.Runs.Done += p.Runs.Done
		if p.Progress != nil {
			share += *p.Progress / float64(n)
		}
		r.Parts = append(r.Parts, p)
	}
	slices.SortFunc(r.Parts, func(a, b Part) int { return cmp.Or(cmp.Compare(len(a.Name), len(b.Name)), cmp.Compare(a.Name, b.Name)) })
	r.Runs.All = int64(len(r.Arms)) * int64(r.Seeds.Count)
	r.Progress, r.Left = &share, nil
	switch {
	case r.Status == Running:
	case failed != "":
		r.Status, r.Reason = Failed, failed
	case done > 0 && done == all && all == most:
		r.Reason = "all parts are done: starling merge puts them together"
	default:
		r.Reason = fmt.Sprintf("%d of %d parts are done", done, most)
	}
}

// modified is the time at which a file was last written; the zero time where there is none.
func modified(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
