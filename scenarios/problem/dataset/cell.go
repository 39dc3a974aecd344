package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// Cell is what a row of a table has in a column.
type Cell struct {
	// Text is what CSV has, without spaces around it, or a text or a truth value of Parquet.
	Text string
	// value is what Parquet has otherwise, of the type as; nil of a Text. null is a cell of
	// Parquet without a value.
	value parquet.Value
	as    *valueType
	null  bool
}

// Look is what a cell looks like by itself, whatever is in the rest of its column.
type Look uint8

// The looks of cells.
const (
	Gap      Look = iota // nothing, or a word that stands for what is not known
	Number               // a number, or a text that is one: 1, -.5, 1e-3, nan
	Time                 // a date or a time
	Notation             // a number as programs do not write it: 1,5 or 12 % or 0x1f
	Word                 // any other text
	Unread               // a value of Parquet that is none of these, such as a list
)

// Look is what the cell looks like.
func (c Cell) Look() Look {
	switch {
	case c.null:
		return Gap
	case c.as != nil:
		return c.as.look
	}
	return lookOf(c.Text)
}

// Float is the number that a cell is or that its text says, the nearest float64. Null is
// refused: what is not known is not 0. The error says how to write it where that is known.
func (c Cell) Float() (float64, error) {
	switch {
	case c.null:
		return 0, errors.New("got null, want a number")
	case c.as != nil && c.as.look == Number:
		return c.as.float(c.value)
	case c.as != nil:
		return 0, fmt.Errorf("got %s, want a number", c)
	}
	v, err := parseNumber(c.Text)
	if err == nil {
		return v, nil
	}
	if cure := c.Cure(); cure != "" {
		return 0, fmt.Errorf("%w; %s", err, cure)
	}
	return 0, err
}

// Cure says how to write a number that looks like one in another notation; empty of others.
func (c Cell) Cure() string {
	if c.Look() != Notation {
		return ""
	}
	return notationOf(c.Text)
}

// Name is the text of a cell, of a number too. Values of Parquet have one name if and only if
// they are equal, and texts are as they are written: 1 and 1.0 are two names. The error is that of a cell without a value, or with one
// that has no text.
func (c Cell) Name() (string, error) {
	switch {
	case c.null, c.as == nil && c.Text == "":
		return "", errors.New("the cell is empty")
	case c.as == nil:
		return c.Text, nil
	case c.as.text == nil:
		return "", fmt.Errorf("got %s, want a text or a number", c)
	}
	return c.as.text(c.value), nil
}

// String is the cell for people: a quoted text, or the value of Parquet.
func (c Cell) String() string {
	switch {
	case c.null:
		return "null"
	case c.as == nil && c.Text == "":
		return "an empty cell"
	case c.as == nil:
		return strconv.Quote(c.Text)
	case c.as.text == nil:
		return "a value of type " + c.as.name
	case c.as.look == Time:
		return "the time " + c.as.text(c.value)
	}
	return c.as.text(c.value)
}

// Order places a cell among those of its column, as exactly as it is written.
type Order struct {
	// High is the nearest float64 of a number, and Low what it lacks. Where two have one
	// High, Low tells them apart.
	High, Low float64
}

// Compare is -1, 0 or 1 where the cell comes before, with or after another of its column.
func (o Order) Compare(other Order) int {
	return cmp.Or(cmp.Compare(o.High, other.High), cmp.Compare(o.Low, other.Low))
}

// Order is the place of a number or of a time of Parquet. Numbers of up to 30 digits and
// all integers of 64 bits are told apart; longer ones are refused, because High and Low
// would not tell them apart.
func (c Cell) Order() (Order, error) {
	switch {
	case c.null:
		return Order{}, errors.New("got null, want a number")
	case c.as == nil:
		if _, err := c.Float(); err != nil {
			return Order{}, err
		}
		return orderOf(c.Text)
	case c.as.order == nil:
		return Order{}, fmt.Errorf("got %s, want a number or a time", c)
	}
	return c.as.order(c.value)
}

// digitsOfOrder are those of numbers that an Order tells apart: two float64 have 106 bits.
const digitsOfOrder = 30

// orderOf is the place of a number by its text.
func orderOf(text string) (Order, error) {
	high, err := parseNumber(text)
	if err == nil && (math.IsNaN(high) || math.IsInf(high, 0)) {
		err = fmt.Errorf("got %v, want a finite number", high)
	}
	if err != nil {
		return Order{}, err
	}
	const whole = 1 << 53 // to which all whole numbers are float64
	if high == math.Trunc(high) && math.Abs(high) < whole && !strings.ContainsAny(text, ".eE") {
		return Order{High: high}, nil
	}
	if digits := significant(text); digits > digitsOfOrder {
		return Order{}, fmt.Errorf("got %s, of %d digits; rows are put in order by %d digits at most", text, digits, digitsOfOrder)
	}
	const bits = 256 // so that what High lacks is exact to its own 53
	exact, _, err := big.ParseFloat(text, 10, bits, big.ToNearestEven)
	if err != nil {
		return Order{}, fmt.Errorf("got %q, want a number", text)
	}
	low, _ := exact.Sub(exact, big.NewFloat(high)).Float64()
	return Order{high, low}, nil
}

// significant is how many digits a number has between its first and its last that is not 0.
func significant(text string) int {
	mantissa, _, _ := strings.Cut(strings.ToLower(text), "e")
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, mantissa)
	return len(strings.Trim(digits, "0"))
}

// orderOfInt is the place of a whole number.
func orderOfInt(v int64) Order {
	const largest = 1 << 63
	high := float64(v)
	if high == largest { // which no int64 is
		return Order{high, float64(v-math.MaxInt64) - 1}
	}
	return Order{high, float64(v - int64(high))}
}

// parseNumber is the number that a text says in digits: hexadecimal digits and underscores,
// which strconv takes, are refused.
func parseNumber(text string) (float64, error) {
	if text == "" {
		return 0, errors.New("the cell is empty")
	}
	for i := range len(text) {
		switch text[i] {
		case '_', 'x', 'X', 'p', 'P':
			return 0, fmt.Errorf("got %q, want a number", text)
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("got %q, want a number of at most %v", text, math.MaxFloat64)
	}
	if err != nil {
		return 0, fmt.Errorf("got %q, want a number", text)
	}
	return v, nil
}
