package python

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"starling/scenarios/document"
	"starling/scenarios/inputs"
	"starling/scenarios/problem/pyproblem"
	"starling/scenarios/study"
)

// Source has the keys of a section that names a class.
type Source struct {
	File    string    `yaml:"file,required" range:"a path" doc:"file of Python code with the class: beside the scenario, in the folder of --data, where the program runs, or of the library"`
	Name    string    `yaml:"name,required" range:"a class" doc:"class of the file"`
	Options Arguments `yaml:"options" range:"values by name" doc:"keyword arguments of the class, beside those that every class gets; absent, none"`
	Timeout float64   `yaml:"timeout" over:"0" max:"86400" says:"a timeout of %v seconds" unit:"seconds" doc:"how long a call may take, and loading the file"`
	Threads int       `yaml:"threads" min:"1" max:"1024" says:"%v threads" unit:"threads" doc:"threads of linear algebra in Python; more than one may change last bits"`
}

// DefaultSource returns the values of keys that are absent.
func DefaultSource() Source {
	return Source{Timeout: pyproblem.DefaultTimeout.Seconds(), Threads: 1}
}

// Check refuses names of private classes, and options that every class gets anyway.
func (s *Source) Check() error {
	var errs []error
	if strings.HasPrefix(s.Name, "_") {
		errs = append(errs, document.At("name", "%q is no name of a class for others", s.Name))
	}
	for name := range s.Options.Values {
		if slices.Contains([]string{"seed", "nodes", "horizon", "dimension"}, name) {
			errs = append(errs, document.At("options."+name, "every class gets %s already", name))
		}
	}
	return errors.Join(errs...)
}

// Arguments are values by name, in the types of JSON.
type Arguments struct {
	Values map[string]any `yaml:"-"`
}

// DecodeNode implements document.NodeDecoder.
func (a *Arguments) DecodeNode(node *document.Node) error {
	if node.Kind() != document.Mapping {
		return node.Issuef("expected values by name, got %s", node.Text())
	}
	value, err := valueOf(node)
	if err != nil {
		return err
	}
	a.Values = value.(map[string]any)
	return nil
}

// valueOf returns the value of a node in the types of JSON.
func valueOf(node *document.Node) (any, error) {
	switch node.Kind() {
	case document.Mapping:
		values := map[string]any{}
		for key, child := range node.Entries() {
			value, err := valueOf(child)
			if err != nil {
				return nil, err
			}
			values[key] = value
		}
		return values, nil
	case document.Sequence:
		values := []any{}
		for _, item := range node.Items() {
			value, err := valueOf(item)
			if err != nil {
				return nil, err
			}
			values = append(values, value)
		}
		return values, nil
	case document.Integer:
		if n, err := strconv.ParseInt(node.Value(), 10, 64); err == nil {
			return n, nil
		}
		fallthrough // beyond an int64, or in another notation
	case document.Float:
		var x document.Number
		err := document.Decode(node, &x)
		return float64(x), err
	case document.Bool:
		var b bool
		err := document.Decode(node, &b)
		return b, err
	case document.Null:
		return nil, nil
	}
	return node.Value(), nil
}

// Code is the code that a section names, ready to be run.
type Code struct {
	Program  *pyproblem.Program
	Notes    []study.Note
	Warnings []study.Warning
}

// mostSource is the largest file of code, in bytes.
const mostSource = 1 << 20

// programKey identifies a program, which arms share.
type programKey struct {
	path, sum string
	timeout   float64
	threads   int
	adapter   string
}

// installedKey is the key of the versions of Python and numpy.
type installedKey struct{}

// installed has the versions of Python and numpy on this machine.
type installed struct {
	versions pyproblem.Versions
	err      error
}

// Read reads the file that a section names. The results depend on its text, on the versions
// of Python and numpy, and on the results of the class. The error has its place in the file.
func (s *Source) Read(b *study.Builder, section *document.Node) (*Code, error) {
	return s.read(b, section, inputs.DataNote, nil)
}

// ReadWith is Read with an adapter of the objects. The adapter itself calls the user's code
// twice, if that is asked for. The file is not the data of a problem: its note has the key
// study.CodeNote.
func (s *Source) ReadWith(b *study.Builder, section *document.Node, adapter []byte) (*Code, error) {
	return s.read(b, section, study.CodeNote, adapter)
}

// read reads the file. The argument what is the key of its note.
func (s *Source) read(b *study.Builder, section *document.Node, what string, adapter []byte) (*Code, error) {
	if b.Data.Confined && !b.Data.Code {
		return nil, section.Resolve(document.At("kind", "this process runs no code that comes with scenarios; starling worker --python allows it"))
	}
	file, path, err := b.Data.Open(section, "file", s.File)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, mostSource+1))
	if err == nil && len(text) > mostSource {
		err = fmt.Errorf("%s has more than %d bytes", path, mostSource)
	}
	if err != nil {
		return nil, section.Resolve(document.At("file", "%v", err))
	}
	digest := digestOf(s.File, text)
	b.Data.Use(digest)
	b.Data.Take(inputs.Taken{Name: s.File, Code: true}) // opened above, by its path
	code := &Code{Notes: []study.Note{study.NoteOf(what, digest)}}
	r := study.Shared(b, readsKey{path, digest.Sha256, fmt.Sprint(texts(s.Options.Values))}, func() (*reads, bool) {
		return readsOf(path, s.File, text, texts(s.Options.Values), b.Data.Confined || b.Data.Local), true
	})
	code.rest(b, r)
	code.Program = study.Shared(b, programKey{path, digest.Sha256, s.Timeout, s.Threads, string(adapter)}, func() (*pyproblem.Program, bool) {
		return pyproblem.New(pyproblem.Options{
			Path: path, Source: text, Adapter: adapter, Timeout: time.Duration(s.Timeout * float64(time.Second)), Threads: s.Threads,
			Twice: b.Data.Twice && adapter == nil, Showing: b.Data.Showing, Context: b.Data.Context,
		}), true
	})
	if b.Data.Showing {
		if b.Data.Withheld == "" {
			b.Data.Withheld = s.File
		}
		return code, nil
	}
	here := study.Shared(b, installedKey{}, func() (installed, bool) {
		versions, err := pyproblem.Installed()
		return installed{versions, err}, true
	})
	if here.err != nil {
		code.Warnings = append(code.Warnings, study.Warning{Code: "python", Message: "this scenario cannot be run here: " + here.err.Error()})
		return code, nil
	}
	code.libraries(b, r)
	interpreter := digestOf(here.versions.String(), []byte(here.versions.String()))
	b.Data.Use(interpreter)
	code.Notes = append(code.Notes, study.NoteOf(study.InterpreterNote, interpreter), study.Note{Key: "python", Value: here.versions.String() + "; the digest rests on what this program computes, and on what its file imports"})
	return code, nil
}

// readsKey identifies the files that code reads, which arms share.
type readsKey struct{ path, sum, options string }

// rest notes that the results depend on the files that the code reads besides itself, and
// warns where these are not known.
func (c *Code) rest(b *study.Builder, r *reads) {
	c.use(b, "imports", r.modules)
	c.use(b, "reads", r.data)
	for _, file := range r.taken {
		b.Data.Take(file)
	}
	warn := func(names []string, what string) {
		if names != nil {
			c.Warnings = append(c.Warnings, study.Warning{Code: "python", Message: strings.Join(names, ", ") + what})
		}
	}
	warn(r.hiddenModules, " imports modules that its text does not name. Starling does not notice changes of them: run with --again after a change")
	warn(r.hiddenData, " reads files that its text does not name. Starling does not notice changes of them: name them in the text or in options, relative to the folder of the file, or run with --again after a change")
}

// librariesKey identifies the libraries that are installed for the code of a folder.
type librariesKey struct{ folder, names string }

// libraries notes that the results depend on the libraries that the code imports.
func (c *Code) libraries(b *study.Builder, r *reads) {
	type answer struct {
		found map[string]string
		err   error
	}
	names := slices.DeleteFunc(slices.Clone(r.libraries), func(name string) bool { return name == "numpy" }) // numpy is in the interpreter's digest
	a := study.Shared(b, librariesKey{r.folder, strings.Join(names, " ")}, func() (answer, bool) {
		found, err := pyproblem.Libraries(r.folder, names)
		return answer{found, err}, true
	})
	if a.err != nil {
		c.Warnings = append(c.Warnings, study.Warning{Code: "python", Message: "the modules that the code imports from elsewhere are not known: " + a.err.Error()})
	}
	var list []inputs.Digest
	for _, name := range names {
		if said := a.found[name]; said != "" {
			list = append(list, digestOf(name+": "+said, []byte(said)))
		}
	}
	c.use(b, "libraries", list)
}

// use notes that the results depend on files. A note names them; their digests are in the
// manifest.
func (c *Code) use(b *study.Builder, key string, list []inputs.Digest) {
	var names []string
	for _, digest := range list {
		b.Data.Use(digest)
		names = append(names, digest.Name)
	}
	if names != nil {
		c.Notes = append(c.Notes, study.Note{Key: key, Value: strings.Join(names, "; ")})
	}
}

// digestOf returns the digest of a text under a name.
func digestOf(name string, text []byte) inputs.Digest {
	sum := sha256.Sum256(text)
	return inputs.Digest{Name: name, Sha256: hex.EncodeToString(sum[:])}
}
