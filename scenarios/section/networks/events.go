package networks

import (
	"cmp"
	"fmt"
	"slices"

	"starling/actors/network"
	"starling/messages"
	"starling/scenarios/document"
)

// NodeList is a list of nodes in a scenario, by their labels: a list, or one number alone.
// crash: 3 is crash: [3].
type NodeList []int

// DecodeNode implements document.NodeDecoder.
func (l *NodeList) DecodeNode(node *document.Node) error {
	var list []int
	if node.Kind() == document.Integer {
		list = make([]int, 1)
		if err := document.Decode(node, &list[0]); err != nil {
			return err
		}
	} else if err := document.Decode(node, &list); err != nil {
		return err
	}
	*l = list
	return nil
}

// eventSection is an event of the file. It begins at a step, and ends before another. One
// event may do several things to several nodes, at the same step. The zero values of the
// fields do nothing.
//
//	partition   ends before until, or with a heal that names it or names none
//	crash       ends before until, or with a recover of the node
//	straggle    ends before until
//	join        the node is down from the first turn to the event
//	leave       the node is down from the event to the last turn
type eventSection struct {
	At        int      `yaml:"at,required" min:"1" says:"step %v" unit:"steps" doc:"first step of it"`
	Until     int      `yaml:"until" min:"0" says:"step %v" unit:"steps" doc:"first step after it; absent, it ends with heal or recover, or does not"`
	Partition [][]int  `yaml:"partition" unit:"node numbers" range:"1 to the number of nodes" doc:"groups of nodes that cannot reach each other; nodes in none are one more; absent, none"`
	Name      string   `yaml:"name" range:"any text" doc:"of the partition, for heal to name it; absent, it has none"`
	Heal      bool     `yaml:"heal" doc:"ends the partition that name names or, without a name, all that there are"`
	Crash     NodeList `yaml:"crash" unit:"node number" doc:"nodes that are down; absent, none"`
	Recover   NodeList `yaml:"recover" unit:"node number" doc:"nodes whose crash ends; absent, none"`
	Join      NodeList `yaml:"join" unit:"node number" doc:"nodes that are not there before; absent, none"`
	Leave     NodeList `yaml:"leave" unit:"node number" doc:"nodes that are not there after; absent, none"`
	Straggle  NodeList `yaml:"straggle" unit:"node number" doc:"nodes whose messages come late; absent, none"`
	Turns     int      `yaml:"turns" min:"0" max:"1048576" unit:"turns" doc:"by how many turns those that straggle are late; absent, 0"`
	Forget    bool     `yaml:"forget" doc:"nodes that crash lose their state"`
}

// refuseRewire refuses events that change edges, and names the section for them: edges belong
// to the graph, with its weights.
func refuseRewire(section *document.Node) error {
	events, _ := section.Get("events")
	if events == nil || events.Kind() != document.Sequence {
		return nil
	}
	for _, event := range events.Items() {
		if rewire, given := event.Get("rewire"); given {
			return rewire.Issuef("edges belong to the graph: want the event under topology.events, as {at: 3, rewire: {add: [[1, 2]], remove: [[2, 3]]}}")
		}
	}
	return nil
}

// checkEvents refuses events that name nodes or steps that cannot exist, and events that heal
// or recover without effect, which are mistakes in the file.
func checkEvents(events []eventSection, at Site) error {
	for i := range events {
		if err := events[i].check(i, at); err != nil {
			return err
		}
	}
	return checkEnds(events)
}

// eventError returns an error at a key of event i.
func eventError(i int, key, format string, args ...any) error {
	return document.At(fmt.Sprintf("events[%d].%s", i, key), format, args...)
}

// check refuses faults of event i alone. Errors name the key of the event, such as
// events[2].until.
func (e *eventSection) check(i int, at Site) error {
	switch {
	case e.Until != 0 && e.Until <= e.At:
		return eventError(i, "until", "step %d is not after step %d, at which it begins", e.Until, e.At)
	case e.Name != "" && len(e.Partition) == 0 && !e.Heal:
		return eventError(i, "name", "names nothing; want it with partition or heal")
	case e.Heal && len(e.Partition) > 0:
		return eventError(i, "heal", "the event heals and partitions; want two events")
	}
	lists := append([][]int{e.Crash, e.Recover, e.Join, e.Leave, e.Straggle}, e.Partition...)
	for k, key := range []string{"crash", "recover", "join", "leave", "straggle"} {
		if err := checkLabels(lists[k], at.Labels); err != nil {
			return eventError(i, key, "%v", err)
		}
	}
	for _, group := range e.Partition {
		if err := checkLabels(group, at.Labels); err != nil {
			return eventError(i, "partition", "%v", err)
		}
	}
	if len(e.Straggle) > 0 && e.Turns < 1 {
		return eventError(i, "turns", "%d turns; stragglers are late by at least 1", e.Turns)
	}
	for _, node := range e.Straggle {
		if server := at.First; node > at.Nodes && at.isLocal(node, server) {
			return eventError(i, "straggle", "node %d is a client, and data that it hands its learner cross no network", node)
		}
	}
	for _, node := range e.Recover {
		if slices.Contains(e.Crash, node) {
			return eventError(i, "recover", "node %d crashes and recovers in one event", node)
		}
	}
	return nil
}

// checkLabels refuses numbers of nodes that do not exist.
func checkLabels(list []int, nodes Labels) error {
	for _, node := range list {
		if !nodes.has(node) {
			return fmt.Errorf("node %d is not one of %s", node, nodes)
		}
	}
	return nil
}

// healedBy reports whether event f ends the partition e: f heals after e begins, before e ends
// by itself, and names e or names none.
func (e *eventSection) healedBy(f *eventSection) bool {
	return f.Heal && f.At > e.At && (e.Until == 0 || f.At < e.Until) && (f.Name == "" || f.Name == e.Name)
}

// recoversBy reports whether event f ends the crash of a node by e.
func (e *eventSection) recoversBy(f *eventSection, node int) bool {
	return slices.Contains(f.Recover, node) && f.At > e.At && (e.Until == 0 || f.At < e.Until)
}

// first returns the step at which e is over: the step of the earliest event that ends it, or
// its own until. 0 means no end. ends reports whether an event ends e.
func (e *eventSection) first(events []eventSection, ends func(*eventSection) bool) int {
	// Several events may end this one; the earliest counts.
	until := e.Until
	for k := range events {
		if f := &events[k]; ends(f) && (until == 0 || f.At < until) {
			until = f.At
		}
	}
	return until
}

// checkEnds refuses events that heal a network without a partition, or recover a node that is
// up. A heal has an effect if some partition ends at its step, by it: a partition that an
// earlier heal has ended already does not count. It looks at all pairs of events, of which a
// file has few.
func checkEnds(events []eventSection) error {
	for i := range events {
		f := &events[i]
		heals := slices.ContainsFunc(events, func(e eventSection) bool {
			return len(e.Partition) > 0 && e.healedBy(f) &&
				e.first(events, func(g *eventSection) bool { return e.healedBy(g) }) == f.At
		})
		if f.Heal && !heals {
			what := "partition"
			if f.Name != "" {
				what += " " + f.Name
			}
			return eventError(i, "heal", "there is no %s to heal at step %d", what, f.At)
		}
		for _, node := range f.Recover {
			recovers := slices.ContainsFunc(events, func(e eventSection) bool {
				return slices.Contains(e.Crash, node) && e.recoversBy(f, node) &&
					e.first(events, func(g *eventSection) bool { return e.recoversBy(g, node) }) == f.At
			})
			if !recovers {
				return eventError(i, "recover", "node %d is not crashed at step %d", node, f.At)
			}
		}
	}
	return nil
}

// addEvents adds the events to the options of a network, their times in turns and their
// nodes as ids. turn gives the first turn of a step, and network.Forever for a step after
// the run. events have been checked. A join becomes an outage from turn 0 on, and a leave
// one without end: package network knows no other way to be away.
func addEvents(o *network.Options, events []eventSection, firstLabel int, turn func(step int) int) {
	// Labels are the paper's numbers; ids count from 0.
	ids := func(labels []int) []messages.NodeID {
		list := make([]messages.NodeID, len(labels))
		for i, label := range labels {
			list[i] = messages.NodeID(label - firstLabel)
		}
		return list
	}
	for i := range events {
		e := &events[i]
		span := func(until int) network.Interval {
			if until == 0 {
				return network.Interval{First: turn(e.At), End: network.Forever}
			}
			return network.Interval{First: turn(e.At), End: turn(until)}
		}
		begins := turn(e.At)
		if len(e.Join) > 0 && begins > 0 {
			o.Outages = append(o.Outages, network.Outage{Nodes: ids(e.Join), Interval: network.Interval{First: 0, End: begins}})
		}
		if begins == network.Forever {
			continue // the run ends before it begins
		}
		if len(e.Partition) > 0 {
			p := network.Partition{Interval: span(e.first(events, e.healedBy))}
			for _, group := range e.Partition {
				p.Groups = append(p.Groups, ids(group))
			}
			o.Partitions = append(o.Partitions, p)
		}
		for _, crash := range e.crashes(events) {
			o.Outages = append(o.Outages, network.Outage{Nodes: ids(crash.nodes), Interval: span(crash.until), Forget: e.Forget})
		}
		if len(e.Leave) > 0 {
			o.Outages = append(o.Outages, network.Outage{Nodes: ids(e.Leave), Interval: network.Interval{First: begins, End: network.Forever}})
		}
		if len(e.Straggle) > 0 {
			o.Stragglings = append(o.Stragglings, network.Straggling{Nodes: ids(e.Straggle), Interval: span(e.Until), Turns: e.Turns})
		}
	}
}

// crash is a group of nodes of an event that recover together, at the step until. Nodes that
// one event crashes may recover by different events; each group is an outage of its own.
type crash struct {
	until int // 0 means never
	nodes []int
}

// crashes returns the nodes that an event crashes, in groups by the step of their recovery, in
// ascending order of that step, so that the options of a network are the same for the same
// file.
func (e *eventSection) crashes(events []eventSection) []crash {
	var list []crash
	for _, node := range e.Crash {
		until := e.first(events, func(f *eventSection) bool { return e.recoversBy(f, node) })
		k, found := slices.BinarySearchFunc(list, until, func(c crash, until int) int { return cmp.Compare(c.until, until) })
		if !found {
			list = slices.Insert(list, k, crash{until: until})
		}
		list[k].nodes = append(list[k].nodes, node)
	}
	return list
}
