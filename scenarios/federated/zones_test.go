package federated_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/section/problems"
)

// nights lets the clients of two time zones come in turn, each in its night alone.
const nights = "clock.availability={law: periodic, mean: 0.2, swing: 0.5, zones: [{share: 0.5}, {share: 0.5, hours: 12}]}"

// inNights is a run of clients that check in by night, for less than a day.
var inNights = []string{nights, "nodes=2000", "horizon=4", "clock.compute.median=1000", "clock.check_in={goal: 20, over: 1, deadline: 3600, least: 1}", "algorithm.panel=200", "mechanism={kind: none}"}

// TestValuesByZone: values of the panel are the means of those of its zones. A zone of all clients has the values of
// the panel and their errors.
func TestValuesByZone(t *testing.T) {
	values := func(metric string, more ...string) []float64 {
		return scenariotest.ValuesOf(scenariotest.MeasuredIn(t, checkInText, append(inNights, more...)...).Rows, metric)
	}
	const one = "clock.availability.zones=[{share: 1}]"
	for name, whole := range map[string]string{"accuracy": "accuracy.test", "loss": "loss.train"} {
		all, same := values(whole), values(whole, one)
		few, gap, alone, fault := values(name+".zone.fewest"), values(name+".zone.gap"), values(name+".zone.fewest", one), values(name+".zone.fewest.error", one)
		wanted, none := values(whole+".error", one), values(name+".zone.gap", one)
		members := 0 // of the zone with the fewest, the second: it is day there
		there := scenariotest.LoadText(t, checkInText, inNights...).Arms[0].File.Clock.Availability.Draw(1, nil)
		for _, node := range problems.Panel(1, 2000, 200) {
			members += there.Zone(node + 1)
		}
		sign := map[string]float64{"accuracy": 1, "loss": -1}[name]
		for k := range all {
			many := few[k] + sign*gap[k]
			share := float64(members) / 200
			if mean := share*few[k] + (1-share)*many; math.Abs(mean-all[k]) > 1e-12 {
				t.Errorf("%s: zones have %v and %v, a mean of %v, and all %v", name, few[k], many, mean, all[k])
			}
			if math.Abs(alone[k]-same[k]) > 1e-12 || math.Abs(fault[k]-wanted[k]) > 1e-12 || none[k] != 0 {
				t.Errorf("%s: one zone has %v (error %v), a gap of %v, and all have %v (error %v)", name, alone[k], fault[k], none[k], same[k], wanted[k])
			}
		}
	}
}

// TestZonalDataMakeAGap: a model of the clients of one zone is worse for the other one where data differ by zone, and
// is not where they do not, by five standard errors. It has one digest on any runtime, and goes on after a pause.
func TestZonalDataMakeAGap(t *testing.T) {
	last := func(metric, shared, zonal string) float64 {
		more := append(inNights, "problem.shared="+shared, "problem.zonal="+zonal, "algorithm.learning_rate=2", "algorithm.clip=none", "algorithm.panel=1000")
		return scenariotest.Last(scenariotest.ValuesOf(scenariotest.MeasuredIn(t, checkInText, more...).Rows, metric))
	}
	if gap, deviation := last("accuracy.zone.gap", "0", "1"), last("accuracy.zone.gap.error", "0", "1"); gap < 5*deviation || deviation <= 0 {
		t.Errorf("data of zones: a gap of %v, standard error %v", gap, deviation)
	}
	if gap, deviation := last("accuracy.zone.gap", "1", "0"), last("accuracy.zone.gap.error", "1", "0"); math.Abs(gap) > 5*deviation {
		t.Errorf("alike data: a gap of %v, standard error %v", gap, deviation)
	}
	s := scenariotest.LoadText(t, checkInText, append(inNights, "problem.zonal=0.5")...)
	scenariotest.OneDigest(t, s)
	scenariotest.Resumes(t, s, 2, 0)
}

// TestZonesRefuse: data of zones need zones, and a panel that misses a zone is warned of.
func TestZonesRefuse(t *testing.T) {
	scenariotest.Refuses(t, checkInText, map[string]string{
		"problem.zonal=0.5": "problem.zonal: no clients have time zones",
		"problem.zonal=2":   "problem.zonal: zonal 2",
		nights + "|problem.zonal=0.5|problem.shared=0.6": "problem.zonal: zonal 0.5 and shared 0.6 are more than 1 together",
	})
	m := scenariotest.RunIn(t, scenariotest.LoadText(t, checkInText, append(inNights, "algorithm.panel=2")...), runner.RunOptions{Engine: runner.Lockstep}).Manifest
	warned := slices.ContainsFunc(m.Warnings, func(w results.Warning) bool { return w.Code == "zones" })
	if text := scenariotest.NoteOf(m.Notes, "zones"); !strings.Contains(text, "in zone 1") || !warned {
		t.Errorf("note %q, warnings %v", text, m.Warnings)
	}
}

// TestZonalArmsAreAudited: an audit has no clock and no zones.
func TestZonalArmsAreAudited(t *testing.T) {
	rows := scenariotest.AuditIn(t, scenariotest.LoadText(t, checkInText, nights, "problem.zonal=0.5"), scenariotest.AuditOptions(256))
	if len(rows) != 1 || rows[0].Refuted() {
		t.Errorf("audits %+v", rows)
	}
}
