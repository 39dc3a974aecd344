package runs

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"starling/scenarios/document"
	"starling/scenarios/results"
)

// Filter selects runs. The zero value selects all.
type Filter struct {
	// Statuses are the selected statuses, each of which is enough; none is all.
	Statuses []Status
	// Scenario is a pattern of the name, as path.Match has them; empty is all.
	Scenario string
	// Tags must all be there.
	Tags []string
	// Where are conditions on values of the scenario; all must hold, in one arm or another.
	Where []Condition
	// Text must occur, in any case of its letters, in the name, the hash, the digest, a tag,
	// the note, the reason, an arm, or the scenario as it was run.
	Text string
	// Since is the time of the last change, at the earliest; the zero time is no bound.
	Since time.Time
}

// Validate refuses a filter that makes no sense.
func (f *Filter) Validate() error {
	for _, s := range f.Statuses {
		if !slices.Contains(Statuses(), s) {
			var known []string
			for _, s := range Statuses() {
				known = append(known, string(s))
			}
			return errors.New(document.Unknown("status", string(s), known))
		}
	}
	if _, err := path.Match(f.Scenario, ""); err != nil {
		return fmt.Errorf("pattern %q of scenarios: %w", f.Scenario, err)
	}
	return nil
}

// Has reports whether the filter selects a run. It reads the scenario of a run only where the
// filter needs it.
func (f *Filter) Has(r *Run) bool {
	if len(f.Statuses) > 0 && !slices.Contains(f.Statuses, r.Status) {
		return false
	}
	if ok, err := path.Match(f.Scenario, r.Scenario); f.Scenario != "" && (err != nil || !ok) {
		return false
	}
	for _, tag := range f.Tags {
		if !slices.Contains(r.Tags, tag) {
			return false
		}
	}
	if r.Updated.Before(f.Since) {
		return false
	}
	if f.Text != "" && !r.says(strings.ToLower(f.Text)) {
		return false
	}
	return len(f.Where) == 0 || r.meets(f.Where)
}

// says reports whether a text in small letters occurs in the known facts of the run or in its
// scenario.
func (r *Run) says(text string) bool {
	words := append([]string{r.Scenario, r.Hash, r.Digest, r.Reason, r.Note}, r.Tags...)
	for _, arm := range r.Arms {
		words = append(words, arm.Name)
		for _, v := range arm.Values {
			words = append(words, v.Path+"="+v.Value)
		}
	}
	for _, word := range words {
		if strings.Contains(strings.ToLower(word), text) {
			return true
		}
	}
	return strings.Contains(strings.ToLower(string(r.scenario())), text)
}

// scenario is the text of the scenario as it was run; empty where it cannot be read.
func (r *Run) scenario() []byte {
	files := []string{filepath.Join(r.Dir, results.ScenarioFile)}
	for _, p := range r.Parts {
		files = append(files, filepath.Join(r.Dir, partFolder(p.Name), results.ScenarioFile))
	}
	for _, file := range files {
		if text, err := results.ReadSmall(file, document.MaxBytes); err == nil {
			return text
		}
	}
	return nil
}

// ScenarioFile is the path of the scenario as it was run; of a run that is made in parts it is
// in the folder of one.
func (r *Run) ScenarioFile() string {
	file := filepath.Join(r.Dir, results.ScenarioFile)
	if _, err := os.Stat(file); err != nil && len(r.Parts) > 0 {
		return filepath.Join(r.Dir, partFolder(r.Parts[0].Name), results.ScenarioFile)
	}
	return file
}

// partFolder is the folder of a part such as 3/16 inside the folder of its run.
func partFolder(name string) string {
	return filepath.Join("parts", strings.Replace(name, "/", "-of-", 1))
}

// meets reports whether all conditions hold: each of a value that an arm sets, or else of one
// that the scenario has.
func (r *Run) meets(conditions []Condition) bool {
	var doc *document.Document
	parsed := false
	for _, c := range conditions {
		set, holds := false, false
		for _, arm := range r.Arms {
			for _, v := range arm.Values {
				if v.Path == c.Path {
					set, holds = true, holds || c.holds(v.Value)
				}
			}
		}
		if !set {
			if !parsed {
				doc, _ = document.Parse(results.ScenarioFile, r.scenario())
				parsed = true
			}
			value, ok := valueAt(doc, c.Path)
			holds = ok && c.holds(value)
		}
		if !holds {
			return false
		}
	}
	return true
}

// Unknown refuses conditions on a path that none of some runs has. The error names a path that ends with it, or is
// near.
func (f *Filter) Unknown(list []Run) error {
	for _, c := range f.Where {
		if slices.ContainsFunc(list, func(r Run) bool { return r.has(c.Path) }) {
			continue
		}
		paths := map[string]bool{}
		for i := range list {
			for _, arm := range list[i].Arms {
				for _, v := range arm.Values {
					paths[v.Path] = true
				}
			}
		}
		known := slices.Sorted(maps.Keys(paths))
		if at := slices.IndexFunc(known, func(path string) bool { return strings.HasSuffix(path, "."+c.Path) }); at >= 0 {
			return fmt.Errorf("no run has the key %q; did you mean %q?", c.Path, known[at])
		}
		return fmt.Errorf("no run has the key %q%s", c.Path, document.Suggest(c.Path, known, ""))
	}
	return nil
}

// has reports whether an arm sets the value at a path, or the scenario has one.
func (r *Run) has(path string) bool {
	for _, arm := range r.Arms {
		if slices.ContainsFunc(arm.Values, func(v results.Value) bool { return v.Path == path }) {
			return true
		}
	}
	doc, _ := document.Parse(results.ScenarioFile, r.scenario())
	_, ok := valueAt(doc, path)
	return ok
}

// valueAt is the value at a path of a scenario, such as mechanism.epsilon.
func valueAt(doc *document.Document, path string) (string, bool) {
	if doc == nil {
		return "", false
	}
	node := doc.Root()
	for _, key := range strings.Split(path, ".") {
		child, ok := node.Get(key)
		if !ok {
			return "", false
		}
		node = child
	}
	if text := node.Value(); text != "" {
		return text, true
	}
	return node.Text(), true
}

// Condition is a condition on a value of a scenario, such as mechanism.epsilon<=1.
type Condition struct {
	// Path is the path of the value, Operator one of = != < <= > >=, and Value the other
	// operand. Both are compared as numbers where both are numbers, else as text.
	Path, Operator, Value string
}

// operators are the operators of conditions, the longer ones first.
var operators = []string{"<=", ">=", "!=", "=", "<", ">"}

// ParseCondition reads a condition.
func ParseCondition(text string) (Condition, error) {
	at := strings.IndexAny(text, "<>=!")
	if at > 0 {
		for _, operator := range operators {
			value, ok := strings.CutPrefix(text[at:], operator)
			if value = strings.TrimSpace(value); ok && value != "" && !strings.ContainsAny(value[:1], "<>=!") {
				return Condition{strings.TrimSpace(text[:at]), operator, value}, nil
			}
		}
	}
	return Condition{}, fmt.Errorf("condition %q: want a path, one of = != < <= > >=, and a value, such as mechanism.epsilon<=1", text)
}

// holds reports whether the condition holds of a value. Texts have no order.
func (c *Condition) holds(value string) bool {
	order := strings.Compare(value, c.Value)
	x, err1 := strconv.ParseFloat(value, 64)
	y, err2 := strconv.ParseFloat(c.Value, 64)
	numbers := err1 == nil && err2 == nil
	if numbers {
		order = cmp.Compare(x, y)
	}
	switch c.Operator {
	case "=":
		return order == 0
	case "!=":
		return order != 0
	case "<":
		return numbers && order < 0
	case "<=":
		return numbers && order <= 0
	case ">":
		return numbers && order > 0
	}
	return numbers && order >= 0
}

// Keys are the keys that runs can be sorted by. Without a key they are sorted by the time of
// their last change, the latest first.
func Keys() []string {
	return []string{"updated", "scenario", "status", "progress", "elapsed", "arms", "seeds", "hash", "digest", "tags"}
}

// Sort sorts runs by a key; runs that are equal by it stay in their order. Times come the
// latest first, counts the largest first, and the rest in the order of the alphabet or of
// Statuses; reversed turns that around.
func Sort(list []Run, key string, reversed bool) error {
	by, ok := map[string]func(a, b *Run) int{
		"updated":  func(a, b *Run) int { return b.Updated.Compare(a.Updated) },
		"scenario": func(a, b *Run) int { return cmp.Compare(a.Scenario, b.Scenario) },
		"status": func(a, b *Run) int {
			return cmp.Compare(slices.Index(Statuses(), a.Status), slices.Index(Statuses(), b.Status))
		},
		"progress": func(a, b *Run) int { return cmp.Compare(known(b.Progress), known(a.Progress)) },
		"elapsed":  func(a, b *Run) int { return cmp.Compare(known(b.Elapsed), known(a.Elapsed)) },
		"arms":     func(a, b *Run) int { return cmp.Compare(len(b.Arms), len(a.Arms)) },
		"seeds":    func(a, b *Run) int { return cmp.Compare(b.Seeds.Count, a.Seeds.Count) },
		"hash":     func(a, b *Run) int { return cmp.Compare(a.Hash, b.Hash) },
		"digest":   func(a, b *Run) int { return cmp.Compare(a.Digest, b.Digest) },
		"tags":     func(a, b *Run) int { return slices.Compare(a.Tags, b.Tags) },
	}[key]
	if !ok {
		return errors.New(document.Unknown("key", key, Keys()))
	}
	slices.SortStableFunc(list, func(a, b Run) int {
		if reversed {
			return by(&b, &a)
		}
		return by(&a, &b)
	})
	return nil
}

// known is a number, or less than all others where it is not known.
func known(x *float64) float64 {
	if x == nil {
		return -1
	}
	return *x
}

// quoted makes a path one that matches itself only.
func quoted(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
