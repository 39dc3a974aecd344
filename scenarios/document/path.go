package document

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// segment is one step of a path: a key or an index.
type segment struct {
	key     string
	index   int
	isIndex bool
}

// plainKey matches the keys that stand in a path as they are. Others are written ["in
// brackets"], quoted as in Go.
var plainKey = regexp.MustCompile(`^[^.\[\]"\s]+$`)

var indexForm = regexp.MustCompile(`^(?:0|[1-9][0-9]{0,8})$`)

// joinKey returns the path of a key below a path.
func joinKey(path, key string) string {
	switch {
	case !plainKey.MatchString(key):
		return path + "[" + strconv.Quote(key) + "]"
	case path == "":
		return key
	default:
		return path + "." + key
	}
}

// joinPath returns the path of a relative path below a path.
func joinPath(path, relative string) string {
	if path == "" || relative == "" || strings.HasPrefix(relative, "[") {
		return path + relative
	}
	return path + "." + relative
}

// Canonical returns a path in the form of nodes: mechanism["epsilon"] becomes
// mechanism.epsilon. A text that is no path is an error, and so is the root.
func Canonical(path string) (string, error) {
	segments, err := parsePath(path)
	if err != nil {
		return "", err
	}
	if len(segments) == 0 {
		return "", errEmptyPath
	}
	joined, _ := join(segments)
	return joined, nil
}

// Short returns the end of a path from its last key that needs no brackets, such as epsilon
// for mechanism.epsilon, and options["a.b"] for algorithm.options["a.b"]. A text that is no
// path is returned as it is.
func Short(path string) string {
	segments, err := parsePath(path)
	if err != nil {
		return path
	}
	joined, last := join(segments)
	return joined[last:]
}

// join puts a path together; last is the index of the beginning of the last key without
// brackets.
func join(segments []segment) (path string, last int) {
	for _, s := range segments {
		switch longer := joinKey(path, s.key); {
		case s.isIndex:
			path += "[" + strconv.Itoa(s.index) + "]"
		default:
			if plainKey.MatchString(s.key) {
				last = len(longer) - len(s.key)
			}
			path = longer
		}
	}
	return path, last
}

var errEmptyPath = errors.New("the path is empty")

// parsePath splits a path such as topology.matrices[0][2]; "" is the root.
func parsePath(path string) ([]segment, error) {
	if !utf8.ValidString(path) {
		return nil, fmt.Errorf("invalid path %q: not UTF-8", path)
	}
	var segments []segment
	for rest := path; rest != ""; {
		var (
			next segment
			err  error
		)
		if strings.HasPrefix(rest, "[") {
			next, rest, err = parseBracket(rest)
		} else {
			if len(segments) > 0 {
				var dotted bool
				if rest, dotted = strings.CutPrefix(rest, "."); !dotted {
					return nil, fmt.Errorf("invalid path %q", path)
				}
			}
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			next.key, rest = rest[:end], rest[end:]
			if !plainKey.MatchString(next.key) {
				err = fmt.Errorf("a key is empty or needs quotes in brackets")
			}
		}
		if err == nil && (utf8.RuneCountInString(next.key) > MaxKeyLength || !utf8.ValidString(next.key)) {
			err = fmt.Errorf("a key is longer than %d characters or not UTF-8", MaxKeyLength)
		}
		if err != nil {
			return nil, fmt.Errorf("invalid path %q: %w", path, err)
		}
		segments = append(segments, next)
	}
	return segments, nil
}

// parseBracket reads [0] or ["key"] from the start of a path.
func parseBracket(path string) (segment, string, error) {
	if quoted, err := strconv.QuotedPrefix(path[1:]); err == nil && quoted[0] == '"' {
		rest, closed := strings.CutPrefix(path[1+len(quoted):], "]")
		key, err := strconv.Unquote(quoted)
		if !closed || err != nil {
			return segment{}, "", fmt.Errorf("a bracket is not closed")
		}
		return segment{key: key}, rest, nil
	}
	number, rest, closed := strings.Cut(path[1:], "]")
	if !closed {
		return segment{}, "", fmt.Errorf("a bracket is not closed")
	}
	if !indexForm.MatchString(number) {
		return segment{}, "", fmt.Errorf("an index must be a whole number, counted from 0")
	}
	index, err := strconv.Atoi(number)
	return segment{index: index, isIndex: true}, rest, err
}

// child follows one segment from a node.
func (n *Node) child(s segment) (*Node, bool) {
	if s.isIndex {
		return n.Item(s.index)
	}
	return n.Get(s.key)
}

// deepest returns the last node on the path that exists, and the number of segments that lead
// to it.
func (d *Document) deepest(segments []segment) (*Node, int) {
	node := d.Root()
	for i, s := range segments {
		next, ok := node.child(s)
		if !ok {
			return node, i
		}
		node = next
	}
	return node, len(segments)
}

// Find returns the value at a path; false if there is none, or if the path is
// not one.
func (d *Document) Find(path string) (*Node, bool) {
	segments, err := parsePath(path)
	if err != nil {
		return nil, false
	}
	node, reached := d.deepest(segments)
	return node, reached == len(segments)
}

// Position returns where the value at a path is written. If there is none, it
// is the position of the key of the nearest ancestor that exists.
func (d *Document) Position(path string) Position {
	segments, err := parsePath(path)
	if err != nil {
		return d.root.position
	}
	node, reached := d.deepest(segments)
	if reached == len(segments) {
		return node.Position()
	}
	return node.KeyPosition()
}

// Set returns a copy of the document in which the value at a path is the one
// that text gives in YAML. Missing mappings on the way are created, an index
// one past the end appends, and an empty value counts as a missing mapping.
// Positions in the new value are of the form source:1:column, where column is a column of
// text; source names the origin of the text, for instance "--set mechanism.epsilon". The error
// is of type Issues.
func (d *Document) Set(path, text, source string) (*Document, error) {
	v, s, err := parseText(source, []byte(text), false)
	if err != nil {
		return nil, err
	}
	changed, err := d.replace(path, v)
	if err != nil {
		return nil, err
	}
	changed.sources = append(slices.Clone(d.sources), s)
	return changed, nil
}

// With is like Set with a value taken from elsewhere in this or another
// document; the value keeps its positions.
func (d *Document) With(path string, node *Node) (*Document, error) {
	changed, err := d.replace(path, node.value)
	if err != nil {
		return nil, err
	}
	changed.sources = slices.Clone(d.sources)
	for _, s := range node.document.sources {
		if !slices.Contains(changed.sources, s) {
			changed.sources = append(changed.sources, s)
		}
	}
	return changed, nil
}

// Delete returns a copy of the document without an entry of a mapping or an item of a list.
// Later items of the list move up. The error is of type Issues.
func (d *Document) Delete(path string) (*Document, error) {
	segments, err := parsePath(path)
	if err != nil {
		return nil, Issues{{d.root.position, "", err.Error(), OfValue, ""}}
	}
	node, reached := d.deepest(segments)
	if reached < len(segments) || len(segments) == 0 {
		return nil, Issues{{node.Position(), path, "there is no such key to delete", OfValue, ""}}
	}
	last := len(segments) - 1
	parent, _ := d.deepest(segments[:last])
	without := *parent.value
	if s := segments[last]; s.isIndex {
		without.items = slices.Delete(slices.Clone(parent.value.items), s.index, s.index+1)
	} else {
		without.entries = slices.DeleteFunc(slices.Clone(parent.value.entries), func(e entry) bool { return e.key == s.key })
	}
	root, err := d.Root().replace(segments[:last], &without)
	if err != nil {
		return nil, Issues{{parent.Position(), path, err.Error(), OfValue, ""}}
	}
	return &Document{root: root, sources: slices.Clone(d.sources)}, nil
}

// replace returns a document, without sources, in which the value at path is v.
func (d *Document) replace(path string, v *value) (*Document, error) {
	segments, err := parsePath(path)
	if err == nil && len(segments) == 0 {
		err = errEmptyPath
	}
	if err == nil && len(segments)+v.depth() > MaxDepth {
		err = fmt.Errorf("nested more than %d levels deep", MaxDepth)
	}
	if err != nil {
		return nil, Issues{{v.position, "", err.Error(), OfValue, ""}}
	}
	root, err := d.Root().replace(segments, v)
	if err != nil {
		return nil, Issues{{v.position, path, err.Error(), OfValue, ""}}
	}
	return &Document{root: root}, nil
}

// depth returns the number of levels of collections of v.
func (v *value) depth() int {
	deepest := 0
	for _, e := range v.entries {
		deepest = max(deepest, e.value.depth())
	}
	for _, item := range v.items {
		deepest = max(deepest, item.depth())
	}
	if v.kind == Mapping || v.kind == Sequence {
		deepest++
	}
	return deepest
}

// replace returns a copy of n's value in which v stands at the end of the
// segments.
func (n *Node) replace(segments []segment, v *value) (*value, error) {
	if len(segments) == 0 {
		return v, nil
	}
	next := segments[0]
	if !next.isIndex && n.Kind() == Null {
		return created(segments, v)
	}
	if want := next.collection(); n.Kind() != want {
		return nil, fmt.Errorf("%s is %s, not %s", n.name(), n.describe(), want)
	}
	if next.isIndex && next.index > n.Len() {
		return nil, fmt.Errorf("%s has %d items, so there is no item %d", n.name(), n.Len(), next.index)
	}
	var (
		replaced *value
		err      error
	)
	if child, ok := n.child(next); ok {
		replaced, err = child.replace(segments[1:], v)
	} else {
		replaced, err = created(segments[1:], v)
	}
	if err != nil {
		return nil, err
	}
	return n.value.with(next, replaced), nil
}

func (s segment) collection() Kind {
	if s.isIndex {
		return Sequence
	}
	return Mapping
}

func (n *Node) name() string {
	if n.path == "" {
		return "the document"
	}
	return n.path
}

// created returns v inside new mappings, one for each segment, which have the
// position of v.
func created(segments []segment, v *value) (*value, error) {
	for _, s := range slices.Backward(segments) {
		if s.isIndex {
			return nil, fmt.Errorf("there is no sequence to set item %d of", s.index)
		}
		v = &value{kind: Mapping, position: v.position, entries: []entry{{s.key, v.position, v}}}
	}
	return v, nil
}

// with returns a copy of a collection in which child stands at the segment.
func (v *value) with(s segment, child *value) *value {
	changed := *v
	if s.isIndex {
		changed.items = slices.Clone(v.items)
		if s.index == len(v.items) {
			changed.items = append(changed.items, child)
		} else {
			changed.items[s.index] = child
		}
		return &changed
	}
	changed.entries = slices.Clone(v.entries)
	if i, ok := v.get(s.key); ok {
		e := &changed.entries[i]
		if e.value.position != child.position { // from elsewhere: keys missing in it are reported there
			e.position = child.position
		}
		e.value = child
	} else {
		changed.entries = append(changed.entries, entry{s.key, child.position, child})
	}
	return &changed
}
