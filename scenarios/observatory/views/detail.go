package views

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"starling/scenarios/accounts"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/live"
	"starling/scenarios/results/runs"
	"starling/scenarios/results/tabular"
	"starling/scenarios/runner"
	"starling/scenarios/study"
	"starling/scenarios/view"
	"starling/scenarios/view/plot"
)

// Detail describes one run. Parts that an unfinished run does not have are left out.
type Detail struct {
	Entry
	// Gone is true if there is no such run any more; the rest is empty then. It is no error:
	// browsers log those.
	Gone bool `json:"gone,omitempty"`
	// Verifying is true while files of the run are still being checked against its manifest.
	// The check may find that they are damaged.
	Verifying bool           `json:"verifying,omitempty"`
	Paper     *results.Paper `json:"paper,omitempty"`
	FirstStep int64          `json:"first_step"`
	// Metrics are the metrics that figures can show, in the order of lists. Keys are the keys
	// that the arms set.
	Metrics []Metric `json:"metrics"`
	Keys    []string `json:"keys"`
	// InnerKeys are the keys inside of mappings that arms of a finished run set, where they have several values, such as
	// match.epsilon.
	InnerKeys []string `json:"inner_keys,omitempty"`
	// ArmLabels are the names of the arms for readers, by the names that the scenario gives them.
	ArmLabels map[string]string `json:"arm_labels"`
	// HeatKeys are the keys of the columns of heat maps, then the key of their rows, where a finished run
	// has heat maps. Losses are the least and the greatest finite privacy loss of an arm; absent where
	// there is none.
	HeatKeys []string  `json:"heat_keys,omitempty"`
	Losses   []float64 `json:"losses,omitempty"`
	// Figure has the settings of the first figure of a finished run; absent where it has none.
	Figure *Chosen `json:"figure,omitempty"`
	// Warnings are grouped for readers; MoreWarnings gives their number before grouping.
	Warnings     []string `json:"warning_lines"`
	MoreWarnings string   `json:"more_warnings,omitempty"`
	// Facts of the scenario and the run are grouped as warnings are.
	Facts []string `json:"fact_lines,omitempty"`
	// Scenario is the text of the scenario as it was run.
	Scenario string              `json:"scenario_text"`
	Files    []results.FileEntry `json:"files,omitempty"`
	Versions *results.Versions   `json:"versions,omitempty"`
	// Live is the progress of an unfinished run, without its curves.
	Live *live.Run `json:"live,omitempty"`
	// Provisional is the finding of an unfinished run so far; absent where nothing is recorded.
	Provisional *Provisional `json:"provisional,omitempty"`
}

// Metric is a metric that figures can show.
type Metric struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	// Text describes the metric. It is empty if no list knows the metric.
	Text    string           `json:"text,omitempty"`
	Better  metric.Direction `json:"better,omitempty"`
	PerStep bool             `json:"per_step,omitempty"`
	// OfNodes is true if the metric has a value for each node, and needs a curve for each.
	OfNodes bool `json:"of_nodes,omitempty"`
	// Usual is true if the report shows the metric before others.
	Usual bool `json:"usual,omitempty"`
	// LogY is true if the figure of the metric in an unfinished run has a logarithmic axis.
	LogY bool `json:"log_y,omitempty"`
}

// Table is a table of texts.
type Table struct {
	Header []string   `json:"header"`
	Rows   [][]string `json:"rows"`
}

func tablesOf(list []tabular.Table) []Table {
	tables := make([]Table, len(list))
	for i := range list {
		tables[i] = Table(list[i])
	}
	return tables
}

// armsPerTable is the number of arms that a table of last values has side by side. Wider
// tables scroll in themselves.
const armsPerTable = 8

// Detail describes a run. Of a damaged run it gives the reason, and all that can still be
// read.
func (f *Folder) Detail(id string) (*Detail, error) {
	e, err := f.entry(id)
	if errors.Is(err, ErrGone) {
		return &Detail{Entry: Entry{ID: id}, Gone: true}, nil
	}
	if err != nil {
		return nil, err
	}
	d := &Detail{Entry: e, Metrics: []Metric{}, Keys: keysOf(e.Arms), ArmLabels: plot.ArmLabels(armsOf(e.Arms)), Warnings: []string{}}
	if text, err := f.text(id, results.ScenarioFile); err == nil {
		d.Scenario = string(text)
	}
	switch {
	case e.Shown:
		// The list of runs checks file sizes alone. Here all bytes are read; long files are
		// read later.
		o, err := f.opened(id)
		if err != nil {
			d.Status, d.Reason, d.Shown = runs.Damaged, err.Error(), false
			return d, nil
		}
		d.Verifying = f.pending(o)
		d.complete(o)
		return d, nil
	case e.Status == runs.Damaged:
		return d, nil
	}
	if d.Live, err = live.Read(e.Dir); err != nil || d.Live == nil {
		return d, nil
	}
	d.unfinished(f.known)
	return d, nil
}

// Scenario returns the text of a run's scenario as it was run, and the folder of the run.
func (f *Folder) Scenario(id string) (dir, text string, err error) {
	if dir, err = f.place(id); err != nil {
		return "", "", err
	}
	read, err := f.text(id, results.ScenarioFile)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s has no scenario: %w", id, ErrNoRun)
	}
	return dir, string(read), err
}

// complete fills in a complete run.
func (d *Detail) complete(o *opened) {
	m := &o.Source.Manifest
	d.Description, d.Paper, d.FirstStep = m.Description, m.Paper, m.FirstStep
	d.Files, d.Versions = m.Files, &m.Versions
	d.warn(m.Warnings, m.Seeds.Count, len(m.Arms))
	o.once.Do(func() { o.first, o.inner = o.firstFigure(), innerKeys(o.Arms) })
	d.Metrics, d.Figure, d.InnerKeys = metricsOf(o.Metrics(), o.Known), o.first, o.inner
	d.HeatKeys = o.HeatKeys()
	d.Losses = lossesOf(o.Rows[ledger.EpsilonTotal])
}

// lossesOf returns the least and the greatest last privacy loss of an arm that is positive and finite;
// nil where there is none. Rows of an arm are in the order of the steps.
func lossesOf(rows []results.SummaryRow) []float64 {
	var last []float64
	for i, row := range rows {
		if end := i+1 == len(rows) || rows[i+1].Arm != row.Arm; end && row.Mean > 0 && !math.IsInf(row.Mean, 1) {
			last = append(last, row.Mean)
		}
	}
	if len(last) == 0 {
		return nil
	}
	return []float64{slices.Min(last), slices.Max(last)}
}

// Values are the last values of a finished run.
type Values struct {
	// Last are tables of the last values, and Marks explains the marks in them. Notes are
	// values that are derived for the arms. Both are without the entries of the ledger, which
	// are in Folder.Privacy; see Ledger.
	Last  []Table `json:"last"`
	Marks string  `json:"marks,omitempty"`
	// Errors explains the intervals in Last.
	Errors string `json:"errors,omitempty"`
	// Same states the metrics with one value in all arms, which Last does not have.
	Same  string  `json:"same,omitempty"`
	Notes []Table `json:"notes"`
	// Ledger is true if the run accounts for privacy.
	Ledger bool `json:"ledger"`
	// Claims states which claims of privacy are kept; absent where there are none.
	Claims string `json:"claims,omitempty"`
	// Spread has the spread of the losses to single nodes, a row for each arm; nil where none were accounted for.
	Spread *Table `json:"spread,omitempty"`
	// Finding is the answer of the run; absent where it has none. A run of one arm has no rows in it.
	Finding *Finding `json:"finding,omitempty"`
}

// Finding has the arms of a run by its headline metric, with sentences below.
type Finding struct {
	// Question is the comparison that the study makes, and Answer its result, the most important first.
	Question string   `json:"question"`
	Answer   []string `json:"answer"`
	Heading  string   `json:"heading"`
	Table    Table    `json:"table"`
	// Costs has the private arms beside a table by two keys, with the same arms without noise; absent where there are
	// none. Texts explain it first.
	Costs *Table   `json:"costs,omitempty"`
	Texts []string `json:"texts"`
	// Best are the cells of the table in bold, by row and column, and Shares the darkness of its
	// cells, from 0 to 1, after the column of names; both are of a table by two keys.
	Best   [][]bool       `json:"best,omitempty"`
	Shares [][]live.Float `json:"shares,omitempty"`
}

// newFinding returns a finding for the page; nil where it has none.
func newFinding(f *view.Finding) *Finding {
	reported := f.Reported()
	if reported == nil {
		return nil
	}
	if !reported.Compares() {
		return &Finding{Question: reported.Question, Answer: reported.Answer, Table: Table{Header: []string{}, Rows: [][]string{}}, Texts: []string{}}
	}
	out := &Finding{
		Question: reported.Question, Answer: append([]string{}, reported.Answer...), Heading: reported.Heading, Table: Table(reported.Table),
		Texts: append(append([]string{}, reported.Texts...), reported.Terms...), Best: reported.Best,
	}
	if len(reported.Costs.Rows) > 0 {
		costs := Table(reported.Costs)
		out.Costs, out.Texts = &costs, slices.Insert(out.Texts, 0, reported.CostsText)
	}
	shares := reported.Shares
	for _, row := range shares {
		var line []live.Float
		for _, share := range row {
			line = append(line, live.Float(share))
		}
		out.Shares = append(out.Shares, line)
	}
	for len(shares) > 0 && len(out.Shares) < len(out.Table.Rows) { // lines of ratios have no colour
		none := make([]live.Float, len(shares[0]))
		for i := range none {
			none[i] = live.Float(math.NaN())
		}
		out.Shares = append(out.Shares, none)
	}
	return out
}

// Values returns the last values of a finished run. To mark the best arms takes longer than
// the rest.
func (f *Folder) Values(id string) (*Values, error) {
	o, err := f.opened(id)
	if err != nil {
		return nil, err
	}
	paid := len(o.Source.Manifest.Ledger) > 0
	parts := &runner.Parts{Loader: f.loader}
	defer parts.Close()
	found, err := o.Run.Find(parts.Statistic)
	if err != nil {
		return nil, err
	}
	v, err := o.Run.Values(found, view.ValuesOptions{Beside: paid, PerTable: armsPerTable})
	if err != nil {
		return nil, err
	}
	values := &Values{Last: tablesOf(v.Last), Marks: v.Marks, Errors: v.Errors, Same: v.Same, Notes: tablesOf(o.Run.Notes(paid)), Ledger: paid}
	if pairs, err := accounts.PairsOf(o.Source); err == nil && paid {
		near, err := nearIn(func() (*study.Scenario, error) { return f.scenario(id) })
		if err != nil {
			return nil, err
		}
		spread := Table(accounts.Named(accounts.ShownSummary(pairs, near), plot.ArmLabels(o.Arms)))
		values.Spread = &spread
	}
	if values.Finding = newFinding(found); values.Finding == nil {
		return values, nil
	}
	matrix, err := accounts.MatrixOf(o.Source)
	if err != nil {
		return nil, err
	}
	matrix.Named(plot.ArmLabels(o.Arms))
	values.Claims = matrix.ClaimsText()
	return values, nil
}

// warn adds the warnings of a run.
func (d *Detail) warn(warnings []results.Warning, seeds, arms int) {
	warnings = view.Labelled(warnings, armsOf(d.Arms))
	lines, more := view.WarningLines(warnings, seeds, arms)
	d.Warnings, d.MoreWarnings = append(d.Warnings, lines...), more
	d.Facts = append(d.Facts, view.FactLines(warnings, seeds, arms)...)
}

// unfinished fills in the records that a run has left so far.
func (d *Detail) unfinished(known metric.List) {
	d.FirstStep = int64(d.Live.FirstStep)
	var warnings []results.Warning
	for _, w := range d.Live.Warnings {
		warnings = append(warnings, results.Warning(w))
	}
	d.warn(warnings, 0, 0)
	var names []string
	for i := range d.Live.Curves {
		if !slices.Contains(names, d.Live.Curves[i].Metric) {
			names = append(names, d.Live.Curves[i].Metric)
		}
	}
	d.Metrics = metricsOf(names, known)
	stated, own := statedIn(d.Scenario)
	for i := range d.Metrics {
		d.Metrics[i].LogY = logarithmic(d.Metrics[i].Name, own, d.Live.Curves, known)
	}
	d.Provisional = provisional(stated, own, d.Live, known)
	d.Live.Curves = nil
}

// innerKeys returns the keys inside of mappings to which arms give several plain values.
func innerKeys(arms []results.ArmEntry) (keys []string) {
	values := map[string]map[string]bool{}
	for i := range arms {
		own := plot.KeysOf(&arms[i])
		for _, key := range own {
			if slices.ContainsFunc(arms[i].Values, func(v results.Value) bool { return v.Path == key }) {
				continue
			}
			value, _ := arms[i].Value(key)
			if values[key] == nil {
				values[key] = map[string]bool{}
				keys = append(keys, key)
			}
			values[key][value] = true
		}
	}
	return slices.DeleteFunc(keys, func(key string) bool {
		mapping := false
		for value := range values[key] { // any order
			mapping = mapping || strings.ContainsAny(value, "{[")
		}
		return mapping || len(values[key]) < 2
	})
}

// keysOf returns the paths that arms set, each once.
func keysOf(arms []runs.ArmValues) []string {
	keys := []string{}
	for _, arm := range arms {
		for _, v := range arm.Values {
			if !slices.Contains(keys, v.Path) {
				keys = append(keys, v.Path)
			}
		}
	}
	return keys
}

// metricsOf returns metrics with their descriptions in lists: first the ones with a usual
// figure.
func metricsOf(names []string, known metric.List) []Metric {
	slices.Sort(names)
	list := []Metric{}
	add := func(name string, m metric.Metric) {
		list = append(list, Metric{Name: name, Label: known.Label(name, false), Text: m.Summary, Better: m.Better, PerStep: m.PerStep,
			OfNodes: m.Level == metric.OfNode, Usual: m.Chart.Name != ""})
	}
	for _, m := range known.Charted() {
		if slices.Contains(names, m.Name) {
			add(m.Name, m)
		}
	}
	for _, name := range names {
		if m, _ := known.Find(name); m.Chart.Name == "" {
			add(name, m)
		}
	}
	return list
}
