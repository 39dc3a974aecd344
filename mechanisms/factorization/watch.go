package factorization

import (
	"fmt"
	"strings"

	"starling/mechanisms/portable"
)

// Progress is the progress of the building of a factorization.
type Progress struct {
	// Doing names the current part, such as "search of the optimum". Times counts its trials
	// so far; their total has no close bound.
	Doing string
	Times int
	// Step is the current step of a part that goes once through all Steps steps; Steps is 0
	// for other parts.
	Step, Steps int
	// MSE is the last mean squared error found, at unit sensitivity. Gap is the distance from
	// the optimum, which the search brings down to Want. Of each, 0 is unknown.
	MSE, Gap, Want float64
}

// String is the progress in a few words.
func (p Progress) String() string {
	parts := []string{p.Doing}
	if p.Times > 0 {
		parts = append(parts, fmt.Sprintf("trial %d", p.Times))
	}
	if p.Steps > 0 {
		parts = append(parts, fmt.Sprintf("%d %% of the steps", int(100*float64(p.Step)/float64(p.Steps))))
	}
	if p.MSE > 0 {
		parts = append(parts, fmt.Sprintf("mse %.6g", p.MSE))
	}
	if p.Want > 0 {
		parts = append(parts, fmt.Sprintf("gap %.2g of %.2g", p.Gap, p.Want))
	}
	return strings.Join(parts, ", ")
}

// watcher hears the progress of the building of a factorization, and can end it by an error. A
// nil watcher watches nothing.
type watcher struct {
	// Tell hears of progress; nil hears nothing. Its first error ends the building.
	Tell  func(Progress) error
	doing string
	times int
	err   error
}

// Step reports one more trial, and returns whether to go on.
func (w *watcher) Step(p Progress) bool {
	if w == nil || w.Tell == nil {
		return true
	}
	if p.Doing != w.doing {
		w.doing, w.times = p.Doing, 0
	}
	if w.times++; w.err == nil {
		p.Times = w.times
		w.err = w.Tell(p)
	}
	return w.err == nil
}

// Fit returns a function that hears the logarithm of the mse of each trial of a fit.
func (w *watcher) Fit() func(cost float64) bool {
	return func(cost float64) bool {
		return w.Step(Progress{Doing: "fit of coefficients", MSE: portable.Exp(cost)})
	}
}

// Err is the error that ended the building.
func (w *watcher) Err() error {
	if w == nil {
		return nil
	}
	return w.err
}

// often is the number of steps of a stream per report.
const often = 1 << 16

// At reports the t-th of n steps, once in a while, and returns whether to go on.
func (w *watcher) At(doing string, t, n int) bool {
	if w == nil || w.Tell == nil || t%often != 0 || t == 0 {
		return true
	}
	if w.err == nil {
		w.err = w.Tell(Progress{Doing: doing, Step: t, Steps: n})
	}
	return w.err == nil
}
