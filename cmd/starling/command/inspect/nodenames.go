package inspect

import (
	"fmt"
	"slices"
	"strings"

	"starling/mechanisms/accountant"
	"starling/scenarios/loading"
	"starling/scenarios/results"
)

// nodeNames are the names of nodes by arm and number. Arms whose nodes are numbers have none.
type nodeNames map[string]map[int32]string

// namesOf returns the names of the nodes of a run. A run without a note of them is not read for it.
// The error is of a scenario that this build cannot read.
func namesOf(run *results.Run, loader loading.Loader) (nodeNames, error) {
	if !slices.ContainsFunc(run.Manifest.Notes, func(n results.Note) bool { return n.Key == "nodes" }) {
		return nil, nil
	}
	s, err := scenarioOf(run, loader)
	if err != nil {
		return nil, err
	}
	names := nodeNames{}
	for _, arm := range s.Arms {
		of := map[int32]string{}
		for i, name := range arm.NodeNames() {
			of[int32(arm.Extent.FirstLabel+i)] = name
		}
		names[arm.Name] = of
	}
	return names, nil
}

// observers is a line with the names of the nodes that are observers of a ledger, by number; empty
// where there are none.
func (n nodeNames) observers(ledger []results.LedgerEntry) string {
	var words []string
	for i := range ledger {
		members, _ := accountant.Observer(ledger[i].Observer).Members()
		for _, number := range members {
			name, named := n[ledger[i].Arm][int32(number)]
			if word := fmt.Sprintf("%d %s", number, name); named && !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	if words == nil {
		return ""
	}
	return "names of these nodes: " + strings.Join(words, ", ")
}
