package algorithmtest

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
	"starling/actors/runtimetest"
	"starling/mechanisms/accountant"
	"starling/messages"
)

var update = flag.Bool("update", false, "rewrite the transcripts in testdata")

// CheckTranscript fails unless a text equals testdata/NAME.txt, which the flag -update
// rewrites. The bits are from amd64 without fused multiply-add; elsewhere, where the compiler
// may fuse and the functions of math differ in the last place, numbers are compared with a
// tolerance.
func CheckTranscript(t testing.TB, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	exact := runtime.GOARCH == "amd64" && !fuses(1+0x1p-30, 1-0x1p-30, -1)
	wantLines, gotLines := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	if len(wantLines) != len(gotLines) {
		t.Fatalf("%d lines, want %d", len(gotLines), len(wantLines))
	}
	for l := range wantLines {
		if wantLines[l] != gotLines[l] && (exact || !similar(wantLines[l], gotLines[l])) {
			t.Fatalf("line %d (exact: %v) is\n%s\nwant\n%s", l+1, exact, gotLines[l], wantLines[l])
		}
	}
}

// fuses reports whether the compiler rounds x*y + z once, for arguments whose
// product is not a float64.
//
//go:noinline
func fuses(x, y, z float64) bool { return float64(x*y)+z != float64(x*y)+z }

// similar reports whether two lines are the same but for numbers that differ by
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

// Number writes a number with as many digits as it takes to tell it from its
// neighbours.
func Number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Vector writes the entries of a vector as Number does, in parentheses.
func Vector(x []float64) string {
	words := make([]string, len(x))
	for k, v := range x {
		words[k] = Number(v)
	}
	return "( " + strings.Join(words, " ") + " )"
}

// Transcribe plays a run on lockstep and returns every turn of it in words: the inbox, the
// decision, and the epsilon that was spent. It replaces the run's machines and meter.
func Transcribe(t testing.TB, r *algorithm.Run) string {
	t.Helper()
	s := &scribe{}
	r.Meter = s
	for i, m := range r.Machines {
		w := watched{m, s}
		if folder, ok := m.(algorithm.Folder); ok {
			r.Machines[i] = watchedFolder{w, folder}
		} else {
			r.Machines[i] = w
		}
	}
	if err := Lockstep(r); err != nil {
		t.Fatal(err)
	}
	return s.String()
}

// scribe is a meter that writes down decisions and payments.
type scribe struct {
	runtimetest.Silent
	strings.Builder
}

func (s *scribe) Played(_ messages.NodeID, _ int, x []float64) {
	fmt.Fprintf(s, "  played   %s\n", Vector(x))
}

func (s *scribe) Spent(_ messages.NodeID, _ int, loss accountant.Loss) error {
	fmt.Fprintf(s, "  spent    %s\n", Loss(loss))
	return nil
}

// Loss prints a loss: the number alone where it is pure or not private.
func Loss(loss accountant.Loss) string {
	if loss == (accountant.Loss{Epsilon: loss.Epsilon, Laplace: loss.Laplace}) {
		return Number(loss.Epsilon)
	}
	return fmt.Sprintf("%+v", loss)
}

// watched is a machine that has its turns written down.
type watched struct {
	algorithm.Machine
	scribe *scribe
}

func (w watched) Step(t *algorithm.Turn) error {
	fmt.Fprintf(w.scribe, "step %d, hop %d, node %d\n", t.Step, t.Hop, t.View.Self())
	for _, e := range t.Inbox {
		v := e.Payload.(*messages.Vector)
		fmt.Fprintf(w.scribe, "  received %s %s from node %d\n", Vector(v.Values), v.Kind(), e.From)
	}
	return w.Machine.Step(t)
}

// watchedFolder is watched for a folder: the messages that it folds are no part of its inbox.
type watchedFolder struct {
	watched
	folder algorithm.Folder
}

func (w watchedFolder) FoldLength() int { return w.folder.FoldLength() }

func (w watchedFolder) Fold(sum []float64, e *messages.Envelope) {
	v := e.Payload.(*messages.Vector)
	fmt.Fprintf(w.scribe, "to the server %s %s from node %d\n", Vector(v.Values), v.Kind(), e.From)
	w.folder.Fold(sum, e)
}
