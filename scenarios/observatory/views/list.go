package views

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/results"
	"starling/scenarios/results/runs"
	"starling/scenarios/runner"
	"starling/scenarios/view"
	"starling/scenarios/view/plot"
)

// Entry is a run in the list.
type Entry struct {
	ID string `json:"id"`
	runs.Run
	// Common are the values of keys in which runs of other scenarios differ, and runs of this one do not: a
	// table with a column for such a key shows them.
	Common map[string]string `json:"common,omitempty"`
}

// sealed is a value that was read from files of a run. A file that changes has another seal.
type sealed[T any] struct {
	seal  string
	value T
}

// Runs lists the runs of the folder, and the differences of runs of one scenario. Runs outside of it
// that a link leads to are left out.
func (f *Folder) Runs() ([]Entry, error) {
	list, err := runs.List(f.dir)
	if err != nil {
		return nil, err
	}
	entries, inside, settings := make([]Entry, 0, len(list)), list[:0], []runs.Settings{}
	for i := range list {
		if id, ok := f.idOf(list[i].Dir); ok {
			entries = append(entries, Entry{ID: id})
			inside = append(inside, list[i])
			settings = append(settings, f.settingsOf(id, &list[i]))
		}
	}
	runs.Differ(inside, settings)
	shared := common(inside, settings)
	for i := range entries {
		entries[i].Run, entries[i].Common = inside[i], shared[i]
	}
	return entries, nil
}

// common returns the values that a run sets of the keys in which runs of other scenarios differ, by run.
func common(list []runs.Run, settings []runs.Settings) []map[string]string {
	keys := map[string]bool{}
	for i := range list {
		for key := range list[i].Differs {
			keys[key] = true
		}
	}
	values := make([]map[string]string, len(list))
	for i := range list {
		values[i] = map[string]string{}
		for key := range keys { // each is on its own
			_, own := list[i].Differs[key]
			if value, ok := settings[i].Values[key]; ok && !own {
				values[i][key] = value
			}
		}
	}
	return values
}

// Listed returns runs as a list shows them: arms have their names, and no values, which are most of the
// text of a study of many arms. The given list stays as it is.
func Listed(list []Entry) []Entry {
	short := slices.Clone(list)
	for i := range short {
		arms := slices.Clone(short[i].Arms)
		for k := range arms {
			arms[k].Values = nil
		}
		short[i].Arms = arms
	}
	return short
}

// settingsOf returns the settings of a run, read anew where its scenario or its arms have changed.
func (f *Folder) settingsOf(id string, r *runs.Run) runs.Settings {
	seal := ""
	if info, err := os.Stat(r.ScenarioFile()); err == nil {
		seal = fmt.Sprintf("%d %d %d", len(r.Arms), info.Size(), info.ModTime().UnixNano())
	}
	f.mu.Lock()
	known, ok := f.settings[id]
	f.mu.Unlock()
	if ok && known.seal == seal {
		return known.value
	}
	fresh := func() runs.Settings {
		var text []byte // not of a file outside of the folder, to which a link could lead
		if name, err := filepath.Rel(r.Dir, r.ScenarioFile()); err == nil {
			text, _ = f.text(id, name)
		}
		return runs.SettingsIn(r, text)
	}
	var read runs.Settings
	if r.Shown {
		read = f.kept.Settings(r.Dir, fresh)
	} else {
		read = fresh()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.settings) >= mostVerified {
		clear(f.settings)
	}
	f.settings[id] = sealed[runs.Settings]{seal, read}
	return read
}

// armsOf returns arms as figures take them.
func armsOf(arms []runs.ArmValues) []results.ArmEntry {
	list := make([]results.ArmEntry, len(arms))
	for i, arm := range arms {
		list[i] = results.ArmEntry{Name: arm.Name, Values: arm.Values}
	}
	return list
}

// HeadlineLabels returns names for readers of the arms of headlines, by run and arm.
func (f *Folder) HeadlineLabels(list map[string]*view.Headline) map[string]map[string]string {
	labels := map[string]map[string]string{}
	for id, h := range list {
		e, err := f.entry(id)
		if err != nil {
			continue // it is gone by now
		}
		all := plot.ArmLabels(armsOf(e.Arms))
		labels[id] = map[string]string{h.Arm: all[h.Arm]}
		if h.Private != nil {
			labels[id][h.Private.Arm] = all[h.Private.Arm]
		}
		if h.Choice != nil {
			labels[id][h.Choice.Arm] = all[h.Choice.Arm]
		}
	}
	return labels
}

// MostHeadlines is the greatest number of runs that Headlines takes.
const MostHeadlines = 100

// Headlines returns the headlines of runs, by ID. They are read once, in the order of the IDs: a
// list of many runs asks for a part at a time. Runs that are not complete have none.
func (f *Folder) Headlines(ids []string) (map[string]*view.Headline, error) {
	if len(ids) > MostHeadlines {
		return nil, document.BadInput(fmt.Errorf("%d runs, want at most %d", len(ids), MostHeadlines))
	}
	list := map[string]*view.Headline{}
	for _, id := range ids {
		e, err := f.entry(id)
		if err != nil || !e.Shown {
			continue // it is gone, or has begun anew
		}
		if h := f.headline(&e); h != nil {
			list[id] = h
		}
	}
	return list, nil
}

// headline returns the headline of a complete run.
func (f *Folder) headline(e *Entry) *view.Headline {
	seal := fmt.Sprintf("%s %d", e.Digest, e.Updated.UnixNano())
	f.mu.Lock()
	known, ok := f.headlines[e.ID]
	f.mu.Unlock()
	if ok && known.seal == seal {
		return known.value
	}
	h := f.kept.Of(e.Dir, f.known)
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.headlines) >= mostVerified {
		clear(f.headlines)
	}
	f.headlines[e.ID] = sealed[*view.Headline]{seal, h}
	return h
}

// Intervals returns the intervals of the headline of a complete run, which are computed once; nil where it
// has no headline.
func (f *Folder) Intervals(id string) (*view.Intervals, error) {
	e, err := f.entry(id)
	if err != nil {
		return nil, err
	}
	if !e.Shown {
		return nil, nil
	}
	h := f.headline(&e)
	if h == nil {
		return nil, nil
	}
	seal := fmt.Sprintf("%s %d", e.Digest, e.Updated.UnixNano())
	f.mu.Lock()
	known, ok := f.intervals[id]
	f.mu.Unlock()
	if ok && known.seal == seal {
		return known.value, nil
	}
	parts := &runner.Parts{Loader: f.loader}
	defer parts.Close()
	found, err := view.IntervalsIn(e.Dir, f.known, h, parts.Statistic)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.intervals) >= mostVerified {
		clear(f.intervals)
	}
	f.intervals[id] = sealed[*view.Intervals]{seal, found}
	return found, nil
}

// entry returns a run as the list shows it.
func (f *Folder) entry(id string) (Entry, error) {
	dir, err := f.place(id)
	if err != nil {
		return Entry{}, err
	}
	return Entry{ID: id, Run: runs.Of(dir)}, nil
}

// Renewed returns runs of a list as they are now. Their differences stay as they were: these are of
// the list. Runs that are gone are left out.
func (f *Folder) Renewed(list []Entry) (renewed []Entry) {
	for i := range list {
		e, err := f.entry(list[i].ID)
		if err != nil {
			continue
		}
		e.Differs, e.Common = list[i].Differs, list[i].Common
		if e.Description == "" {
			e.Description = list[i].Description
		}
		renewed = append(renewed, e)
	}
	return renewed
}

// Found is the answer to a search.
type Found struct {
	// IDs are the runs that match.
	IDs []string `json:"ids"`
	// Remark says which word looks like a condition and is none; empty where there is no such
	// word. The IDs mean nothing then.
	Remark string `json:"remark,omitempty"`
}

// Search returns the runs that match a text. The text has words that all have to occur in the
// description of a run, conditions such as mechanism.epsilon<=1, and #tags. A condition can name a key by its last
// word, where runs set one such key.
func (f *Folder) Search(text string) (*Found, error) {
	words := strings.Fields(text)
	entries, err := f.Runs()
	if err != nil {
		return nil, err
	}
	wanted := make([][]runs.Filter, len(words))
	for i, word := range words {
		wanted[i] = f.meant(word, entries)
	}
	found := &Found{IDs: []string{}}
	fits := make([]bool, len(words)) // some run
	for i := range entries {
		run, all := &entries[i].Run, true
		for k := range wanted {
			one := slices.ContainsFunc(wanted[k], func(filter runs.Filter) bool { return filter.Has(run) })
			fits[k], all = fits[k] || one, all && one
		}
		if all {
			found.IDs = append(found.IDs, entries[i].ID)
		}
	}
	for k, word := range words {
		if !fits[k] && len(entries) > 0 && found.Remark == "" {
			found.Remark = f.unclear(word, entries)
		}
	}
	return found, nil
}

// unclear says why a word that no run matches is no condition; empty where it is one, or looks
// like a word.
func (f *Folder) unclear(word string, entries []Entry) string {
	if !strings.ContainsAny(word, "<>=!") || strings.HasPrefix(word, "#") {
		return ""
	}
	const form = "a condition is a key, one of = != < <= > >=, and a value, such as mechanism.epsilon<=1"
	c, err := runs.ParseCondition(word)
	if err != nil || strings.ContainsAny(c.Value[:1], "<>=!") {
		return fmt.Sprintf("%q is no condition: %s.", word, form)
	}
	switch keys := f.keysOf(c.Path, entries); {
	case len(keys) == 0:
		return fmt.Sprintf("%q is no condition: no run sets %s; %s.", word, c.Path, form)
	case len(keys) > 1:
		return fmt.Sprintf("%q is no condition: %s is the last word of several keys: %s.", word, c.Path, strings.Join(keys, ", "))
	}
	return ""
}

// keysOf returns the keys of runs that a path of a condition means: itself where a run sets it, or else the keys
// with it as their last word, sorted.
func (f *Folder) keysOf(path string, entries []Entry) (keys []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range entries {
		s := f.settings[entries[i].ID].value
		if s.Has(path) {
			return []string{path}
		}
		for key := range s.Values { // they are sorted below
			if strings.HasSuffix(key, "."+path) && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	slices.Sort(keys)
	return keys
}

// meant returns the meanings of a word of a search, any of which is enough: a condition can
// also be the name of an arm.
func (f *Folder) meant(word string, entries []Entry) []runs.Filter {
	if tag, ok := strings.CutPrefix(word, "#"); ok && tag != "" {
		return []runs.Filter{{Tags: []string{tag}}}
	}
	list := []runs.Filter{{Text: word}}
	if condition, err := runs.ParseCondition(word); err == nil {
		if keys := f.keysOf(condition.Path, entries); len(keys) == 1 {
			condition.Path = keys[0]
		}
		list = append(list, runs.Filter{Where: []runs.Condition{condition}})
	}
	return list
}
