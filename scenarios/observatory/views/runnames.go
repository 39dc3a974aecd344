package views

import (
	"fmt"

	"starling/scenarios/results/runs"
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
	for i, text := range runs.NamesOf(list, settings, func(key, value string) string { return fmt.Sprintf("%s = %s", key, value) }) {
		names[ids[i]] = text
	}
	return names, nil
}
