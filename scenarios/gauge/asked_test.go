package gauge_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"starling/actors/algorithm/mirror"
	"starling/messages"
	"starling/scenarios/gauge"
	"starling/scenarios/kind"
	"starling/scenarios/metric"
)

// byStep is what a meter hands over, by metric and step.
type byStep map[string]float64

func (r byStep) Add(step int, metric string, value float64) { r[fmt.Sprint(metric, " ", step)] = value }
func (r byStep) AddNode(int, int, string, float64)          { panic("a metric of a node") }
func (r byStep) Paid(int)                                   {}

// probe is of two deciders, participants 1 and 2, in steps 1 to 4. What is met at x costs
// x[0], fresh data 10 x[0], the best point a quarter, and that of an interval an eighth of
// its first step.
func probe(seen string) gauge.Probe {
	return gauge.Probe{
		Met:    func(_ messages.NodeID, _ int, x []float64) float64 { return x[0] },
		Fresh:  func(_ messages.NodeID, _ int, x []float64) float64 { return 10 * x[0] },
		Best:   func() float64 { return 0.25 },
		BestIn: func(first, _ int) float64 { return []float64{1, 2, 3, 4}[first-1] / 8 },
		Seen:   seen, Size: 8,
	}
}

// catalogued are the measures of the catalog that runs of these answers have.
func catalogued(a gauge.Answers) []*gauge.Measure {
	return gauge.MeasuresOf(&kind.Catalog{Measures: gauge.InCatalog()}, a)
}

// namesOf are their names.
func namesOf(a gauge.Answers) (names []string) {
	for _, m := range catalogued(a) {
		names = append(names, m.Name)
	}
	return names
}

// asked is a meter of the metrics that are asked for, points at 2 and 4.
func asked(p gauge.Probe, names ...string) *gauge.Meter {
	list := slices.DeleteFunc(catalogued(p.Answers()), func(m *gauge.Measure) bool { return !slices.Contains(names, m.Name) })
	return gauge.New(gauge.Span{First: 1, Points: []int{2, 4}}, gauge.Gauges(gauge.Run{Probe: &p, Who: gauge.Deciders{First: 1, End: 3}, Dim: 2}, list))
}

// play has a server play what nobody is asked of, decider 1 walk along the axis and
// decider 2 stand, in a step. A machine records a quantity.
func play(a *gauge.Meter, step int, both bool) {
	a.Played(0, step, []float64{1e9, 1e9})
	a.Played(1, step, []float64{float64(step), 0})
	if both {
		a.Played(2, step, []float64{1, 0})
	}
	a.Recorded(0, step, "batches", float64(3*step))
	a.Sent(step, int64(step/2), 8) // nothing in step 1
}

// All metrics by hand, also where the run went on from a state.
func TestAsked(t *testing.T) {
	for name, test := range map[string]struct {
		seen  string
		ends  int // the last step of decider 2
		want2 byStep
	}{
		"all decide": {"", 4, byStep{
			"consensus.error 2": 0.5, "consensus.error 4": 1.5, "distance.travelled 2": 0.5, "distance.travelled 4": 1.5, "data.seen 2": 4, "data.seen 4": 8,
			"loss.mean 2": 5. / 4, "loss.mean 4": 14. / 8, "loss.fresh 2": 15, "loss.fresh 4": 25, "rounds 2": 1, "rounds 4": 3, "regret.fixed 4": 14./8 - 0.25, "regret.interval 2": 5./4 - 1./8, "regret.interval 4": 14./8 - (2*1./8+2*3./8)/4,
			"regret.tracking 2": 5./4 - (1./8+2./8)/2, "regret.tracking 4": 14./8 - (1./8+2./8+3./8+4./8)/4,
		}},
		"one ends": {"batches", 3, byStep{
			"consensus.error 2": 0.5, "consensus.error 4": 0, "distance.travelled 2": 0.5, "distance.travelled 4": 1.5, "data.seen 2": 48, "data.seen 4": 96,
			"loss.mean 2": 5. / 4, "loss.mean 4": 13. / 7, "loss.fresh 2": 15, "loss.fresh 4": 40, "rounds 2": 1, "rounds 4": 3, "regret.fixed 4": math.NaN(), "regret.interval 2": 5./4 - 1./8, "regret.interval 4": math.NaN(), "regret.tracking 2": 5./4 - (1./8+2./8)/2, "regret.tracking 4": math.NaN(),
		}},
	} {
		for saved := range 5 {
			p := probe(test.seen)
			fresh := func() *gauge.Meter { return asked(p, namesOf(p.Answers())...) }
			a := fresh()
			for step := 1; step <= 4; step++ {
				play(a, step, step <= test.ends)
				if step == saved {
					a = again(t, a, fresh)
				}
			}
			got := byStep{}
			a.Finish(got)
			if diff := cmp.Diff(test.want2, got, cmpopts.EquateNaNs()); diff != "" {
				t.Errorf("%s, saved after step %d (-want +got):\n%s", name, saved, diff)
			}
		}
	}
}

// Where there is a target, regret is against that: (0, 1), (3, 5), (3, 5), (0, 5) in steps 1
// to 4, with a loss there of a tenth of the step.
func TestAgainstTarget(t *testing.T) {
	p := probe("")
	p.Target = func(step int) []float64 { return [][]float64{{0, 1}, {3, 5}, {3, 5}, {0, 5}}[step-1] }
	p.MetThere = func(step int) float64 { return []float64{0.1, 0.2, 0.3, 0.4}[step-1] }
	a := asked(p, gauge.RegretTracking, gauge.PathLength)
	for step := 1; step <= 4; step++ {
		play(a, step, true)
	}
	got := byStep{}
	a.Finish(got)
	want := byStep{"path.length 2": 5, "path.length 4": 8, "regret.tracking 2": 5./4 - 0.3/2, "regret.tracking 4": 14./8 - 1./4}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-15)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// What is not asked for is neither recorded nor computed.
func TestAskedOnly(t *testing.T) {
	p := probe("")
	p.Met = func(messages.NodeID, int, []float64) float64 { panic("a loss is taken") }
	p.Fresh = func(messages.NodeID, int, []float64) float64 { panic("a fresh loss is taken") }
	a := asked(p, gauge.Travelled)
	for step := 1; step <= 4; step++ {
		play(a, step, true)
	}
	got := byStep{}
	a.Finish(got)
	if diff := cmp.Diff(byStep{"distance.travelled 2": 0.5, "distance.travelled 4": 1.5}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if names := namesOf(gauge.Answers{Fresh: true, Best: true}); cmp.Diff([]string{gauge.Consensus, gauge.LossFresh, gauge.Travelled, gauge.DataSeen, gauge.Rounds}, names) != "" {
		t.Errorf("without what is met there are %v", names)
	}
	if names := namesOf(gauge.Answers{Met: true}); cmp.Diff([]string{gauge.Consensus, gauge.LossMean, gauge.Travelled, gauge.DataSeen, gauge.Rounds}, names) != "" {
		t.Errorf("without fresh data and a best point there are %v", names)
	}
}

// Quantities of machines are means over the nodes that recorded them in the step.
func TestQuantities(t *testing.T) {
	fresh := func() *gauge.Meter {
		return gauge.New(gauge.Span{First: 1, Points: []int{2, 4}}, []gauge.Gauge{&gauge.Means{Metric: metric.Metric{Name: "a"}, Nodes: 3}, &gauge.Means{Metric: metric.Metric{Name: "b"}, Nodes: 3}})
	}
	q := fresh()
	for step := 1; step <= 4; step++ {
		q.Recorded(0, step, "a", float64(step))
		q.Recorded(2, step, "a", float64(10*step))
		q.Recorded(1, step, "c", 1)
	}
	got := byStep{}
	again(t, q, fresh).Finish(got)
	nan := math.NaN()
	if diff := cmp.Diff(byStep{"a 2": 11, "a 4": 22, "b 2": nan, "b 4": nan}, got, cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Decisions on the boundary are counted in the steps of the points, of a set that has an
// interior; where there is none there is no gauge.
func TestEdge(t *testing.T) {
	ball, err := mirror.NewL1Ball(2, 3, []float64{1, 0})
	if err != nil {
		t.Fatal(err)
	}
	flat, err := mirror.NewSimplex(2)
	if err != nil {
		t.Fatal(err)
	}
	if len(gauge.NewEdge(flat)) > 0 || len(gauge.NewEdge(nil)) > 0 {
		t.Error("a simplex, which has no interior, or no set has a gauge")
	}
	fresh := func() *gauge.Meter {
		return gauge.New(gauge.Span{First: 1, Points: []int{2, 4}}, gauge.NewEdge(ball))
	}
	m := fresh()
	for step, x := range [][]float64{1: {4, 0}, 2: {1, 3}, 3: {4, 0}, 4: {1, 2.999}} {
		if step > 0 {
			m.Played(0, step, x)
		}
	}
	m = again(t, m, fresh)
	m.Played(1, 4, []float64{-0.5, -1.5})
	e, ok := gauge.Find[*gauge.OnBoundary](m)
	if !ok || e.Met.Load() != 3 || e.On.Load() != 2 {
		t.Errorf("%v: %d of %d decisions on the boundary, want 2 of 3", ok, e.On.Load(), e.Met.Load())
	}
}

// All intervals, or steps, begin before any is asked for, after that of all steps where it is
// compared with too; where somebody does not decide nothing is.
func TestIntervalsBegin(t *testing.T) {
	for name, test := range map[string]struct {
		metrics []string
		both    bool
		want    string
	}{
		"intervals":      {[]string{gauge.RegretInterval}, true, "[begin 1 2] [begin 3 4] [in 1 2] [in 3 4] "},
		"and all steps":  {[]string{gauge.RegretFixed, gauge.RegretInterval}, true, "[begin 1 4] [begin 1 2] [begin 3 4] [in 1 2] [in 3 4] "},
		"steps":          {[]string{gauge.RegretTracking}, true, "[begin 1 1] [begin 2 2] [begin 3 3] [begin 4 4] [in 1 1] [in 2 2] [in 3 3] [in 4 4] "},
		"one is missing": {[]string{gauge.RegretInterval, gauge.RegretTracking}, false, ""},
	} {
		p, got := probe(""), ""
		p.Begin = func(first, last int) { got += fmt.Sprintf("[begin %d %d] ", first, last) }
		p.BestIn = func(first, last int) float64 { got += fmt.Sprintf("[in %d %d] ", first, last); return 0 }
		a := asked(p, test.metrics...)
		for step := 1; step <= 4; step++ {
			play(a, step, test.both)
		}
		a.Finish(byStep{})
		if got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
