package federated_test

import (
	"strings"
	"testing"

	"starling/scenarios/scenariotest"
)

// What is claimed says for whom it holds: a client is not a sample, and an epsilon of one stands
// beside an epsilon of the other in tables.
func TestClaimsNameTheirUnit(t *testing.T) {
	const replace = "mechanism.neighbours=replace"
	for _, test := range []struct {
		overrides []string
		want      string
	}{
		{nil, "for a client added or removed"},
		{[]string{replace}, "for a client with all of its data replaced"},
		{[]string{"algorithm.level=record"}, "for one sample of one client added or removed"},
		{[]string{"algorithm.level=record", replace}, "for a sample of a client replaced"},
		{[]string{secure}, "for the vectors of one client, or zeros in their place"},
		{[]string{secure, replace}, "for all that a client sends replaced"},
		{[]string{shuffled, replace}, "for the vectors of one client, or any others in their place"},
		{[]string{"algorithm={kind: dp-scaffold, learning_rate: 0.5, clip: 0.3}"}, "for a client added or removed"},
		{[]string{"algorithm={kind: dp-ftrl, learning_rate: 0.5, clip: 0.3}", "mechanism={kind: tree, epsilon: 2, delta: 1e-4}"}, "2 at delta 0.0001, for a client added or removed"},
		{[]string{"algorithm={kind: fedbuff, learning_rate: 0.5, clip: 0.3, buffer: 2}"}, "for the vectors of one client, or zeros in their place"},
		{[]string{"mechanism={kind: none}"}, "not private"},
	} {
		plan := scenariotest.LoadText(t, untrustedText(t), test.overrides...).Arms[0].Privacy
		if claim := plan.Claimed(); !strings.HasSuffix(claim, test.want) {
			t.Errorf("%v: claims %q, want %q", test.overrides, claim, test.want)
		}
		for _, a := range plan.Accounts {
			if a.Claimed.Text != "not private" && !strings.HasSuffix(a.Claimed.Text, a.Neighbours) {
				t.Errorf("%v: %q is claimed of what %s learns of %s", test.overrides, a.Claimed, a.Observer, a.Neighbours)
			}
		}
	}
}
