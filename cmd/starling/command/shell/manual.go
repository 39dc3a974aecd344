package shell

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extensions "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// The sections of the manual.
const (
	VerbSection  = 1
	TopicSection = 7
)

// ManualName is the name of the page of a verb or topic: its words with dashes between.
func ManualName(words string) string { return strings.ReplaceAll(words, " ", "-") }

// ManualVerb is the page of a verb. version is the version of the program, and topic the name of the
// page that says more, empty for none.
func ManualVerb(cmd *cobra.Command, version, topic string) string {
	cmd.InitDefaultHelpFlag()
	p := manualPage{}
	p.title(ManualName(cmd.CommandPath()), VerbSection, version, cmd.Short)
	p.line(".SH SYNOPSIS")
	p.line(".B " + escape(cmd.CommandPath()))
	if rest := strings.TrimSpace(strings.TrimPrefix(cmd.UseLine(), cmd.CommandPath())); rest != "" {
		p.text(rest)
	}
	p.line(".SH DESCRIPTION")
	long := cmd.Long
	if long == "" {
		long = cmd.Short + "."
	}
	p.paragraphs(long)
	p.flags("OPTIONS", cmd.NonInheritedFlags())
	p.flags("OPTIONS OF ALL VERBS", cmd.InheritedFlags())
	if cmd.Example != "" {
		p.line(".SH EXAMPLES")
		p.code(strings.Split(cmd.Example, "\n"))
	}
	var also []string
	if cmd.HasParent() {
		also = append(also, reference(ManualName(cmd.Parent().CommandPath()), VerbSection))
	}
	for _, verb := range cmd.Commands() {
		if verb.IsAvailableCommand() {
			also = append(also, reference(ManualName(verb.CommandPath()), VerbSection))
		}
	}
	if topic != "" {
		also = append(also, reference(topic, TopicSection))
	}
	if len(also) > 0 {
		p.line(".SH SEE ALSO")
		p.line(strings.Join(also, ",\n"))
	}
	return p.String()
}

// ManualTopic is the page of a topic, from its Markdown. Markdown that topics do not use is an
// error.
func ManualTopic(name, version string, source []byte) (string, error) {
	document := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser().Parse(text.NewReader(source))
	p := manualPage{source: source}
	summary := name
	if heading, ok := document.FirstChild().(*ast.Heading); ok {
		summary = plain(p.inline(heading))
		document.RemoveChild(document, heading)
	}
	p.title(name, TopicSection, version, summary)
	p.line(".SH DESCRIPTION")
	if err := p.blocks(document); err != nil {
		return "", fmt.Errorf("topic %s: %w", name, err)
	}
	return p.String(), nil
}

// manualPage is a page while it is written.
type manualPage struct {
	strings.Builder
	source []byte
}

func (p *manualPage) line(text string) { p.WriteString(text + "\n") }

// text writes words that are filled into lines.
func (p *manualPage) text(words string) {
	for line := range strings.Lines(words) {
		p.line(guarded(escape(strings.TrimSpace(line))))
	}
}

// title writes the head of a page.
func (p *manualPage) title(name string, section int, version, summary string) {
	p.line(fmt.Sprintf(`.TH "%s" %d "" "Starling %s" "Starling"`, escape(strings.ToUpper(name)), section, version))
	p.line(".SH NAME")
	p.line(escape(name) + ` \- ` + escape(summary))
}

func reference(name string, section int) string {
	return fmt.Sprintf(`\fB%s\fR(%d)`, escape(name), section)
}

// paragraphs writes the text of a verb. Text in columns or with an indent stays as it is, and
// the rest is filled.
func (p *manualPage) paragraphs(long string) {
	for _, paragraph := range strings.Split(long, "\n\n") {
		lines := strings.Split(strings.Trim(paragraph, "\n"), "\n")
		switch begin := 0; {
		case !strings.Contains(strings.TrimSpace(paragraph), "  ") && !strings.HasPrefix(paragraph, " "):
			p.line(".PP")
			p.text(paragraph)
		default:
			for begin < len(lines) && !strings.Contains(lines[begin], "  ") {
				begin++
			}
			if begin > 0 {
				p.line(".PP")
				p.text(strings.Join(lines[:begin], "\n"))
			}
			p.code(lines[begin:])
		}
	}
}

// code writes lines as they are.
func (p *manualPage) code(lines []string) {
	p.line(".PP")
	p.line(".nf")
	for _, line := range lines {
		line = strings.ReplaceAll(line, "\t", "    ")
		p.line(guarded(escape(strings.TrimRight(line, " "))))
	}
	p.line(".fi")
}

// flags writes a list of flags, if there is one to show.
func (p *manualPage) flags(heading string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	p.line(".SH " + heading)
	flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Hidden {
			return
		}
		kind, usage := pflag.UnquoteUsage(flag)
		p.line(".TP")
		head := `\fB` + escape("--"+flag.Name) + `\fR`
		if flag.Shorthand != "" {
			head = `\fB` + escape("-"+flag.Shorthand) + `\fR, ` + head
		}
		if kind != "" {
			head += ` \fI` + escape(kind) + `\fR`
		}
		p.line(head)
		if flag.DefValue != "" && flag.DefValue != "false" && flag.DefValue != "0" && flag.DefValue != "[]" {
			usage += " (default " + flag.DefValue + ")"
		}
		p.text(usage)
	})
}

// blocks writes the blocks inside a node.
func (p *manualPage) blocks(parent ast.Node) error {
	for node := parent.FirstChild(); node != nil; node = node.NextSibling() {
		if err := p.block(node); err != nil {
			return err
		}
	}
	return nil
}

func (p *manualPage) block(node ast.Node) error {
	switch node := node.(type) {
	case *ast.Heading:
		macro := ".SS "
		if node.Level < 3 {
			macro = ".SH "
		}
		p.line(macro + p.inline(node))
	case *ast.Paragraph:
		p.line(".PP")
		p.line(guarded(p.inline(node)))
	case *ast.TextBlock:
		p.line(guarded(p.inline(node)))
	case *ast.FencedCodeBlock:
		var lines []string
		for i := range node.Lines().Len() {
			line := node.Lines().At(i)
			lines = append(lines, "  "+strings.TrimRight(string(line.Value(p.source)), "\n"))
		}
		p.code(lines)
	case *ast.List:
		return p.list(node)
	case *extensions.Table:
		p.table(node)
	default:
		return fmt.Errorf("markdown of kind %s has no place in a manual", node.Kind())
	}
	return nil
}

// list writes the items of a list, one inside another indented.
func (p *manualPage) list(list *ast.List) error {
	number := list.Start
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		label := `\(bu 2`
		if list.IsOrdered() {
			label = fmt.Sprintf("%d. 4", number)
			number++
		}
		p.line(".IP " + label)
		for node := item.FirstChild(); node != nil; node = node.NextSibling() {
			nested := node.PreviousSibling() != nil
			if nested {
				p.line(".RS")
			}
			if err := p.block(node); err != nil {
				return err
			}
			if nested {
				p.line(".RE")
			}
		}
	}
	return nil
}

// table writes a table as a list: the first cell of a row is its head, and the others follow
// with the headings of their columns where there are several.
func (p *manualPage) table(node *extensions.Table) {
	var header []string
	for row := node.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, p.inline(cell))
		}
		if header == nil {
			header = cells
			continue
		}
		p.line(".TP")
		p.line(guarded(`\fB` + cells[0] + `\fR`))
		for i, cell := range cells[1:] {
			switch {
			case cell == "":
			case len(cells) > 2:
				p.line(guarded(header[i+1] + ": " + cell))
				if i+2 < len(cells) {
					p.line(".br")
				}
			default:
				p.line(guarded(cell))
			}
		}
	}
}

// inline is the text inside a block, escaped, with code bold and emphasis in italics.
func (p *manualPage) inline(node ast.Node) string {
	var out strings.Builder
	for child := node.FirstChild(); child != nil; child = child.NextSibling() {
		switch child := child.(type) {
		case *ast.Text:
			out.WriteString(escape(strings.ReplaceAll(string(child.Value(p.source)), "\n", " ")))
			if child.SoftLineBreak() || child.HardLineBreak() {
				out.WriteString(" ")
			}
		case *ast.CodeSpan:
			out.WriteString(`\fB` + p.inline(child) + `\fR`)
		case *ast.Emphasis:
			out.WriteString(`\fI` + p.inline(child) + `\fR`)
		case *ast.AutoLink:
			out.WriteString(escape(string(child.URL(p.source))))
		case *ast.Link:
			out.WriteString(p.inline(child))
			if to := string(child.Destination); strings.Contains(to, "://") {
				out.WriteString(" (" + escape(to) + ")")
			}
		default:
			out.WriteString(p.inline(child))
		}
	}
	return out.String()
}

// plain is a text without changes of fonts.
func plain(text string) string {
	text = strings.NewReplacer(`\fB`, "", `\fI`, "", `\fR`, "").Replace(text)
	return strings.NewReplacer(`\-`, "-", `\e`, `\`).Replace(text)
}

// escape is a text in which all letters are themselves: no escape sequence, and nothing beyond
// ASCII.
func escape(text string) string {
	var out strings.Builder
	for _, letter := range text {
		switch {
		case letter == '\\':
			out.WriteString(`\e`)
		case letter == '-':
			out.WriteString(`\-`)
		case letter == '\'':
			out.WriteString(`\(aq`)
		case letter == '`':
			out.WriteString(`\(ga`)
		case letter == '^':
			out.WriteString(`\(ha`)
		case letter == '~':
			out.WriteString(`\(ti`)
		case letter == '"':
			out.WriteString(`\(dq`)
		case letter > '~':
			fmt.Fprintf(&out, `\[u%04X]`, letter)
		default:
			out.WriteRune(letter)
		}
	}
	return out.String()
}

// guarded is a line that is no request, whatever it begins with.
func guarded(line string) string {
	if strings.HasPrefix(line, ".") {
		return `\&` + line
	}
	return line
}
