package views

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"starling/scenarios/accounts"
	"starling/scenarios/document"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
	"starling/scenarios/results/tabular"
	"starling/scenarios/view/plot"
)

// Unpaired compares two runs without a common seed.
type Unpaired struct {
	// Text says why no differences are paired, and Command runs the second scenario with the seeds of the first.
	Text    string `json:"text"`
	Command string `json:"command"`
	// Table has the means of both over their own seeds, and the differences by Welch's method, without those that are 0.
	Table Table `json:"table"`
}

// seedsText names the seeds of a run.
func seedsText(s results.Seeds) string {
	if s.Count == 1 {
		return fmt.Sprintf("seed %d", s.Base)
	}
	return fmt.Sprintf("seeds %d to %d", s.Base, s.Base+uint64(s.Count-1))
}

// seedsCommand runs the scenario of a run with the seeds of another.
func seedsCommand(run *results.Run, as results.Seeds) string {
	return fmt.Sprintf("starling run %s --set seeds.base=%d --seeds %d", document.Word(filepath.Join(run.Dir, results.ScenarioFile)), as.Base, as.Count)
}

// newUnpaired compares the arms of two runs, or one arm of each, over their own seeds; nil where they have a seed in common.
func newUnpaired(first, second Side, a, b *opened, known metric.List) *Unpaired {
	of, other := a.Source.Manifest.Seeds, b.Source.Manifest.Seeds
	if comparison.CommonSeeds(of, other) {
		return nil
	}
	u := &Unpaired{
		Text:    fmt.Sprintf("The two have no seed in common: the first has %s, and the second %s. Differences are paired by seed, so there are none.", seedsText(of), seedsText(other)),
		Command: seedsCommand(b.Source, of),
		Table:   Table{Header: []string{"arm", "metric", "first", "second", "difference (95 % CI)"}, Rows: [][]string{}},
	}
	labels := plot.ArmLabels(a.Arms)
	for _, arm := range a.Arms {
		name, at := arm.Name, arm.Name
		if first.Arm != "" {
			if name != first.Arm {
				continue
			}
			at = second.Arm
		}
		for _, m := range shared(a, b, known) {
			if m.OfNodes || m.Better == "" || accounts.IsEpsilon(m.Name) { // losses are no samples
				continue
			}
			x, ok := meanOf(a.Rows[m.Name], name)
			y, there := meanOf(b.Rows[m.Name], at)
			if !ok || !there {
				continue
			}
			difference, half := comparison.Unpaired(x, y)
			if difference == 0 && math.IsNaN(half) || math.IsNaN(difference) {
				continue
			}
			u.Table.Rows = append(u.Table.Rows, []string{labels[name], m.Name, intervalText(x.Value, comparison.HalfWidth(x.SE, x.N)), intervalText(y.Value, comparison.HalfWidth(y.SE, y.N)), intervalText(difference, half)})
		}
	}
	return u
}

// meanOf is the last mean of an arm; rows are in the order of the steps.
func meanOf(rows []results.SummaryRow, arm string) (m comparison.Mean, ok bool) {
	for _, row := range slices.Backward(rows) {
		if row.Arm == arm {
			return comparison.Mean{Value: row.Mean, SE: row.SE, N: row.N}, true
		}
	}
	return m, false
}

// intervalText writes a value with half of its interval.
func intervalText(value, half float64) string {
	if !(half > 0) || math.IsInf(half, 0) || math.IsInf(value, 0) {
		return tabular.FormatValue(value)
	}
	return tabular.RoundEstimate(value, half, 2).String()
}

// Unmatched are the runs without a seed of the run of the baseline: their arms have no pairs with it.
type Unmatched struct {
	Text string `json:"text"`
	// Commands run their scenarios with the seeds of the baseline's run.
	Commands []string `json:"commands"`
}

// unmatched returns the runs without a seed of the baseline's run; nil where there are none.
func (f *Folder) unmatched(ids []string, baseline string) (*Unmatched, error) {
	base, err := f.opened(baseline)
	if err != nil {
		return nil, err
	}
	out, of := &Unmatched{}, base.Source.Manifest.Seeds
	var without []string
	names, err := f.Names(ids)
	if err != nil {
		return nil, err
	}
	for i, id := range ids {
		o, err := f.opened(id)
		if err != nil {
			return nil, err
		}
		if slices.Contains(ids[:i], id) || comparison.CommonSeeds(of, o.Source.Manifest.Seeds) {
			continue
		}
		without = append(without, fmt.Sprintf("%s (%s)", names[id], seedsText(o.Source.Manifest.Seeds)))
		out.Commands = append(out.Commands, seedsCommand(o.Source, of))
	}
	n := len(without)
	if n == 0 {
		return nil, nil
	}
	if n > mostUnmatched {
		without = append(without[:mostUnmatched:mostUnmatched], fmt.Sprintf("%d more", n-mostUnmatched))
		out.Commands = out.Commands[:mostUnmatched]
	}
	have := "1 run has"
	if n > 1 {
		have = document.Counted(n, "run") + " have"
	}
	out.Text = fmt.Sprintf("%s no seed in common with the run of the baseline, which has %s, and no pairs with it: %s.", have, seedsText(of), strings.Join(without, ", "))
	return out, nil
}

// mostUnmatched is the largest number of runs that a text names.
const mostUnmatched = 4
