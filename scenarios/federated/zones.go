package federated

import (
	"fmt"
	"math"

	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/metric"
	"starling/scenarios/problem/stream"
	"starling/scenarios/section/networks"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// Where clients of time zones check in, the model of a round is judged by zone: on the clients of the panel that
// are in the zone with the fewest reports so far, by its share of clients, and in the one with the most. The
// choice of zones depends on no value, and a panel that is drawn from all clients has a simple random sample of the
// clients in each zone.

// Metrics of time zones.
var (
	zoneAccuracies = zoneValues("accuracy", "test accuracy", metric.Share, metric.HigherIsBetter)
	zoneLosses     = zoneValues("loss", "training loss", "loss", metric.LowerIsBetter)
)

// zoneMetrics lists the metrics that runs of clients in time zones record beside others.
func (p *plan) zoneMetrics() metric.List {
	of := p.file.Clock.Availability
	switch {
	case of == nil || len(of.Zones) == 0 || p.seats == nil:
		return nil
	case p.corpus.Classifies && p.corpus.PanelTests:
		return metric.Join(zoneAccuracies, zoneLosses)
	}
	return zoneLosses
}

// zoneValues lists the metrics of a value of clients: in the zone with the fewest reports, and the distance from
// there to the zone with the most, each with its standard error.
func zoneValues(name, label, unit string, better metric.Direction) metric.List {
	worse := label + " in the zone with the most reports minus " + label + " in the zone with the fewest"
	if better == metric.LowerIsBetter {
		worse = label + " in the zone with the fewest reports minus " + label + " in the zone with the most"
	}
	of := func(suffix, summary, label string, better metric.Direction) metric.Metric {
		return metric.Metric{Name: name + ".zone." + suffix, Summary: summary, Label: label, Unit: unit, Better: better, Level: metric.OfRun, Course: metric.State}
	}
	return metric.List{
		of("fewest", label+" over the clients of the panel in the time zone with the fewest reports so far, by its share of clients; NaN where the panel has none", label+" in the zone with the fewest reports", better),
		of("fewest.error", "standard error of "+name+".zone.fewest", "standard error of the "+label+" in the zone", metric.LowerIsBetter),
		of("gap", worse+", over clients of the panel", "gap of the "+label+" between zones", metric.LowerIsBetter),
		of("gap.error", "standard error of "+name+".zone.gap", "standard error of the gap", metric.LowerIsBetter),
	}
}

// zoneLine has the time zones, from 0, with the fewest and with the most reports up to a step.
type zoneLine interface {
	Zones(step int) (rare, common int)
}

// zonesOf are the values by time zone of models of one seed.
type zonesOf struct {
	line    zoneLine
	members [][]int // by zone: places in the panel
	share   float64 // of the panel, of all clients
	step    int
	values  []float64 // of the panel at step
}

// inZones returns the evaluations by time zone of models of a seed; none where clients have no zones.
func (p *plan) inZones(data *problems.Divided) (list []gauge.Evaluation) {
	e := data.Estimates
	if e == nil || p.there.Zones() == 0 {
		return nil
	}
	var line zoneLine = p.at.Arrivals
	if p.file.Clock.ChecksIn() {
		line = p.at.Seats.Timeline
	}
	add := func(metrics metric.List, values func(x []float64) []float64, sign float64) {
		z := &zonesOf{line: line, members: p.membersOf(e), share: float64(len(e.Nodes)) / float64(p.at.Clients)}
		for i, m := range metrics {
			list = append(list, gauge.Evaluation{Metric: m, OfStep: func(step int, x []float64) (float64, error) {
				return z.of(step, x, values, sign)[i], nil
			}})
		}
	}
	if e.Accuracies != nil {
		add(zoneAccuracies, e.Accuracies, 1)
	}
	add(zoneLosses, e.Losses, -1)
	return list
}

// membersOf returns the places in a panel of the clients of each time zone.
func (p *plan) membersOf(e *problems.Estimates) [][]int {
	members := make([][]int, p.there.Zones())
	for i, node := range e.Nodes {
		zone := p.there.Zone(node + 1)
		members[zone] = append(members[zone], i)
	}
	return members
}

// noteZones notes the clients of the panel by time zone under a seed.
func (p *plan) noteZones(r *study.Remarks, seed uint64) {
	of := p.file.Clock.Availability
	if of == nil || len(of.Zones) == 0 || p.seats == nil {
		return
	}
	there, counts, text := of.Draw(seed, p.traces), make([]int, len(of.Zones)), ""
	for _, node := range problems.Panel(seed, p.file.Nodes, p.panel()) {
		counts[there.Zone(node+1)]++
	}
	for zone, count := range counts {
		if text += fmt.Sprintf(", %d in %s", count, zoneName(of, zone)); count < 2 {
			r.Warn("zones", fmt.Sprintf("the panel has %s in %s, under seed %d: values of that zone have no standard error; want a larger algorithm.panel", document.Counted(count, "client"), zoneName(of, zone), seed))
		}
	}
	r.Add("zones", "values of time zones are means over the clients of the panel in a zone: %s", text[2:])
}

// zoneName is the name of a time zone, or its place in the list.
func zoneName(of *networks.Availability, zone int) string {
	if name := of.Zones[zone].Name; name != "" {
		return name
	}
	return fmt.Sprintf("zone %d", zone+1)
}

// of returns the values of a model at a step, in the order of zoneValues. The model of a step is one, and the
// evaluations of a run come one after the other.
func (z *zonesOf) of(step int, x []float64, values func(x []float64) []float64, sign float64) [4]float64 {
	if z.values == nil || z.step != step {
		z.step, z.values = step, values(x)
	}
	rare, common := z.line.Zones(step)
	few, fewError := z.mean(rare)
	many, manyError := z.mean(common)
	if rare == common {
		return [4]float64{few, fewError, 0, 0}
	}
	return [4]float64{few, fewError, sign * (many - few), math.Sqrt(float64(fewError*fewError) + float64(manyError*manyError))}
}

// mean is the mean value of a zone, with its standard error.
func (z *zonesOf) mean(zone int) (mean, deviation float64) {
	own := make([]float64, 0, len(z.members[zone]))
	for _, i := range z.members[zone] {
		own = append(own, z.values[i])
		mean += z.values[i]
	}
	k := float64(len(own))
	return mean / k, stream.StandardError(own, int(math.Round(k/z.share)))
}
