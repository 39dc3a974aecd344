package ofl

import (
	"math"

	"starling/actors/algorithm"
	"starling/actors/algorithm/batch"
	"starling/actors/algorithm/mirror"
	"starling/actors/option"
	"starling/actors/topology"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
)

// Version says which values are perturbed.
type Version int

// The versions of the paper.
const (
	PerRound Version = 1 // the average gradient of each round
	PerStep  Version = 2 // every local step
)

// Bound is the treatment of a gradient that is longer than B_g.
type Bound string

// The ways to enforce the bound.
const (
	BoundError Bound = "error" // it fails the run
	BoundClip  Bound = "clip"  // it is scaled down to B_g
)

// Model is the model to learn: pure functions, safe for concurrent use. One that implements
// batch.Models is asked for all learners together.
type Model interface {
	// Dim is the number of parameters, d.
	Dim() int
	// Gradient writes the gradient of the loss of one datum at x to dst, both
	// len d.
	Gradient(dst, x, datum []float64)
}

// Data are the clients' data: pure functions, safe for concurrent use.
type Data interface {
	// Width is the length of a datum.
	Width() int
	// Datum writes the datum of the client that meets a learner, node 0 .. n-1, at a step, 1 ..
	// R tau: one more than the paper's.
	Datum(dst []float64, node messages.NodeID, step int)
}

// Kept are Data that may be in memory.
type Kept interface {
	Data
	// Stored is the datum where it is kept, finite and never changed; nil where it is not.
	Stored(node messages.NodeID, step int) []float64
}

// Options describe the algorithm.
type Options struct {
	Version    Version
	Learners   int     // n
	Rounds     int     // R
	Tau        int     // local steps in a round
	LocalStep  float64 // eta > 0
	GlobalStep float64 // eta_g > 0
	Start      []float64
	// Set is Omega, the set of decisions; nil is all of R^d. See set.go.
	Set mirror.Set
	// GradientBound is B_g > 0, the 2-norm that no gradient exceeds.
	GradientBound float64
	Bound         Bound
	// Noise is the noise on inputs; the zero value is none. It is noise.OnPrefixes, over R tau
	// inputs (PerStep) or R (PerRound), of scale V_i, for the distance that one client's datum
	// moves C G_i; or noise.OnDisjoint inputs.
	Noise        noise.Released
	NoisePurpose rng.Purpose
	// Own is the noise of each learner, len n, all as strong as Noise at least; nil means that all have
	// Noise. Weights are the weights of their messages in the mean of a round, of mean 1; nil means that
	// all are 1. Levels of servers have no weights.
	Own     []noise.Released
	Weights []float64
	Model   Model
	Data    Data
	// Effects is for a run on a network with effects: rounds then go by the schedule, even
	// where participants are missing. Without Effects a missing message is an error. No node
	// of the network may restart (algorithm.Network.Restarts).
	Effects bool
	// Tiers are levels of servers above the learners; nil is one server. They have no Effects.
	Tiers *Tiers
	// Late is the server's treatment, with Effects, of messages that come after their round.
	Late algorithm.Late
}

// Validate reports everything that keeps the options from describing a run, each
// an *option.Error named as scenarios do.
func (o *Options) Validate() error {
	var found option.Faults
	check := found.Check
	check(o.Version == PerRound || o.Version == PerStep, "version", "version %d; known: 1 (noise on each round), 2 (noise on each step)", o.Version)
	check(o.Learners >= 1, "nodes", "%d learners; want at least 1", o.Learners)
	check(o.Rounds >= 1, "rounds", "%d rounds; want at least 1", o.Rounds)
	check(o.Tau >= 1, "tau", "%d local steps; want at least 1", o.Tau)
	check(positive(o.LocalStep), "local_step", "local step eta = %v; want a finite number > 0", o.LocalStep)
	check(positive(o.GlobalStep), "global_step", "global step eta_g = %v; want a finite number > 0", o.GlobalStep)
	check(positive(o.GradientBound), "gradient_bound", "gradient bound B_g = %v; want a finite number > 0", o.GradientBound)
	check(o.Bound == BoundError || o.Bound == BoundClip, "on_bound", "unknown value %q; known: error, clip", o.Bound)
	check(o.Late.Known(), "late", "unknown rule for late messages %q; known: drop, use", o.Late)
	check(o.Model != nil, "model", "no model")
	check(o.Data != nil, "data", "no data")
	if o.Model != nil {
		found.Add(o.validateStart())
		check(o.Set == nil || o.Set.Dim() == o.Model.Dim(), "set", "the set has another dimension than the model, %d", o.Model.Dim())
	}
	check(o.Tiers == nil || !o.Effects, "tiers", "levels of servers in a network with effects; want one server")
	if o.Tiers != nil {
		check(o.Tiers.Validate() == nil && o.Tiers.Clients() == o.Learners, "tiers", "levels of servers %v for %d learners", o.Tiers.Fan, o.Learners)
	}
	check(o.Weights == nil || o.Tiers == nil, "weights", "weights of messages with levels of servers; want one server")
	check(o.Own == nil || len(o.Own) == o.Learners, "noise", "%d kinds of noise for %d learners", len(o.Own), o.Learners)
	check(o.Weights == nil || len(o.Weights) == o.Learners, "weights", "%d weights for %d learners", len(o.Weights), o.Learners)
	if o.Noise.Private() {
		found.Add(o.validateNoise())
	}
	return found.Err()
}

func positive(v float64) bool { return v > 0 && !math.IsInf(v, 1) }

func (o *Options) validateStart() error {
	if d := o.Model.Dim(); len(o.Start) != d {
		return option.Errorf("start", "start x^0 has %d entries; the model has %d parameters", len(o.Start), d)
	}
	for k, v := range o.Start {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return option.Errorf("start", "entry %d of the start x^0 is %v; want a finite number", k+1, v)
		}
	}
	return nil
}

// Inputs is the number of inputs of a learner's mechanism: R tau in version 2, R
// in version 1.
func (o *Options) Inputs() int {
	if o.Version == PerRound {
		return o.Rounds
	}
	return o.Rounds * o.Tau
}

// input is the number of the mechanism's input that a step belongs to, from 0.
func (o *Options) input(step int) int {
	if o.Version == PerRound {
		return step / o.Tau
	}
	return step
}

// Steps is the horizon, R tau.
func (o *Options) Steps() int { return o.Rounds * o.Tau }

// Participants is the number of participants: the server, then the learners, then a client for
// each learner, then the servers below the top, from the highest level.
func (o *Options) Participants() int { return 1 + 2*o.Learners + o.Tiers.between() }

// Learner returns the participant that is a learner, 0 .. n-1.
func Learner(i int) messages.NodeID { return messages.NodeID(1 + i) }

// Hops is the number of exchanges of a step: clients send their data; learners play and learn;
// and at the end of a round the server aggregates their messages, with levels of servers from the
// lowest to the top and back. The answer is delivered in the step after, and learners take it in the
// first exchange of that step.
func (o *Options) Hops(offset int) int {
	if (offset+1)%o.Tau == 0 {
		return 2 + 2*o.Tiers.levels() - 1
	}
	return 2
}

// Acts returns the participants that have a turn in a hop. Without Effects learners have no
// turn in the first hop of a step in which no model can come.
func (o *Options) Acts(offset, hop int) (first, end messages.NodeID) {
	n := messages.NodeID(o.Learners)
	switch hop {
	case 0:
		if !o.Effects && offset%o.Tau != 0 {
			return 1 + n, 1 + 2*n
		}
		return 1, 1 + 2*n
	case 1:
		return 1, 1 + n
	}
	return o.actsAbove(hop)
}

// Graph is the graph of possible messages: learners and the server to each other, and every
// client to its learner.
func Graph(learners int) (topology.Sequence, error) { return GraphOf(learners, nil) }

// GraphOf is Graph with levels of servers, each linked to those directly above and below it; nil is
// one server.
func GraphOf(learners int, of *Tiers) (topology.Sequence, error) {
	o := Options{Learners: learners, Tiers: of}
	var edges []topology.Edge
	link := func(a, b messages.NodeID) {
		edges = append(edges, topology.Edge{From: a, To: b, Weight: 1}, topology.Edge{From: b, To: a, Weight: 1})
	}
	for i := range learners {
		link(o.over(i), Learner(i))
		edges = append(edges, topology.Edge{From: Learner(learners + i), To: Learner(i), Weight: 1})
	}
	for level := 1; level < of.levels(); level++ {
		first, end := of.Servers(level)
		for node := first; node < end; node++ {
			link(o.server(of.Parent(level, int(node-first))), o.server(node))
		}
	}
	g, err := topology.FromEdges(o.Participants(), edges)
	if err != nil {
		return nil, err
	}
	return topology.Static(g), nil
}

// Local returns a function that reports whether a link is inside a learner's trust: the links
// between it and the clients that it meets, with one server. A client hands its datum over where the learner
// is, in the step in which it is met; no message crosses the network, and no effect of the
// network is on it.
func Local(learners int) func(from, to messages.NodeID) bool {
	clients := Learner(learners)
	return func(from, to messages.NodeID) bool { return from >= clients || to >= clients }
}

// Beside has each client of a run belong beside the learner that it meets in every step.
func Beside(learners int) func(messages.NodeID) messages.NodeID {
	clients := Learner(learners)
	return func(node messages.NodeID) messages.NodeID {
		if node >= clients && node < clients+messages.NodeID(learners) {
			return node - messages.NodeID(learners)
		}
		return node
	}
}

// shared is read by all machines of a run.
type shared struct {
	Options
	dim   int
	width int
	kept  Kept       // the data; nil where none are kept
	desk  batch.Desk // of the model; nil where it is not asked about many data at once
}

// gradient writes the gradient of the loss of a datum at x to dst.
func (s *shared) gradient(t *algorithm.Turn, dst, x, datum []float64) error {
	if s.desk != nil {
		return t.Consult(s.desk, &batch.Datum{X: x, Datum: datum, Answer: dst})
	}
	s.Model.Gradient(dst, x, datum)
	return nil
}

// New returns the machines of a run: the server, the learners, the clients, other servers.
func New(o Options) ([]algorithm.Machine, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	s := &shared{Options: o, dim: o.Model.Dim(), width: o.Data.Width()}
	s.kept, _ = o.Data.(Kept)
	s.desk = batch.OfModel(o.Model)
	machines := make([]algorithm.Machine, 0, o.Participants())
	switch {
	case s.Effects:
		machines = append(machines, &tolerantServer{global: newGlobal(s)})
	case s.Tiers != nil:
		machines = append(machines, &top{server{newGlobal(s)}})
	default:
		machines = append(machines, &server{newGlobal(s)})
	}
	for i := range o.Learners {
		learner, err := newLearner(s, i)
		if err != nil {
			return nil, err
		}
		machines = append(machines, learner)
	}
	for i := range o.Learners {
		machines = append(machines, &client{shared: s, learner: i})
	}
	return append(machines, s.servers()...), nil
}
