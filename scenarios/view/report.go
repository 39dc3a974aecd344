package view

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"starling/scenarios/accounts"
	"starling/scenarios/document"
	"starling/scenarios/ledger"
	"starling/scenarios/loading"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
	"starling/scenarios/results/figure"
	"starling/scenarios/results/report"
	"starling/scenarios/results/runs"
	"starling/scenarios/results/tabular"
	"starling/scenarios/study"
	"starling/scenarios/view/plot"
)

// ReportOptions are the settings of a report.
type ReportOptions struct {
	// Version is this program's version.
	Version string
	// Steps are the steps of the graphs to show, the paper's numbers. By default they are the
	// first step and the steps with other graphs, up to six.
	Steps []int
	// Loader reads the scenarios of the runs. If data of a scenario are missing, its network
	// and its own figures are left out, and the page says so.
	Loader loading.Loader
	// Statistics makes statistics over seeds again, for the intervals of findings; nil leaves
	// these out.
	Statistics comparison.Statistics
	// Halves are the intervals of statistics over all seeds of a run, for its figures; nil leaves Student's t.
	Halves func(run *results.Run) plot.Halves
}

// ArmsPerTable is the number of arms that a table of last values has side by side, so that it
// fits on paper.
const ArmsPerTable = 4

// Report returns the report of one or more runs, each of which can be there once. It is a
// function of the runs' folders and of the options: neither the time nor the machine is in it,
// so that the same runs give the same page, byte for byte. Runs that cannot be reported are an
// InputError.
func Report(runs []*results.Run, options ReportOptions) (*report.Page, error) {
	if len(runs) == 0 {
		return nil, document.BadInput(errors.New("no runs to report"))
	}
	var list []*reported
	for i, run := range runs {
		if err := distinct(runs[:i], run); err != nil {
			return nil, err
		}
		r, err := newReported(run, options.Loader)
		if err != nil {
			return nil, err
		}
		if options.Halves != nil {
			r.Halves = options.Halves(run)
		}
		list = append(list, r)
	}
	page := &report.Page{Title: reportTitle(list), Starling: options.Version, Shared: sharedFigures(list)}
	var findings []*Finding
	for _, r := range list {
		section, f, err := r.section(options)
		if err != nil {
			return nil, err
		}
		page.Runs, findings = append(page.Runs, section), append(findings, f)
	}
	page.Heading, page.Summary = allRuns(list, findings)
	return page, nil
}

// distinct refuses a run that is among others already.
func distinct(others []*results.Run, run *results.Run) error {
	for _, other := range others {
		if other.Manifest.Scenario == run.Manifest.Scenario && other.Manifest.Hash == run.Manifest.Hash {
			return document.BadInput(fmt.Errorf("%s and %s are the same run", other.Dir, run.Dir))
		}
	}
	return nil
}

// reportTitle names the scenarios, each once.
func reportTitle(list []*reported) string {
	var names []string
	for _, r := range list {
		if name := r.Source.Manifest.Scenario; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) > 3 {
		names = append(names[:3:3], fmt.Sprintf("%d more", len(names)-3))
	}
	title := names[len(names)-1]
	if rest := names[:len(names)-1]; len(rest) > 0 {
		title = strings.Join(rest, ", ") + " and " + title
	}
	if len(list) > 1 {
		title += fmt.Sprintf(" (%d runs)", len(list))
	}
	return title
}

// reported is a run with the data that a report needs.
type reported struct {
	*Run
	manifest *results.Manifest
	// text is the text of scenario.yaml.
	text string
	// scenario is nil where this build cannot read it; then the page has no networks.
	scenario *study.Scenario
	// reason is the error for which it cannot.
	reason error
}

// newReported reads the summary and the scenario of a run, without any code that it names. If
// this build cannot read a scenario, the page lacks a part, which is no error.
func newReported(run *results.Run, l loading.Loader) (*reported, error) {
	l.Showing = true
	text, err := run.Scenario()
	if err != nil {
		return nil, err
	}
	r := &reported{manifest: &run.Manifest, text: string(text)}
	if r.Run, err = Read(run, l.Kinds.AllMetrics()); err != nil {
		return nil, err
	}
	// A scenario of another version of the file format still has results.
	doc, err := document.Parse("scenario.yaml", text)
	if err == nil {
		r.scenario, err = l.Check(doc)
	}
	if err != nil {
		r.scenario, r.reason = nil, err
	}
	return r, nil
}

// section returns the part of the page about the run: its facts, last values, ledger, figures,
// networks, and the commands that make it again; and its finding, nil where it has none.
func (r *reported) section(options ReportOptions) (report.Run, *Finding, error) {
	m := r.manifest
	section := report.Run{
		Name: m.Scenario, Hash: m.Hash, Description: m.Description,
		Paper: paperFacts(m.Paper), Facts: r.facts(),
		Notes: r.noteTables(), NotesText: r.notesText(),
		Scenario: r.text, Origin: origin(m), Files: m.Files, Commands: commands(m),
	}
	f, err := r.Find(options.Statistics)
	if err != nil {
		return report.Run{}, nil, err
	}
	if section.Finding = f.Reported(); section.Finding.Compares() {
		if section.Finding.Pictures, err = r.pictures(options.Statistics); err != nil {
			return report.Run{}, nil, err
		}
	}
	warnings := Labelled(m.Warnings, m.Arms)
	section.Warnings, section.MoreWarnings = WarningLines(warnings, m.Seeds.Count, len(m.Arms))
	section.Remarks = FactLines(warnings, m.Seeds.Count, len(m.Arms))
	if section.Ledger, err = r.ledger(); err != nil {
		return report.Run{}, nil, err
	}
	values, err := r.Values(f, ValuesOptions{Beside: len(section.Ledger.Table.Rows) > 0, PerTable: ArmsPerTable})
	if err != nil {
		return report.Run{}, nil, err
	}
	section.Last, section.More = r.paged(values.Last, f)
	section.Last = append(section.Last, values.Owners...)
	section.Step, section.Marks, section.Errors = values.Step, values.Marks, values.Errors
	section.Same = values.Same
	if section.Figures, err = r.figures(&section.Ledger); err != nil {
		return report.Run{}, nil, err
	}
	if r.scenario == nil {
		section.NoTopology = fmt.Sprintf("The network cannot be shown: this build of starling does not read the scenario (%v).", r.reason)
		return section, f, nil
	}
	section.Topologies, section.NetworkRemark, err = describeTopologies(r.scenario, options.Steps)
	return section, f, err
}

// MostRows is the largest number of arms that a page shows of a finding.
const MostRows = 30

// mostAnswers is the largest number of sentences of an answer that a page opens with: the best choice, the tests, and
// the cost of privacy. The others are below the table.
const mostAnswers = 4

// Reported returns the finding for a page; nil where there is none. A run of one arm has no table in it.
func (f *Finding) Reported() *report.Finding {
	if f == nil {
		return nil
	}
	question, answer := f.Opening()
	if len(f.Rows) == 1 {
		return &report.Finding{Question: question, Answer: answer}
	}
	reported := report.Finding{Question: question, Answer: answer, Heading: f.Heading(), Table: f.Table(MostRows), Texts: append(f.Answers(), f.Remarks(MostRows)...), Terms: f.legend(MostRows, false)}
	if f.Grid != nil {
		f.gridReported(&reported)
		return &reported
	}
	reported.Texts = slices.DeleteFunc(reported.Texts, func(text string) bool {
		return slices.Contains(f.verdict(), text) || slices.Contains(answer, text) // the page opens with them
	})
	if few := comparison.TooFew(f.Seeds); few != "" && f.Marks == few && len(answer) > 0 && f.Metric.Better != "" {
		reported.Answer = slices.Insert(slices.Clone(answer), 1, meansOf(f.Seeds))
	}
	return &reported
}

// gridReported sets the parts of a page that a finding by two keys has in another form: the choices in the order of their
// ranks, with intervals, for which a page has room, and colours.
func (f *Finding) gridReported(reported *report.Finding) {
	answers := f.AnswersBeside(true)
	if lead := f.Grid.recommended(f); len(lead) > 0 && !slices.Contains(answers, lead[0]) {
		answers = append(lead, answers...)
	}
	most := min(mostAnswers, len(answers))
	reported.Answer = answers[:most:most]
	reported.Texts = append(answers[most:], f.RemarksBeside(MostRows)...)
	reported.Costs, reported.CostsText = f.CostTable()
	order := f.Grid.ranked(f.Metric.Better, f.Grid.shown(f.Metric.Better, len(f.Grid.Rows)))
	reported.Table, reported.Best = f.Grid.cells(order, marked), picked(f.Grid.best(f.Metric.Better), order)
	reported.Table = f.Grid.withRatios(reported.Table, f, func(tabular.Table) bool { return true })
	for _, line := range reported.Table.Rows[len(reported.Best):] {
		reported.Best = append(reported.Best, make([]bool, len(line)))
	}
	shares, text := f.coloured()
	reported.Shares = picked(shares, order)
	reported.Terms = append(reported.Terms, text)
}

// picked returns elements of a list in an order.
func picked[T any](list []T, order []int) []T {
	out := make([]T, len(order))
	for i, at := range order {
		out[i] = list[at]
	}
	return out
}

// coloured returns the darkness of the cells of a grid, and a sentence on its meaning.
func (f *Finding) coloured() (shares [][]float64, text string) {
	shares, logarithmic := f.Shares()
	text = "A stronger colour is larger"
	if f.Metric.Better != "" {
		text = "Bold: the best mean of each column. A stronger colour is better"
	}
	if logarithmic {
		text += ", on a logarithmic scale"
	}
	return shares, text + "."
}

// paperFacts returns the scenario's facts on its paper, as far as it has any.
func paperFacts(paper *results.Paper) (facts []report.Fact) {
	if paper == nil {
		return nil
	}
	for _, fact := range []report.Fact{
		{Name: "paper", Value: paper.Title},
		{Name: "authors", Value: strings.Join(paper.Authors, ", ")},
		{Name: "follows", Value: paper.Figure},
		{Name: "read it at", Value: paper.URL},
	} {
		if fact.Value != "" {
			facts = append(facts, fact)
		}
	}
	return facts
}

// facts returns the note and the sizes of the run.
func (r *reported) facts() []report.Fact {
	m := r.manifest
	var facts []report.Fact
	if note, err := runs.Note(r.Source.Dir); err == nil && note != "" {
		facts = append(facts, report.Fact{Name: "note", Value: note})
	}
	facts = append(facts, []report.Fact{
		{Name: "arms", Value: strconv.Itoa(len(m.Arms))},
		{Name: "seeds", Value: fmt.Sprintf("%d, from %d", m.Seeds.Count, m.Seeds.Base)},
		{Name: "steps", Value: fmt.Sprintf("%d, from %d", m.Horizon, m.FirstStep)},
	}...)
	if r.scenario != nil {
		least, most := math.MaxInt, 0
		for _, arm := range r.scenario.Arms {
			least, most = min(least, arm.File.Nodes), max(most, arm.File.Nodes)
		}
		nodes := strconv.Itoa(most)
		if least < most {
			nodes = fmt.Sprintf("%d to %d", least, most)
		}
		facts = append(facts, report.Fact{Name: "nodes", Value: nodes})
	}
	measured := "all nodes"
	if r.scenario != nil && slices.ContainsFunc(r.scenario.Arms, func(arm *study.Arm) bool { return arm.Adversaries != nil }) {
		measured = "all honest nodes"
	}
	if !m.MeasuredNodes.All {
		measured = document.Counted(len(m.MeasuredNodes.Nodes), "sampled node")
	}
	return append(facts, report.Fact{Name: "regret taken at", Value: measured})
}

// origin names the build that made the run, and the digest.
func origin(m *results.Manifest) []report.Fact {
	v := &m.Versions
	platform := v.GOOS + "/" + v.GOARCH
	if v.GOAMD64 != "" {
		platform += " " + v.GOAMD64
	}
	facts := []report.Fact{
		{Name: "digest", Value: m.Digest},
		{Name: "hash", Value: m.Hash},
		{Name: "starling", Value: v.Starling},
		{Name: "Go", Value: v.Go},
		{Name: "platform", Value: platform},
	}
	if v.Arithmetic != "" {
		facts = append(facts, report.Fact{Name: "arithmetic", Value: v.Arithmetic})
	}
	for _, setting := range v.Settings {
		facts = append(facts, report.Fact{Name: setting.Key, Value: setting.Value})
	}
	return facts
}

// commands returns the lines of a shell that make the run again: the revision of the
// program, the build with the settings that change arithmetic, the run, and a search for
// the digest in its manifest. An equal digest is an equal run.
func commands(m *results.Manifest) (lines []string) {
	setting := func(key string) string {
		for _, s := range m.Versions.Settings {
			if s.Key == key {
				return s.Value
			}
		}
		return ""
	}
	if revision := setting("vcs.revision"); revision != "" {
		line := "git checkout " + revision
		if setting("vcs.modified") == "true" {
			line += "   # the build had changes on top of this revision"
		}
		lines = append(lines, line)
	}
	build := fmt.Sprintf("GOTOOLCHAIN=%s GOOS=%s GOARCH=%s ", m.Versions.Go, m.Versions.GOOS, m.Versions.GOARCH)
	if m.Versions.GOAMD64 != "" {
		build += "GOAMD64=" + m.Versions.GOAMD64 + " "
	}
	if tags := setting("-tags"); tags != "" {
		build += "GOFLAGS=-tags=" + tags + " "
	}
	return append(lines,
		build+"go build -o starling ./cmd/starling",
		"./starling run scenario.yaml --out again",
		fmt.Sprintf("grep %s again/%s/*/manifest.json", m.Digest, m.Scenario),
		fmt.Sprintf("./starling report again/%s/*", m.Scenario))
}

// privacyNotes are the beginnings of the keys of notes that belong in the ledger.
var privacyNotes = []string{"epsilon.", "delta.", "rho.", "mu."}

// notes returns the notes that do not belong in the ledger.
func (r *reported) notes() []results.Note {
	return slices.DeleteFunc(slices.Clone(r.manifest.Notes), func(note results.Note) bool {
		return slices.ContainsFunc(privacyNotes, func(prefix string) bool { return strings.HasPrefix(note.Key, prefix) })
	})
}

// notesText explains bounds of theorems among these notes; empty without any.
func (r *reported) notesText() string {
	if !slices.ContainsFunc(r.notes(), func(note results.Note) bool { return strings.HasPrefix(note.Key, "theorem-") }) {
		return ""
	}
	return "theorem-N is the bound on the metric that Theorem N of the paper proves, with the numbers of this run. A bound says nothing where it is above the worst possible value. It does not apply where the run breaks an assumption of the theorem, which is named."
}

// noteTables returns the tables of these notes, in which arms share rows.
func (r *reported) noteTables() []tabular.Table {
	tables := noteTables(r.manifest.Arms, r.notes(), r.Of, plot.ArmLabels(r.Arms))
	for i := range tables {
		if tables[i].Header[0] == "arm" {
			tables[i] = beginningsOnce(accounts.RowsTogether(tables[i]))
		}
	}
	return tables
}

// ledger returns the claimed losses of the arms beside the accounted ones, for each observer,
// with the figure of epsilon over the steps where there is one to draw.
func (r *reported) ledger() (report.Ledger, error) {
	table, err := accounts.LedgerTable(r.Source)
	if err != nil {
		return report.Ledger{}, err
	}
	if len(table.Rows) == 0 {
		return report.Ledger{Remark: "The run accounts for no privacy."}, nil
	}
	remarks := []string{
		"Claimed: the epsilon that the paper of the arm states. Accounted: the composed privacy loss of all releases, for the most exposed unit, from each observer's view.",
	}
	for _, entry := range r.manifest.Ledger {
		for _, line := range []string{fmt.Sprintf("Protected: %s. Neighbouring data: %s.", entry.Unit, entry.Neighbours), sentence(entry.Remark)} {
			if line != "" && !slices.Contains(remarks, line) {
				remarks = append(remarks, line)
			}
		}
	}
	labels := plot.ArmLabels(r.Arms)
	places := accounts.ByLabels(r.Arms, labels)
	table = accounts.Named(accounts.Sorted(table, places), labels)
	privacy := report.Ledger{Table: accounts.ArmsTogether(table), Fold: len(r.Arms) > manyArms, Remark: strings.Join(remarks, " ")}
	matrix, err := accounts.MatrixOf(r.Source)
	if err != nil {
		return report.Ledger{}, err
	}
	matrix.Sort(places)
	matrix.Named(labels)
	privacy.Matrix, privacy.Claims, privacy.MatrixTexts = matrix.Table(pageWidth), matrix.ClaimsText(), matrix.Verdicts()
	if units := matrix.Protected(); len(units) > 1 { // of one the remark says more
		privacy.MatrixTexts = append(units, privacy.MatrixTexts...)
	}
	if f := r.metricFigure(ledger.EpsilonTotal); grows(f.Series) {
		r.referencesApart(&f.Figure)
		privacy.Figures.Shown = []report.Figure{f}
	}
	privacy.Pairs, err = r.pairs()
	return privacy, err
}

// grows reports whether any curve of losses changes to a finite value above 0: else the figure says
// no more than the table.
func grows(series []figure.Series) bool {
	return slices.ContainsFunc(series, func(s figure.Series) bool {
		return slices.ContainsFunc(s.Y, func(v float64) bool { return v > 0 && !math.IsInf(v, 1) && v != s.Y[0] })
	})
}

// pageWidth is the number of letters up to which a page has arms beside each other.
const pageWidth = 110

// sentence makes a remark a sentence.
func sentence(remark string) string {
	if remark == "" {
		return ""
	}
	return strings.ToUpper(remark[:1]) + remark[1:] + "."
}
