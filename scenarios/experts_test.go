package scenarios_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/mechanisms/accountant"
	"starling/mechanisms/rng"
	"starling/scenarios"
	"starling/scenarios/document"
	"starling/scenarios/family/prediction"
	"starling/scenarios/gauge"
	"starling/scenarios/inputs"
	"starling/scenarios/ledger"
	"starling/scenarios/loading"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/results"
	"starling/scenarios/results/tabular"
	"starling/scenarios/runner"
	"starling/scenarios/study"
)

// TestInvalidExperts checks the messages about the sections of prediction from
// experts.
func TestInvalidExperts(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("losses.csv", []byte("client,step,a,b\n1,1,0,0.5\n1,2,0,1.5\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("short.csv", []byte("client,step,a,b\n1,1,0,0.5\n1,2,0,0.5\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, text string
		edits      []string
		data, want string
	}{
		{"unknown key", stochastic, []string{"kind: opestoch", "kind: opestoch, kappa: 3"}, "",
			`s.yaml:5:29: unknown key "kappa" in algorithm; valid keys: kind, variant, batch, trees, start`},
		{"variant", stochastic, []string{"kind: opestoch", "kind: opestoch, variant: pure"}, "",
			`s.yaml:5:38: algorithm.variant: unknown value "pure"; known: local, approximate, central`},
		{"batch", stochastic, []string{"kind: opestoch", "kind: opestoch, batch: theorem-2"}, "",
			`s.yaml:5:36: algorithm.batch: unknown value "theorem-2"; did you mean "theorem-1"?`},
		{"trees", stochastic, []string{"kind: opestoch", "kind: opestoch, trees: -1"}, "",
			`s.yaml:5:36: algorithm.trees: -1 trees; want at least 1, or 0 for the number in the theorem`},
		{"start", stochastic, []string{"kind: opestoch", "kind: opestoch, start: [1, 0]"}, "",
			`s.yaml:5:36: algorithm.start: start has 2 entries; there are 4 experts`},
		{"delta missing", stochastic, []string{"kind: opestoch", "kind: opestoch, variant: approximate"}, "",
			`s.yaml:8:1: mechanism.delta: delta = 0; the approximate variant needs one in (0, 1)`},
		{"delta too many", realizable, []string{"epsilon: 20", "epsilon: 20, delta: 0.1"}, "",
			`s.yaml:8:54: mechanism.delta: delta = 0.1; the pure variant has none`},
		{"epsilon missing", realizable, []string{", epsilon: 20", ""}, "",
			`s.yaml:8:1: mechanism: missing required key "epsilon"`},
		{"epsilon", stochastic, []string{"epsilon: 2", "epsilon: 0"}, "",
			`s.yaml:8:35: mechanism.epsilon: epsilon = 0; it must be a finite number > 0, or none`},
		{"mechanism of the other", stochastic, []string{"dp-fw", "sparse-vector"}, "",
			`s.yaml:8:19: mechanism.kind: "sparse-vector" does not go with the algorithm opestoch, which takes laplace, gaussian, none, independent, dp-fw`},
		{"noise of a release by the server", stochastic, []string{"dp-fw", "laplace", "kind: opestoch", "kind: opestoch, variant: central"}, "",
			`s.yaml:5:38: algorithm.variant: variant central; noise on the vectors that clients send is for the variant local`},
		{"noise of step sizes", stochastic, []string{"{kind: dp-fw, ", "{kind: laplace, noise: shifted, "}, "",
			`s.yaml:8:35: mechanism.noise: noise is scaled to the move of a release here, and not to step sizes; leave noise out`},
		{"mechanism of another family", realizable, []string{"sparse-vector", "laplace"}, "",
			`s.yaml:8:19: mechanism.kind: "laplace" does not go with the algorithm fedsvt, which takes none, sparse-vector`},
		{"topology", realizable, []string{"kind: star", "kind: ring"}, "",
			`s.yaml:7:18: topology.kind: "ring" does not go with the algorithm fedsvt, which takes star`},
		{"problem of another family", stochastic, []string{"{kind: linear, experts: 4, gap: 0.2}", "{kind: localization}"}, "",
			`s.yaml:6:17: problem.kind: "localization" does not go with the algorithm opestoch, which takes 14 others, such as logistic, python, lower-bound-theorem-2; starling describe opestoch has all`},
		{"interval", realizable, []string{"interval: 2", "interval: 0"}, "",
			`s.yaml:5:37: algorithm.interval: interval of 0 steps; at least 1 is needed`},
		{"interval missing", realizable, []string{"interval: 2, ", ""}, "",
			`s.yaml:5:1: algorithm: missing required key "interval"`},
		{"several", realizable, []string{"kappa: 3", "kappa: -3, rho: 0.5, lstar: -1, start: 5"}, "",
			"s.yaml:5:47: algorithm.kappa: kappa = -3 is not a finite number >= 0\n" +
				"s.yaml:5:56: algorithm.rho: rho = 0.5 is not in (0, 1/2), nor 0 for the default\n" +
				"s.yaml:5:68: algorithm.lstar: L* = -1 is not a finite number >= 0\n" +
				"s.yaml:5:79: algorithm.start: start at expert 5 of 4; want 1 to 4, or 0 to draw it"},
		{"rho 0", realizable, []string{"kappa: 3", "rho: 0"}, "",
			`s.yaml:5:45: algorithm.rho: rho = 0 is not in (0, 1/2)`},
		{"experts", realizable, []string{"experts: 4", "experts: 0"}, "",
			`s.yaml:6:40: problem.experts: 0 experts; want 1 to 1000000`},
		{"gap missing", stochastic, []string{", gap: 0.2", ""}, "",
			`s.yaml:6:1: problem: missing required key "gap"`},
		{"law", stochastic, []string{"gap: 0.2", "gap: 0.2, law: normal"}, "",
			`s.yaml:6:52: problem.law: unknown value "normal"; known: bernoulli, uniform`},
		{"gap", stochastic, []string{"gap: 0.2", "gap: 0.7, expert: 9"}, "",
			"s.yaml:6:42: problem.gap: is 0.7, want a number in [0, 0.5]\n" +
				"s.yaml:6:55: problem.expert: is 9, want 1 to 4, or 0 to draw it for each seed"},
		{"losses beyond 1", realizable, []string{"kind: uniform-zero", "kind: gaussian-softmax"}, "",
			`s.yaml:6:1: problem.clip: losses of experts in [0, 1] are needed, and these are up to 10; give clip: 1, or less`},
		{"losses that are not linear", realizable, []string{"kind: uniform-zero", "kind: gaussian-softmax, loss: cross-entropy"}, "",
			`s.yaml:6:41: problem.loss: losses of experts in [0, 1] are needed, and these are not linear in the decision; give loss: linear-in-decision, with clip: 1`},
		{"losses of nobody's", realizable, []string{"kind: uniform-zero", "kind: localization"}, "",
			`s.yaml:6:17: problem.kind: "localization" does not go with the algorithm fedsvt, which takes 9 others, such as python, lower-bound-theorem-2, lower-bound-theorem-3; starling describe fedsvt has all`},
		{"budget", stochastic, []string{"seeds: {", "budget: {epsilon: 1, on: stop}\nseeds: {"}, "",
			`s.yaml:9:26: budget.on: the server of opestoch waits for every client, so that nobody can stop; want refuse`},
		{"budget refused", realizable, []string{"seeds: {", "budget: {epsilon: 10, on: refuse}\nseeds: {"}, "",
			`s.yaml:9:19: budget.epsilon: the releases of 20 steps have a loss of 15 a node, over the budget of 10; step 3 is the last within the budget`},
		{"sampled nodes", realizable, []string{"seeds: {", "measure: {nodes: 2}\nseeds: {"}, "",
			`s.yaml:9:18: measure.nodes: the metrics of a federated algorithm are of the whole run; leave this out`},
		{"no data", realizable, []string{"{kind: uniform-zero, experts: 4}", "{kind: movielens}"}, "",
			`s.yaml:6:10: problem: the data set movielens-1m is needed: give its folder by --data DIR or STARLING_DATA; 'starling data get movielens-1m --data DIR' downloads it`},
		{"no folder", realizable, []string{"{kind: uniform-zero, experts: 4}", "{kind: movielens}"}, "nowhere",
			`s.yaml:6:10: problem: the data set movielens-1m is needed, and there is no folder nowhere: give its folder by --data DIR or STARLING_DATA`},
		{"not in the folder", realizable, []string{"{kind: uniform-zero, experts: 4}", "{kind: movielens}"}, ".",
			`s.yaml:6:10: problem: data set movielens-1m: ratings.dat, movies.dat (or .gz) not found in movielens-1m; 'starling data get movielens-1m' downloads the set`},
		{"fill", realizable, []string{"{kind: uniform-zero, experts: 4}", "{kind: movielens, fill: median}"}, "",
			`s.yaml:6:34: problem.fill: unknown value "median"; known: genre-mean, user-mean, zero`},
		{"no file", realizable, []string{"{kind: uniform-zero, experts: 4}", "{kind: from-file, file: gone.csv}"}, "",
			`s.yaml:6:34: problem.file: stat gone.csv: no such file or directory`},
		{"loss beyond 1 in a file", realizable, []string{"{kind: uniform-zero, experts: 4}", "{kind: from-file, file: losses.csv}"}, "",
			`s.yaml:6:34: problem.file: losses.csv: line 3: client 1, step 2: the loss of expert 2 is 1.5, outside [0, 1]`},
		{"short file", realizable, []string{"{kind: uniform-zero, experts: 4}", "{kind: from-file, file: short.csv}"}, "",
			"s.yaml:3:10: horizon: 20 steps; short.csv has 2\ns.yaml:4:8: nodes: 3 clients; short.csv has 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := os.WriteFile("s.yaml", []byte(edited(t, test.text, test.edits...)), 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := scenarios.NewLoader(test.data).Load("s.yaml")
			var issues document.Issues
			if !errors.As(err, &issues) {
				t.Fatalf("%T: %v, want an input error with places", err, err)
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPlannedLossOfExperts checks what a dry run says against what the packages
// account for: the planned losses of the steps add up to it, in every variant.
func TestPlannedLossOfExperts(t *testing.T) {
	for _, test := range []struct {
		text string
		sets []string
		want string // the note that it is
	}{
		{stochastic, nil, "epsilon.wire"},
		{stochastic, []string{"algorithm.variant=central"}, "epsilon.public"},
		{stochastic, []string{"algorithm.variant=approximate", "mechanism.delta=0.01"}, "epsilon.wire"},
		{stochastic, []string{"problem={kind: gaussian-softmax, experts: 4, loss: cross-entropy, floor: 0.1}"}, "epsilon.wire"},
		{realizable, nil, "epsilon.public"},
		{realizable, []string{"algorithm.kappa=2.5"}, "epsilon.public"},
		{realizable, []string{"algorithm.interval=50"}, "epsilon.public"},
		{realizable, []string{"algorithm.variant=approximate", "mechanism.delta=0.01"}, "epsilon.public"},
		{realizable, []string{"mechanism.epsilon=none"}, "epsilon.public"},
		{stochastic, []string{"mechanism={kind: none}"}, "epsilon.wire"},
	} {
		arm := loadText(t, test.text, test.sets...).Arms[0]
		total, _, _ := study.PlannedLoss(arm, 20, accountant.NotPrivate())
		want := ""
		notes, _ := arm.Algorithm.Notes(nil)
		for _, n := range notes {
			if n.Key == test.want {
				want = n.Value
			}
		}
		if got := prediction.PerLoss(total); got != want {
			t.Errorf("%v: planned %s, accounted %s", test.sets, got, want)
		}
	}
}

// TestCommunicationIsTheFormula runs both algorithms and compares the metric
// with the note of the schedule and the bytes on the wire.
func TestCommunicationIsTheFormula(t *testing.T) {
	for _, text := range []string{stochastic, realizable} {
		s := loadText(t, text)
		last := map[string]float64{}
		for _, row := range metricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: 2}).Rows {
			last[row.Metric] = row.Value
		}
		notes, _ := s.Arms[0].Algorithm.Notes(nil)
		for _, n := range notes {
			if strings.HasPrefix(n.Key, "communication.") && n.Value != tabular.FormatValue(last[n.Key])+" scalars" {
				t.Errorf("%s: %s is %v, the formula has %s", s.Name, n.Key, last[n.Key], n.Value)
			}
		}
		if scalars := (last[gauge.BytesSent] - 5*last[gauge.MessagesSent]) / 8; scalars != last[prediction.CommunicationUp]+last[prediction.CommunicationDown] || scalars == 0 {
			t.Errorf("%s: %v up and %v down, the messages have %v scalars", s.Name, last[prediction.CommunicationUp], last[prediction.CommunicationDown], scalars)
		}
	}
}

// TestApproximateEpsilon checks that a run of an approximate variant records the
// composed loss at its delta, and never less than nothing for a step.
func TestApproximateEpsilon(t *testing.T) {
	for _, text := range []string{stochastic, realizable} {
		s := loadText(t, text, "algorithm.variant=approximate", "mechanism.delta=0.01", "measure.every=1", "seeds.count=1")
		total, sum := 0.0, 0.0
		for _, row := range metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Rows {
			switch row.Metric {
			case ledger.EpsilonStep:
				sum += row.Value
				if row.Value < 0 {
					t.Errorf("%s: step %d costs %v", s.Name, row.Step, row.Value)
				}
			case ledger.EpsilonTotal:
				total = row.Value
			case ledger.Delta:
				if row.Value != 0.01 {
					t.Errorf("%s: delta %v", s.Name, row.Value)
				}
			}
		}
		planned, _, _ := study.PlannedLoss(s.Arms[0], 20, accountant.NotPrivate())
		if !(math.Abs(total-sum) <= 1e-9*total) || total > planned.Epsilon*(1+1e-9) || total == 0 {
			t.Errorf("%s: epsilon %v in all, %v by steps, %v planned", s.Name, total, sum, planned.Epsilon)
		}
	}
}

// TestDataAreInTheHash checks that the contents of data name a run, and that a
// run is not shown again on others.
func TestDataAreInTheHash(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(users int) {
		if err := dataset.WriteRatings(".", dataset.NewSyntheticRatings(users, rng.NewKey(2, rng.PurposeOf("test.ratings")))); err != nil {
			t.Fatal(err)
		}
	}
	text := edited(t, realizable, "{kind: uniform-zero, experts: 4}", "{kind: movielens}")
	if err := os.WriteFile("s.yaml", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	load := func() *study.Scenario {
		s, err := scenarios.NewLoader(".").Load("s.yaml")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	write(100)
	s := load()
	outcome := runIn(t, s, runner.RunOptions{Out: "results"})
	if runner.Hash(load(), "") != runner.Hash(s, "") {
		t.Error("the same data have another hash")
	}
	var warned, noted bool
	for _, w := range outcome.Manifest.Warnings {
		warned = warned || strings.Contains(w.Message, "a subset of MovieLens 1M")
	}
	for _, n := range outcome.Manifest.Notes {
		noted = noted || n.Key == inputs.DataNote && n.Value == study.NoteOfData(s.Data[0]).Value
	}
	if !warned || !noted {
		t.Errorf("warned %v, noted %v", warned, noted)
	}
	run, err := results.Open(outcome.Dir)
	if err != nil {
		t.Fatal(err)
	}
	replay := func(l loading.Loader) error {
		_, err := runner.Replay(t.Context(), run, runner.ReplayOptions{Seed: 1, Node: 1, From: 1, To: 3, Loader: l}, func(*runner.ReplayTurn) error { return nil })
		return err
	}
	if err := replay(scenarios.NewLoader(".")); err != nil {
		t.Error(err)
	}
	if err := replay(scenarios.NewLoader("")); err == nil || !strings.Contains(err.Error(), "--data DIR") {
		t.Errorf("without data: %v", err)
	}
	write(101)
	if runner.Hash(load(), "") == runner.Hash(s, "") {
		t.Error("other data have the same hash")
	}
	if err := replay(scenarios.NewLoader(".")); err == nil || !strings.HasPrefix(err.Error(), "the run was made with other data than the present file movielens-1m with sha256 ") {
		t.Errorf("other data: %v", err)
	}
}

// TestReproduceWithoutData checks that what names a data set that is not there
// is refused, and is not testable where all is reproduced.
func TestReproduceWithoutData(t *testing.T) {
	options := runner.ReproduceOptions{Quick: true, Loader: scenarios.NewLoader(""), Run: runner.RunOptions{Out: t.TempDir(), Engine: runner.Lockstep}}
	_, err := runner.Reproduce(t.Context(), []string{"svt-movielens"}, options)
	var input *document.InputError
	if !errors.As(err, &input) || !strings.Contains(err.Error(), "--data DIR") {
		t.Errorf("%v", err)
	}
	if files, _ := filepath.Glob(filepath.Join(options.Run.Out, "*")); len(files) > 0 {
		t.Errorf("%v are written", files)
	}
	s, err := runner.NewStudy("svt-movielens", true, scenarios.NewLoader(""))
	if !errors.As(err, &input) || input.Data != dataset.MovieLens1M {
		t.Fatalf("%v", err)
	}
	s.Absent = input.Data
	report, err := s.Report(t.Context(), options)
	if err != nil || len(report.Decisions) != len(s.Claims.Claims) {
		t.Fatalf("%d decisions, %v", len(report.Decisions), err)
	}
	for _, d := range report.Decisions {
		if d.Verdict != "not testable" || !strings.HasPrefix(d.Reason, "the data set movielens-1m is not there") {
			t.Errorf("%s: %s, %s", d.Claim.ID, d.Verdict, d.Reason)
		}
	}
}

// TestPeopleBehindLosses checks that a run on people's data says what the unit of
// its ledger leaves out, and what the decisions cost one person: as much as a
// loss if nothing else were computed from all data, and as much as all losses
// because something is.
func TestPeopleBehindLosses(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := dataset.WriteRatings(".", dataset.NewSyntheticRatings(100, rng.NewKey(2, rng.PurposeOf("test.ratings")))); err != nil {
		t.Fatal(err)
	}
	for fill, computed := range map[string]string{"genre-mean": "the best genre, the fills and the scale", "zero": "the best genre and the scale"} {
		text := edited(t, realizable, "{kind: uniform-zero, experts: 4}", "{kind: movielens, fill: "+fill+"}")
		if err := os.WriteFile("s.yaml", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		s, err := scenarios.NewLoader(".").Load("s.yaml")
		if err != nil {
			t.Fatal(err)
		}
		outcome := runIn(t, s, runner.RunOptions{Out: "results"})
		public := 0.0
		run, err := results.Open(outcome.Dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := run.Privacy(func(row results.PrivacyRow) error {
			if row.Observer == "public" {
				public = row.Epsilon
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		losses := s.Arms[0].File.Nodes * s.Arms[0].File.Horizon
		want := fmt.Sprintf("%.6g for one user's data (1 loss in the run) if %s were public; %.6g as it is, by group privacy over the %d losses that they move", public, computed, float64(losses)*public, losses)
		if got := noteOf(outcome.Manifest.Notes, "epsilon.user"); got != want {
			t.Errorf("fill %s: epsilon.user is %q, want %q", fill, got, want)
		}
		if !slices.ContainsFunc(outcome.Manifest.Warnings, func(w results.Warning) bool {
			return w.Code == "unit" && strings.Contains(w.Message, computed+" were computed from all users' data without noise") && strings.Contains(w.Message, want)
		}) {
			t.Errorf("fill %s: no warning of the unit: %v", fill, outcome.Manifest.Warnings)
		}
	}
}
