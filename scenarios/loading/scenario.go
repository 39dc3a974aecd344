package loading

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/inputs"
	"starling/scenarios/kind"
	"starling/scenarios/limits"
	"starling/scenarios/metric"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/results"
	"starling/scenarios/study"
	"starling/scenarios/study/arms"
	"starling/scenarios/view/plot"
)

// Remarks returns warnings from the reading of the file: changes that overrides have made
// besides their own values. The warnings of a run begin with them.
func Remarks(s *study.Scenario) []results.Warning { return slices.Clone(s.Remarks) }

// Loader reads scenarios.
type Loader struct {
	// Kinds are the kinds that scenarios can name.
	Kinds *kind.Catalog
	// Data is the folder of data sets, with a subfolder for each. Scenarios that name a data
	// set need it; empty where there is none.
	Data string
	// Confined requires that every file that a scenario names lies in the folder of data sets.
	Confined bool
	// Local requires that every file that a scenario names or extends lies in the working
	// folder or in the folder of data sets, by its path.
	Local bool
	// Elsewhere are paths of files, by the names that a scenario has for them, whatever its rights.
	Elsewhere map[string]string
	// Code permits code that a scenario names to run also where files are confined. Twice
	// means that every call is made twice, to compare the answers.
	Code, Twice bool
	// Showing means that such code is not run, nor its interpreter started, for views of
	// results. Properties that the code itself would declare are left out of the scenario,
	// which then has graphs to show, and no jobs. study.Scenario.Folder states whether it
	// names any code.
	Showing bool
	// Context, once it is done, ends loading between two arms, and such code: a call in
	// progress has two seconds left. nil never ends.
	Context context.Context
	// Hasty makes loading return when Context has been done for limits.Grace, though the
	// work that was begun goes on: for a process that ends then.
	Hasty bool
	// Board, if not nil, shows the arm that is being checked.
	Board *limits.Board
	// Unswept, if not nil, is called with each override that takes its key out of the sweep.
	Unswept func(o Override)
	// FillIn returns documents without the known faults, by putting other values in their
	// places, so that faults behind them are found; none where it cannot. A fault is found that
	// all of them have. A loader without FillIn returns only the faults that it meets.
	FillIn func(doc *document.Document, known document.Issues) []*document.Document
}

// Load reads a library scenario or a file with all that it extends, applies
// overrides, and checks it with all its arms and the data that they name. Errors
// of the input are *InputError and hold every problem found.
func (l Loader) Load(nameOrFile string, overrides ...Override) (*study.Scenario, error) {
	return l.loaded(func() (*layer, error) { return readLayer(nameOrFile, "") }, overrides)
}

// LoadText is Load for a text that is in no file yet. Positions name the text by name; paths
// in the text are relative to the working folder.
func (l Loader) LoadText(name string, text []byte, overrides ...Override) (*study.Scenario, error) {
	return l.loaded(func() (*layer, error) {
		first, err := parseLayer(name, text)
		if err == nil {
			first.folder = "."
		}
		return first, err
	}, overrides)
}

// loaded returns a scenario; read reads its first file.
func (l Loader) loaded(read func() (*layer, error), overrides []Override) (*study.Scenario, error) {
	first, err := read()
	if err != nil {
		return nil, err
	}
	r, err := load(first, l.base, overrides, l.Unswept)
	if err != nil {
		return nil, err
	}
	issues := r.Undone()
	data := l.folder()
	doc, misspelt := respelt(r.Doc)
	scenario, err := l.checked(doc, overrides, data)
	if over := ended(l.Context); over != nil {
		if err == nil { // the check was done before
			err = over
		}
		return nil, err
	}
	if issues = append(issues, doc.Resolve("", err)...); len(issues)+len(misspelt) > 0 {
		issues = slices.Concat(misspelt, issues, l.hidden(doc, issues))
		return nil, &document.InputError{Err: eachOnce(varied(issues)), Line: r.Doc.Line, Data: data.Missing}
	}
	scenario.Remarks = append(scenario.Remarks, r.remarks...)
	return scenario, nil
}

// respelt returns the document with its misspelt keys of the top level spelt right, so that the rest
// is checked, and their faults. Other versions of the file may have other keys.
func respelt(doc *document.Document) (*document.Document, document.Issues) {
	if version, ok := doc.Find("version"); ok && version.Value() != strconv.Itoa(study.FileVersion) {
		return doc, nil
	}
	return doc.Respell(study.File{})
}

// varied says at lists in place of a number how a study varies it. All arms have the same seeds and
// version.
func varied(issues document.Issues) document.Issues {
	for i, issue := range issues {
		number := strings.HasPrefix(issue.Message, "expected a number") || strings.HasPrefix(issue.Message, "expected an integer")
		if number && strings.HasSuffix(issue.Message, ", got a sequence") && issue.Path != "version" && !strings.HasPrefix(issue.Path, "seeds") {
			issues[i].Message += "; sweep.grid varies a number over a list"
		}
	}
	return issues
}

// eachOnce leaves out unknown names that a sweep repeats in its values: the first of each path stays.
func eachOnce(issues document.Issues) (kept document.Issues) {
	seen := map[string]bool{}
	for _, issue := range issues.Sorted() {
		name := issue.Path + ": " + issue.Message
		if issue.Fault == document.UnknownKey && seen[name] {
			continue
		}
		seen[name] = true
		kept = append(kept, issue)
	}
	return kept
}

// checked is checkScenario. If the loader is hasty, it stops waiting once Context has been
// done for limits.Grace.
func (l Loader) checked(doc *document.Document, overrides []Override, data *inputs.Folder) (*study.Scenario, error) {
	if !l.Hasty || l.Context == nil {
		return l.checkScenario(doc, overrides, data)
	}
	return limits.Within(l.Context, limits.Grace, func() (*study.Scenario, error) {
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
		return nil, fmt.Errorf("%s is no regular file", nameOrFile) // reading a pipe could block
	}
	return readLayer(nameOrFile, folder)
}

// folder returns the folder of data sets, with nothing read yet.
func (l Loader) folder() *inputs.Folder {
	folder := dataset.NewFolder(l.Data)
	folder.Confined, folder.Local, folder.Code, folder.Twice = l.Confined, l.Local, l.Code, l.Twice
	folder.Showing, folder.Context, folder.Elsewhere = l.Showing, l.Context, l.Elsewhere
	return folder
}

// ended returns the error of a context that is done; ctx may be nil.
func ended(ctx context.Context) error {
	if ctx == nil {
		return nil
	}
	return ctx.Err()
}

// checkScenario checks a document, with all that it extends and all overrides in
// place. The error is of type document.Issues.
func (l Loader) checkScenario(doc *document.Document, overrides []Override, data *inputs.Folder) (*study.Scenario, error) {
	kinds := l.Kinds
	doc = canonical(doc)
	f, issues := study.DecodeFile(doc)
	if version, ok := doc.Find("version"); ok && f.Version != study.FileVersion {
		// Other unknown keys in it may be known to its own version.
		return nil, slices.DeleteFunc(issues, func(i document.Issue) bool { return i.Path != version.Path() }).Err()
	}
	issues = append(issues, doc.Resolve("", f.Measure.Check(kinds.AllMetrics().Names()))...)
	// One builder builds the arms one after the other, so that they share their common parts.
	variants, err := Spread(doc, f.Sweep)
	if err != nil {
		return nil, append(issues, doc.Resolve("", err)...).Err()
	}
	issues = slices.Concat(issues, sweptOverrides(doc, variants, overrides), replacedFaults(kinds, doc, variants))
	s := &study.Scenario{Kinds: kinds, Name: f.Name, Description: f.Description, Paper: f.Paper, Seeds: f.Seeds, Emphasis: f.Emphasis(), Plots: f.Plots, Undrawn: f.Plots != nil && len(f.Plots) == 0, Document: doc, Variants: variants}
	b := study.NewBuilder(kinds, f.Seeds, data)
	if l.Board != nil {
		b.Board = l.Board
	}
	s.Cache, s.Folder, s.Board = b.Cache, b.Data, b.Board
	faults := make([]document.Issues, len(variants))
	for i, v := range variants {
		if err := ended(data.Context); err != nil {
			b.Close()
			return nil, err
		}
		notice := b.Board.Begin(fmt.Sprintf("check of arm %s, %d of %d", v.Name, i+1, len(variants)))
		arm, some := arms.New(b, v)
		notice.End()
		faults[i] = atKeys(doc, &v, some)
		s.Arms = append(s.Arms, arm)
	}
	issues = append(issues, ofArms(variants, faults)...)
	b.Close()
	s.Data, s.Remarks = b.Data.Used(), b.Remarks
	for _, t := range f.Tuned {
		s.Remarks = append(s.Remarks, results.Warning{Code: "tuning", Arm: t.Arm, Message: t.Says})
	}
	for _, notice := range b.Data.Changed() {
		s.Remarks = append(s.Remarks, results.Warning{Code: "data", Message: notice})
	}
	if s.Folder.Withheld == "" { // a class may declare metrics
		issues = append(issues, doc.Resolve("", errors.Join(own(s), f.Measure.CheckOwn(s.Kinds.AllMetrics().Names())))...)
		for i, names := range study.AlsoRecord(s) {
			s.Arms[i].File.Measure.AlsoRecord = names
		}
		if len(issues) == 0 {
			issues = append(issues, doc.Resolve("", study.CheckHeadline(s))...)
		}
		issues = append(issues, doc.Resolve("", plot.Validate(s, len(issues) == 0))...)
	}
	issues = append(issues, doc.Resolve("", study.CheckTune(s, f.Tune, len(issues) == 0))...)
	if err := issues.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

// ofArms joins the faults of the arms. A fault that not all arms have, at a value that its arms do not set, names them:
// its cause is in the sweep.
func ofArms(variants []study.Variant, faults []document.Issues) (issues document.Issues) {
	in := map[document.Issue][]int{}
	for i, some := range faults {
		for _, issue := range some {
			if n := len(in[issue]); n == 0 || in[issue][n-1] != i {
				in[issue] = append(in[issue], i)
			}
		}
	}
	for i, some := range faults {
		for _, issue := range some {
			arms := in[issue]
			if arms[0] != i {
				continue
			}
			if len(arms) < len(variants) && !assigned(&variants[i], issue.Path) {
				var names []string
				for _, k := range arms {
					names = append(names, variants[k].Name)
				}
				issue.Message += "; in " + armsText(names)
			}
			issues = append(issues, issue)
		}
	}
	return issues
}

// atKeys moves an unknown key that an arm sets to the key in the sweep: the fault is the key's and not its value's.
func atKeys(doc *document.Document, v *study.Variant, issues document.Issues) document.Issues {
	issues = slices.Clone(issues)
	for i, issue := range issues {
		if issue.Fault != document.UnknownKey {
			continue
		}
		for _, a := range v.Assigned {
			if a.Path != issue.Path {
				continue
			}
			list, item := cutIndex(a.Value.Path())
			if node, ok := doc.Find(list); item && ok {
				issues[i].Position = node.KeyPosition()
			} else if !item {
				issues[i].Position = a.Value.KeyPosition()
			}
		}
	}
	return issues
}

// cutIndex cuts the index of an item from a path; item reports whether the path ends with one.
func cutIndex(path string) (list string, item bool) {
	at := strings.LastIndexByte(path, '[')
	if at < 0 || !strings.HasSuffix(path, "]") || strings.HasSuffix(path, "\"]") {
		return path, false
	}
	return path[:at], true
}

// assigned reports whether an arm sets a value, a value above it, or one below.
func assigned(v *study.Variant, path string) bool {
	return slices.ContainsFunc(v.Assigned, func(a study.Assignment) bool {
		return a.Path == path || below(path, a.Path) || below(a.Path, path)
	})
}

// armsText names an arm, or the first of several with the number of the others.
func armsText(names []string) string {
	if len(names) == 1 {
		return fmt.Sprintf("arm %q", names[0])
	}
	return fmt.Sprintf("%d arms, such as %q", len(names), names[0])
}

// own adds the metrics that arms declare to those that the scenario knows.
func own(s *study.Scenario) error {
	var list metric.List
	for _, arm := range s.Arms {
		for _, m := range arm.Recording.Own {
			switch other, known := list.Find(m.Name); {
			case !known:
				list = append(list, m)
			case other != m:
				return document.At("algorithm", "the arms declare the metric %s in two ways", m.Name)
			}
		}
	}
	if len(list) > 0 {
		kinds := s.Kinds.Clone()
		kinds.Metrics = metric.Join(kinds.Metrics, list)
		s.Kinds = &kinds
	}
	return nil
}

// sweptOverrides refuses overrides of values that the sweep sets anyway: they would have no
// effect.
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
			for i, o := range overrides {
				if writtenIn(node, o.Source) && !sweptOver(path, o.Path, overrides[i+1:]) {
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

// sweptOver reports whether a path is inside of a section that was overridden, and the sweep was
// overridden after it: the rest of the section has an effect.
func sweptOver(path, section string, later []Override) bool {
	return path != section && below(path, section) && slices.ContainsFunc(later, func(o Override) bool { return o.Path == "sweep" })
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
