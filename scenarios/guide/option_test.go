package guide_test

import (
	"strings"
	"testing"

	"starling/scenarios"
	"starling/scenarios/guide"
)

// newGuide is a guide of the catalog.
func newGuide(t *testing.T) *guide.Guide {
	t.Helper()
	catalog := scenarios.Catalog()
	g, err := guide.New(&catalog)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// kinds are those of the catalog.
func kinds(t *testing.T) []guide.Named {
	t.Helper()
	catalog := scenarios.Catalog()
	return guide.KindsOf(&catalog)
}

// TestEveryOptionIsDescribed holds that every key of every kind, and of a file without
// its sections, has a text, a unit where it is a number, a default, and a bound.
func TestEveryOptionIsDescribed(t *testing.T) {
	g := newGuide(t)
	checked := 0
	check := func(section, kind string) {
		options, ok := g.Options(section, kind)
		if !ok {
			t.Errorf("nothing is known of %s %s", section, kind)
		}
		for _, o := range options {
			checked++
			number := strings.Contains(o.Type, "integer") || strings.Contains(o.Type, "number")
			composed := strings.Contains(o.Type, "mapping") || strings.Contains(o.Type, "section")
			for fault, wrong := range map[string]bool{
				"doc text": o.Text == "",
				"tag unit": number && o.Unit == "",
				"default (a value in the section's defaults, required, or a text with \"absent, ...\")":        !o.Required && o.Default == "" && o.Type != "mapping",
				"bound (a tag min, max, over, under or oneof, or in words a tag range:\"a point of the set\")": o.Bound == "" && !composed && o.Type != "true or false",
			} {
				if wrong {
					t.Errorf("%s %s: %s (%s) has no %s", section, kind, o.Key, o.Type, fault)
				}
			}
		}
	}
	for _, k := range kinds(t) {
		check(k.Section, k.Kind.Kind)
	}
	for _, part := range guide.Whole {
		check(part, "")
	}
	if checked < 400 {
		t.Errorf("%d options were checked", checked)
	}
}
