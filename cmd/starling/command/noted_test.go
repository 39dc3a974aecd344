package command

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestNotesAreCounted holds the numbers of notes, warnings and rows of the ledger that a run prints
// against the lines that the verb notes prints of them.
func TestNotesAreCounted(t *testing.T) {
	out := t.TempDir()
	var run, notes bytes.Buffer
	for _, verb := range []struct {
		args []string
		to   *bytes.Buffer
	}{
		{[]string{"run", "privacy-observers", "--seeds", "1", "--set", "plots=[]", "--progress", "none", "--out", out}, &run},
		{[]string{"notes", "privacy-observers", "--results", out}, &notes},
	} {
		if code := standard().execute(t.Context(), verb.args, verb.to, verb.to); code != exitDone {
			t.Fatalf("exit %d: %s", code, verb.to)
		}
	}
	want := counted(notes.String())
	if !strings.Contains(run.String(), "\nnotes   "+want+": starling notes ") {
		t.Errorf("notes prints %s of\n%s\n%s", want, notes.String(), run.String())
	}
}

// counted counts the lines of the tables, and of the remarks that a run does not print, in the output of the verb
// notes.
func counted(text string) string {
	rows, warnings, ledger := 0, 0, 0
	for part := range strings.SplitSeq(text, "\n\n") {
		lines := strings.Split(strings.TrimSpace(part), "\n")
		heads := strings.Fields(lines[0])
		switch {
		case strings.HasPrefix(part, "arm ") && strings.Contains(lines[0], " observer "):
			ledger += len(lines) - 1
		case strings.HasPrefix(part, "in all arms"), heads[0] == "arm" && !strings.Contains(lines[0], "epsilon of the run"):
			rows += len(lines) - 1
		}
		for _, line := range lines {
			switch {
			case strings.HasPrefix(line, "note: "):
				rows++
			case strings.HasPrefix(line, "warning: "):
				warnings++
			}
		}
	}
	text = fmt.Sprintf("%d notes", rows)
	if warnings > mostWarnings { // a run prints the first
		text += fmt.Sprintf(", %d other warnings", warnings-mostWarnings)
	}
	return fmt.Sprintf("%s, %d rows of the ledger", text, ledger)
}
