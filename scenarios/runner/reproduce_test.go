package runner_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"starling/scenarios"

	"starling/scenarios/claim"
	"starling/scenarios/document"
	"starling/scenarios/library"
	"starling/scenarios/loading"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
)

func reproduceOptions(t *testing.T, out string) runner.ReproduceOptions {
	t.Helper()
	return runner.ReproduceOptions{Quick: true, Loader: scenariotest.Loader(t), Run: runner.RunOptions{Out: out, Engine: runner.Lockstep, Version: "test", Build: "test"}}
}

// reproduced is a folder with the results of the whole library. CI runs the command, so
// that these tests run only core.
var reproduced = flag.String("reproduced", "", "hold the claims against the results that `starling reproduce --quick` left in this folder")

// core are scenarios of every family, on networks too, with claims of every kind.
var core = []string{
	"ali-fmnist", "dpdonc-as-printed", "dpdonc-localization", "dpdonc-nodes", "network-partition-heal", "ofl-cnn-mnist-v1",
	"ope-lower-bounds", "ope-stochastic", "privacy-index-shift", "rates-mixing", "svt-realizable", "svt-speedup",
}

// TestLibraryClaims decides claims of the library at the reduced size: the verdicts are
// the expected ones and are written, every claim can fail, and a second time nothing is
// run.
func TestLibraryClaims(t *testing.T) {
	t.Parallel()
	if *reproduced != "" {
		checkFailable(t, reportsIn(t, *reproduced))
		return
	}
	options := reproduceOptions(t, t.TempDir())
	var jobs []*runner.Progress
	options.Watch = func(_ *study.Scenario, p *runner.Progress) func() { jobs = append(jobs, p); return func() {} }
	reports, err := runner.Reproduce(t.Context(), core, options)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i, r := range reports {
		names = append(names, r.Scenario)
		if len(r.Reduced) == 0 || len(r.Plots) == 0 || len(r.Decisions) == 0 || jobs[i].Jobs.Load() == 0 {
			t.Errorf("%s: %d settings, %d plots, %d decisions, %d jobs", r.Scenario, len(r.Reduced), len(r.Plots), len(r.Decisions), jobs[i].Jobs.Load())
		}
		for _, d := range r.Decisions {
			if !slices.Contains(claim.Verdicts(), d.Verdict) {
				t.Errorf("%s: claim %s has the verdict %q", r.Scenario, d.Claim.ID, d.Verdict)
			}
		}
	}
	if !slices.Equal(names, core) {
		t.Errorf("reports on %v, want %v", names, core)
	}
	checkVerdicts(t, reports)
	checkFailable(t, reports)
	checkFaultsAreFound(t, reports)
	for _, name := range []string{"reproduce.json", "reproduce.md"} {
		if info, err := os.Stat(filepath.Join(options.Run.Out, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	jobs = nil
	if _, err := runner.Reproduce(t.Context(), []string{names[0], names[0]}, options); err != nil {
		t.Fatal(err)
	}
	if len(jobs) != 1 || jobs[0].Jobs.Load() != 0 {
		t.Errorf("%d runs the second time, want 1 that has nothing to do", len(jobs))
	}
}

// reportsIn are on the results in a folder, of all scenarios with claims that need no
// data set.
func reportsIn(t *testing.T, folder string) (reports []claim.Report) {
	t.Helper()
	for _, name := range library.Claimed() {
		if needsData(name) {
			continue
		}
		dirs, err := filepath.Glob(filepath.Join(folder, name, "*"))
		if err != nil || len(dirs) != 1 {
			t.Errorf("%s: results in %q (%v), want one folder", name, dirs, err)
			continue
		}
		r := claim.Report{Scenario: name, Dir: dirs[0]}
		for _, c := range claimsOf(t, name) {
			r.Decisions = append(r.Decisions, claim.Decision{Claim: c})
		}
		reports = append(reports, r)
	}
	return reports
}

// TestClaimsAreOnWhatIsRecorded: every arm and metric that a claim of the library names
// is one of the scenario at the reduced size, and the core has every kind of claim.
func TestClaimsAreOnWhatIsRecorded(t *testing.T) {
	t.Parallel()
	all, inCore := map[string]bool{}, map[string]bool{}
	for _, name := range library.Claimed() {
		s, err := runner.NewStudy(name, true, scenariotest.Loader(t)) // which checks the arms
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range s.Claims.Claims {
			kind := fmt.Sprintf("%T", c.Test)
			all[kind] = true
			inCore[kind] = inCore[kind] || slices.Contains(core, name)
			for _, metric := range c.Metrics() {
				for _, arm := range s.Scenario.Arms {
					if (len(c.Arms()) == 0 || slices.Contains(c.Arms(), arm.Name)) && !study.RecordsMetric(arm, metric) {
						t.Errorf("%s: claim %s is on %s, which arm %s does not record", name, c.ID, metric, arm.Name)
					}
				}
			}
		}
	}
	for kind := range all {
		if !inCore[kind] {
			t.Errorf("no scenario of the core has a claim of the kind %s", kind)
		}
	}
}

// needsData tells whether a scenario of the library needs a data set.
func needsData(name string) bool {
	var input *document.InputError
	_, err := scenarios.NewLoader("").Load(name)
	return errors.As(err, &input) && input.Data != ""
}

// checkVerdicts compares the verdicts with those that come with the program:
// what is not changed on purpose must not change a verdict. The data of these
// tests are generated, so that of scenarios that need data only the claims are
// compared.
func checkVerdicts(t *testing.T, reports []claim.Report) {
	t.Helper()
	expected, err := runner.ReadExpected(runner.LibraryVerdicts, true)
	if err != nil {
		t.Fatal(err)
	}
	for i := range reports {
		if !needsData(reports[i].Scenario) {
			continue
		}
		k := slices.IndexFunc(expected.Scenarios, func(s claim.ExpectedScenario) bool { return s.Name == reports[i].Scenario })
		for _, v := range expected.Scenarios[max(k, 0)].Claims {
			d := slices.IndexFunc(reports[i].Decisions, func(d claim.Decision) bool { return d.Claim.ID == v.ID })
			if k >= 0 && d >= 0 {
				reports[i].Decisions[d].Verdict = v.Verdict
			}
		}
	}
	c, err := runner.CheckExpected(expected, reports, false)
	if err != nil || len(c.Unknown) > 0 {
		t.Errorf("%v; without expected verdicts: %v\nIf they are to change: go run ./cmd/starling reproduce --quick --data DIR --write-expect scenarios/library/expected/quick.yaml", err, c.Unknown)
	}
}

// TestLibraryVerdicts: the verdicts that come with the program are chosen by size
// and are on scenarios and claims that there are, in the library's order. Those of
// the full size may be on a part of the library.
func TestLibraryVerdicts(t *testing.T) {
	for name, quick := range map[string]bool{library.VerdictsFile(true): true, library.VerdictsFile(false): false} {
		expected, err := runner.ReadExpected(runner.LibraryVerdicts, quick)
		if err != nil {
			t.Fatal(err)
		}
		if expected.Name != name || expected.Quick != quick || len(expected.Scenarios) == 0 {
			t.Errorf("%s: read %s, quick %t, %d scenarios", name, expected.Name, expected.Quick, len(expected.Scenarios))
		}
		if quick && len(expected.Scenarios) != len(library.Claimed()) {
			t.Errorf("%s: %d scenarios, want %d", name, len(expected.Scenarios), len(library.Claimed()))
		}
		last := -1
		for _, s := range expected.Scenarios {
			at := slices.Index(library.Claimed(), s.Name)
			if at <= last {
				t.Errorf("%s: %s has no claims, or is not in its place", name, s.Name)
				continue
			}
			last = at
			if got, want := claimIDs(t, s.Name), verdictIDs(s); !slices.Equal(got, want) {
				t.Errorf("%s: %s has the claims %v, verdicts are on %v", name, s.Name, got, want)
			}
		}
	}
}

func verdictIDs(s claim.ExpectedScenario) (ids []string) {
	for _, v := range s.Claims {
		ids = append(ids, v.ID)
	}
	return ids
}

func claimIDs(t *testing.T, name string) (ids []string) {
	t.Helper()
	for _, c := range claimsOf(t, name) {
		ids = append(ids, c.ID)
	}
	return ids
}

// claimsOf reads the claims on a scenario of the library.
func claimsOf(t *testing.T, name string) []claim.Claim {
	t.Helper()
	text, err := library.ReadFile(library.ClaimsFile(name))
	if err != nil {
		t.Fatal(err)
	}
	file, err := claim.Decode(name, text)
	if err != nil {
		t.Fatal(err)
	}
	return file.Claims
}

// TestFamilyLevel: the claims of the library together are decided at the
// confidence level that is stated.
func TestFamilyLevel(t *testing.T) {
	var risk float64
	for _, name := range library.Claimed() {
		text, err := library.ReadFile(library.ClaimsFile(name))
		if err != nil {
			t.Fatal(err)
		}
		f, err := claim.Decode(library.ClaimsFile(name), text)
		if err != nil {
			t.Fatal(err)
		}
		risk += f.Risk()
	}
	if !(risk > 0 && risk <= 1-claim.FamilyLevel) {
		t.Errorf("some claim is decided wrongly with a chance of up to %v, more than %v", risk, 1-claim.FamilyLevel)
	}
}

// decisionOf decides one claim on a scenario with overrides.
func decisionOf(t *testing.T, name, id string, overrides ...string) claim.Decision {
	t.Helper()
	s, err := runner.NewStudy(name, false, scenariotest.Loader(t))
	if err != nil {
		t.Fatal(err)
	}
	var list []loading.Override
	for _, text := range overrides {
		o, err := loading.ParseOverride(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, o)
	}
	if s.Scenario, err = scenariotest.Loader(t).Load(name, list...); err != nil {
		t.Fatal(err)
	}
	s.Claims.Claims = slices.DeleteFunc(s.Claims.Claims, func(c claim.Claim) bool { return c.ID != id })
	report, err := s.Report(t.Context(), reproduceOptions(t, t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	return report.Decisions[0]
}

// TestStepPrivacyClaim: Theorem 1's claim of epsilon a step fails as printed,
// where step 2 costs epsilon √2, and is exact with the noise shifted.
func TestStepPrivacyClaim(t *testing.T) {
	small := []string{"horizon=20", "seeds.count=2", "measure={every: 5, at: [2]}"}
	printed := decisionOf(t, "dpdonc-as-printed", "step-privacy", small...)
	if printed.Verdict != claim.DoesNotHold {
		t.Errorf("as printed: %s", printed.Verdict)
	}
	if got, want := printed.Parts[1].Value, 1.4142135623730951; got < want-1e-12 || got > want+1e-12 {
		t.Errorf("at epsilon 1 step 2 costs %v, want √2", got)
	}
	shifted := decisionOf(t, "dpdonc-as-printed", "step-privacy", append(small, "mechanism.noise=shifted")...)
	if shifted.Verdict != claim.Holds {
		t.Errorf("shifted: %s\n%+v", shifted.Verdict, shifted.Parts)
	}
}

// TestReproduceNames: a name that has no claims is refused before anything runs.
func TestReproduceNames(t *testing.T) {
	for name, want := range map[string]string{
		"dpdonc-nods": `no scenario or file "dpdonc-nods"; did you mean "dpdonc-nodes"?`,
		"elsewhere":   `no scenario or file "elsewhere"; starling reproduce lists the scenarios with claims`,
		"../escape":   `no scenario or file "../escape"; starling reproduce lists the scenarios with claims`,
	} {
		options := reproduceOptions(t, t.TempDir())
		_, err := runner.Reproduce(t.Context(), []string{"dpdonc-nodes", name}, options)
		var input *document.InputError
		if !errors.As(err, &input) || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
		if entries, _ := os.ReadDir(options.Run.Out); len(entries) > 0 {
			t.Errorf("%s: wrote %v", name, entries)
		}
	}
}

// ownScenario writes a small scenario and the claims on it into a folder, and returns the
// scenario's file.
func ownScenario(t *testing.T, name, claims string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name+".yaml")
	text := "extends: dpdonc-nodes\nname: " + name + "\nhorizon: 20\nseeds: {count: 3}\n"
	for path, text := range map[string]string{file: text, strings.TrimSuffix(file, ".yaml") + ".claims.yaml": claims} {
		if text != "" {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return file
}

// TestOwnClaims: claims beside a file of one's own are decided like those of the library,
// at the file's size and at the reduced one, and their verdicts can be expected.
func TestOwnClaims(t *testing.T) {
	file := ownScenario(t, "mine", `version: 1
quick: {horizon: 10}
claims:
  - {id: falls, says: Regret a step falls., test: {kind: trend, metric: regret.run, per_step: true, direction: falls}}
  - {id: costs, says: A step costs nothing., test: {kind: at-most, metric: epsilon.step, at: last, bound: {value: 0}}}
`)
	for _, quick := range []bool{false, true} {
		options := reproduceOptions(t, t.TempDir())
		options.Quick = quick
		reports, err := runner.Reproduce(t.Context(), []string{file}, options)
		if err != nil {
			t.Fatal(err)
		}
		r := reports[0]
		if horizon := map[bool]int64{false: 20, true: 10}[quick]; r.Scenario != "mine" || r.Horizon != horizon || len(r.Decisions) != 2 {
			t.Errorf("quick %t: %+v", quick, r)
		}
		if r.Decisions[1].Verdict != claim.DoesNotHold {
			t.Errorf("a step costs %v: %s", r.Decisions[1].Parts, r.Decisions[1].Verdict)
		}
		expected := filepath.Join(t.TempDir(), "expected.yaml")
		older, err := runner.ReadOlderExpected(expected, quick)
		if err != nil {
			t.Fatal(err)
		}
		older.Scenarios = []claim.ExpectedScenario{{Name: "another-of-mine", Claims: []claim.ExpectedVerdict{{ID: "x", Verdict: claim.Holds}}}}
		kept, err := runner.WriteExpected(older, reports)
		if err != nil || !slices.Equal(kept, []string{"another-of-mine"}) {
			t.Errorf("kept %v, %v", kept, err)
		}
		if older, err = runner.ReadExpected(expected, quick); err != nil {
			t.Fatal(err)
		}
		if c, err := runner.CheckExpected(older, reports, false); err != nil || c.Same != 2 {
			t.Errorf("%+v, %v", c, err)
		}
	}
}

// TestOwnClaimsRefused: what is wrong with claims of one's own is at its place, before
// anything runs.
func TestOwnClaimsRefused(t *testing.T) {
	const head = "version: 1\nclaims:\n"
	for _, test := range []struct{ claims, want string }{
		{"", "mine.claims.yaml, in which they would be (starling help claims)"},
		{head + "  - {id: x, says: s, test: {kind: trand}}\n", `mine.claims.yaml:3:35: claims[0].test.kind: unknown kind "trand"; did you mean "trend"?`},
		{head + "  - {id: x, says: s, test: {kind: trend, metric: regret.rum, direction: falls}}\n", `mine.claims.yaml:3:50: claims[0].test.metric: no arm of the claim records "regret.rum"; did you mean "regret.run"?`},
		{head + "  - {id: x, says: s, test: {kind: ratio, metric: regret.run, arms: [a, b], expected: [1, 2], margin: 1}}\n", `mine.claims.yaml:3:69: claims[0].test.arms[0]: the scenario has no arm "a"`},
		{"version: 1\nquick: {horizons: 3}\nclaims:\n  - {id: x, says: s, test: {kind: not-testable, reason: r}}\n", `quick.horizons:1:1: unknown key "horizons"; did you mean "horizon"?`},
	} {
		options := reproduceOptions(t, t.TempDir())
		options.Quick = strings.Contains(test.claims, "quick")
		_, err := runner.Reproduce(t.Context(), []string{ownScenario(t, "mine", test.claims)}, options)
		var input *document.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got  %v\nwant %s", err, test.want)
		}
	}
	options := reproduceOptions(t, t.TempDir())
	options.Quick = false
	claims := head + "  - {id: x, says: s, test: {kind: not-testable, reason: r}}\n"
	twice := []string{ownScenario(t, "mine", claims), ownScenario(t, "mine", claims)}
	if _, err := runner.Reproduce(t.Context(), twice, options); err == nil || !strings.HasSuffix(err.Error(), `are both called "mine", so their verdicts would be mixed up`) {
		t.Errorf("two scenarios of one name: %v", err)
	}
}

// TestClaimsNameTests: the tests that claims refer to exist where they say.
func TestClaimsNameTests(t *testing.T) {
	reference := regexp.MustCompile(`(Test\w+)\s+in\s+([\w/]+)`)
	found := 0
	for _, name := range library.Claimed() {
		text, err := library.ReadFile(library.ClaimsFile(name))
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range reference.FindAllStringSubmatch(string(text), -1) {
			found++
			files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(match[2]), "*_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(files, func(file string) bool {
				source, err := os.ReadFile(file)
				return err == nil && strings.Contains(string(source), "func "+match[1]+"(t *testing.T)")
			}) {
				t.Errorf("%s: there is no %s in %s", library.ClaimsFile(name), match[1], match[2])
			}
		}
	}
	if found == 0 {
		t.Error("no claim refers to a test; the pattern of this test is out of date")
	}
}
