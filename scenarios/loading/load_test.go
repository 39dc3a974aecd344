package loading_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"starling/scenarios"

	"github.com/google/go-cmp/cmp"

	"starling/scenarios/document"
	"starling/scenarios/loading"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
)

// TestLibrary checks what the README and the tutorials promise of each scenario
// of the library.
func TestLibrary(t *testing.T) {
	t.Parallel()
	arms := map[string][]string{}
	entries, err := loading.LibraryEntries()
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.Summary == "" {
			t.Errorf("%s has no description", entry.Kind)
		}
		s := scenariotest.Load(t, entry.Kind)
		base := uint64(1)
		if strings.HasSuffix(s.Name, "-seeds") {
			base = 101 // of a figure that has a panel for each seed
		}
		if s.Name != entry.Kind || s.Seeds.Base != base {
			t.Errorf("%s: name %s, seeds %+v", entry.Kind, s.Name, s.Seeds)
		}
		if !strings.HasPrefix(s.Name, "dpdonc-") {
			continue // its claims name its arms, and a test holds them to it
		}
		horizon := 500
		if s.Name == "dpdonc-noise" {
			horizon = 20_000 // in which orders of growth show
		}
		if s.Seeds.Count != 100 || s.Arms[0].File.Horizon != horizon {
			t.Errorf("%s: seeds %+v, horizon %d", entry.Kind, s.Seeds, s.Arms[0].File.Horizon)
		}
		for _, arm := range s.Arms {
			arms[s.Name] = append(arms[s.Name], arm.Name)
		}
	}
	want := map[string][]string{
		"dpdonc-as-printed":   {"epsilon=0.5", "epsilon=1", "epsilon=5", "epsilon=none"},
		"dpdonc-localization": {"epsilon=0.5", "epsilon=1", "epsilon=5", "epsilon=none"},
		"dpdonc-entropy":      {"epsilon=1", "epsilon=5", "epsilon=none"},
		"dpdonc-divergences":  {"euclidean", "mahalanobis"},
		"dpdonc-gaussian":     {"laplace,d=2", "gaussian,d=2", "none,d=2", "laplace,d=64", "gaussian,d=64", "none,d=64"},
		"dpdonc-interaction":  {"printed", "printed-alone", "around", "around-alone"},
		"dpdonc-nodes":        {"base"},
		"dpdonc-noise":        {"epsilon=0.5", "epsilon=1", "epsilon=2", "epsilon=5", "epsilon=none"},
	}
	if diff := cmp.Diff(want, arms); diff != "" {
		t.Errorf("arms (-want +got):\n%s", diff)
	}
}

// TestNotAScenario checks files that are not one, and names of nothing.
func TestNotAScenario(t *testing.T) {
	t.Chdir(t.TempDir())
	bomb := "a: &a [x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]\n"
	for _, test := range []struct{ name, text, want string }{
		{"empty.yaml", "", "empty.yaml:1:1: empty; starling init FILE --algorithm dpdonc --problem logistic writes a scenario"},
		{"comments.yaml", "# nothing\n\n", "comments.yaml:1:1: empty: there is nothing in it but comments; starling init FILE --algorithm dpdonc --problem logistic writes a scenario"},
		{"list.yaml", "- 1\n", "list.yaml:1:1: the document must be a mapping, not a sequence"},
		{"binary.yaml", "version: 1\nname: \xff\xfe\x00", "binary.yaml:2:7: not UTF-8: byte 0xff"},
		{"zero.yaml", "name: a\x00b", "zero.yaml:1:8: control character U+0000"},
		{"bomb.yaml", bomb, "bomb.yaml:1:4: anchors (&name) are not supported; write the value out"},
		{"twice.yaml", "name: a\nname: b\n", "twice.yaml:2:1: duplicate key \"name\"; the first is at 1:1"},
		{"large.yaml", strings.Repeat("#", document.MaxBytes+1), "large.yaml:1:1: larger than 1048576 bytes"},
	} {
		if err := os.WriteFile(test.name, []byte(test.text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := scenarios.Load(test.name)
		var input *document.InputError
		if !errors.As(err, &input) || err.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}
	for name, want := range map[string]string{
		"dpdonc-localisation": `no scenario or file "dpdonc-localisation"; did you mean "dpdonc-localization"?`,
		"zzz":                 fmt.Sprintf(`no scenario or file "zzz"; starling list scenarios has the %d scenarios of the library`, len(loading.Library())),
		"none.yaml":           `there is no file "none.yaml"; starling init writes a scenario, and starling list scenarios has those of the library`,
		"bom.yaml":            `there is no file "bom.yaml"; did you mean "bomb.yaml"?`,
		"drfit.yaml":          `there is no file "drfit.yaml"; did you mean "drift"?`,
		"nowhere/none.yaml":   `there is no file "nowhere/none.yaml", and no folder "nowhere"`,
		".":                   ". is a folder; want a scenario of the library, or a file",
		"/dev/zero":           "/dev/zero:1:1: larger than 1048576 bytes", // and not read to its end
	} {
		_, err := scenarios.Load(name)
		var input *document.InputError
		if !errors.As(err, &input) || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

func TestExcerpts(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("s.yaml", []byte(scenariotest.Edited(t, scenariotest.Base, "horizon: 12", "horizon: 0")), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := scenarios.Load("s.yaml", scenariotest.ParseSets(t, "mechanism.epsilon=low")...)
	var input *document.InputError
	if !errors.As(err, &input) {
		t.Fatal(err)
	}
	want := `--set mechanism.epsilon: expected a number > 0 or none, got low
s.yaml:3:10: horizon: 0 steps; want 1 to 10000000
    3 | horizon: 0
      |          ^`
	if diff := cmp.Diff(want, input.Excerpts()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestParseOverride(t *testing.T) {
	got := scenariotest.ParseSets(t, "a.b=c=d")[0]
	if want := (loading.Override{Path: "a.b", Text: "c=d", Source: "--set a.b"}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	for _, text := range []string{"", "a", "=1", "a=", "a= "} {
		if _, err := loading.ParseOverride(text); err == nil || !strings.Contains(err.Error(), "want ") {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

// TestArmNames checks the names of arms: of a sweep's keys the last elements,
// and the values as the file writes them; the last path varies fastest.
func TestArmNames(t *testing.T) {
	for sweep, want := range map[string]string{
		"{grid: {mechanism.epsilon: [0.50, none], nodes: [3, 3.0]}}":               "epsilon=0.50,nodes=3 epsilon=0.50,nodes=3.0 epsilon=none,nodes=3 epsilon=none,nodes=3.0",
		"{grid: {algorithm.start: [[0, 1], [0.5, 0]]}}":                            "start=[0,1] start=[0.5,0]",
		"{grid: {algorithm.divergence: [{kind: euclidean, scale: 1}]}}":            "divergence={kind:euclidean,scale:1}",
		"{grid: {'topology.matrices[0][1]': [[0, 0.5, 0.5]]}}":                     "matrices[0][1]=[0,0.5,0.5]",
		"{list: [{set: {horizon: 5, nodes: 3}}, {name: long, set: {horizon: 9}}]}": "horizon=5,nodes=3 long",
		"{list: [{name: as it is, set: {}}]}":                                      "as it is",
		"null":                                                                     "base",
	} {
		var names []string
		for _, arm := range scenariotest.LoadText(t, scenariotest.Base, "sweep="+sweep).Arms {
			names = append(names, arm.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: arms %s, want %s", sweep, got, want)
		}
	}
}

// TestSharedParts checks that arms share what the sweep leaves alone, and that
// the limits count it once.
func TestSharedParts(t *testing.T) {
	s := scenariotest.LoadText(t, scenariotest.Base, "topology={kind: complete}", "nodes=3000", "problem.sensors={same: {position: [1, 1]}}",
		"sweep={grid: {mechanism.epsilon: [1, 2, 3, 4, 5, 6, 7, 8]}}") // of 9 million edges each
	for _, arm := range s.Arms {
		if arm.Topology != s.Arms[0].Topology || arm.Problem != s.Arms[0].Problem {
			t.Errorf("arm %s has graphs or a problem of its own", arm.Name)
		}
	}
}

// longHorizon is a horizon of five digits and more.
var longHorizon = regexp.MustCompile(`(?m)^horizon: \d{5,}$`)

// FuzzLoad checks that no text makes reading a scenario panic, and that
// whatever is wrong with one has a place in it.
func FuzzLoad(f *testing.F) {
	for _, name := range loading.Library() {
		_, text, err := loading.Text(name)
		if err != nil {
			f.Fatal(err)
		}
		// A factorization over a long horizon takes seconds, and TestLibrary finds it.
		f.Add(longHorizon.ReplaceAll(text, []byte("horizon: 1000")))
	}
	f.Add([]byte(scenariotest.Base))
	f.Add([]byte(scenariotest.Large))
	for _, test := range invalidCases {
		f.Add([]byte(scenariotest.Edited(f, scenariotest.Base, test.edits...)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, err := document.Parse("f.yaml", text)
		var s *study.Scenario
		if err == nil {
			s, err = scenariotest.Loader(t).Check(doc)
		}
		if err == nil {
			checkReload(t, s)
			return
		}
		var issues document.Issues
		if !errors.As(err, &issues) || len(issues) == 0 {
			t.Fatalf("%T without places: %v", err, err)
		}
		for _, issue := range issues {
			if p := issue.Position; p.File != "f.yaml" || p.Line < 1 || p.Column < 1 || p.Line > 2+strings.Count(string(text), "\n") {
				t.Errorf("no place in the text: %s", issue)
			}
		}
	})
}
