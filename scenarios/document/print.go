package document

import (
	"bytes"
	"strings"
)

// Bytes returns the document as canonical YAML: mappings in block style with
// the keys in their order, sequences of scalars in brackets, numbers as
// written, strings plain or in double quotes, no comments. Parse reads it back
// as an equal tree, unless indentation or quotes bring it over a limit.
func (d *Document) Bytes() []byte {
	var b bytes.Buffer
	if len(d.root.entries) == 0 {
		b.WriteString("{}\n")
	}
	d.root.writeBlock(&b, 0)
	return b.Bytes()
}

const indentStep = 2

func indent(b *bytes.Buffer, width int) { b.WriteString(strings.Repeat(" ", width)) }

// writeBlock writes a collection in block style, ending with a line break. The
// first entry goes where b stands, the others are indented to width.
func (v *value) writeBlock(b *bytes.Buffer, width int) {
	for i, e := range v.entries {
		if i > 0 {
			indent(b, width)
		}
		b.WriteString(canonical(e.key))
		b.WriteByte(':')
		if e.value.isFlow() {
			b.WriteByte(' ')
			e.value.writeFlow(b)
			continue
		}
		b.WriteByte('\n')
		indent(b, width+indentStep)
		e.value.writeBlock(b, width+indentStep)
	}
	for i, item := range v.items {
		if i > 0 {
			indent(b, width)
		}
		b.WriteString("- ")
		if item.isFlow() {
			item.writeFlow(b)
		} else {
			item.writeBlock(b, width+indentStep)
		}
	}
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

// writeFlow writes a value for which isFlow holds, and a line break.
func (v *value) writeFlow(b *bytes.Buffer) {
	v.writeInline(b)
	b.WriteByte('\n')
}

func (v *value) writeInline(b *bytes.Buffer) {
	switch v.kind {
	case Mapping:
		b.WriteString("{}")
	case Sequence:
		b.WriteByte('[')
		for i, item := range v.items {
			if i > 0 {
				b.WriteString(", ")
			}
			item.writeInline(b)
		}
		b.WriteByte(']')
	default:
		b.WriteString(v.text)
	}
}
