package dpfl

import (
	"fmt"
	"slices"

	"starling/actors/algorithm"
	"starling/mechanisms/kernel"
	"starling/messages"
)

// server is the participant that is the server.
const server messages.NodeID = 0

// global is the state of both servers: the model and the progress of the run.
type global struct {
	shared *shared
	model  []float64 // w(k), len d
	round  int       // rounds done
	done   int       // local steps of a client
	last   int       // round in which the server last averaged, kept with Effects only
	taken  []int     // local steps by client, kept with Stragglers only
}

func newGlobal(s *shared) global {
	g := global{shared: s, model: append([]float64(nil), s.Start...)}
	if s.Stragglers != nil {
		g.taken = make([]int, len(s.Clients))
	}
	return g
}

// weight is |D_i| of the client that sent a message.
func (s *shared) weight(from messages.NodeID) float64 {
	return float64(s.Clients[from-1].Size())
}

// finish ends a round of tau local steps in which clients of the given total weight sent
// models with the given weighted sum. It averages, plays, and sends the mean, lines 16 and 20
// of Algorithm 2. The mean is played before any client has seen data with it, and is the model
// that the round leaves. A server that received nothing stops, unless stragglers are dropped
// and some client has local steps left: it then keeps its model.
func (g *global) finish(t *algorithm.Turn, sum []float64, weight float64, tau int) error {
	switch {
	case weight > 0:
		g.adopt(t, sum, weight)
		g.round++
	case !g.shared.Stragglers.Drops() || slices.Min(g.taken) == g.shared.plan.Steps:
		t.Stop(fmt.Sprintf("no client sent a model in round %d", t.Step))
		return nil
	}
	before := g.done
	g.count(t.Step, t.Step, tau)
	return g.leave(t, g.done-before)
}

// adopt makes the model the mean of models with the given weighted sum, brought into the set:
// a mean of points of the set is outside by rounding alone.
func (g *global) adopt(t *algorithm.Turn, sum []float64, weight float64) {
	for k, v := range sum {
		g.model[k] = v / weight
	}
	g.shared.project(g.model, t.Scratch(g.shared.working()))
}

// leave plays and sends the model that a round leaves, and records the round's number of local
// steps.
func (g *global) leave(t *algorithm.Turn, tau int) error {
	if err := t.Play(g.model); err != nil {
		return err
	}
	t.Record(Tau, float64(tau))
	t.Record(Rounds, float64(g.round))
	t.Record(Steps, g.steps())
	mean := t.Vector(g.shared.dim)
	copy(mean.Values, g.model)
	if g.round == 0 { // no model has ever come
		return t.Broadcast(mean, algorithm.Public(publicStart))
	}
	if !g.shared.protected() { // nor was any earlier round, no matter which models came in this one
		return t.BroadcastRaw(mean)
	}
	if t.Blocks != nil { // blocks are of models alone
		return t.Broadcast(mean, t.Follows(meanOfModels))
	}
	return t.Broadcast(mean, t.FollowsFrom(meanOfModels, g.shared.isModel))
}

// count counts the local steps of rounds of tau, from the first to the last.
func (g *global) count(first, last, tau int) {
	g.done += min((last-first+1)*tau, g.shared.plan.Steps-g.done)
	for i := range g.taken {
		for round := first; round <= last; round++ {
			steps := g.shared.Stragglers.Steps(messages.NodeID(i+1), round, tau)
			g.taken[i] += min(steps, g.shared.plan.Steps-g.taken[i])
		}
	}
}

// steps returns the local steps of a client so far, with stragglers of the mean client.
func (g *global) steps() float64 {
	if g.taken == nil {
		return float64(g.done)
	}
	var sum, all float64
	for i, taken := range g.taken {
		batch := g.shared.batch(i)
		sum += float64(batch * float64(taken))
		all += batch
	}
	return sum / all
}

// Reasons why the server's messages show nothing more than the clients' messages do.
const (
	publicStart     algorithm.Reason = "the model is the start still, which is public"
	meanOfModels    algorithm.Reason = "the model is the mean of models that clients have released"
	tauOfStatistics algorithm.Reason = "tau is chosen by what clients have released"
)

// Reasons lists the reasons why messages without a receipt show nothing more.
func Reasons() []algorithm.Reason {
	return []algorithm.Reason{publicStart, meanOfModels, tauOfStatistics, publicStatistics}
}

// isModel tells a client's model, the first message of a round, from statistics.
func (s *shared) isModel(e *messages.Envelope) bool {
	return e.Seq == 0 && (!s.Effects || s.hopOf(int(e.Sent)) == 0)
}

// State implements algorithm.Machine.
func (g *global) State(c *messages.Codec) {
	c.Int("k", &g.round)
	c.Int("t", &g.done)
	if g.shared.Effects {
		c.Int("last", &g.last)
	}
	if g.taken != nil {
		messages.Integers(c, "local steps", &g.taken, len(g.shared.Clients))
		c.Check(len(g.taken) == len(g.shared.Clients), "local steps of %d clients, want %d", len(g.taken), len(g.shared.Clients))
	}
	c.Floats("w", g.model)
	c.Check(g.round >= 0 && g.round <= g.shared.Rounds && g.done >= 0 && g.done <= g.shared.plan.Steps,
		"state of the server after %d rounds of %d and %d local steps of %d", g.round, g.shared.Rounds, g.done, g.shared.plan.Steps)
}

// describeTau describes the tau of a server that does not choose it.
func (s *shared) describeTau() []algorithm.Quantity {
	return []algorithm.Quantity{{Name: "tau", Values: []float64{float64(s.Tau)}}}
}

// fixedServer is the server of DPFL. It needs sums only, and has the runtime fold its
// messages.
type fixedServer struct{ global }

// FoldLength implements algorithm.Folder: a sum of models and one of weights.
func (s *fixedServer) FoldLength() int { return s.shared.dim + 1 }

// Fold implements algorithm.Folder.
func (s *fixedServer) Fold(sum []float64, e *messages.Envelope) {
	weight := s.shared.weight(e.From)
	addWeighted(sum, e, weight)
	sum[s.shared.dim] += weight
}

// Step implements algorithm.Machine: lines 14 and 15 of Algorithm 1.
func (s *fixedServer) Step(t *algorithm.Turn) error {
	sum := t.Scratch(s.shared.dim + 1)
	clear(sum)
	for b := range t.Blocks.Len() {
		part, _ := t.Blocks.Block(b)
		kernel.Add(sum, part)
	}
	return s.finish(t, sum[:s.shared.dim], sum[s.shared.dim], s.shared.Tau)
}

// Describe implements algorithm.Describer.
func (s *fixedServer) Describe() []algorithm.Quantity { return s.shared.describeTau() }

// adaptiveServer is the server of ALI-DPFL. How far each client's gradient is from their mean
// is no sum of their messages, so it reads them one by one.
type adaptiveServer struct {
	global
	tau int // tau*, of the round to come
	// rho and beta are the round's, weighted. estimated is true if any client had them.
	rho, beta float64
	estimated bool
}

func newAdaptiveServer(s *shared) *adaptiveServer {
	return &adaptiveServer{global: newGlobal(s), tau: 1}
}

// Step implements algorithm.Machine.
func (s *adaptiveServer) Step(t *algorithm.Turn) error {
	if t.Hop == 1 {
		return s.average(t)
	}
	return s.choose(t)
}

// addWeighted adds a vector to a sum.
func addWeighted(sum []float64, e *messages.Envelope, weight float64) {
	values := e.Payload.(*messages.Vector).Values
	kernel.Axpy(sum[:len(values)], weight, values)
}

// average is lines 14 to 16 of Algorithm 2. A client's first message is its
// model, its second its rho_i and beta_i.
func (s *adaptiveServer) average(t *algorithm.Turn) error {
	sum := t.Scratch(s.shared.dim)
	clear(sum)
	var models float64
	for i := range t.Inbox {
		if e := &t.Inbox[i]; e.Seq == 0 {
			weight := s.shared.weight(e.From)
			addWeighted(sum, e, weight)
			models += weight
		}
	}
	s.rate(t.Inbox)
	return s.finish(t, sum, models, s.tau)
}

// rate takes the round's rho and beta from the messages that clients sent beside their models.
func (s *adaptiveServer) rate(inbox []messages.Envelope) {
	var weights float64
	var ratios [2]float64
	for i := range inbox {
		if e := &inbox[i]; e.Seq != 0 {
			weight := s.shared.weight(e.From)
			addWeighted(ratios[:], e, weight)
			weights += weight
		}
	}
	if s.estimated = weights > 0; s.estimated {
		s.rho, s.beta = ratios[0]/weights, ratios[1]/weights
	}
}

// choose is lines 17 to 20: xi from the gradients at the new mean, and tau*.
// Where no client has a rho_i and beta_i, tau stays.
func (s *adaptiveServer) choose(t *algorithm.Turn) error {
	if len(t.Inbox) == 0 {
		t.Stop(fmt.Sprintf("no client sent a gradient after round %d", s.round))
		return nil
	}
	return s.decide(t)
}

// decide chooses tau* where the round's estimates are there, and sends it.
func (s *adaptiveServer) decide(t *algorithm.Turn) error {
	if s.estimated {
		o := &s.shared.Options
		bound := Bound{Rho: s.rho, Beta: s.beta, Xi: s.divergence(t), Noise: s.shared.noise, LearningRate: o.LearningRate, Control: o.Adaptive.control()}
		roundsLeft, stepsLeft := o.Rounds-t.Step, s.shared.plan.Steps-s.done
		free := bound
		free.Rho = 0
		t.Record(TauFree, float64(free.Choose(s.tau, roundsLeft, stepsLeft)))
		s.tau = bound.Choose(s.tau, roundsLeft, stepsLeft)
		t.Record(TauChosen, float64(s.tau))
		t.Record(Rho, bound.Rho)
		t.Record(Beta, bound.Beta)
		t.Record(Xi, bound.Xi)
	}
	tau := t.Vector(1)
	tau.Values[0] = float64(s.tau)
	if !s.shared.protected() || s.shared.Adaptive.Statistics == AsPrinted {
		return t.BroadcastRaw(tau)
	}
	return t.Broadcast(tau, t.Follows(tauOfStatistics))
}

// divergence is xi of Definition 2, the weighted mean of the distances of the
// clients' gradients from their weighted mean.
func (s *adaptiveServer) divergence(t *algorithm.Turn) float64 {
	mean := t.Scratch(s.shared.dim)
	clear(mean)
	var weights, xi float64
	for i := range t.Inbox {
		weight := s.shared.weight(t.Inbox[i].From)
		addWeighted(mean, &t.Inbox[i], weight)
		weights += weight
	}
	kernel.Scale(mean, 1/weights, mean)
	for i := range t.Inbox {
		e := &t.Inbox[i]
		xi += float64(s.shared.weight(e.From) * kernel.Distance(e.Payload.(*messages.Vector).Values, mean))
	}
	return xi / weights
}

// State implements algorithm.Machine.
func (s *adaptiveServer) State(c *messages.Codec) {
	s.global.State(c)
	c.Int("tau", &s.tau)
	c.Bool("estimated", &s.estimated)
	c.Float("rho", &s.rho)
	c.Float("beta", &s.beta)
	c.Check(s.tau >= 1 && s.tau <= mostTau, "state of the server with tau = %d; want 1 to %d", s.tau, mostTau)
}
