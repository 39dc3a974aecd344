package command

import "testing"

// TestSpeaks: words are found by their beginning, and by a stem that they begin with.
func TestSpeaks(t *testing.T) {
	for _, test := range []struct {
		text, word string
		want       bool
	}{
		{"Tiers: hierarchical federation", "hierarchical", true},
		{"Tiers: hierarchical federation", "Hierarch", true},
		{"a period, phases", "periodic", true},
		{"personal models", "personalised", true},
		{"a tier of servers", "tiered", false}, // a stem of four letters stands for too much
		{"run", "runs", false},
		{"federation", "ration", false},
	} {
		if got := speaks(test.text, test.word); got != test.want {
			t.Errorf("%q speaks of %q: %v, want %v", test.text, test.word, got, test.want)
		}
	}
}
