package loading

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/library"
	"starling/scenarios/results"
	"starling/scenarios/study"
)

// mostExtended is the greatest number of files that extend one another.
const mostExtended = 10

// layer is one file of a chain in which each extends the next.
type layer struct {
	// Doc is the parsed file.
	Doc *document.Document
	// Name is the file's name in positions.
	Name string
	// identity identifies the file under any of its names: it serves to find circles.
	identity string
	// folder is the folder to which paths in the file are relative; empty in the library: its
	// files name only each other.
	folder string
}

// resolved is a scenario with everything that it extends in place.
type resolved struct {
	// Doc is the merged document, without the key extends.
	Doc *document.Document
	// chain has the names of the files, each extending the next.
	chain []string
	// assigned are the values with which files override the files that they extend, apart from
	// sweeps.
	assigned []*document.Node
	// remarks name changes that overrides make besides their own values.
	remarks []results.Warning
}

// readLayer reads a library scenario by its name, or a file by its path from a
// folder.
func readLayer(nameOrFile, folder string) (*layer, error) {
	name, text, err := readText(nameOrFile, folder)
	if err != nil {
		return nil, err
	}
	l, err := parseLayer(name, text)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(Library(), nameOrFile) {
		l.folder = filepath.Dir(name)
		if l.identity, err = filepath.Abs(name); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// parseLayer returns a text as a layer that may name files of the library alone.
func parseLayer(name string, text []byte) (*layer, error) {
	doc, err := document.Parse(name, text)
	if issues := (document.Issues)(nil); errors.As(err, &issues) && issues[0].Fault == document.NoContent {
		issues[0].Message += "; starling init FILE --algorithm dpdonc --problem logistic writes a scenario"
		err = issues
	}
	if err != nil {
		return nil, &document.InputError{Err: err, Line: document.SourceLine(name, text)}
	}
	return &layer{Doc: doc, Name: name, identity: name}, nil
}

// extend follows the chain of extended files to its end and merges it. base reads the file
// that another names.
func extend(first *layer, base func(nameOrFile, folder string) (*layer, error)) (*resolved, error) {
	chain := []*layer{first}
	for {
		last := chain[len(chain)-1]
		node, ok := last.Doc.Find("extends")
		if !ok {
			return mergeChain(chain)
		}
		refuse := func(err error) error {
			return &document.InputError{Err: last.Doc.Resolve("extends", err).Err(), Line: last.Doc.Line}
		}
		var nameOrFile string
		if err := document.Decode(node, &nameOrFile); err != nil {
			return nil, refuse(err)
		}
		next, err := base(nameOrFile, last.folder)
		var input *document.InputError
		switch {
		case errors.As(err, &input) && input.Line != nil: // it has a position in the other file
			return nil, err
		case err != nil:
			return nil, refuse(err)
		}
		circle := slices.ContainsFunc(chain, func(l *layer) bool { return l.identity == next.identity })
		chain = append(chain, next)
		if circle {
			return nil, refuse(fmt.Errorf("files extend one another in a circle: %s", namesOf(chain)))
		}
		if len(chain) > mostExtended {
			return nil, refuse(fmt.Errorf("more than %d files extend one another: %s", mostExtended, namesOf(chain)))
		}
	}
}

// namesOf writes a chain as "a -> b -> c".
func namesOf(chain []*layer) string {
	names := make([]string, len(chain))
	for i, l := range chain {
		names[i] = l.Name
	}
	return strings.Join(names, " -> ")
}

// mergeChain merges the files of a chain over one another, the last at the bottom.
func mergeChain(chain []*layer) (*resolved, error) {
	r := &resolved{}
	for i := len(chain) - 1; i >= 0; i-- {
		doc := chain[i].Doc
		if i > 0 {
			if err := checkBase(doc); err != nil {
				return nil, &document.InputError{Err: err, Line: doc.Line}
			}
		}
		if r.Doc == nil {
			r.Doc = doc
		} else {
			// A name is never inherited: two scenarios must not write into one folder.
			base := withoutOtherSweep(without(r.Doc, "name"), doc)
			r.assigned = append(r.assigned, assignedOver(doc.Root(), base.Root())...)
			r.Doc = base.Merge(doc)
		}
		r.Doc = without(r.Doc, "extends")
		r.chain = slices.Insert(r.chain, 0, chain[i].Name)
	}
	return r, nil
}

// checkBase checks the keys that an extended file must have of its own. Its other keys are
// checked as a part of the file that extends it.
func checkBase(doc *document.Document) error {
	var issues document.Issues
	if _, ok := doc.Find("name"); !ok {
		issues = append(issues, doc.Root().Issuef("missing required key %q", "name"))
	}
	if node, ok := doc.Find("version"); ok {
		var version int
		if err := document.Decode(node, &version); err != nil {
			issues = append(issues, doc.Resolve("version", err)...)
		} else if version != study.FileVersion {
			issues = append(issues, node.Issuef("version %d; this build reads version %d", version, study.FileVersion))
		}
	}
	return issues.Err()
}

// withoutOtherSweep returns a base without its sweep where a file over it sweeps
// in another way: a grid, a zip and a list do not merge.
func withoutOtherSweep(base, over *document.Document) *document.Document {
	for _, form := range []string{"sweep.grid", "sweep.zip", "sweep.list", "sweep.algorithms"} {
		_, was := base.Find(form)
		_, is := over.Find(form)
		if sweep, given := over.Find("sweep"); was && !is && given && sweep.Len() > 0 {
			return without(base, "sweep")
		}
	}
	return withoutOtherEpsilon(base, over)
}

// withoutOtherEpsilon returns a base without the epsilons of its sweep where a file over it sweeps
// epsilon by another key, and one of the two keys is the role.
func withoutOtherEpsilon(base, over *document.Document) *document.Document {
	for _, lists := range []string{"sweep.grid", "sweep.zip"} {
		was, there := base.Find(lists)
		is, given := over.Find(lists)
		if !there || !given || was.Kind() != document.Mapping || is.Kind() != document.Mapping {
			continue
		}
		for key := range is.Entries() {
			for other, values := range was.Entries() {
				if key != other && (key == epsilonRole && isEpsilon(other) || other == epsilonRole && isEpsilon(key)) {
					base = without(base, values.Path())
				}
			}
		}
	}
	return base
}

// without returns the document without a key.
func without(doc *document.Document, key string) *document.Document {
	if changed, err := doc.Delete(key); err == nil {
		return changed
	}
	return doc // there is no such key
}

// assignedOver lists the values of over that go into sections of base. A section of another
// kind counts as one value.
func assignedOver(over, base *document.Node) (list []*document.Node) {
	for key, child := range over.Entries() {
		given, known := base.Get(key)
		switch {
		case over.Path() == "" && key == "sweep", child.Kind() == document.Null:
		case known && child.MergesInto(given):
			list = append(list, assignedOver(child, given)...)
		default:
			list = append(list, child)
		}
	}
	return list
}

// Undone refuses values that the sweep of an extended file sets anyway: they would have no
// effect.
func (r *resolved) Undone() (issues document.Issues) {
	if len(r.assigned) == 0 {
		return nil
	}
	sweep, _ := r.Doc.Find("sweep")
	variants, err := Spread(r.Doc, sweep)
	if err != nil {
		return nil // the scenario's own check returns this error
	}
	// A value of a nearer file is undone only by the sweep of a farther one. A file's own
	// sweep is checked elsewhere.
	depth := func(node *document.Node) int { return slices.Index(r.chain, node.Position().File) }
	seen := map[string]bool{}
	for _, v := range variants {
		for _, a := range v.Assigned {
			for _, node := range r.assigned {
				if depth(node) < depth(a.Value) && below(node.Path(), a.Path) && !seen[node.Path()] {
					seen[node.Path()] = true
					issues = append(issues, node.Issuef("the sweep of %s, which this file extends, sets %s in its arms, so this would do nothing; change the sweep, or drop it with sweep: null",
						a.Value.Position().File, a.Path))
				}
			}
		}
	}
	return issues
}

// below reports whether a path is another or leads below it.
func below(path, other string) bool {
	rest, ok := strings.CutPrefix(path, other)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// canonical returns the document in the form that is stored beside results and hashed, so that
// one content has one hash however it was written. The keys of the file are in the order of
// the format, the keys of sections by name with name and kind first, and an empty sweep is
// left out. The sweep keeps its order, which is the order of the arms. Scalars stay as they
// are written, since arms are named by them.
func canonical(doc *document.Document) *document.Document {
	if sweep, ok := doc.Find("sweep"); ok && sweep.Kind() == document.Null {
		doc = without(doc, "sweep")
	}
	order := fileKeys()
	rank := func(keys []string, key string) int {
		if i := slices.Index(keys, key); i >= 0 {
			return i
		}
		return len(keys)
	}
	return doc.Arrange(func(path, a, b string) int {
		switch {
		case path == "":
			return cmp.Compare(rank(order, a), rank(order, b))
		case below(path, "sweep"):
			return 0
		}
		first := []string{"name", "kind"}
		return cmp.Or(cmp.Compare(rank(first, a), rank(first, b)), cmp.Compare(a, b))
	})
}

// fileKeys returns the keys of a scenario file in the order of the format.
func fileKeys() []string {
	var keys []string
	for field := range reflect.TypeFor[study.File]().Fields() {
		key, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		keys = append(keys, key)
	}
	return keys
}

// readText returns the text of a library scenario, by its name, or of a file, by its path from
// a folder. For a name that is neither the error is an InputError that suggests the nearest
// name.
func readText(nameOrFile, folder string) (name string, text []byte, err error) {
	names := Library()
	if slices.Contains(names, nameOrFile) {
		text, err = library.ReadFile(library.ScenarioFile(nameOrFile))
		return library.ScenarioFile(nameOrFile), text, err
	}
	name = nameOrFile
	if folder != "" && !filepath.IsAbs(name) {
		name = filepath.Join(folder, name)
	}
	text, err = ReadFile(name)
	if err == nil {
		return name, text, nil
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return "", nil, document.BadInput(fmt.Errorf("%s is a folder; want a scenario of the library, or a file", nameOrFile))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", nil, &document.InputError{Err: err}
	}
	return "", nil, document.BadInput(unknownScenario(nameOrFile, name, names))
}

// unknownScenario is the error of a text that is neither a scenario of the library nor a file. It asks for the nearest
// name of the library, and for a path first for the nearest file of its folder.
func unknownScenario(nameOrFile, file string, names []string) error {
	isName := !strings.ContainsAny(nameOrFile, `/\.`)
	if isName {
		return fmt.Errorf("no scenario or file %q%s", nameOrFile,
			cmp.Or(document.SuggestPart(nameOrFile, names, ""), fmt.Sprintf("; starling list scenarios has the %d scenarios of the library", len(names))))
	}
	entries, err := os.ReadDir(filepath.Dir(file)) // a folder that cannot be read suggests nothing
	if err != nil {
		return fmt.Errorf("there is no file %q, and no folder %q", nameOrFile, filepath.Dir(file))
	}
	stemOf := func(name string) string { return strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)) }
	var files, stems []string
	for _, entry := range entries {
		if ext := filepath.Ext(entry.Name()); !entry.IsDir() && (ext == ".yaml" || ext == ".yml") {
			files, stems = append(files, entry.Name()), append(stems, stemOf(entry.Name()))
		}
	}
	stem := stemOf(nameOrFile)
	if near, ok := document.Nearest(stem, stems); ok {
		near = filepath.Join(filepath.Dir(nameOrFile), files[slices.Index(stems, near)])
		return fmt.Errorf("there is no file %q; did you mean %q?", nameOrFile, near)
	}
	return fmt.Errorf("there is no file %q%s", nameOrFile,
		cmp.Or(document.SuggestPart(stem, names, ""), "; starling init writes a scenario, and starling list scenarios has those of the library"))
}
