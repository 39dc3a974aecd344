package command

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
	"starling/scenarios/results/tabular"
	"starling/scenarios/view"
)

// networkRow is a quantity of a network with its value; a row without a value is the head of the next ones.
type networkRow struct{ label, value string }

// printNetwork prints a description: the finding in sentences, a table of quantities with their units, and
// remarks. A quantity that is unknown, or took too long to compute, is a dash; a remark says
// why.
func printNetwork(w io.Writer, d *view.NetworkDescription) error {
	if err := shell.WriteText(w, "", shell.Plain(networkFinding(d))); err != nil {
		return err
	}
	rows := networkRows(d)
	width := 0
	for _, row := range rows {
		width = max(width, utf8.RuneCountInString(row.label))
	}
	style := shell.Style{On: shell.Styled(w)}
	fmt.Fprintln(w)
	for _, row := range rows {
		if row.value == "" {
			fmt.Fprintln(w, style.Bold(row.label))
			continue
		}
		if err := shell.WriteText(w, fmt.Sprintf("%-*s  ", width, row.label), row.value); err != nil {
			return err
		}
	}
	words := strings.NewReplacer("smallest_b", "smallest window", "edges_a_step", "edges a step", "silent_steps", "silent steps")
	for i, remark := range d.Remarks {
		if i == 0 {
			fmt.Fprintln(w)
		}
		if err := shell.WriteText(w, "", sentence(words.Replace(remark))+"."); err != nil {
			return err
		}
	}
	return nil
}

// networkFinding states in sentences whether nodes are connected, how far a step brings them together, and
// how fast averages mix and news spreads.
func networkFinding(d *view.NetworkDescription) string {
	nodes := fmt.Sprintf("all %d nodes", d.Nodes)
	var text string
	switch {
	case d.Nodes == 1:
		text = "The network is one node."
	case d.SmallestB == nil:
		text = fmt.Sprintf("No number of steps together always connects %s: %s has up to %s.", nodes, windowOf(d.Window), document.Counted(d.Components.Largest, "component"))
	case *d.SmallestB == 1:
		text = fmt.Sprintf("Every step connects %s.", nodes)
	default:
		text = fmt.Sprintf("Every %d steps together connect %s; fewer do not always.", *d.SmallestB, nodes)
	}
	if d.SpectralGap != nil {
		text += fmt.Sprintf(" The spectral gap of step %d is %.3g.", d.Step, *d.SpectralGap)
	}
	switch {
	case d.Window == 1 || d.Contraction == nil:
	case *d.Contraction > unshrunk:
		text += fmt.Sprintf(" The %d steps from step %d on do not shrink the largest disagreement.", d.Window, d.Step)
	default:
		text += fmt.Sprintf(" The %d steps from step %d on shrink disagreement to %.3g of it at most.", d.Window, d.Step, *d.Contraction)
	}
	if d.MixingTime != nil {
		text += fmt.Sprintf(" Averages mix in %s.", document.Counted(*d.MixingTime, "step"))
	}
	if d.Diameter != nil {
		text += fmt.Sprintf(" News reaches 90 %% of the pairs of nodes within %s (effective diameter %.3g).", document.Counted(int(math.Ceil(*d.Diameter)), "step"), *d.Diameter)
	}
	return text
}

// networksTable compares the networks of arms, at their first steps: an arm, or several that share one, a row.
func networksTable(list []view.ArmsNetwork) tabular.Table {
	t := tabular.Table{Header: []string{"arm", "nodes", "edges", "spectral gap", "connected in", "mixing time", "effective diameter"}}
	for i := range list {
		a := &list[i]
		connected := "never"
		if a.SmallestB != nil {
			connected = stepsOf("%d", a.SmallestB)
		}
		t.Rows = append(t.Rows, []string{
			shell.Plain(a.Title()), strconv.Itoa(a.Nodes), strconv.Itoa(a.Edges), orDash("%.3g", a.SpectralGap), connected, stepsOf("%d", a.MixingTime), orDash("%.3g", a.Diameter),
		})
	}
	return t
}

// unshrunk is the contraction from which on a window is said to shrink nothing.
const unshrunk = 0.9995

// windowOf names a window of a number of steps.
func windowOf(steps int) string {
	if steps == 1 {
		return "a step"
	}
	return fmt.Sprintf("a window of %d steps", steps)
}

// networkRows returns the quantities of a network in four groups: of its step, of windows, of the spread
// from the step on, and of all steps.
func networkRows(d *view.NetworkDescription) []networkRow {
	rows := []networkRow{{"network", shell.Plain(d.Network)}}
	add := func(label, value string) {
		if value != "" {
			rows = append(rows, networkRow{label, value})
		}
	}
	add("file", shell.Plain(d.Read))
	add("nodes", strconv.Itoa(d.Nodes))
	if len(d.Byzantine) > 0 {
		add("Byzantine nodes", document.Numbers(d.Byzantine))
	}
	add("schedule", shell.Plain(d.Schedule))
	if d.Servers != "" {
		add("servers", shell.Plain(d.Servers)+"; the edges are weights of means")
	}
	rows = append(rows, networkRow{fmt.Sprintf("Step %d", d.Step), ""})
	add("  edges", strconv.Itoa(d.Edges))
	add("  self-loops", strconv.Itoa(d.SelfLoops))
	add("  in-degree", spanOf(d.InDegree, "neighbours"))
	add("  out-degree", spanOf(d.OutDegree, "neighbours"))
	add("  weights", weightsOf(d))
	add("  spectral gap", orDash("%.6g", d.SpectralGap))
	rows = append(rows, networkRow{"Windows of " + document.Counted(d.Window, "step"), ""})
	add("  components", rangeOf(d.Components.Smallest, d.Components.Largest))
	add("  contraction", orDash("%.6g", d.Contraction))
	add("  smallest window", orDash("B = %d, the fewest steps that always connect all nodes", d.SmallestB))
	rows = append(rows, networkRow{fmt.Sprintf("From step %d on", d.Step), ""})
	add("  mixing time", stepsOf("%d", d.MixingTime))
	add("  effective diameter", stepsOf("%.4g", d.Diameter))
	add("  diameter by step", overTime(d.Diameters))
	rows = append(rows, networkRow{"All steps", ""})
	add("  edges a step", spanOf(d.EdgesAStep, ""))
	add("  silent steps", strconv.Itoa(d.Silent))
	return rows
}

// spanOf states the range and the mean of counts, or the one value of all.
func spanOf(s view.Span, unit string) string {
	text := fmt.Sprintf("%d to %d, mean %.4g", s.Min, s.Max, s.Mean)
	if s.Min == s.Max {
		if text = strconv.Itoa(s.Min); s.Min == 1 {
			unit = strings.TrimSuffix(unit, "s")
		}
	}
	return strings.TrimSpace(text + " " + unit)
}

// rangeOf states the range of a count, or its one value.
func rangeOf(least, most int) string {
	if least == most {
		return strconv.Itoa(least)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

// weightsOf states whether the weights of the step are doubly stochastic.
func weightsOf(d *view.NetworkDescription) string {
	switch {
	case d.Served:
		return "-" // a remark says why
	case d.Doubly:
		return "doubly stochastic"
	}
	return "not doubly stochastic"
}

// stepsOf is a number of steps with its unit.
func stepsOf[V int | float64](format string, value *V) string {
	text := orDash(format, value)
	switch {
	case value == nil:
		return text
	case *value == 1:
		return text + " step"
	}
	return text + " steps"
}

// overTime prints the effective diameters from some steps on, as step: value. A nil slice is a
// diameter that was not computed; an empty one is of a network that does not change.
func overTime(diameters []view.DiameterFrom) string {
	switch {
	case diameters == nil:
		return "-"
	case len(diameters) == 0:
		return "the same from every step"
	}
	texts := make([]string, len(diameters))
	for k, d := range diameters {
		texts[k] = fmt.Sprintf("%d: %s", d.Step, orDash("%.4g", d.Value))
	}
	return strings.Join(texts, ", ")
}

// orDash prints a value, or that there is none.
func orDash[V any](format string, value *V) string {
	if value == nil {
		return "-"
	}
	return fmt.Sprintf(format, *value)
}
