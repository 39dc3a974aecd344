package runs

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/results"
)

// Settings are the values that a run's scenario gives its keys.
type Settings struct {
	// Description is the description of the scenario.
	Description string
	// Values are texts by path, such as mechanism.epsilon. A swept key has the values of all
	// arms. A key that has no place here is one that the scenario does not set. Of a long text
	// there are the beginning and a hash.
	Values map[string]string
}

// unsettled are the sections that say nothing about the work of a run. The sweep is in the values
// of the arms.
var unsettled = []string{"version", "name", "description", "paper", "sweep", "plots"}

// SettingsOf reads the settings of a run. Of a scenario that cannot be read there are the values
// of the arms alone.
func SettingsOf(r *Run) Settings { return SettingsIn(r, r.scenario()) }

// SettingsIn is SettingsOf for a run and the text of its scenario.
func SettingsIn(r *Run, scenario []byte) Settings {
	s := Settings{Values: map[string]string{}}
	if doc, err := document.Parse(results.ScenarioFile, scenario); err == nil {
		for key, node := range doc.Root().Entries() {
			if key == "description" {
				s.Description = node.Value()
			}
			if !slices.Contains(unsettled, key) {
				s.add(key, node)
			}
		}
	}
	var swept []string
	all := map[string][]string{}
	for _, arm := range r.Arms {
		for _, v := range arm.Values {
			if all[v.Path] == nil {
				swept = append(swept, v.Path)
			}
			if !slices.Contains(all[v.Path], v.Value) {
				all[v.Path] = append(all[v.Path], v.Value)
			}
		}
	}
	for _, path := range swept {
		s.Values[path] = short(strings.Join(all[path], ", "))
	}
	return s
}

// Has reports whether the scenario sets a key or a key below it. Of the sections that say nothing
// about the work of a run it is true.
func (s *Settings) Has(path string) bool {
	section, _, _ := strings.Cut(path, ".")
	if slices.Contains(unsettled, section) {
		return true
	}
	for key := range s.Values {
		if key == path || strings.HasPrefix(key, path+".") {
			return true
		}
	}
	return false
}

// add takes the scalars and sequences of a value.
func (s *Settings) add(path string, node *document.Node) {
	if node.Kind() != document.Mapping {
		text := node.Value()
		if node.Kind() == document.Sequence {
			text = node.Text()
		}
		s.Values[path] = short(text)
		return
	}
	for key, child := range node.Entries() {
		s.add(path+"."+key, child)
	}
}

// longestValue is the number of bytes of a text that stays as it is: matrices can have thousands.
const longestValue = 120

// short is a text, or the beginning of a long one and a hash of the whole.
func short(text string) string {
	if len(text) <= longestValue {
		return text
	}
	return fmt.Sprintf("%s... (%.4x)", strings.ToValidUTF8(text[:longestValue/2], ""), sha256.Sum256([]byte(text)))
}

// Differ sets Differs of each run: the values of the keys in which the runs of its scenario's name
// differ. settings has the settings of each run. A run without a description gets that of its
// settings.
func Differ(list []Run, settings []Settings) {
	byName := map[string][]int{}
	for i := range list {
		list[i].Differs = nil
		list[i].Description = cmp.Or(list[i].Description, settings[i].Description)
		byName[list[i].Scenario] = append(byName[list[i].Scenario], i)
	}
	for _, places := range byName { // each is on its own
		if len(places) > 1 {
			differ(list, settings, places)
		}
	}
}

// differ is Differ for the runs of one name.
func differ(list []Run, settings []Settings, places []int) {
	first, other := settings[places[0]].Values, map[string]bool{}
	for _, i := range places[1:] {
		for path, value := range settings[i].Values {
			if before, ok := first[path]; !ok || before != value {
				other[path] = true
			}
		}
		for path := range first {
			if _, ok := settings[i].Values[path]; !ok {
				other[path] = true
			}
		}
	}
	for path := range other {
		for _, i := range places {
			value, ok := settings[i].Values[path]
			if !ok {
				continue
			}
			if list[i].Differs == nil {
				list[i].Differs = map[string]string{}
			}
			list[i].Differs[path] = value
		}
	}
}

// Telling returns the keys in which runs of one scenario's name differ, the ones with the most
// values first.
func Telling(list []Run) (keys []string) {
	values := map[string]map[string]bool{}
	for i := range list {
		for path, value := range list[i].Differs {
			if values[path] == nil {
				values[path] = map[string]bool{}
				keys = append(keys, path)
			}
			values[path][value] = true
		}
	}
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(values[b]), len(values[a])), cmp.Compare(a, b))
	})
	return keys
}

// lengths are keys of the length of a run and of its seeds, which come last in a name.
var lengths = []string{"horizon", "seeds.base", "seeds.count"}

// mostNameKeys is the largest number of keys in the name of a run.
const mostNameKeys = 3

// NamesOf returns names of several runs for readers: the values of the keys in which the runs differ, after the
// scenario where runs are of several. Runs of one name have the beginning of their hash in it as well.
// settings has the settings of each run, and word writes a key with its value; empty leaves it out.
func NamesOf(list []Run, settings []Settings, word func(key, value string) string) []string {
	list = slices.Clone(list)
	Differ(list, settings)
	keys := Telling(list)
	slices.SortStableFunc(keys, func(a, b string) int { return cmp.Compare(slices.Index(lengths, a), slices.Index(lengths, b)) })
	several := slices.ContainsFunc(list, func(r Run) bool { return r.Scenario != list[0].Scenario })
	texts, times := make([]string, len(list)), map[string]int{}
	for i := range list {
		var parts []string
		if several {
			parts = append(parts, list[i].Scenario)
		}
		for _, key := range keys[:min(len(keys), mostNameKeys)] {
			if value, ok := list[i].Differs[key]; ok {
				if text := word(key, value); text != "" {
					parts = append(parts, text)
				}
			}
		}
		texts[i] = strings.Join(parts, ", ")
		times[texts[i]]++
	}
	for i, text := range texts {
		if times[text] > 1 || text == "" {
			texts[i] = strings.TrimSpace(text + " " + hashAmong(list, i))
		}
	}
	return texts
}

// hashAmong is the beginning of the hash of a run, or the whole where another run has the same beginning.
func hashAmong(list []Run, i int) string {
	short := func(r *Run) string { return r.Hash[:min(len(r.Hash), 8)] }
	for k := range list {
		if list[k].Hash != list[i].Hash && short(&list[k]) == short(&list[i]) {
			return list[i].Hash
		}
	}
	return short(&list[i])
}
