package ofl_test

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"slices"
	"testing"

	"starling/actors/algorithm"
	"starling/actors/algorithm/ofl"
	"starling/actors/algorithmtest"
	"starling/actors/lockstep"
	"starling/actors/runtimetest"
	"starling/mechanisms/factorization"
	"starling/messages"
)

// The sensitivity rests on B_g, so a longer gradient fails the run, or is scaled
// down where that is asked for; one that is longer by rounding passes as it is.
// Learner 2 meets the gradient in step 3, in the middle of a round.
func TestGradientBound(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	over := func(length, enough string) string {
		return "step 3, node 2: the gradient has length " + length + ", over the bound 5 that its privacy rests on: set gradient_bound to " + enough + " or more, or on_bound to clip"
	}
	not := func(length string) string {
		return "step 3, node 2: the gradient has length " + length + ", which no clipping brings to the bound 5"
	}
	tests := []struct {
		name  string
		bound ofl.Bound
		g     []float64
		want  []float64 // used, nil if refused
		err   string
	}{
		{"inside", ofl.BoundError, []float64{3, 0}, []float64{3, 0}, ""},
		{"zero", ofl.BoundClip, []float64{0, 0}, []float64{0, 0}, ""},
		{"equal", ofl.BoundError, []float64{3, 4}, []float64{3, 4}, ""},
		{"equal, clipping", ofl.BoundClip, []float64{3, 4}, []float64{3, 4}, ""},
		{"longer by rounding", ofl.BoundError, []float64{0, 5 * (1 + 1e-12)}, []float64{0, 5}, ""},
		{"longer", ofl.BoundError, []float64{6, 8}, nil, over("10", "10.1")},
		{"a little longer", ofl.BoundError, []float64{0, 5.00001}, nil, over("5.00001", "5.05")},
		{"longer, clipping", ofl.BoundClip, []float64{6, -8}, []float64{3, -4}, ""},
		{"a little longer, clipping", ofl.BoundClip, []float64{0, 5.00001}, []float64{0, 5}, ""},
		{"NaN", ofl.BoundError, []float64{0, nan}, nil, not("NaN")},
		{"NaN, clipping", ofl.BoundClip, []float64{nan, 0}, nil, not("NaN")},
		{"infinite", ofl.BoundError, []float64{-inf, 0}, nil, not("+Inf")},
		{"infinite, clipping", ofl.BoundClip, []float64{inf, 1}, nil, not("+Inf")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := logisticOptions(func(o *ofl.Options) {
				o.Start, o.GradientBound, o.Bound, o.Data = []float64{0, 0}, 5, test.bound, data{1, func(dst []float64, i, k int) {
					dst[0] = 0
					if i == 1 && k == 3 {
						dst[0] = 1
					}
				}}
				o.Model = model{2, func(dst, _, datum []float64) {
					clear(dst)
					if datum[0] == 1 {
						copy(dst, test.g)
					}
				}}
			})
			d := newDiary()
			run := newRun(o, d)
			err := lockstep.Run(context.Background(), run)
			if test.want == nil {
				if err == nil || err.Error() != test.err {
					t.Fatalf("error %v, want %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			clipped := 0.0
			if norm(test.g) > 5.000001 {
				clipped = 1
			}
			if got := d.values[2][ofl.Clipped][3]; got != clipped {
				t.Errorf("recorded clipped = %v, want %v", got, clipped)
			}
			// x^R = -eta~ (1/n) (1/tau) g.
			x := combination(-float64(o.Learners)/(o.LocalStep*o.GlobalStep), algorithmtest.Quantity(run.Machines[0], "x"), 0, test.want)
			if off := norm(minus(x, test.want)); off > 1e-11 {
				t.Errorf("the gradient used is %v, want %v", x, test.want)
			}
		})
	}
}

// Messages say whether they show data: raw data are not protected, and gradients
// and models are where there is noise.
func TestProtected(t *testing.T) {
	for _, kind := range []factorization.Kind{"", factorization.Tree} {
		for _, version := range []ofl.Version{ofl.PerRound, ofl.PerStep} {
			o := described(kind, func(o *ofl.Options) { o.Version = version })
			for node := range messages.NodeID(o.Participants()) {
				watch(t, newRun(o, newDiary()), node, func(w *lockstep.Watched) {
					for i := range w.Inbox {
						e := &w.Inbox[i]
						want := messages.Raw
						if kind != "" && int(e.From) <= o.Learners {
							want = messages.Released
						}
						if got := e.Payload.(*messages.Vector).Exposure; got != want {
							t.Errorf("%q, version %d: exposure %v from node %d to %d, want %v", kind, version, got, e.From, node, want)
						}
					}
				})
			}
		}
	}
}

// A learner that does not meet exactly one client is a broken run.
func TestLearnerMeetsOneClient(t *testing.T) {
	for clients, want := range map[int]string{0: "step 0, node 1: 0 clients came, want 1", 2: "step 0, node 1: 2 clients came, want 1"} {
		o := logisticOptions()
		run := newRun(o, newDiary())
		stepper, clock := algorithm.NewStepper(run, messages.Range(0, o.Participants()), 2), run.Clock()
		clock.Next()
		stepper.Begin(&clock)
		inbox := make([]messages.Envelope, clients)
		for i := range inbox {
			inbox[i].Payload = &messages.Vector{Values: make([]float64, o.Data.Width())}
		}
		var outbox messages.Outbox
		if _, failure := stepper.Step(run.Machines[1], view(run.Graphs, 1), inbox, &outbox); failure == nil || failure.Error() != want {
			t.Errorf("failure %v, want %q", failure, want)
		}
	}
}

// A machine that is given what another wrote writes the same, and keeps none of
// it.
func TestStatesSurvive(t *testing.T) {
	for _, kind := range kinds() {
		for _, version := range []ofl.Version{ofl.PerRound, ofl.PerStep} {
			o := described(kind, func(o *ofl.Options) { o.Version = version })
			run := newRun(o, newDiary())
			if err := lockstep.Run(context.Background(), run); err != nil {
				t.Fatal(err)
			}
			for i, fresh := range must(ofl.New(o)) {
				want := messages.Write([]byte("before"), run.Machines[i])
				if !bytes.HasPrefix(want, []byte("before")) {
					t.Fatalf("machine %d overwrites what is there", i)
				}
				src := bytes.Clone(want[len("before"):])
				if err := messages.Read(src, fresh); err != nil {
					t.Fatalf("%q, version %d, machine %d: %v", kind, version, i, err)
				}
				clear(src)
				if got := messages.Write([]byte("before"), fresh); !bytes.Equal(got, want) {
					t.Errorf("%q, version %d, machine %d: restored to\n%x, want\n%x", kind, version, i, got, want)
				}
			}
		}
	}
}

// Every prefix of a state, and more than a state, is refused.
func TestMachinesRefuseStates(t *testing.T) {
	for _, kind := range []factorization.Kind{"", factorization.TreeFull} {
		for i, m := range must(ofl.New(described(kind))) {
			state := messages.Write(nil, m)
			for length := range state {
				if err := messages.Read(state[:length], m); err == nil {
					t.Fatalf("%q: machine %d takes %d bytes of %d", kind, i, length, len(state))
				}
			}
			if err := messages.Read(append(slices.Clone(state), 0), m); err == nil {
				t.Errorf("%q: machine %d takes a byte too many", kind, i)
			}
		}
	}
}

// A learner holds a few vectors and the state of its stream, never R tau x d
// numbers where the mechanism allows less.
func TestLearnerIsSmall(t *testing.T) {
	const overhead = 8 + 1 + 4 + 16 // step, paid, frame, header of the stream
	for _, kind := range factorization.Kinds() {
		o := described(kind, func(o *ofl.Options) { o.Rounds = 256 })
		d := len(o.Start)
		got, want := len(messages.Write(nil, must(ofl.New(o))[1])), overhead+8*d*(3+o.Noise.Factorization().MemoryPerCoordinate())
		if got != want {
			t.Errorf("%s: a learner's state has %d bytes, want %d", kind, got, want)
		}
	}
}

// solo steps one learner in hop 1 with the same datum, over and over: the runs
// are too long to end.
type solo struct {
	o       ofl.Options
	run     *algorithm.Run
	stepper *algorithm.Stepper
	clock   algorithm.Clock
	inbox   []messages.Envelope
	outbox  messages.Outbox
}

func newSolo(o ofl.Options) *solo {
	s := &solo{o: o, run: newRun(o, runtimetest.Silent{})}
	s.stepper, s.clock = algorithm.NewStepper(s.run, messages.Range(0, o.Participants()), 2), s.run.Clock()
	datum := &messages.Vector{Values: make([]float64, o.Data.Width())}
	o.Data.Datum(datum.Values, 0, 1)
	s.inbox = []messages.Envelope{{From: messages.NodeID(1 + o.Learners), Payload: datum}}
	return s
}

// step takes the learner through one step: it plays and learns.
func (s *solo) step(t algorithmtest.Fataler) {
	for hop := range s.o.Hops(s.clock.Offset) {
		inbox := s.inbox
		if hop == 0 {
			inbox = nil
		}
		s.outbox.Reset()
		s.stepper.Begin(&s.clock)
		if hop < 2 {
			if _, failure := s.stepper.Step(s.run.Machines[1], view(s.run.Graphs, 1), inbox, &s.outbox); failure != nil {
				t.Fatalf("%v\n%s", failure, failure.Stack)
			}
		}
		s.clock.Next()
	}
}

// A learner allocates nothing once the first vectors exist.
func TestLearnerDoesNotAllocate(t *testing.T) {
	for _, kind := range kinds() {
		for _, version := range []ofl.Version{ofl.PerRound, ofl.PerStep} {
			s := newSolo(described(kind, func(o *ofl.Options) { o.Version, o.Rounds = version, 400 }))
			for range 3 * s.o.Tau {
				s.step(t)
			}
			if n := testing.AllocsPerRun(100*s.o.Tau, func() { s.step(t) }); n != 0 {
				t.Errorf("%q, version %d: %v allocations a step", kind, version, n)
			}
		}
	}
}

// One learner's step in the printed experiment: d = 100, tau = 4, R = 1000. Step
// 0, in which Toeplitz draws all of its noise, is in the time, so the mean is
// right from 4000 steps on.
func BenchmarkLearnerStep(b *testing.B) {
	for _, kind := range kinds() {
		b.Run(cmp.Or(string(kind), "none"), func(b *testing.B) {
			o := described(kind, func(o *ofl.Options) {
				o.Learners, o.Rounds, o.Model, o.Data, o.Start = 1, 1000, logistic(100), labelled(100), make([]float64, 100)
			})
			s := newSolo(o)
			b.ReportAllocs()
			for b.Loop() {
				if s.clock.Done() {
					b.StopTimer()
					s = newSolo(o)
					b.StartTimer()
				}
				s.step(b)
			}
		})
	}
}
