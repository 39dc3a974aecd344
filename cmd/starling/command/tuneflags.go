package command

import (
	"fmt"
	"slices"
	"strings"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
	"starling/scenarios/study"
)

// mostFlagged is the largest number of choices that are printed as flags.
const mostFlagged = 12

// printFlags prints the chosen values as flags of other runs, and what widens a grid that was too narrow.
func (t *tuner) printFlags(chosen []study.TunedChoice) error {
	w := t.cmd.OutOrStdout()
	for i, line := range flagLines(document.Word(t.name), t.plan.Keys(), chosen) {
		head := "        "
		if i == 0 {
			head = "tuned   "
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

// flagLines are the choices as flags: of one choice the command that runs the scenario with it, and of several the flags of
// each arm, arms of the same values together.
func flagLines(name string, keys []string, chosen []study.TunedChoice) (lines []string) {
	arms := map[string][]string{} // by flags
	var order []string
	for _, c := range chosen {
		var flags []string
		for i, key := range keys {
			flags = append(flags, "--set "+document.Word(key+"="+c.Values[i]))
		}
		text := strings.Join(flags, " ")
		if arms[text] == nil {
			order = append(order, text)
		}
		arms[text] = append(arms[text], c.Arm)
	}
	if len(order) == 1 {
		return []string{fmt.Sprintf("starling run %s --set tune=null %s", name, order[0])}
	}
	for i, text := range order {
		if i == mostFlagged {
			return append(lines, fmt.Sprintf("and %d others: --json has all", len(order)-i))
		}
		lines = append(lines, strings.Join(arms[text], "; ")+": "+text)
	}
	return lines
}
