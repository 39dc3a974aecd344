package topology

import (
	"fmt"
	"slices"

	"starling/actors/option"
	"starling/messages"
)

// Event changes the network from a step on. Steps and nodes count from 1 here, as in papers
// and scenarios. An event does at least one thing; if it does several, the order is that in
// which the fields stand.
type Event struct {
	At        int     `yaml:"at,required" unit:"steps" range:"1 to the horizon" doc:"the step, from 1, from which on it holds"`
	Rewire    *Rewire `yaml:"rewire" doc:"edges that come and go, until another rewire says otherwise"`
	Heal      bool    `yaml:"heal" doc:"ends the partition"`
	Partition [][]int `yaml:"partition" unit:"node numbers" range:"1 to the number of nodes" doc:"groups of nodes, between which all edges are cut until heal or the next partition; the nodes not listed are one more group; absent, none"`
	Crash     int     `yaml:"crash" unit:"node number" range:"1 to the number of nodes" doc:"a node that from now on is without edges, its self-loop included; absent, none"`
	Recover   int     `yaml:"recover" unit:"node number" range:"1 to the number of nodes" doc:"a node whose crash is over; absent, none"`
}

// Rewire lists edges as pairs of nodes, from and to, from 1. An edge that is
// added where there is one changes nothing, nor does one that is removed where
// there is none. An added edge has weight 1.
type Rewire struct {
	Add      [][2]int `yaml:"add" unit:"node numbers" range:"1 to the number of nodes" doc:"edges that are there from now on: pairs of from and to; absent, none"`
	Remove   [][2]int `yaml:"remove" unit:"node numbers" range:"1 to the number of nodes" doc:"edges that are gone from now on: pairs of from and to; absent, none"`
	Directed bool     `yaml:"directed" doc:"pairs are edges one way; otherwise both ways"`
}

// Script is a list of events, applied on top of any sequence. Crashes and partitions cut
// rewired edges too. Edges that remain keep their weights of the sequence below: a Weighting
// belongs above the script.
type Script struct {
	Events []Event `yaml:"events" doc:"events of the network, in any order; events of one step in the order listed; absent, none"`
}

// Validate checks the events for a network of so many nodes. It returns an *option.Error with
// the path of the fault, such as events[2].crash.
func (s Script) Validate(nodes int) error {
	for k, e := range s.Events {
		if err := e.validate(fmt.Sprintf("events[%d]", k), nodes); err != nil {
			return err
		}
	}
	return s.checkOrder(nodes)
}

// validate checks one event by itself.
func (e Event) validate(path string, nodes int) error {
	if e.At < 1 {
		return option.Errorf(path+".at", "at is %d, want at least 1", e.At)
	}
	if e.Rewire == nil && !e.Heal && e.Partition == nil && e.Crash == 0 && e.Recover == 0 {
		return option.Errorf(path, "the event does nothing, want rewire, heal, partition, crash or recover")
	}
	if e.Heal && e.Partition != nil {
		return option.Errorf(path+".heal", "the event heals and partitions, want one; a partition replaces the one before")
	}
	for _, node := range []struct {
		field string
		id    int
	}{{"crash", e.Crash}, {"recover", e.Recover}} {
		if node.id < 0 || node.id > nodes {
			return option.Errorf(path+"."+node.field, "node %d, want 1 to %d", node.id, nodes)
		}
	}
	if err := checkGroups(path+".partition", e.Partition, nodes); err != nil || e.Rewire == nil {
		return err
	}
	return e.Rewire.validate(path+".rewire", nodes)
}

// checkGroups refuses groups that are no partition.
func checkGroups(path string, groups [][]int, nodes int) error {
	listed := make(map[int]bool)
	for a, group := range groups {
		if len(group) == 0 {
			return option.Errorf(fmt.Sprintf("%s[%d]", path, a), "group %d is empty", a+1)
		}
		for b, node := range group {
			at := fmt.Sprintf("%s[%d][%d]", path, a, b)
			if node < 1 || node > nodes {
				return option.Errorf(at, "node %d, want 1 to %d", node, nodes)
			}
			if listed[node] {
				return option.Errorf(at, "node %d is listed twice", node)
			}
			listed[node] = true
		}
	}
	if groups != nil && (len(groups) == 0 || len(groups) == 1 && len(listed) == nodes) {
		return option.Errorf(path, "the partition cuts nothing, want at least two groups")
	}
	return nil
}

// validate refuses a rewire without edges, or with nodes that do not exist.
func (r Rewire) validate(path string, nodes int) error {
	if len(r.Add)+len(r.Remove) == 0 {
		return option.Errorf(path, "no edges, want add or remove")
	}
	for _, list := range []struct {
		field string
		edges [][2]int
	}{{"add", r.Add}, {"remove", r.Remove}} {
		for k, e := range list.edges {
			for end, node := range e {
				if node < 1 || node > nodes {
					return option.Errorf(fmt.Sprintf("%s.%s[%d][%d]", path, list.field, k, end), "node %d, want 1 to %d", node, nodes)
				}
			}
		}
	}
	return nil
}

// inOrder returns the positions of the events in order of their steps.
func (s Script) inOrder() []int {
	order := make([]int, len(s.Events))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return s.Events[a].At - s.Events[b].At })
	return order
}

// checkOrder plays the events through: a node that recovers has crashed, and a heal follows a
// partition.
func (s Script) checkOrder(nodes int) error {
	crashed, cut := make([]bool, nodes+1), false
	for _, k := range s.inOrder() {
		e, path := s.Events[k], fmt.Sprintf("events[%d]", k)
		switch {
		case e.Heal && !cut:
			return option.Errorf(path+".heal", "there is no partition to heal at step %d", e.At)
		case e.Crash > 0 && crashed[e.Crash]:
			return option.Errorf(path+".crash", "node %d is crashed already at step %d", e.Crash, e.At)
		case e.Crash > 0 && e.Crash == e.Recover:
			return option.Errorf(path+".recover", "node %d crashes and recovers in one event", e.Recover)
		case e.Recover > 0 && !crashed[e.Recover]:
			return option.Errorf(path+".recover", "node %d is not crashed at step %d", e.Recover, e.At)
		}
		cut = e.Partition != nil || cut && !e.Heal
		crashed[e.Crash], crashed[e.Recover] = true, false
		crashed[0] = false // no node
	}
	return nil
}

// Apply returns the sequence with the events on top, seq itself if there are
// none.
func (s Script) Apply(seq Sequence) (Sequence, error) {
	if err := s.Validate(seq.Nodes()); err != nil {
		return nil, err
	}
	if len(s.Events) == 0 {
		return seq, nil
	}
	events := make([]Event, 0, len(s.Events))
	for _, k := range s.inOrder() {
		events = append(events, s.Events[k])
	}
	return scripted{seq, events}, nil
}

// scripted is a sequence with events on top, in order of their steps.
type scripted struct {
	Sequence
	events []Event
}

// past returns how many events have happened at a step, from 0.
func (s scripted) past(step int) int {
	k, _ := slices.BinarySearchFunc(s.events, step+2, func(e Event, at int) int { return e.At - at })
	return k // the first event after the step, which is number step+1 in print
}

// Period implements Sequence: there is none.
func (s scripted) Period() (int, bool) { return 0, false }

// Epoch implements Sequence: it numbers the pairs of an epoch below and a number
// of events past.
func (s scripted) Epoch(step int) int {
	return s.Sequence.Epoch(step)*(len(s.events)+1) + s.past(step)
}

// At implements Sequence. It builds a graph on every call while an event holds.
func (s scripted) At(step int) *Graph { return s.affect(s.Sequence.At(step), step) }

// GraphAt implements Failing.
func (s scripted) GraphAt(step int) (*Graph, error) {
	g, err := GraphAt(s.Sequence, step)
	if err != nil {
		return nil, err
	}
	return s.affect(g, step), nil
}

// affect returns the graph of a step as the events until then have left it.
func (s scripted) affect(g *Graph, step int) *Graph {
	past := s.events[:s.past(step)]
	if len(past) == 0 {
		return g
	}
	return effectOf(past, g.Nodes()).apply(g)
}

// weightedAt implements drafts.
func (s scripted) weightedAt(step int, w Weighting) (*Graph, error) {
	if s.past(step) == 0 {
		return weightedGraph(s.Sequence, step, w)
	}
	return w.Apply(s.At(step))
}

// effect is the combined effect of events.
type effect struct {
	// group is by node; nil without a partition.
	group []int32
	// crashed is by node.
	crashed []bool
	// rewired holds for an edge whether it is there or gone. An edge that no rewire names is
	// as in the graph below.
	rewired map[arc]bool
	// added are the edges of rewired that are there, by receiver and sender.
	added []arc
}

// effectOf plays the events, in order, on n nodes.
func effectOf(events []Event, n int) effect {
	f := effect{crashed: make([]bool, n), rewired: map[arc]bool{}}
	var partition [][]int
	for _, e := range events {
		if e.Rewire != nil {
			f.rewire(e.Rewire)
		}
		if e.Heal {
			partition = nil
		}
		if e.Partition != nil {
			partition = e.Partition
		}
		if e.Crash > 0 {
			f.crashed[e.Crash-1] = true
		}
		if e.Recover > 0 {
			f.crashed[e.Recover-1] = false
		}
	}
	if partition != nil {
		f.group = make([]int32, n)
		for k, group := range partition {
			for _, node := range group {
				f.group[node-1] = int32(k + 1)
			}
		}
	}
	for e, there := range f.rewired {
		if there {
			f.added = append(f.added, e)
		}
	}
	slices.SortFunc(f.added, func(a, b arc) int {
		if a.to != b.to {
			return int(a.to) - int(b.to)
		}
		return int(a.from) - int(b.from)
	})
	return f
}

// rewire plays one rewire. An edge that it both removes and adds is there.
func (f *effect) rewire(r *Rewire) {
	set := func(edges [][2]int, there bool) {
		for _, e := range edges {
			from, to := messages.NodeID(e[0]-1), messages.NodeID(e[1]-1)
			f.rewired[arc{from, to}] = there
			if !r.Directed {
				f.rewired[arc{to, from}] = there
			}
		}
	}
	set(r.Remove, false)
	set(r.Add, true)
}

// cuts reports whether crashes or the partition cut an edge.
func (f effect) cuts(e arc) bool {
	return f.crashed[e.from] || f.crashed[e.to] || f.group != nil && f.group[e.from] != f.group[e.to]
}

// apply returns the graph as the events have left it.
func (f effect) apply(g *Graph) *Graph {
	n := g.Nodes()
	in := adjacency{make([]int32, 1, n+1), make([]messages.NodeID, 0, g.Edges()+len(f.added))}
	weights := make([]float64, 0, g.Edges()+len(f.added))
	added := f.added
	for i := range messages.NodeID(n) {
		take := func(j messages.NodeID, w float64) {
			if e := (arc{j, i}); !f.cuts(e) {
				in.to, weights = append(in.to, j), append(weights, w)
			}
		}
		from, w := g.In(i)
		for k := 0; k < len(from) || len(added) > 0 && added[0].to == i; {
			// Two ascending lists are merged, the edges below and those that were added,
			// so that rows stay ascending.
			isNew := len(added) > 0 && added[0].to == i && (k == len(from) || added[0].from <= from[k])
			if isNew && (k == len(from) || added[0].from < from[k]) {
				take(added[0].from, 1)
			}
			if isNew {
				added = added[1:] // one that is there already keeps its weight
				continue
			}
			if there, said := f.rewired[arc{from[k], i}]; there || !said {
				take(from[k], w[k])
			}
			k++
		}
		in.start = append(in.start, int32(len(in.to)))
	}
	return fromRows(in, weights)
}
