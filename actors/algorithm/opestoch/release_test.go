package opestoch_test

import (
	"math"
	"slices"
	"testing"

	"starling/actors/algorithm"
	"starling/actors/algorithm/opestoch"
	"starling/actors/algorithmtest"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/messages"
)

// extremes are losses of two experts whose gradients have the largest entries that there
// can be. Those of clients from 2 on favour one expert, and so settle every vertex: the
// first in the steps that phase 4 draws from, the second in those that phase 5 does. All
// of client 1 are 0 but that of one step, which is side[0] for both experts where x leans
// to the first, and side[1] elsewhere.
type extremes struct {
	step int
	side [2]float64
}

func (e extremes) Loss(messages.NodeID, int, []float64) float64 { return 0 }

func (e extremes) Gradient(dst []float64, node messages.NodeID, step int, x []float64) {
	clear(dst)
	switch {
	case node > 1 && step < 8:
		dst[0], dst[1] = -1, 1
	case node > 1:
		dst[0], dst[1] = 1, -1
	case step == e.step && x[0] > 0.5:
		dst[0], dst[1] = e.side[0], e.side[0]
	case step == e.step:
		dst[0], dst[1] = e.side[1], e.side[1]
	}
}

// listener is a server that keeps what client 1 sends.
type listener struct {
	*opestoch.Server
	heard [][]float64
}

func (l *listener) Fold(sum []float64, e *messages.Envelope) {
	if e.From == 1 {
		l.heard = append(l.heard, slices.Clone(e.Payload.(*messages.Vector).Values))
	}
	l.Server.Fold(sum, e)
}

// sentWithout is what client 1 sends without noise, and the scale of the noise that it
// would have, by release.
func sentWithout(t *testing.T, o opestoch.Options, losses extremes) (sent [][]float64, scales []float64) {
	t.Helper()
	o.Losses = losses
	schedule := must(opestoch.NewSchedule(&o))
	machines := schedule.Scaled(0).Machines(o)
	l := &listener{Server: machines[0].(*opestoch.Server)}
	machines[0] = l
	d := algorithmtest.NewDiary(o.Clients + 1)
	run := &algorithm.Run{
		Seed: 11, FirstStep: 1, Steps: o.Horizon, Graphs: must(topology.Star{Leaves: o.Clients}.Sequence()), Machines: machines, Costs: losses, Meter: d,
		Hops: schedule.Hops, Acts: schedule.Acts,
	}
	if err := algorithmtest.Lockstep(run); err != nil {
		t.Fatal(err)
	}
	for _, p := range schedule.Phases {
		for k := range p.Leaves() {
			scales = append(scales, schedule.Scale(p.First, 2*k))
		}
	}
	if len(scales) != len(l.heard) {
		t.Fatalf("%d releases, %d scales", len(l.heard), len(scales))
	}
	return l.heard, scales
}

// With noise for a release no pair of neighbouring losses costs a release more than it is
// calibrated to, nor the run more than is accounted for: found by trying every step with
// losses at the bounds. Some pair reaches both, and the client spends as much.
func TestReleasesByBruteForce(t *testing.T) {
	const level = 0.5
	for _, law := range []noise.Law{noise.LaplaceLaw, noise.GaussianLaw} {
		o := released(linearOptions(), law)
		o.Clients, o.Experts, o.Horizon, o.Signed, o.Losses = 9, 2, 16, true, extremes{}
		release, whole := 0.0, 0.0 // the largest
		for step := 1; step <= o.Horizon; step++ {
			var sent [][][]float64
			var scales []float64
			for _, side := range [][2]float64{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}} {
				var one [][]float64
				one, scales = sentWithout(t, o, extremes{step, side})
				sent = append(sent, one)
			}
			for _, first := range sent {
				for _, second := range sent {
					run := 0.0
					for k := range first {
						cost := moves(first[k], second[k], law) / scales[k]
						release = max(release, cost)
						if law == noise.GaussianLaw {
							cost = cost * cost / 2
						}
						run += cost
					}
					whole = max(whole, run)
				}
			}
		}
		algorithmtest.CloseTo(t, law.String()+": the costliest release", release, level, 1e-12)
		account := must(opestoch.Accounted(&o))
		want := account.Wire.Epsilon
		if law == noise.GaussianLaw {
			want = account.Wire.Rho
		}
		algorithmtest.CloseTo(t, law.String()+": the run", whole, want, 1e-12)
		var charged accountant.Loss
		for _, loss := range must(opestoch.Charged(&o)) {
			charged = charged.Compose(loss)
		}
		algorithmtest.CloseTo(t, law.String()+": charged", charged.Epsilon+charged.Rho, want, 1e-12)
	}
}

// moves is how far a release moves, in the norm of a law.
func moves(first, second []float64, law noise.Law) (moved float64) {
	for n, v := range first {
		if e := v - second[n]; law == noise.GaussianLaw {
			moved += e * e
		} else {
			moved += math.Abs(e)
		}
	}
	if law == noise.GaussianLaw {
		moved = math.Sqrt(moved)
	}
	return moved
}

// A client pays what is charged, by phase, and the noise on what it sends has the law and
// the scale of the schedule: 4,000 releases of losses that are all 0.
func TestReleasesAreAsCalibrated(t *testing.T) {
	for _, law := range []noise.Law{noise.LaplaceLaw, noise.GaussianLaw} {
		o := released(linearOptions(), law)
		o.Experts, o.Horizon, o.Clients = 2, 4, 1
		schedule := must(opestoch.NewSchedule(&o))
		scale := schedule.Scale(4, 0)
		count, absolute, square := 0.0, 0.0, 0.0
		for seed := range uint64(1000) {
			machines := schedule.Machines(o)
			l := &listener{Server: machines[0].(*opestoch.Server)}
			machines[0] = l
			r := spec(o, zeros{}, algorithmtest.NewDiary(2))
			r.Seed, r.Machines = seed, machines
			if err := algorithmtest.Lockstep(r); err != nil {
				t.Fatal(err)
			}
			for _, sent := range l.heard[2:] { // those of phase 3
				for _, v := range sent {
					count, absolute, square = count+1, absolute+math.Abs(v)/scale, square+v*v/(scale*scale)
				}
			}
		}
		wantAbsolute, wantSquare := 1.0, 2.0
		if law == noise.GaussianLaw {
			wantAbsolute, wantSquare = math.Sqrt(2/math.Pi), 1
		}
		// Standard deviations are at most 1 of |v| and sqrt 20 of v^2: five of the mean.
		if bound := 5 / math.Sqrt(count); math.Abs(absolute/count-wantAbsolute) > bound || math.Abs(square/count-wantSquare) > bound*math.Sqrt(20) {
			t.Errorf("%s: mean size %v and square %v of %v, want %v and %v", law, absolute/count, square/count, count, wantAbsolute, wantSquare)
		}
	}
}

// zeros are losses of 0.
type zeros struct{}

func (zeros) Loss(messages.NodeID, int, []float64) float64                  { return 0 }
func (zeros) Gradient(dst []float64, _ messages.NodeID, _ int, _ []float64) { clear(dst) }
