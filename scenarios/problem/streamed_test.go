package problem

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"starling/actors/algorithm/mirror"
	"starling/messages"
)

var (
	_ Modelled = (*Localization)(nil)
	_ Modelled = (*Logistic)(nil)
	_ Modelled = (*RobustRegression)(nil)
	_ Data     = (*localization)(nil)
	_ Data     = (*linear)(nil)
	_ Data     = (*robustRegression)(nil)
)

// The model at the datum of a node and step gives the bits of the node's cost.
func TestModelAtData(t *testing.T) {
	ball, far := must(mirror.NewL2Ball(3, 2, nil)), DefaultLogisticOptions()
	far.Normalise, far.FeatureNorm = false, 3
	drifting := DefaultRobustRegressionOptions()
	drifting.Truth.Drift = 0.1
	for name, p := range map[string]Modelled{
		"sensors on a circle": circleProblem(), "a sensor in the set": still3D(),
		"logistic": must(NewLogistic(DefaultLogisticOptions(), 2, ball)), "long features": must(NewLogistic(far, 2, ball)),
		"robust": must(NewRobustRegression(drifting, 2, ball)),
	} {
		rapid.Check(t, func(t *rapid.T) {
			const steps = 6
			in := must(p.Draw(rapid.Uint64().Draw(t, "seed"), steps))
			data, model, d := in.(Data), p.Model(), p.Dim()
			x := rapid.SliceOfN(rapid.Float64Range(-2, 2), d, d).Draw(t, "x")
			datum, got, want := make([]float64, data.Width()), make([]float64, d), make([]float64, d)
			node, step := messages.NodeID(rapid.IntRange(0, 1).Draw(t, "node")), rapid.IntRange(1, steps).Draw(t, "step")
			data.Datum(datum, node, step)
			in.Gradient(want, node, step, x)
			model.Gradient(got, x, datum)
			if loss := in.Loss(node, step, x); model.Loss(x, datum) != loss || !slices.Equal(got, want) || model.Dim() != d {
				t.Fatalf("%s: loss %v and gradient %v, want %v and %v", name, model.Loss(x, datum), got, loss, want)
			}
		})
	}
}
