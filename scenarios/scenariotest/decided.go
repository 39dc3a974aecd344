package scenariotest

import (
	"math"
	"slices"
	"testing"

	"starling/actors/algorithm"
	"starling/actors/lockstep"
	"starling/messages"
	"starling/scenarios/study"
)

// Decided is a meter that keeps the decisions of all nodes, in front of a job's own. X is by
// node, then by step from 0.
type Decided struct {
	algorithm.ExposureMeter
	X map[messages.NodeID][][]float64
}

// NewDecided returns a meter in front of a job's own.
func NewDecided(j *study.Job) Decided {
	return Decided{j.Meter, map[messages.NodeID][][]float64{}}
}

// Played implements algorithm.Meter.
func (d *Decided) Played(node messages.NodeID, step int, x []float64) {
	d.X[node] = append(d.X[node], slices.Clone(x))
	d.ExposureMeter.Played(node, step, x)
}

// Decide runs the first arm of a scenario under its first seed, on lockstep, and returns the
// decisions of all nodes.
func Decide(t testing.TB, s *study.Scenario) (x map[messages.NodeID][][]float64, j *study.Job) {
	t.Helper()
	j, err := s.Arms[0].Algorithm.Job(s.Seeds.Base)
	if err != nil {
		t.Fatal(err)
	}
	d := NewDecided(j)
	j.Run.Meter = &d
	if err := lockstep.Run(t.Context(), &j.Run); err != nil {
		t.Fatal(err)
	}
	return d.X, j
}

// Far returns the largest distance of two entries; +Inf for vectors of other lengths.
func Far(x, y []float64) (most float64) {
	if len(x) != len(y) {
		return math.Inf(1)
	}
	for k := range x {
		most = max(most, math.Abs(x[k]-y[k]))
	}
	return most
}
