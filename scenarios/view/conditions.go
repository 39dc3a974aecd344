package view

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/scenarios/accounts"
	"starling/scenarios/document"
	"starling/scenarios/loading"
	"starling/scenarios/results"
	"starling/scenarios/results/tabular"
)

// Condition is the privacy that arms state and the setting in which they learn: the problem, the
// adversaries and the effects of the network. Arms of one condition compare.
type Condition struct {
	// Privacy describes the statements. Key is equal for equal privacy, in any order of the
	// observers.
	Privacy, Key string
	// Epsilon is the epsilon of all statements that bound a loss, as it is printed, and Pattern is
	// Privacy with EpsilonMark in its place. Epsilon is empty where they have several or none.
	Epsilon, Pattern string
	// Unit is the short name of all units that the statements protect, such as record; empty where they have several.
	Unit string
	// Setting is a text of the values of the setting that the arms set.
	Setting string
	Arms    []string
}

// EpsilonMark stands for an epsilon in a text.
const EpsilonMark = "\x00"

// statement is the loss of a unit by a run to an observer.
type statement struct {
	observer, protected, unit string
	// epsilon is the loss at delta of the unit that pays the most, under the seed in which it
	// pays the most; +Inf where nothing bounds it.
	epsilon, delta float64
}

// evidence has the facts of a run on which the conditions of its arms depend.
type evidence struct {
	arms   []results.ArmEntry
	ledger []results.LedgerEntry
	losses accounts.Losses
	// scenario is the file, and conditions are the keys that the study states as its conditions.
	scenario   *document.Document
	conditions []string
}

// evidence reads the facts of a finished run.
func (r *Run) evidence() (e evidence, err error) {
	text, err := r.Source.Scenario()
	if err != nil {
		return e, err
	}
	doc, err := document.Parse(results.ScenarioFile, text)
	if err != nil {
		return e, fmt.Errorf("%s: %w", r.Source.Dir, err)
	}
	losses, err := accounts.WorstRows(r.Source)
	return evidence{r.Source.Manifest.Arms, r.Source.Manifest.Ledger, losses, doc, r.Emphasis.Conditions}, err
}

// Conditions returns the conditions of some arms, in the order of the arms. observer is the only
// one that counts; where it is empty, the observer of the section match counts, or else all of
// them. observers are all in the ledger of the run.
func (r *Run) Conditions(arms []results.ArmEntry, observer string) (list []Condition, observers []string, err error) {
	e, err := r.evidence()
	if err != nil {
		return nil, nil, err
	}
	list, observers = e.Conditions(arms, observer)
	return list, observers, nil
}

// Conditions returns the conditions of some arms.
func (e *evidence) Conditions(arms []results.ArmEntry, observer string) (list []Condition, observers []string) {
	if observer == "" {
		observer = e.matched()
	}
	stated, observers := e.statements(observer)
	for _, arm := range arms {
		c := Condition{Privacy: privacyText(stated[arm.Name]), Key: privacyKey(stated[arm.Name])}
		c.Epsilon, c.Pattern = pattern(stated[arm.Name])
		c.Unit = unitOf(stated[arm.Name])
		for _, v := range SettingValues(arm, e.conditions) {
			if node, ok := e.scenario.Find(v.Path); ok && loading.TextOf(node) == v.Value {
				continue // the arm states what all have
			}
			c.Setting += v.Path + "=" + v.Value + "\n"
		}
		i := slices.IndexFunc(list, func(other Condition) bool { return other.Key == c.Key && other.Setting == c.Setting })
		if i < 0 {
			i = len(list)
			list = append(list, c)
		}
		list[i].Arms = append(list[i].Arms, arm.Name)
	}
	return list, observers
}

// matched returns the observer for which the section match has calibrated the losses of arms. It is
// empty where no arm has one, and where arms have different ones or one counts releases.
func (e *evidence) matched() (observer string) {
	of := func(path string) string {
		node, ok := e.scenario.Find(path)
		if !ok {
			return ""
		}
		return loading.TextOf(node)
	}
	var found []string
	for _, arm := range e.arms {
		epsilon, own := arm.Value("match.epsilon")
		if !own {
			epsilon = of("match.epsilon")
		}
		if whole, ok := arm.Value("match"); epsilon == "" || ok && whole == "null" {
			continue
		}
		at, own := arm.Value("match.observer")
		if !own {
			at = of("match.observer")
		}
		found = append(found, at)
	}
	slices.Sort(found)
	if found = slices.Compact(found); len(found) != 1 {
		return ""
	}
	return found[0]
}

// statements returns the statements of each arm of a finished run, and all observers.
func (r *Run) statements(observer string) (stated map[string][]statement, observers []string, err error) {
	losses, err := accounts.WorstRows(r.Source)
	if err != nil {
		return nil, nil, err
	}
	e := evidence{ledger: r.Source.Manifest.Ledger, losses: losses}
	stated, observers = e.statements(observer)
	return stated, observers, nil
}

// statements returns the statements of each arm, from the entries and the final rows of the
// ledger, and all observers. An observer without a row has learned nothing.
func (e *evidence) statements(observer string) (stated map[string][]statement, observers []string) {
	stated = map[string][]statement{}
	for _, entry := range e.ledger {
		if !slices.Contains(observers, entry.Observer) {
			observers = append(observers, entry.Observer)
		}
		if observer != "" && entry.Observer != observer {
			continue
		}
		row := e.losses[[2]string{entry.Arm, entry.Observer}]
		s := statement{entry.Observer, accounts.Protected(entry), entry.Protects, row.Epsilon, row.Delta}
		stated[entry.Arm] = append(stated[entry.Arm], s)
	}
	return stated, observers
}

// text describes a statement without its observer. Losses are equal where their printed digits
// are: noise is calibrated to that.
func (s statement) text() string { return s.with(tabular.FormatValue(s.epsilon)) }

// with is text with another text for the epsilon.
func (s statement) with(epsilon string) string {
	text := "epsilon " + epsilon
	if !math.IsInf(s.epsilon, 1) {
		text += " at delta " + tabular.FormatValue(s.delta)
	}
	return text + " for " + s.protected
}

// noPrivacy and nothingStated describe arms without a guarantee, and arms without an account.
const (
	noPrivacy     = "no bound on the privacy loss"
	nothingStated = "no privacy stated"
)

// unbounded describes statements that bound no loss: their units and observers do not matter.
// It is empty where some loss is bounded.
func unbounded(list []statement) string {
	switch {
	case len(list) == 0:
		return nothingStated
	case !slices.ContainsFunc(list, func(s statement) bool { return !math.IsInf(s.epsilon, 1) }):
		return noPrivacy
	}
	return ""
}

// privacyKey returns a text that is equal for equal statements in any order.
func privacyKey(list []statement) string {
	if text := unbounded(list); text != "" {
		return text
	}
	var keys []string
	for _, s := range list {
		keys = append(keys, s.observer+": "+s.text())
	}
	slices.Sort(keys)
	return strings.Join(keys, "\n")
}

// privacyText describes statements, those that are the same for neighbouring observers once.
func privacyText(list []statement) string { return textWith(list, statement.text) }

// textWith is privacyText with a text of each statement.
func textWith(list []statement, text func(statement) string) string {
	if text := unbounded(list); text != "" {
		return text
	}
	var texts []string
	for i, s := range list {
		if i > 0 && text(list[i-1]) == text(s) {
			texts[len(texts)-1] += ", " + s.observer
			continue
		}
		texts = append(texts, text(s)+againstWord+s.observer)
	}
	return strings.Join(texts, "; ")
}

// unitOf returns the unit that all statements protect; empty where they have several or none.
func unitOf(list []statement) (unit string) {
	for _, s := range list {
		if unit != "" && s.unit != unit {
			return ""
		}
		unit = s.unit
	}
	return unit
}

// pattern returns the epsilon that all statements of a finite loss have, and their text with
// EpsilonMark for it; the epsilon is empty where they have several or none.
func pattern(list []statement) (epsilon, text string) {
	for _, s := range list {
		switch of := tabular.FormatValue(s.epsilon); {
		case math.IsInf(s.epsilon, 1):
		case epsilon != "" && of != epsilon:
			return "", privacyText(list)
		default:
			epsilon = of
		}
	}
	return epsilon, textWith(list, func(s statement) string {
		if math.IsInf(s.epsilon, 1) {
			return s.text()
		}
		return s.with(EpsilonMark)
	})
}
