package opestoch_test

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"starling/actors/algorithm"
	"starling/actors/algorithm/opestoch"
	"starling/actors/algorithmtest"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/messages"
)

// What a node spends in a run is the largest loss of one of its data, counted
// here the long way: for every vertex, over the leaves that have it on their
// path, what their release tells of one loss drawn there.
func TestSpentIsTheLargestLossOfADatum(t *testing.T) {
	for name, o := range map[string]opestoch.Options{
		"linear": linearOptions(), "convex": convexOptions(), "approximate": approximate(convexOptions()),
		"laplace": released(convexOptions(), noise.LaplaceLaw), "laplace, linear": released(linearOptions(), noise.LaplaceLaw),
		"central": central(convexOptions()), "central, linear": central(linearOptions()),
	} {
		s := must(opestoch.NewSchedule(&o))
		spread, factor, node := 1.0, float64(o.Experts), 1
		if o.Signed {
			spread = 2
		}
		if o.Variant == opestoch.Central {
			factor, node = 2/float64(o.Clients), 0
		}
		var want float64
		for _, p := range s.Phases[1:] {
			for j := 1; j <= p.Trees; j++ {
				for _, vertex := range depthFirst("", j) {
					size := p.Batch >> len(vertex)
					moved := spread / float64(size)
					if vertex != "" {
						moved *= 2
						if strings.HasSuffix(vertex, "0") || size == 0 || o.Losses == nil {
							continue
						}
					}
					var sum float64
					for _, leaf := range depthFirst("", j) {
						if len(leaf) == j && strings.HasPrefix(leaf, vertex) {
							sum += factor * moved / p.Scales[j-1]
						}
					}
					want = max(want, sum)
				}
			}
		}
		_, d := run(t, o, squares{}.choose(o))
		algorithmtest.CloseTo(t, name+": spent", d.Total(messages.NodeID(node)), want, 1e-12)
		account := must(opestoch.Accounted(&o))
		if o.Delta == 0 && o.Variant == opestoch.Local {
			algorithmtest.CloseTo(t, name+": accounted on the wire", account.Wire.Epsilon, want, 1e-12)
		}
		if o.Variant == opestoch.Central {
			algorithmtest.CloseTo(t, name+": accounted in public", account.Public.Epsilon, want, 1e-12)
			if account.Wire.Private() {
				t.Errorf("%s: exact inner products cost %v on the wire", name, account.Wire)
			}
		}
		for other := range messages.NodeID(o.Clients + 1) {
			if spent := d.Total(other); (other == 0) != (node == 0) && spent != 0 {
				t.Errorf("%s: node %d spent %v", name, other, spent)
			}
		}
	}
}

// choose returns the oracle that fits the options.
func (s squares) choose(o opestoch.Options) algorithm.Costs {
	if o.Losses == nil {
		return s.vectors
	}
	return s
}

// Lemma 1 holds coordinate by coordinate: with gradients in [-alpha, alpha] a
// vertex's releases cost eps a coordinate, so d eps on the wire and 2 eps for the
// decisions; with linear losses in the same range half of that, and with losses
// in [0, alpha] half again.
func TestLemma1CoordinateByCoordinate(t *testing.T) {
	o := convexOptions()
	o.Epsilon = 0.5
	for _, test := range []struct {
		name     string
		change   func(*opestoch.Options)
		multiple float64
	}{
		{"convex", func(*opestoch.Options) {}, 1},
		{"linear, signed", func(o *opestoch.Options) { o.Losses = nil }, 0.5},
		{"linear, experts' losses", func(o *opestoch.Options) { o.Losses, o.Signed = nil, false }, 0.25},
	} {
		o := o
		test.change(&o)
		a := must(opestoch.Accounted(&o))
		algorithmtest.CloseTo(t, test.name+": claimed", a.Claimed.Epsilon, o.Epsilon, 0)
		algorithmtest.CloseTo(t, test.name+": wire", a.Wire.Epsilon, test.multiple*float64(o.Experts)*o.Epsilon, 1e-12)
		algorithmtest.CloseTo(t, test.name+": public", a.Public.Epsilon, test.multiple*2*o.Epsilon, 1e-12)
		o.Variant = opestoch.Central
		a = must(opestoch.Accounted(&o))
		algorithmtest.CloseTo(t, test.name+": central, public", a.Public.Epsilon, test.multiple*2*o.Epsilon, 1e-12)
	}
}

// Lemma 6 at eps = 10 is outside its range, and the composition says so; inside
// the accounted epsilon at delta is far below that of basic composition.
func TestApproximateIsComposed(t *testing.T) {
	o := approximate(convexOptions())
	o.Epsilon, o.Delta = 10, 1e-4
	warnings := must(opestoch.Warnings(&o))
	if len(warnings) != 2 || !strings.Contains(warnings[1], "epsilon = 10 exceeds the limit of Theorem 6 in ") {
		t.Errorf("warnings %q", warnings)
	}
	o.Delta = 0.5
	if warnings := must(opestoch.Warnings(&o)); len(warnings) != 3 || !strings.HasPrefix(warnings[0], "delta = 0.5 exceeds 1/T") {
		t.Errorf("warnings %q", warnings)
	}
	// Lemma 6: sqrt(2^-1 log(1/1e-4)) = 2.146 for one tree, whatever beta is.
	linear := approximate(linearOptions())
	for epsilon, outside := range map[float64]bool{2.14: false, 2.15: true} {
		linear.Epsilon = epsilon
		warnings := must(opestoch.Warnings(&linear))
		if got := strings.Contains(warnings[len(warnings)-1], "exceeds the limit of Theorem 6 in 5 of 5 phases"); got != outside {
			t.Errorf("linear losses at epsilon %v: warnings %q", epsilon, warnings)
		}
	}
	o = approximate(convexOptions())
	o.Epsilon, o.Experts, o.Horizon, o.Trees = 0.01, 50, 1<<20, 6
	a := must(opestoch.Accounted(&o))
	// In a phase a coordinate of a leaf's message costs 2 alpha/(b lambda).
	s := must(opestoch.NewSchedule(&o))
	var pure float64
	for _, p := range s.Phases[1:] {
		for j := range p.Scales {
			pure = max(pure, 2/(float64(p.Batch)*p.Scales[j])*math.Ldexp(50, j+1))
		}
	}
	if !(a.Wire.Epsilon < 0.9*pure) || a.Wire.Delta != o.Delta || !(a.Public.Epsilon < a.Wire.Epsilon) {
		t.Errorf("accounted %v on the wire and %v in public, %v by basic composition", a.Wire, a.Public, pure)
	}
}

// The account never exceeds what is spent under pure composition, whatever the
// options, and without noise nothing is private but the choice of one expert.
func TestAccountIsConsistent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t, 300)
		a := must(opestoch.Accounted(&o))
		for _, loss := range []accountant.Loss{a.Claimed, a.Wire, a.Public} {
			if err := loss.Validate(); err != nil {
				t.Fatalf("%+v: %v", o, err)
			}
		}
		if a.Public.Epsilon > a.Wire.Epsilon {
			t.Fatalf("%+v: decisions cost %v, messages %v", o, a.Public, a.Wire)
		}
		if o.Horizon > 1 && math.IsInf(o.Epsilon, 1) && a.Wire.Private() {
			t.Fatalf("%+v: without noise %v", o, a.Wire)
		}
	})
}
