package watch_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"starling/actors/algorithm/mirror"
	"starling/messages"
	"starling/scenarios/gauge"
	"starling/scenarios/watch"
)

// nothing is a meter of nothing.
type nothing struct{}

func (nothing) Played(messages.NodeID, int, []float64)         {}
func (nothing) Recorded(messages.NodeID, int, string, float64) {}
func (nothing) Stopped(messages.NodeID, int, string)           {}
func (nothing) Sent(int, int64, int64)                         {}
func (nothing) Stops() []gauge.Stop                            { return nil }
func (nothing) State(*messages.Codec)                          {}
func (nothing) Finish(gauge.Sheet)                             {}

// rows are what a meter records, by metric and step.
type rows map[string]float64

func (r rows) Add(step int, metric string, value float64) { r[fmt.Sprint(metric, " ", step)] = value }
func (r rows) AddNode(int, int, string, float64)          { panic("a metric of a node") }
func (r rows) Paid(int)                                   {}

// asked are options of two deciders, participants 1 and 2, in steps 1 to 4. What is met
// at x costs x[0], fresh data 10 x[0], and the best point a quarter.
func asked(seen string) watch.AskedOptions {
	probe := watch.Probe{
		Met:   func(_ messages.NodeID, _ int, x []float64) float64 { return x[0] },
		Fresh: func(_ messages.NodeID, x []float64) float64 { return 10 * x[0] },
		Best:  func() float64 { return 0.25 },
		Seen:  seen, Size: 8,
	}
	return watch.AskedOptions{First: 1, End: 3, FirstStep: 1, Points: []int{2, 4}, Names: probe.Names(), Probe: probe}
}

// play has a server play what nobody is asked of, decider 1 walk along the axis and
// decider 2 stand, in a step. A machine records a quantity.
func play(a *watch.Asked, step int, both bool) {
	a.Played(0, step, []float64{1e9, 1e9})
	a.Played(1, step, []float64{float64(step), 0})
	if both {
		a.Played(2, step, []float64{1, 0})
	}
	a.Recorded(0, step, "batches", float64(3*step))
}

// All metrics by hand, also where the run went on from a state.
func TestAsked(t *testing.T) {
	for name, test := range map[string]struct {
		seen  string
		ends  int // the last step of decider 2
		want2 rows
	}{
		"all decide": {"", 4, rows{
			"consensus.error 2": 0.5, "consensus.error 4": 1.5, "distance.travelled 2": 0.5, "distance.travelled 4": 1.5, "data.seen 2": 4, "data.seen 4": 8,
			"loss.mean 2": 5. / 4, "loss.mean 4": 14. / 8, "loss.fresh 2": 15, "loss.fresh 4": 25, "regret.fixed 4": 14./8 - 0.25,
		}},
		"one ends": {"batches", 3, rows{
			"consensus.error 2": 0.5, "consensus.error 4": 0, "distance.travelled 2": 0.5, "distance.travelled 4": 1.5, "data.seen 2": 48, "data.seen 4": 96,
			"loss.mean 2": 5. / 4, "loss.mean 4": 13. / 7, "loss.fresh 2": 15, "loss.fresh 4": 40, "regret.fixed 4": math.NaN(),
		}},
	} {
		for saved := range 5 {
			a := watch.NewAsked(nothing{}, asked(test.seen))
			for step := 1; step <= 4; step++ {
				play(a, step, step <= test.ends)
				if step == saved {
					restored := watch.NewAsked(nothing{}, asked(test.seen))
					if err := messages.Read(messages.Write(nil, a), restored); err != nil {
						t.Fatal(err)
					}
					a = restored
				}
			}
			got := rows{}
			a.Finish(got)
			if diff := cmp.Diff(test.want2, got, cmpopts.EquateNaNs()); diff != "" {
				t.Errorf("%s, saved after step %d (-want +got):\n%s", name, saved, diff)
			}
		}
	}
}

// What is not asked for is neither recorded nor computed.
func TestAskedOnly(t *testing.T) {
	o := asked("")
	o.Probe.Met = func(messages.NodeID, int, []float64) float64 { panic("a loss is taken") }
	o.Probe.Fresh = func(messages.NodeID, []float64) float64 { panic("a fresh loss is taken") }
	o.Names = []string{gauge.Travelled}
	a := watch.NewAsked(nothing{}, o)
	for step := 1; step <= 4; step++ {
		play(a, step, true)
	}
	got := rows{}
	a.Finish(got)
	if diff := cmp.Diff(rows{"distance.travelled 2": 0.5, "distance.travelled 4": 1.5}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if names := (watch.Answers{Fresh: true, Best: true}).Names(); cmp.Diff([]string{gauge.Consensus, gauge.Travelled, gauge.DataSeen, gauge.LossFresh}, names) != "" {
		t.Errorf("without what is met there are %v", names)
	}
	if names := (watch.Answers{Met: true}).Names(); cmp.Diff([]string{gauge.Consensus, gauge.Travelled, gauge.DataSeen, gauge.LossMean}, names) != "" {
		t.Errorf("without fresh data and a best point there are %v", names)
	}
}

// Quantities of machines are means over the nodes that recorded them in the step.
func TestQuantities(t *testing.T) {
	q := watch.NewQuantities(nothing{}, []string{"a", "b"}, []int{2, 4}, 3)
	for step := 1; step <= 4; step++ {
		q.Recorded(0, step, "a", float64(step))
		q.Recorded(2, step, "a", float64(10*step))
		q.Recorded(1, step, "c", 1)
	}
	restored := watch.NewQuantities(nothing{}, []string{"a", "b"}, []int{2, 4}, 3)
	if err := messages.Read(messages.Write(nil, q), restored); err != nil {
		t.Fatal(err)
	}
	got := rows{}
	restored.Finish(got)
	nan := math.NaN()
	if diff := cmp.Diff(rows{"a 2": 11, "a 4": 22, "b 2": nan, "b 4": nan}, got, cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Decisions on the boundary are counted in the steps of the points, of a set that has an
// interior; where there is none nothing stands before the meter.
func TestEdge(t *testing.T) {
	ball, err := mirror.NewL1Ball(2, 3, []float64{1, 0})
	if err != nil {
		t.Fatal(err)
	}
	flat, err := mirror.NewSimplex(2)
	if err != nil {
		t.Fatal(err)
	}
	if m := watch.NewEdge(nothing{}, flat, []int{2}); m != watch.Meter(nothing{}) {
		t.Errorf("a simplex has no interior, and %T stands before the meter", m)
	}
	if m := watch.NewEdge(nothing{}, nil, []int{2}); m != watch.Meter(nothing{}) {
		t.Errorf("there is no set, and %T stands before the meter", m)
	}
	m := watch.NewEdge(nothing{}, ball, []int{2, 4})
	for step, x := range [][]float64{1: {4, 0}, 2: {1, 3}, 3: {4, 0}, 4: {1, 2.999}} {
		m.Played(0, step, x)
	}
	again := watch.NewEdge(nothing{}, ball, []int{2, 4})
	if err := messages.Read(messages.Write(nil, m), again); err != nil {
		t.Fatal(err)
	}
	again.Played(1, 4, []float64{-0.5, -1.5})
	e, ok := watch.Find[*watch.Edge](again)
	if !ok || e.Met.Load() != 3 || e.On.Load() != 2 {
		t.Errorf("%v: %d of %d decisions on the boundary, want 2 of 3", ok, e.On.Load(), e.Met.Load())
	}
}
