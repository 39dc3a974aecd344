package prediction_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"starling/actors/algorithm"
	"starling/actors/algorithm/fedsvt"
	"starling/actors/algorithm/opestoch"
	"starling/actors/lockstep"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/family/prediction"
	"starling/scenarios/gauge"
	"starling/scenarios/ledger"
	"starling/scenarios/problem/experts"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

const (
	clients = 3
	dim     = 4
	horizon = 20
)

var points = []int{1, 4, 7, 16, 20}

// options are those of a meter.
type options struct {
	prediction.GaugeOptions
	points []int
	wanted gauge.Wanted
}

func meterOf(o options) *gauge.Meter {
	return gauge.New(gauge.Span{First: 1, Points: o.points, Wanted: o.wanted}, prediction.Gauges(o.GaugeOptions))
}

type key struct {
	metric string
	step   int
}

// rows collects what a meter reports.
type rows map[key]float64

func (r rows) Add(step int, metric string, value float64) { r[key{metric, step}] = value }
func (r rows) AddNode(int, int, string, float64)          { panic("no metric is of a node") }
func (r rows) Paid(int)                                   {} // where there is no ledger

func finished(l *ledger.Ledger) rows {
	r := rows{}
	l.Finish(r)
	return r
}

// paying is a ledger before a new meter, which states what is paid.
func paying(o options, stated ledger.Statement) *ledger.Ledger {
	stated.Metrics = []string{ledger.EpsilonStep, ledger.EpsilonTotal, ledger.Delta}
	return ledger.New(meterOf(o), ledger.Options{
		Server: true, Participants: o.Clients + 1, Units: o.Clients, Points: o.points, Growing: true,
		Accounts: []ledger.Account{{Delta: 1e-3, By: accountant.PLD}}, Stated: stated,
	})
}

// history is a meter that keeps decisions, messages and switches, too.
type history struct {
	*ledger.Ledger
	options        options
	stated         ledger.Statement
	played         [clients + 1][horizon + 1][]float64
	letters, bytes [horizon + 1]int64
	switches       [horizon + 1]float64
}

func (h *history) Played(node messages.NodeID, step int, x []float64) {
	h.played[node][step] = slices.Clone(x)
	h.Ledger.Played(node, step, x)
}

func (h *history) Sent(step int, messages, bytes int64) {
	h.letters[step] += messages
	h.bytes[step] += bytes
	h.Ledger.Sent(step, messages, bytes)
}

func (h *history) Recorded(node messages.NodeID, step int, quantity string, value float64) {
	if quantity == fedsvt.QuantitySwitches {
		h.switches[step] = value
	}
	h.Ledger.Recorded(node, step, quantity, value)
}

// schedule is that of either algorithm.
type schedule interface {
	Hops(offset int) int
	Acts(offset, hop int) (first, end messages.NodeID)
	Communication() (up, down int)
}

// run measures machines against losses uniform on [0, 1] but for expert 3.
func run(t *testing.T, machines []algorithm.Machine, s schedule, measured prediction.GaugeOptions, stated ledger.Statement) *history {
	t.Helper()
	drawn := must(must(experts.NewUniformZero(experts.UniformZeroOptions{Expert: 3}, clients, dim)).Draw(7, horizon))
	in := experts.LossesOf(drawn)
	measured.Clients, measured.Losses = clients, in
	measured.Best = func() (*experts.Best, error) { return drawn.Hindsight(points) }
	o := options{GaugeOptions: measured, points: points}
	h := &history{Ledger: paying(o, stated), options: o, stated: stated}
	err := lockstep.Run(context.Background(), &algorithm.Run{
		Seed: 7, FirstStep: 1, Steps: horizon, Graphs: must(topology.Star{Leaves: clients}.Sequence()),
		Machines: machines, Costs: in, Meter: h, Hops: s.Hops, Acts: s.Acts,
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func stochOptions(variant opestoch.Variant) opestoch.Options {
	o := opestoch.Options{
		Clients: clients, Experts: dim, Horizon: horizon, Variant: variant, Epsilon: 2, Alpha: 1, Batch: opestoch.Theorem1,
		NoisePurpose: rng.PurposeOf("noise"), SamplePurpose: rng.PurposeOf("sample"),
	}
	if variant == opestoch.Approximate {
		o.Delta = 1e-3
	}
	return o
}

func svtOptions(interval int) fedsvt.Options {
	return fedsvt.Options{
		Clients: clients, Experts: dim, Horizon: horizon, Interval: interval, Variant: fedsvt.Pure, Epsilon: 60, Kappa: 3, Rho: 0.4, Start: 1,
		NoisePurpose: rng.PurposeOf("noise"), StartPurpose: rng.PurposeOf("start"),
	}
}

// check recomputes what both algorithms have from what the machines did: regret
// from the decisions and the losses, and scalars from the bytes of the messages,
// metricOf which each has 5 besides its scalars.
func (h *history) check(t *testing.T, name string, s schedule) rows {
	t.Helper()
	got := finished(h.Ledger)
	for _, point := range points {
		var paid, letters, bytes float64
		least := math.Inf(1)
		for x := range dim {
			total := 0.0
			for step := 1; step <= point; step++ {
				for i := 1; i <= clients; i++ {
					e := make([]float64, dim)
					e[x] = 1
					total += h.options.Losses.Loss(messages.NodeID(i), step, e)
				}
			}
			least = min(least, total)
		}
		for step := 1; step <= point; step++ {
			letters += float64(h.letters[step])
			bytes += float64(h.bytes[step])
			for i := 1; i <= clients; i++ {
				paid += h.options.Losses.Loss(messages.NodeID(i), step, h.played[i][step])
			}
		}
		up, down := got[key{prediction.CommunicationUp, point}], got[key{prediction.CommunicationDown, point}]
		for metric, want := range map[string]float64{
			prediction.RegretClient: (paid - least) / clients,
			gauge.MessagesSent:      letters,
			gauge.BytesSent:         bytes,
			prediction.BestExpert:   3,
		} {
			if v := got[key{metric, point}]; !(math.Abs(v-want) <= 1e-9) {
				t.Errorf("%s: %s %v at step %d, want %v", name, metric, v, point, want)
			}
		}
		if scalars := (bytes - 5*letters) / 8; up+down != scalars {
			t.Errorf("%s: %v scalars up and %v down at step %d, the messages have %v", name, up, down, point, scalars)
		}
	}
	up, down := s.Communication()
	if got[key{prediction.CommunicationUp, horizon}] != float64(up) || got[key{prediction.CommunicationDown, horizon}] != float64(down) {
		t.Errorf("%s: %v scalars up and %v down in all, want %d and %d", name, got[key{prediction.CommunicationUp, horizon}], got[key{prediction.CommunicationDown, horizon}], up, down)
	}
	restored := paying(h.options, h.stated)
	if err := messages.Read(messages.Write(nil, h), restored); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, finished(restored), cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("%s: restored (-was +is)\n%s", name, diff)
	}
	return got
}

// The largest loss is reached by what is spent: the sum at the end is what the
// package accounts for by another way.
func TestOPEStoch(t *testing.T) {
	for _, variant := range []opestoch.Variant{opestoch.Local, opestoch.Central} {
		o := stochOptions(variant)
		machines, s, err := opestoch.New(o)
		if err != nil {
			t.Fatal(err)
		}
		got := run(t, machines, s, prediction.GaugeOptions{}, ledger.Statement{Summed: true}).check(t, string(variant), s)
		account := must(opestoch.Accounted(&o))
		want := account.Wire.Epsilon
		if variant == opestoch.Central {
			want = account.Public.Epsilon
		}
		if v := got[key{ledger.EpsilonTotal, horizon}]; !(math.Abs(v-want) <= 1e-12*want) {
			t.Errorf("%s: epsilon %v, want %v", variant, v, want)
		}
		// Phases begin at 1, 2, 4, 8 and 16, and the first releases nothing.
		for _, point := range points {
			if v := got[key{ledger.EpsilonStep, point}]; (point == 1 || point == 7 || point == 20) && v != 0 {
				t.Errorf("%s: step %d costs %v", variant, point, v)
			}
		}
		if len(got) != 9*len(points) {
			t.Errorf("%s: %d values", variant, len(got))
		}
	}
}

// What does not add up is what the options say, and a step costs the difference.
func TestApproximate(t *testing.T) {
	o := stochOptions(opestoch.Approximate)
	machines, s, err := opestoch.New(o)
	if err != nil {
		t.Fatal(err)
	}
	h := run(t, machines, s, prediction.GaugeOptions{}, ledger.Statement{Composed: func(step, _ int) float64 { return float64(step * step) }})
	got := h.check(t, "approximate", s)
	for _, point := range points {
		if total, step := got[key{ledger.EpsilonTotal, point}], got[key{ledger.EpsilonStep, point}]; total != float64(point*point) || step != float64(2*point-1) || got[key{ledger.Delta, point}] != 1e-3 {
			t.Errorf("step %d: epsilon %v, %v of the step", point, total, step)
		}
	}
}

// Fed-SVT pays eps/4 for the threshold and eta for a switch.
func TestFedSVT(t *testing.T) {
	switched := false
	for _, interval := range []int{1, 3} {
		o := svtOptions(interval)
		machines, s, err := fedsvt.New(o)
		if err != nil {
			t.Fatal(err)
		}
		h := run(t, machines, s, prediction.GaugeOptions{Switches: true}, ledger.Statement{Summed: true})
		got := h.check(t, "fedsvt", s)
		for _, point := range points {
			k := slices.Max(h.switches[:point+1])
			switched = switched || k > 0
			want := o.Epsilon/4 + k*o.Epsilon/(2*o.Kappa)
			if v := got[key{ledger.EpsilonTotal, point}]; got[key{prediction.Switches, point}] != k || !(math.Abs(v-want) <= 1e-9) {
				t.Errorf("N = %d, step %d: %v switches, epsilon %v; want %v, %v", interval, point, got[key{prediction.Switches, point}], v, k, want)
			}
		}
		// The same from what so many payments come to: one arms the threshold, and all
		// others switch.
		if machines, _, err = fedsvt.New(o); err != nil {
			t.Fatal(err)
		}
		again := run(t, machines, s, prediction.GaugeOptions{Switches: true}, ledger.Statement{Composed: func(_, payments int) float64 {
			return o.Epsilon/4 + float64(payments-1)*o.Epsilon/(2*o.Kappa)
		}})
		composed := again.check(t, "fedsvt, composed", s)
		for _, point := range points {
			for _, metric := range []string{ledger.EpsilonTotal, ledger.EpsilonStep} {
				if a, b := got[key{metric, point}], composed[key{metric, point}]; point > 1 && !(math.Abs(a-b) <= 1e-9) {
					t.Errorf("N = %d, step %d: %s %v by adding up, %v composed", interval, point, metric, a, b)
				}
			}
		}
	}
	if !switched {
		t.Error("nothing was ever switched")
	}
}

// A run that has not ended has the metrics of what it has reached.
func TestUnfinished(t *testing.T) {
	drawn := must(must(experts.NewUniformZero(experts.UniformZeroOptions{Expert: 1}, 1, 2)).Draw(1, 4))
	in := experts.LossesOf(drawn)
	m := meterOf(options{GaugeOptions: prediction.GaugeOptions{Clients: 1, Losses: in, Best: func() (*experts.Best, error) { return drawn.Hindsight([]int{1, 4}) }}, points: []int{1, 4}})
	m.Played(1, 1, []float64{1, 0})
	got := rows{}
	m.Finish(got)
	if v := got[key{prediction.RegretClient, 1}]; v != 0 {
		t.Errorf("regret %v, want 0", v)
	}
	if v := got[key{prediction.RegretClient, 4}]; !math.IsNaN(v) {
		t.Errorf("regret %v of steps that were not played", v)
	}
}

// What is not wanted is not reported, and not needed.
func TestWanted(t *testing.T) {
	drawn := must(must(experts.NewLowerBound2(1, 2)).Draw(1, 4))
	in := experts.LossesOf(drawn)
	for _, metric := range prediction.Metrics().Names() {
		o := options{GaugeOptions: prediction.GaugeOptions{Clients: 1, Losses: in, Switches: true}, points: []int{4}, wanted: func(m string) bool { return m == metric }}
		switch metric {
		case prediction.RegretClient, prediction.BestExpert:
			o.Best = func() (*experts.Best, error) { return drawn.Hindsight([]int{4}) }
		case gauge.AccuracyTest:
			o.Fresh = labelled{}
		}
		got := rows{}
		if meterOf(o).Finish(got); len(got) != 1 || !slices.ContainsFunc([]key{{metric, 4}}, func(k key) bool { _, ok := got[k]; return ok }) {
			t.Errorf("%s: %v", metric, got)
		}
	}
}

// labelled are losses whose clients have four fresh data: a decision is right of the
// first, and of the first three where it leans to the first expert.
type labelled struct{}

func (labelled) TestSamples(messages.NodeID) int { return 4 }
func (labelled) Correct(_ messages.NodeID, index int, x []float64) bool {
	return index == 0 || index < 3 && x[0] > 0.5
}

// Without a best decision the loss itself is recorded; accuracy is that of the point.
func TestLossAndAccuracy(t *testing.T) {
	drawn := must(must(experts.NewUniformZero(experts.UniformZeroOptions{Expert: 1}, 2, 2)).Draw(1, 4))
	in := experts.LossesOf(drawn)
	o := options{GaugeOptions: prediction.GaugeOptions{Clients: 2, Losses: in, Fresh: labelled{}}, points: []int{2, 4}}
	m := meterOf(o)
	var paid float64
	play := func(client messages.NodeID, step int, x []float64) {
		m.Played(client, step, x)
		paid += in.Loss(client, step, x) / 2
	}
	first, second := []float64{1, 0}, []float64{0, 1}
	for step := 1; step <= 3; step++ {
		play(1, step, second)
		play(2, step, second)
	}
	play(1, 4, first)
	play(2, 4, second)
	restored := meterOf(o)
	if err := messages.Read(messages.Write(nil, m), restored); err != nil {
		t.Fatal(err)
	}
	got := rows{}
	restored.Finish(got)
	if _, regret := got[key{prediction.RegretClient, 4}]; regret || math.Abs(got[key{prediction.LossClient, 4}]-paid) > 1e-12 || paid == 0 {
		t.Errorf("a loss of %v, want %v, and no regret", got[key{prediction.LossClient, 4}], paid)
	}
	if early, late := got[key{gauge.AccuracyTest, 2}], got[key{gauge.AccuracyTest, 4}]; early != 0.25 || late != 0.5 {
		t.Errorf("accuracy %v, then %v; want 1/4 and 4/8", early, late)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	drawn := must(must(experts.NewLowerBound2(1, 2)).Draw(1, 4))
	in := experts.LossesOf(drawn)
	good := prediction.GaugeOptions{Clients: 1, Losses: in, Best: func() (*experts.Best, error) { return nil, nil }}
	for want, change := range map[string]func(*prediction.GaugeOptions){
		"measure: 0 clients, want at least 1": func(o *prediction.GaugeOptions) { o.Clients = 0 },
		"measure: no losses":                  func(o *prediction.GaugeOptions) { o.Losses = nil },
	} {
		o := good
		change(&o)
		if err := o.Validate(); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	o := options{GaugeOptions: good, points: []int{2, 4}}
	if err := messages.Read(messages.Write(nil, meterOf(o))[1:], meterOf(o)); err == nil || !strings.Contains(err.Error(), "malformed state") {
		t.Errorf("a state cut short: %v", err)
	}
}
