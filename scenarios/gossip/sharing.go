package gossip

import (
	"fmt"
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/mechanisms/numeric"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/auditing"
	"starling/scenarios/cache"
	"starling/scenarios/document"
	"starling/scenarios/ledger"
	"starling/scenarios/study"
)

// sharing is the noise that nodes of a run have in common, step by step. Nodes are neighbours
// in a step if by the graph either sends the other a message in it, whether or not the message
// arrives. A sharing is safe for concurrent use.
type sharing struct {
	graphs topology.Sequence
	ratio  float64
	kept   *cache.Recent[int, *noise.Shared] // by epoch: the noise of its steps
}

// sharings returns the noise that nodes have in common under a seed; nil means none. The error
// comes from the graphs.
type sharings func(seed uint64) (*sharing, error)

// sharings returns the arm's sharings. Seeds with the same graphs share one result. An arm
// without graphs, which is a fault of its own, has none.
func (p *parts[O]) sharings(calibration noise.Calibration) sharings {
	var ratio float64
	if p.Shared != nil && calibration.Private() {
		ratio = p.Algorithm.Shared(&p.Options)
	}
	if ratio == 0 || p.nodes.Topology == nil {
		return func(uint64) (*sharing, error) { return nil, nil }
	}
	draw := func(seed uint64) (*sharing, error) {
		graphs, err := p.nodes.Topology.Sequence(seed)
		return &sharing{graphs, ratio, cache.NewRecent[int, *noise.Shared](keptShares)}, err
	}
	if p.nodes.Topology.Seeded() {
		return draw
	}
	type drawn struct {
		shared *sharing
		err    error
	}
	one := cache.NewRecent[struct{}, drawn](1)
	return func(uint64) (*sharing, error) {
		d := one.Get(struct{}{}, func() (d drawn) { d.shared, d.err = draw(p.f.Seeds.Base); return d })
		return d.shared, d.err
	}
}

// keptShares is the number of graphs with noise in the cache: graphs that take turns, and graphs
// of steps that nodes are in at the same time.
const keptShares = 8

// of returns the noise of a step, from 1.
func (s *sharing) of(step int) *noise.Shared {
	epoch := s.graphs.Epoch(step - 1)
	if period, ok := s.graphs.Period(); ok {
		epoch = (step - 1) % period
	}
	return s.kept.Get(epoch, func() *noise.Shared {
		shared, err := noise.NewShared(neighboursIn(s.graphs.At(step-1)), s.ratio)
		if err != nil {
			panic("gossip: " + err.Error()) // nodes and ratio are checked when the arm is read
		}
		return shared
	})
}

// neighboursIn lists the nodes that each node sends to or hears, ascending, without itself.
func neighboursIn(g *topology.Graph) [][]int {
	list := make([][]int, g.Nodes())
	for i := range list {
		from, _ := g.In(messages.NodeID(i))
		for _, j := range from {
			if int(j) != i {
				list[i], list[j] = append(list[i], int(j)), append(list[j], i)
			}
		}
	}
	for i := range list {
		slices.Sort(list[i])
		list[i] = slices.Compact(list[i])
	}
	return list
}

// fitted scales a node's own noise for use with shared noise, given the noise that would be
// all its own. It is the scale at which no node's release costs more against any single other
// node.
func fitted(n noise.Additive, shared *noise.Shared) noise.Additive {
	n.Scale *= math.Sqrt(shared.Most())
	return n
}

// checkShared returns a fault if too many nodes share noise.
func checkShared(f *study.ArmFile, name string) error {
	if f.Nodes > noise.MostSharing {
		return document.At("nodes", "%d nodes share noise in the algorithm %s; want at most %d, since the loss of each to each is computed", f.Nodes, name, noise.MostSharing)
	}
	return nil
}

// seenBy returns the audits of a run, by observer. Without noise in common there is one. With
// it there are two: by an observer that knows none of the noise, and by the other node to
// which the audited one loses the most.
func (e *Equals) seenBy(r *auditing.Run) ([]*auditing.Run, error) {
	seed := e.File.Seeds.Base
	if e.sharings == nil || !r.Private {
		return []*auditing.Run{r}, nil
	}
	shared, err := e.sharings(seed)
	if err != nil || shared == nil {
		return []*auditing.Run{r}, err
	}
	alone, peer := *r, *r
	e.see(&alone, shared, nil)
	alone.Mechanism += ", seen without knowledge of the noise"
	if e.File.Nodes == 1 {
		return []*auditing.Run{&alone}, nil
	}
	worst := worstFor(shared.of(1), int(r.Node))
	e.see(&peer, shared, []int{worst})
	peer.Mechanism += fmt.Sprintf(", seen by node %d", worst+FirstLabel)
	return []*auditing.Run{&alone, &peer}, nil
}

// worstFor returns the other node to which a node loses the most.
func worstFor(s *noise.Shared, node int) (worst int) {
	most := -1.0
	for j := range s.Worst() {
		if p := s.Precision([]int{j})[node]; j != node && p > most {
			worst, most = j, p
		}
	}
	return worst
}

// see sets an audit's observer to a coalition that sees all messages and knows the noise of
// its nodes. The stated loss follows from the covariance, over all steps of the audit.
func (e *Equals) see(r *auditing.Run, shared *sharing, coalition []int) {
	var planned accountant.Loss
	for step := 1; step <= e.File.Horizon; step++ {
		if stop, ends := e.stops[r.Node]; ends && step >= stop {
			break
		}
		own, moves, s := e.noiseIn(e.File.Seeds.Base, 0, step)
		planned = planned.Compose(noise.SharedLoss(own, s.Precision(coalition)[r.Node], moves))
	}
	r.Planned = &planned
	r.Others = nil
	for node := range min(e.File.Nodes, auditedNodes) {
		if node != int(r.Node) && !slices.Contains(coalition, node) {
			r.Others = append(r.Others, messages.NodeID(node))
		}
	}
	r.Known = func(seed uint64, noised float64, at auditing.Place, x []float64) {
		own, _, s := e.noiseIn(e.File.Seeds.Base, 0, at.Step)
		from := noise.Drawing{Key: rng.NewKey(seed, algorithm.SharedPurpose(e.purpose)), Node: int(at.Node), Step: at.Step, Hop: at.Hop}
		s.Add(x[:e.Noised], from, -float64(noised*own.Scale), s.Among(int(at.Node), coalition))
	}
	r.Jointly = func(at auditing.Place, nodes []messages.NodeID, rows [][]float64) {
		whiten(shared.of(at.Step), coalition, nodes, rows)
	}
}

// whiten multiplies rows from the left by the inverse of the Cholesky factor of their
// covariance, against a coalition.
func whiten(s *noise.Shared, coalition []int, nodes []messages.NodeID, rows [][]float64) {
	k, all := s.Covariance(coalition)
	n, m := len(nodes), len(all)
	part := make([]float64, n*n)
	for i := range nodes {
		for j := range nodes {
			part[i*n+j] = k[slices.Index(all, int(nodes[i]))*m+slices.Index(all, int(nodes[j]))]
		}
	}
	factor, ok := numeric.NewCholesky(part, n, 0)
	if !ok {
		panic("gossip: the covariance of shared noise is not positive definite")
	}
	inverse := factor.Inverse()
	for i := n - 1; i >= 0; i-- { // rows before i are still as they were
		for c := range rows[i] {
			var sum float64
			for j := range i + 1 {
				sum += float64(inverse[i*n+j] * rows[j][c])
			}
			rows[i][c] = sum
		}
	}
}

// sharedWhy describes the view of coalitions where nodes have noise in common.
const sharedWhy = "an observer of all messages that knows the noise shared by its nodes"

// unshared returns the losses to the wire and the public, which see all messages and know no
// noise. The loss to the single node that learns the most equals the payment.
func (e *Equals) unshared() *ledger.Worth {
	return &ledger.Worth{
		Of: func(seed uint64, node messages.NodeID, step int, _ accountant.Loss) accountant.Loss {
			own, moves, shared := e.noiseIn(seed, 0, step)
			return noise.SharedLoss(own, shared.Alone()[node], moves)
		},
		Most: func(step int, paid accountant.Loss) accountant.Loss {
			if e.Nodes.Topology.Seeded() { // other seeds have other graphs
				return paid
			}
			own, moves, shared := e.noiseIn(e.File.Seeds.Base, 0, step)
			return noise.SharedLoss(own, slices.Max(shared.Alone()), moves)
		},
	}
}

// learns returns the losses to coalitions, which see all messages and know the noise of their
// nodes, over the steps in which a node has made a release.
func (e *Equals) learns(j *study.Job) ledger.Learns {
	var t *lessons
	return func(of ledger.View, unit messages.NodeID, step int) (accountant.Total, bool, error) {
		if of.Members == nil {
			return accountant.Total{}, false, nil
		}
		if t == nil || t.of.Observer != of.Observer || step < t.step {
			t = e.newLessons(of, j)
		}
		for t.step < step {
			t.step++
			own, moves, shared := e.noiseIn(j.Run.Seed, 0, t.step)
			t.add(byStep(j.Run.Network), own, moves, shared)
		}
		return t.totals[unit].Clone(), true, nil
	}
}

// lessons are the losses of every node to one view up to a step, from 1.
type lessons struct {
	of     ledger.View
	step   int
	last   []int // the last step that each node has paid for; 0 means none
	totals []accountant.Total
	known  map[*noise.Shared][]float64 // precisions
}

// newLessons returns the lessons before the first step of a job that has run.
func (e *Equals) newLessons(of ledger.View, j *study.Job) *lessons {
	n := e.File.Nodes
	t := &lessons{of: of, last: make([]int, n), totals: make([]accountant.Total, n), known: map[*noise.Shared][]float64{}}
	for i := range t.last {
		t.last[i], _ = j.Meter.LastPaid(messages.NodeID(i))
	}
	return t
}

// add adds the losses in step t.step of the nodes that made a release in it.
func (t *lessons) add(network algorithm.Network, own noise.Additive, moves noise.Moves, shared *noise.Shared) {
	p, known := t.known[shared]
	if !known {
		p = shared.Precision(numbersOf(t.of.Members))
		t.known[shared] = p
	}
	for i := range t.totals {
		released := t.step <= t.last[i] && (network == nil || network.Up(messages.NodeID(i), t.step-1)) // a turn a step
		if released && p[i] > 0 {                                                                       // not of the coalition
			t.totals[i].Add(noise.SharedLoss(own, p[i], moves))
		}
	}
}

func numbersOf(nodes []messages.NodeID) (list []int) {
	for _, n := range nodes {
		list = append(list, int(n))
	}
	return list
}
