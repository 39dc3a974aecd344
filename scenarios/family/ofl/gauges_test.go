package ofl_test

import (
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"starling/actors/algorithm"
	"starling/actors/algorithm/ofl"
	"starling/actors/spread"
	"starling/mechanisms/accountant"
	"starling/messages"
	family "starling/scenarios/family/ofl"
	"starling/scenarios/gauge"
	"starling/scenarios/ledger"
	"starling/scenarios/problem/stream"
)

// at is one metric at one step by its definition, from the decisions.
func (h *history) at(metric string, step int) float64 {
	o := h.options
	loss := func(x []float64, learner, step int) float64 {
		datum := make([]float64, dim+1)
		o.Instance.Datum(datum, messages.NodeID(learner), step+1)
		return math.Log(1 + math.Exp(-datum[dim]*(x[0]*datum[0]+x[1]*datum[1]+x[2]*datum[2])))
	}
	right := func(x, datum []float64) float64 {
		if (x[0]*datum[0]+x[1]*datum[1]+x[2]*datum[2] >= 0) == (datum[dim] > 0) {
			return 1
		}
		return 0
	}
	var sum, count float64
	steps := func(visit func(learner, step int, v move)) { // up to the step
		for i, moves := range h.moves {
			for k, v := range moves[:min(step+1, len(moves))] {
				visit(i, k, v)
			}
		}
	}
	switch metric {
	case family.AccuracyInstant:
		steps(func(i, k int, v move) {
			if k/o.Tau == step/o.Tau {
				datum := make([]float64, dim+1)
				o.Instance.Datum(datum, messages.NodeID(i), k+1)
				sum, count = sum+right(v.x, datum), count+1
			}
		})
		return sum / count
	case gauge.AccuracyTest:
		steps(func(i, k int, v move) {
			for index := range 4 {
				if k == step {
					datum := make([]float64, dim+1)
					o.Instance.(stream.Tester).Test(datum, messages.NodeID(i), index)
					sum, count = sum+right(v.x, datum), count+1
				}
			}
		})
		return sum / count
	case family.AccuracyFinal:
		x := h.left
		if x == nil {
			x = o.Start
		}
		if x == nil {
			return math.NaN()
		}
		datum := make([]float64, dim+1)
		for i := range o.Learners {
			for index := range 4 {
				o.Instance.(stream.Tester).Test(datum, messages.NodeID(i), index)
				sum, count = sum+right(x, datum), count+1
			}
		}
		return sum / count
	case family.RegretDynamic, family.RegretStatic:
		static := stream.StaticOptimum(o.Model.(stream.Minimiser), o.Instance, o.Shape).Value
		for k := range step + 1 {
			least := static
			if metric == family.RegretDynamic {
				least = stream.RoundOptimum(o.Model.(stream.Minimiser), o.Instance, o.Shape, k/o.Tau).Value
			}
			for i, moves := range h.moves {
				if k >= len(moves) {
					return math.NaN()
				}
				sum += (loss(moves[k].x, i, k) - least) / float64(o.Learners)
			}
		}
		return sum / float64(step+1)
	case gauge.LossMean:
		steps(func(i, k int, v move) { sum, count = sum+loss(v.x, i, k), count+1 })
		return sum / count
	case gauge.ClipShare:
		steps(func(_, _ int, v move) {
			if count++; v.clipped {
				sum++
			}
		})
		return sum / count
	case family.NoisePrefix:
		for i := range h.moves {
			latest := 0.0
			steps(func(learner, _ int, v move) {
				if learner == i && v.noise >= 0 {
					latest = v.noise
				}
			})
			sum += latest / float64(o.Learners)
		}
		return sum
	case gauge.MessagesSent, gauge.BytesSent:
		steps(func(_, _ int, v move) { sum += float64(v.sent) })
		if metric == gauge.BytesSent {
			return 10 * sum
		}
		return sum
	case ledger.EpsilonTotal:
		rho := make([]float64, o.Learners)
		steps(func(i, _ int, v move) {
			for _, l := range v.spent {
				rho[i] += l.Rho
			}
		})
		if slices.Max(rho) == 0 {
			return 0
		}
		return must(accountant.GaussianEpsilon(accountant.SigmaOfRho(slices.Max(rho)), delta))
	case ledger.Delta:
		return delta
	}
	panic(metric)
}

// recorded tells whether a metric is recorded at a step.
func (h *history) recorded(metric string, step int) bool {
	switch metric {
	case family.AccuracyInstant:
		return (step+1)%h.options.Tau == 0
	case family.RegretStatic, family.AccuracyFinal:
		return step == h.options.Steps()-1
	case family.BoundDynamic, family.BoundStatic:
		return false // nothing is known here
	}
	return slices.Contains(h.options.points, step)
}

// Every metric at every step, recomputed from its definition.
func TestMetricsByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t, rapid.Bool().Draw(t, "early"))
		got := finish(h.measured())
		if !slices.IsSorted(got.steps) {
			t.Fatalf("steps %v", got.steps)
		}
		want := map[row]float64{}
		for _, metric := range slices.Concat(family.GaugeMetrics().Names(), stated) {
			for step := range h.options.Steps() {
				if h.recorded(metric, step) {
					want[row{step, metric}] = h.at(metric, step)
				}
			}
		}
		near := cmp.Comparer(func(a, b float64) bool {
			return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-9*max(1, math.Abs(b))
		})
		if diff := cmp.Diff(want, got.values, near); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

// What is recorded has the same bits whatever the order in which learners play,
// and when they play at once.
func TestOrderOfLearnersDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t, rapid.Bool().Draw(t, "early"))
		want := finish(h.measured()).bits()
		other := paying(h.options)
		h.measure(other, func(left []int) int { return rapid.SampledFrom(left).Draw(t, "next") })
		if diff := cmp.Diff(want, finish(other).bits()); diff != "" {
			t.Fatalf("another order (-first +other):\n%s", diff)
		}
		together := paying(h.options)
		h.serve(together)
		var group sync.WaitGroup
		for i, moves := range h.moves {
			group.Go(func() {
				for step := range moves {
					h.tell(together, i, step)
				}
			})
		}
		group.Wait()
		if diff := cmp.Diff(want, finish(together).bits()); diff != "" {
			t.Fatalf("at once (-first +other):\n%s", diff)
		}
		if diff := cmp.Diff(other.Stops(), together.Stops()); diff != "" {
			t.Fatalf("stops (-one +other):\n%s", diff)
		}
	})
}

// A meter that is saved and restored somewhere on the way records the same bits,
// and a state that is cut off is refused.
func TestStateInTheMiddle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t, rapid.Bool().Draw(t, "early"))
		left := rapid.IntRange(0, h.options.Learners*h.options.Steps()).Draw(t, "turns before")
		m := paying(h.options)
		h.serve(m)
		var state []byte
		restored := paying(h.options)
		at := make([]int, h.options.Learners)
		for step := range h.options.Steps() {
			for i, moves := range h.moves {
				if step >= len(moves) {
					continue
				}
				if left == 0 {
					state = messages.Write(nil, m)
					if err := messages.Read(state, restored); err != nil {
						t.Fatal(err)
					}
					m = restored
				}
				left--
				h.tell(m, i, step)
				at[i]++
			}
		}
		want := h.measured()
		if diff := cmp.Diff(finish(want).bits(), finish(m).bits()); diff != "" {
			t.Fatalf("(-whole +restored):\n%s", diff)
		}
		if diff := cmp.Diff(want.Stops(), m.Stops()); diff != "" {
			t.Fatalf("stops (-whole +restored):\n%s", diff)
		}
		if state != nil {
			cut := state[:rapid.IntRange(0, len(state)-1).Draw(t, "cut")]
			if err := messages.Read(cut, paying(h.options)); err == nil {
				t.Fatalf("%d of %d bytes are accepted", len(cut), len(state))
			}
		}
	})
}

// What two processes take in of their learners, and hand over at any times, is what one takes
// in: to the last bit of its state, when the run goes on from a state that was saved, too.
func TestHandedOver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		early := rapid.Bool().Draw(t, "early") // who stops is noted in the order in which it is heard of
		h := drawHistory(t, early)
		whole, hub := paying(h.options), paying(h.options)
		parts := []*ledger.Ledger{paying(h.options), paying(h.options)}
		nodes := [][]messages.NodeID{{0}, nil}
		for i := range h.options.Learners {
			nodes[i%2] = append(nodes[i%2], ofl.Learner(i))
		}
		var relays [2]*spread.Relay
		var fronts [2]algorithm.Meter
		divide := func() {
			hub.Divide(false)
			for p := range parts {
				parts[p].Divide(true)
				relays[p], fronts[p] = spread.NewRelay(parts[p])
			}
		}
		gather := func() {
			for p := range parts {
				if err := spread.Replay(relays[p].Take(), hub, 1+2*h.options.Learners, func(messages.NodeID) bool { return true }); err != nil {
					t.Fatal(err)
				}
				hand := func(l *ledger.Ledger) messages.Stateful {
					return messages.StateFunc(func(c *messages.Codec) { l.Hand(c, nodes[p]) })
				}
				if err := messages.Read(messages.Write(nil, hand(parts[p])), hand(hub)); err != nil {
					t.Fatal(err)
				}
			}
		}
		resume := func() {
			saved := messages.Write(nil, hub)
			hub = paying(h.options)
			parts = []*ledger.Ledger{paying(h.options), paying(h.options)}
			for _, l := range append(parts, hub) {
				if err := messages.Read(saved, l); err != nil {
					t.Fatal(err)
				}
			}
			divide()
		}
		divide()
		h.serve(whole)
		h.serve(fronts[0])
		for step := range h.options.Steps() {
			for i, moves := range h.moves {
				if step < len(moves) {
					h.tell(whole, i, step)
					h.tell(fronts[i%2], i, step)
				}
			}
			if rapid.Bool().Draw(t, "pause") {
				if gather(); rapid.Bool().Draw(t, "resume") {
					resume()
				}
			}
		}
		gather()
		if d := messages.Difference(messages.Fields(whole), messages.Fields(hub)); d != "" && !early {
			t.Fatal(d)
		}
		if diff := cmp.Diff(whole.Stops(), hub.Stops()); diff != "" {
			t.Fatalf("stops (-whole +handed over):\n%s", diff)
		}
		if diff := cmp.Diff(finish(whole).bits(), finish(hub).bits()); diff != "" {
			t.Fatalf("(-whole +handed over):\n%s", diff)
		}
	})
}

// costly fails the test where anything of it is asked for.
type costly struct{ t *testing.T }

func (c costly) Round(int) stream.Optimum {
	c.t.Error("a round was solved")
	return stream.Optimum{}
}
func (c costly) Static() stream.Optimum {
	c.t.Error("the horizon was solved")
	return stream.Optimum{}
}
func (c costly) Dim() int                    { return dim }
func (c costly) Gradient(_, _, _ []float64)  { c.t.Error("a gradient was taken") }
func (c costly) Loss(_, _ []float64) float64 { c.t.Error("a loss was taken"); return 0 }
func (c costly) Correct(_, _ []float64) bool { c.t.Error("a prediction was made"); return false }
func (c costly) Width() int                  { return dim + 1 }
func (c costly) Datum(_ []float64, learner messages.NodeID, _ int) {
	c.t.Errorf("a datum of learner %d was drawn", learner)
}
func (c costly) TestSamples(messages.NodeID) int { return 1 }
func (c costly) Test(_ []float64, learner messages.NodeID, _ int) {
	c.t.Errorf("a test of learner %d was drawn", learner)
}

// What is not asked for is neither recorded nor computed.
func TestOnlyWhatIsWanted(t *testing.T) {
	cheap := []string{gauge.ClipShare, gauge.MessagesSent, family.NoisePrefix, ledger.EpsilonTotal}
	h := history{
		options: options{
			GaugeOptions: family.GaugeOptions{Shape: stream.Shape{Learners: 1, Rounds: 1, Tau: 1}, Model: costly{t}, Instance: costly{t}, Comparator: costly{t}},
			points:       []int{0},
			wanted:       func(metric string) bool { return slices.Contains(cheap, metric) },
		},
		moves: [][]move{{{x: make([]float64, dim), noise: 4, sent: 2, spent: []accountant.Loss{{Epsilon: 1}}}}},
	}
	want := map[row]float64{
		{0, gauge.ClipShare}: 0, {0, gauge.MessagesSent}: 2, {0, family.NoisePrefix}: 4, {0, ledger.EpsilonTotal}: 1,
	}
	if diff := cmp.Diff(want, finish(h.measured()).values); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A metric does not depend on which others are wanted.
func TestMetricsAreIndependent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t, rapid.Bool().Draw(t, "early"))
		all := finish(h.measured()).bits()
		wanted := rapid.SliceOfNDistinct(rapid.SampledFrom(slices.Concat(family.GaugeMetrics().Names(), stated)), 0, 4, rapid.ID).Draw(t, "wanted")
		h.options.wanted = func(metric string) bool { return slices.Contains(wanted, metric) }
		maps.DeleteFunc(all, func(key row, _ uint64) bool { return !slices.Contains(wanted, key.metric) })
		if diff := cmp.Diff(all, finish(h.measured()).bits()); diff != "" {
			t.Fatalf("%v (-of all +alone):\n%s", wanted, diff)
		}
	})
}

// plain are options that measure privacy alone.
func plain() options {
	return options{
		GaugeOptions: family.GaugeOptions{Shape: stream.Shape{Learners: 2, Rounds: 2, Tau: 1}, Model: stream.NewLogistic(dim, 1), Instance: costly{}},
		points:       []int{0, 1},
		wanted:       func(metric string) bool { return metric == ledger.EpsilonTotal },
	}
}

// The accounted epsilon of Gaussian noise calibrated by the paper's rho
// (Lemma IV.8) is below the epsilon asked for, the conversion being exact, and
// what nothing protects costs infinity from there on.
func TestEpsilonOfGaussianNoise(t *testing.T) {
	m := paying(plain())
	rho := must(accountant.RhoOf(2, 1e-3))
	spend := func(learner, step int, loss accountant.Loss) {
		if err := m.Spent(ofl.Learner(learner), step, loss); err != nil {
			t.Fatal(err)
		}
	}
	spend(0, 0, accountant.Loss{Rho: rho / 2})
	spend(1, 0, accountant.Loss{Rho: rho})
	spend(0, 1, accountant.NotPrivate())
	got := finish(m).values
	if e := got[row{0, ledger.EpsilonTotal}]; e != must(accountant.GaussianEpsilon(1/math.Sqrt(2*rho), 1e-3)) || !(e > 1 && e < 2) {
		t.Errorf("epsilon %v of noise for (2, 1e-3)", e)
	}
	if e := got[row{1, ledger.EpsilonTotal}]; !math.IsInf(e, 1) {
		t.Errorf("epsilon %v without protection", e)
	}
}

func TestStopsAreOrdered(t *testing.T) {
	m := paying(plain())
	for _, s := range []gauge.Stop{{Node: 2, Step: 1, Reason: "b"}, {Node: 1, Step: 1, Reason: "a"}, {Node: 0, Step: 0, Reason: "c"}} {
		m.Stopped(s.Node, s.Step, s.Reason)
	}
	want := []gauge.Stop{{Node: 0, Step: 0, Reason: "c"}, {Node: 1, Step: 1, Reason: "a"}, {Node: 2, Step: 1, Reason: "b"}}
	if diff := cmp.Diff(want, m.Stops()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOptions(t *testing.T) {
	for want, change := range map[string]func(*family.GaugeOptions){
		"measure: 0 learners, 2 rounds of 1 steps, want at least 1 of each": func(o *family.GaugeOptions) { o.Learners = 0 },
		"measure: no model or no data":                                      func(o *family.GaugeOptions) { o.Model = nil },
	} {
		o := plain().GaugeOptions
		change(&o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a participant that is no learner has played")
		}
	}()
	meterOf(plain()).Played(messages.NodeID(3), 0, make([]float64, dim))
}
