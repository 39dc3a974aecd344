package dpfl

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"starling/actors/algorithm/dpfl"
	"starling/messages"
	"starling/scenarios/gauge"
)

var nan = math.NaN()

// TestPoints counts what a run of 10 rounds leaves at its points 3, 6 and 10.
func TestPoints(t *testing.T) {
	var seen evaluations
	m := meterOf(small(&seen), nil)
	run(t, m, 1, 10)
	got := finished(m)
	want := map[string][]float64{
		gauge.AccuracyTest: {0.03, 0.06, 0.1},
		gauge.LossTrain:    {0.3, 0.6, 1},
		Tau:                {3, 6, 10},
		gauge.Rounds:       {3, 6, 10},
		// the mean of k client/100 over clients 1 and 2 and rounds up to K is
		// 1.5 (K+1)/2/100
		gauge.ClipShare:    {0.03, 0.0525, 0.0825},
		gauge.MessagesSent: {12, 24, 40},
		gauge.BytesSent:    {96, 192, 320},
	}
	for _, metric := range GaugeMetrics().Names() {
		if !cmp.Equal(want[metric], got.of(metric), cmpopts.EquateApprox(1e-12, 0)) {
			t.Errorf("%s: %v, want %v", metric, got.of(metric), want[metric])
		}
	}
	if len(got) != 3*len(want) || !slices.IsSortedFunc(got, func(a, b row) int { return a.step - b.step }) || got[0].step != 3 || got[len(got)-1].step != 10 {
		t.Errorf("%d rows: %v", len(got), got)
	}
	if seen != (evaluations{test: 3, train: 3}) {
		t.Errorf("%+v; want one of each at each point", seen)
	}
}

// TestWanted checks that what is not asked for is neither recorded nor evaluated.
func TestWanted(t *testing.T) {
	for wanted, want := range map[string]evaluations{gauge.AccuracyTest: {test: 3}, gauge.LossTrain: {train: 3}, Tau: {}} {
		var seen evaluations
		o := small(&seen)
		m := meterOf(o, func(metric string) bool { return metric == wanted })
		run(t, m, 1, 10)
		if got := finished(m); len(got) != 3 || len(got.of(wanted)) != 3 || seen != want {
			t.Errorf("%s: %v after %+v", wanted, got, seen)
		}
	}
}

// TestNothing checks what a run that never begins leaves: the initial model, NaN
// where there is nothing to say.
func TestNothing(t *testing.T) {
	var seen evaluations
	m := meterOf(small(&seen), nil)
	got := finished(m)
	for metric, want := range map[string]float64{
		gauge.AccuracyTest: 0.01, gauge.LossTrain: 2, Tau: nan, gauge.Rounds: nan, gauge.ClipShare: nan, gauge.MessagesSent: 0, gauge.BytesSent: 0,
	} {
		if values := got.of(metric); !same(values, []float64{want, want, want}) {
			t.Errorf("%s: %v, want %v at all points", metric, values, want)
		}
	}
}

// TestEnds checks a run that ends between two points, as a budget has it: the model
// that it has is measured once, and stays.
func TestEnds(t *testing.T) {
	var seen evaluations
	m := meterOf(small(&seen), nil)
	run(t, m, 1, 4)
	m.Sent(5, 1, 8) // which a round sends before it ends
	got := finished(m)
	for metric, want := range map[string][]float64{
		gauge.AccuracyTest: {0.03, 0.04, 0.04}, gauge.LossTrain: {0.3, 0.4, 0.4}, Tau: {3, 4, 4}, gauge.Rounds: {3, 4, 4},
		gauge.MessagesSent: {12, 17, 17},
	} {
		if !cmp.Equal(got.of(metric), want, cmpopts.EquateApprox(1e-12, 0)) {
			t.Errorf("%s: %v, want %v", metric, got.of(metric), want)
		}
	}
	if seen.test != 2 {
		t.Errorf("%d evaluations of two models", seen.test)
	}
}

// TestCase checks that the choices that a server records reach what decides them.
func TestCase(t *testing.T) {
	var seen evaluations
	m := meterOf(small(&seen), nil)
	for k, tau := range []float64{1, 1, 4} {
		m.Recorded(server, k+3, dpfl.TauChosen, tau)
		m.Recorded(server, k+3, dpfl.TauFree, 4)
		m.Recorded(server, k+3, dpfl.Rho, float64(k))
		m.Recorded(server, k+3, dpfl.Beta, float64(10*k))
		m.Recorded(server, k+3, dpfl.Xi, float64(100*k))
		m.Recorded(server, k+4, dpfl.Steps, float64(7*k))
	}
	if tau, steps, by := choicesOf(m).Last(); tau != 4 || steps != 14 || by != (Statistics{2, 20, 200}) {
		t.Errorf("last choice %d after %d steps, by %+v", tau, steps, by)
	}
	if tau, _, _ := choicesOf(meterOf(small(&seen), nil)).Last(); tau != 0 {
		t.Errorf("tau = %d where nothing was chosen", tau)
	}
	if got, want := choicesOf(m).Case(), dpfl.CaseOf([]float64{1, 1, 4}, []float64{4, 4, 4}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestStops checks the order of those that end early, whatever that of arrival.
func TestStops(t *testing.T) {
	var seen evaluations
	m := meterOf(small(&seen), nil)
	want := []gauge.Stop{{Node: 2, Step: 4, Reason: "c"}, {Node: 0, Step: 5, Reason: "b"}, {Node: 1, Step: 5, Reason: "a"}}
	var all sync.WaitGroup
	for _, s := range []gauge.Stop{want[2], want[0], want[1]} {
		all.Go(func() { m.Stopped(s.Node, s.Step, s.Reason) })
	}
	all.Wait()
	if d := cmp.Diff(want, m.Stops()); d != "" {
		t.Error(d)
	}
}

// TestState checks at every round that a meter that goes on from a saved state ends
// as one that did not stop, and writes the same state.
func TestState(t *testing.T) {
	play := func(m *gauge.Meter, first, last int) {
		for k := first; k <= last; k++ {
			run(t, m, k, k)
			if k%4 == 0 {
				m.Recorded(server, k, dpfl.TauChosen, float64(k))
				m.Recorded(server, k, dpfl.TauFree, float64(k+1))
				m.Recorded(server, k, dpfl.Rho, float64(k)/2)
				m.Recorded(server, k, dpfl.Beta, float64(k)/3)
				m.Recorded(server, k, dpfl.Xi, float64(k)/5)
				m.Stopped(messages.NodeID(k%3), k, "reason")
			}
		}
	}
	var seen evaluations
	whole := meterOf(small(&seen), nil)
	play(whole, 1, 10)
	for saved := range 11 {
		before := meterOf(small(&seen), nil)
		play(before, 1, saved)
		state := messages.Write([]byte("head"), before)
		m := meterOf(small(&seen), nil)
		if err := messages.Read(state[4:], m); err != nil {
			t.Fatalf("after %d rounds: %v", saved, err)
		}
		if again := messages.Write([]byte("head"), m); string(again) != string(state) {
			t.Errorf("after %d rounds: the state that was read is another", saved)
		}
		play(m, saved+1, 10)
		if d := cmp.Diff(finished(whole), finished(m), cmp.AllowUnexported(row{}), cmpopts.EquateNaNs()); d != "" {
			t.Errorf("after %d rounds:\n%s", saved, d)
		}
		if choicesOf(m).Case() != choicesOf(whole).Case() || !cmp.Equal(m.Stops(), whole.Stops()) {
			t.Errorf("after %d rounds: %v, %v", saved, choicesOf(m).Case(), m.Stops())
		}
		for n := range state[4:] {
			if err := messages.Read(state[4:4+n], meterOf(small(&seen), nil)); err == nil {
				t.Fatalf("after %d rounds: the first %d of %d bytes are a state", saved, n, len(state)-4)
			}
		}
		if err := messages.Read(append(state[4:], 0), meterOf(small(&seen), nil)); err == nil {
			t.Errorf("after %d rounds: a byte too many", saved)
		}
	}
}

// TestFailedEvaluation checks that a failure stays one over a saved state, and is no
// number.
func TestFailedEvaluation(t *testing.T) {
	var seen evaluations
	o := small(&seen)
	o.Accuracy = func([]float64) (float64, error) { return 0, errBroken }
	m := meterOf(o, nil)
	run(t, m, 1, 3)
	again := meterOf(o, nil)
	if err := messages.Read(messages.Write(nil, m), again); err != nil {
		t.Fatal(err)
	}
	for _, m := range []*gauge.Meter{m, again} {
		if text := panics(t, func() { finished(m) }); !strings.Contains(text, "broken") {
			t.Errorf("panic %q", text)
		}
	}
}

// panics returns the text of a panic that has to be.
func panics(t testing.TB, f func()) (text string) {
	t.Helper()
	defer func() {
		r := recover()
		if r == nil {
			t.Fatal("no panic")
		}
		text = fmt.Sprint(r)
	}()
	f()
	return ""
}

// TestOptions checks what is refused, and that Gauges panics with it.
func TestOptions(t *testing.T) {
	for name, change := range map[string]func(o *GaugeOptions){
		"0 clients":                 func(o *GaugeOptions) { o.Clients = 0 },
		"in 0 rounds":               func(o *GaugeOptions) { o.Rounds = 0 },
		"data and start are needed": func(o *GaugeOptions) { o.Start = nil },
		"measure: the loss on data": func(o *GaugeOptions) { o.Loss = nil },
	} {
		var seen evaluations
		o := small(&seen)
		change(&o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		panics(t, func() { Gauges(o) })
	}
	var seen evaluations
	m := meterOf(small(&seen), nil)
	for _, node := range []messages.NodeID{0, 3} {
		if text := panics(t, func() { m.Recorded(node, 1, dpfl.Clipped, 0) }); !strings.Contains(text, "none of 2 clients") {
			t.Errorf("participant %d: panic %q", node, text)
		}
	}
}
