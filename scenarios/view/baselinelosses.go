package view

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"starling/scenarios/accounts"
	"starling/scenarios/results/comparison"
	"starling/scenarios/results/tabular"
)

// The heads of the columns of privacy: the epsilon of the run, the unit of which it is the loss where arms protect
// several, and letters in place of both where neither says enough.
const (
	lossHead   = "epsilon"
	unitHead   = "per"
	letterHead = "privacy"
)

// lossColumns are the columns of tables with the privacy of arms, and their explanation.
type lossColumns struct {
	// epsilons are cells by condition; empty where the arms have the same privacy.
	epsilons []string
	// head and kinds are the second column, with cells by condition; empty cells where the epsilon is enough.
	head  string
	kinds []string
	// legend has lines on the columns, each for one condition, or for all where that is negative.
	legend []lossLegend
}

// lossLegend is a line on the privacy of a condition.
type lossLegend struct {
	condition int
	text      string
}

// losses returns the columns of privacy: the epsilons where each condition has one, and beside them the units or
// letters of their kinds, where they have several; else letters.
func (b *Baseline) losses() lossColumns {
	c := lossColumns{epsilons: make([]string, len(b.Conditions)), kinds: make([]string, len(b.Conditions)), head: letterHead}
	if len(b.Conditions) == 1 {
		if of := &b.Conditions[0]; of.Privacy != "" && of.Key != noPrivacy && of.Key != nothingStated {
			c.legend = []lossLegend{{-1, "Privacy of all arms over the whole run: " + of.Privacy + "."}}
		}
		return c
	}
	for i := range b.Conditions {
		text, ok := b.Conditions[i].printed()
		if !ok {
			return b.letters(c)
		}
		c.epsilons[i] = text
	}
	c.legend = []lossLegend{{-1, "epsilon: of the whole run."}}
	patterns := b.patterns()
	if len(patterns) == 1 {
		c.legend[0].text = "epsilon: of the whole run " + kindText(patterns[0]) + "."
	}
	if len(patterns) < 2 {
		return c
	}
	names := b.unitsOf(patterns)
	if names != nil {
		c.head = unitHead
	}
	for i, of := range b.Conditions {
		k := slices.Index(patterns, of.Pattern)
		if k < 0 || !of.bounded() {
			continue
		}
		name, line := letter(k), letter(k)
		if names != nil {
			name, line = names[k], unitHead+" "+names[k]
		}
		c.kinds[i] = name
		if line += ": " + kindText(of.Pattern) + "."; !slices.ContainsFunc(c.legend, func(l lossLegend) bool { return l.text == line }) {
			c.legend = append(c.legend, lossLegend{-1, line})
		}
	}
	return c
}

// printed returns the epsilon of a condition as tables have it; ok is false where it has several.
func (c *Condition) printed() (text string, ok bool) {
	switch {
	case c.Key == noPrivacy:
		return tabular.FormatValue(math.Inf(1)), true
	case c.Key == nothingStated:
		return "-", true
	}
	return c.Epsilon, c.Epsilon != ""
}

// bounded reports whether a condition has one epsilon that is neither infinite nor 0: nothing is lost of any unit then.
func (c *Condition) bounded() bool {
	return c.Epsilon != "" && c.Epsilon != "0" && c.Key != noPrivacy && c.Key != nothingStated
}

// patterns lists the kinds of the finite losses of all conditions, each once.
func (b *Baseline) patterns() (list []string) {
	for _, of := range b.Conditions {
		if of.bounded() && !slices.Contains(list, of.Pattern) {
			list = append(list, of.Pattern)
		}
	}
	return list
}

// unitsOf returns the unit of each pattern; nil where two have the same, or one has none.
func (b *Baseline) unitsOf(patterns []string) (units []string) {
	for _, pattern := range patterns {
		i := slices.IndexFunc(b.Conditions, func(c Condition) bool { return c.Pattern == pattern })
		if unit := b.Conditions[i].Unit; unit == "" || slices.Contains(units, unit) {
			return nil
		}
		units = append(units, b.Conditions[i].Unit)
	}
	return units
}

// againstWord stands before the observers of a statement.
const againstWord = ", against "

// kindText describes a kind of loss after its epsilon, with observers as readers know them.
func kindText(pattern string) string {
	list := strings.Split(strings.ReplaceAll(pattern, "epsilon "+EpsilonMark+" ", ""), "; ")
	for i, statement := range list {
		about, observers, ok := strings.Cut(statement, againstWord)
		if !ok {
			continue
		}
		var names []string
		for name := range strings.SplitSeq(observers, ", ") {
			names = append(names, accounts.ObserverName(name))
		}
		list[i] = about + againstWord + strings.Join(names, ", ")
	}
	return strings.Join(list, "; ")
}

// letters are the columns where a condition has several epsilons: each condition has a letter, a for the baseline's.
func (b *Baseline) letters(c lossColumns) lossColumns {
	clear(c.epsilons)
	c.legend = []lossLegend{{-1, "Privacy over the whole run:"}}
	for i, of := range b.Conditions {
		c.kinds[i] = letter(i)
		c.legend = append(c.legend, lossLegend{i, letter(i) + ": " + of.Privacy})
	}
	return c
}

// letter names one of several things: a to z, and then numbers.
func letter(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return strconv.Itoa(i + 1)
}

// repeats reports whether a metric beside others is a loss that the column of epsilons has for each arm.
func (b *Baseline) repeats(of *comparison.OfMetric) bool {
	if !isLoss(of) || !slices.ContainsFunc(b.Metrics, func(other comparison.OfMetric) bool { return !isLoss(&other) }) {
		return false
	}
	for i := range of.Rows {
		printed, ok := b.Conditions[b.Arms[of.Rows[i].Arm].Condition].printed()
		if !ok || lossText(of.Rows[i].Value) != printed {
			return false
		}
	}
	return true
}
