package views

import (
	"fmt"
	"slices"
	"strings"

	"starling/scenarios/results/runs"
)

// mostNameKeys is the largest number of keys in the name of a run.
const mostNameKeys = 3

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
	runs.Differ(list, settings)
	keys := runs.Telling(list)
	several := slices.ContainsFunc(list, func(r runs.Run) bool { return r.Scenario != list[0].Scenario })
	texts, times := make([]string, len(ids)), map[string]int{}
	for i := range list {
		var parts []string
		if several {
			parts = append(parts, list[i].Scenario)
		}
		for _, key := range keys[:min(len(keys), mostNameKeys)] {
			if value, ok := list[i].Differs[key]; ok {
				parts = append(parts, fmt.Sprintf("%s = %s", key, value))
			}
		}
		texts[i] = strings.Join(parts, ", ")
		times[texts[i]]++
	}
	names := map[string]string{}
	for i, id := range ids {
		if times[texts[i]] > 1 || texts[i] == "" {
			texts[i] = strings.TrimSpace(texts[i] + " " + hashAmong(list, i))
		}
		names[id] = texts[i]
	}
	return names, nil
}

// hashAmong is the beginning of the hash of a run, or the whole where another run has the same beginning.
func hashAmong(list []runs.Run, i int) string {
	short := func(r *runs.Run) string { return r.Hash[:min(len(r.Hash), 8)] }
	for k := range list {
		if list[k].Hash != list[i].Hash && short(&list[k]) == short(&list[i]) {
			return list[i].Hash
		}
	}
	return short(&list[i])
}
