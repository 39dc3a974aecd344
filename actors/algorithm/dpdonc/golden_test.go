package dpdonc_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"starling/actors/algorithm"
	"starling/actors/algorithm/dpdonc"
	"starling/actors/algorithm/mirror"
	"starling/actors/algorithmtest"
	"starling/actors/topology"
	"starling/mechanisms/noise"
	"starling/messages"
)

// tinyRun is small enough to follow by hand: three nodes on a directed ring and
// on the complete graph without self-loops in turn, d = 2, four steps. The
// gradients x - (node, step)/4 are longer than theta in some steps: clipped.
func tinyRun(change func(*dpdonc.Options)) *algorithm.Run {
	o := printedOptions()
	o.Nodes, o.Set, o.Theta, o.Bound = 3, must(mirror.NewL1Ball(2, 1, nil)), 1, algorithm.BoundClip
	change(&o)
	pull := gradients(func(dst []float64, node messages.NodeID, step int, x []float64) {
		dst[0], dst[1] = x[0]-float64(node)/4, x[1]-float64(step)/4
	})
	ring := must(topology.FromDense([][]float64{{0.5, 0, 0.5}, {0.5, 0.5, 0}, {0, 0.5, 0.5}}))
	complete := must(topology.FromDense([][]float64{{0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}}))
	return &algorithm.Run{
		Seed: 2, FirstStep: 1, Steps: 4, FirstLabel: 1,
		Graphs: must(topology.NewPeriodic(ring, complete)), Machines: must(dpdonc.New(o)), Costs: pull,
	}
}

// Transcripts of tiny runs are kept word for word: a change of any bit shows,
// and shows where. Run the test with -update to rewrite them.
func TestTranscripts(t *testing.T) {
	for name, change := range map[string]func(*dpdonc.Options){
		"no-noise":   func(o *dpdonc.Options) { o.Calibration.Level = math.Inf(1) },
		"as-printed": func(*dpdonc.Options) {},
		"shifted":    func(o *dpdonc.Options) { o.Noise = dpdonc.Shifted },
		"gaussian": func(o *dpdonc.Options) {
			o.Calibration, o.Noise = noise.Calibration{Law: noise.GaussianLaw, Level: 0.5}, dpdonc.Shifted
		},
		"entropy": func(o *dpdonc.Options) {
			o.Divergence, o.Set, o.Start = mirror.Entropy{}, must(mirror.NewSimplex(2)), []float64{0.5, 0.5}
			o.Positivity, o.Floor = dpdonc.DualAverage, 0.01
		},
	} {
		t.Run(name, func(t *testing.T) {
			algorithmtest.CheckTranscript(t, name, transcript(t, tinyRun(change)))
		})
	}
}

// transcript is what every node does in every turn. The gradient is read from
// the state, as it is used: after clipping.
func transcript(t *testing.T, r *algorithm.Run) string {
	var text strings.Builder
	b := newBench(r)
	for step := 1; step <= r.Steps; step++ {
		b.turn(t)
		for i, machine := range r.Machines {
			fmt.Fprintf(&text, "step %d, node %d\n", step, i+1)
			for _, e := range b.inboxes[i] {
				fmt.Fprintf(&text, "  received %s from node %d with weight %s\n", algorithmtest.Vector(e.Payload.(*messages.Vector).Values), e.From+1, algorithmtest.Number(e.Weight))
			}
			fmt.Fprintf(&text, "  played   %s\n", algorithmtest.Vector(b.Decisions[i][step-1]))
			fmt.Fprintf(&text, "  gradient %s\n", algorithmtest.Vector(algorithmtest.Quantity(machine, "gradient")))
			fmt.Fprintf(&text, "  spent    %s\n", algorithmtest.Loss(b.Losses[i][step-1]))
			fmt.Fprintf(&text, "  sent     %s %s\n", algorithmtest.Vector(b.sent[i].Values), b.sent[i].Kind())
		}
	}
	return text.String()
}
