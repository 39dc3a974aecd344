package gauge

import (
	"starling/scenarios/metric"
)

// The names of regrets against fixed and changing points.
const (
	RegretFixed    = "regret.fixed"
	RegretInterval = "regret.interval"
	RegretTracking = "regret.tracking"
)

var regretFixed = Measure{
	Metric: metric.Metric{
		Name: RegretFixed, Summary: "mean loss of all that was met less the least mean loss on the same of one fixed decision, of the problem's set or, without one, of R^d; at the last step, of problems whose best point is known; in dpfl and ali-dpfl a round meets all data of all clients; where measure.metrics names it",
		Label: "regret against the best fixed point", Better: metric.LowerIsBetter, Level: metric.OfRun, Asked: true,
	},
	Needs: []Answers{{Met: true, Best: true}},
	New: func(m *Measure, r *Run) Gauge {
		losses := r.lost()
		return Derived{{Metric: m.Metric, Last: true, Value: func(point int) float64 { return losses.regret(point, r.Best) }}}
	},
}

var regretInterval = Measure{
	Metric: metric.Metric{
		Name: RegretInterval, Summary: "mean loss of all that was met less the least mean losses of one decision for each interval between the steps at which metrics are recorded: a dynamic regret, for data that drift; of problems of which it is known; where measure.metrics names it",
		Label: "regret against the best point of each interval", Better: metric.LowerIsBetter, Level: metric.OfRun, Asked: true,
		Chart: metric.Chart{Name: "regret-interval", Title: "regret against the best point of each interval"},
	},
	Needs: []Answers{{Met: true, BestIn: true}},
	New: func(m *Measure, r *Run) Gauge {
		return Derived{m.column(r.lost().intervals(r.Probe, r.Asks(RegretFixed)))}
	},
}

var regretTracking = Measure{
	Metric: metric.Metric{
		Name: RegretTracking, Summary: "dynamic (tracking) regret: mean loss so far less the mean loss of a point that changes from step to step (Zinkevich 2003): the target of the problem, or else the best point of each step, for which the regret is largest (Besbes, Gur, Zeevi 2015); without a target it takes a search for a best point in every step; for problems with a known target or best point; where measure.metrics names it",
		Label: "regret against a point for each step", Better: metric.LowerIsBetter, Level: metric.OfRun, Asked: true,
		Chart: metric.Chart{Name: "regret-tracking", Title: "regret against a point for each step"},
	},
	Needs: []Answers{{Met: true, BestIn: true}, {Met: true, Target: true}},
	New:   func(m *Measure, r *Run) Gauge { return Derived{m.column(r.lost().dynamic(r.Probe))} },
}
