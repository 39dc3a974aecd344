package fedsvt_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/rs/zerolog"

	"starling/actors/algorithm"
	"starling/actors/algorithm/fedsvt"
	"starling/actors/engine"
	"starling/actors/lockstep"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/mechanisms/rng"
	"starling/messages"
)

var (
	noisePurpose = rng.PurposeOf("fedsvt.test noise")
	startPurpose = rng.PurposeOf("fedsvt.test start")
	lossPurpose  = rng.PurposeOf("fedsvt.test losses")
)

// must returns the value of a constructor that cannot fail on its arguments.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// vectors are linear losses in [0, 1]: uniform, a function of client, step and
// expert.
type vectors struct{}

func (vectors) Gradient(dst []float64, node messages.NodeID, step int, _ []float64) {
	for n := range dst {
		dst[n] = rng.NewKey(3, lossPurpose).Uniform(int(node), step, n)
	}
}

func (v vectors) Loss(node messages.NodeID, step int, x []float64) (loss float64) {
	l := make([]float64, len(x))
	v.Gradient(l, node, step, x)
	for n := range x {
		loss += l[n] * x[n]
	}
	return loss
}

// near are losses of which those of the last expert are 0 and the others as in
// vectors: it is realizable.
type near struct{ vectors }

func (v near) Gradient(dst []float64, node messages.NodeID, step int, x []float64) {
	v.vectors.Gradient(dst, node, step, x)
	dst[len(dst)-1] = 0
}

// options are a small run.
func options() fedsvt.Options {
	return fedsvt.Options{
		Clients: 3, Experts: 5, Horizon: 100, Interval: 7, Variant: fedsvt.Pure, Epsilon: 20, Kappa: 3.5,
		NoisePurpose: noisePurpose, StartPurpose: startPurpose,
	}
}

// spec is a run of the options; costs are what the oracle shows.
func spec(o fedsvt.Options, costs algorithm.Costs, meter algorithm.Meter) *algorithm.Run {
	machines, schedule, err := fedsvt.New(o)
	if err != nil {
		panic(err)
	}
	return &algorithm.Run{
		Seed: 11, FirstStep: 1, Steps: o.Horizon, FirstLabel: 0,
		Graphs: must(topology.Star{Leaves: o.Clients}.Sequence()), Machines: machines, Costs: costs, Meter: meter,
		Hops: schedule.Hops, Acts: schedule.Acts,
	}
}

// diary is a meter that keeps decisions and losses by node, the scalars of all
// messages, and what was recorded.
type diary struct {
	decisions [][][]float64
	spent     []float64
	scalars   int
	recorded  map[string][]float64
}

func newDiary(clients int) *diary {
	return &diary{decisions: make([][][]float64, clients+1), spent: make([]float64, clients+1), recorded: map[string][]float64{}}
}

func (d *diary) Played(node messages.NodeID, _ int, x []float64) {
	d.decisions[node] = append(d.decisions[node], append([]float64(nil), x...))
}

func (d *diary) Spent(node messages.NodeID, _ int, loss accountant.Loss) error {
	d.spent[node] += loss.Epsilon
	return nil
}

func (d *diary) Recorded(node messages.NodeID, _ int, quantity string, value float64) {
	d.recorded[quantity] = append(d.recorded[quantity], value)
}
func (*diary) Stopped(messages.NodeID, int, string) {}

// Sent counts payload bytes: 5 of header a message and 8 a scalar.
func (d *diary) Sent(_ int, messages, bytes int64) { d.scalars += int(bytes-5*messages) / 8 }

// run runs to the end on lockstep and returns the run and what was played.
func run(t testing.TB, o fedsvt.Options, costs algorithm.Costs) (*algorithm.Run, *diary) {
	t.Helper()
	d := newDiary(o.Clients)
	r := spec(o, costs, d)
	if err := lockstep.Run(context.Background(), r); err != nil {
		t.Fatalf("run: %v", err)
	}
	return r, d
}

func sequential(r *algorithm.Run) error { return lockstep.Run(context.Background(), r) }

// actors returns the actor runtime with so many shards.
func actors(t testing.TB, shards int) func(*algorithm.Run) error {
	t.Helper()
	host, err := engine.NewHost(engine.HostOptions{Workers: 2, Logger: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(host.Close)
	return func(r *algorithm.Run) error {
		return host.Run(context.Background(), r, engine.Options{Shards: shards})
	}
}

// closeTo fails unless got is within tolerance of want, relative for large
// numbers.
func closeTo(t testing.TB, name string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*max(1, math.Abs(want))) && got != want {
		t.Errorf("%s is %v, want %v", name, got, want)
	}
}

// fields lists the options that a joined error names.
func fields(err error) (list []string) {
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		return nil
	}
	for _, e := range joined.Unwrap() {
		var named interface{ Field() string }
		if errors.As(e, &named) {
			list = append(list, named.Field())
		}
	}
	return list
}
