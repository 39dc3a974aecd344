package views

import (
	"errors"
	"fmt"
	"slices"

	"starling/scenarios/document"
	"starling/scenarios/results/runs"
)

// Retag gives runs tags and takes others off, and returns the number of the runs. No run is changed where a tag cannot be one,
// where a run is unknown, or where nothing is asked for.
func (f *Folder) Retag(ids, add, remove []string) (int, error) {
	if len(ids) == 0 || len(add)+len(remove) == 0 {
		return 0, document.BadInput(errors.New("no run or no tag is named"))
	}
	for _, tag := range add {
		if err := runs.CheckTag(tag); err != nil {
			return 0, document.BadInput(err)
		}
	}
	dirs := make([]string, len(ids))
	for i, id := range ids {
		var err error
		if dirs[i], err = f.place(id); err != nil {
			return 0, err
		}
	}
	for i, dir := range dirs {
		tags, err := runs.Tags(dir)
		if err != nil {
			return i, err
		}
		tags = slices.DeleteFunc(slices.Concat(tags, add), func(tag string) bool { return slices.Contains(remove, tag) })
		if err := runs.SetTags(dir, tags); err != nil {
			return i, fmt.Errorf("%s: %w", ids[i], err)
		}
	}
	return len(ids), nil
}
