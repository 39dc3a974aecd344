package views

import (
	"strings"

	"starling/scenarios/results"
	"starling/scenarios/results/runs"
	"starling/scenarios/view/plot"
)

// Names returns names of several runs for readers, by ID: the values of the keys in which the runs differ, after the
// scenario where runs are of several. Runs of one name have the beginning of their hash in it as well.
func (f *Folder) Names(ids []string) (map[string]string, error) {
	list, settings := make([]runs.Run, len(ids)), make([]runs.Settings, len(ids))
	for i, id := range ids {
		e, err := f.entry(id)
		if err != nil {
			return nil, err
		}
		list[i] = e.Run
		settings[i] = f.settingsOf(id, &list[i])
	}
	names := map[string]string{}
	for i, text := range runs.NamesOf(list, settings, wordOf) {
		names[ids[i]] = text
	}
	return names, nil
}

// wordOf writes a key with its value in the name of a run: ε = 2, and topology = ring for topology.kind. The values of
// a sweep belong to the arms, and have no place in it.
func wordOf(key, value string) string {
	section, kind := strings.CutSuffix(key, ".kind")
	switch {
	case strings.Contains(value, ", "):
		return ""
	case kind:
		return section[strings.LastIndex(section, ".")+1:] + " = " + value
	case strings.HasPrefix(key, "seeds."):
		return key + " = " + value
	}
	return plot.ValueLabels([]results.Value{{Path: key, Value: value}})
}
