package view

import (
	"math"
	"testing"
)

// Privacy is the same in any order of the observers, and where printed digits agree; a loss to
// one observer more is another privacy.
func TestPrivacyKey(t *testing.T) {
	a := []statement{{"wire", "u", "u", 8, 1e-5}, {"server", "u", "u", 8 + 1e-12, 1e-5}, {"peer", "u", "u", math.Inf(1), 0}}
	b := []statement{a[2], a[1], a[0]}
	if privacyKey(a) != privacyKey(b) || privacyKey(a) == privacyKey(a[:2]) {
		t.Errorf("%q, %q, %q", privacyKey(a), privacyKey(b), privacyKey(a[:2]))
	}
	if got, want := privacyText(a), "epsilon 8 at delta 1e-05 for u, against wire, server; epsilon inf for u, against peer"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if privacyKey(a[2:]) != noPrivacy || privacyKey(nil) != nothingStated {
		t.Errorf("%q, %q", privacyKey(a[2:]), privacyKey(nil))
	}
}
