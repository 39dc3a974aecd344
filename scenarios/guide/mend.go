package guide

import (
	"slices"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/loading"
)

// FillIn is the FillIn of a loading.Loader. A mistyped kind becomes the known kind that is nearest. A
// section that does not fit the algorithm becomes the section of the algorithm's example.
// Another wrong value becomes its default, or the example's value where there is no default.
//
// Much follows from the numbers of nodes and steps: each gets two other values, in a copy each,
// and a fault that follows from one of them is not in both. Data that are read from a file cannot
// be mended: faults of other data would not be faults of these. FillIn returns nothing where
// mending is hopeless, and changed copies otherwise; doc stays as it is. The loader checks the
// copies and reports the issues of all that known does not have yet, so that the user sees
// problems of later checks together with the first.
func (g *Guide) FillIn(doc *document.Document, known document.Issues) []*document.Document {
	_, read := doc.Find("problem.file")
	for _, issue := range known {
		if issue.Path == "version" || read && strings.HasPrefix(issue.Path, "problem") {
			return nil
		}
	}
	if doc = g.mended(doc, slices.DeleteFunc(slices.Clone(known), func(i document.Issue) bool { return isSize(i.Path) })); doc == nil {
		return nil
	}
	if !slices.ContainsFunc(known, func(i document.Issue) bool { return isSize(i.Path) }) {
		return []*document.Document{doc}
	}
	var list []*document.Document
	for _, size := range []string{"8", "45"} {
		other := doc
		for _, issue := range known {
			if isSize(issue.Path) {
				other = replaced(other, issue.Path, size)
			}
		}
		list = append(list, other)
	}
	return list
}

// isSize reports whether a path is of the number of nodes or of steps.
func isSize(path string) bool { return path == "nodes" || path == "horizon" }

// mended is FillIn for faults that are not of sizes, in one copy.
func (g *Guide) mended(doc *document.Document, known document.Issues) *document.Document {
	// Kinds are mended first: the options of a section depend on its kind.
	var seen []string // arms repeat issues
	for _, issue := range known {
		if section, ok := strings.CutSuffix(issue.Path, ".kind"); ok && !slices.Contains(seen, section) {
			seen = append(seen, section)
			if doc = g.mendKind(doc, section); doc == nil {
				return nil
			}
		}
	}
	// A fault in the sweep is mended by leaving all of the sweep out, because its arms
	// cannot be trusted one by one.
	sweep, swept := doc.Find("sweep")
	for _, issue := range known {
		if swept && writtenIn(sweep, issue.Position) {
			doc = without(doc, "sweep")
		} else {
			doc = g.mendValue(doc, issue.Path)
		}
	}
	// Taking values away may leave required keys missing. places begins with the file
	// itself, which has no kind and so no example.
	for _, p := range g.places(doc)[1:] {
		for _, o := range p.options {
			if _, given := doc.Find(joined(p.path, o.Key)); o.Required && !given && p.holds(doc, o.Key) {
				doc = g.fromExample(doc, p, o.Key)
			}
		}
	}
	return doc
}

// mendKind gives a section a known kind that goes with the algorithm. It returns nil if the
// algorithm itself is unknown.
func (g *Guide) mendKind(doc *document.Document, section string) *document.Document {
	node, ok := doc.Find(section + ".kind")
	if !ok {
		return doc
	}
	// Only a name that is close to a known one counts as mistyped.
	names := g.namesOf(section[strings.LastIndexByte(section, '.')+1:])
	if meant, ok := document.Nearest(node.Value(), names); ok && !slices.Contains(names, node.Value()) {
		return replaced(doc, section+".kind", meant)
	}
	if section == "algorithm" {
		return nil
	}
	return g.likeAlgorithm(doc, section)
}

// likeAlgorithm replaces a value by the value in the algorithm's example. It removes a value
// that the example does not have.
func (g *Guide) likeAlgorithm(doc *document.Document, path string) *document.Document {
	algorithm, ok := doc.Find("algorithm.kind")
	if !ok {
		return doc
	}
	for _, text := range g.named("algorithm", algorithm.Value()).Examples {
		if example, err := document.Parse(loading.MendedSource, []byte(text)); err == nil {
			if instead, ok := example.Find(path); ok {
				return with(doc, path, instead)
			}
		}
	}
	return without(doc, path)
}

// mendValue takes a wrong value away, or the sweep that sets it. A path into a list means
// the whole list: its items cannot be defaulted alone.
func (g *Guide) mendValue(doc *document.Document, path string) *document.Document {
	path, _, _ = strings.Cut(path, "[")
	if _, ok := doc.Find(path); !ok {
		path, _ = cutLast(path) // the mapping that lacks the value
	}
	switch path {
	case "", "algorithm", "problem":
		return doc
	case "topology", "mechanism", "network":
		return g.likeAlgorithm(doc, path)
	}
	if strings.HasSuffix(path, ".kind") {
		return doc // kinds are mended already
	}
	// Without the key the default holds. A key without a default has the example's value.
	doc = without(doc, path)
	for _, p := range slices.Backward(g.places(doc)) {
		if key, ok := strings.CutPrefix(path, p.path+"."); ok && p.path != "" {
			return g.fromExample(doc, p, key)
		}
	}
	return doc
}

// fromExample gives a key the value from the kind's example.
func (g *Guide) fromExample(doc *document.Document, p place, key string) *document.Document {
	for _, text := range g.named(p.section, p.kind).Examples {
		example, err := document.Parse(loading.MendedSource, []byte(text))
		if err != nil {
			continue
		}
		at := key
		if p.section == "algorithm" { // its examples are whole scenarios
			at = "algorithm." + key
		}
		if node, ok := example.Find(at); ok {
			return with(doc, joined(p.path, key), node)
		}
	}
	return doc
}

// writtenIn reports whether a value of a mapping, or its key, is written at a position. It
// looks through everything below n, because an issue names the innermost value.
func writtenIn(n *document.Node, at document.Position) bool {
	if n.Position() == at || n.KeyPosition() == at {
		return true
	}
	for _, child := range n.Entries() {
		if writtenIn(child, at) {
			return true
		}
	}
	for _, item := range n.Items() {
		if writtenIn(item, at) {
			return true
		}
	}
	return false
}

// with, replaced and without change a document where they can. A change that the document
// refuses leaves the document as it was: mending is an attempt, and its result is checked.
func with(doc *document.Document, path string, node *document.Node) *document.Document {
	if changed, err := doc.With(path, node); err == nil {
		return changed
	}
	return doc
}

// replaced sets a path to a text that is read as YAML, with [loading.MendedSource] as its
// source.
func replaced(doc *document.Document, path, text string) *document.Document {
	if changed, err := doc.Set(path, text, loading.MendedSource); err == nil {
		return changed
	}
	return doc
}

// without removes the key at a path, with everything below it.
func without(doc *document.Document, path string) *document.Document {
	if changed, err := doc.Delete(path); err == nil {
		return changed
	}
	return doc
}
