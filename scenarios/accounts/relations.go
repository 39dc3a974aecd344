package accounts

import (
	"fmt"
	"slices"
	"strings"

	"starling/mechanisms/accountant"
	"starling/scenarios/results"
	"starling/scenarios/study"
)

// Relations has, by arm, the neighbours for which its epsilons hold. Epsilons for different
// neighbours do not compare: replacing a record costs up to the cost of removing one and
// adding another.
type Relations map[string]string

// RelationsOf reads the relations of a ledger. Runs from before relations were kept have none.
func RelationsOf(ledger []results.LedgerEntry) Relations {
	of := Relations{}
	for _, entry := range ledger {
		if entry.Relation != "" {
			of[entry.Arm] = entry.Relation
		}
	}
	return of
}

// UnitsOf returns the extent of the protected unit by arm, such as record, from a ledger. Epsilons for units of different
// extents do not compare either.
func UnitsOf(ledger []results.LedgerEntry) map[string]string {
	of := map[string]string{}
	for _, entry := range ledger {
		if entry.Protects != "" {
			of[entry.Arm] = entry.Protects
		}
	}
	return of
}

// RelationsIn returns the relations of the arms' accounts.
func RelationsIn(s *study.Scenario) Relations { return RelationsOf(LedgerEntries(s)) }

// IsEpsilon reports whether a metric, or a swept key, is a privacy loss.
func IsEpsilon(metric string) bool {
	return strings.HasPrefix(metric, "epsilon.") || strings.HasSuffix(metric, ".epsilon")
}

// Among returns the relations of arms, each once, in the order of the arms.
func (r Relations) Among(arms []results.ArmEntry) (list []string) {
	for _, arm := range arms {
		if relation := r[arm.Name]; relation != "" && !slices.Contains(list, relation) {
			list = append(list, relation)
		}
	}
	return list
}

// Row returns the name of the arms' metric in a table: an epsilon with its neighbours, if they
// are the same for all.
func (r Relations) Row(metric string, arms []results.ArmEntry) string {
	if list := r.Among(arms); IsEpsilon(metric) && len(list) == 1 {
		return fmt.Sprintf("%s (%s)", metric, list[0])
	}
	return metric
}

// Mark marks a value of a metric, or the name of its curve, among other arms': an epsilon with
// its neighbours, if they are not the same for all.
func (r Relations) Mark(text, metric, arm string, arms []results.ArmEntry) string {
	if relation := r[arm]; IsEpsilon(metric) && relation != "" && text != "" && len(r.Among(arms)) > 1 {
		return fmt.Sprintf("%s (%s)", text, relation)
	}
	return text
}

// MarkLabel is Mark for the label of a curve.
func (r Relations) MarkLabel(text, metric, arm string, arms []results.ArmEntry) string {
	labelled := Relations{}
	for name, relation := range r {
		labelled[name] = RelationLabel(relation)
	}
	return labelled.Mark(text, metric, arm, arms)
}

// RelationLabel returns a relation as readers of a figure see it: replace is replace-one.
func RelationLabel(relation string) string {
	if relation == string(accountant.Replace) {
		return "replace-one"
	}
	return relation
}

// EpsilonAxis returns the label of an axis. For an epsilon the label has the sign ε and its neighbours, or
// says that they are not the same for all curves.
func EpsilonAxis(label, metric string, shown []string) string {
	if !IsEpsilon(metric) {
		return label
	}
	label = strings.Replace(label, "epsilon", "ε", 1)
	switch len(shown) {
	case 0:
		return label
	case 1:
		return fmt.Sprintf("%s (%s)", label, RelationLabel(shown[0]))
	}
	return label + " (for different neighbouring data, not comparable)"
}
