package gossip

import (
	"starling/scenarios/cache"
	"starling/scenarios/gauge"
	"starling/scenarios/problem"
	"starling/scenarios/problem/stream"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// instanceKey names the instance of a problem, which arms with one section share, under a
// seed.
type instanceKey struct {
	problem holder
	seed    uint64
	horizon int
}

// holder is a problem with instances that hold their data.
type holder interface {
	problem.Problem
	InstanceBytes(horizon int, sums bool) int64
}

// instance returns the costs of a seed. Jobs share their data.
func (e *Equals) instance(seed uint64) (problem.Instance, error) {
	horizon := e.File.Horizon
	draw := func() (problem.Instance, error) { return e.Nodes.Problem.Draw(seed, horizon) }
	switch p := e.Nodes.Problem.(type) {
	case problems.Shared:
		return p.DrawShared(e.Arm.Cache, seed, horizon, reads(e.Arm))
	case holder:
		if in, kept, err := cache.Get(e.Arm.Cache, instanceKey{p, seed, horizon}, draw); kept {
			return in, err
		}
	}
	return draw()
}

// Shares implements study.Sharer.
func (e *Equals) Shares(seed uint64) []cache.Need {
	horizon, list := e.File.Horizon, comparisons(e.Arm, seed)
	switch p := e.Nodes.Problem.(type) {
	case problems.Shared:
		return append(list, p.Needs(seed, horizon, reads(e.Arm))...)
	case holder:
		r := reads(e.Arm)
		bytes := p.InstanceBytes(horizon, r.Again || r.Whole)
		// A job holds them in any case, and a copy that shows its metrics while it runs has the same.
		return append(list, cache.Need{Key: instanceKey{p, seed, horizon}, Bytes: bytes, Alone: true, Own: bytes})
	}
	return list
}

// reads returns the reads of the data of a job. Gauges of regret take the gradients of all nodes
// in each step; best points in hindsight are best points of all data.
func reads(arm *study.Arm) (r stream.Reads) {
	m := &arm.File.Measure
	r.Again = m.RecordsRegret()
	if m.Records(gauge.AccuracyTest) {
		r.Tests += len(arm.Points)
	}
	for _, asked := range arm.Measures {
		if !m.Names(asked.Name) {
			continue
		}
		for _, needs := range asked.Needs {
			r.Again, r.Whole = r.Again || needs.Met, r.Whole || needs.Best || needs.BestIn
			if needs.Fresh {
				r.Tests += len(arm.Points)
			}
		}
	}
	return r
}

// heldBy is about the number of bytes of a problem's data that all jobs share.
func heldBy(p problem.Problem) float64 {
	if h, ok := p.(interface{ Held() float64 }); ok {
		return h.Held()
	}
	return 0
}
