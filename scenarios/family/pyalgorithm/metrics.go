package pyalgorithm

import (
	"fmt"
	"maps"
	"slices"

	"starling/scenarios/document"
	"starling/scenarios/metric"
)

// mostMetrics is the largest number of metrics that a class may declare.
const mostMetrics = 50

// metrics returns the metrics that the class declares, by name:
//
//	metrics = {"lag": {"text": "steps since a message came", "unit": "steps", "better": "lower"}}
func (c *class) metrics() (list metric.List, err error) {
	declared, given := c.Attributes["metrics"]
	if !given {
		return nil, nil
	}
	wrong := func(format string, args ...any) error {
		return document.At("name", "the class %s: metrics: %s", c.name, fmt.Sprintf(format, args...))
	}
	entries, ok := declared.(map[string]any)
	if !ok || len(entries) > mostMetrics {
		return nil, wrong("want at most %d metrics by name", mostMetrics)
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		if !metric.IsName(name) {
			return nil, wrong("%q is no name: lower case letters, digits, _ and dots", name)
		}
		texts, err := textsOf(entries[name])
		if err != nil {
			return nil, wrong("%s: %v", name, err)
		}
		m := metric.Metric{
			Name: metric.Own + name, Summary: texts["text"], Label: texts["label"], Unit: texts["unit"],
			Better: metric.Direction(texts["better"]), Level: metric.OfRun,
		}
		if m.Label == "" {
			m.Label = name
		}
		m.Chart = metric.Chart{Name: "own-" + name, Title: m.Summary}
		list = append(list, m)
	}
	return list, nil
}

// textsOf returns the texts of a metric.
func textsOf(entry any) (map[string]string, error) {
	said, ok := entry.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("want a dictionary with text, and unit, label and better where there are such")
	}
	known, texts := []string{"better", "label", "text", "unit"}, map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(said)) {
		if texts[key], ok = said[key].(string); !ok || !slices.Contains(known, key) {
			return nil, fmt.Errorf("%s is %v: want the texts %q", key, said[key], known)
		}
	}
	switch better := metric.Direction(texts["better"]); {
	case texts["text"] == "":
		return nil, fmt.Errorf("lacks a text, which describes it")
	case better != "" && better != metric.LowerIsBetter && better != metric.HigherIsBetter:
		return nil, fmt.Errorf("better is %q: want lower or higher", better)
	}
	return texts, nil
}
