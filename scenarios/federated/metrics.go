package federated

import (
	"starling/scenarios/federated/aggregation"
	"starling/scenarios/federated/machine"
	"starling/scenarios/gauge"
	"starling/scenarios/metric"
)

// Metrics lists the metrics that runs may record.
func Metrics() metric.List {
	return metric.Join(gauge.Declared(gauge.AccuracyTest), metric.List{clientsOfRound}, gauge.Declared(gauge.LossTrain), metric.List{clippedUpdates}, aggregation.Metrics(), gauge.OfTraffic())
}

var (
	clientsOfRound = metric.Metric{Name: machine.QuantityClients, Summary: "number of clients that took part in the round of the step", Label: "clients in the round", Unit: "clients", Level: metric.OfRun, Course: metric.Rate}
	clippedUpdates = metric.Metric{Name: machine.QuantityClipped, Summary: "share of the clients of the round whose vector was longer than its bound and was scaled down, from 0 to 1. NaN in a round without clients. Recorded of algorithms that clip the vectors of clients", Label: "share of clipped vectors", Unit: metric.Share, Better: metric.LowerIsBetter, Level: metric.OfRun, Course: metric.Rate}
)
