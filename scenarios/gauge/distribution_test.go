package gauge_test

import (
	"math"
	"slices"
	"testing"

	"starling/actors/algorithm"
	"starling/messages"
	"starling/scenarios/gauge"
)

type nodeID = messages.NodeID

const quantityMessages = algorithm.QuantityMessages

// restored is a new meter of the same run, at the state of another.
func restored(t *testing.T, from, to *gauge.Meter) *gauge.Meter {
	t.Helper()
	if err := messages.Read(messages.Write(nil, from), to); err != nil {
		t.Fatal(err)
	}
	return to
}

// distributed are values, ascending, for both formulae.
var distributed = [][]float64{
	{1}, {0, 0, 0}, {1, 1, 1, 1}, {0, 0, 1}, {1, 2}, {1, 2, 3, 4, 10}, {0.1, 0.1, 7}, {2, 8, 8, 32, 32, 32, 32},
}

// The Gini coefficient is the sum of all absolute differences, over twice the squared number of
// values times their mean.
func TestGini(t *testing.T) {
	for _, values := range distributed {
		var differences, sum float64
		for _, x := range values {
			sum += x
			for _, y := range values {
				differences += math.Abs(x - y)
			}
		}
		want := differences / (2 * float64(len(values)) * sum)
		if sum == 0 {
			want = 0
		}
		if got := gauge.Gini(values); !(math.Abs(got-want) <= 1e-15) {
			t.Errorf("%v: %v, want %v", values, got, want)
		}
	}
	inf := math.Inf(1)
	for _, values := range [][]float64{nil, {-1, 2}, {1, inf}} {
		if got := gauge.Gini(values); !math.IsNaN(got) {
			t.Errorf("%v: %v, want none", values, got)
		}
	}
	if got := gauge.Gini([]float64{inf, inf}); got != 0 {
		t.Errorf("equal infinite values: %v, want 0", got)
	}
}

// A quantile is where the empirical distribution, with its points at (i-1)/(n-1) joined by lines,
// reaches a share.
func TestQuantile(t *testing.T) {
	for _, values := range distributed {
		for _, share := range []float64{0, 0.1, 0.25, 0.5, 0.9, 1} {
			want := values[len(values)-1]
			for i := 1; i < len(values); i++ {
				low, high := float64(i-1)/float64(len(values)-1), float64(i)/float64(len(values)-1)
				if share >= low && share <= high {
					want = values[i-1] + (share-low)/(high-low)*(values[i]-values[i-1])
					break
				}
			}
			if got := gauge.Quantile(values, share); !(math.Abs(got-want) <= 1e-12) {
				t.Errorf("%v at %v: %v, want %v", values, share, got, want)
			}
		}
	}
	inf := math.Inf(1)
	if got := gauge.Quantile([]float64{1, inf, inf}, 0.9); got != inf {
		t.Errorf("between equal infinite values: %v", got)
	}
	if got := gauge.Quantile(nil, 0.5); !math.IsNaN(got) {
		t.Errorf("without values: %v", got)
	}
}

// nodes collects the rows of nodes and of the run.
type nodes struct {
	run map[string]float64
	own map[string]map[int]float64 // by metric, then by node
}

func (r *nodes) Add(step int, metric string, value float64) {
	if step == 3 {
		r.run[metric] = value
	}
}
func (r *nodes) AddNode(step, node int, metric string, value float64) {
	if r.own[metric] == nil {
		r.own[metric] = map[int]float64{}
	}
	r.own[metric][node] = value
}
func (r *nodes) Paid(int) {}

// Three nodes decide three times: node i meets i times the entry of its decision, and the best
// point is 0.5. By hand: losses (1+0+1)/3, 2 (2+2+2)/3 and 3 (0+0+1)/3.
func TestOwnersByHand(t *testing.T) {
	probe := gauge.Probe{
		Met:       func(node nodeID, _ int, x []float64) float64 { return float64(node+1) * x[0] },
		BestPoint: func() []float64 { return []float64{0.5} },
	}
	for name, test := range map[string]struct {
		owners gauge.Owners
		own    map[string]map[int]float64
		gini   float64
		worst  float64
	}{
		"nodes":  {gauge.Owners{Count: 3, Steps: []int{3}}, map[string]map[int]float64{"loss.participant": {0: 2.0 / 3, 1: 4, 2: 1}, "regret.participant": {0: 2.0/3 - 0.5, 1: 3, 2: -0.5}, "messages.participant": {0: 4, 1: 0, 2: 1}}, 2 * (10.0 / 3) * 2 / (2 * 9 * (17.0 / 9)), 4},
		"groups": {gauge.Owners{Count: 3, Label: 1, Groups: []int{0, 2, 2}}, map[string]map[int]float64{"loss.group": {-1: 2.0 / 3, 1: 2.5}, "regret.group": {-1: 2.0/3 - 0.5, 1: 1.25}, "messages.group": {-1: 4, 1: 0.5}}, 2 * (10.0 / 3) * 2 / (2 * 9 * (17.0 / 9)), 4},
		"a liar": {gauge.Owners{Count: 3, Out: []nodeID{1}, Steps: []int{3}}, map[string]map[int]float64{"loss.participant": {0: 2.0 / 3, 2: 1}, "regret.participant": {0: 2.0/3 - 0.5, 2: -0.5}, "messages.participant": {0: 4, 2: 1}}, 2 * (1.0 / 3) / (2 * 4 * (5.0 / 6)), 1},
	} {
		t.Run(name, func(t *testing.T) {
			who := gauge.Deciders{End: 3, Out: test.owners.Out}
			make := func() *gauge.Meter {
				return gauge.New(gauge.Span{First: 1, Points: []int{2, 3}, Owners: &test.owners}, gauge.Gauges(gauge.Run{Probe: &probe, Who: who, Dim: 1, Owners: &test.owners}, nil))
			}
			m := make()
			for step, x := range [][]float64{{1, 2, 0}, {0, 2, 0}, {1, 2, 1}} {
				if step == 2 { // and goes on from a saved state
					m = restored(t, m, make())
				}
				for node, v := range x {
					m.Played(nodeID(node), step+1, []float64{v})
				}
				m.Recorded(0, step+1, quantityMessages, float64(1+step%2))
			}
			m.Recorded(2, 1, quantityMessages, 1)
			if !m.EachSender() {
				t.Error("the messages of senders are not asked for")
			}
			got := &nodes{map[string]float64{}, map[string]map[int]float64{}}
			m.Finish(got)
			for metric, want := range test.own {
				if len(got.own[metric]) != len(want) {
					t.Errorf("%s: %v, want %v", metric, got.own[metric], want)
				}
				for node, value := range want {
					if v := got.own[metric][node]; !(math.Abs(v-value) <= 1e-15) {
						t.Errorf("%s of node %d: %v, want %v", metric, node, v, value)
					}
				}
			}
			if len(got.own) != len(test.own) {
				t.Errorf("recorded %v", got.own)
			}
			for metric, want := range map[string]float64{"loss.worst": test.worst, "loss.best": 2.0 / 3, "loss.spread": test.worst - 2.0/3, "loss.gini": test.gini, "messages.worst": 4} {
				if v := got.run[metric]; !(math.Abs(v-want) <= 1e-14) {
					t.Errorf("%s: %v, want %v", metric, v, want)
				}
			}
			if _, ok := got.run["regret.gini"]; ok {
				t.Error("regrets, which have both signs, have no Gini coefficient")
			}
		})
	}
}

// A run that asks for nothing has none of this.
func TestNoOwners(t *testing.T) {
	probe := gauge.Probe{Met: func(nodeID, int, []float64) float64 { return 1 }}
	m := gauge.New(gauge.Span{First: 1, Points: []int{3}}, gauge.Gauges(gauge.Run{Probe: &probe, Who: gauge.Deciders{End: 3}, Dim: 1}, nil))
	if some, _ := m.Heeds(1); some || m.EachSender() {
		t.Error("decisions or senders are asked for")
	}
	// Names of which nothing is recorded ask for nothing either.
	none := gauge.Wanted(func(metric string) bool { return metric == "epsilon.gini" })
	owners := &gauge.Owners{Count: 3, Steps: []int{3}}
	m = gauge.New(gauge.Span{First: 1, Points: []int{3}, Owners: owners, Wanted: none}, gauge.Gauges(gauge.Run{Probe: &probe, Who: gauge.Deciders{End: 3}, Dim: 1, Owners: owners, Wanted: none}, nil))
	if some, _ := m.Heeds(1); some || m.EachSender() {
		t.Error("decisions or senders are asked for by a metric of payments")
	}
}

// No two metrics of participants have one name, and all have a text. There are 5 quantities of 9
// metrics and 23 scores of 10; regrets, R^2 and D^2 have no Gini coefficient.
func TestOwnerMetrics(t *testing.T) {
	list := gauge.OwnerMetrics()
	if err := list.Check(); err != nil {
		t.Error(err)
	}
	if names := list.Names(); len(names) != 5*9-1+23*10-4 || gauge.IsOfOwners("auc.roc") || !slices.Contains(names, "accuracy.worst") || !slices.Contains(names, "epsilon.gini") || !gauge.IsOfOwners("loss.quantile.90") || gauge.IsOfOwners("loss.mean") {
		t.Errorf("%d metrics: %v", len(names), names)
	}
}
