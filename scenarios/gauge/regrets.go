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
		Name: RegretFixed, Summary: "regret per datum: mean loss of all data that were met less the mean loss on them of the best fixed decision, of the problem's set or, without one, of R^d. In dpfl and ali-dpfl a round meets all data of all clients. Recorded at the last step where measure.metrics names it and the best decision is known",
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
		Name: RegretInterval, Summary: "dynamic regret per datum, for data that drift: mean loss of all data that were met less the mean loss of the best decision of each interval between two recorded steps. Recorded where measure.metrics names it and the best decisions are known",
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
		Name: RegretTracking, Summary: "dynamic (tracking) regret per datum: mean loss so far less the mean loss of a point that changes from step to step (Zinkevich 2003). The point is the target of the problem, or else the best point of each step, which takes a search in every step and makes the regret largest (Besbes, Gur, Zeevi 2015). Recorded where measure.metrics names it and the target or best point is known",
		Label: "regret against a point for each step", Better: metric.LowerIsBetter, Level: metric.OfRun, Asked: true,
		Chart: metric.Chart{Name: "regret-tracking", Title: "regret against a point for each step"},
	},
	Needs: []Answers{{Met: true, BestIn: true}, {Met: true, Target: true}},
	New:   func(m *Measure, r *Run) Gauge { return Derived{m.column(r.lost().dynamic(r.Probe))} },
}
