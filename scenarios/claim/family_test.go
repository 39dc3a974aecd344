package claim

import (
	"math"
	"testing"
)

// TestClaimLevel: a claim that states no level is decided at 99.99 %, however
// many others there are. Of 4 million means of 8 exponential values 5e-5 are below
// the truth by 22.0 standard errors or more, so that a mean of 10 with the standard error 1
// over 8 seeds is known to ±22. Student's t would be ±7.88.
func TestClaimLevel(t *testing.T) {
	d := newData(t, byArm{"a": around(10, 1, 8)})
	for bound, want := range map[string]Verdict{"32.6": Holds, "31.8": Undecided, "-12.6": DoesNotHold, "-11.8": Undecided} {
		c := newClaim(t, "{kind: at-most, metric: m, arms: [a], bound: {value: "+bound+"}}")
		c.Test.(*Limit).Level = ClaimLevel
		decision, err := Decide(c, d)
		if err != nil {
			t.Fatal(err)
		}
		if decision.Verdict != want || decision.Parts[0].Level != 0.9999 {
			t.Errorf("at most %s: %s at %v, want %s at 0.9999", bound, decision.Verdict, decision.Parts[0].Level, want)
		}
	}
	f, err := Decode("claims.yaml", []byte("version: 1\nclaims:\n  - {id: x, source: {where: w}, says: s, test: {kind: at-most, metric: m, bound: {value: 1}}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if level := f.Claims[0].Test.level(); level != ClaimLevel || math.Abs(FamilyClaims*(1-level)-(1-FamilyLevel)) > 1e-12 {
		t.Errorf("level %v, want %v, of which %d claims use up 1 - %v", level, ClaimLevel, FamilyClaims, FamilyLevel)
	}
}

// TestVerdictOfParts decides every pair of states: one refuted part refutes.
func TestVerdictOfParts(t *testing.T) {
	states := []State{For, Against, Open, Untested}
	want := [4][4]Verdict{
		{Holds, DoesNotHold, Partly, Partly},
		{DoesNotHold, DoesNotHold, DoesNotHold, DoesNotHold},
		{Partly, DoesNotHold, Undecided, Undecided},
		{Partly, DoesNotHold, Undecided, NotTestable},
	}
	for i, a := range states {
		for k, b := range states {
			if got := verdict([]Part{{State: a}, {State: b}}); got != want[i][k] {
				t.Errorf("%s and %s: %s, want %s", a, b, got, want[i][k])
			}
		}
	}
}

// TestPercent: fractions print as people write them.
func TestPercent(t *testing.T) {
	for fraction, want := range map[float64]string{1e-6: "0.0001", 0.05: "5", 0.9999: "99.99", 1 - 0.0001/3: "99.9967", 0.3: "30", 0.07: "7", 5: "500"} {
		if got := percent(fraction); got != want {
			t.Errorf("%v: %s %%, want %s", fraction, got, want)
		}
	}
}
