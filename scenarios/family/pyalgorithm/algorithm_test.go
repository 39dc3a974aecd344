package pyalgorithm_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/actors/algorithm"
	"starling/actors/lockstep"
	"starling/messages"
	"starling/scenarios"
	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
	"starling/scenarios/testneeds"
)

func TestMain(m *testing.M) { os.Exit(scenariotest.Main(m)) }

// own is the class of the library against dsgd, on the same problem.
const own = `version: 1
name: own
horizon: 12
nodes: 5
algorithm: {kind: python, file: library/own-algorithm.py, name: DSGD, theta: 1, gradient_bound: clip, options: {learning_rate: 0.7, decay: 0.25}}
problem: {kind: logistic, set: {kind: l2-ball, dimension: 4, radius: 0.25}}
topology: {kind: ring}
mechanism: {kind: none}
measure: {every: 1}
seeds: {base: 1, count: 2}
`

// builtin is the same algorithm in Go.
const builtin = "algorithm={kind: dsgd, theta: 1, gradient_bound: clip, learning_rate: 0.7, decay: 0.25}"

// load loads a scenario of a class in a file that has the text, beside it.
func load(t testing.TB, text, class string, overrides ...string) (*study.Scenario, error) {
	t.Helper()
	testneeds.Python(t)
	file := scenariotest.File(t, scenariotest.Edited(t, own, "library/own-algorithm.py", "mine.py", "name: DSGD", "name: "+class, ", options: {learning_rate: 0.7, decay: 0.25}", ""))
	if err := os.WriteFile(filepath.Join(filepath.Dir(file), "mine.py"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return scenarios.Load(file, scenariotest.ParseSets(t, overrides...)...)
}

// In both forms the class decides what dsgd decides, without noise.
func TestAgreesWithDSGD(t *testing.T) {
	testneeds.Python(t)
	want := scenariotest.MeasuredIn(t, own, builtin)
	for _, class := range []string{"DSGD", "Together"} {
		for _, effects := range []string{"", "network={kind: effects, loss: {probability: 0.3}, delay: {longest: 2}, churn: {fail: 0.2, recover: 0.5, forget: true}}"} {
			overrides := []string{"algorithm.name=" + class}
			if want = scenariotest.MeasuredIn(t, own, builtin); effects != "" {
				overrides = append(overrides, effects)
				want = scenariotest.MeasuredIn(t, own, builtin, effects)
			}
			agree(t, class, scenariotest.MeasuredIn(t, own, overrides...).Rows, want.Rows)
		}
	}
}

// agree compares rows, whose values may differ by rounding.
func agree(t *testing.T, what string, got, want []results.Row) {
	t.Helper()
	if len(got) != len(want) || len(got) == 0 {
		t.Fatalf("%s: %d rows, want %d", what, len(got), len(want))
	}
	for i, row := range want {
		other := got[i]
		if row.Metric != other.Metric || row.Step != other.Step || cmp.Diff(row.Node, other.Node) != "" || !(math.Abs(row.Value-other.Value) <= 1e-12*max(1, math.Abs(row.Value))) && row.Value != other.Value {
			t.Fatalf("%s: row %v, want %v", what, other, row)
		}
	}
}

// With bandit feedback a class learns from estimates as dsgd does, keeps as far inside the
// set, and is told of nothing but what it plays.
func TestFeedback(t *testing.T) {
	testneeds.Python(t)
	const told = "algorithm.feedback={kind: two-point, radius: 0.1}"
	want, got := scenariotest.MeasuredIn(t, own, builtin, told, "algorithm.theta=4"), scenariotest.MeasuredIn(t, own, told, "algorithm.theta=4")
	for i, row := range want.Rows {
		if other := got.Rows[i]; row.Metric != other.Metric || !(math.Abs(row.Value-other.Value) <= 1e-12*max(1, math.Abs(row.Value))) && row.Value != other.Value {
			t.Fatalf("row %v, want %v", other, row)
		}
	}
	s, err := load(t, everything, "One", told)
	if err != nil {
		t.Fatal(err)
	}
	job := scenariotest.JobOf(t, s)
	if err := lockstep.Run(t.Context(), &job.Run); err == nil || !strings.Contains(err.Error(), "learns only values at points that it plays") {
		t.Errorf("a class that asks for more: %v", err)
	}
}

// With noise of either law the ledger is that of dsgd: the class states the same
// sensitivity.
func TestSameLedger(t *testing.T) {
	testneeds.Python(t)
	for _, mechanism := range []string{"mechanism={kind: laplace, epsilon: 0.5}", "mechanism={kind: gaussian, epsilon: 0.5, delta: 1e-6}"} {
		want := scenariotest.RunIn(t, scenariotest.LoadText(t, own, builtin, mechanism), runner.RunOptions{})
		got := scenariotest.RunIn(t, scenariotest.LoadText(t, own, mechanism), runner.RunOptions{})
		for _, key := range []string{"theta", "epsilon.accounted"} {
			if a, b := scenariotest.NoteOf(want.Manifest.Notes, key), scenariotest.NoteOf(got.Manifest.Notes, key); a == "" || a != b {
				t.Errorf("%s: %s is %q, want %q", mechanism, key, b, a)
			}
		}
		if a, b := fmt.Sprint(want.Manifest.Warnings), fmt.Sprint(got.Manifest.Warnings); a != b {
			t.Errorf("%s: warnings %s, want %s", mechanism, b, a)
		}
		if note := scenariotest.NoteOf(got.Manifest.Notes, "sensitivity"); !strings.Contains(note, "as stated by DSGD") {
			t.Errorf("the sensitivity is %q", note)
		}
		wantRows, gotRows := scenariotest.RowsOf(t, want.Dir), scenariotest.RowsOf(t, got.Dir)
		for _, metric := range []string{"epsilon.step", "epsilon.total"} {
			if a, b := scenariotest.ValuesOf(wantRows, metric), scenariotest.ValuesOf(gotRows, metric); len(a) == 0 || !slices.Equal(a, b) {
				t.Errorf("%s: %s is %v, want %v", mechanism, metric, b, a)
			}
		}
	}
}

// everything is a class that uses all that a turn has: in one form, and in the other.
const everything = `
import numpy as np

class One:
    inbox = True

    def state(self, start):
        return {"x": start, "count": 0, "seen": np.zeros(3, np.uint8), "even": True, "trace": b""}

    def sensitivity(self, step, bound):
        return {"l1": 4 * bound, "l2": 2 * bound}

    def step(self, turn):
        s = turn.state
        if turn.inbox:
            s["x"] = sum(m.weight * m.values for m in turn.inbox if not m.raw)
        s["x"] = yield turn.project(s["x"] + 0.01 * turn.random.standard_normal(4))
        g = yield turn.play(s["x"])
        h = yield turn.gradient(s["x"] / 2)
        f = yield turn.loss(s["x"])
        s["count"] += 1 + len(turn.inbox)
        s["even"] = ~s["even"]
        s["trace"] += bytes([turn.step, turn.node])
        s["seen"][turn.step % 3] = turn.node
        if turn.step % 4 == 3:
            return None
        if turn.step % 4 == 2:
            yield turn.raw(g)
        return s["x"] - 0.1 * (g + h) - f


class All:
    inbox = True
    state = One.state
    sensitivity = One.sensitivity

    def step_all(self, turns):
        s, k = turns.state, len(turns.node)
        for i, inbox in enumerate(turns.inbox):
            if inbox:
                s["x"][i] = sum(m.weight * m.values for m in inbox if not m.raw)
        drawn = np.array([r.standard_normal(4) for r in turns.random])
        s["x"] = yield turns.project(s["x"] + 0.01 * drawn)
        g = yield turns.play(s["x"])
        h = yield turns.gradient(s["x"] / 2)
        f = yield turns.loss(s["x"])
        s["count"] += [1 + len(inbox) for inbox in turns.inbox]
        s["even"] = ~s["even"]
        s["trace"] = [t + bytes([turns.step, n]) for t, n in zip(s["trace"], turns.node)]
        s["seen"][:, turns.step % 3] = turns.node
        if turns.step % 4 == 3:
            return None
        if turns.step % 4 == 2:
            yield turns.raw(g)
        return s["x"] - 0.1 * (g + h) - f[:, None]
`

// The bits are the same on every runtime, whatever the shards, in both forms, with
// effects and after every pause: what a class does is a function of its turn.
func TestSameBits(t *testing.T) {
	for _, effects := range []string{"network={kind: ideal}", "network={kind: effects, loss: {probability: 0.3}, delay: {longest: 2}, churn: {fail: 0.2, recover: 0.5, forget: true}}"} {
		digests := map[string]string{}
		for _, class := range []string{"One", "All"} {
			s, err := load(t, everything, class, effects, "mechanism={kind: laplace, epsilon: 1}")
			if err != nil {
				t.Fatal(err)
			}
			for _, shards := range []int{0, 1, 2, 8} {
				options := runner.RunOptions{Engine: runner.Actors, Shards: shards}
				if shards == 0 {
					options = runner.RunOptions{Engine: runner.Lockstep}
				}
				digests[scenariotest.MetricsOf(t, s, options).Digest] = fmt.Sprint(class, " on ", shards)
			}
			resumes(t, s)
		}
		if len(digests) != 1 {
			t.Errorf("%s: several digests: %v", effects, digests)
		}
	}
}

// resumes runs a job of the scenario, and goes on from each of its pauses in a job that
// is new: both end in the same state.
func resumes(t *testing.T, s *study.Scenario) {
	t.Helper()
	var pauses [][]byte
	end := func(from []byte) []byte {
		job, err := s.Arms[0].Algorithm.Job(1)
		if err != nil {
			t.Fatal(err)
		}
		if from != nil {
			if err := messages.Read(from, job.Run.At(nil)); err != nil {
				t.Fatal(err)
			}
		} else {
			job.Run.Pauses = algorithm.Pauses{Every: 5, Save: func(state *algorithm.State) error {
				pauses = append(pauses, messages.Write(nil, job.Run.At(state)))
				return nil
			}}
		}
		job.Run.Meter = silent{job.Meter}
		if err := lockstep.Run(t.Context(), &job.Run); err != nil {
			t.Fatal(err)
		}
		var states []byte
		for _, machine := range job.Run.Machines {
			states = messages.Write(states, machine)
		}
		return states
	}
	want := end(nil)
	if len(pauses) != 2 {
		t.Fatalf("%d pauses", len(pauses))
	}
	for _, pause := range pauses {
		if got := end(pause); !slices.Equal(got, want) {
			t.Error("a run that goes on ends in another state")
		}
	}
}

// silent is a meter that takes what it is told: a ledger would miss the payments before
// a pause.
type silent struct{ algorithm.ExposureMeter }

// What a state has is seen under its names.
func TestQuantities(t *testing.T) {
	s, err := load(t, everything, "One")
	if err != nil {
		t.Fatal(err)
	}
	job := scenariotest.JobOf(t, s)
	if err := lockstep.Run(t.Context(), &job.Run); err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"x": 4, "count": 1, "seen": 3, "even": 1, "trace": 24}
	for _, q := range algorithm.Quantities(job.Run.Machines[2]) {
		if length, ok := want[q.Name]; ok {
			if delete(want, q.Name); len(q.Values) != length {
				t.Errorf("%s has %d entries, want %d", q.Name, len(q.Values), length)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("nothing has the names %v", want)
	}
}

// raw sends are raw, and what is not sent is not paid for.
func TestRawShows(t *testing.T) {
	s, err := load(t, everything, "One", "mechanism={kind: laplace, epsilon: 1}")
	if err != nil {
		t.Fatal(err)
	}
	outcome := scenariotest.RunIn(t, s, runner.RunOptions{})
	if text := fmt.Sprint(outcome.Manifest.Warnings); !strings.Contains(text, "raw") {
		t.Errorf("warnings %s", text)
	}
}

// The hash of a run has the file, and what runs it.
func TestHash(t *testing.T) {
	digests := func(text string) (names []string) {
		s, err := load(t, text, "One")
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range s.Data {
			names = append(names, d.Name+" "+d.Sha256)
		}
		return names
	}
	first, again, changed := digests(everything), digests(everything), digests(everything+"\n# changed")
	if !slices.Equal(first, again) || len(first) != 2 || !strings.HasPrefix(first[0], "Python 3.") && !strings.HasPrefix(first[1], "Python 3.") {
		t.Errorf("data %q and %q", first, again)
	}
	if slices.Equal(first, changed) {
		t.Errorf("another file has the data %q", changed)
	}
}
