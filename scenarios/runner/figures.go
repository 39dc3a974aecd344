package runner

import (
	"fmt"

	"starling/scenarios/accounts"
	"starling/scenarios/gauge"
	"starling/scenarios/jobs"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
	"starling/scenarios/results/figure"
	"starling/scenarios/view"
	"starling/scenarios/view/plot"
)

// mark tests the arms for the marks of figures.
func (c *collector) mark(summary []results.SummaryRow) error {
	run := c.recorded(summary)
	rows := func(visit func(results.Row)) error {
		return c.visit(func(r *jobs.Result) error {
			rows, err := r.Metrics.RunLevel()
			if err != nil {
				return err
			}
			for row := range rows {
				visit(row)
			}
			return nil
		})
	}
	err := view.Mark(run, c.scenario, view.Jobs{Rows: rows, Statistic: c.statistic})
	c.marks = run.Marks
	return err
}

// lastRegret is the regret of an arm at its last record, as a function of the weights of the seeds.
type lastRegret struct {
	step int64
	of   *gauge.RegretResample
}

// statistic returns the regret of an arm at a step. It is kept at the last record of an arm.
func (c *collector) statistic(arm string, step int64) (comparison.Statistic, error) {
	last, ok := c.last[arm]
	if !ok || last.step != step {
		return nil, fmt.Errorf("the parts of arm %s at step %d were not kept", arm, step)
	}
	return last.of.Weighted, nil
}

// recorded returns the run as figures show it.
func (c *collector) recorded(summary []results.SummaryRow) *plot.Run {
	run := plot.Recorded(c.scenario, c.Arms, summary, c.perNode)
	run.Marks = c.marks
	run.Halves = func(arm, metric string) (map[int64]float64, bool) {
		return c.halves[arm], metric == gauge.RegretExpected
	}
	if c.hash != "" {
		run.Facts = &plot.Facts{Hash: c.hash, Seeds: ResultsPlan(c.scenario).Seeds, Ledger: accounts.LedgerEntries(c.scenario), Losses: c.losses}
	}
	return run
}

// Draw returns all figures of a run: the scenario's own, or the usual ones if it states no list;
// figures of participants, the heat map of two keys and the dots of many arms come after them. A scenario that is
// undrawn has none. Figures have captions if the hash of the run is known.
func (c *collector) Draw(summary []results.SummaryRow) []figure.Named {
	run := c.recorded(summary)
	c.Warnings = append(c.Warnings, view.StopsApart(run)...)
	if c.scenario.Undrawn {
		return nil
	}
	owners := run.OwnerFigures(c.scenario)
	if f, ok := run.HeatMap(c.scenario); ok {
		owners = append(owners, f)
	}
	if f, ok := run.Dots(c.scenario); ok {
		owners = append(owners, f)
	}
	if c.scenario.Plots == nil {
		return append(run.Usual(c.scenario, c.nodes), owners...)
	}
	figures, warnings := run.Own(c.scenario)
	c.Warnings = append(c.Warnings, warnings...)
	return append(figures, owners...)
}
