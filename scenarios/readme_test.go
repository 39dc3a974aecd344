package scenarios_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"starling/scenarios/claim"
	"starling/scenarios/problem/table"
	"starling/scenarios/results"
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
	t.Parallel()
	arms, schema := map[string]int{}, scenariotest.Schema(t)
	phones := filepath.Join(testLoader(t).Data, "phones") // which a command of the help writes
	if err := os.MkdirAll(phones, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := (table.Example{Clients: 500, Rows: 20, Features: 5, Seed: 1}).WriteClients(func(file string, content func(io.Writer) error) error {
		return results.WriteFile(filepath.Join(phones, file), content)
	}); err != nil {
		t.Fatal(err)
	}
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

// The verdicts on the papers in the topic of claims are those that come with the program, of the
// full size where there are such, and the README counts them by paper.
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
	pages := documentation(t)
	rows := regexp.MustCompile("(?m)^\\| ([a-z ]+) \\| ([^|]+) \\| .* \\| `([a-z0-9-]+)` `([a-z0-9-]+)` \\|$").FindAllStringSubmatch(pages["../cmd/starling/command/help/claims.md"], -1)
	counts := map[[2]string]int{} // by paper and verdict
	for _, row := range rows {
		counts[[2]string{row[2], row[1]}]++
		if want := verdicts[[2]string{row[3], row[4]}]; row[1] != string(want) {
			t.Errorf("claims.md says %q of claim %s of %s, expected is %q", row[1], row[4], row[3], want)
		}
	}
	if len(rows) < 20 || !strings.Contains(pages["../README.md"], fmt.Sprintf("decides %d claims", len(rows))) {
		t.Errorf("claims.md has %d verdicts, and the README another number", len(rows))
	}
	for _, paper := range []string{"DPDO-NC", "OFL", "OFL v1", "FOPE", "ALI-DPFL"} {
		line := "| " + paper + " |"
		for _, verdict := range []string{"holds", "does not hold", "partly", "undecided", "not testable"} {
			line += fmt.Sprintf(" %d |", counts[[2]string{paper, verdict}])
		}
		if !strings.Contains(pages["../README.md"], "\n"+line) {
			t.Errorf("README.md has no row %s", line)
		}
	}
}
