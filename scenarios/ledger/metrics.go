package ledger

import (
	"starling/mechanisms/accountant"
	"starling/scenarios/gauge"
	"starling/scenarios/metric"
)

// Metrics returns the metrics that state payments.
func Metrics() metric.List { return declared }

var declared = metric.List{
	{
		Name: EpsilonStep, Summary: "privacy loss of the releases of this step as the ledger accounts it (epsilon, without a unit), of the node for which it is largest. Infinite without noise",
		Label: "epsilon of the step", Better: metric.LowerIsBetter, Level: metric.OfRun, Derived: true,
	},
	{
		Name: EpsilonSpent, Summary: "privacy loss of the local steps so far as the paper accounts it (epsilon at the run's delta, without a unit), of the client for which it is largest. epsilon.total counts the statistics, too. In ali-dpfl, whose tau depends on the data, it is the reading of an odometer and no guarantee",
		Label: "epsilon of the local steps", Better: metric.LowerIsBetter, Level: metric.OfRun,
		Chart: metric.Chart{Name: "spent", Title: "privacy loss of the local steps"},
	},
	{
		Name: EpsilonTotal, Summary: "privacy loss of all releases so far as the ledger accounts it (epsilon, without a unit), of the node for which it is largest. Infinite without noise. In ali-dpfl with private or public statistics it is the guarantee of the plan, whatever the data",
		Label: "epsilon so far", Better: metric.LowerIsBetter, Level: metric.OfRun, Derived: true,
		Chart: metric.Chart{Name: "privacy", Title: "accounted privacy loss of a node"},
	},
	{
		Name: EpsilonOdometer, Summary: "privacy loss that the run has spent so far, statistics included (epsilon, without a unit), of the client for which it is largest. It is the reading of an odometer, which depends on the data and guarantees nothing; epsilon.total is the guarantee of the plan",
		Label: "epsilon spent, by odometer", Better: metric.LowerIsBetter, Level: metric.OfRun,
	},
	{
		Name: Delta, Summary: "the delta at which epsilon.total is stated, the additive part of the guarantee, from 0 to 1. Of units with deltas of their own it is the largest. Recorded where the loss is not pure",
		Label: "delta", Level: metric.OfRun, Derived: true,
	},
}

// Finish hands over the metrics of the run, once the run is over: the meter's and, at their
// places among them, the metrics of payments.
func (l *Ledger) Finish(r gauge.Recorder) {
	l.partAll()
	l.single.begin()
	l.Meter.Finish(&sheet{r, l})
}

// sheet is a recorder with a ledger.
type sheet struct {
	gauge.Recorder
	ledger *Ledger
}

// Paid implements gauge.Sheet.
func (s *sheet) Paid(point int) {
	if stated := s.ledger.stated; stated != nil {
		for _, metric := range stated.Metrics {
			if stated.wanted.Any(metric) {
				s.Add(stated.all.points[point], metric, stated.value(metric, point))
			}
		}
	}
	s.ledger.single.record(point, s)
}

// Spending returns, at the end of a run that states EpsilonSpent, the largest epsilon of a
// participant: of its local steps, of all its messages by the guarantee, and of all its
// payments.
func (l *Ledger) Spending() (spent, total, odometer float64) {
	s := l.stated
	last := len(s.all.points) - 1
	return s.local.total(last), s.total(last), s.all.total(last)
}

// LocalSteps returns the paid local steps of the participant with the largest epsilon of local
// steps. The run must be over, and its steps private.
func (l *Ledger) LocalSteps() accountant.SampledGaussian { return l.stated.local.costliest().Sampled }
