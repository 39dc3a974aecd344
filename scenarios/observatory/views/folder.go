// Package views has the contents of the local page for a folder of results, as values that
// become JSON. It reads each value through the package that the command uses for it:
//
//	Folder.Runs       the runs of the folder            results/runs
//	Folder.Headlines  the best arms of runs             view
//	Folder.Search     runs that match a search text     results/runs
//	Folder.Detail     one run, finished or not          results, results/live, view
//	Folder.Log        the last events of a run          log.jsonl
//	Folder.Figure     charts of a run's metrics         view/plot, results/report
//	Folder.Privacy    losses by observer                accounts
//	Folder.Compare    two runs or arms                  view, results/comparison
//	Folder.Network    the graph of a step               view, the plan of the arm
//	Folder.Opening    where something happens first     the plans of the arms
//	Folder.NodeValues values of nodes, for colours      accounts, results
//	Folder.Exposure   losses of one node's data         accounts, results
//	Folder.Course     how that changes over the steps   view, topology
//	Folder.Traffic    messages of a step                replay
//	Folder.Replay     messages and state of a node      replay
//
// The folder may hold runs of other people: views never runs the code that a scenario names,
// and it refuses Traffic and Replay of such a run. The package knows no HTTP and no page. The
// ID of a run is the path of its folder relative to the folder of all results, with forward
// slashes. For an ID that leads elsewhere, by its elements or by a link, the error is
// ErrNoRun.
package views

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"starling/scenarios/loading"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/runs"
	"starling/scenarios/runner"
	"starling/scenarios/view"
	"starling/scenarios/view/plot"
)

// ErrNoRun is the error for a run that is not in the folder. ErrGone is the error for a run
// that may have been there.
var (
	ErrNoRun = errors.New("there is no such run in the folder")
	ErrGone  = fmt.Errorf("%w: it may have been deleted", ErrNoRun)
)

// Folder reads a folder of results. It is safe for concurrent use.
type Folder struct {
	dir    string // absolute, without links
	loader loading.Loader
	known  metric.List

	mu   sync.Mutex
	open map[string]*opened // by ID
	// verified holds the seals of runs that were checked against their manifests in all bytes.
	verified map[string]string // by ID
	// settings and headlines are the parts of lists that take reading. They are by ID, and as
	// good as their seals.
	settings  map[string]sealed[runs.Settings]
	headlines map[string]sealed[*view.Headline]
	intervals map[string]sealed[*view.Intervals]
	// kept are the headlines that starling runs has kept, which are read and not written.
	kept *view.KeptHeadlines
	// places are places of nodes in pictures.
	places map[placesKey]view.Places
	// long is the greatest size in bytes of a file that is read when a run is opened. Longer
	// ones are read later, a run at a time.
	long    int64
	reading sync.Mutex
}

// opened is a run with files that were checked against its manifest, or are being checked.
type opened struct {
	seal string // of its files as they were then
	// check is the state of that check; the folder's mu guards it.
	check check
	*view.Run
	// first is the study's first figure, which is looked for once.
	once  sync.Once
	first *Chosen
	// inner are the keys inside of mappings that the arms set, with several values.
	inner []string
}

// check is the state of the check of the bytes of a run.
type check struct {
	pending bool
	damage  error // nil is none
}

// mostAtOnce is the greatest size of a file that is checked against its SHA-256 before the
// page shows anything of the run: some hundredths of a second.
const mostAtOnce = 8 << 20

// mostVerified is the number of runs that Folder remembers as whole.
const mostVerified = 1 << 14

// mostOpen is the number of runs that are kept open, which takes the memory of their
// summaries.
const mostOpen = 8

// NewFolder returns the folder dir, which must exist. The loader reads the scenarios of
// runs, without any code that they name.
func NewFolder(dir string, loader loading.Loader) (*Folder, error) {
	loader.Showing = true
	absolute, err := filepath.Abs(dir)
	if err == nil {
		absolute, err = filepath.EvalSymlinks(absolute)
	}
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(absolute); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder", dir)
	}
	return &Folder{dir: absolute, loader: loader, known: loader.Kinds.AllMetrics(), open: map[string]*opened{}, places: map[placesKey]view.Places{}, verified: map[string]string{},
		settings: map[string]sealed[runs.Settings]{}, headlines: map[string]sealed[*view.Headline]{}, intervals: map[string]sealed[*view.Intervals]{}, kept: view.OpenKept(absolute), long: mostAtOnce}, nil
}

// Dir returns the path of the folder.
func (f *Folder) Dir() string { return f.dir }

// idOf returns the ID of the run in a folder, and false where the folder is outside.
func (f *Folder) idOf(dir string) (string, bool) {
	id, err := filepath.Rel(f.dir, dir)
	if err != nil {
		return "", false
	}
	id = filepath.ToSlash(id)
	_, err = f.place(id)
	return id, err == nil
}

// place returns the folder of a run, which has to exist within the folder of all results.
func (f *Folder) place(id string) (string, error) {
	local := filepath.FromSlash(id)
	if !filepath.IsLocal(local) || strings.ContainsAny(id, "\\\x00") {
		return "", fmt.Errorf("%q: %w", id, ErrNoRun)
	}
	dir, err := filepath.EvalSymlinks(filepath.Join(f.dir, local))
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s: %w", id, ErrGone)
	}
	if err != nil {
		return "", err
	}
	if relative, err := filepath.Rel(f.dir, dir); err != nil || !filepath.IsLocal(relative) {
		return "", fmt.Errorf("%s: %w: a link leads out of it", id, ErrNoRun)
	}
	return dir, nil
}

// opened returns a complete run. Its files are checked against its manifest when the run is
// first requested, and again whenever one of them has changed: short ones at once, and longer
// ones while the run is shown. Once one is found to be damaged the run is not shown any more.
func (f *Folder) opened(id string) (*opened, error) {
	dir, err := f.place(id)
	if err != nil {
		return nil, err
	}
	seal := sealOf(dir)
	f.mu.Lock()
	known, whole := f.open[id], f.verified[id] == seal
	var damage error
	if known != nil {
		damage = known.check.damage
	}
	f.mu.Unlock()
	if known != nil && known.seal == seal {
		return known, damage
	}
	o, err := f.read(dir, seal, whole)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if again := f.open[id]; again != nil && again.seal == seal {
		return again, again.check.damage // another request was faster
	}
	if len(f.open) >= mostOpen {
		clear(f.open)
	}
	f.open[id] = o
	if o.check.pending {
		go f.verify(id, o)
	} else {
		f.whole(id, seal)
	}
	return o, nil
}

// read opens the run in a folder. It does not read long files where they are known to be
// whole, or too long to wait for.
func (f *Folder) read(dir, seal string, whole bool) (*opened, error) {
	most := f.long
	if whole {
		most = -1
	}
	run, err := results.OpenUnverified(dir, most)
	if err != nil {
		return nil, err
	}
	o := &opened{seal: seal, check: check{pending: !whole && run.Longer(f.long)}}
	if o.Run, err = view.Read(run, f.known); err == nil {
		o.Halves = f.halves(run)
	}
	return o, err
}

// halves returns the intervals of statistics over all seeds of a run, as its own figures and tables have them. All arms
// have theirs computed when a figure first wants one of a metric: the parts of the run are opened once for it.
func (f *Folder) halves(run *results.Run) plot.Halves {
	type answer struct {
		halves map[int64]float64
		ok     bool
	}
	var mu sync.Mutex
	known := map[string]map[string]answer{} // by metric and arm
	return func(arm, metric string) (map[int64]float64, bool) {
		mu.Lock()
		defer mu.Unlock()
		if known[metric] == nil {
			parts := &runner.Parts{Loader: f.loader}
			defer parts.Close()
			of, all := parts.Halves(run), map[string]answer{}
			for _, a := range run.Manifest.Arms {
				halves, ok := of(a.Name, metric)
				all[a.Name] = answer{halves, ok}
			}
			known[metric] = all
		}
		a := known[metric][arm]
		return a.halves, a.ok
	}
}

// verify checks the long files of a run against its manifest, one run at a time.
func (f *Folder) verify(id string, o *opened) {
	f.reading.Lock()
	defer f.reading.Unlock()
	err := o.Source.Verify(f.long)
	f.mu.Lock()
	defer f.mu.Unlock()
	if o.check = (check{damage: err}); err == nil {
		f.whole(id, o.seal)
	}
}

// whole records that a run is whole; the folder's mu is held.
func (f *Folder) whole(id, seal string) {
	if len(f.verified) >= mostVerified {
		clear(f.verified)
	}
	f.verified[id] = seal
}

// Whole returns a text that identifies the files of a run, and reports whether these are known to
// have the checksums of its manifest.
func (f *Folder) Whole(id string) (seal string, ok bool) {
	dir, err := f.place(id)
	if err != nil {
		return "", false
	}
	seal = sealOf(dir)
	f.mu.Lock()
	defer f.mu.Unlock()
	return seal, seal != "" && f.verified[id] == seal
}

// pending reports whether files of a run are still being checked against its manifest.
func (f *Folder) pending(o *opened) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return o.check.pending
}

// sealOf returns the names, sizes and times of the files in the folder of a run, as a text.
func sealOf(dir string) string {
	var out strings.Builder
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && !entry.IsDir() {
			fmt.Fprintf(&out, "%s %d %d\n", entry.Name(), info.Size(), info.ModTime().UnixNano())
		}
	}
	return out.String()
}

// file opens a file of a run. The file has to exist, and to lie in the folder.
func (f *Folder) file(id, name string) (*os.File, error) {
	if _, err := f.place(id); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.Open(filepath.Join(filepath.FromSlash(id), name))
}

// text returns a file of a run, as file opens it.
func (f *Folder) text(id, name string) ([]byte, error) {
	file, err := f.file(id, name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}
