package view

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/results/diagram"
)

// Limits on pictures of a network with absent nodes: pictures of steps, the steps of one picture, rows of the chart below, and
// nodes that sentences speak of one by one.
const (
	mostTimes  = 6
	mostJoined = 60
	mostRows   = 30
	mostSingle = 4
)

// churn draws a network of which nodes are absent in some steps: the edges of some times, and a chart of the steps in which each
// node is there.
func (o *overview) churn(times []absence, steps int) error {
	chosen := times
	if len(times) > mostTimes { // some with others absent
		chosen = nil
		for _, a := range times {
			same := func(b absence) bool { return slices.Equal(a.absent, b.absent) }
			if len(chosen) < mostTimes && !slices.ContainsFunc(chosen, same) {
				chosen = append(chosen, a)
			}
		}
	}
	for _, a := range chosen {
		if err := o.during(a); err != nil {
			return err
		}
	}
	rows := o.presence(times, steps)
	o.panels.Presence = append(o.panels.Presence, rows)
	text := "Grey dashed nodes take no part, and nothing goes over their dashed edges. "
	if len(chosen) < len(times) {
		text = "The pictures are of the first times with different nodes absent. " + text
	}
	o.say("%s%s", text, o.story(times, steps))
	return nil
}

// mostCharts is the most charts of arms on one sheet.
const mostCharts = 6

// eachArm adds a chart of the steps in which nodes are there for each of several arms with absent nodes.
// Arms with the same absences share a chart.
func (o *overview) eachArm(ctx context.Context, steps int) error {
	var seen [][]absence
	var labels []string
	for _, arm := range o.arms {
		times, err := absencesOf(ctx, arm.away, steps)
		if err != nil {
			return err
		}
		if len(times) < 2 && (len(times) == 0 || len(times[0].absent) == 0) {
			continue
		}
		same := func(other []absence) bool { return slices.EqualFunc(other, times, absence.equals) }
		if k := slices.IndexFunc(seen, same); k >= 0 {
			labels[k] += "; " + arm.label
		} else if len(seen) < mostCharts {
			seen, labels = append(seen, times), append(labels, "arm "+arm.label)
		}
	}
	for k, times := range seen {
		rows := o.presence(times, steps)
		rows.Title = labels[k] + ": "
		o.panels.Presence = append(o.panels.Presence, rows)
		o.say("%s: %s", "A"+labels[k][1:], o.story(times, steps))
	}
	return nil
}

// during draws the edges of a time: of a step, or of its first steps together.
func (o *overview) during(a absence) error {
	title := o.span(a)
	if len(a.absent) > 0 && len(a.absent) <= mostSingle {
		title += ": without " + o.numbers(a.absent)
	}
	steps := min(a.last-a.first+1, mostJoined)
	if period, ok := o.Graphs.Period(); ok {
		steps = min(steps, period)
	}
	if steps == 1 {
		g, err := o.measures.At(o.Graphs, a.first)
		if err != nil {
			return err
		}
		o.add(a.first, title, g).Absent = a.absent
		return nil
	}
	drawn, err := o.addShares(a.first, steps, title)
	if err == nil {
		drawn.Absent = a.absent
	}
	return err
}

// presence is the chart of the steps in which nodes are there: of all nodes of few, and else of those that are absent in some.
func (o *overview) presence(times []absence, steps int) diagram.Presence {
	p := diagram.Presence{First: o.FirstStep, Last: o.FirstStep + steps - 1}
	for v := range o.Graphs.Nodes() {
		spans := o.spans(times, v, false)
		never := len(spans) == 1 && spans[0] == [2]int{0, steps - 1}
		if never && o.Graphs.Nodes() > mostRows/2 || len(p.Rows) == mostRows {
			continue
		}
		for k := range spans {
			spans[k][0], spans[k][1] = spans[k][0]+o.FirstStep, spans[k][1]+o.FirstStep
		}
		p.Rows = append(p.Rows, diagram.PresenceRow{Name: strconv.Itoa(v + o.FirstLabel), There: spans})
	}
	return p
}

// spans are the first and the last steps, from 0, of the times in which a node is there, or is absent.
func (o *overview) spans(times []absence, node int, absent bool) (list [][2]int) {
	for _, a := range times {
		if _, is := slices.BinarySearch(a.absent, node); is != absent {
			continue
		}
		if last := len(list) - 1; last >= 0 && list[last][1] == a.first-1 {
			list[last][1] = a.last
			continue
		}
		list = append(list, [2]int{a.first, a.last})
	}
	return list
}

// story says of each of few nodes when it joins, leaves or is absent, and of many how often.
func (o *overview) story(times []absence, steps int) string {
	var moving []int
	least, most, often := 1.0, 0.0, 0
	var parts []string
	for v := range o.Graphs.Nodes() {
		spans := o.spans(times, v, true)
		if len(spans) == 0 {
			continue
		}
		moving = append(moving, v)
		away := 0
		for _, s := range spans {
			away += s[1] - s[0] + 1
		}
		share := float64(away) / float64(steps)
		least, most, often = min(least, share), max(most, share), max(often, len(spans))
		parts = append(parts, o.told(v, spans, steps)...)
	}
	if len(parts) <= mostSingle {
		return strings.Join(parts, " ")
	}
	who := document.Counted(len(moving), "node")
	if len(moving) == o.Graphs.Nodes() {
		who = "All nodes"
	}
	text := fmt.Sprintf("%s go and come back, up to %d times, and are absent in %.0f to %.0f %% of the steps.", who, often, 100*least, 100*most)
	if len(moving) > mostRows {
		text += fmt.Sprintf(" The chart has the first %d of them.", mostRows)
	}
	return text
}

// told says in sentences when a node is absent, from steps 0 on.
func (o *overview) told(node int, spans [][2]int, steps int) (list []string) {
	name := node + o.FirstLabel
	for _, s := range spans {
		switch first, last := s[0]+o.FirstStep, s[1]+o.FirstStep; {
		case s[0] == 0 && s[1] == steps-1:
			list = append(list, fmt.Sprintf("Node %d never takes part.", name))
		case s[0] == 0:
			list = append(list, fmt.Sprintf("Node %d joins at step %d.", name, last+1))
		case s[1] == steps-1:
			list = append(list, fmt.Sprintf("Node %d leaves at step %d.", name, first))
		default:
			list = append(list, fmt.Sprintf("Node %d is absent in steps %d to %d.", name, first, last))
		}
	}
	return list
}
