package auditing

import (
	"math"
	"slices"

	"starling/mechanisms/audit"
	"starling/mechanisms/noise"
	"starling/messages"
)

// The noise of steps that no audit draws outcomes of is looked at in a few runs. The means of the
// noise and of its square are held against the law that is stated, by audit.Residuals: of each
// step, of all steps from each on, and of these node by node. Its inequality (Bernstein's) holds
// for any number of values, and all of these tests together find something in correct noise with
// a chance of scaleMiss at most. What they find is no verdict: it says of which steps the audit
// draws outcomes, and those are judged within the error of the audit, as all outcomes are.
//
// scaleValues is how many values of a step are looked at where scaleRuns runs have as many: noise of
// 0.7 times its scale in a single step, and of 0.9 times in all steps from one on, is then seen.
const (
	scaleMiss   = 1e-3
	scaleValues = 512
	scaleRuns   = 16
)

// OtherNoise is the step, from first on and up to end, from which the noise of the nodes with noise
// is the furthest from what is stated, of one node or, where that is -1, of all; 0 is none. A
// release has so many entries with noise, of the law. Runs are of seeds from one on.
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

// noises are what the noise of nodes comes to, by node and step.
type noises struct {
	nodes []messages.NodeID
	by    [][]*audit.Residuals
	runs  int // that these are to be of
}

// newNoises are those of nodes that release so many entries with noise of a law, up to a step.
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

// furthest is the step, from first on, from which noise is the furthest from what is stated, of
// a node or, where that is -1, of all; 0 is none.
func (n *noises) furthest(first int) (from int, who messages.NodeID) {
	end := len(n.by[0]) - 1
	miss := scaleMiss / float64((2+len(n.nodes))*(end-first+1))
	most := 1.0 // how many times as far as noise as stated may be
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
