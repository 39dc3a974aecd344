package study

import (
	"errors"
	"fmt"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/metric"
)

// CheckTune returns the faults of the section tune of a scenario. whole means that its arms are built
// and have no faults; without it the section alone is checked. Paths in errors are of the file.
func CheckTune(s *Scenario, t *Tune, whole bool) (err error) {
	switch {
	case t == nil:
		return nil
	case whole:
		_, err = planTrials(s, t)
	default:
		_, _, err = readTrials(t)
	}
	return err
}

// checkForm refuses sections without one way to make trials.
func checkForm(t *Tune) error {
	ways := 0
	for _, given := range []bool{t.Grid != nil, t.Random != nil, t.Halving != nil} {
		if given {
			ways++
		}
	}
	if ways != 1 {
		return document.At("tune", "give one of grid, random and halving")
	}
	if r := t.Random; r != nil && (r.Trials > 0) == (r.Stopping != nil) {
		return document.At("tune.random", "give one of trials and stopping, which draws their number")
	}
	if r := t.Random; r != nil && r.Stopping != nil && r.Stopping.Kind == poisson && r.Stopping.Eta != 0 {
		return document.At("tune.random.stopping.eta", "eta is of %s", truncatedNegativeBinomial)
	}
	return nil
}

// checkMetric refuses metrics that are no metric of validation rows, or not of all arms.
func checkMetric(s *Scenario, t *Tune) (m metric.Metric, err error) {
	m, known := s.Kinds.AllMetrics().Find(t.Metric)
	switch {
	case !known:
		return m, document.At("tune.metric", "%s", document.Unknown("metric", t.Metric, s.Kinds.AllMetrics().Names()))
	case !strings.HasPrefix(m.Name, gauge.Validation):
		return m, document.At("tune.metric", "%s is no metric of validation rows: values that are chosen by test rows say nothing of fresh data; give %s%s, or another of starling list metrics", m.Name, gauge.Validation, "loss")
	}
	var errs []error
	for _, arm := range s.Arms {
		if reason := gauge.MissingOf(s.Kinds, m.Name, arm.Recording.Answers); reason != "" {
			if kind, ok := arm.Document.Find("problem.kind"); ok {
				reason += fmt.Sprintf(" (problem.kind: %s)", kind.Value())
			}
			errs = append(errs, document.At("tune.metric", "arm %s has no %s: %s", arm.Name, m.Name, reason))
		}
	}
	return m, errors.Join(errs...)
}

// checkSeeds refuses seeds of trials that are seeds of the scenario.
func checkSeeds(s *Scenario, t *Tune) error {
	first, count := t.Seeds.Base, uint64(max(1, t.Seeds.Count))
	if first < s.Seeds.Base+uint64(s.Seeds.Count) && s.Seeds.Base < first+count {
		return document.At("tune.seeds.base", "%s are among the seeds of the scenario, %d to %d: the study would be judged on the seeds that chose its values; give others, such as base: %d",
			seedsText(first, count), s.Seeds.Base, s.Seeds.Base+uint64(s.Seeds.Count)-1, s.Seeds.Base+uint64(s.Seeds.Count))
	}
	return nil
}

func seedsText(first, count uint64) string {
	return fmt.Sprintf("seeds %d to %d of trials", first, first+count-1)
}
