package inspect

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
	"starling/scenarios/metric"
	"starling/scenarios/results/runs"
	"starling/scenarios/results/tabular"
)

// mostRows is the largest number of runs that have a row each unless asked for all.
const mostRows = 40

// groupOf are the runs of one scenario's name, in the order of the list.
type groupOf struct {
	scenario string
	rows     []runRow
}

// grouped returns the runs by scenario, in the order of each one's first run.
func grouped(list []runRow) (groups []groupOf) {
	for i := range list {
		k := slices.IndexFunc(groups, func(g groupOf) bool { return g.scenario == list[i].Scenario })
		if k < 0 {
			k = len(groups)
			groups = append(groups, groupOf{scenario: list[i].Scenario})
		}
		groups[k].rows = append(groups[k].rows, list[i])
	}
	return groups
}

// writeGroups prints a row for each scenario: the number of its runs, those that are not complete,
// the values by which they differ, the best headline, and the time and the hash of the newest.
func writeGroups(w io.Writer, groups []groupOf, now time.Time) error {
	table := tabular.Table{Header: []string{"scenario", "runs", "status", "differs in", "best", "newest", "run"}}
	all := 0
	for _, g := range groups {
		newest := &g.rows[0].Run
		for i := range g.rows {
			if g.rows[i].Updated.After(newest.Updated) {
				newest = &g.rows[i].Run
			}
		}
		all += len(g.rows)
		table.Rows = append(table.Rows, []string{
			g.scenario, strconv.Itoa(len(g.rows)), g.states(), g.spans(), g.best(), ago(newest.Updated, now), newest.Hash[:min(shortHash, len(newest.Hash))],
		})
	}
	for _, name := range []string{"status", "differs in", "best"} {
		table.DropEmpty(name)
	}
	if err := shell.WriteTable(w, fitting(table, shell.WidthOf(w))); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return shell.WriteText(w, "", fmt.Sprintf("%s of %s; --all lists each, --scenario NAME the runs of one.", document.Counted(all, "run"), document.Counted(len(groups), "scenario")))
}

// states counts the runs that are not complete, by status.
func (g *groupOf) states() string {
	var parts []string
	for _, status := range runs.Statuses() {
		n := 0
		for i := range g.rows {
			if g.rows[i].Status == status {
				n++
			}
		}
		if n > 0 && status != runs.Complete {
			parts = append(parts, fmt.Sprintf("%d %s", n, status))
		}
	}
	return strings.Join(parts, ", ")
}

// spans states the values of the keys in which the runs differ: of numbers the least and the greatest,
// of few others all, and else their number.
func (g *groupOf) spans() string {
	entries := make([]runs.Run, len(g.rows))
	for i := range g.rows {
		entries[i] = g.rows[i].Run
	}
	keys := runs.Telling(entries)
	more := len(keys)
	keys = keys[:min(2, len(keys))]
	var parts []string
	for _, key := range keys {
		parts = append(parts, lastWord(key, keys)+"="+g.span(key))
	}
	if more > len(keys) {
		parts = append(parts, fmt.Sprintf("%d more", more-len(keys)))
	}
	return strings.Join(parts, ", ")
}

// span is the part of spans on one key.
func (g *groupOf) span(key string) string {
	var values []string
	numbers := true
	least, most := 0.0, 0.0
	for i := range g.rows {
		text, ok := g.rows[i].Differs[key]
		if !ok || slices.Contains(values, text) {
			continue
		}
		number, err := strconv.ParseFloat(text, 64)
		if numbers = numbers && err == nil; numbers {
			if len(values) == 0 {
				least, most = number, number
			}
			least, most = min(least, number), max(most, number)
		}
		values = append(values, text)
	}
	switch {
	case numbers && len(values) > 1:
		return tabular.FormatValue(least) + ".." + tabular.FormatValue(most)
	case len(values) < 3:
		return strings.Join(values, "|")
	}
	return fmt.Sprintf("(%d values)", len(values))
}

// decisive reports whether runs that differ in a key have headlines that do not compare.
func decisive(key string) bool {
	return key == "horizon" || key == "nodes" || key == "problem" || strings.HasPrefix(key, "problem.")
}

// compares reports whether runs have horizon, nodes and problem in common.
func compares(a, b *runs.Run) bool {
	for _, pair := range [][2]*runs.Run{{a, b}, {b, a}} {
		for key, value := range pair[0].Differs { // each is on its own
			if other, ok := pair[1].Differs[key]; decisive(key) && (!ok || other != value) {
				return false
			}
		}
	}
	return true
}

// best is the best headline among the runs with horizon, nodes and problem as the latest run with a headline has,
// as on the page, with their number where it is less than all. It is empty where no run has one, and where the latest is alone.
func (g *groupOf) best() string {
	headed := slices.DeleteFunc(slices.Clone(g.rows), func(r runRow) bool { return r.Headline == nil || r.Headline.Better == "" })
	if len(headed) == 0 {
		return ""
	}
	latest := slices.MaxFunc(headed, func(a, b runRow) int { return a.Updated.Compare(b.Updated) })
	equal := slices.DeleteFunc(headed, func(r runRow) bool {
		return r.Headline.Metric != latest.Headline.Metric || !compares(&r.Run, &latest.Run)
	})
	if len(equal) == 1 && len(g.rows) > 1 {
		return ""
	}
	best := slices.MinFunc(equal, func(a, b runRow) int {
		if latest.Headline.Better == metric.HigherIsBetter {
			a, b = b, a
		}
		return cmp.Compare(float64(a.Headline.Value), float64(b.Headline.Value))
	})
	text := best.Headline.Metric + " " + tabular.FormatValue(float64(best.Headline.Value))
	if len(equal) < len(g.rows) {
		text += fmt.Sprintf(", of %d", len(equal))
	}
	if horizon, ok := latest.Differs["horizon"]; ok {
		text += " at horizon " + horizon
	}
	return text
}
