package study

import (
	"cmp"
	"slices"

	"starling/actors/algorithm"
	"starling/messages"
	"starling/scenarios/gauge"
	"starling/scenarios/ledger"
)

// LedgerOptionsOf returns the options of a job's ledger that follow from the arm.
func LedgerOptionsOf(arm *Arm) ledger.Options {
	p, e := &arm.Privacy, &arm.Extent
	return ledger.Options{
		Server: e.Server, Participants: e.Participants, Units: cmp.Or(e.Units, arm.File.Nodes), Above: p.Servers.Above, Inside: p.Servers.Inside, Points: arm.Points,
		Accounts: p.Accounts, Reasons: p.Reasons, Raw: p.Raw, Budget: arm.Budget, Growing: p.Growing,
		Stated: p.Stated, Wanted: arm.File.Measure.Records, Shared: arm.Epsilons,
		Owners: arm.Owners,
	}
}

// Measured returns the meter of a job of the arm that reads gauges; see gauge.New.
func Measured(arm *Arm, groups ...[]gauge.Gauge) *gauge.Meter {
	span := gauge.Span{First: arm.Extent.FirstStep, Points: arm.Points, Wanted: arm.File.Measure.Records, Owners: arm.Owners}
	if arm.File.Measure.Window {
		span.Window = &gauge.Window{}
		if arm.Topology != nil {
			span.Window.Period = arm.Topology.Period
		}
	}
	return gauge.New(span, groups...)
}

// EffectGauges returns the gauges of the fates of messages in the network of the arm; none if
// it has no effects.
func EffectGauges(arm *Arm) []gauge.Gauge {
	if arm.Effects == nil {
		return nil
	}
	return []gauge.Gauge{&gauge.Fates{Limited: arm.Effects.Limited, Server: arm.Extent.Server}}
}

// WithProbe adds to the meter of a job of the arm the measures that measure.metrics names and the
// family does not record, as far as the problem answers their questions, and the gauges of single
// participants if measure.by asks for them.
func WithProbe(arm *Arm, m *gauge.Meter, probe gauge.Probe) *gauge.Meter {
	p := &arm.Extent
	asked := slices.DeleteFunc(slices.Clone(arm.Measures), func(d *gauge.Measure) bool {
		return !d.Has(probe.Answers()) || !arm.File.Measure.Names(d.Name) || slices.Contains(arm.Recording.Metrics, d.Name)
	})
	probe.RoundSteps = p.RoundSteps
	m.Add(gauge.Gauges(gauge.Run{Probe: &probe, Who: p.Deciders, Dim: p.Dim, Owners: arm.Owners, Wanted: arm.File.Measure.Records}, asked)...)
	return m
}

// Asks reports whether jobs of the arm record a metric where measure.metrics gives its name.
func Asks(arm *Arm, metric string) bool {
	return slices.ContainsFunc(arm.Measures, func(m *gauge.Measure) bool { return m.Name == metric })
}

// WithReplay makes the meter of a job of the arm count nodes that have ended their part as
// playing on. Without a budget, no node ends its part.
func WithReplay(arm *Arm, m *gauge.Meter) *gauge.Meter {
	if arm.File.Budget != nil {
		m.PlaysOn(arm.Extent.Participants)
	}
	return m
}

// countTurnout makes the meter of a job of the arm count the participants that take part. In
// an ideal network all do.
func countTurnout(arm *Arm, m *gauge.Meter) {
	if arm.Effects != nil {
		p := &arm.Extent
		m.Add(&gauge.Participation{Of: gauge.Attendance{FirstStep: p.FirstStep, Steps: arm.File.Horizon, Server: p.Server, RoundSteps: p.RoundSteps}})
	}
}

// Space returns the space of the decisions of the arm; a new value.
func Space(arm *Arm) *algorithm.Space {
	e := &arm.Extent
	return &algorithm.Space{First: e.Deciders.First, End: e.Deciders.End, Dim: e.Dim, Set: e.Set}
}

// JobOf returns the job of a run of the arm, measured by m. The labels of the run are the arm's,
// and so is the space of its decisions if the run has none. The ledger stands before the meter,
// so that payments reach the book before anything is measured. Ready adds the rest.
func JobOf(arm *Arm, run algorithm.Run, m *gauge.Meter) *Job {
	m.Add(gauge.NewEdge(arm.Extent.Set)...)
	countTurnout(arm, m)
	if takes := arm.Recording.Takes; takes > 0 {
		m.Add(&gauge.BelowQuorum{Takes: takes})
	}
	run.FirstLabel = arm.Extent.FirstLabel
	if run.Decisions == nil {
		run.Decisions = Space(arm)
	}
	j := &Job{Run: run}
	options := LedgerOptionsOf(arm)
	options.Seed = run.Seed
	if arm.Privacy.Learns() {
		options.Learns = func() ledger.Learns { return arm.Privacy.Coalitions.Learns(j) }
	}
	l := ledger.New(m, options)
	j.Meter, j.Run.Meter, j.Run.Wire, j.Run.Adversaries = l, l, arm.Wire, arm.Adversaries.Run(messages.NodeID(1-arm.Extent.FirstLabel), arm.Extent.Clear)
	return j
}

// Ready returns a job, whose schedule is set, with the bills of its participants, with the
// network of the arm, and with its data open if they are computed outside of the program; see
// Use. It is then ready for either runtime.
func Ready(arm *Arm, j *Job, bills ledger.Billing, data any) (_ *Job, err error) {
	j.Meter.Bills = bills
	if arm.Effects != nil {
		if j.Run.Network, err = arm.Effects.Build(&j.Run, j.Run.Seed, arm.Extent.Patience); err != nil {
			return nil, err
		}
	}
	return j, Attach(j, data)
}
