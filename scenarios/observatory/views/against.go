package views

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"starling/scenarios/accounts"
	"starling/scenarios/document"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
	"starling/scenarios/results/report"
	"starling/scenarios/results/tabular"
	"starling/scenarios/runner"
	"starling/scenarios/view"
	"starling/scenarios/view/plot"
)

// Against compares all arms of finished runs with one of them, as starling compare does.
type Against struct {
	Baseline Side `json:"baseline"`
	// Arms are all arms of the runs, of which the baseline is chosen.
	Arms []Side `json:"arms"`
	// Conditions are the conditions under which arms of the runs stand, and Condition is the one of
	// the arms that are compared; empty for all arms.
	Conditions []string `json:"conditions"`
	Condition  string   `json:"condition"`
	// Tests is the number of tests for which p-values are corrected: of the arms under all
	// conditions, as in starling compare.
	Tests  int            `json:"tests"`
	Tables []AgainstTable `json:"tables"`
	// Many means that the tables have all arms only if these are asked for.
	Many bool `json:"many"`
	// Texts explain the tables, and Notes are remarks that a reader must know.
	Texts []string `json:"texts"`
	Notes []string `json:"notes"`
	// Apart reports whether runs have other numbers of steps. They are compared at the last step that
	// all have recorded, then, unless the query names another.
	Apart bool `json:"apart"`
	// OtherProblem states the parts in which all other arms have another problem; empty where
	// some compare.
	OtherProblem string `json:"other_problem,omitempty"`
	// Unmatched are the runs without a seed of the baseline's run; absent where there are none.
	Unmatched *Unmatched `json:"unmatched,omitempty"`
}

// AgainstTable is the table of one metric, the baseline first.
type AgainstTable struct {
	Heading string `json:"heading"`
	Table
	// Text states the arms that the table leaves out.
	Text string `json:"text,omitempty"`
	// Ratios have the ratio of each row to the baseline, and the ends of its interval; null where
	// there is none.
	Ratios []report.Values `json:"ratios"`
}

// AgainstQuery chooses a comparison with a baseline.
type AgainstQuery struct {
	IDs []string
	// Baseline is an arm of one of the runs; empty is the baseline of the first run's finding.
	Baseline Side
	// Metric is a name; empty is the usual ones.
	Metric string
	// Condition is a condition of which arms are compared, and AnyCondition compares all arms. Without
	// either these are the arms under the condition of the baseline.
	Condition    string
	AnyCondition bool
	// Step is the step at which arms are compared, in the numbers of the baseline; 0 is the last of
	// each arm, or the last that all have recorded where the runs have other numbers of steps.
	Step int64
	// All shows all of many arms, and Across compares arms of other problems.
	All, Across bool
}

// mostCompared is the largest number of arms that are compared at once.
const mostCompared = 500

// Against compares the arms of runs with a baseline.
func (f *Folder) Against(q AgainstQuery) (*Against, error) {
	if len(q.IDs) == 0 {
		return nil, document.BadInput(errNothing)
	}
	out := &Against{Arms: []Side{}, Conditions: []string{}, Tables: []AgainstTable{}, Texts: []string{}, Notes: []string{}}
	var sides []view.Side
	var runs []*results.Run
	names, err := f.Names(q.IDs)
	if err != nil {
		return nil, err
	}
	shownAs := map[string]string{} // by folder
	under := map[Side]string{}     // the condition of an arm
	usual := Side{ID: q.IDs[0]}
	for i, id := range q.IDs {
		if slices.Contains(q.IDs[:i], id) {
			continue
		}
		o, err := f.opened(id)
		if err != nil {
			return nil, err
		}
		if runs = append(runs, o.Source); i == 0 {
			if usual.Arm, err = o.BaselineArm(); err != nil {
				return nil, err
			}
		}
		shownAs[o.Source.Dir] = names[id]
		out.place(id, &o.Run.Run, under)
		for _, arm := range o.Source.Manifest.Arms {
			out.Arms = append(out.Arms, Side{id, arm.Name})
			sides = append(sides, view.Side{Run: o.Source, Arm: arm.Name})
		}
	}
	if n := len(sides); n < 2 || n > mostCompared {
		return nil, document.BadInput(fmt.Errorf("%s; choose runs with 2 to %d arms together", document.Counted(n, "arm"), mostCompared))
	}
	if out.Baseline = q.Baseline; out.Baseline == (Side{}) {
		out.Baseline = usual
	}
	at := slices.Index(out.Arms, out.Baseline)
	if at < 0 {
		return nil, document.BadInput(fmt.Errorf("%s has no arm %q", q.Baseline.ID, q.Baseline.Arm))
	}
	if out.Unmatched, err = f.unmatched(q.IDs, out.Baseline.ID); err != nil {
		return nil, err
	}
	sides, shown, err := out.within(q, sides, under)
	if err != nil {
		return nil, err
	}
	known, err := results.DeclaredMetrics(f.known, runs...)
	if err != nil {
		return nil, err
	}
	parts := &runner.Parts{Loader: f.loader}
	defer parts.Close()
	o := view.BaselineOptions{AcrossProblems: q.Across, Statistics: parts.Statistic, Join: out.join(q.Step, runs), Runs: shownAs}
	if q.Metric != "" {
		o.Metrics = []string{q.Metric}
	}
	b, err := view.Against(sides, known, o)
	var other *view.OtherProblemError
	switch {
	case errors.As(err, &other):
		out.OtherProblem = other.Error()
		return out, nil
	case errors.Is(err, comparison.ErrNothingCommon) && out.Unmatched != nil:
		return out, nil
	case errors.Is(err, comparison.ErrNothingCommon):
		return nil, document.BadInput(err)
	case err != nil:
		return nil, err
	}
	kept := 0 // of those shown: arms of other problems are left out
	for _, arm := range b.Arms {
		if slices.ContainsFunc(sides[:shown], func(s view.Side) bool { return s.Arm == arm.Arm && s.Run.Dir == arm.Dir }) {
			kept++
		}
	}
	out.fill(b.Only(kept), kept, q.All)
	return out, nil
}

// join returns the choice of the step, and notes where it is not the last of each arm.
func (a *Against) join(step int64, runs []*results.Run) comparison.Join {
	first := runs[0].Manifest.Horizon
	a.Apart = slices.ContainsFunc(runs, func(r *results.Run) bool { return r.Manifest.Horizon != first })
	switch {
	case step != 0:
		return comparison.Join{Column: comparison.StepColumn, Value: float64(step)}
	case a.Apart:
		a.Notes = append(a.Notes, "The runs differ in their numbers of steps: values are of the last step that all have recorded.")
		return comparison.Join{Column: comparison.StepColumn, Value: math.Inf(1)}
	}
	return comparison.Join{}
}

// place adds the conditions of the arms of a run, which has arms by choices and conditions.
func (a *Against) place(id string, run *plot.Run, under map[Side]string) {
	g, ok := run.Grid()
	if !ok {
		return
	}
	for _, line := range g.Arms {
		for k, arm := range line {
			if arm != "" {
				under[Side{id, arm}] = g.ColumnLabels[k]
			}
		}
	}
	for _, label := range g.ColumnLabels {
		if !slices.Contains(a.Conditions, label) {
			a.Conditions = append(a.Conditions, label)
		}
	}
}

// within returns the arms to compare, the baseline first, and how many of the first are shown: those
// under one condition, where arms stand under several. A baseline under another condition than the one
// that is asked for gives way to the first arm under that.
func (a *Against) within(q AgainstQuery, sides []view.Side, under map[Side]string) (list []view.Side, shown int, err error) {
	switch {
	case q.AnyCondition:
	case q.Condition == "":
		a.Condition = under[a.Baseline]
	case !slices.Contains(a.Conditions, q.Condition):
		return nil, 0, document.BadInput(fmt.Errorf("no arm stands under %q", q.Condition))
	default:
		a.Condition = q.Condition
	}
	fits := func(side Side) bool { return a.Condition == "" || under[side] == a.Condition }
	if !fits(a.Baseline) {
		a.Baseline = a.Arms[slices.IndexFunc(a.Arms, fits)]
	}
	var first, others, hidden []view.Side
	for i, side := range a.Arms {
		switch {
		case side == a.Baseline:
			first = append(first, sides[i])
		case fits(side):
			others = append(others, sides[i])
		default:
			hidden = append(hidden, sides[i])
		}
	}
	if len(others) == 0 { // nothing stands beside the baseline under its condition
		return a.within(AgainstQuery{AnyCondition: true}, sides, under)
	}
	return slices.Concat(first, others, hidden), 1 + len(others), nil
}

// fill takes over a comparison of so many arms.
func (a *Against) fill(b *view.Baseline, arms int, all bool) {
	tables, texts := b.Tables(), b.Texts()
	if a.Many = arms > view.BriefArms; a.Many && !all {
		tables, texts = b.Brief("tick “all arms” to see each")
	}
	for _, t := range tables {
		table := AgainstTable{Heading: t.Heading, Table: Table(t.Table), Text: t.Text, Ratios: []report.Values{}}
		for _, row := range t.Shown {
			table.Ratios = append(table.Ratios, report.Values{row.Ratio.Value, row.Ratio.Low, row.Ratio.High})
		}
		if table.Header == nil {
			table.Header, table.Rows = []string{}, [][]string{}
		}
		if unbounded(t.Metric, t.Shown) {
			table.without("difference", "ratio", "ratio and 95 %")
		}
		if text := equalLosses(t.Metric, t.Shown); text != "" {
			table = AgainstTable{Heading: t.Heading, Table: Table{Header: []string{}, Rows: [][]string{}}, Text: text, Ratios: []report.Values{}}
		}
		a.Tables = append(a.Tables, table)
	}
	a.Tests, a.Texts, a.Notes = b.Tests, texts, append(a.Notes, b.Notes...)
}

// unbounded reports whether rows of a privacy loss have a baseline without a bound, from which there are
// no differences.
func unbounded(name string, rows []comparison.Row) bool {
	return accounts.IsEpsilon(name) && slices.ContainsFunc(rows, func(row comparison.Row) bool { return row.Baseline && math.IsInf(row.Value, 1) })
}

// without leaves columns out.
func (t *AgainstTable) without(heads ...string) {
	for i := len(t.Header) - 1; i >= 0; i-- {
		if !slices.Contains(heads, t.Header[i]) {
			continue
		}
		t.Header = slices.Delete(slices.Clone(t.Header), i, i+1)
		for k := range t.Rows {
			t.Rows[k] = slices.Delete(slices.Clone(t.Rows[k]), i, i+1)
		}
	}
}

// equalLosses says that all rows of a privacy loss have one value, which has no differences to show;
// empty where they have others, and for other metrics.
func equalLosses(name string, rows []comparison.Row) string {
	if !accounts.IsEpsilon(name) || len(rows) == 0 ||
		slices.ContainsFunc(rows, func(row comparison.Row) bool { return row.Value != rows[0].Value }) {
		return ""
	}
	if math.IsInf(rows[0].Value, 1) {
		return "No arm has a bound: all are ∞."
	}
	return fmt.Sprintf("All arms have the same, %s.", tabular.FormatValue(rows[0].Value))
}
