package topologies

import (
	"fmt"

	"starling/messages"
	"starling/scenarios/limits"
)

// Falls returns a sentence on a schedule that stops before a horizon: the last step with messages. It is
// empty of a schedule that goes on, and of one that is drawn. A schedule stops if the last half of the
// steps has no message, or if its period doubles and has outgrown the steps before it doubles again.
func (t *Plan) Falls(horizon int) string {
	schedule := t.Schedule()
	if schedule == nil || schedule.Drawn() || limits.Product(t.nodes, horizon) > mostTimes {
		return ""
	}
	times, nodes := t.common.times(t.nodes, 0), 1
	if t.common.staggered() {
		nodes = t.nodes
	}
	last := times.Last(messages.NodeID(nodes), horizon)
	switch doubling := schedule.Doubling; {
	case last == 0:
		return fmt.Sprintf("the schedule %s has no messages in %d steps", schedule, horizon)
	case 2*last <= horizon, doubling > 0 && last <= horizon-doubling:
		return fmt.Sprintf("the schedule %s has its last messages in step %d of %d: no later step has any", schedule, last, horizon)
	}
	return ""
}

// Beyond returns a sentence on steps of the schedule's file after a horizon; empty without any.
func (t *Plan) Beyond(horizon int) string {
	if t == nil || t.common == nil || t.common.listed == nil {
		return ""
	}
	rows, first := t.common.listed.Beyond(horizon)
	if rows == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %d of its rows are of steps beyond the horizon of %d, the first of step %d, and have no effect", t.common.Schedule.File, rows, horizon, first)
}
