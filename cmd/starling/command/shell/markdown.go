package shell

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extensions "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"starling/scenarios/results/tabular"
)

// The escape sequences of terminals for the styles of Markdown.
const (
	bold   = "\x1b[1m"
	italic = "\x1b[3m"
	cyan   = "\x1b[36m"
	normal = "\x1b[0m"
)

// Markdown renders Markdown as text in lines of at most width columns; code is not wrapped.
// With styled the text has escape sequences; without, code inside a sentence stands in
// backticks. markdown knows the elements that the help topics use: headings, paragraphs,
// lists, tables, code, emphasis and links. Any other block is an error.
func Markdown(source []byte, width int, styled bool) (string, error) {
	parser := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser()
	p := page{source: source, styled: styled, quoted: !styled}
	if err := p.blocks(parser.Parse(text.NewReader(source)), "", width); err != nil {
		return "", err
	}
	return p.text.String(), nil
}

// page is a text while it is rendered. Blocks are written to it from the first to the
// last.
type page struct {
	// text is the rendered text so far.
	text strings.Builder
	// source is the Markdown, of which nodes are parts.
	source []byte
	// styled allows escape sequences.
	styled bool
	// quoted puts code inside of text in backticks, for want of styles.
	quoted bool
}

// blocks renders the blocks inside parent, one below the other, with an empty line between the
// blocks of the document itself. indent stands before each line, and counts for width.
func (p *page) blocks(parent ast.Node, indent string, width int) error {
	for node := parent.FirstChild(); node != nil; node = node.NextSibling() {
		if apart(node, parent) {
			p.text.WriteString("\n")
		}
		if err := p.block(node, indent, width); err != nil {
			return err
		}
	}
	return nil
}

// apart reports whether an empty line stands before a block: between the blocks of a document, and around a
// list of long items inside of an item and the line before it.
func apart(node, parent ast.Node) bool {
	before := node.PreviousSibling()
	switch {
	case before == nil || node.Kind() == ast.KindTextBlock:
		return false
	case parent.Kind() == ast.KindDocument:
		return true
	}
	for _, of := range []ast.Node{node, before, node.NextSibling()} {
		if list, ok := of.(*ast.List); ok && !list.IsTight {
			return true
		}
	}
	return false
}

// block renders one block. Markdown that the topics do not use is an error, which a test
// meets: nothing is dropped in silence.
func (p *page) block(node ast.Node, indent string, width int) error {
	switch node := node.(type) {
	case *ast.Heading:
		p.wrap(node, bold, indent, width)
	case *ast.Paragraph, *ast.TextBlock:
		p.wrap(node, "", indent, width)
	case *ast.FencedCodeBlock:
		for i := range node.Lines().Len() {
			line := node.Lines().At(i)
			p.text.WriteString(strings.TrimRight(indent+"  "+p.style(strings.TrimRight(string(line.Value(p.source)), "\n"), cyan), " ") + "\n")
		}
	case *ast.List:
		return p.list(node, indent, width)
	case *extensions.Table:
		return p.table(node, indent, width)
	default:
		return fmt.Errorf("help: Markdown of kind %s is not rendered", node.Kind())
	}
	return nil
}

// list renders the items of a list, each after its bullet or number; between long items is an empty line.
func (p *page) list(list *ast.List, indent string, width int) error {
	number := list.Start
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		label := "- "
		if list.IsOrdered() {
			label = strconv.Itoa(number) + ". "
			number++
		}
		if item != list.FirstChild() && !list.IsTight {
			p.text.WriteString("\n")
		}
		// The item is rendered first, indented by the width of its label; then the label
		// takes the place of the indent of the first line.
		began := p.text.Len()
		if err := p.blocks(item, indent+strings.Repeat(" ", len(label)), width); err != nil {
			return err
		}
		whole := p.text.String()
		p.text.Reset()
		p.text.WriteString(whole[:began] + indent + label + strings.TrimLeft(whole[began:], " "))
	}
	return nil
}

// table renders a table as tables of results are, without styles.
func (p *page) table(node *extensions.Table, indent string, width int) error {
	var rows [][]string
	for row := node.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			plain := page{source: p.source}
			cells = append(cells, strings.Join(plain.words(cell, ""), " "))
		}
		rows = append(rows, cells)
	}
	var table strings.Builder
	if err := (tabular.Table{Header: rows[0], Rows: rows[1:]}).WriteWithin(&table, width-len(indent)); err != nil {
		return err
	}
	for line := range strings.Lines(table.String()) {
		p.text.WriteString(indent + line)
	}
	return nil
}

// wrap writes the words of a block in lines of at most width columns, each after indent.
// A word that is longer has a line of its own.
func (p *page) wrap(node ast.Node, style, indent string, width int) {
	line, length := "", 0
	for _, word := range p.words(node, style) {
		size := visible(word)
		if length > 0 && len(indent)+length+1+size > width {
			p.text.WriteString(indent + line + "\n")
			line, length = "", 0
		}
		if length > 0 {
			line, length = line+" ", length+1
		}
		line, length = line+word, length+size
	}
	p.text.WriteString(indent + line + "\n")
}

// visible returns the number of columns of a word. An escape sequence, from ESC [ to m,
// takes none.
func visible(word string) (columns int) {
	for {
		before, after, found := strings.Cut(word, "\x1b[")
		columns += utf8.RuneCountInString(before)
		if !found {
			return columns
		}
		_, word, _ = strings.Cut(after, "m")
	}
}

// words returns the words of a block, each with its own style: a line can break between
// any two of them, and no style goes on from one line to the next.
func (p *page) words(block ast.Node, style string) []string {
	line := words{page: p}
	line.inline(block, style)
	return line.list
}

// words are the words of a block while they are collected. Markdown splits a sentence at
// each piece of code or emphasis, and a full stop after code must not become a word of
// its own.
type words struct {
	page *page
	list []string
	// joined means that the next text goes on with the last word, for no space is between
	// them.
	joined bool
}

// inline adds the words of a node inside a block, and of the nodes inside that one.
// Emphasis inside emphasis has the inner style alone.
func (w *words) inline(node ast.Node, style string) {
	switch node := node.(type) {
	case *ast.Text:
		w.add(string(node.Value(w.page.source)), style)
		w.joined = w.joined && !node.SoftLineBreak()
		return
	case *ast.CodeSpan:
		var code strings.Builder
		for child := node.FirstChild(); child != nil; child = child.NextSibling() {
			code.Write(child.(*ast.Text).Value(w.page.source)) // code has nothing else
		}
		if w.page.quoted {
			w.add("`"+code.String()+"`", style)
		} else {
			w.add(code.String(), cyan)
		}
		return
	case *ast.Emphasis:
		style = []string{italic, bold}[node.Level-1]
	}
	for child := node.FirstChild(); child != nil; child = child.NextSibling() {
		w.inline(child, style)
	}
}

// add adds the words of a text, the first of which is joined to the last before.
func (w *words) add(text, style string) {
	for i, word := range strings.Fields(text) {
		word = w.page.style(word, style)
		if i == 0 && w.joined && !strings.HasPrefix(text, " ") {
			w.list[len(w.list)-1] += word
		} else {
			w.list = append(w.list, word)
		}
	}
	if text != "" {
		w.joined = len(w.list) > 0 && !strings.HasSuffix(text, " ")
	}
}

// style puts a text between escape sequences, if styles are on.
func (p *page) style(text, style string) string {
	if !p.styled || style == "" || text == "" {
		return text
	}
	return style + text + normal
}

// WriteRow writes a row of a Markdown table. A bar inside a cell is escaped: it would end
// the cell.
func WriteRow(w io.StringWriter, cells ...string) {
	for _, cell := range cells {
		w.WriteString("| " + strings.ReplaceAll(cell, "|", `\|`) + " ")
	}
	w.WriteString("|\n")
}
