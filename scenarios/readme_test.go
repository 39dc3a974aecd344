package scenarios_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"starling/scenarios/claim"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
)

// documentation is what people read: the README and the topics of help, by path.
func documentation(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../cmd/starling/command/help/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d topics, %v", len(files), err)
	}
	pages := map[string]string{}
	for _, file := range append(files, "../README.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		pages[file] = string(text)
	}
	return pages
}

// documentedScenarios are the yaml blocks of the documentation: whole scenarios.
// Files of claims among them are tested here.
func documentedScenarios(t *testing.T) (texts []string) {
	t.Helper()
	for _, page := range documentation(t) {
		for _, block := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(page, -1) {
			if !regexp.MustCompile("(?m)^claims:$").MatchString(block[1]) {
				texts = append(texts, block[1])
			} else if _, err := claim.Decode("documentation", []byte(block[1])); err != nil {
				t.Errorf("%v\n%s", err, block[1])
			}
		}
	}
	if len(texts) < 8 {
		t.Fatalf("the documentation has %d scenarios", len(texts))
	}
	return texts
}

// The scenarios of README and help are valid, and the schema takes them.
func TestReadmeExamplesAreValid(t *testing.T) {
	arms, schema := map[string]int{}, scenariotest.Schema(t)
	for _, text := range documentedScenarios(t) {
		if err := scenariotest.Refused(t, schema, text); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
		s := loadText(t, text)
		arms[s.Name] = len(s.Arms)
	}
	for name, want := range map[string]int{"my-study": 4, "my-grid": 6, "my-zip": 2, "my-list": 2} {
		if arms[name] != want {
			t.Errorf("%s has %d arms, want %d", name, arms[name], want)
		}
	}
}

// The README's verdicts on the papers are those that come with the program, of the
// full size where there are such.
func TestReadmeVerdicts(t *testing.T) {
	verdicts := map[[2]string]claim.Verdict{}
	for _, quick := range []bool{true, false} {
		expected, err := runner.ReadExpected(runner.LibraryVerdicts, quick)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range expected.Scenarios {
			for _, v := range s.Claims {
				verdicts[[2]string{s.Name, v.ID}] = v.Verdict
			}
		}
	}
	rows := regexp.MustCompile("(?m)^\\| ([a-z ]+) \\| .* \\| `([a-z0-9-]+)` `([a-z0-9-]+)` \\|$").FindAllStringSubmatch(documentation(t)["../README.md"], -1)
	for _, row := range rows {
		if want := verdicts[[2]string{row[2], row[3]}]; row[1] != string(want) {
			t.Errorf("README.md says %q of claim %s of %s, expected is %q", row[1], row[3], row[2], want)
		}
	}
	if len(rows) < 20 {
		t.Errorf("README.md has %d verdicts", len(rows))
	}
}
