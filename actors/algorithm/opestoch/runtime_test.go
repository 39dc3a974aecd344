package opestoch_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"starling/actors/algorithm"
	"starling/actors/algorithm/opestoch"
	"starling/actors/algorithmtest"
	"starling/actors/option"
	"starling/actors/runtimetest"
	"starling/messages"
)

// The actor runtime plays the bits of lockstep, for any number of shards.
func TestRuntimesAgree(t *testing.T) {
	host := algorithmtest.NewHost(t)
	one, many := linearOptions(), linearOptions()
	one.Clients, many.Clients, many.Horizon = 1, 140, 20 // clients in three blocks of senders
	for name, o := range map[string]opestoch.Options{
		"linear": linearOptions(), "convex": convexOptions(), "central": central(linearOptions()), "one client": one, "many clients": many,
	} {
		fresh(o, squares{}.choose(o)).CheckRuntimes(t, host, name, 1, 2, 5)
	}
}

// A run restored at a pause, between and within phases, goes on with the same
// bits: the state is complete, and between the hops of a step too.
func TestStateIsComplete(t *testing.T) {
	host := algorithmtest.NewHost(t)
	for name, o := range map[string]opestoch.Options{"linear": linearOptions(), "convex": convexOptions(), "central": central(linearOptions())} {
		f := fresh(o, squares{}.choose(o))
		if pauses := f.CheckResumes(t, host, name, o.Horizon/11); pauses < 10 {
			t.Errorf("%s: %d pauses", name, pauses)
		}
		f.CheckReborn(t, name)
	}
}

// A damaged state is an error, never a panic or a state of another schedule.
func TestRestoreRefuses(t *testing.T) {
	o := linearOptions()
	r, _ := run(t, o, vectors{})
	for i, machine := range r.Machines {
		state := messages.Write(nil, machine)
		fresh, _, _ := opestoch.New(o)
		for n := range state {
			if messages.Read(state[:n], fresh[i]) == nil {
				t.Fatalf("machine %d takes %d of %d bytes", i, n, len(state))
			}
		}
		if messages.Read(append(slices.Clone(state), 0), fresh[i]) == nil {
			t.Fatalf("machine %d takes a byte too many", i)
		}
	}
	state := messages.Write(nil, r.Machines[1])
	other := o
	other.Horizon = 5 // has no phase for which the state has drawn
	fresh, _, _ := opestoch.New(other)
	if err := messages.Read(state, fresh[1]); err == nil || !strings.Contains(err.Error(), "drawn for phase 6") {
		t.Errorf("a state of another horizon: %v", err)
	}
}

// Linear losses played from sums and played from functions give the same run: a
// right child of a linear loss adds nothing.
func TestSumsAndFunctionsAgree(t *testing.T) {
	o := linearOptions()
	o.Batch, o.Trees, o.Horizon = opestoch.Theorem1, 3, 1100
	_, sums := run(t, o, vectors{})
	o.Losses = vectors{}
	_, functions := run(t, o, vectors{})
	for i := range sums.Decisions {
		for step := range sums.Decisions[i] {
			for n := range o.Experts {
				algorithmtest.CloseTo(t, fmt.Sprintf("client %d, step %d", i, step+1), functions.Decisions[i][step][n], sums.Decisions[i][step][n], 1e-12)
			}
		}
		if t.Failed() {
			return
		}
	}
}

// The scalars that messages carried are those of the formula and those the
// machines counted, whatever the options; and what is played is on the simplex.
func TestCommunicationIsExact(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		o := drawOptions(rt, 150)
		r, d := run(t, o, vectors{})
		server := r.Machines[0].(*opestoch.Server)
		up, leaves := 0, 0
		for _, m := range r.Machines[1:] {
			up += m.(*opestoch.Client).Scalars()
		}
		schedule := must(opestoch.NewSchedule(&o))
		for _, p := range schedule.Phases {
			leaves += p.Leaves()
		}
		wantUp, wantDown := schedule.Communication()
		if d.Scalars != wantUp+wantDown || up != wantUp || server.Scalars() != wantDown || server.Leaves() != leaves {
			rt.Fatalf("messages carried %d scalars, machines counted %d up and %d down and %d leaves; the schedule has %d, %d and %d",
				d.Scalars, up, server.Scalars(), server.Leaves(), wantUp, wantDown, leaves)
		}
		for i, decisions := range d.Decisions[1:] {
			last := r.Machines[i+1].(*opestoch.Client).Decision()
			if len(decisions) != o.Horizon || !reflect.DeepEqual(last, decisions[o.Horizon-1]) {
				rt.Fatalf("client %d played %d times, last %v", i+1, len(decisions), last)
			}
			for _, x := range decisions {
				sum := 0.0
				for _, v := range x {
					if !(v >= 0) {
						rt.Fatalf("played %v", x)
					}
					sum += v
				}
				if math.Abs(sum-1) > 1e-12 {
					rt.Fatalf("played %v, which sums to %v", x, sum)
				}
			}
		}
	})
}

// eta_1 = 1 discards the start: after a phase x has at most 2^(T1+1) - 2
// vertices, and is constant within a phase.
func TestDecisionsHaveFewVertices(t *testing.T) {
	o := linearOptions()
	o.Experts, o.Clients = 50, 2
	_, d := run(t, o, vectors{})
	schedule := must(opestoch.NewSchedule(&o))
	for _, p := range schedule.Phases[1:] {
		x := d.Decisions[1][p.First-1]
		vertices := 0
		for _, v := range x {
			if v != 0 {
				vertices++
			}
		}
		if vertices < 1 || vertices > p.Leaves() {
			t.Errorf("phase %d plays %d vertices of %d leaves", p.Number, vertices, p.Leaves())
		}
		for step := p.First; step <= p.Last; step++ {
			if !slices.Equal(d.Decisions[1][step-1], x) || !slices.Equal(d.Decisions[2][step-1], x) {
				t.Fatalf("step %d of phase %d plays another point", step, p.Number)
			}
		}
	}
}

// Equal losses are ties, and without noise a tie goes to the lowest index.
func TestTiesGoToTheLowestIndex(t *testing.T) {
	o := linearOptions()
	o.Epsilon = math.Inf(1)
	r, d := run(t, o, flat(0.5))
	want := []float64{1, 0, 0, 0}
	if got := d.Decisions[2][o.Horizon-1]; !slices.Equal(got, want) {
		t.Errorf("played %v, want %v", got, want)
	}
	if got := r.Machines[0].(*opestoch.Server).Vertex(); got != 1 {
		t.Errorf("the last vertex is %d, want 1", got)
	}
}

// flat are losses that are all the same number.
type flat float64

func (f flat) Loss(messages.NodeID, int, []float64) float64 { return float64(f) }

func (f flat) Gradient(dst []float64, _ messages.NodeID, _ int, _ []float64) {
	for n := range dst {
		dst[n] = float64(f)
	}
}

// spike are flat losses of which those of client 2 for expert 2 triple in step
// 2.
type spike struct{ flat }

func (s spike) Gradient(dst []float64, node messages.NodeID, step int, x []float64) {
	s.flat.Gradient(dst, node, step, x)
	if node == 2 && step >= 2 {
		dst[1] *= 3
	}
}

// Losses out of range fail the run, with client, step, expert and value, before
// anything computed from them is released.
func TestLossesOutOfRangeAreRefused(t *testing.T) {
	signed := convexOptions()
	signed.Losses, signed.Clients = spike{-0.5}, 2
	for want, test := range map[string]struct {
		o     opestoch.Options
		costs algorithm.Costs
	}{
		"step 2, node 2: client 2, step 2: the loss of expert 2 is 1.5, outside [0, 1]":                {linearOptions(), spike{0.5}},
		"step 1, node 1: client 1, step 1: the loss of expert 1 is -0.25, outside [0, 1]":              {linearOptions(), flat(-0.25)},
		"step 1, node 1: client 1, step 1: the loss of expert 1 is NaN, outside [0, 1]":                {linearOptions(), flat(math.NaN())},
		"step 1, node 1: client 1, step 1: the loss of expert 1 is 1.0000000000000002, outside [0, 1]": {linearOptions(), flat(math.Nextafter(1, 2))},
		// Seen by the function, when the phase after uses it.
		"step 4, node 2: client 2, step 2: the gradient entry of expert 2 is -1.5, outside [-1, 1]": {signed, vectors{}},
	} {
		if err := algorithmtest.Lockstep(spec(test.o, test.costs, runtimetest.Silent{})); err == nil || option.Message(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	good := linearOptions()
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for field, change := range map[string]func(*opestoch.Options){
		"clients": func(o *opestoch.Options) { o.Clients = 0 },
		"experts": func(o *opestoch.Options) { o.Experts = -1 },
		"horizon": func(o *opestoch.Options) { o.Horizon = 0 },
		"variant": func(o *opestoch.Options) { o.Variant = "secret" },
		"epsilon": func(o *opestoch.Options) { o.Epsilon = 0 },
		"delta":   func(o *opestoch.Options) { o.Delta = 1e-6 },
		"alpha":   func(o *opestoch.Options) { o.Alpha = math.Inf(1) },
		"beta":    func(o *opestoch.Options) { o.Beta = -1 },
		"batch":   func(o *opestoch.Options) { o.Batch = "" },
		"trees":   func(o *opestoch.Options) { o.Trees = 2 },
		"start":   func(o *opestoch.Options) { o.Start = []float64{0.5, 0.5, 0.5, 0} },
	} {
		o := linearOptions()
		change(&o)
		_, _, err := opestoch.New(o)
		if got := algorithmtest.Fields(err); !slices.Equal(got, []string{field}) {
			t.Errorf("%s: errors in %v: %v", field, got, err)
		}
	}
	o := linearOptions()
	o.Variant = opestoch.Approximate
	if err := o.Validate(); err == nil || option.Message(err) != "delta = 0; the approximate variant needs one in (0, 1)" {
		t.Errorf("approximate without delta: %v", err)
	}
}

// A start of one's own is played in phase 1, and not kept by reference.
func TestStartIsPlayed(t *testing.T) {
	o := linearOptions()
	o.Start = []float64{0.25, 0, 0.75, 0}
	r := spec(o, vectors{}, nil)
	o.Start[0] = 9
	d := algorithmtest.NewDiary(o.Clients + 1)
	r.Meter = d
	if err := algorithmtest.Lockstep(r); err != nil {
		t.Fatal(err)
	}
	if got := d.Decisions[3][0]; !slices.Equal(got, []float64{0.25, 0, 0.75, 0}) {
		t.Errorf("step 1 plays %v", got)
	}
}
