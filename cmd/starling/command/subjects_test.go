package command

import (
	"bytes"
	"strings"
	"testing"

	"starling/scenarios/library"
)

// TestSubjects has a subject for each scenario of the library, and each scenario once.
func TestSubjects(t *testing.T) {
	list, err := listScenarios()
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	writeSubjects(&text, list.entries, 80)
	for _, e := range list.entries {
		if library.SubjectOf(e.Kind) == "" {
			t.Errorf("%s has no subject", e.Kind)
		}
		if n := strings.Count(text.String(), "\n  "+e.Kind+" "); n != 1 {
			t.Errorf("%s stands %d times in the list", e.Kind, n)
		}
	}
}
