package arms

import (
	"errors"
	"fmt"
	"slices"

	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/limits"
	"starling/scenarios/study"
)

// The usual measurements, where the file sets none.
const (
	usualPoints = 100 // records over the horizon
	// AllNodes is the largest number of nodes for which regret is taken at all of them.
	AllNodes     = 1000
	sampledNodes = 100 // nodes at which it is taken if there are more than AllNodes
)

// measurements returns the steps and the nodes at which metrics are taken. It refuses records
// that would not fit in memory; with a fault the results are nil.
func measurements(b *study.Builder, arm *study.Arm) (steps []int, at []messages.NodeID, err error) {
	f := &arm.File
	dim := arm.Extent.Dim
	if arm.Problem != nil && limits.Product(f.Horizon, dim) > limits.Track {
		return nil, nil, document.At("horizon", "%d steps in %d dimensions; want at most %d coordinates over the horizon", f.Horizon, dim, limits.Track)
	}
	// The paper's first step is 0 or 1: users count as the paper does.
	first, last := arm.Extent.FirstStep, arm.Extent.FirstStep+f.Horizon-1
	for i, step := range f.Measure.At {
		if step < first || step > last {
			return nil, nil, document.At(fmt.Sprintf("measure.at[%d]", i), "step %d is not one of the run's, %d to %d", step, first, last)
		}
	}
	if err := errors.Join(checkModel(arm), checkMoves(arm), checkInterval(arm)); err != nil {
		return nil, nil, err
	}
	points, nodes := pointCount(f)+len(f.Measure.At), 0
	if arm.Problem != nil {
		nodes = min(measuredCount(f), f.Nodes-arm.Adversaries.Count())
	}
	// Limits on records. They are refused here, with the key to change, rather than met as an
	// exhausted memory after an hour.
	if points > limits.Points {
		return nil, nil, document.At("measure.every", "metrics are recorded at %d steps; want at most %d", points, limits.Points)
	}
	if !b.Usage.Take(&b.Usage.Records, limits.Product(points), limits.Records) {
		return nil, nil, document.At("measure.every", "metrics are recorded at %d steps; all arms together can have %d", points, limits.Records)
	}
	if slices.ContainsFunc(arm.Measures, func(m *gauge.Measure) bool { return f.Measure.Names(m.Name) }) {
		if bytes := 8 * limits.Product(points, int(arm.Extent.Deciders.End), dim+askedNumbers); bytes > limits.MetricBytes {
			return nil, nil, document.At("measure.metrics", "the metrics of %d nodes at %d steps take %.3g GiB a run; want at most %d; raise measure.every", f.Nodes, points, bytes/(1<<30), limits.MetricBytes>>30)
		}
	}
	if bytes := 8 * limits.Product(f.Horizon, int(arm.Extent.Deciders.End)+askedNumbers); f.Measure.Window && bytes > limits.MetricBytes {
		return nil, nil, document.At("measure.window", "values of %d steps of %d nodes take %.3g GiB a run; want at most %d", f.Horizon, f.Nodes, bytes/(1<<30), limits.MetricBytes>>30)
	}
	bytes := float64(8*limits.Product(f.Seeds.Count, points, nodes, dim+1)) + limits.Product(RowBytes, points, nodes+RunMetrics)
	if bytes > limits.MetricBytes {
		return nil, nil, document.At("measure", "the regret of %d nodes at %d steps under %d seeds takes %.3g GiB; want at most %d; raise measure.every, lower measure.nodes, or run fewer seeds",
			nodes, points, f.Seeds.Count, bytes/(1<<30), limits.MetricBytes>>30)
	}
	if nodes > 0 {
		at = arm.Adversaries.Others(measuredOf(f.Nodes-arm.Adversaries.Count(), nodes))
	}
	return pointsOf(f, first, pointCount(f)), at, nil
}

// askedNumbers is the approximate count of numbers that requested metrics keep of a node at a
// step besides its decision.
const askedNumbers = 10

// RunMetrics is the approximate number of metrics of a run besides its nodes' own. RowBytes is
// the memory of each of their rows until it is written.
const (
	RunMetrics = 8
	RowBytes   = 24
)

// checkModel refuses to write models if there are none, or too many.
func checkModel(arm *study.Arm) error {
	switch t := study.TrainedModelOf(arm); {
	case !arm.File.Measure.Model:
		return nil
	case t == nil:
		return document.At("measure.model", "this arm trains no model that can be saved; dpfl, ali-dpfl, and ofl on images do")
	default:
		if bytes := 8 * limits.Product(arm.File.Seeds.Count, t.Model.Dim()); bytes > limits.MetricBytes {
			return document.At("measure.model", "models of %d parameters under %d seeds take %.3g GiB; want at most %d", t.Model.Dim(), arm.File.Seeds.Count, bytes/(1<<30), limits.MetricBytes>>30)
		}
		return nil
	}
}

// checkMoves refuses to measure the moves of an arm that has none.
func checkMoves(arm *study.Arm) error {
	if arm.File.Measure.Moves && arm.Problem == nil {
		return document.At("measure.moves", "this arm takes no mirror steps; dpdonc does")
	}
	return nil
}

// windows returns the metrics that an arm records, windows included. It refuses windows where
// there are none.
func windows(b *study.Builder, arm *study.Arm) (metrics []string, err error) {
	names := study.Windowed(b.Kinds, arm)
	if arm.File.Measure.Window && len(names) == 0 {
		err = document.At("measure.window", "this arm records no metric that has windows: states and rates of a step, such as consensus.error, loss.train and accuracy.test")
	}
	return append(slices.Clip(arm.Recording.Metrics), names...), err
}

// checkInterval refuses intervals longer than the horizon, and intervals for an arm without
// such regret.
func checkInterval(arm *study.Arm) error {
	switch tau := arm.File.Measure.Interval; {
	case tau > 0 && arm.Problem == nil:
		return document.At("measure.interval", "regret.adaptive is of algorithms without a server, such as dpdonc and dsgd")
	case tau > arm.File.Horizon:
		return document.At("measure.interval", "an interval of %d steps, and a horizon of %d", tau, arm.File.Horizon)
	}
	return nil
}

// interval returns the number of steps between records.
func interval(f *study.File) int {
	if f.Measure.Every > 0 {
		return f.Measure.Every
	}
	return max(1, f.Horizon/usualPoints)
}

// pointCount returns the number of steps with records, without those that the scenario names.
func pointCount(f *study.File) int { return (f.Horizon + interval(f) - 1) / interval(f) }

// pointsOf returns the steps at which metrics are recorded: the multiples of the interval,
// counted from the first step as 1, the last step, and those that the scenario names.
func pointsOf(f *study.File, first, count int) []int {
	list := make([]int, count)
	for k := range list {
		list[k] = first - 1 + min((k+1)*interval(f), f.Horizon)
	}
	list = append(list, f.Measure.At...)
	slices.Sort(list)
	return slices.Compact(list)
}

// measuredCount returns the number of nodes at which regret is taken.
func measuredCount(f *study.File) int {
	switch {
	case !f.Measure.RecordsRegret():
		return 1 // the meter needs one
	case f.Measure.Nodes > 0:
		return min(f.Measure.Nodes, f.Nodes)
	case f.Nodes > AllNodes:
		return sampledNodes
	}
	return f.Nodes
}

// measuredOf returns the nodes at which regret is taken. A sample depends on the number of
// nodes alone, so that arms and seeds are measured at the same ones.
func measuredOf(nodes, count int) []messages.NodeID {
	if count == nodes {
		all := make([]messages.NodeID, nodes)
		for i := range all {
			all[i] = messages.NodeID(i)
		}
		return all
	}
	var stream rng.Stream
	return rng.Sample[messages.NodeID](stream.Open(rng.NewKey(0, rng.PurposeOf("measure.nodes")), nodes, count, 0), nodes, count)
}
