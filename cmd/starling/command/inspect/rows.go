package inspect

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/runs"
	"starling/scenarios/results/tabular"
	"starling/scenarios/view"
	"starling/scenarios/view/plot"
)

// runRow is a run in the list, with its headline; nil where it has none.
type runRow struct {
	runs.Run
	Headline *view.Headline `json:"headline,omitempty"`
}

// rowsOf reads the headlines of runs, some at a time, and finds their differences.
func rowsOf(list []runs.Run, known metric.List) []runRow {
	kept := map[string]*view.KeptHeadlines{} // by folder of results
	folderOf := func(dir string) string { return filepath.Dir(filepath.Dir(dir)) }
	for i := range list {
		if folder := folderOf(list[i].Dir); kept[folder] == nil {
			kept[folder] = view.OpenKept(folder)
		}
	}
	rows, settings := make([]runRow, len(list)), make([]runs.Settings, len(list))
	var group sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := range next {
				if !list[i].Shown {
					settings[i] = runs.SettingsOf(&list[i])
					continue
				}
				of := kept[folderOf(list[i].Dir)]
				settings[i] = of.Settings(list[i].Dir, func() runs.Settings { return runs.SettingsOf(&list[i]) })
				rows[i].Headline = of.Of(list[i].Dir, known)
			}
		})
	}
	for i := range list {
		next <- i
	}
	close(next)
	group.Wait()
	for _, headlines := range kept {
		headlines.Save()
	}
	runs.Differ(list, settings)
	for i := range list {
		rows[i].Run = list[i]
	}
	return rows
}

// mostKeys is the number of keys in which runs differ that a table has room for.
const mostKeys = 4

// writeRuns prints the table of runs, and below it the reasons of runs that failed or are
// damaged. A key of the order that the table has no column for gets one.
func writeRuns(w io.Writer, list []runRow, sorted string, now time.Time) error {
	entries := make([]runs.Run, len(list))
	for i := range list {
		entries[i] = list[i].Run
	}
	telling, width := runs.Telling(entries), shell.WidthOf(w)
	keys := telling[:min(mostKeys, len(telling))]
	table := tableOfRuns(list, keys, sorted, now)
	if width > 0 && table.Width() > width {
		table = tableOfRuns(list, fewest(entries, keys), sorted, now)
	}
	if width > 0 && !slices.ContainsFunc(entries, func(r runs.Run) bool { return r.Status != runs.Complete }) {
		table = table.Without("status") // a person misses nothing
	}
	if width == 0 { // scripts read the columns that were there before
		table = table.Without(privateHead)
	}
	var err error
	if crowded(table, width) {
		err = writeNarrow(w, table, width)
	} else {
		err = writeFitting(w, table, width)
	}
	if err != nil {
		return err
	}
	if len(telling) > len(keys) {
		fmt.Fprintln(w)
		if err := shell.WriteText(w, "", "The runs differ in "+document.Counted(len(telling), "key")+"; --json has all."); err != nil {
			return err
		}
	}
	return writeReasons(w, list)
}

// tableOfRuns returns the table of runs with all columns that have something in them.
func tableOfRuns(list []runRow, keys []string, sorted string, now time.Time) tabular.Table {
	table := tabular.Table{Header: []string{"scenario", "status", "differs in"}}
	rest := tabular.Table{Header: []string{"epsilon", privateHead, "time", "arms", "seeds", "digest", "when", "run", "tags", "note"}}
	for i := range list {
		r := &list[i].Run
		table.Rows = append(table.Rows, []string{r.Scenario, stateOf(r), differences(r, keys)})
		row := []string{lossOf(list[i].Headline), privateOf(&list[i]), "", "", "", "", ago(r.Updated, now), r.Hash[:min(shortHash, len(r.Hash))], strings.Join(r.Tags, ", "), brief(r.Note)}
		switch sorted {
		case "elapsed":
			row[2] = took(r.Elapsed)
		case "arms":
			row[3] = count(len(r.Arms))
		case "seeds":
			row[4] = count(r.Seeds.Count)
		case "digest":
			row[5] = r.Digest[:min(shortHash, len(r.Digest))]
		}
		rest.Rows = append(rest.Rows, row)
	}
	table = table.Beside(headlines(list)).Beside(rest)
	for _, name := range slices.Clone(table.Header[2:]) {
		table.DropEmpty(name)
	}
	return table
}

// fewest returns the first of the keys that tell the runs of each scenario apart as well as all keys do.
func fewest(list []runs.Run, keys []string) []string {
	apart := func(keys []string) int {
		names := map[string]bool{}
		for i := range list {
			names[list[i].Scenario+" "+differences(&list[i], keys)] = true
		}
		return len(names)
	}
	for n := range keys {
		if apart(keys[:n]) == apart(keys) {
			return keys[:n]
		}
	}
	return keys
}

// writeFitting prints the table without the columns that a terminal of a width has no room for, and
// names them below.
func writeFitting(w io.Writer, table tabular.Table, width int) error {
	fit := fitting(table, width)
	if err := shell.WriteTable(w, fit); err != nil {
		return err
	}
	left := slices.DeleteFunc(slices.Clone(table.Header), func(name string) bool { return slices.Contains(fit.Header, name) })
	if len(left) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	return shell.WriteText(w, "", fmt.Sprintf("%d columns have no room for: %s. A wider terminal and --json have them.", width, strings.Join(left, ", ")))
}

// narrowRuns is the width below which the best arm of a run keeps its column.
const narrowRuns = 60

// crowded reports whether a terminal of a width has no room for the answer of a run in columns: its best arm, its
// privacy loss and its time. Runs then have lines of their own. A width of 0 is no terminal.
func crowded(table tabular.Table, width int) bool {
	if width == 0 {
		return false
	}
	fit := fitting(table, width)
	return !fit.Fits(width) || slices.ContainsFunc([]string{"best arm", "epsilon", "when"}, func(name string) bool {
		return slices.Contains(table.Header, name) && !slices.Contains(fit.Header, name)
	})
}

// writeNarrow prints the name of each run with its scenario and differences, and below them its best
// arm with the value, the metric, the privacy loss and the other columns.
func writeNarrow(w io.Writer, table tabular.Table, width int) error {
	style := shell.Style{On: shell.Styled(w)}
	of := func(row []string, name string) string {
		if at := slices.Index(table.Header, name); at >= 0 {
			return row[at]
		}
		return ""
	}
	table = table.ForPeople()
	for _, row := range table.Rows {
		label := of(row, "run") + "  "
		first := strings.Join(nonEmpty(of(row, "scenario"), of(row, "status"), of(row, "differs in")), ", ")
		for i, line := range tabular.Wrap(shell.Plain(first), max(1, width-len(label))) {
			head := strings.Repeat(" ", len(label))
			if i == 0 {
				head = style.Bold(label)
			}
			fmt.Fprintln(w, head+line)
		}
		if second := shell.Plain(foundIn(table, of, row)); second != "" {
			if err := shell.WriteText(w, strings.Repeat(" ", len(label)), second); err != nil {
				return err
			}
		}
	}
	return nil
}

// foundIn states the best arm of a row of the table of runs, its value with the metric, and its privacy loss.
func foundIn(table tabular.Table, of func(row []string, name string) string, row []string) string {
	value := ""
	if at := slices.Index(table.Header, "value"); at >= 0 && row[at] != "" {
		value = strings.TrimSpace(of(row, "metric") + " " + row[at])
	}
	if at := slices.Index(table.Header, "run"); value == "" && at > 0 { // all runs have the metric that is the head
		for _, name := range table.Header[:at] {
			if strings.Contains(name, ".") && of(row, name) != "" {
				value = name + " " + of(row, name)
			}
		}
	}
	found := strings.Join(nonEmpty(of(row, "best arm"), value), ": ")
	list := nonEmpty(found)
	if epsilon := of(row, "epsilon"); epsilon != "" && found != "" {
		list = append(list, "ε = "+epsilon)
	}
	for _, name := range []string{"time", "arms", "seeds", "digest"} {
		if text := of(row, name); text != "" {
			list = append(list, name+" "+text)
		}
	}
	if found == "" {
		list = append(list, "arms are not ranked: no metric of quality")
	}
	if private := of(row, privateHead); private != "" {
		list[len(list)-1] += "; private: " + private
	}
	return strings.Join(append(list, nonEmpty(of(row, "when"), of(row, "tags"), of(row, "note"))...), ", ")
}

// nonEmpty returns the texts that are not empty.
func nonEmpty(texts ...string) []string {
	return slices.DeleteFunc(texts, func(text string) bool { return text == "" })
}

// fitting leaves out columns, from the least important on, until the table fits a terminal of
// a width. A value keeps its metric, and a row the name of its run.
func fitting(table tabular.Table, width int) tabular.Table {
	for _, name := range []string{"note", "tags", "digest", "seeds", "arms", "time", privateHead, "when", "epsilon", "status", "best arm"} {
		if table.Fits(width) || name == "best arm" && width < narrowRuns {
			break
		}
		table = table.Without(name)
	}
	return table
}

// writeReasons prints the reasons of runs that failed or are damaged.
func writeReasons(w io.Writer, list []runRow) error {
	first := true
	for i := range list {
		r := &list[i].Run
		if r.Status != runs.Failed && r.Status != runs.Damaged {
			continue
		}
		if first {
			fmt.Fprintln(w)
			first = false
		}
		if err := shell.WriteText(w, fmt.Sprintf("%s: ", r.Status), filepath.Join(r.Scenario, r.Hash)+": "+shell.Plain(r.Reason)); err != nil {
			return err
		}
	}
	return nil
}

// shortHash is the number of digits of a hash in the table: enough to name a run by.
const shortHash = 8

// stateOf is the status of a run, and how far it has come where it is not complete.
func stateOf(r *runs.Run) string {
	if progress := progressOf(r); r.Status != runs.Complete && progress != "" {
		return string(r.Status) + " " + progress
	}
	return string(r.Status)
}

// differences states the values of keys, by the last words of the keys that tell them apart.
func differences(r *runs.Run, keys []string) string {
	var parts []string
	for _, key := range keys {
		if value, ok := r.Differs[key]; ok {
			parts = append(parts, lastWord(key, keys)+"="+strings.ReplaceAll(value, ", ", ","))
		}
	}
	return strings.Join(parts, " ")
}

// lastWord is the last word of a key, or the word before a count or a kind. It is the whole key where
// another has the same.
func lastWord(key string, keys []string) string {
	last := func(key string) string {
		for _, end := range []string{".count", ".kind"} {
			key = strings.TrimSuffix(key, end)
		}
		return key[strings.LastIndexByte(key, '.')+1:]
	}
	for _, other := range keys {
		if other != key && last(other) == last(key) {
			return key
		}
	}
	return last(key)
}

// headlines returns the columns of headlines: the best arm of a run of several, or the best choice of arms by two keys with
// the number of its conditions, the metric, and the value of the best arm.
// A metric that all runs have is the head of the values.
func headlines(list []runRow) tabular.Table {
	t := tabular.Table{Header: []string{"best arm", "metric", "value"}}
	metrics := map[string]bool{}
	for i := range list {
		row := make([]string, len(t.Header))
		if of := list[i].Headline; of != nil {
			h := of.Led()
			metrics[h.Metric] = true
			row[1], row[2] = h.Metric, tabular.FormatValue(float64(h.Value))
			switch {
			case of.Choice != nil:
				row[0] = of.Choice.Text()
			case len(list[i].Arms) > 1:
				row[0] = labelOf(&list[i].Run, h.Arm)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	if len(metrics) == 1 {
		for metric := range metrics {
			t.Header[2] = metric
		}
		t = t.Without("metric")
	}
	return t
}

// labelOf returns the name of an arm of a run as figures have it.
func labelOf(r *runs.Run, arm string) string {
	var arms []results.ArmEntry
	for _, a := range r.Arms {
		arms = append(arms, results.ArmEntry{Name: a.Name, Values: a.Values})
	}
	return cmp.Or(plot.ArmLabels(arms)[arm], arm)
}

// privateHead is the head of the best arm with a bounded privacy loss, where the best arm has none.
const privateHead = "best private arm"

// privateOf is the best arm of a run with a bounded privacy loss, its value and its loss; empty where the best arm is
// one, and where no arm is.
func privateOf(row *runRow) string {
	if row.Headline == nil || row.Headline.Led().Private == nil {
		return ""
	}
	p := row.Headline.Private
	return fmt.Sprintf("%s: %s (epsilon %s)", labelOf(&row.Run, p.Arm), tabular.FormatValue(float64(p.Value)), tabular.FormatValue(float64(p.Epsilon)))
}

// lossOf is the accounted privacy loss of a headline; empty where none is accounted.
func lossOf(of *view.Headline) string {
	if of == nil {
		return ""
	}
	switch h := of.Led(); {
	case h.Unbounded:
		return "inf"
	case math.IsNaN(float64(h.Epsilon)):
		return ""
	default:
		return tabular.FormatValue(float64(h.Epsilon))
	}
}
