package network

import (
	"starling/actors/option"
	"starling/mechanisms/rng"
	"starling/messages"
)

// Options are the effects of a network. The zero value of each field means no such effect.
type Options struct {
	// Nodes is N, the number of nodes.
	Nodes int
	// Seed is the run's. Every seed has its own delays, losses and churn.
	Seed uint64
	// Local says which links between different nodes are inside a protected unit's trust: they
	// cross no wire, and delay, loss, bandwidth, partitions and stragglings are not on them.
	// It is a pure function, safe for concurrent use; nil is none.
	Local func(from, to messages.NodeID) bool
	// Delay is the law of delays; nil is none.
	Delay Delay
	// Loss is the law of losses on the way; nil is none.
	Loss Loss
	// Bandwidth limits the bytes that edges carry; nil is without limit.
	Bandwidth *Bandwidth
	// Patience is for how many turns a message that is due waits for a
	// receiver that is down, or has no turn by the schedule; then it is lost.
	Patience int
	// Outages are times at which given nodes are down; they may overlap.
	Outages []Outage
	// Churn takes nodes down at random; nil is none.
	Churn *Churn
	// Partitions are times at which groups of nodes cannot reach each other.
	Partitions []Partition
	// Stragglings are times at which messages of given nodes come late.
	Stragglings []Straggling
}

// Validate returns all errors in the options, joined. Each is an [option.Error] with the path
// of the part of a scenario's network section that has the option.
func (o *Options) Validate() error {
	var found option.Faults
	found.At("patience", checkTurns("patience", o.Patience))
	if o.Delay != nil {
		found.At("delay", o.Delay.Validate(o.Nodes))
	}
	if o.Loss != nil {
		found.At("loss", o.Loss.Validate())
	}
	if o.Bandwidth != nil {
		found.At("bandwidth", o.Bandwidth.Validate(o.Nodes))
	}
	if c := o.Churn; c != nil {
		found.At("churn", checkChain("fail", c.Fail, "recover", c.Recover))
		found.At("churn", checkNodes(c.Nodes, o.Nodes))
	}
	for k := range o.Outages {
		found.At("events", o.Outages[k].validate())
		found.At("events", checkNodes(o.Outages[k].Nodes, o.Nodes))
	}
	for k := range o.Partitions {
		found.At("events", o.Partitions[k].validate(o.Nodes))
	}
	for k := range o.Stragglings {
		s := &o.Stragglings[k]
		found.At("events", s.validate())
		found.At("events", checkNodes(s.Nodes, o.Nodes))
		found.At("events", checkTurns("stragglings", s.Turns))
	}
	return found.Err()
}

// Ideal reports whether there are no effects at all: a run then needs no network.
func (o *Options) Ideal() bool {
	return o.Delay == nil && o.Loss == nil && o.Bandwidth == nil && o.Churn == nil && len(o.Outages)+len(o.Partitions)+len(o.Stragglings) == 0
}

// Effects are the effects of a network as pure functions of seed, node or edge, and turn:
// algorithm.Network, and algorithm.Limited for bandwidth, which alone depends on the messages
// sent; the runtime keeps the lines. They are immutable and safe for concurrent use. Build
// them with New.
type Effects struct {
	local func(from, to messages.NodeID) bool // nil is none
	// For the following three, nil means no such effect.
	delay       Delay
	loss        Loss
	limits      *limits // nil without limited bandwidth
	churn       *Churn
	churned     []bool // by node: whether the churn takes it down; nil is all
	down        chain  // of the churn: on is down
	outages     [][]*Outage
	stragglings [][]*Straggling
	partitions  []parted
	// maxDelay is the longest delay, straggling and wait in line together.
	patience int
	maxDelay int

	delayKey, lossKey rng.Key
}

// New returns the effects of options, which must not change any more.
func New(o Options) (*Effects, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	e := &Effects{
		local: o.Local, delay: o.Delay, loss: o.Loss, churn: o.Churn, patience: o.Patience,
		outages:     byNode(o.Outages, o.Nodes, func(x *Outage) []messages.NodeID { return x.Nodes }),
		stragglings: byNode(o.Stragglings, o.Nodes, func(x *Straggling) []messages.NodeID { return x.Nodes }),
		delayKey:    rng.NewKey(o.Seed, rng.PurposeOf("network.delay")),
		lossKey:     rng.NewKey(o.Seed, rng.PurposeOf("network.loss")),
	}
	if c := o.Churn; c != nil {
		e.down = chain{key: rng.NewKey(o.Seed, rng.PurposeOf("network.churn")), enter: c.Fail, leave: c.Recover}
		e.churned = churned(c, o.Nodes)
	}
	for k := range o.Partitions {
		e.partitions = append(e.partitions, newParted(&o.Partitions[k], o.Nodes))
	}
	for _, s := range o.Stragglings {
		e.maxDelay = max(e.maxDelay, s.Turns)
	}
	if o.Delay != nil {
		e.maxDelay += o.Delay.Most()
	}
	if o.Bandwidth != nil {
		e.limits = newLimits(o.Bandwidth)
		e.maxDelay += e.limits.longest
	}
	return e, nil
}

// MaxDelay is the longest delay, in turns, with the longest wait in line.
func (e *Effects) MaxDelay() int { return e.maxDelay }

// Patience is the patience of the options.
func (e *Effects) Patience() int { return e.patience }

// Fate is the fate of a message sent in a turn: lost, or due delay turns after the next. A
// message that crosses no wire is due in the next turn.
func (e *Effects) Fate(from, to messages.NodeID, turn int) (delay int, lost bool) {
	if e.Local(from, to) {
		return 0, false
	}
	// The order of the causes does not matter for the result, but a partition is the cheapest
	// to ask.
	for k := range e.partitions {
		if p := &e.partitions[k]; p.has(turn) && p.group[from] != p.group[to] {
			return 0, true
		}
	}
	if e.loss != nil && e.loss.Lost(e.lossKey, from, to, turn) {
		return 0, true
	}
	if e.stragglings != nil {
		// Of several stragglings the longest counts; the delay of the edge comes on top.
		for _, s := range e.stragglings[from] {
			if s.has(turn) {
				delay = max(delay, s.Turns)
			}
		}
	}
	if e.delay != nil {
		delay += e.delay.Turns(e.delayKey, from, to, turn)
	}
	return delay, false
}

// Local reports whether a link crosses no wire: the link of a node to itself, and the links of
// Options.Local.
func (e *Effects) Local(from, to messages.NodeID) bool {
	return from == to || e.local != nil && e.local(from, to)
}

// Up reports whether a node takes part in a turn.
func (e *Effects) Up(node messages.NodeID, turn int) bool {
	down, _ := e.away(node, turn)
	return !down
}

// away reports whether a node is down in a turn, and whether that makes it lose its state.
func (e *Effects) away(node messages.NodeID, turn int) (down, forgets bool) {
	if e.outages != nil {
		for _, o := range e.outages[node] {
			if o.has(turn) {
				down = true
				forgets = forgets || o.Forget
			}
		}
	}
	if e.churns(node) && e.down.on(int(node), 0, turn) {
		down = true
		forgets = forgets || e.churn.Forget
	}
	return down, forgets
}

// churned lists which nodes a churn takes down, nil if all.
func churned(c *Churn, nodes int) []bool {
	if c.Nodes == nil {
		return nil
	}
	list := make([]bool, nodes)
	for _, node := range c.Nodes {
		list[node] = true
	}
	return list
}

// churns reports whether there is a churn that takes the node down.
func (e *Effects) churns(node messages.NodeID) bool {
	return e.churn != nil && (e.churned == nil || e.churned[node])
}

// Restarts reports whether a node begins a turn in its initial state: it is up, was down in
// the turns before, and lost its state in one of these.
func (e *Effects) Restarts(node messages.NodeID, turn int) bool {
	if !e.Up(node, turn) {
		return false
	}
	// Back through the turns in which the node was down, up to one in which it forgot. A turn
	// in which it was up ends the search: earlier turns no longer matter.
	for turn--; turn >= 0; turn-- {
		down, forgets := e.away(node, turn)
		if !down || forgets {
			return forgets
		}
	}
	return false
}

// Forgets reports whether there may be a turn in which the node restarts.
func (e *Effects) Forgets(node messages.NodeID) bool {
	if e.churns(node) && e.churn.Forget {
		return true
	}
	if e.outages == nil {
		return false
	}
	for _, o := range e.outages[node] {
		if o.Forget {
			return true
		}
	}
	return false
}
