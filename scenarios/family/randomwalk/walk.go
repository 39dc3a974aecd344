package randomwalk

import (
	"slices"

	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/messages"
	"starling/scenarios/gossip"
	"starling/scenarios/ledger"
	"starling/scenarios/study"
)

// walk is the path of the token of a run, with the losses of its steps.
type walk struct {
	// holders are by step, from 1 at index 0, and one more: the receiver in the last step.
	holders []messages.NodeID
	loss    []accountant.Loss // of the release of a step
	// moves are the distances that other costs move the release of a step in 2-norm, and
	// scales its noise. contracts means that steps are contractions with Gaussian noise.
	moves, scales []float64
	contracts     bool
}

// learns returns the account of coalitions; see ledger.Learns.
func learns(r *gossip.Rate, at *gossip.Setting, j *study.Job) ledger.Learns {
	if j.Run.Network != nil || len(j.Meter.Stops()) > 0 {
		return nil
	}
	var w *walk
	var members []messages.NodeID
	var known map[int][]accountant.Total // by step
	return func(of ledger.View, unit messages.NodeID, step int) (total accountant.Total, said bool, err error) {
		if of.Members == nil {
			return total, false, nil
		}
		if w == nil {
			if w, err = newWalk(r, at, j); err != nil {
				return total, false, err
			}
		}
		if !slices.Equal(members, of.Members) {
			members, known = of.Members, map[int][]accountant.Total{}
		}
		if known[step] == nil {
			known[step] = w.learned(members, at.Nodes, step)
		}
		return known[step][unit], true, nil
	}
}

// newWalk follows the token once more: its path is public.
func newWalk(r *gossip.Rate, at *gossip.Setting, j *study.Job) (*walk, error) {
	w := &walk{holders: make([]messages.NodeID, 1, at.Horizon+1), contracts: j.Run.Wire == nil && contracts(r, at)}
	for step := 1; step <= at.Horizon; step++ {
		release := at.Release(step)
		w.loss = append(w.loss, release.Noise.Loss(release.Moves))
		w.moves, w.scales = append(w.moves, release.Moves.L2), append(w.scales, release.Noise.Scale)
		w.contracts = w.contracts && release.Noise.Law == noise.GaussianLaw && release.Noise.Scale > 0
		graph, err := topology.GraphAt(j.Run.Graphs, step-1)
		if err != nil {
			return nil, err
		}
		holder := w.holders[step-1]
		to, err := next(at.Seed, step, graph.View(holder))
		if err != nil {
			return nil, err
		}
		w.holders = append(w.holders, to)
	}
	return w, nil
}

// contracts reports whether every step maps two models no farther apart. Such steps are
// gradient steps of at most 2/beta on convex costs, with gradients that nothing clips and that
// are no estimates.
func contracts(r *gossip.Rate, at *gossip.Setting) bool {
	convex, ok := at.Problem.(interface{ Convex() bool })
	beta, finite := at.Problem.Smoothness()
	return !at.Bandit && ok && convex.Convex() && finite && r.At(1)*beta <= 2 && at.Bound.Theta >= at.Problem.GradientBound()
}

// learned returns, by node, the losses to a coalition by the messages up to a step.
func (w *walk) learned(members []messages.NodeID, nodes, end int) []accountant.Total {
	list := make([]accountant.Total, nodes)
	has := func(node messages.NodeID) bool { _, found := slices.BinarySearch(members, node); return found }
	first := 0 // step index at which the stretch begins
	for k := range end {
		switch {
		case has(w.holders[k]):
			first = k + 1
		case has(w.holders[k+1]):
			w.stretch(list, first, k)
			first = k + 1
		}
	}
	return list
}

// stretch adds the losses by the token that arrives after the steps first .. last, by index.
// None of these steps was the coalition's own.
func (w *walk) stretch(list []accountant.Total, first, last int) {
	var seen []messages.NodeID
	for k := first; k <= last; k++ {
		unit := w.holders[k]
		if slices.Contains(seen, unit) {
			continue
		}
		seen = append(seen, unit)
		var paid accountant.Total
		for s := k; s <= last; s++ {
			if w.holders[s] == unit {
				paid.Add(w.loss[s])
			}
		}
		if w.contracts {
			paid = accountant.Loss{Rho: w.hidden(k, last)}.Total()
		}
		list[unit].AddTotal(&paid)
	}
}

// corner is a pair for hidden: variance so far, and the distance moved by then.
type corner struct{ variance, moved float64 }

// hidden is the rho of the moves of a step's holder in this step and until another, given the
// token that arrives then. The noise of each step hides a part a_k of the moves, at a cost of
// sum_k a_k^2/(2 sigma_k^2). The parts so far are no more than the moves so far, and in the
// end all of them. As a function of the variance so far, the cheapest sum of parts is the
// largest convex function below the moves that came before each move.
func (w *walk) hidden(first, last int) (rho float64) {
	var hull []corner
	add := func(c corner) {
		for n := len(hull); n >= 2; n-- {
			a, b := hull[n-2], hull[n-1]
			if float64((b.moved-a.moved)*(c.variance-b.variance)) < float64((c.moved-b.moved)*(b.variance-a.variance)) {
				break
			}
			hull = hull[:n-1]
		}
		hull = append(hull, c)
	}
	var now corner
	for k := first; k <= last; k++ {
		if w.holders[k] == w.holders[first] {
			add(now)
			now.moved += w.moves[k]
		}
		now.variance += float64(w.scales[k] * w.scales[k])
	}
	add(now)
	for i, c := range hull[1:] {
		moved := c.moved - hull[i].moved
		rho += float64(moved*moved) / (2 * (c.variance - hull[i].variance))
	}
	return rho
}
