package guide

import (
	"errors"
	"slices"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/loading"
	"starling/scenarios/study"
)

// defaultSource is the file that positions name for a default that was filled in.
const defaultSource = "default"

// Resolved returns a scenario as YAML with all that it extends, all overrides and every
// default in it. Beside a value stands its origin, unless that is the file itself, which main
// names. With arm, it is that arm alone, without sweep and figures. The text can be loaded,
// and runs as the scenario does. In sections that arms replace, defaults are filled in by
// their arms alone. For an unknown arm the error names the nearest.
func (g *Guide) Resolved(loader loading.Loader, s *study.Scenario, main, arm string) ([]byte, error) {
	// All arms are expanded even for one of them: defaults are filled in only where no arm
	// sets another value.
	sweep, ok := s.Document.Find("sweep")
	if !ok {
		sweep = nil // Find has returned the mapping around it
	}
	variants, err := loading.Spread(s.Document, sweep)
	if err != nil {
		return nil, err
	}
	doc := s.Document
	if arm != "" {
		if doc, err = armOf(variants, arm); err != nil {
			return nil, err
		}
		variants = nil
	}
	if doc, err = g.filled(doc, variants); err != nil {
		return nil, err
	}
	// Defaults are filled in for all options of a kind; the loader then names the ones that do
	// not fit the rest of the file.
	doc = unneeded(loader, doc)
	places := g.places(doc)
	doc = doc.Arrange(orderOf(places))
	return doc.Annotated(document.Notes{
		Beside: func(n *document.Node) string {
			switch at := n.Position(); {
			// A value without a comment is written in the file itself.
			case at.File == main, n.Kind() == document.Mapping: // its values have their own origins
				return ""
			case at.File == defaultSource, strings.HasPrefix(at.File, "--"):
				return at.File
			default:
				return at.String()
			}
		},
		Below: func(n *document.Node) []string {
			lines := append(absentAt(places, n), exchanges(s, n, arm)...)
			if n.Path() == "mechanism" {
				return append(calibrations(s, arm), lines...)
			}
			return lines
		},
	}), nil
}

// calibrations tells the noise that was found for an epsilon of a run, by arm; of all arms where arm
// is empty.
func calibrations(s *study.Scenario, arm string) (lines []string) {
	for _, a := range s.Arms {
		p, ok := a.Algorithm.(study.Calibrator)
		if !ok || p.Calibration() == "" || arm != "" && a.Name != arm {
			continue
		}
		line := p.Calibration()
		if arm == "" && len(s.Arms) > 1 {
			line = "arm " + a.Name + ": " + line
		}
		lines = append(lines, line)
	}
	return lines
}

// armOf returns the document of an arm, without the keys for all arms together.
func armOf(variants []study.Variant, arm string) (*document.Document, error) {
	var names []string
	for _, v := range variants {
		if names = append(names, v.Name); v.Name != arm {
			continue
		}
		doc := v.Document
		for _, key := range []string{"sweep", "plots"} {
			if _, ok := doc.Find(key); !ok {
				continue
			}
			var err error
			if doc, err = doc.Delete(key); err != nil {
				return nil, err
			}
		}
		return doc, nil
	}
	return nil, errors.New(document.Unknown("arm", arm, names))
}

// place is a mapping of a document with its options.
type place struct {
	// path is the path of the mapping, empty for the file itself. section and kind name its
	// options; their keys are relative to path. kind is empty where a section has none.
	path, section, kind string
	options             []Option
}

// places returns the file itself and its sections, each before the sections in it.
func (g *Guide) places(doc *document.Document) (list []place) {
	options, _ := g.Options("scenario", "")
	list = []place{{"", "scenario", "", options}}
	// The list grows while it is walked: a section that is found is searched for sections
	// of its own.
	for i := 0; i < len(list); i++ {
		for _, o := range list[i].options {
			path := joined(list[i].path, o.Key)
			node, ok := doc.Find(path)
			if !ok || o.section == "" || node.Kind() != document.Mapping {
				continue
			}
			kind, _ := node.Get("kind")
			name := loading.TextOf(kind)
			if inner, ok := g.Options(o.section, name); ok && name != "" {
				list = append(list, place{path, o.section, name, inner})
			}
		}
	}
	return list
}

// joined returns the path of a key below a path.
func joined(path, key string) string { return strings.TrimPrefix(path+"."+key, ".") }

// filled returns a document with the defaults of its sections. A section that a variant
// replaces, or of which it sets the kind, stays as it is.
func (g *Guide) filled(doc *document.Document, variants []study.Variant) (*document.Document, error) {
	for _, at := range g.places(doc) {
		if slices.ContainsFunc(variants, func(v study.Variant) bool { return replaces(v, at.path) }) {
			continue
		}
		for _, o := range at.options {
			path := joined(at.path, o.Key)
			if _, given := doc.Find(path); given || o.value == nil || strings.Contains(o.Key, "[]") || !at.holds(doc, o.Key) {
				continue
			}
			changed, err := doc.Set(path, textOf(o.value), defaultSource)
			if err != nil {
				return nil, err
			}
			doc = changed
		}
	}
	return doc, nil
}

// unneeded returns a document without the filled-in defaults that the loader refuses: some
// options go with some algorithms only.
func unneeded(loader loading.Loader, doc *document.Document) *document.Document {
	_, err := loader.Check(doc)
	var issues document.Issues
	errors.As(err, &issues)
	for _, issue := range issues {
		if node, ok := doc.Find(issue.Path); ok && node.Position().File == defaultSource {
			doc = without(doc, issue.Path)
		}
	}
	return doc
}

// replaces reports whether an arm replaces a section or sets its kind.
func replaces(v study.Variant, path string) bool {
	return path != "" && slices.ContainsFunc(v.Assigned, func(a study.Assignment) bool {
		return a.Path == path || a.Path == path+".kind" || strings.HasPrefix(path, a.Path+".")
	})
}

// holds reports whether the mappings around a key exist, or could exist: a mapping with
// required keys exists only where a file has it.
func (p *place) holds(doc *document.Document, key string) bool {
	for i, c := range key {
		if c != '.' {
			continue
		}
		node, given := doc.Find(joined(p.path, key[:i]))
		if given && node.Kind() == document.Sequence { // another form of it
			return false
		}
		if !given && slices.ContainsFunc(p.options, func(o Option) bool { return o.Required && strings.HasPrefix(o.Key, key[:i+1]) }) {
			return false
		}
	}
	return true
}

// orderOf puts the keys of each mapping in the order of its options.
func orderOf(places []place) func(path, a, b string) int {
	return func(path, a, b string) int {
		for _, p := range slices.Backward(places) {
			rest, ok := strings.CutPrefix(path, p.path)
			if !ok || p.path != "" && rest != "" && rest[0] != '.' {
				continue
			}
			rank := func(key string) int {
				return slices.IndexFunc(p.options, func(o Option) bool { return o.Key == joined(strings.TrimPrefix(rest, "."), key) })
			}
			return rank(a) - rank(b) // kind is no option, and first
		}
		return 0
	}
}

// absentAt lists the options that a mapping lacks, with the effect of their absence.
func absentAt(places []place, n *document.Node) (lines []string) {
	for _, o := range optionsAt(places, n) {
		if _, ok := n.Get(o.Key); !ok && o.Default != "" {
			text, derived := strings.CutPrefix(o.Default, leftOut)
			if !derived {
				text = o.Default + " by default"
			}
			lines = append(lines, o.Key+" is not set: "+text)
		}
	}
	return lines
}

// exchanges returns the comment on who sends when, below the topology of a scenario whose arms all
// have the same; with arm, of that arm.
func exchanges(s *study.Scenario, n *document.Node, arm string) []string {
	if n.Path() != "topology" {
		return nil
	}
	var schedules []string
	for _, a := range s.Arms {
		if arm == "" || a.Name == arm {
			schedules = append(schedules, study.ScheduleOf(a))
		}
	}
	if schedules = slices.Compact(schedules); len(schedules) != 1 || schedules[0] == "" {
		return nil
	}
	return []string{"sending nodes: " + schedules[0]}
}

// optionsAt returns the options of a mapping itself, by their last names.
func optionsAt(places []place, n *document.Node) (list []Option) {
	for _, p := range slices.Backward(places) {
		rest, ok := strings.CutPrefix(n.Path(), p.path)
		if !ok || p.path != "" && rest != "" && rest[0] != '.' {
			continue
		}
		prefix := strings.TrimPrefix(rest+".", ".")
		for _, o := range p.options {
			if key, ok := strings.CutPrefix(o.Key, prefix); ok && !strings.ContainsAny(key, ".[") {
				o.Key = key
				list = append(list, o)
			}
		}
		return list
	}
	return nil
}
