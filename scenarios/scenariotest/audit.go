package scenariotest

import (
	"testing"

	"starling/mechanisms/rng"
	"starling/scenarios"
	"starling/scenarios/auditing"
	"starling/scenarios/kind"
	"starling/scenarios/loading"
	"starling/scenarios/study"
)

// AuditOptions returns options of an audit at a confidence at which no test fails by chance.
func AuditOptions(samples int) auditing.Options {
	return auditing.Options{Samples: samples, Confidence: 0.999, Noise: 1}
}

// AuditIn audits a scenario. It runs every audited arm and may take seconds, depending on
// samples.
func AuditIn(t testing.TB, s *study.Scenario, o auditing.Options) []auditing.Audited {
	t.Helper()
	found, err := auditing.Audit(s, t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Refuted reports whether an audit refutes the ledger of a scenario, which may have further
// kinds. A fault often shows in few outcomes: if it does, no more are drawn.
func Refuted(t testing.TB, text string, o auditing.Options, more kind.Catalog) bool {
	t.Helper()
	catalog, err := scenarios.Catalog().With(more)
	if err != nil {
		t.Fatal(err)
	}
	loader := Loader(t)
	loader.Kinds = &catalog
	s, err := loader.Load(File(t, text))
	if err != nil {
		t.Fatal(err)
	}
	for _, samples := range []int{auditing.FewestAudited, o.Samples} {
		o.Samples = samples
		if refutedIn(t, s, o) {
			return true
		}
	}
	return false
}

// refutedIn reports whether one audit refutes.
func refutedIn(t testing.TB, s *study.Scenario, o auditing.Options) (found bool) {
	t.Helper()
	list := AuditIn(t, s, o)
	if len(list) == 0 {
		t.Fatal("nothing was audited")
	}
	for _, a := range list {
		t.Logf("%d outcomes of %s, %s: accounted %.4g, audited %.4g, noise as stated: %v", o.Samples, a.Mechanism, a.Inputs, a.Accounted, a.Audited, a.NoiseAsStated())
		found = found || a.Refuted()
	}
	return found
}

// AuditRuns returns the audits of the first arm of a scenario, ready to draw.
func AuditRuns(t testing.TB, s *study.Scenario) (subjects []*auditing.Subject) {
	t.Helper()
	f, _ := study.DecodeFile(s.Document)
	variants, err := loading.Spread(s.Document, f.Sweep)
	if err != nil {
		t.Fatal(err)
	}
	section, ok := variants[0].Document.Find("algorithm")
	if !ok {
		t.Fatal("no algorithm")
	}
	audited, err := kind.PieceOf[auditing.Auditable](s.Kinds.Algorithms, section, "the audit")
	if err != nil {
		t.Fatal(err)
	}
	runs, err := audited.Audit(study.NewBuilder(s.Kinds, s.Seeds, s.Folder.Renewed()), variants[0])
	if err != nil || len(runs) == 0 {
		t.Fatal(len(runs), err)
	}
	for _, run := range runs {
		subject, err := run.Subject("base", 1)
		if err != nil {
			t.Fatal(err)
		}
		subjects = append(subjects, subject)
	}
	return subjects
}

// Outcomes returns the first count outcomes of an audit under each input, of runs that are
// made together or one after the other.
func Outcomes(t testing.TB, s *auditing.Subject, count int, together bool) (a, b []float64) {
	t.Helper()
	sampler, err := s.Sampler(1)
	if err != nil {
		t.Fatal(err)
	}
	a, b = make([]float64, count), make([]float64, count)
	key := rng.NewKey(3, auditing.AuditPurpose)
	if together {
		if sampler.Ahead == nil {
			t.Fatal("runs are made one after the other")
		}
		if err := sampler.Ahead(key, 0, count); err != nil {
			t.Fatal(err)
		}
	}
	if err := sampler.Draw.Fill(a, b, key, 0); err != nil {
		t.Fatal(err)
	}
	return a, b
}
