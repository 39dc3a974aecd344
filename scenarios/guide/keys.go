package guide

import (
	"slices"
	"strings"

	"starling/scenarios/document"
)

// KeySection is the section of a key of scenarios, such as mechanism.epsilon.
const KeySection = "key"

// DescribeKey describes a key by its path in a scenario: as a key of the file, or of the kinds of its section, which
// share a description where theirs are equal. It returns none for a path that is no key.
func (g *Guide) DescribeKey(path string) (list []Description) {
	options, _ := g.Options(Whole[0], "")
	if i := slices.IndexFunc(options, func(o Option) bool { return o.Key == path }); i >= 0 {
		summary := "key of a scenario"
		if slices.ContainsFunc(KindsOf(g.kinds), func(k Named) bool { return k.Section == path }) {
			summary += "; starling help " + path + " lists its kinds"
		}
		list = append(list, Description{Section: KeySection, Name: path, Summary: summary, Options: options[i : i+1]})
	}
	section, key, inside := strings.Cut(path, ".")
	if !inside {
		return list
	}
	var kinds [][]string
	for _, k := range KindsOf(g.kinds) {
		if k.Section != section {
			continue
		}
		options, _ := g.Options(section, k.Kind.Kind)
		at := slices.IndexFunc(options, func(o Option) bool { return o.Key == key })
		if at < 0 {
			continue
		}
		same := slices.IndexFunc(list, func(d Description) bool { return d.Options[0].equals(&options[at]) })
		if same < 0 {
			same = len(list)
			list = append(list, Description{Section: KeySection, Name: path, Options: options[at : at+1]})
		}
		kinds = append(kinds, make([][]string, len(list)-len(kinds))...)
		kinds[same] = append(kinds[same], k.Kind.Kind)
	}
	for i := range kinds {
		if kinds[i] != nil {
			list[i].Summary = "key of " + document.List(kinds[i])
		}
	}
	return list
}

// equals reports whether two options have the same description.
func (o *Option) equals(other *Option) bool {
	return o.Text == other.Text && o.Type == other.Type && o.Default == other.Default && o.Bound == other.Bound && o.Required == other.Required
}
