package loading

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/kind"
	"starling/scenarios/library"
	"starling/scenarios/results"
	"starling/scenarios/study"
)

// Library lists the names of the scenarios that come with the program, sorted.
func Library() []string { return library.Scenarios() }

// Text returns the text of a library scenario or of a file, as it is written, and its name in
// positions.
func Text(nameOrFile string) (name string, text []byte, err error) { return readText(nameOrFile, "") }

// Override replaces one value of a scenario before it is checked.
type Override struct {
	// Path is the path of the value, such as mechanism.epsilon.
	Path string
	// Text is the value, in YAML: 0.5, none, [1, 2].
	Text string
	// Source is the name of Text in positions, such as --set mechanism.epsilon.
	Source string
}

// ParseOverride reads path=value, the argument of --set.
func ParseOverride(text string) (Override, error) {
	path, value, ok := strings.Cut(text, "=")
	if path == "" {
		return Override{}, fmt.Errorf("--set %s: want path=value, such as mechanism.epsilon=1", text)
	}
	if !ok {
		return Override{}, fmt.Errorf("--set %s: the path has no value; want --set %s=VALUE", text, path)
	}
	if strings.TrimSpace(value) == "" {
		return Override{}, fmt.Errorf("--set %s: there is no value after =; want --set %s=VALUE", text, path)
	}
	return Override{Path: path, Text: value, Source: "--set " + path}, nil
}

// ReadFile reads a file. It reads a file that is larger than the limit of a document only so
// far that the excess shows.
func ReadFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, document.MaxBytes+1))
}

// loadFile is load for a library scenario or a file, which may extend any other.
func loadFile(nameOrFile string) (*resolved, error) {
	first, err := readLayer(nameOrFile, "")
	if err != nil {
		return nil, err
	}
	return load(first, readLayer, nil, nil)
}

// load follows the chain of extended files, which base reads, and applies the overrides in
// their order. Nothing is built yet. unswept, if not nil, is told the overrides of keys of the sweep. Errors are
// *document.InputError.
func load(first *layer, base func(nameOrFile, folder string) (*layer, error), overrides []Override, unswept func(Override)) (*resolved, error) {
	r, err := extend(first, base)
	if err != nil {
		return nil, err
	}
	for _, o := range overrides {
		changed, err := r.Doc.Set(o.Path, o.Text, o.Source)
		if err != nil {
			return nil, &document.InputError{Err: err, Line: document.SourceLine(o.Source, []byte(o.Text))}
		}
		if r.Doc, err = unsweep(changed, o.Path); err != nil {
			return nil, &document.InputError{Err: err, Line: changed.Line}
		}
		if r.Doc != changed {
			if unswept != nil {
				unswept(o)
			}
			if err := r.unplot(o); err != nil {
				return nil, &document.InputError{Err: err, Line: changed.Line}
			}
		}
	}
	return r, nil
}

// unsweep removes a path that an override has fixed from the sweep's grid or zip, and the
// sweep itself if it is empty then. The sweep would undo the override.
func unsweep(doc *document.Document, path string) (*document.Document, error) {
	for _, lists := range []string{"sweep.grid", "sweep.zip"} {
		node, ok := doc.Find(lists)
		if !ok || node.Kind() != document.Mapping {
			continue
		}
		for key, values := range node.Entries() {
			switch {
			case !samePath(pathOf(doc, key), path):
			case node.Len() > 1:
				return doc.Delete(values.Path())
			default:
				return withoutLists(doc, lists)
			}
		}
	}
	return doc, nil
}

// withoutLists removes the grid or the zip of a sweep, and the sweep itself if it has no list.
func withoutLists(doc *document.Document, lists string) (*document.Document, error) {
	for _, list := range []string{"sweep.list", "sweep.algorithms"} {
		if _, listed := doc.Find(list); listed {
			return doc.Delete(lists)
		}
	}
	return doc.Delete("sweep")
}

// samePath reports whether two texts are paths of the same value.
func samePath(a, b string) bool {
	first, err := document.Canonical(a)
	second, wrong := document.Canonical(b)
	return err == nil && wrong == nil && first == second
}

// unplot adapts the file's figures to an override that has removed a path from the sweep. A
// figure with the path on its x axis would show one point: it is left out with a warning. A
// figure with a curve for each of the path's values gets one for each arm.
func (r *resolved) unplot(o Override) error {
	node, ok := r.Doc.Find("plots")
	if !ok || node.Kind() != document.Sequence {
		return nil
	}
	is := func(plot *document.Node, key string) bool {
		if plot.Kind() != document.Mapping {
			return false
		}
		value, ok := plot.Get(key)
		return ok && value.Kind() == document.String && samePath(value.Value(), o.Path)
	}
	left := 0
	var doomed []string
	for _, plot := range node.Items() {
		switch {
		case is(plot, "x"):
			doomed = append(doomed, plot.Path())
			name, _ := plot.Get("name")
			r.remarks = append(r.remarks, results.Warning{Code: "plot", Message: fmt.Sprintf("plot %s is left out: %s fixes the key of its x axis", TextOf(name), o.Source)})
			continue
		case is(plot, "by"):
			doomed = append(doomed, plot.Path()+".by")
		}
		left++
	}
	if len(doomed) > 0 && left == 0 {
		doomed = []string{node.Path()} // so the usual figures are drawn
	}
	for _, path := range slices.Backward(doomed) { // later paths first: deletion moves items up
		var err error
		if r.Doc, err = r.Doc.Delete(path); err != nil {
			return err
		}
	}
	return nil
}

// Document returns a scenario with all that it extends, unchecked.
func Document(nameOrFile string) (*document.Document, error) {
	r, err := loadFile(nameOrFile)
	if err != nil {
		return nil, err
	}
	return r.Doc, nil
}

// ArmsOf returns the names of the arms of a document, in the order of its sweep.
func ArmsOf(doc *document.Document) (names []string, err error) {
	sweep, ok := doc.Find("sweep")
	if !ok {
		sweep = nil // Find has returned the mapping around it
	}
	variants, err := Spread(doc, sweep)
	for _, v := range variants {
		names = append(names, v.Name)
	}
	return names, err
}

// TextOf returns the text of a value, "" for none.
func TextOf(node *document.Node) string {
	if node == nil {
		return ""
	}
	return node.Text()
}

// ScenarioEntry is the entry of a scenario in lists.
type ScenarioEntry struct {
	kind.Entry
	Paper *results.Paper `json:"paper,omitempty"`
	// Algorithm is the kind that the file names outside of a sweep.
	Algorithm string `json:"-"`
}

// LibraryEntries lists the scenarios of the library with their descriptions and their papers.
func LibraryEntries() ([]ScenarioEntry, error) {
	var list []ScenarioEntry
	for _, name := range Library() {
		r, err := loadFile(name)
		if err != nil {
			return nil, err
		}
		f, issues := study.DecodeFile(r.Doc)
		if err := issues.Err(); err != nil {
			return nil, err
		}
		algorithm, _ := kind.NameOf(f.Algorithm) // a check of the scenario refuses a wrong one
		list = append(list, ScenarioEntry{kind.Entry{Kind: name, Summary: f.Description}, f.Paper, algorithm})
	}
	return list, nil
}
