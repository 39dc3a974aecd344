package gauge_test

import (
	"math"
	"runtime"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"starling/actors/algorithm/mirror"
	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/gauge"
	"starling/scenarios/ledger"
)

var (
	ball   = must(mirror.NewL1Ball(2, 3, nil))
	approx = cmp.Options{cmpopts.EquateApprox(1e-12, 1e-12), cmpopts.EquateNaNs()}
)

// vertices are those of the printed set, ||x||_1 <= 3 in the plane.
var vertices = [][]float64{{3, 0}, {-3, 0}, {0, 3}, {0, -3}}

// against is sum_{t <= T} sum_j <grad f_t^j(x_t), x_t - x> for a node, from its
// decisions in the steps up to the given one: (3) of DPDO-NC before the maximum.
func (h *history) against(x []float64, node, step int) (sum float64) {
	g := make([]float64, len(x))
	for s, played := range h.decisions[node] {
		if h.options.FirstStep+s > step {
			break
		}
		for j := range h.options.Nodes {
			h.options.Instance.Gradient(g, messages.NodeID(j), h.options.FirstStep+s, played)
			for k := range x {
				sum += g[k] * (played[k] - x[k])
			}
		}
	}
	return sum
}

// expected is what a meter should record of a history on the printed set,
// directly from the definitions.
func (h *history) expected() (want rowsOfRun) {
	for _, step := range h.options.Points {
		worst := math.Inf(-1)
		for _, node := range h.options.Measured {
			regret := math.Inf(-1) // a linear function is largest at a vertex
			for _, v := range vertices {
				regret = max(regret, h.against(v, int(node), step))
			}
			worst = max(worst, regret)
			want.AddNode(step, int(node), gauge.RegretNode, regret)
		}
		want.Add(step, gauge.RegretRun, worst)
		if h.options.Interval > 0 {
			want.Add(step, gauge.RegretAdaptive, h.adaptive(step))
		}
		want.Add(step, gauge.Consensus, h.consensus(step))
		want.Add(step, gauge.TargetError, h.targetError(step))
		var sent, inStep, total float64
		for i := range h.options.Nodes {
			var spent float64
			for s, losses := range h.losses[i] {
				if h.options.FirstStep+s > step {
					break
				}
				sent += float64(h.messages[i][s])
				var now float64
				for _, loss := range losses {
					now += loss
				}
				spent += now
				if h.options.FirstStep+s == step {
					inStep = max(inStep, now)
				}
			}
			total = max(total, spent)
		}
		want.Add(step, gauge.MessagesSent, sent)
		want.Add(step, gauge.BytesSent, 100*sent)
		want.Add(step, ledger.EpsilonStep, inStep)
		want.Add(step, ledger.EpsilonTotal, total)
	}
	return want
}

// adaptive is the largest regret over the intervals that are over by a step, by trying every
// one of them: SA-Regret of Daniely, Gonen, Shalev-Shwartz 2015, definition 1.1.
func (h *history) adaptive(step int) float64 {
	worst := math.NaN()
	for last := h.options.FirstStep + h.options.Interval - 1; last <= step; last++ {
		for _, node := range h.options.Measured {
			for _, v := range vertices {
				regret := h.against(v, int(node), last) - h.against(v, int(node), last-h.options.Interval)
				if !(regret <= worst) {
					worst = regret
				}
			}
		}
	}
	return worst
}

// played lists the decisions of a step, of the nodes that still play.
func (h *history) played(step int) (list [][]float64) {
	for _, decisions := range h.decisions {
		if s := step - h.options.FirstStep; s < len(decisions) {
			list = append(list, decisions[s])
		}
	}
	return list
}

// consensus is the root mean square distance from the mean, by the distances of
// all pairs: sum_i ||x_i - m||^2 = sum_{i<j} ||x_i - x_j||^2 / n.
func (h *history) consensus(step int) float64 {
	list := h.played(step)
	n := float64(len(list))
	var sum float64
	for i := range list {
		for j := range i {
			sum += math.Pow(math.Hypot(list[i][0]-list[j][0], list[i][1]-list[j][1]), 2)
		}
	}
	return math.Sqrt(sum) / n
}

// targetError is the mean distance from the target, (t, t)/10.
func (h *history) targetError(step int) float64 {
	list, at := h.played(step), float64(step)/10
	var sum float64
	for _, x := range list {
		sum += math.Hypot(x[0]-at, x[1]-at)
	}
	return sum / float64(len(list))
}

// Every number of a run against its definition, with all nodes playing to the
// end, and with nodes that stop early: those keep their regret, and are in what
// is measured over decisions as long as they play.
func TestMetrics(t *testing.T) {
	for name, early := range map[string]bool{"all play to the end": false, "some stop early": true} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				h := drawHistory(t, ball, early)
				if diff := cmp.Diff(h.expected(), finish(h.measure(first)), approx); diff != "" {
					t.Fatalf("rows (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// The order in which nodes play, each its own steps in order, changes no bit.
func TestOrderOfPlayDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t, ball, rapid.Bool().Draw(t, "some stop early"))
		random := func(left []int) int { return rapid.SampledFrom(left).Draw(t, "next node") }
		if diff := cmp.Diff(finish(h.measure(first)).bits(), finish(h.measure(random)).bits()); diff != "" {
			t.Fatalf("rows (-node by node +random):\n%s", diff)
		}
	})
}

// A problem without a target has no target.error.
func TestNoTarget(t *testing.T) {
	p := &waves{nodes: 1, set: ball}
	m := paying(gauge.RegretOptions{Nodes: 1, FirstStep: 1, Steps: 1, Points: []int{1}, Measured: []messages.NodeID{0}, Problem: p, Instance: p})
	m.Played(0, 1, []float64{1, 1})
	for _, r := range finish(m) {
		if r.Metric == gauge.TargetError {
			t.Errorf("recorded %+v", r)
		}
	}
}

// The loss so far counts what was spent between points and by nodes that have
// stopped; the loss of a step is that of all its releases.
func TestSpending(t *testing.T) {
	p := &waves{nodes: 3, set: ball}
	m := paying(gauge.RegretOptions{Nodes: 3, FirstStep: 1, Steps: 9, Points: []int{3, 6, 9}, Measured: []messages.NodeID{0}, Problem: p, Instance: p})
	spend := func(node messages.NodeID, step int, epsilon float64) {
		if err := m.Spent(node, step, accountant.Loss{Epsilon: epsilon}); err != nil {
			t.Fatal(err)
		}
	}
	spend(0, 1, 4) // and stops
	spend(1, 2, 1)
	spend(1, 3, 1)
	spend(1, 3, 0.5)
	spend(2, 3, 1.25)
	spend(1, 5, 2)
	spend(1, 9, math.Inf(1))
	got := finish(m)
	for _, want := range []struct {
		step          int
		inStep, total float64
	}{{3, 1.5, 4}, {6, 0, 4.5}, {9, math.Inf(1), math.Inf(1)}} {
		inStep, total := got.find(want.step, -1, ledger.EpsilonStep), got.find(want.step, -1, ledger.EpsilonTotal)
		if inStep != want.inStep || total != want.total {
			t.Errorf("step %d: %v, in all %v; want %v, in all %v", want.step, inStep, total, want.inStep, want.total)
		}
	}
}

func TestStops(t *testing.T) {
	p := &waves{nodes: 9, set: ball}
	m := newMeter(gauge.RegretOptions{Nodes: 9, FirstStep: 1, Steps: 9, Points: []int{9}, Measured: []messages.NodeID{0}, Problem: p, Instance: p})
	m.Stopped(4, 7, "late")
	m.Stopped(8, 2, "budget spent")
	m.Stopped(1, 2, "done")
	want := []gauge.Stop{{Node: 1, Step: 2, Reason: "done"}, {Node: 8, Step: 2, Reason: "budget spent"}, {Node: 4, Step: 7, Reason: "late"}}
	if diff := cmp.Diff(want, m.Stops()); diff != "" {
		t.Errorf("stops (-want +got):\n%s", diff)
	}
}

// Many goroutines play the nodes, each at its own pace, some to the end and some
// not: the bits are those of one goroutine. The race detector looks on where it
// is asked for.
func TestConcurrentUse(t *testing.T) {
	const n, steps = 40, 60
	p := &hunted{waves{nodes: n, set: ball}}
	h := &history{options: gauge.RegretOptions{Nodes: n, FirstStep: 1, Steps: steps, Problem: p, Instance: p}}
	for step := 5; step <= steps; step += 5 {
		h.options.Points = append(h.options.Points, step)
	}
	h.decisions, h.losses, h.messages = make([][][]float64, n), make([][][]float64, n), make([][]int64, n)
	for i := range n {
		if i%2 == 0 {
			h.options.Measured = append(h.options.Measured, messages.NodeID(i))
		}
		part := steps
		if i%7 == 3 {
			part = i
		}
		for s := range part {
			h.decisions[i] = append(h.decisions[i], []float64{math.Sin(float64(i * s)), math.Cos(float64(i + s))})
			h.losses[i] = append(h.losses[i], []float64{float64(i) / 8})
			h.messages[i] = append(h.messages[i], int64(i%3))
		}
	}
	m := paying(h.options)
	var nodes sync.WaitGroup
	for i := range n {
		nodes.Go(func() {
			for s := range h.decisions[i] {
				h.move(m, i, s)
				if (s+i)%(i+1) == 0 {
					runtime.Gosched()
				}
			}
			if len(h.decisions[i]) < steps {
				m.Stopped(messages.NodeID(i), len(h.decisions[i]), "done")
			}
		})
	}
	nodes.Wait()
	if diff := cmp.Diff(finish(h.measure(first)).bits(), finish(m).bits()); diff != "" {
		t.Errorf("rows (-one goroutine +many):\n%s", diff)
	}
	if got := len(m.Stops()); got != 6 { // nodes 3, 10, 17, 24, 31 and 38
		t.Errorf("%d nodes stopped, want 6", got)
	}
}

// quiet are costs that allocate nothing.
type quiet struct{ waves }

func (q *quiet) SumGradient(dst []float64, step int, x []float64) { copy(dst, x) }

// Playing, spending and sending allocate nothing; at a point the memory of an
// earlier one is used again.
func TestPlayedDoesNotAllocate(t *testing.T) {
	const n, steps = 4, 1000
	p := &quiet{waves{nodes: n, set: ball}}
	o := gauge.RegretOptions{Nodes: n, FirstStep: 1, Steps: steps, Points: []int{steps}, Measured: []messages.NodeID{0, 2}, Problem: p, Instance: p}
	x := []float64{0.5, -0.25}
	step := 0
	play := func(m *ledger.Ledger) {
		step++
		for node := range messages.NodeID(n) {
			m.Played(node, step, x)
			if err := m.Spent(node, step, accountant.Loss{Epsilon: 1}); err != nil {
				t.Fatal(err)
			}
		}
		m.Sent(step, 3, 63)
	}
	m := paying(o)
	if allocated := testing.AllocsPerRun(500, func() { play(m) }); allocated != 0 {
		t.Errorf("%v allocations in a step that is not recorded", allocated)
	}
	o.Points = nil
	for s := range steps {
		o.Points = append(o.Points, s+1)
	}
	m, step = paying(o), 0
	if allocated := testing.AllocsPerRun(500, func() { play(m) }); allocated != 0 {
		t.Errorf("%v allocations in a recorded step", allocated)
	}
}

func TestValidate(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*gauge.RegretOptions)
		want   string
	}{
		{"valid", func(*gauge.RegretOptions) {}, ""},
		{"from step 0", func(o *gauge.RegretOptions) { o.FirstStep, o.Points = 0, []int{0, 9} }, ""},
		{"no points", func(o *gauge.RegretOptions) { o.Points = nil }, "measure: the points [] do not end at the last step, 10"},
		{"points that end early", func(o *gauge.RegretOptions) { o.Points = []int{5, 9} }, "measure: the points [5 9] do not end at the last step, 10"},
		{"points in disorder", func(o *gauge.RegretOptions) { o.Points = []int{7, 5, 10} }, "measure: point 2 of the list is step 5, want more than 7"},
		{"a point twice", func(o *gauge.RegretOptions) { o.Points = []int{5, 10, 10} }, "measure: point 3 of the list is step 10, want more than 10"},
		{"a point before the run", func(o *gauge.RegretOptions) { o.Points = []int{0, 10} }, "measure: point 1 of the list is step 0, want more than 0"},
		{"nobody measured", func(o *gauge.RegretOptions) { o.Measured = nil }, "measure: no node's regret is taken"},
		{"a node too many", func(o *gauge.RegretOptions) { o.Measured = []messages.NodeID{0, 3} }, "measure: measured node 2 of the list has the index 3, want 1 to 2"},
		{"a node twice", func(o *gauge.RegretOptions) { o.Measured = []messages.NodeID{1, 1} }, "measure: measured node 2 of the list has the index 1, want 2 to 2"},
		{"a node below 0", func(o *gauge.RegretOptions) { o.Measured = []messages.NodeID{-1} }, "measure: measured node 1 of the list has the index -1, want 0 to 2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := &waves{nodes: 3, set: ball}
			o := gauge.RegretOptions{Nodes: 3, FirstStep: 1, Steps: 10, Points: []int{5, 10}, Measured: []messages.NodeID{0, 2}, Problem: p, Instance: p}
			test.change(&o)
			got := ""
			if err := o.Validate(); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("error %q, want %q", got, test.want)
			}
			defer func() {
				if refused := recover() != nil; refused != (test.want != "") {
					t.Errorf("Gauges panics: %v", refused)
				}
			}()
			newMeter(o)
		})
	}
}
