package document

import (
	"bytes"
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// Kind is the kind of a value.
type Kind int

// The kinds of values. There is no kind 0.
const (
	Mapping Kind = iota + 1
	Sequence
	String
	Integer
	Float
	Bool
	Null
)

// String returns the kind's name with its article, for messages.
func (k Kind) String() string {
	switch k {
	case Mapping:
		return "a mapping"
	case Sequence:
		return "a sequence"
	case String:
		return "a string"
	case Integer:
		return "an integer"
	case Float:
		return "a number"
	case Bool:
		return "true or false"
	case Null:
		return "null"
	}
	return fmt.Sprintf("kind %d", int(k))
}

// value is one value of the tree. Values are immutable and shared between
// documents, so they do not know where in a document they stand.
type value struct {
	kind     Kind
	position Position
	text     string   // scalars: the text as written, strings: their canonical form
	str      string   // strings: the value
	entries  []entry  // mappings, in the order written
	items    []*value // sequences
}

// entry is one key of a mapping with its value.
type entry struct {
	key      string
	position Position // of the key
	value    *value
}

func (v *value) get(key string) (int, bool) {
	for i := range v.entries {
		if v.entries[i].key == key {
			return i, true
		}
	}
	return 0, false
}

// Node is a value together with the way it was reached in its document: its
// path and the place of its key. Nodes are immutable.
type Node struct {
	document    *Document
	value       *value
	path        string
	keyPosition Position
}

// Kind returns the kind of the value.
func (n *Node) Kind() Kind { return n.value.kind }

// Position returns where the value is written. A mapping in block style is at
// its first key, and the value that an empty key has at that key.
func (n *Node) Position() Position { return n.value.position }

// KeyPosition returns where the key of the value is written; for the root, for
// items of sequences and for a value that Set or With has put there that is the
// value's own position.
func (n *Node) KeyPosition() Position { return n.keyPosition }

// missingAt returns the position to report for a missing key: the mapping's, or the position
// of its kind if that was set from elsewhere and made the key required.
func (n *Node) missingAt() Position {
	if kind, ok := n.Get("kind"); ok && kind.keyPosition == kind.Position() { // it was set and has no key in the text
		return kind.Position()
	}
	return n.keyPosition
}

// Path returns the path from the root, such as topology.matrices[0][2]; "" is
// the root itself.
func (n *Node) Path() string { return n.path }

// Value returns the value of a string. For other scalars it is the text as
// written, and for mappings and sequences it is empty.
func (n *Node) Value() string {
	if n.value.kind == String {
		return n.value.str
	}
	return n.value.text
}

// Text returns the value as compact flow text, made for naming the arms of a
// sweep: scalars as the file writes them, sequences as [1,0], mappings as
// {kind:x}. Strings have quotes only where they need them. The text is for
// people; ParseText reads the text of a mapping, and Document.Bytes gives text in YAML.
func (n *Node) Text() string {
	var b bytes.Buffer
	n.value.writeFlow(&b, ",", ":")
	return b.String()
}

// ParseText reads the Text of a mapping. Text has no blank after the colon of a key, which YAML
// asks for. Outside of double quotes Text has no other colons. YAML with blanks is read as it
// is.
func ParseText(name, text string) (*Document, error) {
	var spaced strings.Builder
	quoted, escaped := false, false
	for _, r := range text {
		spaced.WriteRune(r)
		switch {
		case escaped:
			escaped = false
		case quoted && r == '\\':
			escaped = true
		case r == '"':
			quoted = !quoted
		case r == ':' && !quoted:
			spaced.WriteByte(' ')
		}
	}
	return Parse(name, []byte(spaced.String()))
}

// Len returns the number of entries of a mapping or items of a sequence, and 0
// for scalars.
func (n *Node) Len() int { return len(n.value.entries) + len(n.value.items) }

// Get returns the value of a key; false if n has no such key or is no mapping.
func (n *Node) Get(key string) (*Node, bool) {
	i, ok := n.value.get(key)
	if !ok {
		return nil, false
	}
	return n.entry(i), true
}

func (n *Node) entry(i int) *Node {
	e := n.value.entries[i]
	return &Node{document: n.document, value: e.value, path: joinKey(n.path, e.key), keyPosition: e.position}
}

// Item returns item i of a sequence, counted from 0; false if there is none.
func (n *Node) Item(i int) (*Node, bool) {
	if i < 0 || i >= len(n.value.items) {
		return nil, false
	}
	item := n.value.items[i]
	path := n.path + "[" + strconv.Itoa(i) + "]"
	return &Node{document: n.document, value: item, path: path, keyPosition: item.position}, true
}

// Entries yields the keys of a mapping and their values in the order written;
// nothing for other kinds.
func (n *Node) Entries() iter.Seq2[string, *Node] {
	return func(yield func(string, *Node) bool) {
		for i, e := range n.value.entries {
			if !yield(e.key, n.entry(i)) {
				return
			}
		}
	}
}

// Items yields the items of a sequence in order; nothing for other kinds.
func (n *Node) Items() iter.Seq2[int, *Node] {
	return func(yield func(int, *Node) bool) {
		for i := range n.value.items {
			item, _ := n.Item(i)
			if !yield(i, item) {
				return
			}
		}
	}
}

// Issuef returns an Issue at the value.
func (n *Node) Issuef(format string, arguments ...any) Issue {
	return Issue{Position: n.Position(), Path: n.path, Message: fmt.Sprintf(format, arguments...)}
}

// describe names the value for a message: the string "abc", the number 1.5.
func (n *Node) describe() string {
	switch n.value.kind {
	case String:
		return "the string " + strconv.Quote(shorten(n.value.str))
	case Integer, Float:
		return "the number " + shorten(n.value.text)
	case Bool:
		return n.value.text
	default:
		return n.value.kind.String()
	}
}
