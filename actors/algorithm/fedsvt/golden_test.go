package fedsvt_test

import (
	"math"
	"testing"

	"starling/actors/algorithm/fedsvt"
	"starling/actors/algorithmtest"
)

// Transcripts of tiny runs are kept word for word: a change of any bit shows,
// and shows where. Run the test with -update to rewrite them.
func TestTranscripts(t *testing.T) {
	tiny := options()
	tiny.Clients, tiny.Experts, tiny.Horizon, tiny.Interval, tiny.Kappa = 2, 3, 8, 2, 1.5
	single := tiny
	single.Clients, single.Interval, single.Horizon, single.Epsilon = 1, 1, 8, 60
	silent := tiny
	silent.Epsilon = math.Inf(1)
	approximate := tiny
	approximate.Variant, approximate.Delta = fedsvt.Approximate, 1e-3
	for name, o := range map[string]fedsvt.Options{
		"pure": tiny, "sparse-vector": single, "no-noise": silent, "approximate": approximate,
	} {
		t.Run(name, func(t *testing.T) {
			algorithmtest.CheckTranscript(t, name, algorithmtest.Transcribe(t, spec(o, vectors{}, nil)))
		})
	}
}
