package comparison

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"starling/scenarios/metric"
	"starling/scenarios/results"
)

// TestReach: values are of the first steps of each seed with a loss that is good enough, and of the first
// with a score that is. An arm with a seed that never has one is left out.
func TestReach(t *testing.T) {
	losses := map[string][][]float64{ // by seed, at steps 1 to 4
		"a": {{9, 5, 4, 1}, {9, 9, 9, 5}, {4, 9, 9, 9}},
		"b": {{9, 5, 9, 9}, {9, 4, 9, 9}, {9, 5, 9, 9}},
		"c": {{9, 5, 9, 9}, {9, 6, 9, 9}, {5, 9, 9, 9}},
	}
	run := writeSamples(t, results.Plan{Arms: []string{"a", "b", "c", "bare"}, Seeds: results.Seeds{Base: 1, Count: 3}}, func(job *results.Job) {
		for i := range int64(4) {
			job.Add(i+1, "seconds", float64(10*(i+1))+float64(job.Seed()))
			if of := losses[job.Arm()]; of != nil {
				job.Add(i+1, "loss", of[job.Seed()-1][i])
				job.Add(i+1, "score", -of[job.Seed()-1][i])
			}
		}
	})
	var arms []Arm
	for _, name := range []string{"a", "b", "c", "bare"} {
		arms = append(arms, Arm{Run: run, Name: name})
	}
	seconds := metric.List{{Name: "seconds", Better: metric.LowerIsBetter, Level: metric.OfRun}}
	for of, value := range map[metric.Metric]float64{{Name: "loss", Better: metric.LowerIsBetter}: 5, {Name: "score", Better: metric.HigherIsBetter}: -5} {
		j, err := Reach(of, value)
		must(t, err)
		c, err := CompareAgainst(arms, seconds, j, nil)
		must(t, err)
		rows := c.Metrics[0].Rows
		if len(rows) != 2 || fmt.Sprint(rows[0].Values, rows[1].Values) != "[21 42 13] [21 22 23]" || rows[0].Step != 4 || rows[1].Step != 2 || math.Abs(rows[1].Difference+10.0/3) > 1e-12 {
			t.Errorf("%s: %+v", of.Name, rows)
		}
		for _, want := range []string{fmt.Sprintf("arm c is left out: under 1 of 3 seeds its %s is never %v or better", of.Name, value), "arm bare is left out: it has not recorded " + of.Name} {
			if !slices.Contains(c.Notes, want) {
				t.Errorf("notes %q, want %q", c.Notes, want)
			}
		}
		if _, err := CompareAgainst(arms[2:], seconds, j, nil); err == nil || !strings.Contains(err.Error(), "arm c is left out") {
			t.Errorf("a baseline that does not reach the value: %v", err)
		}
	}
	if _, err := Reach(metric.Metric{Name: "clients"}, 5); err == nil || !strings.Contains(err.Error(), "clients has no better side") {
		t.Errorf("a metric without a better side: %v", err)
	}
}
