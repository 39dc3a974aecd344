// Command custom is Starling with kinds of one's own: algorithms of equals and of a server, a
// problem, a topology, a mechanism, a metric and a model of rows, a file each, to be copied.
// `custom list`, `custom help algorithm noisy-descent`, `custom run example.yaml` and all other
// verbs know them.
package main

import (
	"fmt"
	"os"

	"starling/cmd/starling/command"
	"starling/scenarios"
	"starling/scenarios/kind"
	"starling/scenarios/section/topologies"
)

func main() {
	// The catalog of Starling, and one line for each kind. A name that is taken is an error.
	catalog, err := scenarios.Catalog().With(kind.Catalog{
		Algorithms: []kind.Kind{descent.Kind().Like(exampleFile), fedAdamKind()},
		Problems:   []kind.Kind{quadraticKind},
		Topologies: []kind.Kind{kind.Of("wheel", "a ring around a hub that all are joined to", topologies.Default[wheelSection](), "{kind: wheel}")},
		Measures:   []kind.Measure{&worstLoss},
		Models:     []kind.Kind{kind.Of("poisson", "Poisson regression of a count", poissonSection{}, "{kind: poisson}")},
		Mechanisms: []kind.Kind{kind.Of("logistic", "logistic noise on every message or sum, calibrated to epsilon a step", logisticSection{}, "{kind: logistic, epsilon: 1}")},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "custom:", err)
		os.Exit(1)
	}
	command.Main(catalog) // does not return
}
