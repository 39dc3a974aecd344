package study_test

import (
	"errors"
	"testing"

	"starling/scenarios/document"
	"starling/scenarios/study"
)

// Faults that functions return, one in the other, have their places in the file, in the order of
// finding; a value that is shared is made again after a fault.
func TestFaultsKeepOrderAndPlaces(t *testing.T) {
	doc, err := document.Parse("a.yaml", []byte("nodes: 3\nhorizon: 5\nproblem: {kind: x}\n"))
	if err != nil {
		t.Fatal(err)
	}
	var inner, outer study.Faults
	if inner.Err() != nil || !inner.Note(nil) || len(inner) != 0 {
		t.Errorf("no faults: %v", inner)
	}
	inner.At("horizon", "second")
	node, _ := doc.Find("problem")
	inner.Note(node.Resolve(document.At("kind", "third")))
	outer.At("nodes", "first")
	if outer.Note(inner.Err()) || outer.Note(study.OptionFaults(errors.Join(document.At("clients", "fourth"), nil))) {
		t.Error("a fault counts as none")
	}
	want := []string{"a.yaml:1:8: nodes: first", "a.yaml:2:10: horizon: second", "a.yaml:3:17: problem.kind: third", "a.yaml:1:8: nodes: fourth"}
	got := doc.Resolve("", outer.Err())
	if len(got) != len(want) {
		t.Fatalf("%d issues: %v", len(got), got)
	}
	for i, issue := range got {
		if issue.String() != want[i] {
			t.Errorf("issue %d is %q, want %q", i, issue, want[i])
		}
	}
}

// A value with a fault is returned with it, and not kept.
func TestTrySharedKeepsNoFaults(t *testing.T) {
	b := study.NewBuilder(nil, study.Seeds{}, nil)
	made := 0
	get := func(err error) (int, error) {
		return study.TryShared(b, "key", func() (int, error) { made++; return made, err })
	}
	fault := errors.New("fault")
	if v, err := get(fault); v != 1 || err != fault {
		t.Errorf("first: %d, %v", v, err)
	}
	for range 2 {
		if v, err := get(nil); v != 2 || err != nil {
			t.Errorf("then: %d, %v", v, err)
		}
	}
}
