package scenarios

import (
	"fmt"
	"strings"

	"starling/actors/algorithm"
	"starling/actors/network"
	"starling/messages"
	"starling/scenarios/document"
)

// networkSection is the network that no kind needs more than its name for.
type networkSection struct {
	Kind string `yaml:"kind,required"`
}

// effectsSection is a network that does something to messages and nodes. Its
// times are the paper's steps.
type effectsSection struct {
	Kind     string         `yaml:"kind,required"`
	Delay    delaySection   `yaml:"delay" doc:"turns that messages take beyond the next; absent, none"`
	Loss     lossSection    `yaml:"loss" doc:"messages that never arrive; absent, none"`
	Patience int            `yaml:"patience" doc:"turns that a message waits for a receiver that is down; then it is lost"`
	Churn    *churnSection  `yaml:"churn" doc:"nodes that go down and come back at random; absent, none"`
	Events   []eventSection `yaml:"events" doc:"what happens at given steps"`
}

// delaySection is one of the laws of delays.
type delaySection struct {
	Turns   int     `yaml:"turns" doc:"the same for every message"`
	Least   int     `yaml:"least" doc:"the shortest of a delay that is uniform up to longest"`
	Longest int     `yaml:"longest" doc:"the longest delay, of a uniform one or with arrive"`
	Arrive  float64 `yaml:"arrive" doc:"chance of arriving in each turn, of a geometric delay that longest ends"`
}

// lossSection is one of the laws of losses.
type lossSection struct {
	Probability float64 `yaml:"probability" doc:"chance of a message to be lost, each on its own"`
	Enter       float64 `yaml:"enter" doc:"chance a turn of an edge to become bad (Gilbert, Elliott)"`
	Leave       float64 `yaml:"leave" doc:"chance a turn of a bad edge to become good"`
	Good        float64 `yaml:"good" doc:"chance of a loss on a good edge"`
	Bad         float64 `yaml:"bad" doc:"chance of a loss on a bad edge"`
}

// churnSection takes nodes down at random.
type churnSection struct {
	Fail    float64 `yaml:"fail,required" doc:"chance a step of a node to go down"`
	Recover float64 `yaml:"recover,required" doc:"chance a step of a node that is down to come back"`
	Forget  bool    `yaml:"forget" doc:"a node that comes back begins anew"`
}

// eventSection is what begins at a step, and ends before another.
type eventSection struct {
	At        int     `yaml:"at,required" doc:"first step of it"`
	Until     int     `yaml:"until" doc:"first step after it; absent, it does not end"`
	Partition [][]int `yaml:"partition" doc:"groups of nodes that cannot reach each other; nodes in none are one more"`
	Crash     []int   `yaml:"crash" doc:"nodes that are down"`
	Join      []int   `yaml:"join" doc:"nodes that are not there before"`
	Leave     []int   `yaml:"leave" doc:"nodes that are not there after"`
	Straggle  []int   `yaml:"straggle" doc:"nodes whose messages come late"`
	Turns     int     `yaml:"turns" doc:"by how many turns those that straggle are late"`
	Forget    bool    `yaml:"forget" doc:"nodes that crash begin anew when they are back"`
}

// networkPlan makes the network of a run under a seed; nil is the ideal one.
type networkPlan func(run *algorithm.Run, seed uint64) (algorithm.Network, error)

// networkBuilder reads the section of a network.
type networkBuilder = func(section *document.Node, nodes int) (networkPlan, error)

// networks are the kinds of networks: what becomes of messages on their way.
var networks = []kind[networkBuilder]{
	{Entry: Entry{Kind: "ideal", Summary: "messages arrive in the next turn, none is lost"}, build: buildIdeal, section: networkSection{}},
	{Entry: Entry{Kind: "effects", Summary: "delays, losses, churn, and events at given steps: partitions, crashes, joining, leaving, stragglers"}, build: buildEffects, section: effectsSection{}},
}

// Networks lists the networks.
func Networks() []Entry { return entries(networks) }

func buildIdeal(section *document.Node, _ int) (networkPlan, error) {
	var s networkSection
	return nil, document.Decode(section, &s)
}

// buildNetwork builds the network that a section names.
func buildNetwork(section *document.Node, nodes int) (networkPlan, error) {
	build, err := find(networks, section)
	if err != nil {
		return nil, err
	}
	return build(section, nodes)
}

func buildEffects(section *document.Node, nodes int) (networkPlan, error) {
	var s effectsSection
	if err := document.Decode(section, &s); err != nil {
		return nil, err
	}
	if err := s.check(nodes); err != nil {
		return nil, section.Resolve(err)
	}
	// The times of a run with one hop a step, whose first step is 1, to check
	// what depends on no seed.
	probe := s.options(nodes, 1, 0, func(step int) int { return max(step-1, 0) })
	if err := probe.Validate(); err != nil {
		return nil, section.Resolve(mapFields(err, effectsPath))
	}
	return func(run *algorithm.Run, seed uint64) (algorithm.Network, error) {
		o := s.options(nodes, run.FirstLabel, seed, func(step int) int {
			if offset := step - run.FirstStep; offset < run.Steps {
				return run.TurnOf(max(offset, 0))
			}
			return network.Forever // after the run
		})
		if o.Ideal() {
			return nil, nil
		}
		return network.New(o)
	}, nil
}

// effectsPath is where in the section an option of the network is.
func effectsPath(field string) string {
	for _, part := range effectFields {
		for _, prefix := range part.fields {
			if strings.HasPrefix(field, prefix) {
				return part.section
			}
		}
	}
	return "events"
}

// effectFields are, by section, how the network calls what is in it.
var effectFields = []struct {
	section string
	fields  []string
}{
	{"delay", []string{"delay", "least", "longest", "arrive"}},
	{"loss", []string{"loss", "probability", "enter", "leave"}},
	{"churn", []string{"churn", "fail", "recover"}},
	{"patience", []string{"patience"}},
}

// check refuses what names nodes or steps that there cannot be.
func (s *effectsSection) check(nodes int) error {
	if d := s.Delay; (d.Turns > 0) && (d.Longest > 0 || d.Arrive > 0) {
		return document.At("delay", "a delay is constant (turns), uniform (least, longest) or geometric (arrive, longest)")
	}
	if l := s.Loss; l.Probability > 0 && (l.Enter > 0 || l.Leave > 0) {
		return document.At("loss", "losses are independent (probability) or in bursts (enter, leave, good, bad)")
	}
	for i, e := range s.Events {
		at := func(key, format string, args ...any) error {
			return document.At(fmt.Sprintf("events[%d].%s", i, key), format, args...)
		}
		if e.At < 1 {
			return at("at", "step %d; want at least 1", e.At)
		}
		if e.Until != 0 && e.Until <= e.At {
			return at("until", "step %d is not after step %d, at which it begins", e.Until, e.At)
		}
		if len(e.Straggle) > 0 && e.Turns < 1 {
			return at("turns", "%d turns; stragglers are late by at least 1", e.Turns)
		}
		lists := map[string][][]int{"partition": e.Partition, "crash": {e.Crash}, "join": {e.Join}, "leave": {e.Leave}, "straggle": {e.Straggle}}
		for _, key := range []string{"partition", "crash", "join", "leave", "straggle"} {
			for _, list := range lists[key] {
				for _, node := range list {
					if node < 1 || node > nodes {
						return at(key, "node %d is not one of 1 to %d", node, nodes)
					}
				}
			}
		}
	}
	return nil
}

// options are those of the network, its times in turns: those that turn gives
// for a step, Forever for one after the run.
func (s *effectsSection) options(nodes, firstLabel int, seed uint64, turn func(step int) int) network.Options {
	o := network.Options{Nodes: nodes, Seed: seed, Patience: s.Patience}
	switch d := s.Delay; {
	case d.Arrive > 0:
		o.Delay = network.Geometric{Arrive: d.Arrive, Longest: d.Longest}
	case d.Longest > 0:
		o.Delay = network.Uniform{Least: d.Least, Longest: d.Longest}
	case d.Turns != 0:
		o.Delay = network.Constant{Delay: d.Turns}
	}
	switch l := s.Loss; {
	case l.Enter > 0 || l.Leave > 0:
		o.Loss = network.Bursty{Enter: l.Enter, Leave: l.Leave, LossGood: l.Good, LossBad: l.Bad}
	case l.Probability != 0:
		o.Loss = network.Independent{Probability: l.Probability}
	}
	if c := s.Churn; c != nil {
		o.Churn = &network.Churn{Fail: c.Fail, Recover: c.Recover, Forget: c.Forget}
	}
	ids := func(labels []int) []messages.NodeID {
		list := make([]messages.NodeID, len(labels))
		for i, label := range labels {
			list[i] = messages.NodeID(label - firstLabel)
		}
		return list
	}
	for _, e := range s.Events {
		span := network.Interval{First: turn(e.At), End: network.Forever}
		if e.Until > 0 {
			span.End = turn(e.Until)
		}
		if len(e.Join) > 0 && span.First > 0 {
			o.Outages = append(o.Outages, network.Outage{Nodes: ids(e.Join), Interval: network.Interval{First: 0, End: span.First}})
		}
		if span.First == network.Forever {
			continue // the run ends before it begins
		}
		if len(e.Partition) > 0 {
			p := network.Partition{Interval: span}
			for _, group := range e.Partition {
				p.Groups = append(p.Groups, ids(group))
			}
			o.Partitions = append(o.Partitions, p)
		}
		if len(e.Crash) > 0 {
			o.Outages = append(o.Outages, network.Outage{Nodes: ids(e.Crash), Interval: span, Forget: e.Forget})
		}
		if len(e.Leave) > 0 {
			o.Outages = append(o.Outages, network.Outage{Nodes: ids(e.Leave), Interval: network.Interval{First: span.First, End: network.Forever}})
		}
		if len(e.Straggle) > 0 {
			o.Stragglings = append(o.Stragglings, network.Straggling{Nodes: ids(e.Straggle), Interval: span, Turns: e.Turns})
		}
	}
	return o
}
