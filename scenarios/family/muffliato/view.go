package muffliato

import (
	"slices"

	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/mechanisms/numeric"
	"starling/messages"
	"starling/scenarios/gossip"
	"starling/scenarios/ledger"
	"starling/scenarios/study"
)

// mostEntries is the largest number of entries of the products of all rounds together. Beyond
// it the loss to a coalition is the payments for releases that can have reached it.
const mostEntries = 1 << 26

// views are the views of coalitions of a run.
type views struct {
	graphs topology.Sequence
	rounds int
	loss   accountant.Loss // of a release
	linear bool            // coalitions see a first release through sums, which follow from products
	// products has, by offset k of a step, the matrix from first releases to the messages of
	// nodes: I, A_0, A_1 A_0, .., n x n by rows.
	products [][]float64
	view     *view // of the last call
}

// learns returns the account of coalitions; see ledger.Learns.
func learns(o *options, at *gossip.Setting, j *study.Job) ledger.Learns {
	if j.Run.Network != nil || j.Run.Wire != nil || len(j.Meter.Stops()) > 0 {
		return nil
	}
	release := at.Release(1)
	v := &views{graphs: j.Graphs, rounds: o.Rounds, loss: release.Noise.Loss(release.Moves)}
	size := float64(at.Nodes) * float64(at.Nodes) * float64(min(o.Rounds, at.Horizon))
	v.linear = at.Rule.Combine == nil && release.Noise.Law == noise.GaussianLaw && v.loss.Private() && size <= mostEntries
	return func(of ledger.View, unit messages.NodeID, step int) (total accountant.Total, said bool, err error) {
		if of.Members == nil {
			return total, false, nil
		}
		if v.view == nil || !slices.Equal(v.view.members, of.Members) {
			v.view = &view{views: v, members: of.Members, hidden: make([]bool, at.Nodes)}
		}
		v.view.upTo(step)
		if loss := v.loss; v.linear && step <= v.rounds {
			loss.Rho *= v.view.share(int(unit))
			total.Add(loss)
			return total, true, nil
		}
		total.AddTimes(v.loss, v.view.reached[unit])
		return total, true, nil
	}
}

// product is the product at an offset below the number of rounds.
func (v *views) product(k int) []float64 {
	n := v.graphs.Nodes()
	for len(v.products) <= k {
		next, last := make([]float64, n*n), len(v.products)-1
		if last < 0 {
			for i := range n {
				next[i*n+i] = 1
			}
			v.products = append(v.products, next)
			continue
		}
		graph, before := v.graphs.At(last), v.products[last]
		for i := range n {
			from, weights := graph.In(messages.NodeID(i))
			for e, j := range from {
				w := weights[e]
				for u, a := range before[int(j)*n:][:n] {
					next[i*n+u] += float64(w * a)
				}
			}
		}
		v.products = append(v.products, next)
	}
	return v.products[k]
}

// view is the view of a coalition.
type view struct {
	*views
	members []messages.NodeID
	offset  int // of the next step to look at
	// span is the span of the messages up to offset, in the coordinates of all nodes, with
	// members' coordinates 0. hidden are the nodes with a weight in a message that was left out
	// because rounding hides whether it lies in the span.
	span    numeric.Span
	hidden  []bool
	reached []int // by node: the number of its releases that can have reached the coalition
}

// upTo looks at the messages of all steps up to step, from 1.
func (s *view) upTo(step int) {
	if step == s.offset {
		return
	}
	s.reached = s.reach(step - 1)
	n := s.graphs.Nodes()
	for ; s.linear && s.offset < min(step, s.rounds); s.offset++ {
		product, graph := s.product(s.offset), s.graphs.At(s.offset)
		for _, member := range s.members {
			from, _ := graph.In(member)
			for _, sender := range from {
				if s.has(sender) {
					continue
				}
				row := slices.Clone(product[int(sender)*n:][:n])
				for _, own := range s.members {
					row[own] = 0
				}
				if !s.span.Add(row) {
					for u, weight := range row {
						s.hidden[u] = s.hidden[u] || weight != 0
					}
				}
			}
		}
	}
	s.offset = step
}

// has reports whether a node is a member.
func (s *view) has(node messages.NodeID) bool {
	_, found := slices.BinarySearch(s.members, node)
	return found
}

// share is an upper bound on the loss of the first release of a node to the coalition, over
// the payment for it.
func (s *view) share(unit int) float64 {
	share := s.span.Share(unit)
	if s.hidden[unit] {
		return 1
	}
	if share > 0 {
		share = min(1, share+numeric.SpanError)
	}
	return share
}

// reach counts, by node, the releases that can have reached the coalition by the messages up
// to an offset.
func (s *view) reach(end int) []int {
	n := s.graphs.Nodes()
	count, carries := make([]int, n), make([]bool, n)
	for k := end; k >= 0; k-- {
		// carries are the nodes with messages of the step after k that can have reached the
		// coalition. The nodes that they and members hear in step k are added.
		graph, next := s.graphs.At(k), make([]bool, n)
		hear := func(receiver messages.NodeID) {
			from, _ := graph.In(receiver)
			for _, sender := range from {
				next[sender] = true
			}
		}
		for _, member := range s.members {
			hear(member)
		}
		for i, c := range carries {
			if c {
				hear(messages.NodeID(i))
			}
		}
		carries = next
		if k%s.rounds == 0 {
			for i, c := range carries {
				if c {
					count[i]++
				}
			}
		}
	}
	return count
}
