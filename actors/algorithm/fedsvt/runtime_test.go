package fedsvt_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"starling/actors/algorithm"
	"starling/actors/algorithm/fedsvt"
	"starling/actors/algorithmtest"
	"starling/actors/runtimetest"
	"starling/messages"
)

// samples are options of several sorts.
func samples() map[string]fedsvt.Options {
	approximate, single, many := options(), options(), options()
	approximate.Variant, approximate.Delta = fedsvt.Approximate, 1e-4
	single.Clients, single.Interval = 1, 1
	many.Clients, many.Horizon = 140, 30 // clients in three blocks of senders
	return map[string]fedsvt.Options{"pure": options(), "approximate": approximate, "sparse-vector": single, "many clients": many}
}

// The actor runtime plays the bits of lockstep, for any number of shards.
func TestRuntimesAgree(t *testing.T) {
	host := algorithmtest.NewHost(t)
	for name, o := range samples() {
		fresh(o, vectors{}).CheckRuntimes(t, host, name, 1, 2, 5)
	}
}

// A run restored at a pause goes on with the same bits: the state is complete,
// and between the hops of a step too.
func TestStateIsComplete(t *testing.T) {
	host := algorithmtest.NewHost(t)
	for name, o := range samples() {
		f := fresh(o, vectors{})
		if pauses := f.CheckResumes(t, host, name, max(1, o.Horizon/11)); pauses < 10 {
			t.Errorf("%s: %d pauses", name, pauses)
		}
		if o.Clients <= 10 { // each turn of each machine makes machines for all
			f.CheckReborn(t, name)
		}
	}
}

// A damaged state is an error.
func TestRestoreRefuses(t *testing.T) {
	o := options()
	r, _ := run(t, o, vectors{})
	for i, machine := range r.Machines {
		state := messages.Write(nil, machine)
		fresh, _, _ := fedsvt.New(o)
		for n := range state {
			if messages.Read(state[:n], fresh[i]) == nil {
				t.Fatalf("machine %d takes %d of %d bytes", i, n, len(state))
			}
		}
		if messages.Read(append(slices.Clone(state), 0), fresh[i]) == nil {
			t.Fatalf("machine %d takes a byte too many", i)
		}
		state[0] = 99
		if err := messages.Read(state, fresh[i]); err == nil || err.Error() != "state with expert 99 of 5" {
			t.Fatalf("machine %d: %v", i, err)
		}
	}
}

// drawOptions draws options of every sort that validate.
func drawOptions(t *rapid.T) fedsvt.Options {
	o := options()
	o.Clients = rapid.IntRange(1, 5).Draw(t, "m")
	o.Experts = rapid.IntRange(1, 6).Draw(t, "d")
	o.Horizon = rapid.IntRange(1, 60).Draw(t, "T")
	o.Interval = rapid.IntRange(1, 70).Draw(t, "N")
	o.Epsilon = rapid.SampledFrom([]float64{0.1, 1, 30, math.Inf(1)}).Draw(t, "epsilon")
	o.Kappa = rapid.SampledFrom([]float64{0, 0.5, 2, 7.2}).Draw(t, "kappa")
	o.Lstar = rapid.SampledFrom([]float64{0, 3}).Draw(t, "L*")
	o.Start = rapid.IntRange(0, o.Experts).Draw(t, "start")
	if rapid.Bool().Draw(t, "approximate") {
		o.Variant, o.Delta = fedsvt.Approximate, 1e-5
	}
	return o
}

// Whatever the options: the scalars that messages carried are those of the
// formula and those the machines counted; all clients play one expert, which
// changes in steps n N only; switches stay within ceil(kappa); and what the
// server spends is an arming and the switches.
func TestRunsKeepTheirPromises(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		o := drawOptions(rt)
		r, d := run(t, o, vectors{})
		server := r.Machines[0].(*fedsvt.Server)
		up := 0
		for _, m := range r.Machines[1:] {
			up += m.(*fedsvt.Client).Scalars()
			if got := m.(*fedsvt.Client).Expert(); got != server.Expert() {
				rt.Fatalf("a client ends with expert %d, the server with %d", got, server.Expert())
			}
		}
		schedule := must(fedsvt.NewSchedule(&o))
		wantUp, wantDown := schedule.Communication()
		if d.Scalars != wantUp+wantDown || up != wantUp || server.Scalars() != wantDown {
			rt.Fatalf("messages carried %d scalars, machines counted %d up and %d down; the schedule has %d and %d", d.Scalars, up, server.Scalars(), wantUp, wantDown)
		}
		for step := 1; step <= o.Horizon; step++ {
			for i := 2; i <= o.Clients; i++ {
				if !slices.Equal(d.Decisions[i][step-1], d.Decisions[1][step-1]) {
					rt.Fatalf("step %d: clients 1 and %d play different experts", step, i)
				}
			}
			if step > 1 && step%o.Interval != 0 && !slices.Equal(d.Decisions[1][step-1], d.Decisions[1][step-2]) {
				rt.Fatalf("the expert changes in step %d", step)
			}
		}
		parameters := o.Parameters()
		k := server.Switches()
		if float64(k) > math.Ceil(parameters.Kappa) || k > schedule.Exchanges() {
			rt.Fatalf("%d switches with kappa %v and %d exchanges", k, parameters.Kappa, schedule.Exchanges())
		}
		recorded := d.Values[fedsvt.QuantitySwitches]
		if len(recorded) != schedule.Exchanges() || len(recorded) > 0 && (recorded[len(recorded)-1] != float64(k) || !slices.IsSorted(recorded)) {
			rt.Fatalf("recorded %v in %d exchanges with %d switches", recorded, schedule.Exchanges(), k)
		}
		want := 0.0
		if schedule.Exchanges() > 0 {
			want = o.Epsilon / 4
		}
		if k > 0 {
			want += float64(k) * parameters.Eta
		}
		algorithmtest.CloseTo(t, "spent", d.Total(0), want, 1e-12)
	})
}

// Hops and Acts, written out: server, then in turn, clients last.
func TestScheduleAlternates(t *testing.T) {
	for _, n := range []int{1, 3, 20} {
		o := options()
		o.Interval, o.Horizon = n, 10
		s := must(fedsvt.NewSchedule(&o))
		for step := 1; step <= o.Horizon; step++ {
			want := "c"
			if step%n == 0 {
				want = "csc"
			}
			if step == 1 {
				want = "s" + want
			}
			var got strings.Builder
			for hop := range s.Hops(step - 1) {
				switch first, end := s.Acts(step-1, hop); [2]messages.NodeID{first, end} {
				case [2]messages.NodeID{0, 1}:
					got.WriteByte('s')
				case [2]messages.NodeID{1, 4}:
					got.WriteByte('c')
				}
			}
			if got.String() != want {
				t.Errorf("N = %d, step %d: %s, want %s", n, step, got.String(), want)
			}
		}
	}
}

// When kappa is reached the expert stays, however bad it is.
func TestKappaReached(t *testing.T) {
	o := options()
	o.Clients, o.Interval, o.Kappa, o.Horizon, o.Epsilon = 2, 1, 2, 200, 100
	r, d := run(t, o, flat(1)) // every expert is as bad as can be
	if got := r.Machines[0].(*fedsvt.Server).Switches(); got != 2 {
		t.Fatalf("%d switches, want 2", got)
	}
	longer := o
	longer.Kappa = 50
	r, _ = run(t, longer, flat(1))
	if got := r.Machines[0].(*fedsvt.Server).Switches(); got <= 2 {
		t.Errorf("with a larger budget %d switches", got)
	}
	last := d.Decisions[1][o.Horizon-1]
	stays := 0
	for step := o.Horizon; step > 0 && slices.Equal(d.Decisions[1][step-1], last); step-- {
		stays++
	}
	if stays < 100 {
		t.Errorf("the expert stays for the last %d steps only", stays)
	}
}

// Equal losses below the threshold are no reason to switch.
func TestZeroLossesNeverSwitch(t *testing.T) {
	o := options()
	o.Epsilon = math.Inf(1)
	r, _ := run(t, o, flat(0))
	if got := r.Machines[0].(*fedsvt.Server).Switches(); got != 0 {
		t.Errorf("%d switches", got)
	}
}

// One expert is played for ever.
func TestOneExpert(t *testing.T) {
	o := options()
	o.Experts, o.Clients = 1, 1
	_, d := run(t, o, vectors{})
	for step, x := range d.Decisions[1] {
		if !slices.Equal(x, []float64{1}) {
			t.Fatalf("step %d plays %v", step+1, x)
		}
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

// spike are flat losses of which client 2 has one more for expert 4 in step 3.
type spike struct{ flat }

func (s spike) Gradient(dst []float64, node messages.NodeID, step int, x []float64) {
	s.flat.Gradient(dst, node, step, x)
	if node == 2 && step == 3 {
		dst[3]++
	}
}

// Losses out of range fail the run, with client, step, expert and value.
func TestLossesOutOfRangeAreRefused(t *testing.T) {
	for want, costs := range map[string]algorithm.Costs{
		"step 3, node 2: client 2, step 3: the loss of expert 4 is 1.5, outside [0, 1]":   spike{0.5},
		"step 1, node 1: client 1, step 1: the loss of expert 1 is -0.25, outside [0, 1]": flat(-0.25),
		"step 1, node 1: client 1, step 1: the loss of expert 1 is NaN, outside [0, 1]":   flat(math.NaN()),
	} {
		if err := algorithmtest.Lockstep(spec(options(), costs, runtimetest.Silent{})); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for field, change := range map[string]func(*fedsvt.Options){
		"clients":  func(o *fedsvt.Options) { o.Clients = 0 },
		"experts":  func(o *fedsvt.Options) { o.Experts = 0 },
		"horizon":  func(o *fedsvt.Options) { o.Horizon = 0 },
		"interval": func(o *fedsvt.Options) { o.Interval = 0 },
		"variant":  func(o *fedsvt.Options) { o.Variant = "" },
		"epsilon":  func(o *fedsvt.Options) { o.Epsilon = math.NaN() },
		"delta":    func(o *fedsvt.Options) { o.Delta = 0.1 },
		"kappa":    func(o *fedsvt.Options) { o.Kappa = -1 },
		"rho":      func(o *fedsvt.Options) { o.Rho = 0.5 },
		"lstar":    func(o *fedsvt.Options) { o.Lstar = math.Inf(1) },
		"start":    func(o *fedsvt.Options) { o.Start = 6 },
	} {
		o := options()
		if err := o.Validate(); err != nil {
			t.Fatal(err)
		}
		change(&o)
		_, _, err := fedsvt.New(o)
		if got := algorithmtest.Fields(err); !slices.Equal(got, []string{field}) {
			t.Errorf("%s: errors in %v: %v", field, got, err)
		}
	}
}
