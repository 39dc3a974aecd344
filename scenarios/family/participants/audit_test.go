package participants_test

import (
	"slices"
	"strings"
	"testing"

	"starling/mechanisms/rng"
	"starling/scenarios/auditing"
	"starling/scenarios/kind"
	"starling/scenarios/loading"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
)

// Runs of an audit that ask together have the outcomes of runs that are made one after the
// other, to the last bit, in both forms.
func TestAuditTogether(t *testing.T) {
	for _, class := range []string{"One", "All"} {
		s, err := load(t, everything, class, "mechanism={kind: laplace, epsilon: 1}")
		if err != nil {
			t.Fatal(err)
		}
		f, _ := study.DecodeFile(s.Document)
		variants, err := loading.Spread(s.Document, f.Sweep)
		if err != nil {
			t.Fatal(err)
		}
		section, ok := variants[0].Document.Find("algorithm")
		if !ok {
			t.Fatal("no algorithm")
		}
		build, err := kind.Find[auditing.Builder](s.Kinds.Algorithms, section, "the audit")
		if err != nil {
			t.Fatal(err)
		}
		runs, err := build(study.NewBuilder(s.Kinds, s.Seeds, s.Folder.Renewed()), variants[0])
		if err != nil || len(runs) == 0 {
			t.Fatal(err)
		}
		for _, run := range runs {
			subject, err := run.Subject("base", 1)
			if err != nil {
				t.Fatal(err)
			}
			draw := func(together bool) (list []float64) {
				sampler, err := subject.Sampler(1)
				if err != nil {
					t.Fatal(err)
				}
				a, b, key := make([]float64, 40), make([]float64, 40), rng.NewKey(3, auditing.AuditPurpose)
				if together {
					if sampler.Ahead == nil {
						t.Fatal("runs are made one after the other")
					}
					if err := sampler.Ahead(key, 0, len(a)); err != nil {
						t.Fatal(err)
					}
				}
				if err := sampler.Draw.Fill(a, b, key, 0); err != nil {
					t.Fatal(err)
				}
				return append(a, b...)
			}
			want := draw(false)
			if got := draw(true); !slices.Equal(got, want) || slices.Equal(want[:40], want[40:]) {
				t.Errorf("%s: together %v, one after the other %v", class, got, want)
			}
		}
	}
}

// A class that fails in some runs of an audit fails the audit, and says where; those that have
// asked with it do not wait.
func TestAuditFails(t *testing.T) {
	s, err := load(t, strings.Replace(everything, "        h = yield", "        if turn.step == 2 and turn.random.random() < 0.01: raise ValueError('unlucky')\n        h = yield", 1), "One", "mechanism={kind: laplace, epsilon: 1}")
	if err != nil {
		t.Fatal(err)
	}
	_, err = auditing.Audit(s, t.Context(), scenariotest.AuditOptions(auditing.FewestAudited))
	if err == nil || !strings.Contains(err.Error(), "ValueError: unlucky, of node ") || !strings.Contains(err.Error(), "step 2, node ") {
		t.Error(err)
	}
}
