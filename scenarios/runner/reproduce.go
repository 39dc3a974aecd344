package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"starling/scenarios/claim"
	"starling/scenarios/document"
	"starling/scenarios/inputs"
	"starling/scenarios/library"
	"starling/scenarios/loading"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/study"
)

// ReproduceOptions are the settings of Reproduce.
type ReproduceOptions struct {
	// Quick runs at the reduced size that the claims' file states. Verdicts of that size
	// check the program, not the paper.
	Quick bool
	// Loader reads the scenarios, with a folder of data sets or without.
	Loader loading.Loader
	// Run are the settings of each run; its Progress is not used.
	Run RunOptions
	// Watch, if not nil, is called before a scenario runs. It returns a function to call after
	// the run.
	Watch func(*study.Scenario, *Progress) (stop func())
	// Ran, if not nil, is called with the outcome of each run.
	Ran func(*Outcome)
}

// Reproduce runs scenarios and decides the claims on them. names are scenarios of the library
// or files. If there are none, it runs all scenarios of the library that have claims. A run
// that is complete is not run again. The verdicts are in OUT/reproduce.json and
// OUT/reproduce.md, written once all claims are decided. Names and claims are checked before
// anything runs; faults in them are InputErrors. If names is empty, the claims on a scenario
// without its data set are not testable.
func Reproduce(ctx context.Context, names []string, options ReproduceOptions) ([]claim.Report, error) {
	var studies []*reproduction
	for _, name := range chosen(names, library.Claimed()) {
		// All names and claims are read before the first run: a run may take hours.
		s, err := NewStudy(name, options.Quick, options.Loader)
		var input *document.InputError
		if errors.As(err, &input) && input.Data != "" && len(names) == 0 {
			s.Absent = input.Data
			err = nil
		}
		if err != nil {
			return nil, err
		}
		for _, other := range studies {
			if s.Scenario != nil && other.Scenario != nil && s.Scenario.Name == other.Scenario.Name {
				return nil, document.BadInput(fmt.Errorf("%s and %s are both called %q, so their verdicts would be mixed up", other.name, name, s.Scenario.Name))
			}
		}
		studies = append(studies, s)
	}
	var reports []claim.Report
	for _, s := range studies {
		report, err := s.Report(ctx, options)
		if err != nil {
			return nil, err
		}
		reports = append(reports, report)
	}
	return reports, writeReports(options.Run.Out, reports)
}

// chosen lists each name once, or all there are if there is no name.
func chosen(names, all []string) (list []string) {
	if len(names) == 0 {
		return all
	}
	for _, name := range names {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// reproduction is a scenario and the claims on it, read and checked before any scenario
// is run.
type reproduction struct {
	// name is the scenario's name in the library, or its file. Claims are the claims of its
	// claims file.
	name     string
	file     string
	Scenario *study.Scenario
	Claims   *claim.File
	// reduced are the values that the reduced size sets; none at the full size.
	reduced []claim.Setting
	// Absent is the missing data set without which the scenario cannot be read; empty if none
	// is missing.
	Absent string
}

// NewStudy reads a scenario of the library, or of a file, and its claims. If the error is a
// missing data set, it returns the claims all the same.
func NewStudy(name string, quick bool, l loading.Loader) (*reproduction, error) {
	file, text, err := readClaims(name)
	if err != nil {
		return nil, document.BadInput(err)
	}
	s := &reproduction{name: name, file: file}
	if s.Claims, err = claim.Decode(file, text); err != nil {
		return nil, &document.InputError{Err: err, Line: document.SourceLine(file, text)}
	}
	var overrides []loading.Override
	if quick {
		if s.reduced = s.Claims.Quick; len(s.reduced) == 0 {
			return nil, document.BadInput(fmt.Errorf("%s states no reduced size (quick)", file))
		}
	}
	for _, setting := range s.reduced {
		overrides = append(overrides, loading.Override{Path: setting.Path, Text: setting.Text, Source: file + ": quick." + setting.Path})
	}
	if s.Scenario, err = l.Load(name, overrides...); err != nil {
		return s, err
	}
	if err := s.Claims.Check(recordedBy(s.Scenario)); err != nil {
		return nil, &document.InputError{Err: err, Line: s.Claims.Line}
	}
	return s, nil
}

// readClaims reads the claims on a scenario of the library, or the claims beside a file: for
// mine.yaml they are in mine.claims.yaml.
func readClaims(name string) (file string, text []byte, err error) {
	if slices.Contains(loading.Library(), name) {
		file = library.ClaimsFile(name)
		if text, err = library.ReadFile(file); err != nil {
			err = fmt.Errorf("scenario %q has no claims; those with claims are %s", name, strings.Join(library.Claimed(), ", "))
		}
		return file, text, err
	}
	if _, err := os.Stat(name); err != nil {
		near := document.SuggestPart(name, library.Claimed(), "")
		return "", nil, fmt.Errorf("no scenario or file %q%s", name, cmp.Or(near, "; starling reproduce lists the scenarios with claims"))
	}
	file = strings.TrimSuffix(name, filepath.Ext(name)) + ".claims.yaml"
	if text, err = loading.ReadFile(file); errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s has no claims: there is no file %s, in which they would be (starling help claims)", name, file)
	}
	return file, text, err
}

// recordedBy lists the arms of a scenario and the metrics that each records.
func recordedBy(s *study.Scenario) (arms []claim.RecordedArm) {
	for _, a := range s.Arms {
		arm := claim.RecordedArm{Name: a.Name}
		for _, metric := range s.Kinds.AllMetrics().Names() {
			if study.RecordsMetric(a, metric) {
				arm.Metrics = append(arm.Metrics, metric)
			}
		}
		arms = append(arms, arm)
	}
	return arms
}

// Report runs the scenario, unless its results are there, and decides its claims on them.
// The run itself knows nothing of the claims.
func (s *reproduction) Report(ctx context.Context, options ReproduceOptions) (claim.Report, error) {
	if s.Absent != "" {
		return s.untested(), nil
	}
	run := options.Run
	run.Progress = &Progress{}
	stop := func() {}
	if options.Watch != nil {
		stop = options.Watch(s.Scenario, run.Progress)
	}
	outcome, err := Run(s.Scenario, ctx, run)
	stop()
	if err != nil {
		return claim.Report{}, err
	}
	if len(outcome.Failures) > 0 {
		return claim.Report{}, fmt.Errorf("scenario %s: %s", s.Scenario.Name, outcome.Manifest.Failed())
	}
	if options.Ran != nil {
		options.Ran(outcome)
	}
	complete, err := results.Open(outcome.Dir)
	if err != nil {
		return claim.Report{}, err
	}
	m := &complete.Manifest
	report := claim.Report{
		Scenario: m.Scenario, Description: m.Description, Paper: paperText(m.Paper), Dir: outcome.Dir, Digest: m.Digest,
		Seeds: m.Seeds.Count, Horizon: m.Horizon, Reduced: s.reduced,
	}
	if report.Plots, err = plotNames(outcome.Dir); err != nil {
		return claim.Report{}, err
	}
	if report.Decisions, err = Decisions(complete, s.Claims, s.Scenario.Kinds.AllMetrics()); err != nil {
		return claim.Report{}, fmt.Errorf("%s: %w", s.file, err)
	}
	return report, nil
}

// Decisions decides the claims of a file on a complete run. known are the metrics of the
// catalog.
func Decisions(run *results.Run, claims *claim.File, known metric.List) (list []claim.Decision, err error) {
	if known, err = results.DeclaredMetrics(known, run); err != nil {
		return nil, err
	}
	data, err := claim.Read(run, claims.Claims, known)
	if err != nil {
		return nil, err
	}
	for _, c := range claims.Claims {
		decision, err := claim.Decide(c, data)
		if err != nil {
			return nil, err
		}
		list = append(list, decision)
	}
	return list, nil
}

// DecodeClaims reads the text of a file of claims on a scenario, and checks that they can be
// decided on its runs, unless the scenario was read without code that it names. name is the
// file in messages. Faults are InputErrors.
func DecodeClaims(name string, text []byte, s *study.Scenario) (*claim.File, error) {
	claims, err := claim.Decode(name, text)
	if err != nil {
		return nil, &document.InputError{Err: err, Line: document.SourceLine(name, text)}
	}
	if s.Folder.Withheld != "" { // code that was not run declares metrics of its own
		return claims, nil
	}
	if err := claims.Check(recordedBy(s)); err != nil {
		return nil, &document.InputError{Err: err, Line: claims.Line}
	}
	return claims, nil
}

// untested returns the report of a scenario without its data set: each claim is not testable
// for this reason.
func (s *reproduction) untested() claim.Report {
	report := claim.Report{Scenario: s.name, Reduced: s.reduced}
	for _, c := range s.Claims.Claims {
		report.Decisions = append(report.Decisions, claim.Decision{
			Claim: c, Verdict: claim.NotTestable, Reason: fmt.Sprintf("the data set %s is not there: %v", s.Absent, inputs.ErrNoFolder),
		})
	}
	return report
}

// paperText names a paper by its authors and title.
func paperText(paper *results.Paper) string {
	if paper == nil {
		return ""
	}
	return strings.Join(append(slices.Clone(paper.Authors), paper.Title), ", ")
}

// plotNames lists the figures of a results folder by name.
func plotNames(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "plots", "*.svg"))
	if err != nil {
		return nil, err
	}
	for i, file := range files {
		files[i] = strings.TrimSuffix(filepath.Base(file), ".svg")
	}
	return files, nil
}

// writeReports writes the verdicts beside the results folders.
func writeReports(out string, reports []claim.Report) error {
	write := func(name string, encode func(io.Writer, []claim.Report) error) error {
		return results.WriteFile(filepath.Join(out, name), func(w io.Writer) error { return encode(w, reports) })
	}
	return errors.Join(write("reproduce.json", claim.WriteJSON), write("reproduce.md", claim.WriteMarkdown))
}
