package guide

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"starling/scenarios/results/tabular"
)

// Write prints descriptions for users, in the order of the list, with an empty line between
// two. Lines have at most width columns; 0 is no limit. The error is w's.
func Write(w io.Writer, list []Description, width int) error {
	p := page{width: width}
	for i := range list {
		if i > 0 {
			p.line(0, "")
		}
		p.describe(&list[i])
	}
	_, err := io.WriteString(w, p.text.String())
	return err
}

// page is a text that is being written.
type page struct {
	// text is the text so far; width is the number of columns, 0 for no limit.
	text  strings.Builder
	width int
}

// line adds a text, its lines indented and wrapped; an empty text adds an empty line. A width
// of 20 is the least, whatever the indentation: narrower text is unreadable.
func (p *page) line(indent int, text string) {
	lines := []string{text}
	if p.width > 0 && text != "" {
		lines = tabular.Wrap(text, max(p.width-indent, 20))
	}
	for _, line := range lines {
		p.text.WriteString(strings.TrimRight(strings.Repeat(" ", indent)+line, " ") + "\n")
	}
}

// leastBeside is the least width at which texts stand beside their labels.
const leastBeside = 60

// narrow reports whether texts stand below their labels.
func (p *page) narrow() bool { return p.width > 0 && p.width < leastBeside }

// below adds a line to the text of a label with an indentation.
func (p *page) below(indent, column int, text string) {
	if p.narrow() {
		column = indent + step
	}
	p.line(column, text)
}

// labelled adds a text beside a label, or on a narrow page below it. A label that is longer than the column pushes the
// first line to the right, and the lines after it keep the column.
func (p *page) labelled(indent, column int, label, text string) {
	if p.narrow() {
		p.line(indent, label)
		p.line(indent+step, text)
		return
	}
	var rest page
	rest.width = p.width
	rest.line(column, text)
	beside := rest.text.String()[min(column, rest.text.Len()-1):]
	p.text.WriteString(fmt.Sprintf("%-*s", column, strings.Repeat(" ", indent)+label+" ") + beside)
}

// Columns of descriptions.
const (
	step       = 2
	nameColumn = 24
)

// describe writes one description from title to table of fits. Parts that it lacks are
// left out with their headings.
func (p *page) describe(d *Description) {
	title := d.Section + " " + d.Name
	if d.Section == d.Name {
		title = "the keys of " + d.Name
	}
	p.line(0, title)
	if d.Summary != "" {
		p.line(step, d.Summary)
	}
	for _, paper := range d.Papers {
		text := "paper: " + paper.Title
		if len(paper.Authors) > 0 {
			text += " (" + strings.Join(paper.Authors, ", ") + ")"
		}
		p.line(step, strings.TrimSpace(text+" "+paper.URL))
	}
	p.metric(d)
	p.examples(d)
	p.options(d)
	p.fits(d)
}

// metric writes the details of a metric: label, unit, direction and the algorithms that record
// it.
func (p *page) metric(d *Description) {
	m := d.Metric
	if m == nil {
		return
	}
	by := "every algorithm whose problem allows it"
	if len(d.RecordedBy) > 0 {
		by = strings.Join(d.RecordedBy, ", ")
	}
	unit := m.Unit
	if unit == "" {
		unit = "none of its own"
	}
	better := "neither a lower nor a higher value"
	if m.Better != "" {
		better = "a " + string(m.Better) + " value"
	}
	for _, row := range [][2]string{{"label", m.Label}, {"unit", unit}, {"better", better}, {"recorded by", by}} {
		if row[1] != "" {
			p.labelled(step, nameColumn, row[0], row[1])
		}
	}
	if m.Asked {
		p.labelled(step, nameColumn, "recorded where", "measure.metrics names it")
	}
}

// options writes each key beside its text, and below it the allowed values. A key of an inner
// mapping is indented below the mapping and has its last name only. A mapping with the keys of one above names that.
func (p *page) options(d *Description) {
	switch {
	case d.Metric != nil || d.Section == Glossary:
		return
	case len(d.Options) == 0:
		p.line(0, "")
		p.line(step, "no options but kind")
		return
	}
	p.line(0, "")
	p.line(0, "options")
	form, above := "", map[string]string{} // names of mappings by their keys
	for i := 0; i < len(d.Options); i++ {
		o := &d.Options[i]
		indent := step * (1 + strings.Count(o.Key, "."))
		if o.Form != form && o.Form != "" {
			name := "with " + o.Form + ":"
			if o.Form == List {
				name = "as " + List + ":"
			}
			p.line(indent, name)
		}
		form = o.Form
		name := o.Key[strings.LastIndex(o.Key, ".")+1:]
		p.labelled(indent, nameColumn, name, o.Text)
		p.below(indent, nameColumn, o.Value())
		inside, keys := KeysBelow(d.Options[i+1:], o.Key)
		if first, printed := above[keys]; printed && inside >= LeastShared {
			p.below(indent, nameColumn, "its keys are those of "+first+", above")
			i += inside
			continue
		}
		above[keys] = name
	}
}

// LeastShared is the number of keys from which on a mapping is not written again.
const LeastShared = 3

// KeysBelow returns how many of the next options are keys inside of a mapping or of the items of a list, and a text that is
// equal for mappings with the same keys.
func KeysBelow(next []Option, mapping string) (count int, keys string) {
	for _, o := range next {
		rest, ok := strings.CutPrefix(o.Key, mapping)
		if !ok || !strings.HasPrefix(rest, ".") && !strings.HasPrefix(rest, "[].") {
			break
		}
		o.Key = rest
		keys += fmt.Sprintf("%s|%s|%s|%s\n", rest, o.Form, o.Text, o.Value())
		count++
	}
	return count, keys
}

// examples writes sections as they stand in files, and the command that begins a scenario
// with the kind.
func (p *page) examples(d *Description) {
	if len(d.Examples) == 0 {
		return
	}
	p.line(0, "")
	p.line(0, "examples")
	for i, text := range d.Examples {
		if i > 0 && strings.Contains(text, "\n") {
			p.line(0, "")
		}
		for line := range strings.Lines(text) {
			p.text.WriteString(strings.Repeat(" ", step) + strings.TrimSpace(line) + "\n")
		}
	}
	if usual := d.Usual(); usual != "" {
		p.line(0, "")
		p.line(0, "a scenario with it that runs")
		p.text.WriteString("  starling init FILE " + usual + "\n")
	}
}

// mostUnfit is the number of kinds that do not go with one, for no reason of their own, up to which
// they are listed.
const mostUnfit = 8

// fits writes the kinds that go with a kind, section by section. Kinds that are refused for
// one reason share a line.
func (p *page) fits(d *Description) {
	var sections []string
	for _, f := range d.With {
		if !slices.Contains(sections, f.Section) {
			sections = append(sections, f.Section)
		}
	}
	if sections == nil {
		return
	}
	p.line(0, "")
	p.line(0, "goes with")
	for _, section := range sections {
		fitting, others := d.WithOf(section)
		if len(fitting) > 0 {
			p.labelled(step, nameColumn, section, strings.Join(fitting, ", "))
		}
		for _, group := range groups(others) {
			text := strings.Join(group.names, ", ")
			switch {
			case group.because == "" && len(fitting) > 0 && len(others) == len(group.names) && len(others) > mostUnfit:
				text = fmt.Sprintf("the other %d", len(others))
			case group.because != "" && section == "algorithm":
				text += ": only with " + group.because
			case group.because != "":
				text += ": " + group.because
			}
			p.labelled(step, nameColumn, "not "+section, text)
		}
	}
}

// group is a set of kinds that do not go with a kind for the same reason.
type group struct {
	names   []string
	because string
}

// groups puts kinds with one reason together, in the order of the first of each.
func groups(others []Fit) (list []group) {
	for _, f := range others {
		i := slices.IndexFunc(list, func(g group) bool { return g.because == f.because })
		if i < 0 {
			i, list = len(list), append(list, group{because: f.because})
		}
		list[i].names = append(list[i].names, f.Kind)
	}
	return list
}
