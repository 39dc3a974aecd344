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
	"starling/scenarios/metric"
	"starling/scenarios/section/networks"
	"starling/scenarios/study"
)

// New returns an arm, with its graphs checked under the first seed. It is of use only if there
// are no issues.
func New(b *study.Builder, v study.Variant) (*study.Arm, document.Issues) {
	own, match, err := calibrated(b, v)
	if err != nil {
		return &study.Arm{Name: v.Name, Document: v.Document}, v.Document.Resolve("", err)
	}
	arm, err := build(b, own)
	arm.Document, arm.File.Match = v.Document, match // which results quote
	return arm, v.Document.Resolve("", err)
}

// build is New with the faults as one error.
func build(b *study.Builder, v study.Variant) (*study.Arm, error) {
	arm, err := planned(b, v)
	if err != nil || arm.Algorithm == nil {
		return arm, err
	}
	// Graphs come last: they may take seconds, and are of no use to an arm that is refused
	// anyway.
	var found study.Faults
	arm.Points, arm.Measured, err = measurements(b, arm)
	found.Note(err)
	if len(found) == 0 {
		owners, metrics, err := record(b, arm)
		if found.Note(err) {
			arm.Owners, arm.Recording.Metrics = owners, metrics
			found.Note(checkOwners(arm))
			arm.Recording.Metrics, err = windows(b, arm)
			found.Note(err)
			remarkOnRecords(b, arm)
			remarkOnSilence(b, arm)
		}
	}
	if found.Note(checkBudget(arm)) && len(found) == 0 && arm.Topology.Checks {
		arm.Unchecked, err = checkTopology(b, arm)
		found.Note(err)
	}
	return arm, found.Err()
}

// planned returns an arm with its plan, before the checks of its budget and its graphs.
func planned(b *study.Builder, v study.Variant) (*study.Arm, error) {
	var found study.Faults
	f, issues := study.DecodeFile(v.Document)
	found.Note(issues.Err())
	found.Note(f.Measure.Check(b.Kinds.AllMetrics().Names()))
	arm := &study.Arm{Name: v.Name, Overrides: v.Overrides, Values: valuesOf(v), File: f, Document: v.Document, Cache: b.Cache, Epsilons: b.Epsilons}
	// Without a sensible number of nodes nothing else can be built or checked.
	if f.Nodes < 1 || f.Nodes > limits.Population || b.Usage.Exceeded {
		return arm, found.Err()
	}
	a := &study.ArmFile{File: f, Kinds: b.Kinds, Name: v.Name, Doc: v.Document}
	family, unknown := study.AlgorithmOf(b, a)
	if f.Nodes > limits.Nodes && !population(family, a) {
		found.At("nodes", "%d nodes, each with a state of its own; want at most %d, or an algorithm of a server that draws the clients of a round, with draw: server", f.Nodes, limits.Nodes)
		return arm, found.Err()
	}
	held := !population(family, a) // else the plan refuses both sections that follow
	var err error
	clocked := a.Clock != nil && family != nil && family.Traits().Clocked
	if held || clocked && networks.HasSeconds(a.Network) {
		network, err := buildNetwork(b, a)
		found.Note(err)
		arm.Wire = network.Wire
		arm.Effects, arm.Delays, err = study.Delayed(network, clocked)
		found.Note(err)
	}
	if found.Note(unknown); family == nil {
		// The other sections are checked as for the usual family.
		arm.Nodes, err = study.BuildNodes(b, a, topology.DoublyStochastic)
		found.Note(err)
		return arm, found.Err()
	}
	if held {
		arm.Adversaries, err = buildAdversaries(b, a, family)
		found.Note(err)
	}
	found.Note(checkClock(a, family))
	// Jobs of the plan read the arm, which is whole by then.
	a.Faulty = len(found) > 0
	arm.Algorithm, arm.Nodes, err = family.Build(b, arm, a)
	found.Note(err)
	found.Note(checkCodec(arm, family))
	if len(found) == 0 && arm.Algorithm != nil {
		found.Note(arm.Effects.Time(arm.Topology.Ticking(), arm.Topology.Ticks))
	}
	if arm.Algorithm == nil {
		return arm, found.Err()
	}
	// A plan is whole even where other parts of the arm have faults.
	arm.Extent, arm.Privacy, arm.Recording = arm.Algorithm.Extent(), arm.Algorithm.Privacy(), arm.Algorithm.Recording()
	if a.Measure.Levels {
		arm.Privacy.Accounts = append(slices.Clip(arm.Privacy.Accounts), arm.Privacy.Servers.Accounts...)
	}
	arm.Privacy.Accounts = startFrom(arm.Privacy.Accounts, arm.Privacy.Before)
	if len(found) == 0 {
		named, err := namedObservers(arm, a)
		found.Note(err)
		arm.Privacy.Accounts = append(slices.Clip(arm.Privacy.Accounts), named...)
	}
	arm.Privacy.Accounts, err = study.OwnDeltas(b, arm, arm.Document)
	found.Note(err)
	found.Note(study.OwnBudgets(b, arm, arm.Document))
	arm.Measures, arm.Budget = gauge.MeasuresOf(b.Kinds, arm.Recording.Answers), study.BudgetOf(arm)
	return arm, found.Err()
}

// population reports whether a run of an arm holds the clients of a round alone.
func population(family study.Algorithm, a *study.ArmFile) bool {
	return family != nil && family.Traits().Population != nil && family.Traits().Population(a.Algorithm)
}

// buildNetwork returns the network of an arm, ideal without a section, and its faults.
func buildNetwork(b *study.Builder, a *study.ArmFile) (networks.Network, error) {
	if a.Network == nil {
		return networks.Network{}, nil
	}
	return networks.Build(b.Kinds, study.NetworkSiteOf(b, a), a.Network)
}

// checkCodec returns a fault if the algorithm of the arm cannot work with its codec.
func checkCodec(arm *study.Arm, family study.Algorithm) error {
	switch {
	case !arm.Wire.Compresses():
	case !family.Traits().Compresses:
		return document.At("network.compression", "this algorithm sends choices or counts, which a codec would change")
	case arm.Weights == topology.PushSum:
		return document.At("network.compression", "push-sum sends masses, which have to arrive as they are")
	}
	return nil
}

// checkClock returns the faults of the clock of an arm.
func checkClock(a *study.ArmFile, family study.Algorithm) error {
	switch {
	case a.Clock == nil:
		return nil
	case !family.Traits().Clocked:
		return document.At("clock", "rounds of %s have no seconds; leave this out", a.AlgorithmName())
	}
	return a.Doc.Resolve("clock", a.Clock.Check()).Err()
}

// valuesOf returns the settings of the arm, as results keep them.
func valuesOf(v study.Variant) (list []metric.ArmValue) {
	for _, a := range v.Assigned {
		list = append(list, metric.ArmValue{Path: a.Path, Value: a.Value.Text()})
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

// buildAdversaries returns the liars of an arm; nil without any, and where there is a fault.
func buildAdversaries(b *study.Builder, a *study.ArmFile, family study.Algorithm) (*networks.Attackers, error) {
	p, err := networks.BuildAdversaries(b.Kinds, a.Adversaries, a.Nodes)
	if err != nil || p == nil {
		return nil, err
	}
	switch {
	case !family.Traits().SupportsAdversaries:
		return nil, document.At("adversaries", "%s sends choices, or reads sums of what participants send: none can be Byzantine", a.AlgorithmName())
	case p.Count >= a.Nodes:
		return nil, document.At("adversaries", "all nodes are Byzantine: %d of %d", p.Count, a.Nodes)
	}
	return p.Draw(a.Nodes, a.Seeds.Base), nil
}
