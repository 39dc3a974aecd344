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
	// privacy is a text of the statements; equal texts are equal privacy.
	privacy string
	// problem is a text of the values of the learning problem that the arms set.
	problem string
	arms    []string
}

// statement is the loss of a unit by a run to observers.
type statement struct {
	observers, protected string
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
		c := condition{privacy: privacyText(stated[arm.Name])}
		for _, v := range view.ProblemValues(arm) {
			c.problem += v.Path + "=" + v.Value + "\n"
		}
		i := slices.IndexFunc(list, func(other condition) bool { return other.privacy == c.privacy && other.problem == c.problem })
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
		stated[entry.Arm] = join(stated[entry.Arm], s)
	}
	if b.Observer != "" && !slices.Contains(observers, b.Observer) {
		b.fault("observer", "%s", unknown("observer", b.Observer, observers))
	}
	return stated, nil
}

// join adds a statement, or its observer to the statement before if the rest is the same.
func join(list []statement, s statement) []statement {
	if n := len(list); n > 0 && list[n-1].protected == s.protected && list[n-1].epsilon == s.epsilon && list[n-1].delta == s.delta {
		list[n-1].observers += ", " + s.observers
		return list
	}
	return append(list, s)
}

// noPrivacy and nothingStated describe arms without a guarantee, and arms without an account.
const (
	noPrivacy     = "no bound on the privacy loss"
	nothingStated = "no privacy stated"
)

// privacyText describes statements. Losses are equal where their printed digits are: noise is
// calibrated to that. Units and observers of losses that nothing bounds do not matter.
func privacyText(list []statement) string {
	if len(list) == 0 {
		return nothingStated
	}
	if !slices.ContainsFunc(list, func(s statement) bool { return !math.IsInf(s.epsilon, 1) }) {
		return noPrivacy
	}
	var texts []string
	for _, s := range list {
		text := fmt.Sprintf("epsilon %s", tabular.FormatValue(s.epsilon))
		if !math.IsInf(s.epsilon, 1) {
			text += " at delta " + tabular.FormatValue(s.delta)
		}
		texts = append(texts, fmt.Sprintf("%s for %s, against %s", text, s.protected, s.observers))
	}
	return strings.Join(texts, "; ")
}
