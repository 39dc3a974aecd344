package command

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/kind"
	"starling/scenarios/results/tabular"
)

const (
	// scenarioList is the name of the list of the library's scenarios.
	scenarioList = "scenarios"
	// fewestGrouped is the least number of scenarios with one beginning that are a group.
	fewestGrouped = 3
	// namesWidth is the width of a line of names, so that lines of the overview have 80 columns.
	namesWidth = 64
)

// overview prints how many entries each list has, and the names of the library's scenarios.
func (p listProgram) overview(w io.Writer) error {
	table := tabular.Table{Header: []string{"list", "entries", "what it is"}}
	var library []kind.Entry
	for _, l := range p.lists() {
		list, err := l.list()
		if err != nil {
			return err
		}
		if table.Rows = append(table.Rows, []string{l.name, strconv.Itoa(len(list.entries)), l.summary}); l.name == scenarioList {
			library = list.entries
		}
	}
	width := namesWidth
	if columns := shell.WidthOf(w); columns > 0 {
		width = max(1, min(width, columns-len(scenarioList)-2))
	}
	names := tabular.Table{Header: []string{scenarioList, "names, after this beginning"}}
	for _, g := range groupsOf(library) {
		head := g.head
		for _, line := range linesOf(g.names, width) {
			names.Rows = append(names.Rows, []string{head, line})
			head = ""
		}
	}
	more := tabular.Table{Header: []string{"to see more", ""}, Rows: [][]string{
		{"starling list algorithms", "one of the lists, with a line for each entry"},
		{"starling list --all", "all lists"},
		{"starling describe dpdonc", "a kind, a metric or a word"},
		{"starling show drift", "the file of a scenario"},
	}}
	for i, t := range []tabular.Table{table, names, more} {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := shell.WriteTable(w, t); err != nil {
			return err
		}
	}
	return nil
}

// nameGroup has names that begin alike, without their beginning: head.
type nameGroup struct {
	head  string
	names []string
}

// groupsOf groups the names of entries by their first word, and puts names with few alike at the end.
// Entries with one beginning follow each other.
func groupsOf(entries []kind.Entry) (groups []nameGroup) {
	count := map[string]int{}
	for _, e := range entries {
		count[firstWord(e.Kind)]++
	}
	others := nameGroup{head: "others"}
	for _, e := range entries {
		head := firstWord(e.Kind)
		if count[head] < fewestGrouped {
			others.names = append(others.names, e.Kind)
			continue
		}
		if n := len(groups); n == 0 || groups[n-1].head != head {
			groups = append(groups, nameGroup{head: head})
		}
		g := &groups[len(groups)-1]
		g.names = append(g.names, strings.TrimPrefix(e.Kind, head))
	}
	if len(others.names) > 0 {
		groups = append(groups, others)
	}
	return groups
}

// firstWord is the beginning of a name up to its first hyphen, or the whole name.
func firstWord(name string) string {
	if i := strings.IndexByte(name, '-'); i >= 0 {
		return name[:i+1]
	}
	return name
}

// linesOf writes names into lines of at most so many columns, or of one longer name.
func linesOf(names []string, width int) (lines []string) {
	line := ""
	for i, name := range names {
		if i < len(names)-1 {
			name += ","
		}
		if line != "" && len(line)+1+len(name) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+name, " ")
	}
	return append(lines, line)
}
