package view

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
	"starling/scenarios/results/tabular"
	"starling/scenarios/view/plot"
)

// Finding is the answer that a run gives to its question: the arms by the headline metric, each
// with its interval, its ratio to a baseline and the privacy loss of the run.
type Finding struct {
	// Metric is the headline metric, at Step of the baseline, over Seeds. Apart means that some arm
	// has its value at another step: it takes other steps, or its record ends there.
	Metric metric.Metric
	Step   int64
	Apart  bool
	Seeds  int
	// Bootstrapped reports whether the intervals come from the bootstrap over seeds.
	Bootstrapped bool
	// Baseline is the arm with which the others are compared: the first arm without a bound on
	// its privacy loss, where others have one, or else the first arm. In a grid an arm is compared
	// with the baseline of its own condition.
	Baseline string
	// Labels are names of arms for people, by name.
	Labels map[string]string
	// Rows are the arms with the metric, the best first, or in their order where neither side is
	// better.
	Rows []FindingRow
	// Grid has the arms by two keys in place of Rows; nil where two keys do not tell them apart.
	Grid *FindingGrid
	// Costs are the private arms beside the grid with the arms that are the same without privacy.
	Costs []PrivateCost
	// Cautions are reasons for which the order of the arms may be wrong; they stand above the finding.
	Cautions []string
	// Sentences state the tests, and nothing that they do not.
	Sentences []string
	// Marks explains the marks at values; empty where there are none.
	Marks string
	// Width is the number of columns for which tables are made; LineWidth at least, but where Wrapped says that the table is
	// printed in lines of the width.
	Width   int
	Wrapped bool
	// problems has the problem of each arm where arms learn several; else it is nil.
	problems map[string]string
	// without has the names of arms for people that have not recorded the metric.
	without []string
	// halves has half the interval of the last value of each other statistic over the seeds, by arm
	// and metric; NaN where there is none.
	halves map[[2]string]float64
}

// FindingRow is an arm of a finding.
type FindingRow struct {
	Arm string
	// Step is the step of the value, in the arm's numbers.
	Step int64
	// Value is the metric and Half half the width of its 95 % interval; NaN where there is none.
	Value, Half float64
	// Baseline is the arm with which this one is compared; empty for a baseline, and where nothing
	// compares.
	Baseline string
	// Ratio is the arm over the baseline, and P the p-value of their difference by Holm's method.
	Ratio comparison.Ratio
	P     float64
	// Epsilon is the accounted privacy loss of the run to the strongest observer; NaN where none is
	// recorded. Claimed is the claimed loss, nil for none, and Covered the accounted loss to the
	// observers of the claim: the one that is largest relative to its claim.
	Epsilon float64
	Claimed *float64
	Covered float64
	// Mark is the mark of the value, or empty, and Group the place of the arms that it is among.
	Mark  string
	Group int

	unit string // of the metric
}

// FindingGrid has rows for the values of one key, the choices, and columns for the conditions.
type FindingGrid struct {
	plot.Grid
	// Rows has the row of each cell; nil for a cell without an arm.
	Rows [][]*FindingRow
	// Others are arms that have no cell of their own.
	Others []FindingRow
	// units has for each row the extent of the protected unit, where rows protect different ones; else nil.
	units []string
}

// Find returns the finding of the run, or nil where it has no headline metric or no arm.
func (r *Run) Find(statistics comparison.Statistics) (*Finding, error) {
	if len(r.Arms) == 0 {
		return nil, nil
	}
	stated, _, err := r.statements("")
	if err != nil {
		return nil, err
	}
	base, err := r.baseline(stated)
	if err != nil {
		return nil, err
	}
	sides := []Side{{r.Source, r.Arms[base].Name}}
	for i, arm := range r.Arms {
		if i != base {
			sides = append(sides, Side{r.Source, arm.Name})
		}
	}
	metrics, err := headline(sides[0], r.Known)
	if errors.As(err, new(*document.InputError)) { // there is no metric
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	f := &Finding{Metric: metrics[0], Baseline: sides[0].Arm, Seeds: r.Source.Manifest.Seeds.Count, Labels: plot.ArmLabels(r.Arms)}
	r.last(f)
	if len(f.Rows) == 0 {
		return nil, nil
	}
	var against *Baseline
	if r.measuresQuality(f.Metric) || !r.byLoss(f, stated) {
		if against, err = r.against(f, sides, statistics); err != nil {
			return nil, err
		}
		r.fillIntervals(f, statistics)
	}
	f.problems = r.problems(against)
	f.noteMissing(r.Arms)
	for i := range f.Rows {
		f.Rows[i].Epsilon = worst(stated[f.Rows[i].Arm])
		f.Rows[i].Claimed, f.Rows[i].Covered = r.claimed(f.Rows[i].Arm, stated[f.Rows[i].Arm])
	}
	if err := r.mark(f, statistics); err != nil {
		return nil, err
	}
	r.resample(f, statistics)
	f.sort()
	if f.Grid = r.grid(f); f.Grid != nil {
		f.Costs = r.costs(f, statistics)
		f.Sentences = append(f.Sentences, f.Grid.sentences(f)...)
	} else if against != nil {
		f.Sentences = append(append(f.Sentences, f.verdict()...), f.sentences(against)...)
		if few := comparison.TooFew(f.Seeds); f.Marks == "" && against.sampled() {
			f.Marks = few
		}
	}
	f.Cautions = r.cautions(f)
	return f, nil
}

// last sets the rows to the last values of the summary, without intervals.
func (r *Run) last(f *Finding) {
	last, _ := LastSteps(&r.Run, []string{f.Metric.Name})
	for _, row := range r.Rows[f.Metric.Name] {
		if row.Step != last[row.Arm] {
			continue
		}
		if row.Arm == f.Baseline {
			f.Step = row.Step
		}
		of := newRow(row.Arm, row.Step, row.Mean)
		of.unit = f.Metric.Unit
		f.Rows = append(f.Rows, of)
	}
	f.Apart = slices.ContainsFunc(f.Rows, func(row FindingRow) bool { return row.Step != f.Rows[0].Step })
}

// noteMissing names the arms that have not recorded the metric.
func (f *Finding) noteMissing(arms []results.ArmEntry) {
	for _, arm := range arms {
		if !slices.ContainsFunc(f.Rows, func(row FindingRow) bool { return row.Arm == arm.Name }) {
			f.without = append(f.without, f.Name(arm.Name))
		}
	}
}

// sort puts the best row first, and rows without a number last.
func (f *Finding) sort() {
	if f.Metric.Better == "" {
		return
	}
	slices.SortStableFunc(f.Rows, func(a, b FindingRow) int {
		order := cmp.Compare(a.Value, b.Value) // NaN is less than any number
		if f.Metric.Better == metric.HigherIsBetter || math.IsNaN(a.Value) || math.IsNaN(b.Value) {
			return -order
		}
		return order
	})
}

// grid returns the rows by two keys, and nil where two keys do not tell the arms apart.
func (r *Run) grid(f *Finding) *FindingGrid {
	g, ok := r.Full()
	if !ok {
		return nil
	}
	grid := &FindingGrid{Grid: g}
	find := func(arm string) *FindingRow {
		if i := slices.IndexFunc(f.Rows, func(row FindingRow) bool { return row.Arm == arm }); i >= 0 && arm != "" {
			return &f.Rows[i]
		}
		return nil
	}
	for _, line := range g.Arms {
		var rows []*FindingRow
		for _, arm := range line {
			rows = append(rows, find(arm))
		}
		grid.Rows = append(grid.Rows, rows)
	}
	for _, arm := range g.Others {
		if row := find(arm); row != nil {
			grid.Others = append(grid.Others, *row)
		}
	}
	grid.nameUnits(r.Source.Manifest.Ledger)
	return grid
}

// Heading describes the metric with its name in files, its step and its seeds.
func (f *Finding) Heading() string {
	var parts []string
	if f.Metric.Name != LossOfRun.Name && f.Metric.Name != f.Metric.Label { // no file has that loss
		parts = append(parts, f.Metric.Name)
	}
	if f.Metric.Better != "" {
		parts = append(parts, fmt.Sprintf("%s is better", f.Metric.Better))
	}
	text := f.Metric.Label
	if len(parts) > 0 {
		text += " (" + strings.Join(parts, ", ") + ")"
	}
	at := fmt.Sprintf("at step %d", f.Step)
	if f.Apart {
		at = "at the last step of each arm"
	}
	return fmt.Sprintf("%s %s, %s", text, at, document.Counted(f.Seeds, "seed"))
}

// Table returns the rows, at most so many: of more the best ones, and of a list the last. Ratios have no intervals where
// a line would be wider than a terminal.
func (f *Finding) Table(most int) tabular.Table {
	if f.Grid != nil {
		return f.Grid.table(f, most).ForPeople()
	}
	t, _ := f.listed(most)
	return t
}

// listed is the table of a list, and a sentence on the privacy of all arms where they share it and their columns have
// no room.
func (f *Finding) listed(most int) (t tabular.Table, shared string) {
	if t = f.list(most, ratioText); t.FitsWhole(f.width()) {
		return t, ""
	}
	if text := f.sharedPrivacy(); text != "" {
		if narrow := t.Without(epsilonHead).Without(claimHead); narrow.FitsWhole(f.width()) {
			return narrow, text
		}
	}
	return f.list(most, bareRatio), ""
}

// sharedPrivacy states the privacy loss of all arms and its claim; empty where they differ, or none is stated.
func (f *Finding) sharedPrivacy() string {
	first := &f.Rows[0]
	loss, claim := lossText(first.Epsilon), first.claimCell()
	if loss == "" || slices.ContainsFunc(f.Rows, func(row FindingRow) bool { return lossText(row.Epsilon) != loss || row.claimCell() != claim }) {
		return ""
	}
	if math.IsInf(first.Epsilon, 1) {
		return "" // other sentences say so
	}
	text := fmt.Sprintf("All arms have epsilon %s over the run", loss)
	if claim != "" {
		text += "; claim: " + claim
	}
	return text + "."
}

// The heads of the columns on privacy.
const (
	epsilonHead = "epsilon of the run"
	claimHead   = "claim"
)

// list is the table of at most so many rows with ratios in a form.
func (f *Finding) list(most int, form func(r comparison.Ratio) string) tabular.Table {
	head := "mean"
	if f.intervals() {
		head = "mean (95 % CI)"
	}
	t := tabular.Table{Header: []string{"arm", head, "× " + f.Name(f.Baseline), epsilonHead, claimHead}}
	rows := f.Rows
	if len(rows) > most {
		rows = append(slices.Clone(rows[:most-1]), rows[len(rows)-1])
	}
	for _, row := range rows {
		ratio := form(row.Ratio)
		if row.Arm == f.Baseline {
			ratio = "1"
		}
		t.Rows = append(t.Rows, []string{f.Name(row.Arm), marked(row), ratio, lossText(row.Epsilon), row.claimCell()})
	}
	if f.Metric.Name == LossOfRun.Name { // the column of losses has it
		t = t.Without(head).Without("× " + f.Name(f.Baseline))
	}
	for _, head := range t.Header[1:] {
		t.DropEmpty(head)
	}
	return t.ForPeople()
}

// Name is the name of an arm for people.
func (f *Finding) Name(arm string) string { return cmp.Or(f.Labels[arm], arm) }

// Answers are the best arms, ratios to the baseline, and results of tests; of a single arm its mean and its privacy loss.
func (f *Finding) Answers() []string {
	if len(f.Rows) == 1 {
		return f.Rows[0].sentences()
	}
	return slices.Clone(f.Sentences)
}

// Remarks are sentences on a table of at most so many rows: arms that it leaves out, or that have no cell.
func (f *Finding) Remarks(most int) []string { return f.remarks(most, false) }

// RemarksBeside are the Remarks beside the CostTable: they leave out its arms.
func (f *Finding) RemarksBeside(most int) []string { return f.remarks(most, true) }

// remarks are the Remarks, without the arms of the table of costs where that is printed.
func (f *Finding) remarks(most int, costs bool) (list []string) {
	switch n := len(f.Rows); {
	case f.Grid != nil && len(f.Grid.Rows) > most && f.Metric.Better != "":
		list = append(list, fmt.Sprintf("The best %d of %d rows.", most, len(f.Grid.Rows)))
	case f.Grid == nil && n > most:
		first := "best"
		if f.Metric.Better == "" {
			first = "first"
		}
		list = append(list, fmt.Sprintf("The %s %d of %s, and the last.", first, most-1, document.Counted(n, "arm")))
	}
	if f.Grid != nil {
		list = append(list, f.Grid.texts(f, costs)...)
	} else if _, shared := f.listed(most); shared != "" {
		list = append(list, shared)
	}
	if len(f.without) > 0 {
		list = append(list, fmt.Sprintf("Without this metric: %s.", namesText(f.without)))
	}
	return list
}

// Legend explains the words and marks in a table of at most so many rows, below a finding with its Cautions.
func (f *Finding) Legend(most int) (list []string) {
	below := *f
	if below.Marks == comparison.TooFew(f.Seeds) && len(f.Cautions) > 0 {
		below.Marks = ""
	}
	if f.Grid != nil {
		return below.legend(most, f.Grid.isBare(f, most))
	}
	return below.legend(most, false)
}

// legend is Legend of a table that has, bare, means alone.
func (f *Finding) legend(most int, bare bool) (list []string) {
	list = f.terms(most)
	marks := f.Marks
	if f.Grid != nil && f.intervals() {
		interval := fmt.Sprintf("± half of the %g %% interval", 100*comparison.Confidence)
		switch {
		case bare:
			interval = fmt.Sprintf("half of the %g %% intervals of these means: %s; a terminal of %d columns shows each", 100*comparison.Confidence, f.Grid.spread(), f.Grid.narrowWidth(f, most))
		case hasEnds(f.Grid.cells(f.Grid.shown(f.Metric.Better, most), marked)):
			interval += endsText
		}
		marks = strings.TrimSuffix(interval+"; "+marks, "; ")
	}
	if marks != "" {
		list = append(list, marks)
	}
	return list
}

// Private reports whether the privacy loss of the run is bounded.
func (r *FindingRow) Private() bool { return !math.IsNaN(r.Epsilon) && !math.IsInf(r.Epsilon, 1) }

// width is the number of columns of a table.
func (f *Finding) width() int { return max(f.Width, LineWidth) }

// marked is the value of a row with its mark.
func marked(row FindingRow) string {
	text := measured(row.unit, row.Value, halfOf(row.Half, row.Ratio))
	if row.Mark != "" {
		text += " " + row.Mark
	}
	return text
}

// measured is withEnds of a measured value: without an interval it has four digits, and six would promise more.
func measured(unit string, value, half float64) string {
	if !(half > 0) && math.Abs(value) < 1e6 {
		return tabular.FormatValue(value)
	}
	return withEnds(unit, value, half)
}

// lossText is a privacy loss; empty where none is stated.
func lossText(epsilon float64) string {
	if math.IsNaN(epsilon) {
		return ""
	}
	return tabular.FormatValue(epsilon)
}

// mostSpread is the largest ratio of the ends of an interval that says anything.
const mostSpread = 1000

// tooFew stands in place of an interval of too few seeds to say anything.
const tooFew = "too few seeds"

// boundless reports whether an interval of a ratio says nothing.
func boundless(r comparison.Ratio) bool { return r.Low > 0 && r.High > mostSpread*r.Low }

// halfOf returns half the interval of a mean; 0 where its ratio says nothing.
func halfOf(half float64, r comparison.Ratio) float64 {
	if boundless(r) {
		return 0
	}
	return half
}

// ratioText is a ratio with its interval; empty where there is none. An interval over more than
// three decades stands for too few seeds.
func ratioText(r comparison.Ratio) string {
	switch {
	case math.IsNaN(r.Value):
		return ""
	case (math.IsNaN(r.Low) || r.Low == r.High) && math.Abs(r.Value) < 100:
		return strconv.FormatFloat(r.Value, 'g', 3, 64)
	case math.IsNaN(r.Low) || r.Low == r.High:
		return tabular.FormatValue(r.Value)
	}
	if boundless(r) {
		return tooFew
	}
	half := (r.High - r.Low) / 2
	return fmt.Sprintf("%s (%s to %s)", rounded(r.Value, half), rounded(r.Low, half), rounded(r.High, half))
}

// bareRatio is ratioText without the interval.
func bareRatio(r comparison.Ratio) string {
	text, _, _ := strings.Cut(ratioText(r), " (")
	return text
}
