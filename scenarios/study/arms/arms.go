// Package arms builds the arms of a scenario: each section by its kind in the catalog, the
// steps and nodes at which metrics are taken, the observers that the file names, and the
// graphs of the first seed, all held to the limits. Package study defines arms; package
// loading finds the variants of a file.
package arms

import (
	"slices"

	"starling/actors/topology"
	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/ledger"
	"starling/scenarios/limits"
	"starling/scenarios/results/annotation"
	"starling/scenarios/section/adversaries"
	"starling/scenarios/section/networks"
	"starling/scenarios/study"
)

// New returns an arm, with its graphs checked under the first seed. It is of use only if there
// are no issues.
func New(b *study.Builder, v study.Variant) (*study.Arm, document.Issues) {
	f, issues := study.DecodeFile(v.Document)
	found := &study.Faults{Doc: v.Document, Issues: issues}
	found.Note(f.Measure.Check(b.Kinds.AllMetrics().Names()))
	arm := &study.Arm{Name: v.Name, Overrides: v.Overrides, Values: valuesOf(v), File: f, Document: v.Document, Cache: b.Cache, Epsilons: b.Epsilons}
	// Without a sensible number of nodes nothing else can be built or checked.
	if f.Nodes < 1 || f.Nodes > limits.Nodes || b.Usage.Exceeded {
		return arm, found.Issues
	}
	a := &study.ArmFile{File: f, Kinds: b.Kinds, Name: v.Name, Doc: v.Document}
	family, err := study.AlgorithmOf(b, a)
	network := buildNetwork(b, a, found)
	arm.Effects, arm.Wire = network.Effects, network.Wire
	if found.Note(err); family == nil {
		// The other sections are checked as for the usual family.
		arm.Nodes = study.BuildNodes(b, a, topology.DoublyStochastic, found)
		return arm, found.Issues
	}
	arm.Adversaries = buildAdversaries(b, a, family, found)
	// Jobs of the plan read the arm, which is whole by then.
	arm.Algorithm, arm.Nodes = family.Build(b, arm, a, found)
	checkCodec(arm, family, found)
	if arm.Algorithm == nil {
		return arm, found.Issues
	}
	// A plan is whole even where other parts of the arm have faults.
	arm.Extent, arm.Privacy, arm.Recording = arm.Algorithm.Extent(), arm.Algorithm.Privacy(), arm.Algorithm.Recording()
	arm.Privacy.Accounts = startFrom(arm.Privacy.Accounts, arm.Privacy.Before)
	arm.Privacy.Accounts = append(slices.Clip(arm.Privacy.Accounts), namedObservers(arm, a, found)...)
	arm.Measures, arm.Budget = gauge.MeasuresOf(b.Kinds, arm.Recording.Answers), study.BudgetOf(arm)
	if len(found.Issues) > 0 {
		return arm, found.Issues
	}
	// Graphs come last: they may take seconds, and are of no use to an arm that is refused
	// anyway.
	arm.Points, arm.Measured = measurements(b, arm, found)
	if found.Note(checkBudget(arm)) && len(found.Issues) == 0 && arm.Topology.Checks {
		arm.Unchecked, err = checkTopology(b, arm)
		found.Note(err)
	}
	return arm, found.Issues
}

// buildNetwork returns the network of an arm, ideal without a section, and notes faults.
func buildNetwork(b *study.Builder, a *study.ArmFile, found *study.Faults) networks.Network {
	if a.Network == nil {
		return networks.Network{}
	}
	network, err := networks.Build(b.Kinds, study.NetworkSiteOf(b, a), a.Network)
	found.Note(err)
	return network
}

// checkCodec notes a fault if the algorithm of the arm cannot work with its codec.
func checkCodec(arm *study.Arm, family study.Algorithm, found *study.Faults) {
	switch {
	case !arm.Wire.Compresses():
	case !family.Traits().Compresses:
		found.At("network.compression", "this algorithm sends choices or counts, which a codec would change")
	case arm.Weights == topology.PushSum:
		found.At("network.compression", "push-sum sends masses, which have to arrive as they are")
	}
}

// valuesOf returns the settings of the arm, as results keep them.
func valuesOf(v study.Variant) (list []annotation.Value) {
	for _, a := range v.Assigned {
		list = append(list, annotation.Value{Path: a.Path, Value: a.Value.Text()})
	}
	return list
}

// startFrom returns accounts with the loss by the start of the run; nil adds nothing.
func startFrom(accounts []ledger.Account, b *ledger.Before) []ledger.Account {
	if b == nil {
		return accounts
	}
	accounts = slices.Clone(accounts)
	for i := range accounts {
		a := &accounts[i]
		a.Before = b
		if a.Why != "" {
			a.Why += "; "
		}
		a.Why += b.Text
	}
	return accounts
}

// buildAdversaries returns the liars of an arm, and notes faults.
func buildAdversaries(b *study.Builder, a *study.ArmFile, family study.Algorithm, found *study.Faults) *adversaries.Attackers {
	p, err := adversaries.Build(b.Kinds, a.Adversaries, a.Nodes)
	if !found.Note(err) || p == nil {
		return nil
	}
	switch {
	case !family.Traits().SupportsAdversaries:
		found.At("adversaries", "%s sends choices, or reads sums of what participants send: nobody can lie in it", a.AlgorithmName())
		return nil
	case p.Count >= a.Nodes:
		found.At("adversaries", "all nodes lie: %d of %d", p.Count, a.Nodes)
		return nil
	}
	return p.Draw(a.Nodes, a.Seeds.Base)
}
