package loading

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"starling/scenarios/document"
	"starling/scenarios/kind"
	"starling/scenarios/metric"
	"starling/scenarios/patience"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/results"
	"starling/scenarios/show"
	"starling/scenarios/study"
	"starling/scenarios/study/arms"
)

// Remarks are warnings of how the file was read: what overrides have changed
// besides their own values. The results of a run begin theirs with them.
func Remarks(s *study.Scenario) []results.Warning { return slices.Clone(s.Remarks) }

// Loader reads scenarios.
type Loader struct {
	// Kinds are what scenarios can name.
	Kinds *kind.Catalog
	// Data is the folder of data sets, a subfolder each, which scenarios that
	// name one need; empty where there is none.
	Data string
	// Confined has every file that a scenario names lie in the folder of data sets.
	Confined bool
	// Local has every file that a scenario names, those that it extends among them, lie in
	// the working folder or in that of data sets, by its path.
	Local bool
	// Code has code that a scenario names be run also where files are confined, and Twice
	// has it be asked everything twice, to compare its answers.
	Code, Twice bool
	// Showing has no such code be run, nor its interpreter be started, for results that are
	// looked at. What the code would say of itself is left out of the scenario, which then has
	// graphs to be looked at, and no jobs. study.Scenario.Folder says whether it names any.
	Showing bool
	// Context ends loading between two arms, once it is done, and such code: a call in progress
	// has two seconds left. nil is none.
	Context context.Context
	// Hasty has loading return when Context has been done for patience.Grace, though what was
	// begun goes on: for a process that ends then.
	Hasty bool
	// Board, if not nil, shows which arm is checked.
	Board *patience.Board
	// Mend returns a document without the faults that are known, by putting other values
	// in their places, so that those behind them are found; nil where it cannot. A loader
	// without it tells the faults that it meets.
	Mend func(doc *document.Document, known document.Issues) *document.Document
}

// Load reads a library scenario or a file with all that it extends, applies
// overrides, and checks it with all its arms and the data that they name. Errors
// of the input are *InputError and hold every problem found.
func (l Loader) Load(nameOrFile string, overrides ...Override) (*study.Scenario, error) {
	return l.loaded(func() (*layer, error) { return readLayer(nameOrFile, "") }, overrides)
}

// LoadText is Load of a text that is in no file yet. Positions call the text by its name; paths
// in the text are those of a file in the working folder.
func (l Loader) LoadText(name string, text []byte, overrides ...Override) (*study.Scenario, error) {
	return l.loaded(func() (*layer, error) {
		first, err := parseLayer(name, text)
		if err == nil {
			first.folder = "."
		}
		return first, err
	}, overrides)
}

// loaded is a scenario whose first file is read by a function.
func (l Loader) loaded(read func() (*layer, error), overrides []Override) (*study.Scenario, error) {
	first, err := read()
	if err != nil {
		return nil, err
	}
	r, err := load(first, l.base, overrides)
	if err != nil {
		return nil, err
	}
	issues := r.Undone()
	data := l.folder()
	scenario, err := l.checked(r.Doc, overrides, data)
	if ended(l.Context) != nil {
		return nil, err
	}
	if issues = append(issues, r.Doc.Resolve("", err)...); len(issues) > 0 {
		issues = append(issues, l.hidden(r.Doc, issues)...)
		return nil, &document.InputError{Err: issues, Line: r.Doc.Line, Data: data.Missing}
	}
	scenario.Remarks = append(scenario.Remarks, r.remarks...)
	return scenario, nil
}

// checked is checkScenario, until the loader is in haste.
func (l Loader) checked(doc *document.Document, overrides []Override, data *dataset.Folder) (*study.Scenario, error) {
	if !l.Hasty || l.Context == nil {
		return l.checkScenario(doc, overrides, data)
	}
	return patience.Within(l.Context, patience.Grace, func() (*study.Scenario, error) {
		return l.checkScenario(doc, overrides, data)
	})
}

// Check checks a document that extends nothing. The error is of type
// document.Issues.
func (l Loader) Check(doc *document.Document) (*study.Scenario, error) {
	return l.checkScenario(doc, nil, l.folder())
}

// base reads the file that another extends, by its path from a folder.
func (l Loader) base(nameOrFile, folder string) (*layer, error) {
	outside := filepath.IsAbs(nameOrFile) || !filepath.IsLocal(filepath.Join(folder, nameOrFile))
	if l.Local && outside {
		return nil, fmt.Errorf("%s leads out of the folder, and here a scenario extends no other files", nameOrFile)
	}
	path := nameOrFile
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil, fmt.Errorf("%s is no regular file", nameOrFile) // a pipe would be waited for
	}
	return readLayer(nameOrFile, folder)
}

// folder is that of data sets, of which nothing has been read.
func (l Loader) folder() *dataset.Folder {
	folder := dataset.NewFolder(l.Data)
	folder.Confined, folder.Local, folder.Code, folder.Twice = l.Confined, l.Local, l.Code, l.Twice
	folder.Showing, folder.Context = l.Showing, l.Context
	return folder
}

// ended is the error of a context that is done; nil is none.
func ended(ctx context.Context) error {
	if ctx == nil {
		return nil
	}
	return ctx.Err()
}

// checkScenario checks a document, with all that it extends and all overrides in
// place. The error is of type document.Issues.
func (l Loader) checkScenario(doc *document.Document, overrides []Override, data *dataset.Folder) (*study.Scenario, error) {
	kinds := l.Kinds
	doc = canonical(doc)
	f, issues := study.DecodeFile(doc)
	if version, ok := doc.Find("version"); ok && f.Version != study.FileVersion {
		// Whatever else is unknown in it may be known to its own version.
		return nil, slices.DeleteFunc(issues, func(i document.Issue) bool { return i.Path != version.Path() }).Err()
	}
	issues = append(issues, doc.Resolve("", f.Measure.Check(kinds.AllMetrics().Names()))...)
	// Arms are built one after the other by one builder, and share what they have in
	// common.
	variants, err := Spread(doc, f.Sweep)
	if err != nil {
		return nil, append(issues, doc.Resolve("", err)...).Err()
	}
	issues = append(issues, sweptOverrides(doc, variants, overrides)...)
	s := &study.Scenario{Kinds: kinds, Name: f.Name, Description: f.Description, Paper: f.Paper, Seeds: f.Seeds, Plots: f.Plots, Document: doc}
	b := study.NewBuilder(kinds, f.Seeds, data)
	if l.Board != nil {
		b.Board = l.Board
	}
	s.Cache, s.Folder, s.Board = b.Cache, b.Data, b.Board
	for i, v := range variants {
		if err := ended(data.Context); err != nil {
			b.Close()
			return nil, err
		}
		notice := b.Board.Begin(fmt.Sprintf("check of arm %s, %d of %d", v.Name, i+1, len(variants)))
		arm, some := arms.New(b, v)
		notice.End()
		issues = append(issues, some...)
		s.Arms = append(s.Arms, arm)
	}
	b.Close()
	s.Data, s.Remarks = b.Data.Used(), b.Remarks
	for _, notice := range b.Data.Changed() {
		s.Remarks = append(s.Remarks, results.Warning{Code: "data", Message: notice})
	}
	if s.Folder.Withheld == "" { // which metrics there are, a class may say
		issues = append(issues, doc.Resolve("", errors.Join(own(s), f.Measure.CheckOwn(s.Kinds.AllMetrics().Names())))...)
		study.RecordBesides(s)
		issues = append(issues, doc.Resolve("", show.ValidatePlots(s, len(issues) == 0))...)
	}
	if err := issues.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

// own adds the metrics that arms declare to those that the scenario knows.
func own(s *study.Scenario) error {
	var list metric.List
	for _, arm := range s.Arms {
		for _, m := range arm.Algorithm.Own {
			switch other, known := list.Find(m.Name); {
			case !known:
				list = append(list, m)
			case other != m:
				return document.At("algorithm", "the arms declare the metric %s in two ways", m.Name)
			}
		}
	}
	if len(list) > 0 {
		kinds := *s.Kinds
		kinds.Metrics = metric.Join(kinds.Metrics, list)
		s.Kinds = &kinds
	}
	return nil
}

// sweptOverrides refuses overrides of what the sweep sets anyway, which would
// do nothing.
func sweptOverrides(doc *document.Document, variants []study.Variant, overrides []Override) (issues document.Issues) {
	seen := map[string]bool{}
	for _, v := range variants {
		for _, a := range v.Assigned {
			path := a.Path
			node, ok := doc.Find(path)
			if !ok || seen[path] {
				continue
			}
			seen[path] = true
			for _, o := range overrides {
				if writtenIn(node, o.Source) {
					issues = append(issues, document.Issue{
						Position: doc.Position(o.Path), Path: o.Path,
						Message: fmt.Sprintf("the sweep sets %s in its arms, so this would do nothing; change the sweep, or drop it with --set sweep=null", path),
					})
				}
			}
		}
	}
	return issues
}

// writtenIn reports whether a value or a part of it was written in a source.
func writtenIn(node *document.Node, source string) bool {
	if node.Position().File == source {
		return true
	}
	for _, child := range node.Entries() {
		if writtenIn(child, source) {
			return true
		}
	}
	for _, item := range node.Items() {
		if writtenIn(item, source) {
			return true
		}
	}
	return false
}
