package opestoch_test

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
	"starling/actors/algorithm/opestoch"
	"starling/mechanisms/accountant"
	"starling/messages"
)

var update = flag.Bool("update", false, "rewrite the transcripts in testdata")

// scribe writes down every turn of a run: what came in, what was played and
// spent, and what went out.
type scribe struct {
	*diary
	text strings.Builder
}

func (s *scribe) Played(node messages.NodeID, step int, x []float64) {
	fmt.Fprintf(&s.text, "  played   %s\n", vector(x))
}

func (s *scribe) Spent(node messages.NodeID, step int, loss accountant.Loss) error {
	fmt.Fprintf(&s.text, "  spent    %s\n", number(loss.Epsilon))
	return nil
}

// watched is a machine whose turns are written down. It forwards what a folder
// has folded as its inbox.
type watched struct {
	algorithm.Machine
	scribe *scribe
}

func (w watched) Step(t *algorithm.Turn) error {
	fmt.Fprintf(&w.scribe.text, "step %d, hop %d, node %d\n", t.Step, t.Hop, t.View.Self())
	for _, e := range t.Inbox {
		v := e.Payload.(*messages.Vector)
		fmt.Fprintf(&w.scribe.text, "  received %s %s from node %d\n", vector(v.Values), v.Kind(), e.From)
	}
	return w.Machine.Step(t)
}

// watchedFolder is watched for a folder.
type watchedFolder struct{ watched }

func (w watchedFolder) FoldLength() int { return w.Machine.(algorithm.Folder).FoldLength() }

func (w watchedFolder) Fold(sum []float64, e *messages.Envelope) {
	v := e.Payload.(*messages.Vector)
	fmt.Fprintf(&w.scribe.text, "to the server %s %s from node %d\n", vector(v.Values), v.Kind(), e.From)
	w.Machine.(algorithm.Folder).Fold(sum, e)
}

// Transcripts of tiny runs are kept word for word: a change of any bit shows,
// and shows where. Run the test with -update to rewrite them.
func TestTranscripts(t *testing.T) {
	tiny := linearOptions()
	tiny.Clients, tiny.Experts, tiny.Horizon = 2, 3, 9
	convex := tiny
	convex.Losses, convex.Signed, convex.Horizon, convex.Clients = squares{}, true, 8, 1
	silent := tiny
	silent.Epsilon, silent.Horizon = math.Inf(1), 5
	for name, o := range map[string]opestoch.Options{
		"local": tiny, "central": central(tiny), "convex": convex, "no-noise": silent,
	} {
		t.Run(name, func(t *testing.T) {
			got, file := transcript(t, o), filepath.Join("testdata", name+".txt")
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

func transcript(t *testing.T, o opestoch.Options) string {
	s := &scribe{diary: newDiary(o.Clients)}
	r := spec(o, squares{}.choose(o), s)
	for i, m := range r.Machines {
		w := watched{m, s}
		if _, ok := m.(algorithm.Folder); ok {
			r.Machines[i] = watchedFolder{w}
		} else {
			r.Machines[i] = w
		}
	}
	if err := sequential(r); err != nil {
		t.Fatal(err)
	}
	return s.text.String()
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
