package diging

import (
	"starling/mechanisms/noise"
	"starling/scenarios/gossip"
	"starling/scenarios/kind"
)

// Halved is push-diging with noise for half of what moves y from the second step on: for one gradient,
// where the difference of two is released.
func Halved() kind.Kind {
	a := described
	a.Name = "halved"
	a.Sensitivity = func(_ *options, at *gossip.Setting, _ int) noise.Moves {
		return noise.MovesL2(2*at.Bound.Theta, at.Problem.Dim())
	}
	return a.Kind()
}
