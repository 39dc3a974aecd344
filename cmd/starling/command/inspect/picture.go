package inspect

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/forecast"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
	"starling/scenarios/results/live"
	"starling/scenarios/results/runs"
	"starling/scenarios/results/tabular"
)

// The bounds of a picture.
const (
	usualHeight = 40
	mostArms    = 12 // arms that have a line each
	barWidth    = 24
	sparkWidth  = 24
)

// picture draws the progress of a run, in lines that fit a terminal; width and height 0 are no
// terminal.
func picture(r *runs.Run, now *live.Run, metrics []string, width, height int, styled bool) []string {
	if height == 0 {
		height = usualHeight
	}
	style := shell.Style{On: styled}
	lines := []string{style.Bold(shell.Plain(r.Scenario+"/"+r.Hash)) + "  " + style.Status(string(r.Status)) + "  " + headline(r, now)}
	if now == nil {
		return append(lines, shell.Plain(r.Reason))
	}
	lines = append(lines, secondLine(now), "")
	lines = append(lines, armLines(now, style)...)
	for i := range r.Parts {
		if i == 0 {
			lines = append(lines, "")
		}
		if len(r.Parts) <= mostArms {
			lines = append(lines, fmt.Sprintf("part %-8s %s  %s", shell.Plain(r.Parts[i].Name), style.Status(string(r.Parts[i].Status)), share(r.Parts[i].Progress)))
		}
	}
	warnings := warningLines(now, style)
	room := height - 2 - len(lines) - len(warnings)
	lines = append(lines, metricLines(now, metrics, room, style)...)
	lines = append(lines, warnings...)
	if width > 0 {
		lines = lines[:min(len(lines), max(1, height-1))]
		for i := range lines {
			lines[i] = shell.Cut(lines[i], width)
		}
	}
	return lines
}

// headline states the share that is done and the time that the rest takes.
func headline(r *runs.Run, now *live.Run) string {
	if now == nil {
		return progressOf(r)
	}
	text := percent(now.Fraction())
	switch {
	case r.Status == runs.Running && now.State == live.Writing:
		text += ", writing the results"
	case r.Status == runs.Running && now.Left != nil:
		text += ", " + duration(*now.Left) + " left"
	case r.Status == runs.Running && now.Work != "":
		text += ", " + shell.Plain(now.Work)
	case r.Reason != "":
		text += ", " + shell.Plain(r.Reason)
	}
	return text
}

// secondLine has the runs that are done, the speed, the time so far, the memory and the
// process of a run.
func secondLine(now *live.Run) string {
	parts := []string{fmt.Sprintf("%d of %d runs", now.Runs.Done, now.Runs.All)}
	if now.Runs.Before > 0 {
		parts[0] += fmt.Sprintf(" (%d before)", now.Runs.Before)
	}
	if now.Speed != nil {
		parts = append(parts, thousands(*now.Speed)+" steps/s")
	}
	parts = append(parts, fmt.Sprintf("%d at a time", now.Workers), duration(now.Took())+" so far", forecast.FormatBytes(now.Memory)+" of memory",
		fmt.Sprintf("process %d on %s", now.Process, shell.Plain(now.Host)))
	return strings.Join(parts, " · ")
}

// armLines has a line for each arm: the number of its runs that are done, a bar, and the runs
// under way. Of many arms those under way come first.
func armLines(now *live.Run, style shell.Style) (lines []string) {
	arms := slices.Clone(now.Arms)
	if len(arms) > mostArms {
		slices.SortStableFunc(arms, func(a, b live.ArmProgress) int { return cmp.Compare(len(b.Running), len(a.Running)) })
	}
	name, count := 0, 0
	for i := range arms {
		name = max(name, utf8.RuneCountInString(arms[i].Name))
		count = max(count, len(runsText(&arms[i])))
	}
	name = min(name, 32)
	for i := range arms[:min(len(arms), mostArms)] {
		a := &arms[i]
		var under []string
		for _, job := range a.Running[:min(4, len(a.Running))] {
			under = append(under, fmt.Sprintf("seed %d %s", job.Seed, percent(float64(job.Steps)/float64(max(1, a.Horizon)))))
		}
		if more := len(a.Running) - len(under); more > 0 {
			under = append(under, fmt.Sprintf("%d more", more))
		}
		lines = append(lines, strings.TrimRight(fmt.Sprintf("%-*s  %*s  %s  %s", name, shell.Cut(shell.Plain(a.Name), name), count, runsText(a), bar(a, style), strings.Join(under, ", ")), " "))
	}
	if more := len(arms) - mostArms; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more arms", more))
	}
	return lines
}

func runsText(a *live.ArmProgress) string { return fmt.Sprintf("%d/%d", a.Runs.Done, a.Runs.All) }

// bar shows the share of an arm's steps that are done.
func bar(a *live.ArmProgress, style shell.Style) string {
	done, all := float64(a.Runs.Done), float64(max(1, a.Runs.All))
	for _, job := range a.Running {
		done += float64(job.Steps) / float64(max(1, a.Horizon))
	}
	full := int(math.Floor(float64(barWidth*min(1, done/all)) + 1e-9))
	return style.Good(strings.Repeat("█", full)) + style.Dim(strings.Repeat("░", barWidth-full))
}

// warningLines are the last warnings.
func warningLines(now *live.Run, style shell.Style) (lines []string) {
	const most = 3
	warnings := slices.DeleteFunc(slices.Clone(now.Warnings), func(w live.Warning) bool { return results.Warning(w).Fact() })
	all := len(warnings) + now.WarningsMore
	if all == 0 {
		return nil
	}
	lines = []string{""}
	for _, w := range warnings[max(0, len(warnings)-most):] {
		text := w.Message
		if w.Arm != "" {
			text = w.Arm + ": " + text
		}
		lines = append(lines, style.Warn("warning: ")+shell.Plain(text))
	}
	if more := all - (len(lines) - 1); more > 0 {
		lines = append(lines, fmt.Sprintf("         (%d more)", more))
	}
	return lines
}

// aside are metrics that show little of the quality of a run; they are shown where they are
// asked for.
var aside = []string{"messages.*", "bytes.*", "epsilon.*", "data.seen", "rounds", "participants"}

// metricLines are the metrics recorded so far, as many as there is room for.
func metricLines(now *live.Run, wanted []string, room int, style shell.Style) (lines []string) {
	byMetric, names := map[string][]live.Curve{}, []string{}
	for _, c := range now.Curves {
		if len(c.Steps) == 0 || !asked(c.Metric, wanted) {
			continue
		}
		if byMetric[c.Metric] == nil {
			names = append(names, c.Metric)
		}
		byMetric[c.Metric] = append(byMetric[c.Metric], c)
	}
	for _, name := range names {
		table := tabular.Table{Header: []string{shell.Plain(name), "step", "mean ± 95 % CI", "seeds", "so far"}}
		for _, c := range byMetric[name][:min(len(byMetric[name]), mostArms)] {
			last := len(c.Steps) - 1
			table.Rows = append(table.Rows, []string{
				shell.Plain(c.Arm), fmt.Sprint(c.Steps[last]), tabular.FormatEstimate(float64(c.Mean[last]), comparison.HalfWidth(float64(c.SE[last]), int64(c.N[last]))), fmt.Sprint(c.N[last]), spark(c.Mean, sparkWidth),
			})
		}
		var text strings.Builder
		if table.Write(&text) != nil {
			continue
		}
		block := strings.Split(strings.TrimRight(text.String(), "\n"), "\n")
		if room -= len(block) + 1; room < 0 {
			break
		}
		block[0] = style.Bold(block[0])
		lines = append(append(lines, ""), block...)
	}
	return lines
}

// asked reports whether a metric is to be shown.
func asked(metric string, wanted []string) bool {
	patterns := wanted
	if len(wanted) == 0 {
		patterns = aside
	}
	found := slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, err := path.Match(pattern, metric)
		return ok && err == nil
	})
	return found == (len(wanted) > 0)
}

// spark draws a curve in one line, between its least and its largest value.
func spark(values []live.Float, width int) string {
	var finite []float64
	for _, v := range values {
		if !math.IsNaN(float64(v)) {
			finite = append(finite, float64(v))
		}
	}
	if len(finite) < 2 {
		return ""
	}
	least, most := slices.Min(finite), slices.Max(finite)
	blocks := []rune("▁▂▃▄▅▆▇█")
	var text strings.Builder
	n := min(width, len(finite))
	for k := range n {
		v := finite[k*(len(finite)-1)/max(1, n-1)]
		level := 0
		if most > least {
			level = int((v - least) / (most - least) * float64(len(blocks)-1))
		}
		text.WriteRune(blocks[level])
	}
	return text.String()
}

// share is a share that may not be known.
func share(x *float64) string {
	if x == nil {
		return ""
	}
	return percent(*x)
}

// thousands is a number in three figures, with k and M.
func thousands(x float64) string {
	switch {
	case x >= 1e7:
		return fmt.Sprintf("%.0fM", x/1e6)
	case x >= 1e6:
		return fmt.Sprintf("%.1fM", x/1e6)
	case x >= 1e4:
		return fmt.Sprintf("%.0fk", x/1e3)
	case x >= 1e3:
		return fmt.Sprintf("%.1fk", x/1e3)
	}
	return fmt.Sprintf("%.3g", x)
}
