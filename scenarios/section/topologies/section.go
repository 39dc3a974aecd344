package topologies

import (
	"errors"

	"starling/actors/topology"
	"starling/scenarios/document"
	"starling/scenarios/inputs"
	"starling/scenarios/kind"
	"starling/scenarios/limits"
)

// Common has the keys of every topology of nodes without a server, besides the keys of its
// kind: sections have it inline.
type Common struct {
	Kind      string              `yaml:"kind,required"`
	Weights   string              `yaml:"weights" oneof:"checked unchecked" doc:"checked demands doubly stochastic weights (column stochastic ones for push-sum) and strongly connected windows (Assumption 1 of DPDO-NC), unchecked does not; no weight is ever negative, and the sums that a weighting makes hold"`
	Window    int                 `yaml:"window" min:"1" says:"%v steps" unit:"steps" doc:"B: the union of the graphs of every B steps is strongly connected; absent, the smallest that holds is found"`
	Weighting *topology.Weighting `yaml:"weighting" doc:"weights by a rule; absent, the weights of the kind; an undirected kind without weights has metropolis"`
	Schedule  *topology.Schedule  `yaml:"schedule" doc:"the steps in which nodes send; absent, every step"`
	Script    topology.Script     `yaml:",inline"`

	// listed are the times of the schedule's file, and apart is true if nodes send in different
	// steps by it. digests are of that file.
	listed  *topology.Times
	apart   bool
	digests []inputs.Digest
}

// The values of topology.weights: whether the weights are checked against the demand of the
// algorithm.
const (
	WeightsChecked   = "checked"
	WeightsUnchecked = "unchecked"
)

// shared returns the keys of every topology.
func (c *Common) shared() *Common { return c }

// The interfaces of sections. A topology of nodes without a server is Designed or Composed.
type (
	// Designed is the section of graphs that follow from its keys, the number of nodes and a
	// seed.
	Designed interface {
		shared() *Common // by Common
		Design(nodes int, seed uint64) Design
	}
	// Composed is the section of graphs that also follow from other sections, from files, or
	// from stated weights.
	Composed interface {
		shared() *Common
		compose(at Site, section *document.Node) (generated, error)
	}
	// Served is the section of a server and the nodes that it serves. The algorithm knows the
	// graph.
	Served interface{ Served() }
	// Meets is Served in the steps of a schedule; nil is every step.
	Meets interface {
		Served
		schedule() *topology.Schedule
	}
)

// The topologies that algorithms take.
var (
	TakesEquals = kind.Takes[Designed]("a topology of nodes without a server").Or(kind.Takes[Composed](""))
	TakesStar   = kind.Takes[Served]("a server and its clients")
)

// Default returns a section with the defaults of the keys of every topology, for the catalog.
func Default[S any, P interface {
	*S
	shared() *Common
}]() (s S) {
	P(&s).shared().Weights = WeightsChecked
	return s
}

// Star is the section of a server and the nodes that it serves. The algorithm knows the graph.
type Star struct {
	Kind     string             `yaml:"kind,required"`
	Schedule *topology.Schedule `yaml:"schedule" doc:"the steps in which the server and its clients meet, of algorithms whose rounds have no key of their own for it; a client takes the local steps of all steps since; absent, every step"`
}

// Served implements Served.
func (*Star) Served() {}

// schedule implements Meets.
func (s *Star) schedule() *topology.Schedule { return s.Schedule }

// Site is the place of a topology: its numbers of nodes and steps, and whether it is the
// network or a part of another topology.
type Site struct {
	// Nodes is N, and Horizon the number of steps that are examined.
	Nodes, Horizon int
	Weights        topology.Demand // the algorithm's demand on the weights
	// Data reads and notes files. Usage counts the resources that all arms together have
	// taken.
	Data  *inputs.Folder
	Usage *limits.Usage
	// Kinds are the topologies of the catalog, and Whom names the algorithm in errors.
	Kinds []kind.Kind
	Whom  string
	// nested is true if the topology is a part of another, pattern if only its edges are used.
	nested, pattern bool
}

// part builds a topology inside another.
func (at Site) part(section *document.Node, pattern bool) (*Plan, error) {
	at.nested, at.pattern = true, pattern
	whole := []string{"weights", "window", "events"}
	if pattern {
		whole = append(whole, "weighting")
	}
	var issues document.Issues
	for _, key := range whole {
		if node, given := section.Get(key); given {
			issues = append(issues, node.Issuef("%s is for the whole network to say, not for a part of it", key))
		}
	}
	if issues != nil {
		return nil, errors.Join(issues, kind.Check(at.Kinds, section, TakesEquals, at.Whom))
	}
	return at.Build(section)
}

// Build returns the checked topology of a section, by its kind in the catalog. An error has
// the place of every fault.
func (at Site) Build(section *document.Node) (*Plan, error) {
	s, err := kind.AsAny(at.Kinds, section, TakesEquals, at.Whom)
	if err != nil {
		return nil, err
	}
	common := s.(interface{ shared() *Common }).shared()
	if err := common.check(at, section); err != nil {
		return nil, err
	}
	var g generated
	if designed, ok := s.(Designed); ok {
		g, err = at.draw(section, designed)
	} else {
		g, err = s.(Composed).compose(at, section)
	}
	if err != nil {
		return nil, err
	}
	return at.plan(section, common, g)
}

// check makes the checks that need no graph: of the rule for weights, of the schedule, and of
// the script's nodes.
func (c *Common) check(at Site, section *document.Node) error {
	if at.nested {
		c.Weights = WeightsUnchecked // the whole is checked
	}
	if c.Weighting != nil {
		if err := c.Weighting.Validate(); err != nil {
			weighting, _ := section.Get("weighting")
			return weighting.Resolve(err)
		}
	}
	if schedule, _ := section.Get("schedule"); c.Schedule != nil {
		if err := c.Schedule.Validate(at.Nodes); err != nil {
			return schedule.Resolve(err)
		}
		if err := c.readSchedule(at, schedule); err != nil {
			return err
		}
	}
	return section.Resolve(c.Script.Validate(at.Nodes))
}
