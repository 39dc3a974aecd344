package runs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"starling/scenarios/document"
)

// Last is the name of the latest run in a folder of results.
const Last = "last"

// leastHash is the least number of digits by which the beginning of a hash names a run.
const leastHash = 3

// ErrNone is the error of Find, Newest and AtWork where nothing fits.
var ErrNone = errors.New("no such run")

// Find returns the run that a text means, for verbs that change it: the path of its folder, or
// else the name of its scenario, its tag, or the beginning of its hash, among the runs in a
// folder; or Last, the latest of all; or the path of the folder directly above. If several fit,
// none is returned: the error names them.
func Find(folder, text string) (Run, error) {
	found, by, err := fitting(folder, text)
	switch {
	case err != nil:
		return Run{}, err
	case by != byLast && len(found) > 1:
		return Run{}, ambiguous(text, found)
	}
	return newest(found), nil
}

// Newest returns the run that a text means, for verbs that read it, and the number of runs
// that fit the text as Find has it. Of several it is the latest
// with results to look at, or the latest of all where none has any.
func Newest(folder, text string) (r Run, fit int, err error) {
	found, _, err := fitting(folder, text)
	if err != nil {
		return Run{}, 0, err
	}
	if shown := slices.DeleteFunc(slices.Clone(found), func(r Run) bool { return !r.Shown }); len(shown) > 0 {
		return newest(shown), len(found), nil
	}
	return newest(found), len(found), nil
}

// AtWork returns the run that a text means, for verbs that watch it, and the number of runs
// that fit the text as Newest has it. Of several it is the latest at work, or the latest of
// all where none is.
func AtWork(folder, text string) (r Run, fit int, err error) {
	found, _, err := fitting(folder, text)
	if err != nil {
		return Run{}, 0, err
	}
	if running := slices.DeleteFunc(slices.Clone(found), func(r Run) bool { return r.Status != Running }); len(running) > 0 {
		return newest(running), len(found), nil
	}
	return newest(found), len(found), nil
}

// meaning is the way in which a text means runs. The order of the constants is the order in
// which they are tried.
type meaning int

const (
	byPath meaning = iota
	byScenario
	byTag
	byHash
	byLast
	byFolder
)

// fitting lists the runs that a text means, at least one, and the way in which it means them.
func fitting(folder, text string) ([]Run, meaning, error) {
	if text == "" {
		return nil, 0, fmt.Errorf("%q: %w", text, ErrNone)
	}
	dir := filepath.Clean(text)
	if entries, err := os.ReadDir(dir); err == nil && isRun(dir, entries) {
		return []Run{Of(dir)}, byPath, nil
	}
	list, err := List(folder)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, 0, err
	}
	for by := byScenario; by <= byLast; by++ {
		var found []Run
		for i := range list {
			if list[i].fits(text, by) {
				found = append(found, list[i])
			}
		}
		if len(found) > 0 {
			return found, by, nil
		}
	}
	if below, err := List(dir); err == nil {
		below = slices.DeleteFunc(below, func(r Run) bool { return filepath.Dir(r.Dir) != dir })
		if len(below) > 0 {
			return below, byFolder, nil
		}
	}
	if len(list) == 0 {
		return nil, 0, fmt.Errorf("%q: %w: %s; 'starling run dpdonc-localization' makes one", text, ErrNone, without(folder))
	}
	return nil, 0, fmt.Errorf("%q: %w in %s%s", text, ErrNone, folder, near(text, list))
}

// without says of a folder without runs whether it is there, with its whole path.
func without(folder string) string {
	whole, err := filepath.Abs(folder)
	if err != nil {
		whole = folder
	}
	if _, err := os.Stat(whole); errors.Is(err, os.ErrNotExist) {
		return fmt.Sprintf("there is no folder %s", whole)
	}
	return fmt.Sprintf("there are no runs in %s", whole)
}

// fits reports whether a text means a run of a listed folder.
func (r *Run) fits(text string, by meaning) bool {
	switch by {
	case byScenario:
		return r.Scenario == text || r.Scenario+"/"+r.Hash == text
	case byTag:
		return slices.Contains(r.Tags, text)
	case byHash:
		return len(text) >= leastHash && strings.HasPrefix(r.Hash, text)
	}
	return text == Last
}

// newest is the run with the latest change; of two at one time the first.
func newest(list []Run) Run {
	return slices.MaxFunc(list, func(a, b Run) int { return a.Updated.Compare(b.Updated) })
}

// near suggests a name or tag that is like a text, or the list of all runs where none is.
func near(text string, list []Run) string {
	known := []string{Last}
	for i := range list {
		known = append(append(known, list[i].Scenario), list[i].Tags...)
	}
	if hint := document.Suggest(text, known, ""); hint != "" {
		return hint
	}
	return "; 'starling runs' lists them"
}

// Names lists the words by which the runs in a folder can be named, each once: the names of
// scenarios, tags, and Last where there is a run.
func Names(folder string) (names []string) {
	list, err := List(folder)
	if err != nil || len(list) == 0 {
		return nil
	}
	for i := range list {
		names = append(append(names, list[i].Scenario), list[i].Tags...)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if !slices.Contains(names, Last) {
		names = append(names, Last)
	}
	return names
}

// ambiguous is the error of a text that means several runs.
func ambiguous(text string, found []Run) error {
	var names []string
	for _, r := range found[:min(len(found), 4)] {
		names = append(names, r.Scenario+"/"+r.Hash)
	}
	if n := len(found) - len(names); n > 0 {
		names = append(names, fmt.Sprintf("and %d more", n))
	}
	return fmt.Errorf("%q means %d runs: %s", text, len(found), strings.Join(names, ", "))
}
