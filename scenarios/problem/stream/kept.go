package stream

import (
	"sync/atomic"

	"starling/mechanisms/kernel"
	"starling/messages"
	"starling/scenarios/problem"
)

// Drawn is a Tester that computes a datum whenever it is asked for, in much more time than a
// copy takes. All learners have the same number of fresh data. Data of other instances are in
// memory already.
type Drawn interface {
	Tester
	// Steady reports whether fresh data are of the same law at all steps.
	Steady() bool
}

// Rows are data in memory: a row each, drawn when it is first asked for. Kept keeps the data
// of an instance in them, and instances with equal data can share them. Drawn rows are
// immutable. Rows are safe for concurrent use.
type Rows struct {
	width, items int
	// blocks are by group modulo their number: a later group replaces an earlier one. Readers
	// of the earlier one still have it.
	blocks []atomic.Pointer[rowBlock]
}

// rowBlock is the rows of a group: items x width.
type rowBlock struct {
	group int
	rows  []float64
	state []atomic.Uint32 // by item
}

// The states of a row.
const (
	rowEmpty uint32 = iota
	rowDrawing
	rowThere
)

// stateBytes is the number of bytes of a row beside its numbers.
const stateBytes = 4

// row returns a row of a group, read only and finite. It draws the row if it is not drawn yet.
// It returns nil where another goroutine is drawing the row, a later group has replaced its
// group, or its numbers are not finite.
func (r *Rows) row(group, item int, draw func(dst []float64)) []float64 {
	b := r.block(group)
	if b == nil {
		return nil
	}
	row := b.rows[item*r.width : (item+1)*r.width : (item+1)*r.width]
	switch state := &b.state[item]; {
	case state.Load() == rowThere:
		return row
	case state.CompareAndSwap(rowEmpty, rowDrawing):
		if draw(row); !kernel.AllFinite(row) {
			return nil // now and later
		}
		state.Store(rowThere)
		return row
	}
	return nil
}

// block returns the block of a group, nil where a later group has its place.
func (r *Rows) block(group int) *rowBlock {
	at := &r.blocks[group%len(r.blocks)]
	b := at.Load()
	for b == nil || b.group < group {
		fresh := &rowBlock{group: group, rows: make([]float64, r.items*r.width), state: make([]atomic.Uint32, r.items)}
		if at.CompareAndSwap(b, fresh) {
			return fresh
		}
		b = at.Load()
	}
	if b.group > group {
		return nil
	}
	return b
}

// KeptBytes returns about the number of bytes of data of so many learners. width is the length
// of a datum, and items is the number of steps, or of fresh data of a learner.
func KeptBytes(width, learners, items int) int64 {
	return int64(learners) * int64(items) * int64(8*width+stateBytes)
}

// windowSteps and windowBytes bound a window: all reads of a datum of a step come within a few
// steps.
const (
	windowSteps = 4
	windowBytes = 128 << 20
)

// AllSteps returns the rows of all data of so many learners and steps of an instance of a
// width: step by step, and learner by learner within a step.
func AllSteps(width, learners, steps int) *Rows { return newRows(width, learners, steps) }

// Window returns the rows of the last few steps that were asked for; nil where the rows of one
// step would be too many.
func Window(width, learners int) *Rows {
	steps := windowOf(width, learners)
	if steps == 0 {
		return nil
	}
	return newRows(width, learners, steps)
}

// windowOf returns the number of steps of a window, 0 if there is none.
func windowOf(width, learners int) int {
	return int(min(windowSteps, windowBytes/KeptBytes(width, learners, 1)))
}

// AllTests returns the rows of all fresh data of learners, tests of each, learner by learner.
func AllTests(width, learners, tests int) *Rows { return newRows(width, tests, learners) }

func newRows(width, items, groups int) *Rows {
	return &Rows{width: width, items: items, blocks: make([]atomic.Pointer[rowBlock], groups)}
}

// Kept is an instance that keeps data once they are drawn, as far as it has rows for them. It
// gives the same bits as the instance.
type Kept struct {
	in           Drawn
	steps, tests *Rows // nil where nothing is kept
}

// Keep returns the instance with rows for data, by AllSteps or Window, and for fresh data,
// by AllTests; nil keeps none. Fresh data of changing laws are not kept.
func Keep(in Drawn, steps, tests *Rows) *Kept {
	if !in.Steady() {
		tests = nil
	}
	return &Kept{in, steps, tests}
}

// At implements problem.Timed.
func (k *Kept) At(step int) any {
	if k.in.Steady() {
		return k
	}
	return &Kept{problem.At(k.in, step), k.steps, nil}
}

// Width implements problem.Data.
func (k *Kept) Width() int { return k.in.Width() }

// Datum implements problem.Data.
func (k *Kept) Datum(dst []float64, node messages.NodeID, step int) {
	if row := k.Stored(node, step); row != nil {
		copy(dst, row)
		return
	}
	k.in.Datum(dst, node, step)
}

// Stored returns the datum of a node at a step where it is kept, read only and finite; nil
// where it is not kept, or not yet.
func (k *Kept) Stored(node messages.NodeID, step int) []float64 {
	if k.steps == nil {
		return nil
	}
	return k.steps.row(step-1, int(node), func(dst []float64) { k.in.Datum(dst, node, step) })
}

// storedStep returns the data of all learners at a step, a row each, where they are kept, read
// only; nil where one is not kept, or not yet. A nil instance keeps none.
func (k *Kept) storedStep(step int) []float64 {
	if k == nil || k.steps == nil {
		return nil
	}
	for learner := range k.steps.items {
		if k.Stored(messages.NodeID(learner), step) == nil {
			return nil
		}
	}
	b := k.steps.block(step - 1)
	if b == nil {
		return nil
	}
	return b.rows
}

// Validation implements Validated. Validation rows are not kept.
func (k *Kept) Validation() Tester { return ValidationOf(k.in) }

// TestSamples implements Tester.
func (k *Kept) TestSamples(node messages.NodeID) int { return k.in.TestSamples(node) }

// Test implements Tester.
func (k *Kept) Test(dst []float64, node messages.NodeID, index int) {
	if row := k.storedTest(node, index); row != nil {
		copy(dst, row)
		return
	}
	k.in.Test(dst, node, index)
}

// storedTest is Stored for a fresh datum.
func (k *Kept) storedTest(node messages.NodeID, index int) []float64 {
	if k.tests == nil {
		return nil
	}
	return k.tests.row(int(node), index, func(dst []float64) { k.in.Test(dst, node, index) })
}

// Row returns the datum of a node at a step: the data's own row, read only, if they keep
// one, else work, len Width.
func Row(in problem.Data, work []float64, node messages.NodeID, step int) []float64 {
	if k, ok := in.(*Kept); ok {
		if row := k.Stored(node, step); row != nil {
			return row
		}
		in = k.in
	}
	in.Datum(work, node, step)
	return work
}

// TestRow is Row for a fresh datum.
func TestRow(in Tester, work []float64, node messages.NodeID, index int) []float64 {
	if k, ok := in.(*Kept); ok {
		if row := k.storedTest(node, index); row != nil {
			return row
		}
		in = k.in
	}
	in.Test(work, node, index)
	return work
}
