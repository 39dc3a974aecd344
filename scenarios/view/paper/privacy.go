package paper

import (
	"fmt"
	"slices"
	"strings"

	"starling/scenarios/results"
	"starling/scenarios/view"
)

// mostNamed is the largest number of arms that a sentence on privacy names, where they are most.
const mostNamed = 4

// privacyTexts states the privacy of the arms, a sentence for each statement. Arms that differ in one
// epsilon alone have one sentence. Of many arms the last sentence is on the rest, without their names.
func (b *builder) privacyTexts(conditions []view.Condition) (list []string) {
	var stated []view.Condition // with the arms of all problems
	for _, c := range conditions {
		i := slices.IndexFunc(stated, func(other view.Condition) bool { return other.Key == c.Key })
		if i < 0 {
			i = len(stated)
			stated = append(stated, view.Condition{Privacy: c.Privacy, Key: c.Key, Epsilon: c.Epsilon, Pattern: c.Pattern})
		}
		stated[i].Arms = append(stated[i].Arms, c.Arms...)
	}
	switch len(stated) {
	case 0:
		return nil
	case 1:
		return []string{fmt.Sprintf("Privacy of the run: %s.", stated[0].Privacy)}
	}
	var all []string // the names of all arms without their swept values
	for _, arm := range b.shown.Arms {
		if name, _ := divided(arm.Name); !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	sentences := sentencesOf(stated)
	for _, s := range sentences {
		s.label, s.part = b.labelOf, b.ownPart(s.Arms)
	}
	rest := slices.MaxFunc(sentences, func(a, b *privacySentence) int { return a.named(all) - b.named(all) })
	for _, s := range sentences {
		if s != rest || s.named(all) <= mostNamed {
			list = append(list, fmt.Sprintf("Privacy of the run%s: %s.", s.subject(all), s.text()))
		}
	}
	if n := rest.named(all); n > mostNamed {
		list = append(list, fmt.Sprintf("Privacy of the run of the other %d arms: %s.", n*max(1, len(rest.values)), rest.text()))
	}
	return list
}

// privacySentence is a sentence on the privacy of arms.
type privacySentence struct {
	view.Condition
	// names are the arms without their swept values, and epsilons and values are the epsilon and the
	// swept values of each condition. names are empty where the arms of a condition differ in these.
	names, epsilons, values []string
	// part is a part KEY=VALUE that these arms alone have; empty for none. label returns the label of an
	// arm, or of its parts.
	part  string
	label func(name string) string
}

// ownPart returns a part KEY=VALUE that some arms have, and no other; empty where there is none.
func (b *builder) ownPart(arms []string) string {
	for _, part := range partsOf(arms[0]) {
		other := func(arm results.ArmEntry) bool {
			return slices.Contains(partsOf(arm.Name), part) != slices.Contains(arms, arm.Name)
		}
		if strings.Contains(part, "=") && !slices.ContainsFunc(b.shown.Arms, other) {
			return part
		}
	}
	return ""
}

// sentencesOf joins conditions of the same arms at several swept values, with texts that differ in an
// epsilon alone.
func sentencesOf(stated []view.Condition) (list []*privacySentence) {
	for _, c := range stated {
		s := &privacySentence{Condition: c}
		for i, arm := range c.Arms {
			name, values := divided(arm)
			if i > 0 && values != s.values[0] {
				s.names, s.values = nil, nil
				break
			}
			s.names, s.values = append(s.names, name), []string{values}
		}
		if s.epsilons = []string{c.Epsilon}; s.names != nil && c.Epsilon != "" {
			like := slices.IndexFunc(list, func(other *privacySentence) bool {
				return other.Epsilon != "" && other.Pattern == c.Pattern && slices.Equal(other.names, s.names)
			})
			if like >= 0 {
				list[like].epsilons = append(list[like].epsilons, c.Epsilon)
				list[like].values = append(list[like].values, s.values...)
				continue
			}
		}
		list = append(list, s)
	}
	return list
}

// divided returns the name of an arm without its parts KEY=VALUE, and these parts.
func divided(arm string) (name, values string) {
	var names, swept []string
	for _, part := range partsOf(arm) {
		if strings.Contains(part, "=") {
			swept = append(swept, part)
		} else {
			names = append(names, part)
		}
	}
	return strings.Join(names, ","), strings.Join(swept, ",")
}

// told reports whether the swept values of all conditions are their epsilons.
func (s *privacySentence) told() bool {
	for i, values := range s.values {
		key, value, _ := strings.Cut(values, "=")
		if value == "" || value != s.epsilons[i] || !strings.HasSuffix(key, "epsilon") {
			return false
		}
	}
	return true
}

// named returns the number of names in the subject; none where it is all arms.
func (s *privacySentence) named(all []string) int {
	switch {
	case s.names == nil && s.part != "":
		return 0
	case s.names == nil:
		return len(s.Arms)
	case len(s.names) == len(all):
		return 0
	}
	return len(s.names)
}

// subject names the arms. all are the names of all of them.
func (s *privacySentence) subject(all []string) (text string) {
	switch {
	case s.names == nil && s.part != "":
		return fmt.Sprintf(" of the %d arms with %s", len(s.Arms), s.label(s.part))
	case s.names == nil:
		var labels []string
		for _, arm := range s.Arms {
			labels = append(labels, s.label(arm))
		}
		return " of " + strings.Join(labels, "; ")
	case len(s.names) == 1 && s.names[0] == "":
	case len(s.names) == len(all) && len(all) > 1:
		text = " of all arms"
	default:
		text = " of " + strings.Join(s.names, "; ")
	}
	if len(s.values) == 1 && s.values[0] != "" {
		text += " with " + s.label(s.values[0])
	}
	return text
}

// text describes the privacy, with the epsilon of each condition.
func (s *privacySentence) text() string {
	if len(s.epsilons) == 1 {
		return s.Privacy
	}
	epsilons := slices.Clone(s.epsilons)
	if !s.told() {
		for i := range epsilons {
			epsilons[i] += " (" + s.label(s.values[i]) + ")"
		}
	}
	return strings.ReplaceAll(s.Pattern, view.EpsilonMark, strings.Join(epsilons, ", "))
}
