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
		Name: EpsilonStep, Summary: "accounted privacy loss of the step (epsilon, without a unit), of the node for which it is largest; infinite without noise",
		Label: "epsilon of the step", Better: metric.LowerIsBetter, Level: metric.OfRun, Derived: true,
	},
	{
		Name: EpsilonSpent, Summary: "epsilon of the local steps so far at the run's delta, for the client that loses the most: what the paper accounts for; epsilon.total counts statistics too; in ali-dpfl, whose tau depends on the data, this is the reading of an odometer, a loss that depends on the data, and no guarantee",
		Label: "epsilon of the local steps", Better: metric.LowerIsBetter, Level: metric.OfRun,
		Chart: metric.Chart{Name: "spent", Title: "privacy loss of the local steps"},
	},
	{
		Name: EpsilonTotal, Summary: "accounted privacy loss of all releases so far (epsilon, without a unit), of the node for which it is largest; infinite without noise; in ali-dpfl with private or public statistics, what the plan guarantees whatever the data",
		Label: "epsilon so far", Better: metric.LowerIsBetter, Level: metric.OfRun, Derived: true,
		Chart: metric.Chart{Name: "privacy", Title: "accounted privacy loss of a node"},
	},
	{
		Name: EpsilonOdometer, Summary: "epsilon that the run has spent so far, statistics included, for the client that loses the most; the reading of an odometer, which depends on the data and guarantees nothing; epsilon.total is what the plan guarantees",
		Label: "epsilon spent, by odometer", Better: metric.LowerIsBetter, Level: metric.OfRun,
	},
	{
		Name: Delta, Summary: "delta at which epsilon.total is stated, where it is not pure; of units with deltas of their own the largest",
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
