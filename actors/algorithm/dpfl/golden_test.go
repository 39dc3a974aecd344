package dpfl_test

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"starling/actors/algorithm"
	"starling/actors/algorithm/dpfl"
	"starling/actors/lockstep"
	"starling/mechanisms/accountant"
	"starling/messages"
)

var update = flag.Bool("update", false, "rewrite the transcripts in testdata")

// tiny are two clients of 4 and 6 samples, and two parameters.
func tiny(changes ...func(*dpfl.Options)) dpfl.Options {
	return fixed(append([]func(*dpfl.Options){func(o *dpfl.Options) {
		o.Clients = []dpfl.Data{quadratic(1, 4, 2, 1), quadratic(2, 6, 2, 0.5)}
		o.Rounds, o.Tau, o.Batch, o.Clip, o.Start = 3, 2, 3, 0.5, []float64{0, 0.5}
	}}, changes...)...)
}

// Transcripts of tiny runs are kept word for word: a change of any bit shows,
// and shows where. Run the test with -update to rewrite them.
func TestTranscripts(t *testing.T) {
	ali := func(o *dpfl.Options) {
		o.Tau, o.Rounds = 0, 4
		o.Adaptive = &dpfl.Adaptive{Statistics: dpfl.AsPrinted}
	}
	for name, o := range map[string]dpfl.Options{
		"fixed":            tiny(),
		"fixed-budget":     tiny(budget(8.5)),
		"adaptive":         tiny(ali),
		"adaptive-private": tiny(ali, private, func(o *dpfl.Options) { o.Adaptive.Samples = 3 }),
		"adaptive-budget":  tiny(ali, budget(14), func(o *dpfl.Options) { o.Rounds = 5 }),
	} {
		t.Run(name, func(t *testing.T) {
			got, file := transcriptOf(t, o), filepath.Join("testdata", name+".txt")
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

// book is a meter that writes down what it is told of one node.
type book struct {
	*diary
	node  messages.NodeID
	lines []string
}

func (b *book) note(node messages.NodeID, format string, args ...any) {
	if node == b.node {
		b.lines = append(b.lines, fmt.Sprintf(format, args...))
	}
}

func (b *book) Played(node messages.NodeID, _ int, x []float64) {
	b.note(node, "played   %s", vector(x))
}

func (b *book) Spent(node messages.NodeID, _ int, loss accountant.Loss) error {
	b.note(node, "spent    %s", loss)
	return nil
}

func (b *book) Recorded(node messages.NodeID, _ int, quantity string, value float64) {
	b.note(node, "recorded %s %s", quantity, number(value))
}

func (b *book) Stopped(node messages.NodeID, _ int, reason string) {
	b.note(node, "stopped  %s", reason)
}

// transcriptOf is what every node does in every turn: what it receives, what the
// meter is told, what it sends, and its state after that.
func transcriptOf(t *testing.T, o dpfl.Options) string {
	turns := make([][]string, 4*o.Rounds)
	for node := range messages.NodeID(len(o.Clients) + 1) {
		meter := &book{diary: newDiary(), node: node}
		w := &lockstep.Watcher{Node: node, Visit: func(w *lockstep.Watched) error {
			lines := []string{fmt.Sprintf("round %d, hop %d, %s", w.Step, w.Hop, role(node))}
			for i := range w.Inbox {
				e := &w.Inbox[i]
				v := e.Payload.(*messages.Vector)
				lines = append(lines, fmt.Sprintf("received %s %s from %s", v.Kind(), vector(v.Values), role(e.From)))
			}
			lines = append(append(lines, meter.lines...), sent(w)...)
			meter.lines = nil
			for _, q := range w.Machine.(algorithm.Describer).Describe() {
				lines = append(lines, fmt.Sprintf("holds    %s = %s", q.Name, vector(q.Values)))
			}
			turns[w.Turn] = append(turns[w.Turn], strings.Join(lines, "\n  "))
			return nil
		}}
		if err := lockstep.Watch(t.Context(), newRun(o, meter), w); err != nil {
			t.Fatal(err)
		}
	}
	return strings.Join(slices.Concat(turns...), "\n") + "\n"
}

func role(node messages.NodeID) string {
	if node == 0 {
		return "server"
	}
	return fmt.Sprintf("client %d", node)
}

// sent lists the messages of a turn.
func sent(w *lockstep.Watched) (lines []string) {
	note := func(p messages.Payload, to string) {
		v := p.(*messages.Vector)
		lines = append(lines, fmt.Sprintf("sent     %s %s to %s", v.Kind(), vector(v.Values), to))
	}
	if p := w.Outbox.Broadcast; p != nil {
		note(p, "all clients")
	}
	for _, single := range w.Outbox.Singles(0) {
		note(single.Payload, "server")
	}
	return lines
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
