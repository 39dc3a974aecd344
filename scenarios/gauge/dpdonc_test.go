package gauge_test

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/actors/algorithm"
	"starling/actors/algorithm/dpdonc"
	"starling/actors/algorithm/mirror"
	"starling/actors/lockstep"
	"starling/actors/topology"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/gauge"
	"starling/scenarios/ledger"
	"starling/scenarios/problem"
)

// The printed experiment of DPDO-NC (section 5), measured.

const printedSteps = 500

// asPrinted is the printed problem: all six sensors stand where the target
// starts.
func asPrinted() *problem.Localization {
	o := problem.DefaultLocalizationOptions()
	o.Sensors.Same = &problem.SameOptions{Position: []float64{0.8, 0.95}}
	return must(problem.NewLocalization(o, 6, ball))
}

// recording is a meter that keeps the decisions too.
type recording struct {
	*ledger.Ledger
	decisions [][][]float64
}

func (r *recording) Played(node messages.NodeID, step int, x []float64) {
	r.decisions[node] = append(r.decisions[node], slices.Clone(x))
	r.Ledger.Played(node, step, x)
}

// measured is a run of the printed experiment with its meter.
type measured struct {
	run       *algorithm.Run
	options   dpdonc.Options
	meter     gauge.RegretOptions
	rows      rowsOfRun
	decisions [][][]float64
}

// runPrinted runs the printed experiment and measures all nodes at steps 1, 2
// and the multiples of 50.
func runPrinted(t *testing.T, p *problem.Localization, steps int, change func(*dpdonc.Options)) measured {
	t.Helper()
	o := dpdonc.Options{
		Nodes: 6, Divergence: mirror.Euclidean{Scale: 0.5}, Set: p.Set(), Step: dpdonc.StepSize{Scale: 1},
		Calibration: noise.Calibration{Law: noise.LaplaceLaw, Level: 0.5}, Theta: p.GradientBound(), Bound: algorithm.BoundError, Noise: dpdonc.AsPrinted,
		Start: []float64{0, 0}, NoisePurpose: rng.PurposeOf("dpdonc.noise"),
	}
	change(&o)
	in := must(p.Draw(1, steps))
	m := gauge.RegretOptions{Nodes: 6, FirstStep: 1, Steps: steps, Points: []int{1, 2}, Problem: p, Instance: in}
	for step := 50; step <= steps; step += 50 {
		m.Points = append(m.Points, step)
	}
	for i := range messages.NodeID(6) {
		m.Measured = append(m.Measured, i)
	}
	a1, a2, a3 := topology.Printed()
	graphs := must(topology.NewPeriodic(must(topology.FromDense(a1)), must(topology.FromDense(a2)), must(topology.FromDense(a3))))
	r := &recording{Ledger: paying(m), decisions: make([][][]float64, 6)}
	run := &algorithm.Run{
		Seed: 1, FirstStep: 1, Steps: steps, FirstLabel: 1, Graphs: graphs,
		Machines: must(dpdonc.New(o)), Costs: in, Meter: r,
	}
	if err := lockstep.Run(context.Background(), run); err != nil {
		t.Fatal(err)
	}
	return measured{run: run, options: o, meter: m, rows: finish(r.Ledger), decisions: r.decisions}
}

// A1 has 12 edges of which 6 are self-loops, A2 has 30 and no self-loops, A3 has
// 18 and 6: 6 + 30 + 12 messages cross wires in a period, and 166 periods, A1 and
// A2 make 500 steps. A vector of the plane takes 5 + 2*8 bytes.
func TestMessagesOfThePrintedRun(t *testing.T) {
	r := runPrinted(t, asPrinted(), printedSteps, func(*dpdonc.Options) {}).rows
	for step, want := range map[int]float64{1: 6, 2: 36, 50: 16*48 + 36, printedSteps: 8004} {
		if got := r.find(step, -1, gauge.MessagesSent); got != want {
			t.Errorf("%v messages sent by step %d, want %v", got, step, want)
		}
		if got := r.find(step, -1, gauge.BytesSent); got != 21*want {
			t.Errorf("%v bytes sent by step %d, want %v", got, step, 21*want)
		}
	}
}

// Theorem 1: what the meter sees spent is what dpdonc says it costs.
func TestSpendingIsWhatTotalsSays(t *testing.T) {
	for name, change := range map[string]func(*dpdonc.Options){
		"as printed": func(*dpdonc.Options) {},
		"shifted":    func(o *dpdonc.Options) { o.Noise = dpdonc.Shifted },
		"no noise":   func(o *dpdonc.Options) { o.Calibration.Level = math.Inf(1) },
	} {
		got := runPrinted(t, asPrinted(), 100, change)
		for _, step := range got.meter.Points {
			mechanism, sensitivity := got.options.Release(step)
			_, total := dpdonc.Totals(&got.options, step)
			inStep := mechanism.Loss(sensitivity)
			if v := got.rows.find(step, -1, ledger.EpsilonStep); v != inStep.Epsilon {
				t.Errorf("%s: step %d cost %v, want %v", name, step, v, inStep.Epsilon)
			}
			if v := got.rows.find(step, -1, ledger.EpsilonTotal); v != total.Epsilon {
				t.Errorf("%s: %v spent by step %d, want %v", name, v, step, total.Epsilon)
			}
		}
		if got := got.rows.find(1, -1, ledger.EpsilonTotal); got != 0 {
			t.Errorf("%s: x_1 is public, but cost %v", name, got)
		}
	}
}

// The regret (3) of a whole run, from the decisions that were made.
func TestRegretOfThePrintedRun(t *testing.T) {
	r := runPrinted(t, asPrinted(), printedSteps, func(*dpdonc.Options) {})
	h := history{options: r.meter, decisions: r.decisions}
	for i := range 6 {
		want := math.Inf(-1)
		for _, v := range vertices {
			want = max(want, h.against(v, i, printedSteps))
		}
		got := r.rows.find(printedSteps, i, gauge.RegretNode)
		if math.Abs(got-want) > 1e-9*want {
			t.Errorf("node %d: regret %v, want %v", i+1, got, want)
		}
	}
}

// A node that stands at its sensor: the printed gradient is 0/0 there and is
// taken to be 0, so that x_2 is z_1. The run stays finite and within theta.
func TestStartAtTheSensor(t *testing.T) {
	at := func(o *dpdonc.Options) { o.Start, o.Calibration.Level = []float64{0.8, 0.95}, math.Inf(1) }
	r := runPrinted(t, asPrinted(), 2, at)
	for i := range r.run.Machines {
		if diff := cmp.Diff([]float64{0.8, 0.95}, r.decisions[i][1], approx); diff != "" {
			t.Errorf("node %d moved in step 1 (-want +got):\n%s", i+1, diff)
		}
	}
	one := must(dpdonc.New(r.options))
	r.run.Machines, r.run.Steps, r.run.Meter = one, 1, paying(r.meter)
	if err := lockstep.Run(context.Background(), r.run); err != nil {
		t.Fatal(err)
	}
	for i, m := range one {
		state := messages.Write(nil, m) // t, x_1, gradient
		if g0, g1 := float64At(state[20:]), float64At(state[28:]); g0 != 0 || g1 != 0 {
			t.Errorf("node %d: gradient (%v, %v) at its sensor, want 0", i+1, g0, g1)
		}
	}
	for _, row := range runPrinted(t, asPrinted(), printedSteps, at).rows {
		if row.Metric != ledger.EpsilonStep && row.Metric != ledger.EpsilonTotal && (math.IsNaN(row.Value) || math.IsInf(row.Value, 0)) {
			t.Errorf("%+v is not finite", row)
		}
	}
}

func float64At(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }

// Without noise and with all sensors alike, the printed graphs average exactly
// within every cycle: the nodes agree to a small part of what they have moved.
// Noise drives them apart.
func TestConsensusOfThePrintedRun(t *testing.T) {
	quiet := runPrinted(t, asPrinted(), printedSteps, func(o *dpdonc.Options) { o.Calibration.Level = math.Inf(1) }).rows
	noisy := runPrinted(t, asPrinted(), printedSteps, func(*dpdonc.Options) {}).rows
	if got := quiet.find(printedSteps, -1, gauge.Consensus); got > 1e-3 {
		t.Errorf("consensus error %v without noise", got)
	}
	if a, b := noisy.find(2, -1, gauge.Consensus), noisy.find(printedSteps, -1, gauge.Consensus); !(a > b && b > 1e-3) {
		t.Errorf("consensus error %v at step 2 and %v at the end with noise, want it to shrink as the noise does", a, b)
	}
}
