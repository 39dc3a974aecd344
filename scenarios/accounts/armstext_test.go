package accounts

import "testing"

// TestArmsText names arms by the values that all of them share, where there are more than two.
func TestArmsText(t *testing.T) {
	for want, arms := range map[string][]string{
		"a; b":                  {"a", "b"},
		"a and 2 others":        {"a", "b", "c"},
		"3 arms of ε = 2":       {"tree, ε = 2", "blt, ε = 2", "blt, ε = 2, step = 1"},
		"3 arms of sign-flip":   {"sign-flip, mean", "sign-flip, median", "sign-flip, krum"},
		"tree, ε = 2; no noise": {"tree, ε = 2", "no noise"},
	} {
		if got := ArmsText(arms); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
