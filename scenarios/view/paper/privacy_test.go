package paper

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/scenarios/results"
	"starling/scenarios/view"
)

// Arms that share a condition but for one epsilon have one sentence.
func TestPrivacyTexts(t *testing.T) {
	at := func(epsilon, observers string, arms ...string) view.Condition {
		text := "epsilon " + epsilon + " for u, against " + observers
		return view.Condition{Privacy: text, Key: text, Epsilon: epsilon, Pattern: strings.Replace(text, epsilon, view.EpsilonMark, 1), Arms: arms}
	}
	none := func(arms ...string) view.Condition {
		return view.Condition{Privacy: "no bound", Key: "no bound", Pattern: "no bound", Arms: arms}
	}
	for name, test := range map[string]struct {
		conditions []view.Condition
		want       []string
	}{
		"one": {[]view.Condition{at("8", "peer", "a", "b")}, []string{"Privacy of the run: epsilon 8 for u, against peer."}},
		"grid beside a list": {
			[]view.Condition{
				at("8", "peer", "a,epsilon=8", "b,epsilon=8"), at("30", "peer", "a,epsilon=30", "b,epsilon=30"),
				none("a,epsilon=none", "b,epsilon=none", "c,epsilon=none"), at("8", "wire", "c,epsilon=8"), at("30", "wire", "c,epsilon=30"),
			},
			[]string{
				"Privacy of the run of a; b: epsilon 8, 30 for u, against peer.",
				"Privacy of the run of all arms with epsilon=none: no bound.",
				"Privacy of the run of c: epsilon 8, 30 for u, against wire.",
			},
		},
		"grid alone": {
			[]view.Condition{at("8", "peer", "epsilon=8"), at("30", "peer", "epsilon=30"), none("epsilon=none")},
			[]string{"Privacy of the run: epsilon 8, 30 for u, against peer.", "Privacy of the run with epsilon=none: no bound."},
		},
		"other values": {
			[]view.Condition{at("3", "peer", "a,sigma=1"), at("2", "peer", "a,sigma=2"), at("5", "wire", "b,sigma=1")},
			[]string{"Privacy of the run of a: epsilon 3 (sigma=1), 2 (sigma=2) for u, against peer.", "Privacy of the run of b with sigma=1: epsilon 5 for u, against wire."},
		},
		"several values in one": {
			[]view.Condition{at("3", "peer", "a,rate=1", "a,rate=2"), none("b,rate=1")},
			[]string{"Privacy of the run of a,rate=1; a,rate=2: epsilon 3 for u, against peer.", "Privacy of the run of b with rate=1: no bound."},
		},
		"a value of their own": {
			[]view.Condition{at("3", "peer", "kind=a,epsilon=1", "kind=b,epsilon=1"), at("5", "peer", "kind=a,epsilon=2", "kind=b,epsilon=2")},
			[]string{"Privacy of the run of the 2 arms with epsilon=1: epsilon 3 for u, against peer.", "Privacy of the run of the 2 arms with epsilon=2: epsilon 5 for u, against peer."},
		},
	} {
		b := &builder{Options: &Options{}}
		for _, c := range test.conditions {
			for _, arm := range c.Arms {
				b.shown.Arms = append(b.shown.Arms, results.ArmEntry{Name: arm})
			}
		}
		if diff := cmp.Diff(test.want, b.privacyTexts(test.conditions)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
