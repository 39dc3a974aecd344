package views

import (
	"encoding/hex"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/results/report"
)

// mostNamedArms is the largest number of arms without a curve that a remark names.
const mostNamedArms = 4

// withBound takes the curves out of a figure of losses that have no bound: nothing is drawn of them
// but the step at which it is lost. It returns a remark that names them; empty for none. A figure of
// no other curves stays as it is.
func withBound(fig *figure.Figure) string {
	var names []string
	kept := slices.DeleteFunc(slices.Clone(fig.Series), func(s figure.Series) bool {
		open := len(s.Y) > 0 && !slices.ContainsFunc(s.Y, func(y float64) bool { return y > 0 && !math.IsInf(y, 1) })
		if open = open && math.IsInf(s.Y[len(s.Y)-1], 1); open {
			names = append(names, strings.TrimSuffix(s.Name, ", not private"))
		}
		return open
	})
	if len(names) == 0 || len(kept) == 0 {
		return ""
	}
	fig.Series = kept
	text := strings.Join(names[:min(mostNamedArms, len(names))], "; ")
	if more := len(names) - mostNamedArms; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return "No bound, and so no curve: " + text + "."
}

// furtherDashes tell the second and later curves of an arm from its first.
var furtherDashes = [][]float64{{6, 4}, {2, 3}, {10, 3, 2, 3}}

// colourByArm gives the curves of losses the colours and dashes that their arms have in figures with a
// curve for each arm.
func colourByArm(chart *report.Chart, arms []results.ArmEntry) {
	curves := map[int]int{} // by arm
	for i := range chart.Series {
		line := &chart.Series[i]
		at := -1
		for k, arm := range arms {
			if strings.HasPrefix(line.Name, arm.Name+": ") && (at < 0 || len(arm.Name) > len(arms[at].Name)) {
				at = k
			}
		}
		if at < 0 {
			continue // such as a budget
		}
		ink, dash := figure.Stroke(at)
		line.Color, line.Dark, line.Dash = hexOf(ink), "", dash
		if n := curves[at]; n > 0 {
			line.Dash = furtherDashes[(n-1)%len(furtherDashes)]
		}
		curves[at]++
	}
}

// hexOf is a colour as pages write it.
func hexOf(c color.NRGBA) string { return "#" + hex.EncodeToString([]byte{c.R, c.G, c.B}) }
