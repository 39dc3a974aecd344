package prediction

import (
	"slices"

	"starling/scenarios/gauge"
	"starling/scenarios/metric"
)

// The names of the metrics. All are recorded at the points, and cumulative.
const (
	// RegretClient is Reg(t, m) = (1/m) [sum_i sum_s l_{i,s}(x_{i,s}) - min_x
	// sum_i sum_s l_{i,s}(x)] over the steps s up to t. It is undefined, NaN,
	// from where a client has ended its part.
	RegretClient = "regret.client"
	// LossClient takes the place of RegretClient if the best fixed decision is not known:
	// (1/m) sum_i sum_s l_{i,s}(x_{i,s}) over the steps s up to t.
	LossClient = "loss.client"
	// CommunicationUp and CommunicationDown are the scalars that clients send, and those that
	// the server sends, a broadcast counted once a client.
	CommunicationUp   = "communication.up"
	CommunicationDown = "communication.down"
	// Switches is the number of times that the server has drawn the expert anew.
	Switches = "switches"
	// BestExpert is the expert, from 1, that is best in hindsight up to the step.
	BestExpert = "best.expert"
)

// Metrics returns the metrics of these runs.
func Metrics() metric.List {
	return metric.Join(gaugeMetrics[:2], gauge.Declared(gauge.AccuracyTest), gaugeMetrics[2:], gauge.OfTraffic())
}

var gaugeMetrics = metric.List{
	{
		Name: RegretClient, Summary: "regret of a client, Reg(t, m): its losses so far less the losses of the fixed decision that is best for all clients, the mean over the clients. It is a sum over the steps in the unit of the loss",
		Label: "regret of a client", Better: metric.LowerIsBetter, Level: metric.OfRun,
		Chart: metric.Chart{Name: "client-regret", Title: "regret of a client"},
	},
	{
		Name: LossClient, Summary: "losses of the decisions of a client so far, a sum over the steps and the mean over the clients. Recorded in place of regret.client where the best fixed decision in hindsight is not known",
		Label: "loss of a client", PerStep: true, Better: metric.LowerIsBetter, Level: metric.OfRun,
		Chart: metric.Chart{Name: "client-loss", Title: "loss of a client per step"},
	},
	{
		Name: CommunicationUp, Summary: "number of scalars that all clients together have sent to the server so far",
		Label: "scalars sent up", Unit: "scalars", Better: metric.LowerIsBetter, Level: metric.OfRun, Cost: true, Derived: true,
		Chart: metric.Chart{Name: "communication", Title: "scalars sent to the server"},
	},
	{
		Name: CommunicationDown, Summary: "number of scalars that the server has sent so far. A broadcast counts once for each client",
		Label: "scalars sent down", Unit: "scalars", Better: metric.LowerIsBetter, Level: metric.OfRun, Cost: true, Derived: true,
	},
	{
		Name: Switches, Summary: "number of times so far that the server has drawn a new expert",
		Label: "switches", Level: metric.OfRun,
	},
	{
		Name: BestExpert, Summary: "number, from 1, of the expert that is the best in hindsight for the steps so far",
		Label: "best expert", Level: metric.OfRun,
	},
}

// metricOf returns the declaration of a metric that only these runs have.
func metricOf(name string) metric.Metric {
	m, _ := gaugeMetrics.Find(name)
	return m
}

// metrics lists the meter's metrics for the arm: switches where there are any, regret or in
// its place losses, and accuracy where data have labels.
func (p *expertPlan) metrics() []string {
	return slices.DeleteFunc(Metrics().Names(), func(metric string) bool {
		return metric == Switches && !p.switches ||
			(metric == RegretClient || metric == BestExpert) && !p.adversary.Compared ||
			metric == LossClient && p.adversary.Compared ||
			metric == gauge.AccuracyTest && !p.adversary.Classifies
	})
}
