package opestoch_test

import (
	"math"
	"testing"

	"starling/actors/algorithm/opestoch"
	"starling/actors/algorithmtest"
)

// Transcripts of tiny runs are kept word for word: a change of any bit shows,
// and shows where. Run the test with -update to rewrite them.
func TestTranscripts(t *testing.T) {
	tiny := linearOptions()
	tiny.Clients, tiny.Experts, tiny.Horizon = 2, 3, 9
	convex := tiny
	convex.Losses, convex.Signed, convex.Horizon, convex.Clients = squares{}, true, 8, 1
	silent := tiny
	silent.Epsilon, silent.Horizon = math.Inf(1), 5
	for name, o := range map[string]opestoch.Options{
		"local": tiny, "central": central(tiny), "convex": convex, "no-noise": silent,
	} {
		t.Run(name, func(t *testing.T) {
			algorithmtest.CheckTranscript(t, name, algorithmtest.Transcribe(t, spec(o, squares{}.choose(o), nil)))
		})
	}
}
