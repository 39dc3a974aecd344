package ofl_test

import (
	"math"
	"slices"
	"testing"

	"starling/actors/algorithm/mirror"
	"starling/actors/algorithm/ofl"
	"starling/actors/lockstep"
	"starling/mechanisms/factorization"
	"starling/messages"
)

// smallSet is a ball that does not hold the start of logisticOptions, so that sums
// leave it often.
func smallSet() mirror.Set { return must(mirror.NewL2Ball(3, 0.3, []float64{0.1, 0, 0})) }

// projected is P(z), by a projection of its own.
func projected(o ofl.Options, z []float64) []float64 {
	if o.Set == nil {
		return z
	}
	centre := make([]float64, len(z))
	o.Set.Center(centre)
	away := minus(z, centre)
	radius := o.Set.Diameter() / 2
	if length := norm(away); length > radius {
		return combination(1, centre, radius/length, away)
	}
	return z
}

// With a set every decision is a point of it, with noise of every kind, in both
// versions, and under effects of the network, while the sums leave it.
func TestDecisionsAreFromTheSet(t *testing.T) {
	for _, kind := range kinds() {
		for _, version := range []ofl.Version{ofl.PerRound, ofl.PerStep} {
			for _, effects := range []bool{false, true} {
				o := described(kind, func(o *ofl.Options) { o.Version, o.Set, o.Effects, o.Late = version, smallSet(), effects, "use" })
				d := newDiary()
				run := newRun(o, d)
				if effects {
					run.Network = troubled(o)
				}
				outside := 0.0
				watch(t, run, 0, func(w *lockstep.Watched) {
					outside = max(outside, o.Set.Violation(w.Outbox.Broadcast.(*messages.Vector).Values))
				})
				if outside < 0.01 && kind != "" {
					t.Errorf("%s, version %d: sums are outside the set by %v at most, which shows nothing", kind, version, outside)
				}
				for node, decisions := range d.played {
					for _, x := range decisions {
						if v := o.Set.Violation(x); !(v <= 1e-12) {
							t.Fatalf("%s, version %d, effects %v: node %d plays %v, outside by %v", kind, version, effects, node, x, v)
						}
					}
				}
			}
		}
	}
}

// Without noise, and with one learner and local step, the run is online gradient
// descent with lazy projections.
func TestLazyProjection(t *testing.T) {
	o := logisticOptions(func(o *ofl.Options) {
		o.Learners, o.Tau, o.Rounds, o.GlobalStep, o.Set, o.GradientBound = 1, 1, 60, 1, smallSet(), 10
		o.Start = []float64{0.1, 0, 0}
	})
	played := runLockstep(t, o).played[ofl.Learner(0)]
	z, g, datum := slices.Clone(o.Start), make([]float64, 3), make([]float64, 4)
	inside := 0
	for step := range o.Steps() {
		x := projected(o, z)
		if norm(minus(x, z)) == 0 {
			inside++
		}
		if distance := norm(minus(played[step], x)); !(distance <= 1e-12) {
			t.Fatalf("step %d: played %v, want %v", step, played[step], x)
		}
		o.Data.Datum(datum, 0, step+1)
		o.Model.Gradient(g, x, datum)
		axpy(z, -o.LocalStep, g)
	}
	if inside == 0 || inside == o.Steps() {
		t.Errorf("%d of %d sums are inside the set, which shows nothing", inside, o.Steps())
	}
}

// With a set the noise still cancels: of losses whose gradients are the same everywhere
// the sums that are sent are those without a set, to the bit, and so is the noise in
// them.
func TestNoiseCancelsWithASet(t *testing.T) {
	linear := func(o *ofl.Options) {
		o.Model = given(3)
		rows := [][]float64{{0.1, 0, 0.2}, {-0.2, 0.1, 0}}
		o.Data = data{3, func(dst []float64, learner, step int) { copy(dst, rows[(learner+step)%2]) }}
	}
	for _, kind := range kinds() {
		free, bounded := described(kind, linear), described(kind, linear)
		bounded.Set = smallSet()
		one, two := observe(t, free), observe(t, bounded)
		if difference := distance(t, one, two); difference != 0 {
			t.Errorf("%s: the sums differ by %v", kind, difference)
		}
	}
}

// A learner with a set pays what one without pays.
func TestASetCostsNothing(t *testing.T) {
	o := described(factorization.Tree)
	want := runLockstep(t, o).spent
	o.Set = smallSet()
	got := runLockstep(t, o).spent
	for i := range o.Learners {
		if node := ofl.Learner(i); !slices.Equal(got[node], want[node]) || len(want[node]) != 1 || !(want[node][0].Loss.Rho > 0) || math.IsInf(want[node][0].Loss.Rho, 1) {
			t.Errorf("learner %d pays %v, without a set %v", i+1, got[node], want[node])
		}
	}
}

// A set of another dimension is refused.
func TestSetsMustFit(t *testing.T) {
	o := logisticOptions()
	o.Set = must(mirror.NewSimplex(4))
	if err := o.Validate(); err == nil {
		t.Error("a set of 4 dimensions is accepted for a model of 3")
	}
}
