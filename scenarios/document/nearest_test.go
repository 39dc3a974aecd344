package document

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	candidates := []string{"rm", "run", "epsilon", "delta", "kind", "gaussian", "laplace", "eps"}
	for word, want := range map[string]string{
		"rum": "run", "epsilom": "epsilon", "epislon": "epsilon", "Epsilon": "epsilon", "dleta": "delta", "knd": "kind", "kinds": "kind",
		"gausian": "gaussian", "gauss": "gaussian", "lap": "laplace", "xyz": "", "": "", "lapalce": "laplace", "e": "", "epz": "eps",
		strings.Repeat("epsilon", 1000): "",
	} {
		got, ok := Nearest(word, candidates)
		if got != want || ok != (want != "") {
			t.Errorf("nearest(%.20q) = %q, %v, want %q", word, got, ok, want)
		}
	}
	if got, ok := Nearest("eps", []string{"kind", "epsilon", "noise"}); got != "epsilon" || !ok {
		t.Errorf("the beginning of one word: %q, %v", got, ok)
	}
	if got, ok := Nearest("regret", []string{"regret.node", "regret.expected"}); ok {
		t.Errorf("the beginning of two words: %q", got)
	}
	if got, _ := Nearest("kint", []string{"kind", "king"}); got != "kind" {
		t.Errorf("of two equally near, got %q", got)
	}
}

// TestInstead lists a few words, and of many the nearest.
func TestInstead(t *testing.T) {
	few := []string{"a1", "b1", "c1", "d1", "e1", "f1", "g1", "h1"}
	if got := Instead("x", few, "starling list"); got != "a1, b1, c1, d1, e1, f1, g1, h1" {
		t.Error(got)
	}
	if got := Instead("b2", append(few, "i1"), "starling list"); got != "9 others, such as b1, a1, c1; starling list has all" {
		t.Error(got)
	}
}

// TestSuggestPart asks for names by their beginnings and by other parts.
func TestSuggestPart(t *testing.T) {
	known := []string{"ali-ofl", "ofl-long", "ofl-ridge", "drift", "dpdonc-noise", "dpdonc-nodes"}
	for word, want := range map[string]string{
		"ofl":         "; did you mean one of ofl-long, ofl-ridge, ali-ofl?",
		"dpdonc":      "; did you mean one of dpdonc-noise, dpdonc-nodes?",
		"dpdon":       "; did you mean one of dpdonc-noise, dpdonc-nodes?",
		"dpdoncc":     "; did you mean one of dpdonc-noise, dpdonc-nodes?",
		"dpdonc-nods": `; did you mean "dpdonc-nodes"?`,
		"nois":        `; did you mean "dpdonc-noise"?`,
		"o":           "; known: " + strings.Join(known, ", "),
		"nothing":     "; known: " + strings.Join(known, ", "),
	} {
		if got := SuggestPart(word, known, "known:"); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}

// TestEditDistance compares with distances counted by hand.
func TestEditDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"abcd", "badc", 2}, {"ca", "abc", 3}, {"é", "e", 1}} {
		if got := editDistance([]rune(test.a), []rune(test.b)); got != test.want {
			t.Errorf("distance of %q and %q is %d, want %d", test.a, test.b, got, test.want)
		}
	}
}

// TestListsOfNamesWithCommas has semicolons between names, one of which has a comma.
func TestListsOfNamesWithCommas(t *testing.T) {
	for _, test := range []struct {
		words []string
		want  string
	}{{[]string{"a", "b"}, "a, b"}, {[]string{"a,x=1", "b"}, "a,x=1; b"}, {nil, ""}} {
		if got := List(test.words); got != test.want {
			t.Errorf("%q: %q, want %q", test.words, got, test.want)
		}
	}
	if got := First([]string{"a", "b,x", "c", "d"}, 2); got != "a; b,x and 2 more" {
		t.Error(got)
	}
}
