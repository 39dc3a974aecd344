package arms

import (
	"context"
	"fmt"

	"starling/scenarios/metric"
	"starling/scenarios/study"
)

// checkOtherSeeds looks at the graphs of the seeds after the first, if some that are drawn may
// be refused. It looks as far as limits.Usage lets it, and not at all if the graphs of the
// first seed were too large. Seeds that it has no time for are left to the run, with a remark
// for readers. The error names the seed.
func checkOtherSeeds(b *study.Builder, arm *study.Arm, tooLarge bool) error {
	if arm.Topology.Certain(arm.Weights) {
		return nil
	}
	ctx := contextOf(b)
	checked := 1
	for enough := !tooLarge || arm.Topology.Redraws; checked < b.Seeds.Count; checked++ {
		seed := b.Seeds.Base + uint64(checked)
		var err error
		if enough = enough && ctx.Err() == nil; enough {
			enough, err = survey(ctx, b, arm, seed)
		}
		if err != nil {
			return study.UnderSeed(seed, err)
		}
		if !enough {
			break
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if checked < b.Seeds.Count {
		b.Remark(metric.Warning{Code: "seeds", Message: fmt.Sprintf("graphs of %d nodes were checked under the first %d of %d seeds; the run checks the others", arm.File.Nodes, checked, b.Seeds.Count)})
	}
	return nil
}

// survey looks at the graphs of a seed, one after the other if they are drawn anew, until
// those to come cannot be at fault. whole is true if it came so far.
func survey(ctx context.Context, b *study.Builder, arm *study.Arm, seed uint64) (whole bool, err error) {
	size := graphSize(arm)
	if !arm.Topology.Redraws {
		if !b.Usage.Surveys(arm.Topology.Work(size, arm.File.Horizon)) {
			return false, nil
		}
		return true, lookAt(ctx, arm, seed, arm.File.Horizon)
	}
	if !b.Usage.Surveys(size) { // the first, and the graph that all are drawn from
		return false, nil
	}
	w, err := study.WatchGraphs(ctx, arm, seed, false)
	for step := 1; err == nil && !w.Settled() && step <= arm.File.Horizon; step++ {
		if ctx.Err() != nil || step > 1 && !b.Usage.Surveys(size) {
			return false, ctx.Err()
		}
		err = w.Look(step)
	}
	return true, err
}
