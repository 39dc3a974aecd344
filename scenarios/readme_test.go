package scenarios

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/scenarios/document"
)

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The README's table of kinds is the catalog's.
func TestReadmeListsTheCatalog(t *testing.T) {
	var want []string
	for _, part := range []struct {
		name    string
		entries []Entry
	}{
		{"algorithm", Algorithms()}, {"mechanism", Mechanisms()}, {"topology", Topologies()}, {"network", Networks()}, {"problem", Problems()},
	} {
		for _, e := range part.entries {
			want = append(want, fmt.Sprintf("| %s | `%s` | %s |", part.name, e.Kind, e.Summary))
		}
	}
	var got []string
	for _, line := range strings.Split(readme(t), "\n") {
		if strings.Count(line, "|") == 4 && slices.ContainsFunc([]string{"algorithm", "mechanism", "topology", "network", "problem"}, func(part string) bool {
			return strings.HasPrefix(line, "| "+part+" |")
		}) {
			got = append(got, line)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("README.md (-want +got)\n%s", diff)
	}
}

// The README's examples are scenarios.
func TestReadmeExamplesAreValid(t *testing.T) {
	arms := map[string]int{}
	for _, example := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(readme(t), -1) {
		doc, err := document.Parse("README.md", []byte(example[1]))
		if err != nil {
			t.Fatal(err)
		}
		s, err := testLoader(t).check(doc)
		if err != nil {
			t.Errorf("%v\n%s", err, example[1])
			continue
		}
		arms[s.Name] = len(s.Arms)
	}
	if len(arms) < 4 || arms["my-study"] != 4 {
		t.Errorf("arms %v, want at least 4 examples and 4 arms of the first", arms)
	}
}
