package dataset

import "fmt"

// Bound is a number, or a date or a time, from which on the cells of a column are told apart from
// those before it.
type Bound struct {
	text  string
	at    Order
	times bool
}

// ParseBound reads a number, or a date or a time that is written year first: 2024-01-31 or
// 2024-01-31 23:59:59Z.
func ParseBound(text string) (Bound, error) {
	cell := Cell{Text: text}
	at, along, err := cell.Step()
	if err != nil {
		return Bound{}, err
	}
	return Bound{text, at, along != alongNumbers}, nil
}

// String returns the text of the bound.
func (b Bound) String() string { return b.text }

// Reached reports whether a cell is not before the bound. Times without a zone count as UTC. It is
// an error if the cell is a time and the bound is a number, or the other way round.
func (b Bound) Reached(c Cell) (bool, error) {
	if b.times != (c.Look() == Time) {
		return false, fmt.Errorf("got %s, which has no order with %s", c, b.text)
	}
	if !b.times {
		at, err := c.Order()
		return at.Compare(b.at) >= 0, err
	}
	moment, err := c.Moment()
	return Order{float64(moment.Unix()), float64(moment.Nanosecond())}.Compare(b.at) >= 0, err
}
