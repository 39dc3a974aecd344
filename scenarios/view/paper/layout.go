package paper

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
	"starling/scenarios/results/typeset"
	"starling/scenarios/view"
	"starling/scenarios/view/plot"
)

// placed is the arm and the metric of a cell, and its place in the table.
type placed struct {
	arm, metric string
	row, column int
}

// layOut places the cells and fills them. Two arms in one cell are a fault.
func (b *builder) layOut() {
	t := b.table
	t.Corner = b.Rows
	for i := range b.shown.Arms {
		arm := &b.shown.Arms[i]
		for _, name := range b.metrics {
			row := place(&t.Rows, b.heading(b.Rows, b.Columns, arm, name, false))
			column := place(&t.Columns, b.heading(b.Columns, b.Rows, arm, name, true))
			if at := slices.IndexFunc(b.cells, func(p placed) bool { return p.row == row && p.column == column }); at >= 0 {
				b.fault("rows", "the arms %q and %q are in one cell of %s and %s; choose arms with --arm, or another axis", b.cells[at].arm, arm.Name, b.Rows, b.Columns)
				return
			}
			b.cells = append(b.cells, placed{arm.Name, name, row, column})
		}
	}
	if b.Readers {
		b.ascend(t.Rows, b.Rows, func(p *placed) *int { return &p.row })
		b.ascend(t.Columns, b.Columns, func(p *placed) *int { return &p.column })
	}
	for range t.Rows {
		t.Cells = append(t.Cells, make([]typeset.Cell, len(t.Columns)))
	}
	for _, axis := range []string{b.Rows, b.Columns} {
		if axis != ArmAxis && axis != MetricAxis {
			t.Keys = append(t.Keys, axis)
		}
	}
	keys := slices.Clone(t.Keys)
	t.Keys = append(t.Keys, ArmAxis, MetricAxis, "step")
	for _, p := range b.cells {
		b.fill(p, keys)
	}
	if b.Labels && b.Rows == ArmAxis {
		b.label(t.Rows, b.Columns)
	}
	if b.Labels && b.Columns == ArmAxis {
		b.label(t.Columns, b.Rows)
	}
}

// ascend puts the headings of a swept key into the order of their numbers, others last, and moves the
// cells with them.
func (b *builder) ascend(headings []string, axis string, at func(*placed) *int) {
	if axis == ArmAxis || axis == MetricAxis {
		return
	}
	number := func(heading string) float64 {
		if x, ok := plot.AxisNumber(heading[strings.IndexByte(heading, '=')+1:]); ok {
			return x
		}
		return math.Inf(1)
	}
	before := slices.Clone(headings)
	slices.SortStableFunc(headings, func(x, y string) int { return cmp.Compare(number(x), number(y)) })
	for i := range b.cells {
		place := at(&b.cells[i])
		*place = slices.Index(headings, before[*place])
	}
}

// label replaces the names of arms, without the part that the other axis shows, by their labels.
func (b *builder) label(names []string, other string) {
	labels := b.labels(names, func(arm string) string { return withoutKey(arm, other) })
	for i, name := range names {
		names[i] = labels[name]
	}
}

// labelOf returns the label of an arm or of its parts; the given name where the table has ids.
func (b *builder) labelOf(name string) string {
	if !b.Labels {
		return name
	}
	if label, ok := plot.ArmLabels(b.run.Arms)[name]; ok {
		return label
	}
	holds := func(arm string) string {
		if !slices.ContainsFunc(partsOf(name), func(part string) bool { return !slices.Contains(partsOf(arm), part) }) {
			return name
		}
		return ""
	}
	return b.labels([]string{name}, holds)[name]
}

// labels returns the labels of names by name. Each is the result of named for an arm, which has the values
// in the name.
func (b *builder) labels(names []string, named func(arm string) string) map[string]string {
	var arms []results.ArmEntry
	for _, name := range names {
		entry := results.ArmEntry{Name: name}
		if i := slices.IndexFunc(b.run.Arms, func(arm results.ArmEntry) bool { return named(arm.Name) == name }); i >= 0 {
			entry.Values = b.run.Arms[i].Values
		}
		arms = append(arms, entry)
	}
	return plot.ArmLabels(arms)
}

// place returns the place of a heading, which is added where it is new.
func place(headings *[]string, heading string) int {
	i := slices.Index(*headings, heading)
	if i < 0 {
		i = len(*headings)
		*headings = append(*headings, heading)
	}
	return i
}

// heading returns the heading of a cell on an axis. The name of an arm is without the part
// that the other axis shows. A column of a swept key names the key.
func (b *builder) heading(axis, other string, arm *results.ArmEntry, metricName string, column bool) string {
	switch axis {
	case ArmAxis:
		return withoutKey(arm.Name, other)
	case MetricAxis:
		return b.metricHeading(metricName)
	}
	value, ok := b.value(arm, axis)
	value = unquoted(value)
	switch {
	case !ok:
		return "no " + document.Short(axis)
	case column:
		return document.Short(axis) + "=" + value
	}
	return value
}

// metricHeading returns the heading of a metric: its label for readers, and else its name, with the
// neighbours of a privacy loss.
func (b *builder) metricHeading(name string) string {
	heading := b.run.Of.Row(name, b.shown.Arms)
	if m, known := b.run.Known.Find(name); known && b.Readers {
		return m.Label + strings.TrimPrefix(heading, name)
	}
	return heading
}

// unquoted returns the text of a value for readers: strings without the quotes of YAML.
func unquoted(text string) string {
	if !strings.HasPrefix(text, `"`) {
		return text
	}
	doc, err := document.ParseText("value", "value:"+text)
	if err != nil {
		return text // which is no string, as an arm's text of another form may not be
	}
	node, _ := doc.Find("value")
	return node.Value()
}

// value returns the text of a key of an arm: the value that the arm sets or, where it replaces
// no section around the key, the scenario's; false where the arm does not have the key.
func (b *builder) value(arm *results.ArmEntry, key string) (string, bool) {
	if value, ok := arm.Value(key); ok {
		return value, true
	}
	for _, v := range arm.Values {
		if strings.HasPrefix(key, v.Path+".") {
			return "", false
		}
	}
	node, ok := b.base.Find(key)
	if !ok {
		return "", false
	}
	return node.Text(), true
}

// withoutKey returns the name of an arm without its parts KEY=VALUE of a swept key. A name of
// nothing else stays as it is.
func withoutKey(name, key string) string {
	parts := slices.DeleteFunc(partsOf(name), func(part string) bool { return strings.HasPrefix(part, document.Short(key)+"=") })
	if len(parts) == 0 {
		return name
	}
	return strings.Join(parts, ",")
}

// partsOf returns the parts of the name of an arm. Parts have commas between them, and commas inside
// of brackets are no such commas.
func partsOf(name string) (parts []string) {
	depth, begin := 0, 0
	for i, r := range name + "," {
		switch {
		case strings.ContainsRune("[{(", r):
			depth++
		case strings.ContainsRune("]})", r):
			depth--
		case r == ',' && (depth <= 0 || i == len(name)):
			parts = append(parts, name[begin:i])
			begin = i + 1
		}
	}
	return parts
}

// fill fills a cell. An arm that does not have the metric leaves it absent. keys are the
// swept keys of the axes.
func (b *builder) fill(p placed, keys []string) {
	row, ok := b.row(p.arm, p.metric)
	if !ok {
		return
	}
	i := slices.IndexFunc(b.shown.Arms, func(arm results.ArmEntry) bool { return arm.Name == p.arm })
	c := typeset.Cell{Mean: row.Mean, SE: row.SE, N: row.N, P: math.NaN(), Error: b.half(row)}
	for _, key := range keys {
		value, _ := b.value(&b.shown.Arms[i], key)
		c.Key = append(c.Key, unquoted(value))
	}
	c.Key = append(c.Key, p.arm, p.metric, strconv.FormatInt(row.Step, 10))
	if m, _ := b.run.Known.Find(p.metric); b.Interval == CI && b.Digits == usualDigits {
		c.Ends = view.EndsOf(m.Unit, row.Mean, c.Error)
	}
	b.table.Cells[p.row][p.column] = c
}

// half returns the error of a row; NaN where there is none. See comparison.HalfWidth.
// Equal values of few seeds bound no mean over others: they have no interval, unless the metric
// is derived.
func (b *builder) half(row results.SummaryRow) float64 {
	switch {
	case math.IsInf(row.Mean, 0):
	case b.Interval == SE:
		return row.SE
	case b.Interval == CI && b.overSeeds(row.Metric):
		return b.resample(row)
	case b.Interval == CI && row.N > 1 && (row.SE != 0 || b.run.Known.Derives(row.Metric)):
		return comparison.HalfWidth(row.SE, row.N)
	}
	return math.NaN()
}

// overSeeds reports whether a metric is a statistic over all seeds, which has no value for one.
func (b *builder) overSeeds(name string) bool {
	m, _ := b.run.Known.Find(name)
	return m.Level == metric.OfSummary
}

// resample returns half the interval of a statistic over the seeds by the bootstrap; NaN where there
// is none, and then the caption has the reason.
func (b *builder) resample(row results.SummaryRow) float64 {
	if row.N < 2 {
		return math.NaN()
	}
	if b.Statistics == nil {
		b.missing[row.Metric] = "nothing reads its parts"
		return math.NaN()
	}
	half, err := comparison.HalfWidthOf(comparison.Arm{Run: b.run.Source, Name: row.Arm}, row.Metric, row.Step, b.Statistics)
	switch {
	case err != nil:
		b.missing[row.Metric] = err.Error()
	case math.IsNaN(half) && row.SE != 0:
		b.missing[row.Metric] = "the seeds are too few for a bootstrap"
	default:
		b.resampled = true
	}
	return half
}

// errorText describes the error; empty where there is none.
func (b *builder) errorText() string {
	switch {
	case b.run.Source.Manifest.Seeds.Count < 2: // one value has no error
	case b.Interval == SE:
		return ", ± the standard error"
	case b.Interval == CI:
		text := fmt.Sprintf(", ± half the width of the %g %% interval of Student's t", 100*comparison.Confidence)
		if b.resampled {
			text += " (statistics over seeds: bootstrap)"
		}
		for _, name := range slices.Sorted(maps.Keys(b.missing)) {
			of := name
			if m, known := b.run.Known.Find(name); known && b.Readers {
				of = m.Label
			}
			text += fmt.Sprintf("; some of %s have none: %s", of, b.missing[name])
		}
		return text
	}
	return ""
}
