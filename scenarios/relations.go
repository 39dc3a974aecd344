package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"starling/scenarios/results"
)

// relations tells by arm for which neighbours its epsilons hold. Epsilons for
// different neighbours do not compare: replacing a record costs up to what
// removing one and adding another does.
type relations map[string]string

// relationsOf reads the relations of a ledger. Runs of before relations were kept
// have none.
func relationsOf(ledger []results.LedgerEntry) relations {
	of := relations{}
	for _, entry := range ledger {
		if entry.Relation != "" {
			of[entry.Arm] = entry.Relation
		}
	}
	return of
}

// relations are those of the arms' accounts.
func (s *Scenario) relations() relations { return relationsOf(s.ledgerEntries()) }

// isEpsilon tells whether a metric, or a swept key, is a privacy loss.
func isEpsilon(metric string) bool {
	return strings.HasPrefix(metric, "epsilon.") || strings.HasSuffix(metric, ".epsilon")
}

// among are the relations of arms, each once, in the order of the arms.
func (r relations) among(arms []results.Arm) (list []string) {
	for _, arm := range arms {
		if relation := r[arm.Name]; relation != "" && !slices.Contains(list, relation) {
			list = append(list, relation)
		}
	}
	return list
}

// row is how a table names the metric of arms: an epsilon with its neighbours,
// where they are the same for all.
func (r relations) row(metric string, arms []results.Arm) string {
	if list := r.among(arms); isEpsilon(metric) && len(list) == 1 {
		return fmt.Sprintf("%s (%s)", metric, list[0])
	}
	return metric
}

// mark marks a value of a metric, or the name of its curve, among those of other
// arms: an epsilon with its neighbours, where they are not the same for all.
func (r relations) mark(text, metric, arm string, arms []results.Arm) string {
	if relation := r[arm]; isEpsilon(metric) && relation != "" && text != "" && len(r.among(arms)) > 1 {
		return fmt.Sprintf("%s (%s)", text, relation)
	}
	return text
}

// epsilonAxis is the label of an axis: that of an epsilon says for which
// neighbours it is, or that those are not the same for all that is shown.
func epsilonAxis(label, metric string, shown []string) string {
	switch {
	case !isEpsilon(metric) || len(shown) == 0:
		return label
	case len(shown) == 1:
		return fmt.Sprintf("%s, neighbours: %s", label, shown[0])
	}
	return label + ", for different neighbours"
}
