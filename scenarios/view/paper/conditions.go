package paper

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/scenarios/results"
	"starling/scenarios/results/tabular"
	"starling/scenarios/view"
)

// condition is the privacy that arms state and the problem that they learn. Arms of one
// condition compare.
type condition struct {
	// privacy describes the statements. key is equal for equal privacy, in any order of the
	// observers.
	privacy, key string
	// problem is a text of the values of the learning problem that the arms set.
	problem string
	arms    []string
}

// statement is the loss of a unit by a run to an observer.
type statement struct {
	observer, protected string
	// epsilon is the loss at delta of the unit that pays the most, under the seed in which it
	// pays the most; +Inf where nothing bounds it.
	epsilon, delta float64
}

// conditions returns the conditions of the shown arms, in the order of the arms.
func (b *builder) conditions() (list []condition, err error) {
	stated, err := b.statements()
	if err != nil {
		return nil, err
	}
	for _, arm := range b.shown.Arms {
		c := condition{privacy: privacyText(stated[arm.Name]), key: privacyKey(stated[arm.Name])}
		for _, v := range view.ProblemValues(arm) {
			c.problem += v.Path + "=" + v.Value + "\n"
		}
		i := slices.IndexFunc(list, func(other condition) bool { return other.key == c.key && other.problem == c.problem })
		if i < 0 {
			i = len(list)
			list = append(list, c)
		}
		list[i].arms = append(list[i].arms, arm.Name)
	}
	return list, nil
}

// statements returns the statements of each arm, from the entries of the manifest and the
// final rows of the ledger. An observer without a row has learned nothing.
func (b *builder) statements() (map[string][]statement, error) {
	type key struct{ arm, observer string }
	worst := map[key]results.PrivacyRow{}
	err := b.run.Source.Privacy(func(row results.PrivacyRow) error {
		of := key{row.Arm, row.Observer}
		if before, ok := worst[of]; !ok || row.Epsilon > before.Epsilon {
			worst[of] = row
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	stated := map[string][]statement{}
	var observers []string
	for _, entry := range b.run.Source.Manifest.Ledger {
		if !slices.Contains(observers, entry.Observer) {
			observers = append(observers, entry.Observer)
		}
		if b.Observer != "" && entry.Observer != b.Observer {
			continue
		}
		row := worst[key{entry.Arm, entry.Observer}]
		s := statement{entry.Observer, fmt.Sprintf("%s (%s)", entry.Unit, entry.Neighbours), row.Epsilon, row.Delta}
		stated[entry.Arm] = append(stated[entry.Arm], s)
	}
	if b.Observer != "" && !slices.Contains(observers, b.Observer) {
		b.fault("observer", "%s", unknown("observer", b.Observer, observers))
	}
	return stated, nil
}

// text describes a statement without its observer. Losses are equal where their printed digits
// are: noise is calibrated to that.
func (s statement) text() string {
	text := "epsilon " + tabular.FormatValue(s.epsilon)
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
func privacyText(list []statement) string {
	if text := unbounded(list); text != "" {
		return text
	}
	var texts []string
	for i, s := range list {
		if i > 0 && list[i-1].text() == s.text() {
			texts[len(texts)-1] += ", " + s.observer
			continue
		}
		texts = append(texts, s.text()+", against "+s.observer)
	}
	return strings.Join(texts, "; ")
}
