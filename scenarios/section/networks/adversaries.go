package networks

import (
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/scenarios/document"
	"starling/scenarios/kind"
)

// CommonAttack has the keys of all attacks.
type CommonAttack struct {
	Share float64  `yaml:"share" over:"0" under:"1" says:"a share of %v" unit:"share" doc:"share of the nodes that are Byzantine, of federated algorithms of the clients, to the nearest number of them; they are drawn from the first seed, and the same in all arms and runs; absent, nodes says who"`
	Nodes NodeList `yaml:"nodes" unit:"node number" doc:"the Byzantine nodes; absent, share says how many"`
}

// Adversaries is the section of adversaries, which has been decoded.
type Adversaries interface {
	// AttackPlan returns the plan for so many nodes; nil means that no node lies. The error comes
	// from the keys.
	Plan(nodes int) (*AttackPlan, error)
}

// AttackPlan has the nodes that lie, and their attack.
type AttackPlan struct {
	Kind string
	// Nodes are the named nodes, ascending; where there are none, Count nodes are to be drawn.
	Nodes []int
	Count int
	// Attack is the attack; nil for liars that send nothing.
	Attack algorithm.Attack
}

// NoAttack is the section of no liars. It has the keys that all attacks share.
type NoAttack struct {
	Kind         string `yaml:"kind,required"`
	CommonAttack `yaml:",inline"`
}

// AttackPlan implements Adversaries.
func (s *NoAttack) Plan(nodes int) (*AttackPlan, error) {
	return nil, new(AttackPlan).name(s.Nodes, nodes)
}

// SilentAttack is the section of nodes that send nothing.
type SilentAttack struct {
	Kind         string `yaml:"kind,required"`
	CommonAttack `yaml:",inline"`
}

// AttackPlan implements Adversaries.
func (s *SilentAttack) Plan(nodes int) (*AttackPlan, error) {
	p := &AttackPlan{Kind: s.Kind}
	return p, p.choose(&s.CommonAttack, nodes)
}

// AttackSection is the section of an attack with its options A.
type AttackSection[A algorithm.Attack] struct {
	Kind         string `yaml:"kind,required"`
	CommonAttack `yaml:",inline"`
	Options      A `yaml:",inline"`
}

// AttackPlan implements Adversaries.
func (s *AttackSection[A]) Plan(nodes int) (*AttackPlan, error) {
	p := &AttackPlan{Kind: s.Kind, Attack: s.Options}
	return p, p.choose(&s.CommonAttack, nodes)
}

// choose sets the nodes that lie, or their number.
func (p *AttackPlan) choose(c *CommonAttack, nodes int) error {
	switch {
	case (c.Share > 0) == (len(c.Nodes) > 0):
		return document.At("", "give share or nodes: the share of Byzantine nodes, or their numbers")
	case len(c.Nodes) == 0:
		if p.Count = int(math.Round(c.Share * float64(nodes))); p.Count == 0 {
			return document.At("share", "a share of %v of %d nodes is none", c.Share, nodes)
		}
		return nil
	}
	return p.name(c.Nodes, nodes)
}

// name sets the nodes that lie.
func (p *AttackPlan) name(list []int, nodes int) error {
	p.Nodes = slices.Sorted(slices.Values(list))
	for i, node := range p.Nodes {
		if node < 1 || node > nodes {
			return document.At("nodes", "there is no node %d; nodes are 1 to %d", node, nodes)
		}
		if i > 0 && node == p.Nodes[i-1] {
			return document.At("nodes", "node %d is given twice", node)
		}
	}
	p.Count = len(p.Nodes)
	return nil
}

// BuildAdversaries returns the plan that a section names, by its kind in the catalog, for so many
// nodes; nil, also without a section, means that no node lies.
func BuildAdversaries(kinds *kind.Catalog, section *document.Node, nodes int) (*AttackPlan, error) {
	if section == nil {
		return nil, nil
	}
	s, err := kind.As[Adversaries](kinds.Adversaries, section, "nodes")
	if err != nil {
		return nil, err
	}
	p, err := s.Plan(nodes)
	return p, section.Resolve(err)
}
