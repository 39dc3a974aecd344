package view

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"starling/mechanisms/accountant"
	"starling/scenarios/document"
	"starling/scenarios/results"
	"starling/scenarios/study"
	"starling/scenarios/view/plot"
)

// WarningLines returns the warnings of a run of so many seeds and arms, grouped for readers, a
// line each. One cause can give thousands of warnings, so they are grouped twice:
//
//	warnings of an arm that differ in seed, observer and numbers alone    skeleton
//	lines that are equal for several arms                                 ofArms
//
// more gives the number of warnings before they are grouped and where to find them; it is empty where nothing was
// grouped. The lines are in the order of the first warning of each. Facts are left out.
func WarningLines(warnings []results.Warning, seeds, arms int) (lines []string, more string) {
	warnings = slices.DeleteFunc(slices.Clone(warnings), results.Warning.Fact)
	lines = grouped(warnings, seeds, arms)
	if len(lines) < len(warnings) {
		more = fmt.Sprintf("%d cases of these in all; manifest.json has each", len(warnings))
	}
	return lines, more
}

// FactLines returns the facts among the warnings of a run, grouped as WarningLines does.
func FactLines(warnings []results.Warning, seeds, arms int) []string {
	return grouped(slices.DeleteFunc(slices.Clone(warnings), func(w results.Warning) bool { return !w.Fact() }), seeds, arms)
}

// grouped returns a line for each group of warnings.
func grouped(warnings []results.Warning, seeds, arms int) (lines []string) {
	var groups []*warningGroup
	for _, w := range warnings {
		// Warnings of one cause differ in numbers and observers alone: the rest of the text
		// identifies the cause.
		key, seed, values := skeleton(w.Message)
		i := slices.IndexFunc(groups, func(g *warningGroup) bool {
			return g.arm == w.Arm && g.code == w.Code && slices.Equal(g.words, key)
		})
		if i < 0 {
			i = len(groups)
			groups = append(groups, &warningGroup{arm: w.Arm, code: w.Code, words: key, values: make([][]string, len(values))})
		}
		groups[i].add(seed, values)
	}
	var texts []string
	of := map[string][]string{} // arms by text
	for _, g := range groups {
		text := g.text(seeds)
		// Groups of several arms may have the same text, which is listed once.
		if of[text] == nil {
			texts = append(texts, text)
		}
		of[text] = append(of[text], g.arm)
	}
	for _, text := range texts {
		lines = append(lines, ofArms(of[text], arms)+text)
	}
	return lines
}

// Labelled returns warnings with the names by which people read the arms.
func Labelled(warnings []results.Warning, arms []results.ArmEntry) []results.Warning {
	labels := plot.ArmLabels(arms)
	warnings = slices.Clone(warnings)
	for i := range warnings {
		warnings[i].Arm = cmp.Or(labels[warnings[i].Arm], warnings[i].Arm)
	}
	return warnings
}

// RemarkLines returns remarks on a scenario before it is run, facts among them, in the form of
// WarningLines.
func RemarkLines(s *study.Scenario, remarks []results.Warning) []string {
	return grouped(Labelled(remarks, plot.Arms(s)), s.Seeds.Count, len(s.Arms))
}

// warningGroup is a group of warnings of an arm that are equal but for some of their words.
// The message "seed 3: node 2 ended its part at step 7" has the words "node ", " ended its
// part at step " and "", and the values 2 and 7.
type warningGroup struct {
	// arm is empty for warnings about the whole run.
	arm, code string
	// words are the texts between the values, the same in all warnings of the group.
	words []string
	// values has, for each place between words, the different values.
	values [][]string
	// seeds are the different seeds.
	seeds []string
}

// add adds a warning with the same words.
func (g *warningGroup) add(seed string, values []string) {
	if seed != "" && !slices.Contains(g.seeds, seed) {
		g.seeds = append(g.seeds, seed)
	}
	for i, v := range values {
		if !slices.Contains(g.values[i], v) {
			g.values[i] = append(g.values[i], v)
		}
	}
}

// varying matches the words in which warnings of several seeds differ: observers and numbers.
var varying = regexp.MustCompile(`\b(?:` + observerWords() + `)\b|\b\d+(?:\.\d+)?(?:e[-+]?\d+)?\b`)

// seeded matches the beginning of a warning about one seed.
var seeded = regexp.MustCompile(`^seed (\d+): `)

// observerWords returns the names of all observers, for a regular expression.
func observerWords() string {
	var words []string
	for _, o := range accountant.Observers() {
		words = append(words, string(o))
	}
	return strings.Join(words, "|")
}

// skeleton splits a message about one seed into the seed, the values that may differ for other
// seeds and observers, and the words around these, one more than values. Any other message
// stays whole: one word without values.
func skeleton(message string) (words []string, seed string, values []string) {
	found := seeded.FindStringSubmatch(message)
	if found == nil {
		return []string{message}, "", nil
	}
	message = message[len(found[0]):]
	return varying.Split(message, -1), found[1], varying.FindAllString(message, -1)
}

// text returns the text of a group.
func (g *warningGroup) text(seeds int) string {
	var b strings.Builder
	for i, word := range g.words {
		if i > 0 {
			b.WriteString(together(g.values[i-1]))
			if len(g.values[i-1]) > 1 {
				word = pluralVerbs.Replace(word)
			}
		}
		if i < len(g.values) && len(g.values[i]) > 1 {
			word = plural.ReplaceAllString(word, "${1}s ")
		}
		b.WriteString(word)
	}
	if len(g.seeds) > 0 {
		if seeds >= len(g.seeds) {
			fmt.Fprintf(&b, " (in %d of %s)", len(g.seeds), document.Counted(seeds, "seed"))
		} else { // of a run that goes on
			fmt.Fprintf(&b, " (in %s)", document.Counted(len(g.seeds), "seed"))
		}
	}
	return servers.ReplaceAllString(b.String(), "servers $1")
}

// servers matches a server before several numbers. The word is an observer, too, and so a value.
var servers = regexp.MustCompile(`\bserver (\d+(?:, \d+)* (?:and|to) \d)`)

// plural matches a singular noun before a number, and pluralVerbs change the verbs after
// several.
var (
	plural      = regexp.MustCompile(`\b(node|step|round|unit|client|learner) $`)
	pluralVerbs = strings.NewReplacer(" ended its ", " ended their ", " sees", " see")
)

// mostListed is the greatest number of numbers or names that are listed one by one.
const mostListed = 3

// together returns values as one text: a list, or the range of more than a few numbers.
// Numbers are in ascending order; observers keep theirs. values has at least one value, and no
// value twice.
func together(values []string) string {
	number := func(text string) float64 {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return 0 // observers keep their order
		}
		return x
	}
	values = slices.Clone(values)
	slices.SortStableFunc(values, func(a, b string) int { return cmp.Compare(number(a), number(b)) })
	if _, err := strconv.ParseFloat(values[0], 64); err == nil && len(values) > mostListed {
		return values[0] + " to " + values[len(values)-1]
	}
	return listed(values)
}

// listed returns a list in a sentence: "a, b and c".
func listed(words []string) string {
	if n := len(words); n > 1 {
		return document.List(words[:n-1]) + " and " + words[n-1]
	}
	return words[0]
}

// ofArms returns the beginning of a line about some of a run's arms; "" where there is one
// arm.
func ofArms(arms []string, all int) string {
	switch n := len(arms); {
	case arms[0] == "" || all == 1:
		return ""
	case n == all:
		return fmt.Sprintf("all %d arms: ", n)
	case n > mostListed:
		return fmt.Sprintf("%s and %d other arms: ", document.List(arms[:mostListed-1]), n-mostListed+1)
	}
	return listed(arms) + ": "
}
