package scenarios

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"starling/scenarios/document"
)

//go:embed library/*.yaml
var library embed.FS

// libraryName is the path of a library scenario, as errors show it.
func libraryName(name string) string { return path.Join("library", name+".yaml") }

// Library lists the names of the scenarios that come with the program, sorted.
func Library() []string {
	entries, err := fs.ReadDir(library, "library")
	if err != nil {
		panic(err) // the folder is embedded
	}
	var names []string
	for _, entry := range entries {
		names = append(names, strings.TrimSuffix(entry.Name(), ".yaml"))
	}
	slices.Sort(names)
	return names
}

// Override replaces one value of a scenario before it is checked.
type Override struct {
	Path   string // such as mechanism.epsilon
	Text   string // the value, in YAML
	Source string // what positions in Text call it, such as --set mechanism.epsilon
}

// ParseOverride reads path=value, as --set takes it.
func ParseOverride(text string) (Override, error) {
	path, value, ok := strings.Cut(text, "=")
	if !ok || path == "" {
		return Override{}, fmt.Errorf("--set %s: want path=value, such as mechanism.epsilon=1", text)
	}
	return Override{Path: path, Text: value, Source: "--set " + path}, nil
}

// InputError is bad input: a scenario that cannot run as it is written.
type InputError struct {
	err  error
	line func(document.Position) (string, bool)
}

// Error implements error: a line for each problem, file:line:column first
// where it has a place.
func (e *InputError) Error() string { return e.err.Error() }

// Unwrap gives document.Issues where the problems have places.
func (e *InputError) Unwrap() error { return e.err }

// Excerpts returns Error with the source line and a caret under each problem.
func (e *InputError) Excerpts() string {
	var issues document.Issues
	if !errors.As(e.err, &issues) || e.line == nil {
		return e.Error()
	}
	var text strings.Builder
	if err := issues.Render(&text, e.line); err != nil {
		return e.Error()
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// read returns the text of a library scenario, by its name, or of a file. What
// looks like neither is an InputError that suggests the nearest name.
func read(nameOrFile string) (name string, text []byte, err error) {
	names := Library()
	if slices.Contains(names, nameOrFile) {
		text, err = library.ReadFile(libraryName(nameOrFile))
		return libraryName(nameOrFile), text, err
	}
	text, err = readFile(nameOrFile)
	if err == nil {
		return nameOrFile, text, nil
	}
	isName := !strings.ContainsAny(nameOrFile, `/\.`)
	if !isName || !errors.Is(err, fs.ErrNotExist) {
		return "", nil, &InputError{err: err}
	}
	message := fmt.Sprintf("no scenario or file %q", nameOrFile)
	if nearest, ok := document.Nearest(nameOrFile, names); ok {
		message += fmt.Sprintf("; did you mean %q?", nearest)
	} else {
		message += "; the library has " + strings.Join(names, ", ")
	}
	return "", nil, &InputError{err: errors.New(message)}
}

// readFile reads a file, and of one that is larger than a document can be only
// as much as shows that.
func readFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, document.MaxBytes+1))
}

// load reads a document and applies the overrides.
func load(nameOrFile string, overrides []Override) (*document.Document, error) {
	name, text, err := read(nameOrFile)
	if err != nil {
		return nil, err
	}
	doc, err := document.Parse(name, text)
	if err != nil {
		return nil, &InputError{err: err, line: document.SourceLine(name, text)}
	}
	for _, o := range overrides {
		changed, err := doc.Set(o.Path, o.Text, o.Source)
		if err != nil {
			return nil, &InputError{err: err, line: document.SourceLine(o.Source, []byte(o.Text))}
		}
		if doc, err = unsweep(changed, o.Path); err != nil {
			return nil, &InputError{err: err, line: changed.Line}
		}
	}
	return doc, nil
}

// unsweep takes a path that an override has fixed out of the sweep's grid or
// zip, and the sweep away if nothing is left of it. The sweep would undo the
// override.
func unsweep(doc *document.Document, path string) (*document.Document, error) {
	for _, lists := range []string{"sweep.grid", "sweep.zip"} {
		node, ok := doc.Find(lists)
		if !ok || node.Kind() != document.Mapping {
			continue
		}
		values, ok := node.Get(path)
		if !ok {
			continue
		}
		if node.Len() == 1 {
			return doc.Delete("sweep")
		}
		return doc.Delete(values.Path())
	}
	return doc, nil
}

// BadInput marks an error as one of the input.
func BadInput(err error) error { return &InputError{err: err} }

// LibraryEntries lists the scenarios of the library with their descriptions.
func LibraryEntries() ([]Entry, error) {
	var list []Entry
	for _, name := range Library() {
		doc, err := load(name, nil)
		if err != nil {
			return nil, err
		}
		entry := Entry{Kind: name}
		if node, ok := doc.Find("description"); ok {
			entry.Summary = node.Value()
		}
		list = append(list, entry)
	}
	return list, nil
}
