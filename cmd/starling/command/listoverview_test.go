package command

import (
	"bytes"
	"strings"
	"testing"

	"starling/scenarios/kind"
)

// TestOverviewFits prints the overview of the lists: two screens of 32 lines, at most 80 columns, with
// every scenario of the library.
func TestOverviewFits(t *testing.T) {
	p := listProgram{standard().Program}
	var text bytes.Buffer
	if err := p.overview(&text); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
	if len(lines) > 64 {
		t.Errorf("%d lines", len(lines))
	}
	for _, line := range lines {
		if len(line) > 80 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
	list, err := listScenarios()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, g := range groupsOf(list.entries) {
		for _, name := range g.names {
			if !strings.Contains(text.String(), name) {
				t.Errorf("%s%s is not there", g.head, name)
			}
			found++
		}
	}
	if found != len(list.entries) {
		t.Errorf("%d names of %d scenarios", found, len(list.entries))
	}
}

// TestGroupsOf groups names that begin alike, three or more.
func TestGroupsOf(t *testing.T) {
	var entries []kind.Entry
	for _, name := range []string{"a-one", "a-two", "b", "c-x", "c-y", "c-z"} {
		entries = append(entries, kind.Entry{Kind: name})
	}
	got := groupsOf(entries)
	if len(got) != 2 || got[0].head != "c-" || strings.Join(got[0].names, " ") != "x y z" || strings.Join(got[1].names, " ") != "a-one a-two b" {
		t.Errorf("%+v", got)
	}
}
