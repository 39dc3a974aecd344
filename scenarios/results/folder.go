package results

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"starling/actors/atomicfile"
	"starling/scenarios/metric"
)

// ErrComplete is the error of Create for a folder that holds a complete run.
var ErrComplete = errors.New("the folder holds a complete run")

// ErrLocked is the error of Create and Claim while another process, or another user of this
// package in this one, holds the folder.
var ErrLocked = errors.New("another run is writing this folder")

// Options describes the run that a folder is created for.
type Options struct {
	// Plan lists the jobs of the run; they have to be written in its order.
	Plan Plan
	// Scenario is the text of scenario.yaml: the resolved file, from which the run can be
	// made again.
	Scenario []byte
	// Arms are the rows of arms.parquet, in their order.
	Arms []ArmRow
	// Metrics are the metrics that can be recorded. The metadata of the tables describe the
	// metrics that the run has recorded.
	Metrics metric.List
	// Overwrite drops a complete run that is there already; without it Create returns
	// ErrComplete.
	Overwrite bool
}

// Folder is a results folder open for writing. Its methods are not safe for concurrent use.
// Writing to Log is.
type Folder struct {
	// The lock is held from Create to Unlock or Close.
	dir     string
	lock    *lock
	log     *os.File
	writer  *Writer
	summary *Summarizer
	privacy *privacyWriter
	files   []FileEntry
	// options are the options of Create, and recorded the names of the metrics of all jobs.
	options  Options
	recorded map[string]bool
	// book has the lines of digests.jsonl for the jobs that were written with a proof.
	book digestBook
	// beside has a channel for each piece of work that Commit waits for.
	beside []chan error
	// manifest is set once the folder is committed.
	manifest  Manifest
	committed bool
	closed    bool
}

// Create makes the folder dir with its parents, claims it, and clears away the remains of an
// earlier run: its temporary files, data files, plots, models, report and manifest. The log of
// an unfinished run is kept and appended to. Every Folder ends with Close; without a Commit
// before it the run is unfinished.
func Create(dir string, options Options) (*Folder, error) {
	if err := options.Plan.Validate(); err != nil {
		return nil, fmt.Errorf("results folder %s: %w", dir, err)
	}
	if err := os.MkdirAll(filepath.Join(dir, plotsName), 0o755); err != nil {
		return nil, fmt.Errorf("results folder: %w", err)
	}
	claim, err := acquire(filepath.Join(dir, lockName))
	if err != nil {
		return nil, fmt.Errorf("results folder %s: %w", dir, err)
	}
	f := &Folder{dir: dir, lock: claim, summary: NewSummarizer(options.Plan.Arms), options: options, recorded: map[string]bool{}}
	if err := f.start(options); err != nil {
		f.Close()
		return nil, fmt.Errorf("results folder %s: %w", dir, err)
	}
	return f, nil
}

// Restart drops the jobs that were written, with their other data, and begins anew with other
// jobs. arms are their rows of arms.parquet.
func (f *Folder) Restart(plan Plan, arms []ArmRow) error {
	f.wait()
	f.writer.Abort()
	f.privacy.Abort()
	for _, file := range f.files {
		if err := remove(f.path(filepath.FromSlash(file.Name))); err != nil {
			return fmt.Errorf("results folder %s: %w", f.dir, err)
		}
	}
	f.files, f.recorded, f.summary, f.book = nil, map[string]bool{}, NewSummarizer(plan.Arms), digestBook{}
	f.options.Plan, f.options.Arms = plan, arms
	if err := f.open(); err != nil {
		return fmt.Errorf("results folder %s: %w", f.dir, err)
	}
	return nil
}

// start fills a folder that is claimed.
func (f *Folder) start(options Options) error {
	logMode := os.O_APPEND
	complete, err := IsComplete(f.dir)
	if err != nil {
		return err
	}
	if complete {
		if !options.Overwrite {
			return ErrComplete
		}
		logMode = os.O_TRUNC
	}
	// From here on the earlier content of the folder is lost: the lock is held and the run may
	// begin.
	if err := f.clear(); err != nil {
		return err
	}
	if f.log, err = os.OpenFile(f.path(logName), os.O_CREATE|os.O_WRONLY|logMode, 0o644); err != nil {
		return err
	}
	return f.open()
}

// open begins the files of the plan.
func (f *Folder) open() error {
	err := f.WriteFile(scenarioName, func(w io.Writer) error {
		_, err := w.Write(f.options.Scenario)
		return err
	})
	if err != nil {
		return err
	}
	if f.privacy, err = newPrivacyWriter(f.path(privacyName)); err != nil {
		return err
	}
	f.writer, err = NewWriter(f.path(metricsName), f.options.Plan)
	return err
}

// clear removes the files of an earlier run, COMPLETE first, so that a crash on the way leaves
// an unfinished run and never a wrong one. The manifest goes last, for it lists the data
// files.
func (f *Folder) clear() error {
	if err := remove(f.path(completeName)); err != nil {
		return err
	}
	for _, folder := range []string{f.dir, f.path(plotsName)} {
		if err := atomicfile.RemoveStale(folder); err != nil {
			return err
		}
	}
	doomed := []string{f.path(metricsName), f.path(summaryName), f.path(privacyName), f.path(armsName), f.path(digestsName), f.path(ReportName)}
	for _, pattern := range []string{"*.svg", "*.png", "*.json"} {
		plots, err := filepath.Glob(f.path(plotsName, pattern))
		if err != nil {
			return err
		}
		doomed = append(doomed, plots...)
		if pattern == "*.svg" { // a text without a figure is somebody's own
			for _, plot := range plots {
				base := strings.TrimSuffix(plot, ".svg")
				doomed = append(doomed, base+".txt", base+".tex")
			}
		}
	}
	models, err := os.ReadDir(f.path(modelsName))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, model := range models {
		if !model.IsDir() {
			doomed = append(doomed, f.path(modelsName, model.Name()))
		}
	}
	if old, err := ReadManifest(f.dir); err == nil {
		for _, file := range old.Files {
			doomed = append(doomed, f.path(filepath.FromSlash(file.Name)))
		}
	}
	for _, path := range append(doomed, f.path(manifestName)) {
		if err := remove(path); err != nil {
			return err
		}
	}
	return atomicfile.SyncFolder(f.dir)
}

// remove deletes a file that need not exist.
func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func (f *Folder) path(elements ...string) string {
	return filepath.Join(append([]string{f.dir}, elements...)...)
}

// Dir is the path of the folder.
func (f *Folder) Dir() string { return f.dir }

// Log is log.jsonl. It takes whole lines from any goroutine, until Close.
func (f *Folder) Log() io.Writer { return f.log }

// PlotsDir is the folder of the figures.
func (f *Folder) PlotsDir() string { return f.path(plotsName) }

// WriteJob adds the run's next job to metrics.parquet and its run-level metrics
// to the summary. After an error the run cannot be committed.
func (f *Folder) WriteJob(job *Job) error {
	if err := f.writer.WriteJob(job); err != nil {
		return fmt.Errorf("results folder %s: %w", f.dir, err)
	}
	if err := f.summary.AddJob(job); err != nil {
		f.writer.fail(err)
		return fmt.Errorf("results folder %s: %w", f.dir, err)
	}
	for _, name := range job.metrics {
		f.recorded[name] = true
	}
	return nil
}

// AddSummary adds a row that a reducer computed to the summary. See
// Summarizer.AddSummary.
func (f *Folder) AddSummary(row SummaryRow) error {
	if err := f.summary.AddSummary(row); err != nil {
		return fmt.Errorf("results folder %s: %w", f.dir, err)
	}
	f.recorded[row.Metric] = true
	return nil
}

// AddPrivacy adds a row to privacy.parquet. Rows come in the order of the jobs.
func (f *Folder) AddPrivacy(row PrivacyRow) error {
	if err := row.Validate(); err != nil {
		return fmt.Errorf("results folder %s: %w", f.dir, err)
	}
	if f.book.Begun() {
		if err := f.book.Privacy(&row); err != nil {
			return fmt.Errorf("results folder %s: %w", f.dir, err)
		}
	}
	return f.privacy.Add(row)
}

// SummaryRows returns the summary of the jobs and rows added so far, as summary.parquet will
// hold it.
func (f *Folder) SummaryRows() []SummaryRow { return f.summary.Rows() }

// WriteFile writes one more data file, whole or not at all, which the manifest
// will list. The name is one element, such as "privacy.parquet", and none that
// the folder uses itself.
func (f *Folder) WriteFile(name string, fill func(io.Writer) error) error {
	reserved := []string{manifestName, metricsName, summaryName, privacyName, armsName, digestsName, logName, plotsName, modelsName, completeName, lockName, checkpointsName, jobsName, partsName, ReportName, ProgressFile, TagsFile, NoteFile}
	if !isElement(name) || slices.Contains(reserved, name) {
		return fmt.Errorf("results folder %s: %q cannot name a data file", f.dir, name)
	}
	size, sum, err := atomicfile.Write(f.path(name), fill)
	if err != nil {
		return err
	}
	f.list(name, size, sum)
	return nil
}

// isElement reports whether a name is one element of a path, and no name of a file that is
// being written.
func isElement(name string) bool {
	return filepath.IsLocal(name) && name != "." && filepath.Base(name) == name && filepath.Ext(name) != atomicfile.Suffix
}

// WriteModel writes a file of that name, one element, into the folder of models,
// whole or not at all; the manifest will list it.
func (f *Folder) WriteModel(name string, fill func(io.Writer) error) error {
	if !isElement(name) {
		return fmt.Errorf("results folder %s: %q cannot name a model", f.dir, name)
	}
	if err := os.MkdirAll(f.path(modelsName), 0o755); err != nil {
		return fmt.Errorf("results folder %s: %w", f.dir, err)
	}
	size, sum, err := atomicfile.Write(f.path(modelsName, name), fill)
	if err != nil {
		return err
	}
	f.list(path.Join(modelsName, name), size, sum)
	return nil
}

// list enters a file in the manifest, in place of an earlier one of that name.
func (f *Folder) list(name string, size int64, sum string) {
	f.files = slices.DeleteFunc(f.files, func(file FileEntry) bool { return file.Name == name })
	f.files = append(f.files, FileEntry{Name: name, Size: size, SHA256: sum})
}

// Beside runs work in the folder beside the caller, such as drawing its figures. Commit waits
// for it before the run is complete, and returns its error; Close waits for it too.
func (f *Folder) Beside(work func() error) {
	done := make(chan error, 1)
	f.beside = append(f.beside, done)
	go func() { done <- work() }()
}

// wait waits for all work beside the caller, and returns the first error.
func (f *Folder) wait() (first error) {
	for _, done := range f.beside {
		if err := <-done; first == nil {
			first = err
		}
	}
	f.beside = nil
	return first
}

// Commit writes the remaining files: the data files under their final names, the manifest, and
// COMPLETE, last. The manifest must name the arms and seeds the folder was created for;
// FormatVersion and Files are filled in. A complete run needs every job. A failed run needs
// every job of the arms that did not fail. An interrupted run keeps the jobs that it has, and
// has no COMPLETE.
func (f *Folder) Commit(manifest Manifest) error {
	if err := f.commit(manifest); err != nil {
		return fmt.Errorf("results folder %s: %w", f.dir, err)
	}
	return nil
}

func (f *Folder) commit(manifest Manifest) error {
	if f.committed {
		return errors.New("committed already")
	}
	manifest.FormatVersion = FormatVersion
	manifest.Files = nil
	// Everything that can be refused is refused before a file gets its final name.
	if err := f.check(&manifest); err != nil {
		return err
	}
	if err := f.commitTables(&manifest); err != nil {
		return err
	}
	if err := f.wait(); err != nil {
		return err
	}
	slices.SortFunc(f.files, func(a, b FileEntry) int { return cmp.Compare(a.Name, b.Name) })
	manifest.Files = f.files
	text, err := manifest.encode()
	if err != nil {
		return err
	}
	if f.manifest, err = decodeManifest(text); err != nil {
		return err
	}
	if err := writeText(f.path(manifestName), text); err != nil {
		return err
	}
	f.committed = true
	// An interrupted run has a manifest and no COMPLETE: its jobs can be read, and Open
	// refuses it as unfinished.
	if manifest.Status == StatusInterrupted {
		return nil
	}
	if err := f.verify(text); err != nil {
		return err
	}
	return writeText(f.path(completeName), completeText(text))
}

// Manifest returns the manifest of a committed folder, files included.
func (f *Folder) Manifest() Manifest { return f.manifest }

// verify reads the written files back, before COMPLETE declares them: another process may have
// changed them meanwhile, or faulty memory.
func (f *Folder) verify(manifest []byte) error {
	run := &Run{Dir: f.dir, Manifest: f.manifest}
	list := append(slices.Clone(f.files), FileEntry{Name: manifestName, Size: int64(len(manifest)), SHA256: sumOf(manifest)})
	for _, file := range list {
		if err := run.check(file); err != nil {
			return fmt.Errorf("the files on disk differ from the files written, and the run is not complete; if this happens again, starling run --again makes all jobs again: %w", err)
		}
	}
	return nil
}

// check reports why the manifest cannot be the one of this run.
func (f *Folder) check(manifest *Manifest) error {
	if err := manifest.Validate(); err != nil {
		return fmt.Errorf("manifest: %w", err)
	}
	got, want := manifest.plan(), f.writer.plan
	if !slices.Equal(got.Arms, want.Arms) || got.Seeds != want.Seeds {
		return fmt.Errorf("manifest: arms %q and seeds %+v, the folder was created for %q and %+v",
			got.Arms, got.Seeds, want.Arms, want.Seeds)
	}
	if jobs := f.writer.Jobs(); manifest.Status != StatusInterrupted && jobs < want.jobs() {
		return fmt.Errorf("manifest: status %s, yet %d of %d jobs are written", manifest.Status, jobs, want.jobs())
	}
	return nil
}

// commitTables gives the tables their final names, and lists them.
func (f *Folder) commitTables(manifest *Manifest) error {
	notes, err := notesOf(manifest, f.options.Metrics, f.recorded)
	if err != nil {
		return err
	}
	metrics := f.writer.table
	if err := f.writer.end(); err != nil {
		return err
	}
	metrics.Annotate(notes)
	if err := f.writer.Commit(); err != nil {
		return err
	}
	f.list(metricsName, metrics.Size(), metrics.SHA256())
	summary, err := writeSummary(f.path(summaryName), f.summary.Rows(), notes)
	if err != nil {
		return err
	}
	f.list(summaryName, summary.Size(), summary.SHA256())
	if err := f.privacy.Commit(notes); err != nil {
		return err
	}
	f.list(privacyName, f.privacy.Size(), f.privacy.SHA256())
	arms, err := writeArms(f.path(armsName), manifest, f.options.Arms, notes)
	if err != nil {
		return err
	}
	f.list(armsName, arms.Size(), arms.SHA256())
	return f.writeDigests()
}

func writeText(path string, text []byte) error {
	_, _, err := atomicfile.Write(path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	return err
}

// Unlock gives the folder up, for others to write to: after it only the log may be written. A
// LOCK that cannot be removed is an error. It keeps no process out on systems that drop claims
// themselves. A second Unlock does nothing.
func (f *Folder) Unlock() error {
	if f.lock == nil {
		return nil
	}
	err := f.lock.Release()
	f.lock = nil
	return err
}

// Close drops files that are not committed, closes the log and gives the folder up. A second
// Close does nothing.
func (f *Folder) Close() error {
	if f.closed {
		return nil
	}
	f.closed = true
	f.wait()
	if f.writer != nil {
		f.writer.Abort()
	}
	if f.privacy != nil {
		f.privacy.Abort()
	}
	var logError error
	if f.log != nil {
		logError = f.log.Close()
	}
	return errors.Join(logError, f.Unlock())
}

// IsComplete reports whether the folder holds a complete run. It looks for COMPLETE only; Open
// checks the rest. It returns an error where the system cannot answer: the run may be there.
func IsComplete(dir string) (bool, error) {
	info, err := os.Stat(filepath.Join(dir, completeName))
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if errors.Is(err, syscall.ENOTDIR) {
		return false, fmt.Errorf("%s cannot be the folder of a run: a file stands in its path", dir)
	}
	if err != nil {
		return false, fmt.Errorf("cannot tell whether the run is complete: %w", err)
	}
	return info.Mode().IsRegular(), nil
}
