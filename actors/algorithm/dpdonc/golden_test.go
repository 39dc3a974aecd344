package dpdonc_test

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"starling/actors/algorithm"
	"starling/actors/algorithm/dpdonc"
	"starling/actors/algorithm/mirror"
	"starling/actors/topology"
	"starling/messages"
)

var update = flag.Bool("update", false, "rewrite the transcripts in testdata")

// tinyRun is small enough to follow by hand: three nodes on a directed ring and
// on the complete graph without self-loops in turn, d = 2, four steps. The
// gradients x - (node, step)/4 are longer than theta in some steps: clipped.
func tinyRun(change func(*dpdonc.Options)) *algorithm.Run {
	o := printedOptions()
	o.Nodes, o.Set, o.Theta, o.Bound = 3, must(mirror.NewL1Ball(2, 1, nil)), 1, dpdonc.BoundClip
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
		"no-noise":   func(o *dpdonc.Options) { o.Epsilon = math.Inf(1) },
		"as-printed": func(*dpdonc.Options) {},
		"shifted":    func(o *dpdonc.Options) { o.Noise = dpdonc.Shifted },
		"entropy": func(o *dpdonc.Options) {
			o.Divergence, o.Set, o.Start = mirror.Entropy{}, must(mirror.NewSimplex(2)), []float64{0.5, 0.5}
			o.Positivity, o.Floor = dpdonc.DualAverage, 0.01
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, file := transcript(t, tinyRun(change)), filepath.Join("testdata", name+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			compareTranscripts(t, string(want), got)
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
				fmt.Fprintf(&text, "  received %s from node %d with weight %s\n", vector(e.Payload.(*messages.Vector).Values), e.From+1, number(e.Weight))
			}
			fmt.Fprintf(&text, "  played   %s\n", vector(b.decisions[i][step-1]))
			fmt.Fprintf(&text, "  gradient %s\n", vector(gradientIn(machine.AppendState(nil))))
			fmt.Fprintf(&text, "  spent    %s\n", number(b.losses[i][step-1]))
			fmt.Fprintf(&text, "  sent     %s %s\n", vector(b.sent[i].Values), b.sent[i].Kind())
		}
	}
	return text.String()
}

// compareTranscripts wants the same text. The bits are those of amd64 without
// fused multiply-add; elsewhere, where the compiler may fuse and the functions
// of math differ in the last place, numbers are compared with a tolerance.
func compareTranscripts(t *testing.T, want, got string) {
	exact := runtime.GOARCH == "amd64" && !fuses(1+0x1p-30, 1-0x1p-30, -1)
	wantLines, gotLines := strings.Split(want, "\n"), strings.Split(got, "\n")
	if len(wantLines) != len(gotLines) {
		t.Fatalf("%d lines, want %d", len(gotLines), len(wantLines))
	}
	for l := range wantLines {
		if wantLines[l] != gotLines[l] && (exact || !similar(wantLines[l], gotLines[l])) {
			t.Fatalf("line %d (exact: %v) is\n%s\nwant\n%s", l+1, exact, gotLines[l], wantLines[l])
		}
	}
}

// fuses tells whether the compiler rounds x*y + z once, for arguments whose
// product is not a float64.
//
//go:noinline
func fuses(x, y, z float64) bool { return x*y+z != float64(x*y)+z }

// similar tells whether two lines are the same but for numbers that differ by
// less than 1e-12.
func similar(want, got string) bool {
	wantWords, gotWords := strings.Fields(want), strings.Fields(got)
	if len(wantWords) != len(gotWords) {
		return false
	}
	for i, word := range wantWords {
		a, errA := strconv.ParseFloat(word, 64)
		b, errB := strconv.ParseFloat(gotWords[i], 64)
		same := word == gotWords[i]
		if errA == nil && errB == nil {
			same = same || math.Abs(a-b) <= 1e-12*max(1, math.Abs(a))
		}
		if !same {
			return false
		}
	}
	return true
}

// number has as many digits as it takes to tell it from its neighbours.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func vector(x []float64) string {
	words := make([]string, len(x))
	for k, v := range x {
		words[k] = number(v)
	}
	return "( " + strings.Join(words, " ") + " )"
}
