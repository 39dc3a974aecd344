package algorithm

import (
	"slices"

	"starling/mechanisms/accountant"
	"starling/mechanisms/rng"
)

// tally has the payments and the draws of a node in one turn. Working memory is used again.
type tally struct {
	paid  []accountant.Loss // distinct
	drawn []drawn
}

// drawn counts how often a stream of randomness was opened.
type drawn struct {
	purpose rng.Purpose
	times   int
}

// Begin begins a turn.
func (t *tally) Begin() { t.paid, t.drawn = t.paid[:0], t.drawn[:0] }

// Pays keeps a loss that the node has paid.
func (t *tally) Pays(loss accountant.Loss) {
	if !t.HasPaid(loss) {
		t.paid = append(t.paid, loss)
	}
}

// HasPaid reports whether the node has paid a loss.
func (t *tally) HasPaid(loss accountant.Loss) bool { return slices.Contains(t.paid, loss) }

// Draws counts one more opening of a purpose's stream, and returns how many came before.
func (t *tally) Draws(purpose rng.Purpose) (before int) {
	for i := range t.drawn {
		if d := &t.drawn[i]; d.purpose == purpose {
			d.times++
			return d.times - 1
		}
	}
	t.drawn = append(t.drawn, drawn{purpose, 1})
	return 0
}
