package observatory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"unicode/utf8"

	"starling/scenarios/document"
	"starling/scenarios/guide"
	"starling/scenarios/loading"
	"starling/scenarios/study"
)

// WorkbenchOptions are the settings of a bench.
type WorkbenchOptions struct {
	// Out is the folder of results into which runs write.
	Out string
	// Save is the folder for saved files; if empty, files cannot be saved.
	Save string
	// Loader reads scenarios; the bench confines it.
	Loader loading.Loader
	// Build names the program by its content. Memory is the limit on the bytes of memory of
	// runs.
	Build  string
	Memory int64
	// Program is the program with its first arguments; the bench appends the arguments of the
	// verb run. Environment is appended to the environment of this process.
	Program, Environment []string
}

// mostLoads is the number of texts that are loaded at a time: an abandoned one, and one after
// it.
const mostLoads = 2

// Bench works on texts of scenarios. It is safe for concurrent use.
type Bench struct {
	options WorkbenchOptions
	out     string // absolute
	saves   string // absolute; empty saves nothing
	guide   *guide.Guide
	// schema returns the JSON Schema of scenario files.
	schema func() ([]byte, error)
	// judge is judged, but for tests. loads has an element for each load under way.
	judge func(ctx context.Context, text string, code code) (*study.Scenario, error)
	loads chan struct{}

	saving sync.Mutex // one file is saved at a time

	mu       sync.Mutex
	closed   bool
	children map[string]*child // by the folder of the run; those that have ended stay
	alive    sync.WaitGroup    // of children
}

// Errors of requests to a bench.
var (
	errNoSource = errors.New("there is no such text to begin from")
	errNoSaving = errors.New("no folder to save in was named; starling ui --save FOLDER names one")
	errChanged  = errors.New("the file is another than the one that was read")
	errBusy     = errors.New("another process is at work on this run")
	errOther    = errors.New("the run cannot go on")
	errNotOurs  = errors.New("this page has not started the run, or it has ended")
	errClosed   = errors.New("starling ui is ending")
	errMany     = fmt.Errorf("%d runs go on already, and more at a time would only slow them down", mostChildren)
)

// NewWorkbench returns a bench. The folders have to exist.
func NewWorkbench(o WorkbenchOptions) (*Bench, error) {
	b := &Bench{options: o, children: map[string]*child{}, loads: make(chan struct{}, mostLoads)}
	b.judge = b.judged
	b.schema = sync.OnceValues(func() ([]byte, error) { return loading.SchemaOf(o.Loader.Kinds) })
	b.options.Loader.Local = true
	var err error
	if b.out, err = folder(o.Out); err != nil {
		return nil, err
	}
	if o.Save != "" {
		if b.saves, err = folder(o.Save); err != nil {
			return nil, err
		}
	}
	if len(o.Program) == 0 {
		return nil, errors.New("a bench needs the program that makes runs")
	}
	if b.guide, err = guide.New(o.Loader.Kinds); err != nil {
		return nil, err
	}
	return b, nil
}

// folder returns the absolute path of a folder, which has to exist.
func folder(dir string) (string, error) {
	absolute, err := filepath.Abs(dir)
	if err == nil {
		absolute, err = filepath.EvalSymlinks(absolute)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("there is no folder %s; make it first", dir)
	}
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(absolute); err != nil || !info.IsDir() {
		return "", fmt.Errorf("%s is not a folder", dir)
	}
	return absolute, nil
}

// inSize refuses texts that no file can have. The error is an InputError.
func inSize(text string) error {
	if len(text) > document.MaxBytes {
		return document.BadInput(fmt.Errorf("the text has %d bytes; a scenario has at most %d", len(text), document.MaxBytes))
	}
	if !utf8.ValidString(text) {
		return document.BadInput(errors.New("the text is not UTF-8"))
	}
	return nil
}
