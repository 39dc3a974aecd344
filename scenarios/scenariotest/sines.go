package scenariotest

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"starling/actors/algorithm"
	"starling/actors/lockstep"
	"starling/mechanisms/accountant"
	"starling/mechanisms/portable"
	"starling/messages"
	"starling/scenarios/study"
)

// The size of the data of Sines: clients, rows of each client, and numbers in a row, besides
// its label.
const SineClients, SineRows, SineDim = 6, 5, 3

// Sine returns a row of a client, both counted from 0, with its label, 1 or -1. Tests can
// compute with these data by themselves.
func Sine(client, index int) (a [SineDim]float64, label float64) {
	for k := range a {
		a[k] = portable.Sin(float64(1 + 7*client + 3*index + 5*k*k))
	}
	return a, float64(2*((client+index*index)%2) - 1)
}

// SineGradient adds to g, of length SineDim, the gradient of the mean logistic loss of a
// client's rows at x, times a factor; each row's gradient is clipped to 2-norm clip.
func SineGradient(g, x []float64, client int, factor, clip float64) {
	for index := range SineRows {
		a, label := Sine(client, index)
		dot, norm := 0.0, 0.0
		for k, v := range a {
			dot += float64(x[k] * v)
			norm += float64(v * v)
		}
		slope := -label / (1 + portable.Exp(label*dot))
		slope *= min(1, clip/(math.Abs(slope)*math.Sqrt(norm)))
		for k, v := range a {
			g[k] += factor * slope * v / SineRows
		}
	}
}

// SineChange returns the change of x, of length SineDim, by local steps of a rate on a client's mean
// logistic loss, clipped to 2-norm clip.
func SineChange(x []float64, client, steps int, rate, clip float64) []float64 {
	y, norm := slices.Clone(x), 0.0
	for range steps {
		g := make([]float64, SineDim)
		SineGradient(g, y, client, 1, math.Inf(1))
		for k := range g {
			y[k] -= rate * g[k]
		}
	}
	for k := range y {
		y[k] -= x[k]
		norm += y[k] * y[k]
	}
	for k := range y {
		y[k] *= min(1, clip/math.Sqrt(norm))
	}
	return y
}

// SineFile writes the rows to a file of the test, a CSV table of parties.
func SineFile(t testing.TB) string {
	t.Helper()
	text := "party,a,b,c,label\n"
	for client := range SineClients {
		for index := range SineRows {
			a, label := Sine(client, index)
			text += fmt.Sprintf("%d,%.17g,%.17g,%.17g,%d\n", client+1, a[0], a[1], a[2], int(label+1)/2)
		}
	}
	file := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// SineText returns a scenario of a server with an algorithm, as a section, and with the clients
// of SineFile. It has 9 rounds and no noise.
func SineText(t testing.TB, algorithm string) string {
	t.Helper()
	return `version: 1
name: sines
nodes: 6
horizon: 9
algorithm: ` + algorithm + `
problem: {kind: table, file: ` + SineFile(t) + `, party: party, label: label, feature_bound: 10, intercept: false, model: {kind: logistic}}
topology: {kind: star}
mechanism: {kind: none}
seeds: {base: 1, count: 1}
`
}

// Served is the record of a run of a server and its clients.
type Served struct {
	algorithm.ExposureMeter
	Arm    *study.Arm
	Models [][]float64                           // of the server, by round
	Paid   map[messages.NodeID][]accountant.Loss // charged losses by participant
	Rounds map[messages.NodeID][]int             // by client, the rounds in which the server heard of it
}

// Played implements algorithm.Meter.
func (w *Served) Played(node messages.NodeID, step int, x []float64) {
	w.Models = append(w.Models, append([]float64(nil), x...))
	w.ExposureMeter.Played(node, step, x)
}

// Spent implements algorithm.Meter.
func (w *Served) Spent(node messages.NodeID, step int, loss accountant.Loss) error {
	w.Paid[node] = append(w.Paid[node], loss)
	return w.ExposureMeter.Spent(node, step, loss)
}

// WatchServer runs the first arm of a scenario under its first seed, on lockstep, and fails
// unless the ledger's bills are settled.
func WatchServer(t testing.TB, text string, overrides ...string) *Served {
	t.Helper()
	s := LoadText(t, text, overrides...)
	job := JobOf(t, s)
	w := &Served{ExposureMeter: job.Meter, Arm: s.Arms[0], Paid: map[messages.NodeID][]accountant.Loss{}, Rounds: map[messages.NodeID][]int{}}
	job.Run.Meter = w
	see := &lockstep.Watcher{Node: 0, Visit: func(at *lockstep.Watched) error {
		for _, e := range at.Inbox {
			w.Rounds[e.From] = append(w.Rounds[e.From], at.Step)
		}
		return nil
	}}
	if err := lockstep.Watch(context.Background(), &job.Run, see); err != nil {
		t.Fatal(err)
	}
	if err := job.Meter.Settled(0); err != nil {
		t.Fatal(err)
	}
	return w
}
