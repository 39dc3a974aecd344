package auditing

import (
	"math"
	"slices"

	"starling/mechanisms/audit"
	"starling/mechanisms/noise"
	"starling/messages"
)

// The noise of steps without outcomes in the audit is looked at in a few runs. The means of
// the noise and of its square are compared with the stated law, by audit.Residuals: for each
// step, for all steps from each on, and for these node by node. Its inequality (Bernstein's)
// holds for any number of values, and all of these tests together find something in correct
// noise with a chance of scaleMiss at most. Their result is no verdict: it selects the steps
// of which the audit draws outcomes, and those are judged within the error of the audit, as
// all outcomes are.
//
// scaleValues is the number of values of a step that are looked at, if scaleRuns runs have as
// many: noise of 0.7 times its scale in a single step, and of 0.9 times in all steps from one
// on, is then seen.
const (
	scaleMiss   = 1e-3
	scaleValues = 512
	scaleRuns   = 16
)

// OtherNoise returns the step from which noise is furthest from the stated noise, from first
// on and up to end, and the node with that noise; -1 is all nodes together. A step of 0 is
// none. A release has entries values with noise of the law. Runs are of seeds from seed on.
func (a *Run) OtherNoise(seed uint64, law noise.Law, entries, first, end int) (from int, who messages.NodeID, err error) {
	if first > end {
		return 0, -1, nil
	}
	n := newNoises(a.watched(), law, entries, end)
	for k := range uint64(n.runs) {
		o, err := a.Observe(seed+k, false, 1)
		if err != nil {
			return 0, -1, err
		}
		if err := n.add(o.Releases); err != nil {
			return 0, -1, err
		}
	}
	from, who = n.furthest(first)
	return from, who, nil
}

// noises are the statistics of the noise of nodes, by node and step.
type noises struct {
	nodes []messages.NodeID
	by    [][]*audit.Residuals
	runs  int // the number of runs that they are to be of
}

// newNoises returns the noises of nodes that release so many entries with noise of a law, up
// to a step.
func newNoises(nodes []messages.NodeID, law noise.Law, entries, end int) *noises {
	n := &noises{nodes: nodes, runs: min(scaleRuns, 1+scaleValues/max(1, entries*len(nodes)))}
	for range nodes {
		steps := make([]*audit.Residuals, end+1)
		for step := range steps {
			steps[step] = audit.NewResiduals([]audit.Residual{{Name: "noise", Law: law}})
		}
		n.by = append(n.by, steps)
	}
	return n
}

// add adds the noise of releases, entry by entry.
func (n *noises) add(releases []Release) error {
	for i := range releases {
		to := n.by[slices.Index(n.nodes, releases[i].Node)][releases[i].Step]
		for _, v := range releases[i].Residual {
			if err := to.Add([]float64{v}); err != nil {
				return err
			}
		}
	}
	return nil
}

// furthest returns the step, from first on, from which noise is furthest from the stated
// noise, and the node with that noise; -1 is all nodes together. A step of 0 is none.
func (n *noises) furthest(first int) (from int, who messages.NodeID) {
	end := len(n.by[0]) - 1
	miss := scaleMiss / float64((2+len(n.nodes))*(end-first+1))
	most := 1.0 // the deviation relative to its limit; 1 is within the stated law
	look := func(step int, node messages.NodeID, r *audit.Residuals) {
		if found := r.Judge(miss); !found.AsStated() {
			if d := found.Deviations[0]; math.Abs(d.Value) > float64(most*d.Limit) {
				most, from, who = math.Abs(d.Value)/d.Limit, step, node
			}
		}
	}
	rest, each := n.by[0][0].Empty(), make([]*audit.Residuals, len(n.nodes))
	for i := range each {
		each[i] = rest.Empty()
	}
	for step := end; step >= first; step-- {
		all := rest.Empty()
		for i, node := range n.nodes {
			all.Merge(n.by[i][step])
			each[i].Merge(n.by[i][step])
			look(step, node, each[i])
		}
		rest.Merge(all)
		look(step, -1, rest)
		look(step, -1, all)
	}
	return from, who
}
