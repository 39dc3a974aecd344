package accounts

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/scenarios/results/figure"
)

// mostNamedArms is the largest number of arms without a curve that a remark names.
const mostNamedArms = 4

// notPrivate ends the name of a curve of a loss that has no bound.
const notPrivate = ", not private"

// WithBound takes the curves out of a figure of CurveFigure that have no bound: nothing could be drawn of them but the
// step at which it is lost. It returns the numbers of the curves that are left, and a remark that names the others, empty
// for none. A figure of no other curves stays as it is.
func WithBound(fig *figure.Figure) (kept []int, remark string) {
	var names []string
	var series []figure.Series
	all := make([]int, len(fig.Series))
	for i, s := range fig.Series {
		all[i] = i
		open := len(s.Y) > 0 && !slices.ContainsFunc(s.Y, func(y float64) bool { return y > 0 && !math.IsInf(y, 1) })
		if open && math.IsInf(s.Y[len(s.Y)-1], 1) {
			names = append(names, strings.TrimSuffix(s.Shown(), notPrivate))
			continue
		}
		kept, series = append(kept, i), append(series, s)
	}
	if len(names) == 0 || len(kept) == 0 {
		return all, ""
	}
	fig.Series = series
	text := strings.Join(names[:min(mostNamedArms, len(names))], "; ")
	if more := len(names) - mostNamedArms; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return kept, "No bound, and so no curve: " + text + "."
}
