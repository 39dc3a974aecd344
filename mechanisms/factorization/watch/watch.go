// Package watch has who builds a factorization be told how far it has come, and end it.
package watch

import (
	"fmt"
	"strings"

	"starling/mechanisms/portable"
)

// Progress is how far the building of a factorization has come.
type Progress struct {
	// Doing is what is done, such as "search of the optimum", and Times how often, as far as
	// it has come; nothing bounds that closely.
	Doing string
	Times int
	// Step of Steps is where what is done once for every step is; Steps is 0 of all else.
	Step, Steps int
	// MSE is what was found last, at unit sensitivity, or Gap its distance from the optimum,
	// which the search brings down to Want. Of each, 0 is unknown.
	MSE, Gap, Want float64
}

// String says it in a few words.
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

// Watcher is whom the building of a factorization tells how far it has come, and who can
// end it by an error. Nil watches nothing.
type Watcher struct {
	// Tell hears of progress; nil hears nothing. Its first error ends the building.
	Tell  func(Progress) error
	doing string
	times int
	err   error
}

// Step tells of one more trial, and whether to go on.
func (w *Watcher) Step(p Progress) bool {
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

// Fit returns what hears the logarithm of the mse that each trial of a fit has come to.
func (w *Watcher) Fit() func(cost float64) bool {
	return func(cost float64) bool {
		return w.Step(Progress{Doing: "fit of coefficients", MSE: portable.Exp(cost)})
	}
}

// Err is the error that ended the building.
func (w *Watcher) Err() error {
	if w == nil {
		return nil
	}
	return w.err
}

// often is how many steps of a stream are told of once.
const often = 1 << 16

// At tells of the t-th of n steps, once in a while, and whether to go on.
func (w *Watcher) At(doing string, t, n int) bool {
	if w == nil || w.Tell == nil || t%often != 0 || t == 0 {
		return true
	}
	if w.err == nil {
		w.err = w.Tell(Progress{Doing: doing, Step: t, Steps: n})
	}
	return w.err == nil
}
