package command

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
	"starling/scenarios/loading"
	"starling/scenarios/study"
)

// mostFlagged is the largest number of choices that are printed as flags.
const mostFlagged = 12

// printFlags prints the chosen values as flags of other runs, and the flag that widens a grid that was too narrow.
func (t *tuner) printFlags(w io.Writer, chosen []study.TunedChoice) error {
	settings := make([][]study.Setting, len(chosen))
	for arm, c := range chosen {
		settings[arm] = t.plan.SettingsOf(arm, c.Values)
	}
	for i, line := range t.flagLines(chosen, settings) {
		head := "        "
		if i == 0 {
			head = "take    "
		}
		if err := shell.WriteText(w, head, line); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(chosen, func(c study.TunedChoice) bool { return len(c.Edges) > 0 }) {
		return shell.WriteText(w, "edge    ", fmt.Sprintf("a better value may lie beyond a grid: starling tune %s --extend goes on there", document.Word(t.name)))
	}
	return nil
}

// flagLines are the choices as flags: of one choice the command that runs the scenario with it, where it can, and else the
// flags of each arm, arms of the same values together.
func (t *tuner) flagLines(chosen []study.TunedChoice, settings [][]study.Setting) []string {
	arms, order := flagged(chosen, settings)
	if len(order) == 1 && t.taken(settings[0]) {
		command := "starling run " + document.Word(t.name) + " --set tune=null"
		for _, o := range t.list {
			if !ofTuning(o.Path) {
				command += " --set " + document.Word(o.Path+"="+o.Text)
			}
		}
		return []string{command + " " + order[0]}
	}
	return armFlags(arms, order)
}

// flagged returns the arms by the flags of their choices, and the flags in their order.
func flagged(chosen []study.TunedChoice, settings [][]study.Setting) (arms map[string][]string, order []string) {
	arms = map[string][]string{}
	for arm, c := range chosen {
		var flags []string
		for _, s := range settings[arm] {
			flags = append(flags, "--set "+document.Word(s.Path+"="+s.Text))
		}
		text := strings.Join(flags, " ")
		if arms[text] == nil {
			order = append(order, text)
		}
		arms[text] = append(arms[text], c.Arm)
	}
	return arms, order
}

// armFlags are lines of arms and of their flags.
func armFlags(arms map[string][]string, order []string) (lines []string) {
	for i, text := range order {
		if i == mostFlagged {
			return append(lines, fmt.Sprintf("and %d others: --json has all", len(order)-i))
		}
		lines = append(lines, document.First(arms[text], mostFlagged)+": "+text)
	}
	return lines
}

// taken reports whether the scenario takes settings as overrides of all its arms. A sweep that sets a section around them
// refuses them.
func (t *tuner) taken(settings []study.Setting) bool {
	list := append(slices.Clone(t.list), loading.Override{Path: "tune", Text: "null"})
	for _, s := range settings {
		list = append(list, loading.Override{Path: s.Path, Text: s.Text})
	}
	_, err := shell.Load(t.cmd, t.Loader(t.flags.data), t.name, list...)
	return err == nil
}

// ofTuning reports whether a path is of the section tune.
func ofTuning(path string) bool { return path == "tune" || strings.HasPrefix(path, "tune.") }

// mostCosts is the largest number of different costs that are printed.
const mostCosts = 4

// printCosts prints the privacy losses of the trials with the study: for the rows that are learned from by arms, arms of
// the same loss together, and for the rows of validation once.
func (t *tuner) printCosts(w io.Writer, list []choiceOf, costs []string) error {
	arms := map[string][]string{}
	var order []string
	for arm, cost := range costs {
		if arms[cost] == nil {
			order = append(order, cost)
		}
		arms[cost] = append(arms[cost], list[arm].label)
	}
	for i, cost := range order {
		if i == mostCosts {
			cost = fmt.Sprintf("%d other costs: --json has all", len(order)-i)
		} else if len(order) > 1 {
			cost = document.First(arms[cost], mostCosts) + ": " + cost
		}
		if err := shell.WriteText(w, "note: ", "privacy of rows that are learned from: "+cost); err != nil || i == mostCosts {
			return err
		}
	}
	return shell.WriteText(w, "note: ", "privacy of validation rows: "+t.plan.OfValidation())
}
