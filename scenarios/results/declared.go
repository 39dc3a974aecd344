package results

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"starling/scenarios/metric"
)

// DeclaredMetrics returns a new list: the known metrics, then the other metrics that the runs have
// recorded, by name. Where runs differ in the better side of a metric, it has none.
func DeclaredMetrics(known metric.List, runs ...*Run) (metric.List, error) {
	var own metric.List
	for _, run := range runs {
		said, err := said(run)
		if err != nil {
			return nil, err
		}
		for _, name := range slices.Sorted(maps.Keys(said)) {
			m := said[name]
			if i := slices.IndexFunc(own, func(other metric.Metric) bool { return other.Name == name }); i < 0 {
				own = append(own, m)
			} else if own[i].Better != m.Better {
				own[i].Better = ""
			}
		}
	}
	return metric.Join(known, own), nil
}

// said returns the descriptions that a run has of the metrics that it has recorded, by name.
func said(run *Run) (map[string]metric.Metric, error) {
	path := filepath.Join(run.Dir, SummaryFile)
	text, err := lookupNote(path, metricsNote)
	if err != nil || text == "" { // of a program from before there were such notes
		return nil, err
	}
	var list map[string]metric.Metric
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return nil, fmt.Errorf("%s: metadata of metrics: %w", path, err)
	}
	for name, m := range list {
		if m.Name != name {
			return nil, fmt.Errorf("%s: metadata of metrics: %q is described as %q", path, name, m.Name)
		}
	}
	return list, nil
}
