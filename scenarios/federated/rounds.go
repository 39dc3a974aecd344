package federated

import (
	"strconv"

	"starling/actors/algorithm"
	"starling/actors/topology"
	"starling/scenarios/federated/aggregation"
	"starling/scenarios/section/topologies"
	"starling/scenarios/study"
)

// A schedule of the topology says in which steps clients and server meet. A client takes the local
// steps of all steps since, and its message is the change of the model by them: with level: user it
// is clipped and pays as one message, and with level: record every local step pays. So a run with
// {every: 5} and tau local steps a step has the releases of a fifth of the steps, of 5 tau local
// steps each.

// calendar returns the rounds under a seed; nil where every step has one.
func (p *plan) calendar(seed uint64) *aggregation.Calendar {
	times := p.graphs.Times(seed)
	if times == nil {
		return nil
	}
	return aggregation.NewCalendar(p.file.Horizon, func(step int) bool { return times.Sends(0, step-1) })
}

// busy finds the rounds of a seed with the most. Where too many seeds would have to be looked at,
// every step counts as one.
func (p *plan) busy() {
	p.rounds = p.file.Horizon
	if p.graphs.Schedule() == nil {
		return
	}
	if busy := p.graphs.Busiest(topologies.Span{First: p.file.Seeds.Base, Seeds: p.file.Seeds.Count, Horizon: p.file.Horizon}); busy != nil {
		p.busiest = aggregation.NewCalendar(p.file.Horizon, func(step int) bool { return busy.Sends(step - 1) })
		p.rounds = busy.Count
	}
}

// foresee gives the setting of the plan the rounds of busiest, for its losses.
func (p *plan) foresee() {
	if p.at.Calendar == nil {
		return
	}
	p.at.Calendar = p.busiest
	p.at.Steps.Calendar = p.busiest
	if p.at.Record {
		p.at.Steps.Record = p.records(p.at)
	}
}

// longest is the largest number of local steps that a round is planned with; without a plan of the
// rounds it is of one that takes the whole run.
func (p *plan) longest() int {
	if p.busiest == nil && p.graphs.Schedule() != nil {
		return p.common.Local.Tau * p.file.Horizon
	}
	return p.common.Local.Tau * p.busiest.Longest()
}

// auditedEvery is the number of steps of a round in an audit of an arm with a schedule.
const auditedEvery = 2

// roundsOf are the keys and values that make a run of so many rounds.
func roundsOf(original *study.ArmFile, rounds int) []string {
	at := topologies.Site{Nodes: original.Nodes, Kinds: original.Kinds.Topologies, Whom: "the audit"}
	plan, err := at.ServerOf(original.Topology)
	if err != nil || plan.Schedule() == nil { // the plan of the small arm has the error
		return []string{"horizon", strconv.Itoa(rounds)}
	}
	return []string{"topology.schedule", topology.Schedule{Every: auditedEvery}.String(), "horizon", strconv.Itoa(auditedEvery * rounds)}
}

// checkSchedule refuses settings that do not go with a schedule.
func (p *plan) checkSchedule() error {
	var found study.Faults
	s := p.graphs.Schedule()
	if s == nil {
		return nil
	}
	if p.buffer != nil {
		found.At("topology.schedule", "a server with a buffer takes a step when the buffer is full; leave this out")
	}
	if p.rounds == 0 {
		found.At("topology.schedule", "no round is within the horizon, %d", p.file.Horizon)
	}
	if s := p.common.Stragglers; s != nil && s.Update == algorithm.UnfinishedDrop {
		found.At("algorithm.stragglers.update", "rounds of a schedule have different numbers of local steps, and so of clients that finish them; want partial")
	}
	return found.Err()
}
