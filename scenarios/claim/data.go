package claim

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/metric"
	"starling/scenarios/results"
)

// Data holds the values of a run that the tests of claims read. It is filled in the order of
// the run: rows by arm, then by seed.
type Data struct {
	// arms are the run's arms, in its order.
	arms []string
	// horizon is the number of steps of the run, for windows that are a fraction of it.
	horizon int64 // steps of the run
	notes   []results.Note
	// wanted are the metrics to keep: a run may have millions of rows that no claim
	// reads.
	wanted map[string]bool
	// values has the metrics of whole runs, by ascending seed.
	values map[cell][]float64
	// nodes has the metrics of nodes, by seed, then by node.
	nodes map[cell][][]float64
	// summary has the statistics over seeds.
	summary map[cell]results.SummaryRow
	// steps has for each arm and metric the recorded steps, ascending.
	steps map[series][]int64
	// metrics are all metrics that occurred, in that order, wanted or not: an error can then
	// list the run's metrics.
	metrics []string
	// declared are the metrics that the catalog and the run know.
	declared metric.List
	// seed is the seed of the node values that were added last.
	seed map[cell]uint64
}

type series struct{ arm, metric string }

type cell struct {
	series
	step int64
}

// AddRow adds a measured value.
func (d *Data) AddRow(row results.Row) {
	at := cell{series{row.Arm, row.Metric}, row.Step}
	if !d.note(at) {
		return
	}
	if row.Node == nil {
		d.values[at] = append(d.values[at], row.Value)
		return
	}
	list := d.nodes[at]
	if len(list) == 0 || d.seed[at] != row.Seed {
		list = append(list, nil)
	}
	d.seed[at] = row.Seed
	last := len(list) - 1
	list[last] = append(list[last], row.Value)
	d.nodes[at] = list
}

// AddSummary adds a statistic over seeds. It is used where the metric has no value for a seed.
func (d *Data) AddSummary(row results.SummaryRow) {
	at := cell{series{row.Arm, row.Metric}, row.Step}
	if d.note(at) {
		d.summary[at] = row
	}
}

// note records that a metric has a step, and reports whether the value is to be kept.
func (d *Data) note(at cell) bool {
	if !slices.Contains(d.metrics, at.metric) {
		d.metrics = append(d.metrics, at.metric)
	}
	if !d.wanted[at.metric] {
		return false
	}
	steps := d.steps[at.series]
	if i, ok := slices.BinarySearch(steps, at.step); !ok {
		d.steps[at.series] = slices.Insert(steps, i, at.step)
	}
	return true
}

// armsOr lists the arms that a test names, all of them if it names none.
func (d *Data) armsOr(named []string) []string {
	if len(named) > 0 {
		return named
	}
	return d.arms
}

// known returns an error for a metric that the run does not have.
func (d *Data) known(metric string) error {
	if slices.Contains(d.metrics, metric) {
		return nil
	}
	sorted := slices.Sorted(slices.Values(d.metrics))
	return fmt.Errorf("the run has no metric %q%s", metric, document.Suggest(metric, sorted, "it has"))
}

// number returns a note of an arm as a number: the first word of its text. If that is no
// number, it returns the text instead. A note that the arm does not have is an error.
func (d *Data) number(arm, key string) (value float64, text string, err error) {
	var keys []string
	for _, note := range d.notes {
		if note.Arm == arm && note.Key == key {
			word, _, _ := strings.Cut(note.Value, " ")
			if value, err := strconv.ParseFloat(strings.TrimSuffix(word, ","), 64); err == nil && !math.IsNaN(value) {
				return value, "", nil
			}
			return math.NaN(), note.Value, nil
		}
		if !slices.Contains(keys, note.Key) {
			keys = append(keys, note.Key)
		}
	}
	return 0, "", fmt.Errorf("arm %q has no note %q%s", arm, key, document.Suggest(key, keys, "the notes are"))
}
