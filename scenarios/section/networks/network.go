package networks

import (
	"errors"
	"fmt"

	"starling/actors/algorithm"
	"starling/actors/network"
	"starling/actors/option"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/inputs"
	"starling/scenarios/kind"
)

// Networked is the section of a network, which has been decoded.
type Networked interface {
	// Network returns the network of a site. section gives errors their places.
	Network(at Site, section *document.Node) (Network, error)
}

// Ideal is the section of the network without effects on messages.
type Ideal struct {
	Kind   string `yaml:"kind,required"`
	Common `yaml:",inline"`
}

// Common has the keys of all networks.
type Common struct {
	Compression *document.Node `yaml:"compression" doc:"codec that compresses every vector that crosses a wire, after noise and rounding; absent, none"`
	Precision   precision      `yaml:"precision" oneof:"float64 float32" doc:"numbers that messages are made of: float32 takes half of the bytes, and rounds every vector that crosses a wire, after noise; absent, float64"`
}

// precision is the format of numbers on wires.
type precision string

const single precision = "float32"

// Network is the network that a section describes.
type Network struct {
	// Effects are the effects on messages and nodes; nil means none.
	Effects *Plan
	// Wire is the encoding of vectors on wires; nil means as they are.
	Wire *algorithm.Encoding
}

// wire returns the encoding of vectors on the wires of a site; nil means as they are.
func (c Common) wire(at Site) (*algorithm.Encoding, error) {
	w := &algorithm.Encoding{Float32: c.Precision == single, Local: at.Local}
	if c.Compression != nil {
		var err error
		if w.Codec, err = BuildCodec(at.Kinds, c.Compression); err != nil {
			return nil, err
		}
	}
	if !w.Float32 && w.Codec == nil {
		return nil, nil
	}
	return w, nil
}

// Effects is the section of a network with effects on messages and nodes. Its times are
// the paper's steps, except for delays and waiting, which are turns. Help and editors show the
// doc tags below; see starling help network effects.
type Effects struct {
	Kind      string `yaml:"kind,required"`
	Common    `yaml:",inline"`
	Delay     delaySection      `yaml:"delay" doc:"turns that messages take beyond the next; absent, none"`
	Loss      lossSection       `yaml:"loss" doc:"messages that never arrive; absent, none. What is lost takes nothing of the bandwidth"`
	Bandwidth *bandwidthSection `yaml:"bandwidth" doc:"bytes that an edge carries in a turn; the rest stands in line there, first in, first out, and the delay comes after that; absent, without limit"`
	Patience  int               `yaml:"patience" min:"0" max:"1048576" unit:"turns" doc:"turns that a message waits for a receiver that is down; then it is lost; of federated algorithms at least as many as a receiver is without a turn by the schedule: 1, and 2 tau of ofl; absent, 0"`
	Churn     *churnSection     `yaml:"churn" doc:"nodes that go down and come back at random; absent, none"`
	Events    []eventSection    `yaml:"events" doc:"events of messages and nodes at given steps; edges come and go by events of the topology (rewire); absent, none"`
}

// delaySection is one of the laws of delays; the keys that are given choose it, and keys
// of two laws are refused:
//
//	turns                    Constant    the same for every message
//	least, longest           Uniform     on the integers least .. longest
//	arrive, longest          Geometric   chance arrive in each turn, at most longest
//	edges or file, rest      Table       a delay of its own for each edge
//	seconds, longest         Seconds     log-normal or constant, in seconds
type delaySection struct {
	Turns   int         `yaml:"turns" min:"0" max:"1048576" unit:"turns" doc:"the same for every message; absent, 0"`
	Least   int         `yaml:"least" min:"0" max:"1048576" unit:"turns" doc:"the shortest of a delay that is uniform up to longest; absent, 0"`
	Longest int         `yaml:"longest" min:"0" max:"1048576" unit:"turns" doc:"the longest delay, of a uniform one, with arrive, or of seconds with a spread, which it ends; absent, 0"`
	Seconds *Speed      `yaml:"seconds" doc:"delays in seconds, where steps are ticks of Poisson clocks of nodes: a message arrives in the first turn at or after its time, and with a spread longest is required; or of both messages of a client in a round that has the seconds of the section clock; absent, delays are in turns"`
	Arrive  float64     `yaml:"arrive" min:"0" max:"1" unit:"probability" doc:"chance of arriving in each turn, of a geometric delay that longest ends; absent, the delay is not geometric"`
	Edges   []edgeDelay `yaml:"edges" doc:"delays of single edges; absent, none is named"`
	File    string      `yaml:"file" range:"a path" doc:"path, from the scenario's folder or else from where the program runs, of a CSV file with the columns from, to, turns: delays of single edges; absent, none is named"`
	Rest    int         `yaml:"rest" min:"0" max:"1048576" unit:"turns" doc:"delay of the edges that neither edges nor file has; absent, 0"`
}

// edgeDelay is the delay of an edge.
type edgeDelay struct {
	From  int `yaml:"from,required" min:"0" says:"node %v" unit:"node number" doc:"the sender"`
	To    int `yaml:"to,required" min:"0" says:"node %v" unit:"node number" doc:"the receiver"`
	Turns int `yaml:"turns,required" min:"0" max:"1048576" unit:"turns" doc:"the delay"`
}

// bandwidthSection limits what edges carry. Pointers distinguish a key that is absent, which
// means no limit, from 0, which lets nothing through.
type bandwidthSection struct {
	Bytes   *int64          `yaml:"bytes" min:"0" max:"1099511627776" unit:"bytes a turn" doc:"capacity of every edge; absent, without limit but on the edges listed"`
	Queue   *int64          `yaml:"queue" min:"0" max:"1099511627776" unit:"bytes" doc:"bytes that may stand in line on an edge when a turn is over; a message that would be beyond is dropped; absent, without limit"`
	Longest *int            `yaml:"longest" min:"0" max:"1048576" unit:"turns" doc:"turns that a message may stand in line; one that would for longer is dropped. required without queue; absent, as long as the queue holds it"`
	Edges   []edgeBandwidth `yaml:"edges" doc:"bytes that single edges carry; absent, none is named"`
	File    string          `yaml:"file" range:"a path" doc:"path, as for delay, of a CSV file with the columns from, to, bytes: capacities of single edges; absent, none is named"`
}

// edgeBandwidth is the bandwidth of an edge.
type edgeBandwidth struct {
	From  int   `yaml:"from,required" min:"0" says:"node %v" unit:"node number" doc:"the sender"`
	To    int   `yaml:"to,required" min:"0" says:"node %v" unit:"node number" doc:"the receiver"`
	Bytes int64 `yaml:"bytes,required" min:"0" max:"1099511627776" unit:"bytes a turn" doc:"capacity of the edge"`
}

// lossSection is one of the laws of losses: independent by probability, or in bursts by a
// chain of two states for each edge (Gilbert 1960, Elliott 1963), which is good or bad
// and changes once a turn. Long bursts have a small leave.
type lossSection struct {
	Probability float64 `yaml:"probability" min:"0" max:"1" unit:"probability" doc:"chance of a message to be lost, each on its own; absent, 0"`
	Enter       float64 `yaml:"enter" min:"0" max:"1" unit:"probability" doc:"chance a turn of an edge to become bad (Gilbert, Elliott); absent, 0"`
	Leave       float64 `yaml:"leave" min:"0" max:"1" unit:"probability" doc:"chance a turn of a bad edge to become good; absent, 0"`
	Good        float64 `yaml:"good" min:"0" max:"1" unit:"probability" doc:"chance of a loss on a good edge; absent, 0"`
	Bad         float64 `yaml:"bad" min:"0" max:"1" unit:"probability" doc:"chance of a loss on a bad edge; absent, 0"`
}

// churnSection takes nodes down at random. A node is up or down, and changes once a turn
// with chance fail or recover: it is up for 1/fail turns on average, and down for
// 1/recover.
type churnSection struct {
	Fail    float64  `yaml:"fail,required" min:"0" max:"1" unit:"probability" doc:"chance a turn of a node to go down; a step is one turn, of federated algorithms several"`
	Recover float64  `yaml:"recover,required" min:"0" max:"1" unit:"probability" doc:"chance a turn of a node that is down to come back"`
	Forget  bool     `yaml:"forget" doc:"a node that recovers has lost its state; not for federated algorithms"`
	Nodes   NodeList `yaml:"nodes" unit:"node number" doc:"those that go down; absent, all, but of federated algorithms not the server, of ofl learners only, and of clusters no servers"`
}

// Plan makes the network of a run under a seed; a nil plan is the ideal network. It is
// the same for all seeds, and immutable.
type Plan struct {
	// Limited is true if bandwidth is limited: algorithms may refuse that.
	Limited bool
	// Forgets is true if nodes that come back begin anew. Algorithms with privacy accounts or
	// counters that must survive refuse it.
	Forgets bool
	// Ticks returns the seconds from step to step under a seed, by steps from 0, where delays are in seconds; see
	// Time.
	Ticks func(seed uint64) func(step int) float64
	of    *Effects
	// Build makes the network of a seed's run, once the run's schedule is set: the schedule
	// turns steps into turns. patience is the least patience of the network: the number of
	// turns in a row in which the schedule leaves a receiver out.
	Build func(run *algorithm.Run, seed uint64, patience int) (algorithm.Network, error)
}

// HasSeconds reports whether a section has delays in seconds.
func HasSeconds(section *document.Node) bool {
	if section == nil {
		return false
	}
	delay, ok := section.Get("delay")
	if !ok || delay.Kind() != document.Mapping {
		return false
	}
	_, ok = delay.Get("seconds")
	return ok
}

// InSeconds reports whether delays are in seconds. A nil plan has none.
func (p *Plan) InSeconds() bool { return p != nil && p.of.Delay.Seconds != nil }

// Time gives delays in seconds the ticks of the clocks of nodes, of which ticking is false if there are none. A nil plan
// needs none. The error is at a key of the scenario.
func (p *Plan) Time(ticking bool, ticks func(seed uint64) func(step int) float64) error {
	switch {
	case !p.InSeconds():
		return nil
	case !ticking:
		return document.At("network.delay.seconds", "no clock gives the turns of this network seconds; want the section clock of a server and its clients, or clocks of nodes, by topology.schedule: {clocks: [1]} or a matching with clocks; or delays in turns")
	case p.of.Delay.Seconds.Spread > 0 && p.of.Delay.Longest == 0:
		return document.At("network.delay.longest", "delays with a spread have no longest; give the ticks after which a message arrives in any case")
	}
	p.Ticks = ticks
	return nil
}

// OfClock returns the law of delays in seconds, for a server and clients whose rounds have the seconds of the section
// clock. There a delay makes a round longer, and is the only effect. The error is at a key of the scenario.
func (p *Plan) OfClock() (*Speed, error) {
	switch s := p.of; {
	case s.Delay.Longest > 0:
		return nil, document.At("network.delay.longest", "the server waits for messages of any delay; leave longest out")
	case s.Loss != lossSection{} || s.Bandwidth != nil || s.Churn != nil || len(s.Events) > 0 || s.Patience > 0:
		return nil, document.At("network", "with the section clock a network has delay: {seconds} alone; leave the other effects out")
	}
	return p.of.Delay.Seconds, nil
}

// Site is the context in which a section is read: the participants, the links that are wires,
// and the reader of data files.
type Site struct {
	// Labels are the numbers of all participants, a server's included.
	Labels
	// Nodes is the scenario's number: 1 .. Nodes, of all or some of the participants.
	Nodes int
	// BySteps means that steps have several turns, and that the section counts steps where it
	// counts turns; see network.ByStep.
	BySteps bool
	// Local reports whether a link between participants, counted from 0, is inside a protected
	// unit's trust. Such links have no effects. nil means that there are none.
	Local func(from, to messages.NodeID) bool
	// Data reads the files that the section names, and notes each for the manifest.
	Data *inputs.Folder
	// Kinds is the catalog of the kinds that inner sections name.
	Kinds *kind.Catalog
}

// isLocal reports whether a link between participants of these labels crosses no wire. A
// client of ofl and its learner, say, are one protected unit: nothing is lost between them.
func (at Site) isLocal(from, to int) bool {
	return at.Local != nil && at.Local(messages.NodeID(from-at.First), messages.NodeID(to-at.First))
}

// Labels are the numbers that the paper gives participants, First .. Last, a server's
// included. Ids of package messages count from 0: the id of a label is label - First.
type Labels struct{ First, Last int }

func (l Labels) has(label int) bool { return l.First <= label && label <= l.Last }

// String returns the labels as a range, such as "1 to 30".
func (l Labels) String() string { return fmt.Sprintf("%d to %d", l.First, l.Last) }

// participants returns the number of participants.
func (l Labels) participants() int { return l.Last - l.First + 1 }

// Network implements Networked: every message arrives in the next turn. The network has no
// effects, and a run without them does no work for its network.
func (s *Ideal) Network(at Site, _ *document.Node) (Network, error) {
	wire, err := s.wire(at)
	return Network{Wire: wire}, err
}

// Build returns the network that a section names, by its kind in the catalog.
func Build(kinds *kind.Catalog, at Site, section *document.Node) (Network, error) {
	s, err := kind.As[Networked](kinds.Networks, section, "nodes")
	if also, ok := s.(faulty); ok {
		err = also.faults(at, section, err)
	}
	if err != nil {
		return Network{}, err
	}
	at.Kinds = kinds
	return s.Network(at, section)
}

// faulty is implemented by sections with checks that do not wait for every key to have the
// right form.
type faulty interface {
	// faults returns the faults of a section, among them those of the form of its keys.
	faults(at Site, section *document.Node, form error) error
}

// faults implements faulty.
func (s *Effects) faults(at Site, section *document.Node, form error) error {
	if err := refuseRewire(section); err != nil {
		return err
	}
	return section.Resolve(errors.Join(form, s.checkChurned(at.Labels)))
}

// Network implements Networked. The checks are in the order of their needs: contradictions
// between keys, then files, then the options as a whole, which package network checks.
func (s *Effects) Network(at Site, section *document.Node) (Network, error) {
	if err := s.check(at); err != nil {
		return Network{}, section.Resolve(err)
	}
	if err := s.readFiles(at, section); err != nil {
		return Network{}, err
	}
	// The options are built once for a run of one turn a step with 1 as the first step, and
	// checked by package network. No seed and no schedule changes the result: an error here is
	// an error of the file and not of a run.
	probe, err := s.options(at, 0, nil, func(step int) int { return max(step-1, 0) })
	if err == nil {
		err = probe.Validate()
	}
	if err != nil {
		return Network{}, section.Resolve(err)
	}
	plan := &Plan{Limited: s.Bandwidth != nil, Forgets: s.forgets(), of: s}
	plan.Build = func(run *algorithm.Run, seed uint64, patience int) (algorithm.Network, error) {
		o, err := s.options(at, seed, plan.times(run, seed, at.BySteps), func(step int) int {
			switch offset := step - run.FirstStep; {
			case offset >= run.Steps:
				return network.Forever // after the run
			case at.BySteps:
				return max(offset, 0)
			default:
				return run.TurnOf(max(offset, 0))
			}
		})
		if err != nil {
			return nil, err
		}
		// If no event falls into the run and no law does anything, the network is ideal, and
		// costs no time.
		if o.Ideal() {
			return nil, nil
		}
		o.Patience = max(o.Patience, patience)
		effects, err := network.New(o)
		if err != nil || !at.BySteps {
			return effects, err
		}
		return network.NewByStep(effects, run.Steps, run.Hops), nil
	}
	wire, err := s.wire(at)
	return Network{Effects: plan, Wire: wire}, err
}

// times returns the times of the turns of a run, or of its steps, in seconds; nil where delays are in turns.
func (p *Plan) times(run *algorithm.Run, seed uint64, bySteps bool) (times []float64) {
	if !p.InSeconds() {
		return nil
	}
	now, gap := 0.0, p.Ticks(seed)
	for offset := range run.Steps {
		now += gap(offset)
		turns := 1
		if !bySteps {
			turns = run.TurnOf(offset+1) - run.TurnOf(offset)
		}
		for range turns {
			times = append(times, now)
		}
	}
	return times
}

// forgets reports whether nodes that come back begin anew.
func (s *Effects) forgets() bool {
	forget := s.Churn != nil && s.Churn.Forget
	for k := range s.Events {
		forget = forget || s.Events[k].Forget
	}
	return forget
}

// check refuses keys that contradict each other, and nodes or steps that cannot exist. Ranges
// of single keys are in their tags and checked before.
func (s *Effects) check(at Site) error {
	if d := &s.Delay; d.laws() > 1 {
		return document.At("delay", "a delay is constant (turns), uniform (least, longest), geometric (arrive, longest), by edge (edges or file, rest) or in seconds (seconds, longest)")
	} else if v := d.Seconds; v != nil && v.Spread == 0 && d.Longest > 0 {
		return document.At("delay.longest", "a delay in seconds without a spread is constant; leave longest out")
	} else if d.Rest != 0 && !d.byEdge() {
		return document.At("delay.rest", "rest is of a delay by edge (edges or file)")
	}
	if l := s.Loss; l.Probability > 0 && (l.Enter > 0 || l.Leave > 0) {
		return document.At("loss", "losses are independent (probability) or in bursts (enter, leave, good, bad)")
	}
	if b := s.Bandwidth; b != nil && b.Bytes == nil && len(b.Edges) == 0 && b.File == "" {
		return document.At("bandwidth", "no limit; want bytes, edges or file")
	}
	if s.Bandwidth != nil && at.BySteps {
		return document.At("bandwidth", "a line on an edge moves on by the turn, and a step has 1, 2 or 4 turns where nodes average through servers: a late vector is in no server's mean; leave bandwidth out")
	}
	if err := s.checkEdges(at); err != nil {
		return err
	}
	return checkEvents(s.Events, at)
}

// checkChurned refuses nodes of the churn that do not exist.
func (s *Effects) checkChurned(nodes Labels) error {
	if s.Churn == nil {
		return nil
	}
	if err := checkLabels(s.Churn.Nodes, nodes); err != nil {
		return document.At("churn.nodes", "%v", err)
	}
	return nil
}

// laws returns the number of laws of delays in the section; more than 1 is an error, 0 means
// no delay.
func (d *delaySection) laws() (n int) {
	for _, given := range []bool{d.Turns != 0, d.Longest > 0 && d.Seconds == nil || d.Arrive > 0 || d.Least > 0, d.byEdge(), d.Seconds != nil} {
		if given {
			n++
		}
	}
	return n
}

// byEdge reports whether edges have delays of their own.
func (d *delaySection) byEdge() bool { return len(d.Edges) > 0 || d.File != "" }

// options returns the options of the network under a seed, with times in turns and nodes
// as ids. times are the times of turns in seconds, for delays in seconds. turn gives the first turn
// of a step, and network.Forever for a step after the run.
func (s *Effects) options(at Site, seed uint64, times []float64, turn func(step int) int) (network.Options, error) {
	firstLabel := at.First
	o := network.Options{Nodes: at.participants(), Seed: seed, Local: at.Local, Patience: s.Patience}
	var err error
	if o.Delay, err = s.Delay.law(firstLabel, times); err != nil {
		return o, err
	}
	switch l := s.Loss; {
	case l.Enter > 0 || l.Leave > 0:
		o.Loss = network.Bursty{Enter: l.Enter, Leave: l.Leave, LossGood: l.Good, LossBad: l.Bad}
	case l.Probability != 0:
		o.Loss = network.Independent{Probability: l.Probability}
	}
	if s.Bandwidth != nil {
		o.Bandwidth = s.Bandwidth.limits(firstLabel)
	}
	if c := s.Churn; c != nil {
		o.Churn = &network.Churn{Fail: c.Fail, Recover: c.Recover, Forget: c.Forget, Nodes: c.nodes(at)}
	}
	addEvents(&o, s.Events, firstLabel, turn)
	return o, nil
}

// nodes returns the ids of the nodes that the churn takes down; nil means all. Without a list
// these are the scenario's nodes: participants that the algorithm adds, such as a server, stay
// up.
func (c *churnSection) nodes(at Site) []messages.NodeID {
	list := c.Nodes
	if list == nil && at.Nodes < at.participants() {
		for label := range at.Nodes {
			list = append(list, label+1)
		}
	}
	if list == nil {
		return nil
	}
	nodes := make([]messages.NodeID, len(list))
	for i, label := range list {
		nodes[i] = messages.NodeID(label - at.First)
	}
	return nodes
}

// law returns the law of the delays, nil for none.
func (d *delaySection) law(firstLabel int, times []float64) (network.Delay, error) {
	switch {
	case d.Seconds != nil:
		return network.NewSeconds(d.Seconds.Median, d.Seconds.Spread, d.Longest, times), nil
	case d.byEdge():
		edges := make([]network.EdgeDelay, len(d.Edges))
		for k, e := range d.Edges {
			edges[k] = network.EdgeDelay{From: messages.NodeID(e.From - firstLabel), To: messages.NodeID(e.To - firstLabel), Turns: e.Turns}
		}
		table, err := network.NewTable(edges, d.Rest)
		if err != nil {
			return nil, option.At("delay", err) // not the nil table
		}
		return table, nil
	case d.Arrive > 0:
		return network.Geometric{Arrive: d.Arrive, Longest: d.Longest}, nil
	case d.Longest > 0 || d.Least > 0:
		return network.Uniform{Least: d.Least, Longest: d.Longest}, nil
	case d.Turns != 0:
		return network.Constant{Delay: d.Turns}, nil
	}
	return nil, nil
}

// limits returns the limits of the network. Keys that the section leaves out mean no limit.
func (b *bandwidthSection) limits(firstLabel int) *network.Bandwidth {
	o := &network.Bandwidth{Bytes: network.Unlimited, Queue: network.Unlimited, Longest: network.NoLongest}
	if b.Bytes != nil {
		o.Bytes = *b.Bytes
	}
	if b.Queue != nil {
		o.Queue = *b.Queue
	}
	if b.Longest != nil {
		o.Longest = *b.Longest
	}
	for _, e := range b.Edges {
		o.Edges = append(o.Edges, network.EdgeBandwidth{From: messages.NodeID(e.From - firstLabel), To: messages.NodeID(e.To - firstLabel), Bytes: e.Bytes})
	}
	return o
}
