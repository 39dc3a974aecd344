package kind_test

import (
	"fmt"
	"strings"
	"testing"

	"starling/scenarios/document"
	"starling/scenarios/kind"
)

// A catalog with more kinds has both, in order, and the one that it was made from
// stays as it was.
func TestWith(t *testing.T) {
	made := func(name string) kind.Kind { return kind.New(name, "for a test", struct{}{}, 1) }
	base := kind.Catalog{Problems: append(make([]kind.Kind, 0, 8), made("first")), Topologies: []kind.Kind{made("ring")}}
	one, err := base.With(kind.Catalog{Problems: []kind.Kind{made("second")}})
	if err != nil {
		t.Fatal(err)
	}
	other, err := base.With(kind.Catalog{Problems: []kind.Kind{made("third")}, Topologies: []kind.Kind{made("first")}})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		kinds []kind.Kind
		want  string
	}{{base.Problems, "first"}, {one.Problems, "first second"}, {other.Problems, "first third"}, {other.Topologies, "ring first"}} {
		var names []string
		for _, e := range kind.Entries(test.kinds) {
			names = append(names, e.Kind)
		}
		if got := strings.Join(names, " "); got != test.want {
			t.Errorf("kinds %s, want %s", got, test.want)
		}
	}
}

// Names that are taken, absent, or given twice are refused, all at once.
func TestWithRefuses(t *testing.T) {
	base := kind.Catalog{Algorithms: []kind.Kind{kind.New("ours", "", struct{}{}, 1)}}
	_, err := base.With(kind.Catalog{
		Algorithms: []kind.Kind{kind.New("ours", "", struct{}{}, 1)},
		Problems:   []kind.Kind{kind.New("twice", "", struct{}{}, 1), kind.New("twice", "", struct{}{}, 1), kind.New("", "", struct{}{}, 1)},
		Topologies: []kind.Kind{kind.New("idle", "", struct{}{}, nil)},
	})
	want := `section algorithm has a kind "ours" already
section problem has a kind "twice" already
a kind of section problem has no name
kind "idle" of section topology lacks its section's struct, or its piece`
	if err == nil || err.Error() != want {
		t.Errorf("%v, want\n%s", err, want)
	}
}

// A want that was never made accepts no kind, alone and beside another.
func TestZeroWant(t *testing.T) {
	k := kind.Of("ring", "for a test", struct{}{})
	var none kind.Want
	section, err := document.Parse("s.yaml", []byte("kind: ring\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := kind.Check([]kind.Kind{k}, section.Root(), none, "a test"); none.Fits(k) || err == nil {
		t.Errorf("accepted: %v", err)
	}
	if either := none.Or(kind.Takes[*struct{}]("")); !either.Fits(k) {
		t.Error("nothing or a piece of the type accepts no such piece")
	}
}

// sized is a section that need not name its kind.
type sized struct {
	Kind string `yaml:"kind"`
	Size int    `yaml:"size" min:"1"`
}

func (s *sized) Room() int { return s.Size }

// A section without a kind is of the one that stands for it, with the defaults of the catalog,
// which no section changes. A section of no mapping, and a kind of no name, are faults.
func TestAsOr(t *testing.T) {
	kinds := []kind.Kind{kind.Of("small", "", sized{Size: 1}), kind.Of("large", "", sized{Size: 9}), kind.Of("none", "", struct{}{})}
	for text, want := range map[string]string{
		"{}": "small 1", "{size: 4}": "small 4", "{kind: large}": "large 9", "{kind: large, size: 3}": "large 3",
		"null": "expected a mapping, got null", "[]": "expected a mapping, got a sequence", "{kind: null}": "expected a string, got null",
		"{kind: lrage}": `unknown kind "lrage"; did you mean "large"?`, "{kind: none}": `"none" does not go with boxes, which takes small, large`,
		"{size: 0}": "want at least 1", "{sise: 1}": `unknown key "sise" in at; did you mean "size"?`,
	} {
		doc, err := document.Parse("s.yaml", []byte("at: "+text))
		if err != nil {
			t.Fatal(err)
		}
		section, _ := doc.Find("at")
		name, box, err := kind.AsOr[interface{ Room() int }](kinds, section, "small", "boxes")
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(name, " ", box.Room())
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
