package scenarios_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/ledger"
	"starling/scenarios/runner"
	"starling/scenarios/study"
)

// gaussianNoise is the mechanism of the tests, at an epsilon and delta a release.
const gaussianNoise = "mechanism={kind: gaussian, epsilon: 1, delta: 1e-6}"

// epsilonOfReleases is the epsilon of a number of releases of (1, 1e-6) each by exact
// Gaussian noise: they are one Gaussian mechanism of the square root of their number
// times the mu.
func epsilonOfReleases(t *testing.T, releases int, delta float64) float64 {
	t.Helper()
	if releases == 0 {
		return 0
	}
	sigma, err := accountant.GaussianSigma(1, 1e-6)
	if err != nil {
		t.Fatal(err)
	}
	epsilon, err := accountant.GaussianEpsilon(sigma/math.Sqrt(float64(releases)), delta)
	if err != nil {
		t.Fatal(err)
	}
	return epsilon
}

// The metrics and the ledger have what the releases cost, at the delta of the mechanism
// or, where there is one, of the budget; on both runtimes and resumed at any step.
func TestGaussianLedgerIsTheAccountants(t *testing.T) {
	for _, test := range []struct {
		budget   string
		delta    float64
		releases int // of 11
	}{
		{"", 1e-6, 11},
		{"budget={epsilon: none, on: refuse}", 1e-6, 11},
		{"budget={epsilon: 100, delta: 1e-9, on: refuse}", 1e-9, 11},
		{fmt.Sprintf("budget={epsilon: %v, delta: 1e-5, on: stop}", epsilonOfReleases(t, 4, 1e-5)*1.001), 1e-5, 4},
		{fmt.Sprintf("budget={epsilon: %v, delta: 1e-5, on: stop}", epsilonOfReleases(t, 4, 1e-5)*0.999), 1e-5, 3},
		{"budget={epsilon: 100, on: stop}", 1e-6, 0}, // at a delta of 0 no Gaussian loss is within it
	} {
		overrides := []string{gaussianNoise, "measure={every: 1}"}
		if test.budget != "" {
			overrides = append(overrides, test.budget)
		}
		s := loadText(t, base, overrides...)
		got := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep})
		if actors := metricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: 3}); actors.Digest != got.Digest {
			t.Errorf("%s: lockstep %s, actors %s", test.budget, got.Digest, actors.Digest)
		}
		for _, row := range got.Rows {
			made := min(int(row.Step)-1, test.releases)
			switch row.Metric {
			case ledger.EpsilonTotal:
				checkEpsilon(t, fmt.Sprintf("%s: in all by step %d", test.budget, row.Step), row.Value, epsilonOfReleases(t, made, test.delta))
			case ledger.EpsilonStep:
				want := 0.0
				if row.Step > 1 && int(row.Step)-1 <= test.releases {
					want = epsilonOfReleases(t, 1, test.delta)
				}
				checkEpsilon(t, fmt.Sprintf("%s: in step %d", test.budget, row.Step), row.Value, want)
			}
		}
		for _, pause := range []int{0, 3, 9} {
			sent, j := sentBy(t, s, pause, 0, 1, 2)
			for observer, units := range finalRows(t, s.Arms[0], j) {
				for unit, epsilon := range units {
					if n := len(released(sent[messages.NodeID(unit-1)])); n != test.releases {
						t.Errorf("%s: unit %d makes %d releases, want %d", test.budget, unit, n, test.releases)
					}
					checkEpsilon(t, fmt.Sprintf("%s, pause %d: %s of unit %d", test.budget, pause, observer, unit), epsilon, epsilonOfReleases(t, test.releases, test.delta))
				}
			}
		}
	}
}

func checkEpsilon(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-6*want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// By zCDP a release has a little more noise, and costs less than it says.
func TestGaussianByZCDPCostsLess(t *testing.T) {
	s := loadText(t, base, "mechanism={kind: gaussian, epsilon: 1, delta: 1e-6, calibration: zcdp}")
	rho, err := accountant.RhoOf(1, 1e-6)
	if err != nil {
		t.Fatal(err)
	}
	loss := s.Arms[0].Privacy.Loss(5)
	if math.Abs(loss.Rho/rho-1) > 1e-12 || loss.Epsilon != 0 || loss.Delta != 0 {
		t.Errorf("a release costs %v, want rho %v", loss, rho)
	}
	total := loss.Total()
	if epsilon, err := total.Epsilon(1e-6, accountant.PLD); err != nil || !(epsilon < 0.95) || !(epsilon > 0.5) {
		t.Errorf("a release costs %v at 1e-6, %v", epsilon, err)
	}
}

// Independent noise is calibrated to all of a run: what a node pays for its releases, of
// which the first is public, is epsilon at delta together, and for none more than for
// another.
func TestIndependentNoiseCostsARun(t *testing.T) {
	s := loadText(t, base, "mechanism={kind: independent, epsilon: 2, delta: 1e-6}")
	lockstep := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep})
	if actors := metricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: 3}); actors.Digest != lockstep.Digest {
		t.Errorf("lockstep %s, actors %s", lockstep.Digest, actors.Digest)
	}
	_, j := sentBy(t, s, 0, 0)
	for observer, units := range finalRows(t, s.Arms[0], j) {
		for unit, epsilon := range units {
			checkEpsilon(t, fmt.Sprintf("%s of unit %d", observer, unit), epsilon, 2)
		}
	}
	first, last := s.Arms[0].Privacy.Loss(2), s.Arms[0].Privacy.Loss(12)
	if math.Abs(first.Rho/last.Rho-1) > 1e-9 || first.Rho == 0 {
		t.Errorf("release 2 costs %v, release 12 %v", first, last)
	}
	byZCDP := loadText(t, base, "mechanism={kind: independent, epsilon: 2, delta: 1e-6, calibration: zcdp}")
	if rho, err := accountant.RhoOf(2, 1e-6); err != nil || math.Abs(11*byZCDP.Arms[0].Privacy.Loss(5).Rho/rho-1) > 1e-9 {
		t.Errorf("by zCDP a release costs %v, %v", byZCDP.Arms[0].Privacy.Loss(5), err)
	}
}

// Losses of Gaussian noise become epsilons as the section says: noise that is calibrated by
// zero-concentrated privacy costs what was asked for by its conversion, and less by the
// exact one, which is the usual. Budgets follow. So it is for all families.
func TestGaussianAccountants(t *testing.T) {
	const byZCDP = "epsilon: 2, delta: 1e-6, calibration: zcdp"
	for text, mechanisms := range map[string][]string{
		base:     {"{kind: independent, " + byZCDP},
		learning: {"{kind: tree, " + byZCDP, "{kind: gaussian, " + byZCDP},
	} {
		for _, mechanism := range mechanisms {
			accounted := func(by string) (float64, accountant.Definition) {
				arm := loadText(t, text, "mechanism="+mechanism+by+"}").Arms[0]
				loss, err := study.PlannedLossOf(arm)
				if err != nil {
					t.Fatal(err)
				}
				total, account := loss.Total(), arm.Privacy.Accounts[0]
				epsilon, err := total.Epsilon(account.Delta, account.By)
				if err != nil {
					t.Fatal(err)
				}
				return epsilon, total.Definition(account.By)
			}
			stated, zcdp := accounted(", accountant: rdp")
			tighter, _ := accounted(", accountant: rdp-cks")
			exact, gdp := accounted("")
			if math.Abs(stated-2) > 1e-9 || zcdp != accountant.ZCDP || gdp != accountant.GDP || !(exact < tighter && tighter < stated) {
				t.Errorf("%s: %v by %s, %v, %v by %s", mechanism, stated, zcdp, tighter, exact, gdp)
			}
		}
	}
	const budget = "budget={epsilon: 1.9, delta: 1e-6, on: refuse}"
	loadText(t, base, "mechanism={kind: independent, "+byZCDP+"}", budget)
	if _, err := loadError(t, base, "mechanism={kind: independent, "+byZCDP+", accountant: rdp}", budget); err == nil || !strings.Contains(err.Error(), "over the budget of (1.9, 1e-06)") {
		t.Errorf("by zCDP: %v", err)
	}
}

// The paper says nothing of Gaussian noise, and that is what results say.
func TestGaussianNotesClaimNothing(t *testing.T) {
	const nothing = "no claim (the paper covers Laplace noise only)"
	arm := loadText(t, base, gaussianNoise).Arms[0]
	j, err := arm.Algorithm.Job(1)
	if err != nil {
		t.Fatal(err)
	}
	notes, _ := arm.Algorithm.Notes(j)
	got := map[string]string{}
	for _, n := range notes {
		got[n.Key] = n.Value
	}
	for key, want := range map[string]string{"epsilon.claimed": nothing, "theorem-2": "does not apply: Theorem 2 assumes Laplace noise"} {
		if got[key] != want {
			t.Errorf("%s: %q, want %q", key, got[key], want)
		}
	}
	if !strings.HasPrefix(got["epsilon.accounted"], fmt.Sprintf("%.6g at delta 1e-06: rho ", epsilonOfReleases(t, 11, 1e-6))) {
		t.Errorf("accounted %q", got["epsilon.accounted"])
	}
	for _, a := range arm.Privacy.Accounts {
		if a.Claimed.Text != nothing || a.Delta != 1e-6 {
			t.Errorf("%s: claimed %q at %v", a.Observer, a.Claimed, a.Delta)
		}
	}
}

// No noise is the same run, whichever mechanism says it.
func TestNoNoiseIsNoMechanism(t *testing.T) {
	want := measured(t, base, "mechanism={kind: laplace, epsilon: none, noise: shifted}")
	for _, mechanism := range []string{"{kind: none}", "{kind: gaussian, epsilon: none, delta: 1e-6}"} {
		s := loadText(t, base, "mechanism="+mechanism)
		if got := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}); got.Digest != want.Digest {
			t.Errorf("%s: another run than without Laplace noise", mechanism)
		}
		if loss, err := study.PlannedLossOf(s.Arms[0]); err != nil || loss.Private() || s.Arms[0].Privacy.Claimed() != "not private" {
			t.Errorf("%s: loss %v, %v; claimed %q", mechanism, loss, err, s.Arms[0].Privacy.Claimed())
		}
	}
}

func TestGaussianRefusals(t *testing.T) {
	for _, test := range []struct{ text, override, want string }{
		{base, "mechanism={kind: gaussian, epsilon: 1}", `missing required key "delta"`},
		{base, "mechanism={kind: gaussian, delta: 1e-6}", `missing required key "epsilon"`},
		{base, "mechanism={kind: gaussian, epsilon: 0, delta: 1e-6}", "epsilon = 0; it must be a finite number > 0, or none"},
		{base, "mechanism={kind: gaussian, epsilon: 1, delta: 1}", "mechanism.delta: delta = 1; want a number > 0 and < 1"},
		{base, "mechanism={kind: gaussian, epsilon: 1, delta: 0}", "mechanism.delta: delta = 0; want a number > 0 and < 1"},
		{base, "mechanism={kind: gaussian, epsilon: 1, delta: 1e-6, calibration: exact}", `mechanism.calibration: unknown value "exact"; known: analytic, zcdp`},
		{base, "mechanism={kind: gaussian, epsilon: 1, delta: 1e-6, noise: shifted}", `unknown key "noise"`},
		{realizable, gaussianNoise, `"gaussian" does not go with the algorithm fedsvt, which takes none, sparse-vector`},
		{trained, gaussianNoise, "a batch of 8 of the 40 samples of client 1, but gaussian noise is on sums over all of them"},
	} {
		if _, err := loadError(t, test.text, test.override); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.override, err, test.want)
		}
	}
	short := fmt.Sprintf("budget={epsilon: %v, delta: 1e-6, on: refuse}", epsilonOfReleases(t, 11, 1e-6)*0.999)
	if _, err := loadError(t, base, gaussianNoise, short); err == nil || !strings.Contains(err.Error(), "step 11 is the last within the budget") {
		t.Errorf("%s: %v", short, err)
	}
}
