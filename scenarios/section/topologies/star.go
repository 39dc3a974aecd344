package topologies

import (
	"starling/actors/topology"
	"starling/scenarios/document"
	"starling/scenarios/kind"
)

// ServerOf returns the plan of a server and its nodes: a star of at.Nodes nodes and, where the section
// has one, the schedule of their meetings. The algorithm adds the graphs. An error has the place of
// every fault.
func (at Site) ServerOf(section *document.Node) (*Plan, error) {
	s, err := kind.AsAny(at.Kinds, section, TakesStar, at.Whom)
	if err != nil {
		return nil, err
	}
	plan := &Plan{Section: section, nodes: at.Nodes}
	meets, ok := s.(Meets)
	if !ok || meets.schedule() == nil {
		return plan, nil
	}
	plan.common = &Common{Schedule: meets.schedule()}
	node, _ := section.Get("schedule")
	if err := plan.common.Schedule.Validate(at.Nodes); err != nil {
		return nil, node.Resolve(err)
	}
	err = plan.common.readSchedule(at, node)
	plan.Data = plan.common.digests
	if err == nil && plan.common.staggered() {
		err = node.Resolve(document.At("", "a server and its clients meet in the same steps; want no offsets, each, or column of nodes"))
	}
	return plan, err
}

// Times returns the times of the schedule under a seed; nil is every step. A nil plan has none.
func (t *Plan) Times(seed uint64) *topology.Times {
	if t.Schedule() == nil {
		return nil
	}
	return t.common.times(t.nodes, seed)
}
