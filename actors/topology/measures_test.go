package topology_test

import (
	"errors"
	"testing"

	"starling/actors/topology"
)

// TestMeasuresStop ends each measure at each of its questions whether to stop: its error is that
// of Stop, and one that is not ended finds what the function of its name finds.
func TestMeasuresStop(t *testing.T) {
	drawn := mustSequence(t, topology.RandomRegular{Nodes: 60, Degree: 4, Redraw: topology.Redraw{Every: 1, Seed: 5}})
	weighted, err := topology.Weighting{Scheme: topology.Metropolis}.Over(drawn, 100)
	if err != nil {
		t.Fatal(err)
	}
	memory := mustSequence(t, topology.MarkovEdges{Base: mustSequence(t, topology.Complete{Nodes: 20}).At(0), On: 0.02, Off: 0.3, Seed: 3})
	type found struct {
		value any
		err   error
	}
	of := func(value any, err error) found { return found{value, err} }
	for name, measure := range map[string]func(m topology.Measures) found{
		"At":                 func(m topology.Measures) found { return of(m.At(memory, 100)) },
		"SpectralGap":        func(m topology.Measures) found { return of(m.SpectralGap(weighted.At(0))) },
		"PushSumContraction": func(m topology.Measures) found { return of(m.PushSumContraction(weighted, 1, 3)) },
		"WindowContraction":  func(m topology.Measures) found { return of(m.WindowContraction(weighted, 0, 3)) },
		"MixingTime":         func(m topology.Measures) found { return of(m.MixingTime(weighted, 0, 100, 0.25)) },
		"Spread":             func(m topology.Measures) found { return of(m.Spread(weighted, 0, 100)) },
		"EffectiveDiameters": func(m topology.Measures) found { return of(m.EffectiveDiameters(weighted, []int{0, 7}, 100, 0.9)) },
		"WindowComponents":   func(m topology.Measures) found { return of(m.WindowComponents(memory, 40, 12)) },
		"short windows":      func(m topology.Measures) found { return of(m.WindowComponents(memory, 4, 3)) },
		"CheckWindows":       func(m topology.Measures) found { return of(nil, m.CheckWindows(memory, 40, 40)) },
		"SmallestWindow":     func(m topology.Measures) found { return of(m.SmallestWindow(memory, 40)) },
		"CheckSequence": func(m topology.Measures) found {
			return of(nil, m.CheckSequence(topology.DoublyStochastic, weighted, 20, 1e-9))
		},
	} {
		asked := 0
		whole := measure(topology.Measures{Stop: func() error { asked++; return nil }})
		if whole.err != nil {
			t.Errorf("%s: %v", name, whole.err)
		}
		if asked < 2 {
			t.Errorf("%s: asks %d times whether to stop, want 2 and more", name, asked)
		}
		stop := errors.New("told to stop")
		for last := range asked {
			left := last
			ended := measure(topology.Measures{Stop: func() error {
				if left--; left < 0 {
					return stop
				}
				return nil
			}})
			if !errors.Is(ended.err, stop) {
				t.Errorf("%s: stopped at question %d of %d: %v", name, last+1, asked, ended.err)
			}
			if left < -1 {
				t.Errorf("%s: goes on after it was stopped at question %d", name, last+1)
			}
		}
	}
}

// TestFarStepInPieces holds the graph of a far step, which a sequence with memory is led to in
// pieces, to that of the sequence itself.
func TestFarStepInPieces(t *testing.T) {
	options := topology.MarkovEdges{Base: mustSequence(t, topology.Complete{Nodes: 20}).At(0), On: 0.02, Off: 0.3, Seed: 3}
	for _, step := range []int{0, 31, 32, 33, 500, 40} {
		got, err := (topology.Measures{}).At(mustSequence(t, options), step)
		if err != nil {
			t.Fatal(err)
		}
		if want := mustSequence(t, options).At(step); !sameGraph(got, want) {
			t.Errorf("step %d: another graph", step)
		}
	}
}
