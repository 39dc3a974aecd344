package document

import (
	"bytes"
	"strings"
)

// Bytes returns the document as canonical YAML: mappings in block style with
// the keys in their order, sequences of scalars in brackets, numbers as
// written, strings plain or in double quotes, no comments. Parse reads it back
// as an equal tree, unless indentation or quotes bring it over a limit.
func (d *Document) Bytes() []byte { return d.Annotated(Notes{}) }

// Notes are comments of a document that is being written; a nil function adds none. They are
// asked for the keys of mappings, except for mappings in sequences.
type Notes struct {
	// Above returns lines before a key, and Beside the end of its line.
	Above  func(*Node) []string
	Beside func(*Node) string
	// Below returns lines after the last key of a mapping.
	Below func(*Node) []string
}

// Annotated returns the canonical YAML with comments, a number sign and a blank before
// each line of them; an empty line stays empty.
func (d *Document) Annotated(notes Notes) []byte {
	p := printer{notes: notes}
	if len(d.root.entries) == 0 {
		p.text.WriteString("{}\n")
	}
	p.block(d.Root(), 0, false)
	return p.text.Bytes()
}

// printer writes a document.
type printer struct {
	text  bytes.Buffer
	notes Notes
	// sequences is the number of sequences around.
	sequences int
}

const (
	indentStep = 2
	// besideColumn is the column of comments beside keys, if the line is shorter.
	besideColumn = 40
)

func (p *printer) indent(width int) { p.text.WriteString(strings.Repeat(" ", width)) }

// comments writes lines of comments.
func (p *printer) comments(notes func(*Node) []string, n *Node, width int) {
	if notes == nil || p.sequences > 0 {
		return
	}
	for _, line := range notes(n) {
		if line != "" {
			p.indent(width)
			line = "# " + line
		}
		p.text.WriteString(line + "\n")
	}
}

// end ends the line of a key.
func (p *printer) end(n *Node) {
	if p.notes.Beside != nil && p.sequences == 0 {
		if note := p.notes.Beside(n); note != "" {
			written := p.text.Len() - 1 - bytes.LastIndexByte(p.text.Bytes(), '\n')
			p.indent(max(besideColumn-written, 2))
			p.text.WriteString("# " + note)
		}
	}
	p.text.WriteByte('\n')
}

// block writes a collection in block style, ending with a line break. The first line of
// an item of a sequence goes where the text ends, the others are indented to width.
func (p *printer) block(n *Node, width int, item bool) {
	begin := func() {
		if !item {
			p.indent(width)
		}
		item = false
	}
	for key, child := range n.Entries() {
		p.comments(p.notes.Above, child, width)
		begin()
		p.text.WriteString(canonical(key) + ":")
		if child.value.isFlow() {
			p.text.WriteByte(' ')
			child.value.writeFlow(&p.text, ", ", ": ")
		}
		if p.end(child); !child.value.isFlow() {
			p.block(child, width+indentStep, false)
		}
	}
	if n.Kind() == Mapping {
		p.comments(p.notes.Below, n, width)
	}
	p.sequences++
	for _, child := range n.Items() {
		begin()
		p.text.WriteString("- ")
		if child.value.isFlow() {
			child.value.writeFlow(&p.text, ", ", ": ")
			p.text.WriteByte('\n')
		} else {
			p.block(child, width+indentStep, true)
		}
	}
	p.sequences--
}

// isFlow reports whether a value is written on one line: scalars, empty
// collections, and sequences of such.
func (v *value) isFlow() bool {
	if len(v.entries) > 0 {
		return false
	}
	for _, item := range v.items {
		if !item.isFlow() {
			return false
		}
	}
	return true
}

// Flow returns the value as YAML on one line, which Set reads back as an equal tree.
func (n *Node) Flow() string {
	var b bytes.Buffer
	n.value.writeFlow(&b, ", ", ": ")
	return b.String()
}

// writeFlow writes a value on one line, with these separators of entries and behind keys.
func (v *value) writeFlow(b *bytes.Buffer, comma, colon string) {
	switch v.kind {
	case Mapping:
		b.WriteByte('{')
		for i, e := range v.entries {
			if i > 0 {
				b.WriteString(comma)
			}
			b.WriteString(canonical(e.key) + colon)
			e.value.writeFlow(b, comma, colon)
		}
		b.WriteByte('}')
	case Sequence:
		b.WriteByte('[')
		for i, item := range v.items {
			if i > 0 {
				b.WriteString(comma)
			}
			item.writeFlow(b, comma, colon)
		}
		b.WriteByte(']')
	default:
		b.WriteString(v.text)
	}
}
