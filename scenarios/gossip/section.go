package gossip

import (
	"math"

	"starling/actors/algorithm"
	"starling/actors/algorithm/inbox"
	"starling/actors/algorithm/mirror"
	"starling/mechanisms/robust"
	"starling/scenarios/document"
	"starling/scenarios/kind"
	"starling/scenarios/problem"
	"starling/scenarios/section/mechanisms"
	"starling/scenarios/section/networks"
	"starling/scenarios/section/topologies"
	"starling/scenarios/study"
)

// The problems and mechanisms that algorithms of equals take, for the table of combinations.
var (
	TakesCosts = kind.Takes[study.AsCosts]("online costs of nodes without a server")
	TakesNoise = kind.Takes[mechanisms.OnMessages]("noise on every message")
	// TakesNormal is for algorithms with noise in common.
	TakesNormal = kind.TakesWhere("Gaussian noise on every message", mechanisms.IsGaussian)
)

// Common are the keys that the section of every algorithm of equals has.
type Common struct {
	Start         []float64         `yaml:"start" unit:"coordinates" range:"a point of the set" doc:"x_1, a point of the set, d numbers; absent, where the problem says that its model begins, or the centre of the set"`
	Theta         *float64          `yaml:"theta" over:"0" says:"theta = %v" unit:"2-norm" doc:"bound on the 2-norm of every gradient; absent, the problem's own"`
	GradientBound algorithm.OnBound `yaml:"gradient_bound" oneof:"error clip" doc:"effect of a gradient longer than theta: error fails the run, clip scales it down to theta"`
	Missing       inbox.Missing     `yaml:"missing" oneof:"drop renormalise hold running-sum" doc:"treatment of messages that did not arrive: drop sums the others, renormalise scales their sum to the expected weight, hold reuses the last message of that neighbour; running-sum, only for push-sum, sends the sum of all vectors of a link, so that the next message makes up for a lost one"`
	Combine       *document.Node    `yaml:"combine" doc:"how a node makes one vector of those that it hears, where nodes may be Byzantine; absent, mean, the sum with the weights of the graph"`
	Late          algorithm.Late    `yaml:"late" oneof:"drop use" doc:"treatment of late messages: use takes them with the weight they were sent with, drop ignores them"`
	Feedback      *Feedback         `yaml:"feedback" doc:"feedback of a step; absent, the gradient"`
}

// DefaultCommon returns the common keys with their defaults.
func DefaultCommon() Common {
	return Common{GradientBound: algorithm.BoundError, Missing: inbox.MissingDrop, Late: algorithm.LateUse}
}

// Bound returns the bound on the gradients of a problem, or on their estimates.
func (c *Common) Bound(p problem.Problem) algorithm.Bound {
	b := algorithm.Bound{Theta: p.GradientBound(), On: c.GradientBound}
	if f := c.Bandit(); f != nil {
		b.Theta = f.Bound(p.Dim(), lossBound(p), b.Theta)
	}
	if c.Theta != nil {
		b.Theta = *c.Theta
	}
	return b
}

// Bounded returns a fault if gradients have no bound and the scenario gives none.
func (c *Common) Bounded(p problem.Problem) error {
	if !math.IsInf(c.Bound(p).Theta, 1) || c.Theta != nil {
		return nil
	}
	if c.Bandit() != nil {
		return document.At("algorithm.theta", "the estimates of gradients that losses of the problem %s give have no bound that is known: give algorithm.theta, with gradient_bound: clip to scale longer ones down", p.Kind())
	}
	return document.At("algorithm.theta", "the gradients of the problem %s have no bound of their own: give algorithm.theta, with gradient_bound: clip to scale longer ones down, or, of a logistic stream, normalise the features", p.Kind())
}

// starter is a problem that may fix its model's start under a seed; nil means any start.
type starter interface{ Start(seed uint64) []float64 }

// StartOf returns x_1 under a seed: the scenario's, or the start of the problem's model, or
// the centre of the set. The result may be the section's own slice.
func (c *Common) StartOf(p problem.Problem, seed uint64) []float64 {
	if c.Start != nil {
		return c.Start
	}
	if s, ok := p.(starter); ok {
		if x := s.Start(seed); x != nil {
			return x
		}
	}
	x := make([]float64, p.Dim())
	p.Set().Center(x) // it is the centre of the inner set of feedback, too
	return x
}

// rule returns the rule by which nodes combine messages, with a start.
func (c *Common) rule(nodes *study.Nodes, start []float64) *inbox.Rule {
	return &inbox.Rule{
		Missing: c.Missing, Late: c.Late == algorithm.LateUse, Start: start,
		Rows: nodes.Topology != nil && nodes.Topology.Demand(nodes.Weights).Rows,
	}
}

// Sums returns a fault if the section asks for running sums that are not possible: they need
// push-sum, and nodes that forget would break them. pushSum means that masses are sent.
func (c *Common) Sums(arm *study.Arm, pushSum bool) error {
	switch {
	case c.Missing != inbox.MissingRunningSum:
	case !pushSum:
		return document.At("algorithm.missing", "running-sum is for push-sum, which divides by the mass that arrives")
	case arm.Effects != nil && arm.Effects.Forgets:
		return document.At("algorithm.missing", "nodes that forget their state break running sums; leave forget out of the network, or take renormalise")
	}
	return nil
}

// Combining returns the rule that the section names, nil for the mean, and faults. adds
// is the reason why the algorithm can do with the mean alone; it is empty where the algorithm
// takes any rule. graphs are the arm's; nil if they have a fault.
func (c *Common) Combining(arm *study.Arm, graphs *topologies.Plan, f *study.ArmFile, adds string) (robust.Rule, error) {
	var found study.Faults
	if arm.Adversaries != nil && c.Missing == inbox.MissingRunningSum {
		found.At("adversaries", "an attack on a running sum changes all that was ever sent along the link, and takes itself back in the next; want another rule than missing: running-sum")
	}
	rule, err := networks.BuildRule(f.Kinds, c.Combine)
	if !found.Note(err) || rule == nil {
		return nil, found.Err()
	}
	if adds != "" {
		found.At("algorithm.combine", "%s; want mean", adds)
		return nil, found.Err()
	}
	found.Note(arm.CheckHeard(graphs, rule))
	return rule, found.Err()
}

// check returns the fault of the start that its type and tags do not exclude.
func (c *Common) check(set mirror.Set) error {
	if c.Start == nil {
		return nil
	}
	return c.startIn(set, c.Start)
}

// ReadMechanism reads the mechanism of an algorithm's arm. Without a section the result is the
// zero value.
func ReadMechanism(f *study.ArmFile, name string) (mechanisms.Additive, error) {
	return readMechanism(f, TakesNoise, name)
}

// readMechanism is ReadMechanism for algorithms that take some of the mechanisms on messages.
func readMechanism(f *study.ArmFile, want kind.Want, name string) (m mechanisms.Additive, err error) {
	if f.Mechanism == nil {
		return m, nil // this is a fault of its own
	}
	section, err := kind.AsAny(f.Kinds.Mechanisms, f.Mechanism, want, "the algorithm "+name)
	if err != nil {
		return m, err
	}
	return mechanisms.VariedOf(section.(mechanisms.OnMessages), f.Mechanism)
}
