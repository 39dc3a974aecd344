package gauge_test

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"starling/actors/algorithm/inbox"
	"starling/actors/algorithm/mirror"
	"starling/messages"
	"starling/scenarios/gauge"
)

// massMeter holds the masses of n nodes over some steps from 1 on.
func massMeter(n, steps int) *gauge.Meter {
	w := &waves{nodes: n, set: must(mirror.NewL2Ball(1, 1, nil))}
	return newMeter(gauge.RegretOptions{
		Nodes: n, FirstStep: 1, Steps: steps, Points: []int{steps}, Measured: []messages.NodeID{0},
		Problem: w, Instance: w, Masses: true,
	})
}

// recordMasses records the masses of a step and returns what the meter panics
// with, if it does.
func recordMasses(m *gauge.Meter, step int, masses ...float64) (fault string) {
	defer func() {
		if v := recover(); v != nil {
			fault = fmt.Sprint(v)
		}
	}()
	for node, mass := range masses {
		m.Recorded(messages.NodeID(node), step, "another quantity", math.NaN())
		m.Recorded(messages.NodeID(node), step, inbox.QuantityMass, mass)
	}
	return ""
}

func TestMassesSumToTheNodes(t *testing.T) {
	for _, test := range []struct {
		name   string
		step   int
		masses []float64
		want   string // the beginning of the fault
	}{
		{"ones", 1, []float64{1, 1, 1}, ""},
		{"others", 1, []float64{0.25, 2.5, 0.25}, ""},
		{"rounding", 1, []float64{1 + 1e-9, 1, 1}, ""},
		{"drift of a thousand steps", 1000, []float64{1 + 3e-6, 1, 1}, ""},
		{"too much", 1, []float64{1, 1, 1 + 1e-7}, "the masses of step 1 sum to 3.0000001"},
		{"too little", 7, []float64{1, 0.5, 1}, "the masses of step 7 sum to 2.5, want 3: mass is conserved where nothing is lost"},
		{"too much drift", 1000, []float64{1 + 1e-5, 1, 1}, "the masses of step 1000 sum to 3.00001"},
		{"negative", 2, []float64{-0.5, 2, 1.5}, "a mass of -0.5 in step 2; all nodes have 3"},
		{"no number", 2, []float64{1, math.NaN(), 1}, "a mass of NaN in step 2; all nodes have 3"},
		{"infinite", 2, []float64{1, math.Inf(1), 1}, "a mass of +Inf in step 2; all nodes have 3"},
		{"not all there", 2, []float64{1, 0.1}, ""},
	} {
		if got := recordMasses(massMeter(3, 1000), test.step, test.masses...); !strings.HasPrefix(got, test.want) || (got == "") != (test.want == "") {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// The sum is the same in whatever order and from wherever masses come.
func TestMassesFromManySides(t *testing.T) {
	const n, steps = 64, 50
	m := massMeter(n, steps)
	var group sync.WaitGroup
	for node := range n {
		group.Go(func() {
			for step := 1; step <= steps; step++ {
				m.Recorded(messages.NodeID(node), step, inbox.QuantityMass, float64(2*((node+step)%2)))
			}
		})
	}
	group.Wait()
}
