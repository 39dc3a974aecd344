// Package adversaries reads the section adversaries of a scenario: the nodes that lie, and
// their lies. Plan is the checked section, and Liars are the nodes that are named or drawn.
// The attacks themselves are in actors/algorithm/adversary.
package adversaries

import (
	"math"
	"slices"

	"starling/actors/algorithm/adversary"
	"starling/scenarios/document"
	"starling/scenarios/kind"
	"starling/scenarios/section/networks"
)

// Common has the keys of all attacks.
type Common struct {
	Share float64           `yaml:"share" over:"0" under:"1" says:"a share of %v" unit:"share" doc:"share of the nodes that lie, of federated algorithms of the clients, to the nearest number of them; they are drawn from the first seed, and the same in all arms and runs; absent, nodes says who"`
	Nodes networks.NodeList `yaml:"nodes" unit:"node number" doc:"those that lie; absent, share says how many"`
}

// Section is the section of an attack with its options A.
type Section[A any] struct {
	Kind   string `yaml:"kind,required"`
	Common Common `yaml:",inline"`
	Attack A      `yaml:",inline"`
}

// Plan has the nodes that lie, and their attack.
type Plan struct {
	Kind string
	// Nodes are the named nodes, ascending; where there are none, Count nodes are to be drawn.
	Nodes []int
	Count int
	// Attack is the attack; nil for liars that send nothing.
	Attack adversary.Attack
}

// builder builds a plan for so many nodes; nil means that no node lies.
type builder = func(section *document.Node, nodes int) (*Plan, error)

// None returns the catalog's entry of no liars. It has the keys that all attacks share.
func None(name, summary string) kind.Kind {
	return kind.New(name, summary, Section[struct{}]{}, builder(func(section *document.Node, nodes int) (*Plan, error) {
		var s Section[struct{}]
		if err := document.Decode(section, &s); err != nil {
			return nil, err
		}
		return nil, section.Resolve(new(Plan).name(s.Common.Nodes, nodes))
	}))
}

// Silent returns the catalog's entry of nodes that send nothing.
func Silent(name, summary string) kind.Kind {
	return kind.New(name, summary, Section[struct{}]{}, builder(func(section *document.Node, nodes int) (*Plan, error) {
		return read[struct{}](section, nodes, func(struct{}) adversary.Attack { return nil })
	}))
}

// Kind returns the catalog's entry of an attack.
func Kind[A adversary.Attack](name, summary string) kind.Kind {
	return kind.New(name, summary, Section[A]{}, builder(func(section *document.Node, nodes int) (*Plan, error) {
		return read(section, nodes, func(a A) adversary.Attack { return a })
	}))
}

// read reads the section of an attack.
func read[A any](section *document.Node, nodes int, attack func(A) adversary.Attack) (*Plan, error) {
	var s Section[A]
	if err := document.Decode(section, &s); err != nil {
		return nil, err
	}
	p := &Plan{Kind: s.Kind, Attack: attack(s.Attack)}
	return p, section.Resolve(p.choose(&s.Common, nodes))
}

// choose sets the nodes that lie, or their number.
func (p *Plan) choose(c *Common, nodes int) error {
	switch {
	case (c.Share > 0) == (len(c.Nodes) > 0):
		return document.At("", "give share or nodes: how many lie, or who")
	case len(c.Nodes) == 0:
		if p.Count = int(math.Round(c.Share * float64(nodes))); p.Count == 0 {
			return document.At("share", "a share of %v of %d nodes is none", c.Share, nodes)
		}
		return nil
	}
	return p.name(c.Nodes, nodes)
}

// name sets the nodes that lie.
func (p *Plan) name(list []int, nodes int) error {
	p.Nodes = slices.Sorted(slices.Values(list))
	for i, node := range p.Nodes {
		if node < 1 || node > nodes {
			return document.At("nodes", "there is no node %d; nodes are 1 to %d", node, nodes)
		}
		if i > 0 && node == p.Nodes[i-1] {
			return document.At("nodes", "node %d is there twice", node)
		}
	}
	p.Count = len(p.Nodes)
	return nil
}

// Build returns the plan that a section names, by its kind in the catalog, for so many
// nodes; nil, also without a section, means that no node lies.
func Build(kinds *kind.Catalog, section *document.Node, nodes int) (*Plan, error) {
	if section == nil {
		return nil, nil
	}
	build, err := kind.Find[builder](kinds.Adversaries, section, "nodes")
	if err != nil {
		return nil, err
	}
	return build(section, nodes)
}
