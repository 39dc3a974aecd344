package views

import (
	"errors"
	"fmt"
	"slices"

	"starling/scenarios/document"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
	"starling/scenarios/results/report"
	"starling/scenarios/runner"
	"starling/scenarios/view"
)

// Against compares all arms of finished runs with one of them, as starling compare does.
type Against struct {
	Baseline Side `json:"baseline"`
	// Arms are all arms of the runs, of which the baseline is chosen.
	Arms []Side `json:"arms"`
	// Tests is the number of tests for which p-values are corrected.
	Tests  int            `json:"tests"`
	Tables []AgainstTable `json:"tables"`
	// Many means that the tables have all arms only if these are asked for.
	Many bool `json:"many"`
	// Texts explain the tables, and Notes are remarks that a reader must know.
	Texts []string `json:"texts"`
	Notes []string `json:"notes"`
	// OtherProblem states the parts in which all other arms have another problem; empty where
	// some compare.
	OtherProblem string `json:"other_problem,omitempty"`
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
	out := &Against{Arms: []Side{}, Tables: []AgainstTable{}, Texts: []string{}, Notes: []string{}}
	var sides []view.Side
	var runs []*results.Run
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
	sides = slices.Concat(sides[at:at+1], sides[:at], sides[at+1:])
	known, err := results.DeclaredMetrics(f.known, runs...)
	if err != nil {
		return nil, err
	}
	parts := &runner.Parts{Loader: f.loader}
	defer parts.Close()
	o := view.BaselineOptions{AcrossProblems: q.Across, Statistics: parts.Statistic}
	if q.Metric != "" {
		o.Metrics = []string{q.Metric}
	}
	b, err := view.Against(sides, known, o)
	var other *view.OtherProblemError
	switch {
	case errors.As(err, &other):
		out.OtherProblem = other.Error()
		return out, nil
	case errors.Is(err, comparison.ErrNothingCommon):
		return nil, document.BadInput(err)
	case err != nil:
		return nil, err
	}
	out.fill(b, q.All)
	return out, nil
}

// fill takes over a comparison.
func (a *Against) fill(b *view.Baseline, all bool) {
	tables, texts := b.Tables(), b.Texts()
	if a.Many = len(b.Arms) > view.BriefArms; a.Many && !all {
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
		a.Tables = append(a.Tables, table)
	}
	a.Tests, a.Texts, a.Notes = b.Tests, texts, append(a.Notes, b.Notes...)
}
