package paper

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/typeset"
	"starling/scenarios/view"
)

var update = flag.Bool("update", false, "write the golden files anew")

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// stated is an arm of a test with the privacy that it states; no observer is no statement.
type stated struct {
	name, unit, observer string
	epsilon, delta       float64
	values               []results.Value
}

// known are the metrics of the tests.
var known = metric.List{
	{Name: "loss_run", Better: metric.LowerIsBetter, Level: metric.OfRun, Summary: "s", Label: "l"},
	{Name: "gain", Better: metric.HigherIsBetter, Level: metric.OfRun, Summary: "s", Label: "l"},
	{Name: "plain", Level: metric.OfRun, Summary: "s", Label: "l"},
}

// runOf writes and reads a run; fill adds the rows of a job.
func runOf(t *testing.T, arms []stated, seeds int, fill func(job *results.Job)) *view.Run {
	t.Helper()
	plan := results.Plan{Seeds: results.Seeds{Base: 3, Count: seeds}}
	manifest := results.Manifest{
		Scenario: "demo", Description: "50 % & more of x_1", Hash: "0123abcd", Status: results.StatusComplete, Digest: "00ff", Seeds: plan.Seeds, Horizon: 2,
		FirstStep: 1, MeasuredNodes: results.MeasuredNodes{All: true}, Versions: results.CurrentVersions("test"),
	}
	for _, arm := range arms {
		plan.Arms = append(plan.Arms, arm.name)
		manifest.Arms = append(manifest.Arms, results.ArmEntry{Name: arm.name, Values: arm.values})
		if arm.observer != "" {
			manifest.Ledger = append(manifest.Ledger, results.LedgerEntry{Arm: arm.name, Observer: arm.observer, Unit: arm.unit, Neighbours: "one replaced", Relation: "replace"})
		}
	}
	dir := filepath.Join(t.TempDir(), "run")
	folder, err := results.Create(dir, results.Options{Plan: plan, Scenario: []byte("name: demo\nproblem: {kind: table, test: 50}\n")})
	must(t, err)
	t.Cleanup(func() { folder.Close() })
	for _, arm := range arms {
		for i := range seeds {
			job := results.NewJob(arm.name, plan.Seeds.Base+uint64(i))
			fill(job)
			must(t, folder.WriteJob(job))
			if arm.observer != "" {
				must(t, folder.AddPrivacy(results.PrivacyRow{Arm: arm.name, Seed: job.Seed(), Observer: arm.observer, Units: 1, Epsilon: arm.epsilon, Delta: arm.delta, Final: true}))
			}
		}
	}
	must(t, folder.Commit(manifest))
	must(t, folder.Close())
	run, err := results.Open(dir)
	must(t, err)
	read, err := view.Read(run, known)
	must(t, err)
	return read
}

// usual are the options of a table without flags.
func usual() Options {
	return Options{Rows: ArmAxis, Columns: MetricAxis, Interval: SE, Digits: 2, Marks: true, Captioned: true}
}

func build(t *testing.T, run *view.Run, o Options) *typeset.Table {
	t.Helper()
	table, err := Build(run, o)
	must(t, err)
	return table
}

// cellAt returns the cell of an arm and a metric.
func cellAt(t *testing.T, table *typeset.Table, arm, metricName string) typeset.Cell {
	t.Helper()
	for _, row := range table.Cells {
		for _, c := range row {
			if n := len(c.Key); n > 0 && c.Key[n-3] == arm && c.Key[n-2] == metricName {
				return c
			}
		}
	}
	t.Fatalf("no cell of %s and %s", arm, metricName)
	return typeset.Cell{}
}

// small is a run of two arms of equal privacy, one of other privacy, and one without noise.
func small(t *testing.T) *view.Run {
	arms := []stated{
		{name: "a&b,epsilon=1", unit: "a datum", observer: "server", epsilon: 1, delta: 1e-5},
		{name: "c_d,epsilon=1", unit: "a datum", observer: "server", epsilon: 1, delta: 1e-5},
		{name: "a&b,epsilon=2", unit: "a datum", observer: "server", epsilon: 2, delta: 1e-5},
		{name: "a&b,epsilon=none", unit: "a datum", observer: "server", epsilon: math.Inf(1)},
	}
	for i := range arms {
		name, epsilon, _ := strings.Cut(arms[i].name, ",epsilon=")
		arms[i].values = []results.Value{{Path: "algorithm", Value: `{kind:"` + name + `",clip:1}`}, {Path: "mechanism.epsilon", Value: epsilon}}
	}
	return runOf(t, arms, 6, func(job *results.Job) {
		k := float64(slices.IndexFunc(arms, func(arm stated) bool { return arm.name == job.Arm() }))
		wobble := float64(job.Seed()%3) - 1
		job.Add(1, "gain", 0)
		job.Add(2, "gain", 0.5+0.01*wobble-0.0011*k*float64(job.Seed()%2))
		job.Add(2, "loss_run", 1e7*(2+k+0.1*wobble))
		job.Add(2, "plain", -3)
		job.Add(2, "epsilon.total", map[bool]float64{true: 1, false: math.Inf(1)}[k < 2])
		if k == 0 {
			job.Add(2, "rare", 0.125+0.001*wobble)
		}
	})
}

// Each format has its text in testdata.
func TestGolden(t *testing.T) {
	run := small(t)
	crossed := usual()
	crossed.Rows, crossed.Columns, crossed.Metrics, crossed.Interval = "algorithm.kind", "mechanism.epsilon", []string{"gain"}, CI
	tested := usual()
	tested.Baseline, tested.Columns, tested.Rows = "a&b,epsilon=1", ArmAxis, MetricAxis
	labelled, labelledTested := usual(), tested
	labelled.Labels, labelledTested.Labels = true, true
	plain := usual()
	plain.Marks, plain.Captioned, plain.Interval, plain.Arms = false, false, None, []string{"a&b*"}
	for _, test := range []struct {
		file    string
		options Options
		format  string
		siunitx bool
	}{
		{"usual.txt", usual(), typeset.Terminal, false}, {"usual.md", usual(), typeset.Markdown, false}, {"usual.tex", usual(), typeset.LaTeX, false},
		{"usual.csv", usual(), typeset.CSV, false}, {"usual.html", usual(), typeset.HTML, false}, {"siunitx.tex", usual(), typeset.LaTeX, true},
		{"crossed.tex", crossed, typeset.LaTeX, false}, {"crossed.csv", crossed, typeset.CSV, false}, {"crossed.txt", crossed, typeset.Terminal, false},
		{"tested.txt", tested, typeset.Terminal, false}, {"tested.csv", tested, typeset.CSV, false}, {"tested.tex", tested, typeset.LaTeX, true},
		{"labelled.tex", labelled, typeset.LaTeX, false}, {"labelled.csv", labelled, typeset.CSV, false}, {"labelled.txt", labelledTested, typeset.Terminal, false},
		{"plain.md", plain, typeset.Markdown, false}, {"plain.tex", plain, typeset.LaTeX, false},
	} {
		t.Run(test.file, func(t *testing.T) {
			table := build(t, run, test.options)
			table.Siunitx = test.siunitx
			var got bytes.Buffer
			must(t, table.Write(&got, test.format))
			file := filepath.Join("testdata", test.file)
			if *update {
				must(t, os.WriteFile(file, got.Bytes(), 0o644))
			}
			want, err := os.ReadFile(file)
			must(t, err)
			if got.String() != strings.ReplaceAll(string(want), "\r\n", "\n") {
				t.Errorf("got\n%s\nwant\n%s", &got, want)
			}
		})
	}
}

// TestLaTeXCompiles sets the golden files of LaTeX, where there is a LaTeX with the packages.
func TestLaTeXCompiles(t *testing.T) {
	engine, err := exec.LookPath("pdflatex")
	if err != nil {
		t.Skip("there is no pdflatex")
	}
	if exec.Command("kpsewhich", "siunitx.sty", "booktabs.sty").Run() != nil {
		t.Skip("there is no siunitx or booktabs")
	}
	files, err := filepath.Glob(filepath.Join("testdata", "*.tex"))
	must(t, err)
	text := "\\documentclass{article}\n\\usepackage{booktabs,siunitx}\n\\sisetup{separate-uncertainty = true}\n\\begin{document}\n"
	for _, file := range files {
		part, err := os.ReadFile(file)
		must(t, err)
		text += string(part) + "\n"
	}
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "tables.tex"), []byte(text+"\\end{document}\n"), 0o644))
	command := exec.Command(engine, "-halt-on-error", "-interaction=nonstopmode", "tables.tex")
	command.Dir = dir
	if output, err := command.CombinedOutput(); err != nil || len(files) < 4 {
		t.Errorf("%d files: %v\n%s", len(files), err, output)
	}
}

// studentQuantile is the 0.975-quantile of Student's law by bisection of Simpson's rule on its
// density.
func studentQuantile(nu float64) float64 {
	density := func(x float64) float64 {
		a, _ := math.Lgamma((nu + 1) / 2)
		b, _ := math.Lgamma(nu / 2)
		return math.Exp(a-b) / math.Sqrt(nu*math.Pi) * math.Pow(1+x*x/nu, -(nu+1)/2)
	}
	low, high := 0.0, 50.0
	for range 60 {
		middle := (low + high) / 2
		const n = 4000
		sum, h := density(0)+density(middle), middle/n
		for i := 1; i < n; i++ {
			sum += density(float64(i)*h) * float64(2+2*(i%2))
		}
		if sum*h/3 < 0.475 {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// Means, errors and intervals are those of plain sums, and p-values are those of the closed
// form for four degrees of freedom, corrected by hand.
func TestNumbers(t *testing.T) {
	values := map[string][]float64{"a": {1, 4, 2.5, 3, 2}, "b": {2.25, 4.5, 3, 3.25, 1.5}, "c": {9, 8, 9.5, 4, 7}}
	arms := []stated{{name: "a"}, {name: "b"}, {name: "c"}}
	run := runOf(t, arms, 5, func(job *results.Job) { job.Add(2, "gain", values[job.Arm()][job.Seed()-3]) })
	moments := func(list []float64) (mean, se float64) {
		for _, x := range list {
			mean += x / 5
		}
		for _, x := range list {
			se += (x - mean) * (x - mean)
		}
		return mean, math.Sqrt(se / 4 / 5)
	}
	near := func(name string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-9*math.Abs(want)) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	o := usual()
	o.Baseline = "a"
	table := build(t, run, o)
	o.Interval = CI
	wide := build(t, run, o)
	p := map[string]float64{}
	for arm, list := range values {
		mean, se := moments(list)
		c := cellAt(t, table, arm, "gain")
		near("mean of "+arm, c.Mean, mean)
		near("error of "+arm, c.Error, se)
		near("interval of "+arm, cellAt(t, wide, arm, "gain").Error, studentQuantile(4)*se)
		if c.N != 5 {
			t.Errorf("%d seeds", c.N)
		}
		differences := make([]float64, 5)
		for i := range list {
			differences[i] = list[i] - values["a"][i]
		}
		mean, se = moments(differences)
		x := mean / se / math.Sqrt(1+mean*mean/(se*se)/4)
		p[arm] = 1 - 0.75*x*(1-x*x/12)
	}
	if !math.IsNaN(cellAt(t, table, "a", "gain").P) {
		t.Error("the baseline has a p-value")
	}
	// Holm: the smaller of two is doubled, and the larger is at least as much.
	least, most := min(p["b"], p["c"]), max(p["b"], p["c"])
	near("least p", min(cellAt(t, table, "b", "gain").P, cellAt(t, table, "c", "gain").P), 2*least)
	near("largest p", max(cellAt(t, table, "b", "gain").P, cellAt(t, table, "c", "gain").P), max(2*least, most))
}

// marksOf returns the marks of arms on a metric: B, A or a dot for each.
func marksOf(t *testing.T, table *typeset.Table, arms []stated, metricName string) (marks string) {
	for _, arm := range arms {
		marks += []string{".", "B", "A"}[cellAt(t, table, arm.name, metricName).Mark]
	}
	return marks
}

// Only arms of one privacy are marked against each other: another epsilon, delta, unit,
// observer or problem is another condition, and losses that nothing bounds are one.
func TestConditions(t *testing.T) {
	base := stated{unit: "a datum", observer: "server", epsilon: 1, delta: 1e-5}
	with := func(change func(*stated)) stated {
		s := base
		change(&s)
		return s
	}
	for name, test := range map[string]struct {
		second stated
		want   string // of the better arm first, and of one far worse
	}{
		"equal":            {base, "B."},
		"epsilon":          {with(func(s *stated) { s.epsilon = 1.01 }), ".."},
		"rounding":         {with(func(s *stated) { s.epsilon = 1 + 1e-9 }), "B."},
		"delta":            {with(func(s *stated) { s.delta = 1e-6 }), ".."},
		"unit":             {with(func(s *stated) { s.unit = "a client" }), ".."},
		"observer":         {with(func(s *stated) { s.observer = "peer" }), ".."},
		"nothing stated":   {with(func(s *stated) { s.observer = "" }), ".."},
		"not private":      {with(func(s *stated) { s.epsilon = math.Inf(1) }), ".."},
		"another problem":  {with(func(s *stated) { s.values = []results.Value{{Path: "problem.kind", Value: "other"}} }), ".."},
		"another decision": {with(func(s *stated) { s.values = []results.Value{{Path: "problem.set.radius", Value: "2"}} }), "B."},
	} {
		first := base
		first.name, test.second.name = "first", "second"
		arms := []stated{first, test.second}
		fill := func(job *results.Job) {
			worse := map[string]float64{"first": 0, "second": 5}[job.Arm()]
			job.Add(2, "loss_run", worse+0.1*float64(job.Seed()%3)+0.01*worse*float64(job.Seed()%2))
		}
		run := runOf(t, arms, 6, fill)
		table := build(t, run, usual())
		if got := marksOf(t, table, arms, "loss_run"); got != test.want {
			t.Errorf("%s: marks %s, want %s", name, got, test.want)
		}
		if said := strings.Contains(strings.Join(table.Caption, " "), "No marks: no two arms have the same privacy"); said != (test.want == "..") {
			t.Errorf("%s: %q", name, table.Caption)
		}
		none := usual()
		none.Marks = false
		if got := marksOf(t, build(t, run, none), arms, "loss_run"); got != ".." {
			t.Errorf("%s: marks %s where none are asked for", name, got)
		}
		if table := build(t, runOf(t, arms, 4, fill), usual()); marksOf(t, table, arms, "loss_run") != ".." {
			t.Errorf("%s: marks with 4 seeds", name)
		}
	}
}

// The observer chooses the losses by which arms compare.
func TestObserver(t *testing.T) {
	arms := []stated{{name: "a", unit: "u", observer: "server", epsilon: 1}, {name: "b", unit: "u", observer: "server", epsilon: 1}}
	run := runOf(t, arms, 6, func(job *results.Job) {
		job.Add(2, "gain", float64(len(job.Arm()))+float64(job.Seed()%3)*float64(job.Arm()[0]))
	})
	run.Source.Manifest.Ledger = append(run.Source.Manifest.Ledger, results.LedgerEntry{Arm: "a", Observer: "public", Unit: "u"})
	if got := marksOf(t, build(t, run, usual()), arms, "gain"); got != ".." {
		t.Errorf("marks %s over all observers", got)
	}
	o := usual()
	o.Observer = "server"
	if got := marksOf(t, build(t, run, o), arms, "gain"); !strings.Contains(got, "B") {
		t.Errorf("marks %s by the losses to the server", got)
	}
}

// Of arms that are alike, with the part of a value that a seed has in common, at most 5 % of
// tables tell one from the best of its condition: 10 of 200 on average, and not over 10 + 3 *
// 3.1. A table in which an arm is far worse tells it.
func TestMarksHoldTheirLevel(t *testing.T) {
	arms := make([]stated, 6)
	for i := range arms {
		arms[i] = stated{name: fmt.Sprintf("arm %d", i), unit: "u", observer: "server", epsilon: float64(1 + i/3)}
	}
	wrong, told := 0, 0
	for k := range uint64(200) {
		draw := rand.New(rand.NewPCG(11, k))
		common := map[uint64]float64{}
		run := runOf(t, arms, 8, func(job *results.Job) {
			if _, ok := common[job.Seed()]; !ok {
				common[job.Seed()] = 3 * draw.NormFloat64()
			}
			job.Add(2, "gain", common[job.Seed()]+draw.NormFloat64())
			worse := 0.0
			if job.Arm() == "arm 1" {
				worse = 20
			}
			job.Add(2, "loss_run", common[job.Seed()]+draw.NormFloat64()+worse)
		})
		table := build(t, run, usual())
		if strings.Contains(marksOf(t, table, arms, "gain"), ".") {
			wrong++
		}
		if cellAt(t, table, "arm 1", "loss_run").Mark == typeset.Unmarked {
			told++
		}
	}
	t.Logf("of 200 tables %d tell an arm that is as good, and %d one that is far worse", wrong, told)
	if wrong > 19 {
		t.Errorf("%d of 200 tables tell an arm from others that are as good", wrong)
	}
	if told < 190 {
		t.Errorf("%d of 200 tables tell an arm that is far worse", told)
	}
}

// All faults are told at once, with the words that there are.
func TestFaults(t *testing.T) {
	run := small(t)
	at := int64(7)
	_, err := Build(run, Options{
		Rows: "algorithm.knd", Columns: "stepp", Metrics: []string{"gian"}, Arms: []string{"zz"}, Baseline: "nobody", Observer: "sever", At: &at, Interval: "sd", Digits: 0,
	})
	if err == nil {
		t.Fatal("no fault")
	}
	for _, want := range []string{
		`--rows: unknown axis "algorithm.knd"`, `--columns: unknown axis "stepp"`, `--metric: unknown metric "gian"; did you mean "gain"?`,
		`--arm: unknown arm "zz"; known: a&b,epsilon=1; c_d`, `--baseline: unknown arm "nobody"`, `--observer: unknown observer "sever"; did you mean "server"?`,
		"--at: no metric is recorded at step 7; the nearest step is 2, of steps 1 to 2", `--interval: unknown interval "sd"`, "--digits: 0 digits; want 1 to 10",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in\n%v", want, err)
		}
	}
	for _, test := range []struct {
		change func(*Options)
		want   string
	}{
		{func(o *Options) { o.Rows, o.Columns = ArmAxis, ArmAxis }, "rows and columns are both arm"},
		{func(o *Options) { o.Columns = "mechanism.epsilon" }, "one metric, and 5 are chosen"},
		{func(o *Options) { o.Rows = "mechanism.epsilon" }, `the arms "a&b,epsilon=1" and "c_d,epsilon=1" are in one cell`},
		{func(o *Options) { o.Metrics, o.At = []string{"rare"}, new(int64(1)) }, "rare has no value at the step of the table; metrics with one: gain"},
		{func(o *Options) { o.Arms, o.Baseline = []string{"a&b*"}, "c_d,epsilon=1" }, "is not shown; add it with --arm"},
	} {
		o := usual()
		test.change(&o)
		if _, err := Build(run, o); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

// The part of a name that the other axis shows goes.
func TestWithoutKey(t *testing.T) {
	for _, test := range []struct{ name, key, want string }{
		{"ofl,epsilon=1", "mechanism.epsilon", "ofl"}, {"epsilon=1,nodes=3", "mechanism.epsilon", "nodes=3"}, {"epsilon=1", "mechanism.epsilon", "epsilon=1"},
		{"algorithm={kind:x,epsilon=1},nodes=3", "nodes", "algorithm={kind:x,epsilon=1}"}, {"fedavg", "nodes", "fedavg"},
	} {
		if got := withoutKey(test.name, test.key); got != test.want {
			t.Errorf("%s without %s is %s, want %s", test.name, test.key, got, test.want)
		}
	}
}

// TestMarksOfLastValues holds that the table of last values marks arms against arms of equal
// privacy alone: where less noise learns better by far, the best of each epsilon is marked, and
// where no two arms have the same privacy there are no marks.
func TestMarksOfLastValues(t *testing.T) {
	arms := []stated{
		{"a,epsilon=1", "a node", "wire", 1, 1e-5, nil}, {"b,epsilon=1", "a node", "wire", 1, 1e-5, nil},
		{"a,epsilon=8", "a node", "wire", 8, 1e-5, nil}, {"b,epsilon=8", "a node", "wire", 8, 1e-5, nil},
	}
	fill := func(job *results.Job) {
		base := map[string]float64{"a,epsilon=1": 9, "b,epsilon=1": 8, "a,epsilon=8": 1, "b,epsilon=8": 2}[job.Arm()]
		job.Add(2, "loss_run", base+float64(job.Seed()%3)/100)
	}
	for _, test := range []struct {
		arms        []stated
		cells, text string
	}{
		{arms, "9.0088  |8.0088 *|1.0088 *|2.0088  |", "* best mean of each group of arms of equal privacy; ~ "},
		{[]stated{arms[0], arms[3]}, "9.0088|2.0088|", ""},
	} {
		values, err := runOf(t, test.arms, 8, fill).Values(nil, view.ValuesOptions{Beside: true, PerTable: 8})
		must(t, err)
		cells := ""
		for _, cell := range values.Last[0].Rows[0][1:] {
			mean, _, _ := strings.Cut(cell, " ±")
			cells += mean + cell[len(strings.TrimRight(cell, "*~ ")):] + "|"
		}
		if cells != test.cells || !strings.HasPrefix(values.Marks, test.text) || test.text == "" && values.Marks != "" {
			t.Errorf("%s %q, want %s %q", cells, values.Marks, test.cells, test.text)
		}
	}
}
