package arms

import (
	"context"

	"starling/scenarios/document"
	"starling/scenarios/limits"
	"starling/scenarios/section/topologies"
	"starling/scenarios/study"
)

// checkTopology looks at the graphs of the first seed, and of the other seeds; see
// checkOtherSeeds. It looks at all graphs that stay, or change in few steps, unless they are
// so large that only a run should. Of graphs that are drawn anew it looks at the first. Arms
// that share a topology are checked once. An error is kept too, for each of them. partly means
// that it left graphs to the run.
func checkTopology(b *study.Builder, arm *study.Arm) (partly bool, err error) {
	key := checkKey{arm.Topology, arm.File.Horizon}
	seen := study.Shared(b, key, func() (checkedGraphs, bool) {
		seen := lookFirst(b, arm)
		if seen.err == nil {
			seen.err = checkOtherSeeds(b, arm, seen.partly)
		}
		return seen, true
	})
	return seen.partly, seen.err
}

// checkKey is the input of the check of a topology, and checkedGraphs is its result: partly
// means that there is more to look at.
type (
	checkKey struct {
		plan    *topologies.Plan
		horizon int
	}
	checkedGraphs struct {
		err    error
		partly bool
	}
)

// lookFirst looks at the graphs of the first seed, for one arm.
func lookFirst(b *study.Builder, arm *study.Arm) (seen checkedGraphs) {
	size, steps := graphSize(arm), arm.File.Horizon
	if arm.Topology.Redraws {
		steps = b.Usage.Foresees(size, steps)
		seen.partly = steps < arm.File.Horizon
	} else {
		seen.partly = !b.Usage.Builds(size, arm.Topology.Work(size, steps))
	}
	if steps > 0 && (arm.Topology.Redraws || !seen.partly) {
		seen.err = lookAt(contextOf(b), arm, b.Seeds.Base, steps)
	}
	return seen
}

// contextOf returns the context of the caller that waits for the scenario.
func contextOf(b *study.Builder) context.Context {
	if b.Data == nil || b.Data.Context == nil {
		return context.Background()
	}
	return b.Data.Context
}

// graphSize returns the approximate number of nodes and edges of the graphs that are in memory
// at a time.
func graphSize(arm *study.Arm) float64 {
	return limits.Product(arm.File.Nodes) + arm.Topology.Edges + arm.Topology.Drawn
}

// lookAt looks at the graphs of a seed's first steps, until the context is done.
func lookAt(ctx context.Context, arm *study.Arm, seed uint64, steps int) error {
	w, err := study.WatchGraphs(ctx, arm, seed, false)
	if err != nil || !arm.Topology.Redraws {
		return err // graphs that are not redrawn were checked by WatchGraphs
	}
	for step := range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.Look(step + 1); err != nil {
			return err
		}
	}
	return nil
}

// CheckGraphs looks at the graphs of the first seed of arms that a check of the file did not
// look at, or not to the horizon. If redrawn is set, it also looks at graphs that are drawn
// anew in the course of a run: at the first steps, of limits.Checked nodes and edges in all. A
// run looks at those as it comes to them. CheckGraphs ends between two arms, two graphs, or
// two questions about a graph once the context is done, and returns the context's error.
func CheckGraphs(ctx context.Context, s *study.Scenario, redrawn bool) error {
	left := float64(limits.Checked)
	done := map[checkKey]bool{}
	for _, arm := range s.Arms {
		key := checkKey{arm.Topology, arm.File.Horizon}
		if !arm.Unchecked || done[key] || arm.Topology.Redraws && !redrawn {
			continue
		}
		done[key] = true
		steps := arm.File.Horizon
		if arm.Topology.Redraws {
			size := max(graphSize(arm), 1)
			steps = min(steps, int(left/size))
			left -= float64(size * float64(steps))
		}
		if steps == 0 {
			continue
		}
		notice := s.Board.Begin("check of the graphs of arm " + arm.Name)
		err := lookAt(ctx, arm, s.Seeds.Base, steps)
		if notice.End(); ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil {
			return &document.InputError{Err: err, Line: s.Document.Line}
		}
	}
	return nil
}
