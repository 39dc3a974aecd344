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

// Cell is the content of a table in one row and one column.
type Cell struct {
	// Text is the text of a CSV file, without spaces around it, or a text or a truth value of
	// Parquet.
	Text string
	// more has all else; it is nil for a text in the notation of programs.
	more *moreOfCell
}

// moreOfCell is the content of a cell that is more than a text.
type moreOfCell struct {
	// plain is the text as programs write it, 1.5 or 2024-01-31, where the format of the file has
	// another notation; else empty. foreign is true for a number in another notation than that.
	plain   string
	foreign bool
	// value is any other value of Parquet, of the type as; as is nil if the cell is a Text.
	// null is true for a cell of Parquet without a value, and for a text that the format says is none.
	value parquet.Value
	as    *valueType
	null  bool
}

func (c Cell) null() bool    { return c.more != nil && c.more.null }
func (c Cell) foreign() bool { return c.more != nil && c.more.foreign }

// as returns the type of a value of Parquet that is no text; nil for other cells.
func (c Cell) as() *valueType {
	if c.more == nil {
		return nil
	}
	return c.more.as
}

var errEmpty = errors.New("the cell is empty")

// Look classifies a cell by its own form, whatever is in the rest of its column.
type Look uint8

// The looks of cells.
const (
	Gap      Look = iota // nothing, or a word for an unknown value
	Number               // a number, or a text that is one: 1, -.5, 1e-3, nan
	Time                 // a date or a time
	Notation             // a number as programs do not write it: 1,5 or 12 % or 0x1f
	Word                 // any other text
	Unread               // a value of Parquet that is none of these, such as a list
)

// Look returns the class of the cell.
func (c Cell) Look() Look {
	switch {
	case c.null():
		return Gap
	case c.as() != nil:
		return c.as().look
	case c.foreign():
		return Notation
	}
	return lookOf(c.written())
}

// written returns the text as programs write it.
func (c Cell) written() string {
	if c.more != nil && c.more.plain != "" {
		return c.more.plain
	}
	return c.Text
}

// Float returns the number of a cell or of its text, as the nearest float64. It refuses null,
// since an unknown value is not 0. The error says how to write the number where that is known.
func (c Cell) Float() (float64, error) {
	switch {
	case c.null():
		return 0, errors.New("got null, want a number")
	case c.as() != nil && c.as().look == Number:
		return c.as().float(c.more.value)
	case c.as() != nil:
		return 0, fmt.Errorf("got %s, want a number", c)
	case c.foreign():
		return 0, fmt.Errorf("got %s, want a number; %s", c, foreignTo)
	}
	v, err := parseNumber(c.written())
	if err == nil {
		return v, nil
	}
	if cure := c.Cure(); cure != "" {
		return 0, fmt.Errorf("%w; %s", err, cure)
	}
	return 0, err
}

// Number returns the number of a cell, as Float does; ok is false where there is none. It makes no
// error, which would look at the cell again.
func (c Cell) Number() (v float64, ok bool) {
	text := c.Text
	if c.more != nil {
		if c.more.null || c.more.foreign || c.more.as != nil {
			v, err := c.Float()
			return v, err == nil
		}
		text = c.written()
	}
	if v, ok = decimal(text); ok || text == "" || !mayBegin(text[0]) {
		return v, ok
	}
	v, err := parseNumber(text)
	return v, err == nil
}

// Cure says how to write a number that is in another notation; it is empty for other cells.
func (c Cell) Cure() string {
	switch {
	case c.Look() != Notation:
		return ""
	case c.foreign():
		return foreignTo
	}
	return notationOf(c.Text)
}

// Name returns the text of a cell, also of a number. Values of Parquet have the same name if
// and only if they are equal. Texts are as they are written: 1 and 1.0 are two names. A cell
// without a value, or with a value that has no text, is an error.
func (c Cell) Name() (string, error) {
	switch {
	case c.null(), c.as() == nil && c.Text == "":
		return "", errEmpty
	case c.as() == nil:
		return c.Text, nil
	case c.as().text == nil:
		return "", fmt.Errorf("got %s, want a text or a number", c)
	}
	return c.as().text(c.more.value), nil
}

// String returns the cell for people: a quoted text, or the value of Parquet.
func (c Cell) String() string {
	switch {
	case c.null() && c.Text != "":
		return strconv.Quote(c.Text) + ", which stands for no value"
	case c.null():
		return "null"
	case c.as() == nil && c.Text == "":
		return "an empty cell"
	case c.as() == nil:
		return strconv.Quote(c.Text)
	case c.as().text == nil:
		return "a value of type " + c.as().name
	case c.as().look == Time:
		return "the time " + c.as().text(c.more.value)
	}
	return c.as().text(c.more.value)
}

// Order is the place of a cell in the order of its column, as exact as the cell's text.
type Order struct {
	// High is the float64 nearest to a number, and Low is the rest. Where two numbers have the
	// same High, Low tells them apart.
	High, Low float64
}

// Compare returns -1, 0 or 1 where the cell comes before, with or after another of its column.
func (o Order) Compare(other Order) int {
	return cmp.Or(cmp.Compare(o.High, other.High), cmp.Compare(o.Low, other.Low))
}

// Order returns the place of a number, or of a time of Parquet. Numbers of up to 30 digits and
// all integers of 64 bits are told apart; longer numbers are refused, because High and Low
// would not tell them apart.
func (c Cell) Order() (Order, error) {
	switch {
	case c.null():
		return Order{}, errors.New("got null, want a number")
	case c.as() == nil:
		if _, err := c.Float(); err != nil {
			return Order{}, err
		}
		return orderOf(c.written())
	case c.as().order == nil:
		return Order{}, fmt.Errorf("got %s, want a number or a time", c)
	}
	return c.as().order(c.more.value)
}

// digitsOfOrder is the number of digits that an Order tells apart: two float64 have 106 bits.
const digitsOfOrder = 30

// orderOf returns the place of a number by its text.
func orderOf(text string) (Order, error) {
	high, err := parseNumber(text)
	if err == nil && (math.IsNaN(high) || math.IsInf(high, 0)) {
		err = fmt.Errorf("got %v, want a finite number", high)
	}
	if err != nil {
		return Order{}, err
	}
	const whole = 1 << 53 // all whole numbers below it are float64
	if high == math.Trunc(high) && math.Abs(high) < whole && !strings.ContainsAny(text, ".eE") {
		return Order{High: high}, nil
	}
	if digits := significant(text); digits > digitsOfOrder {
		return Order{}, fmt.Errorf("got %s, of %d digits; rows are put in order by %d digits at most", text, digits, digitsOfOrder)
	}
	const bits = 256 // so that Low is exact to its own 53 bits
	exact, _, err := big.ParseFloat(text, 10, bits, big.ToNearestEven)
	if err != nil {
		return Order{}, fmt.Errorf("got %q, want a number", text)
	}
	low, _ := exact.Sub(exact, big.NewFloat(high)).Float64()
	return Order{high, low}, nil
}

// significant returns the number of digits from the first digit that is not 0 to the last.
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

// orderOfInt returns the place of a whole number.
func orderOfInt(v int64) Order {
	const largest = 1 << 63
	high := float64(v)
	if high == largest { // no int64 is 2^63
		return Order{high, float64(v-math.MaxInt64) - 1}
	}
	return Order{high, float64(v - int64(high))}
}

// parseNumber parses a number in decimal digits. It refuses hexadecimal digits and
// underscores, which strconv takes.
func parseNumber(text string) (float64, error) {
	if text == "" {
		return 0, errEmpty
	}
	if v, ok := decimal(text); ok {
		return v, nil
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

// mayBegin reports whether a number may begin with a character: a digit, a sign, a point, or a letter
// of inf and nan.
func mayBegin(b byte) bool { return strings.IndexByte("0123456789+-.iInN", b) >= 0 }

// decimal returns the number of a text of digits with at most a sign and a point; ok is false for
// other texts, and for more digits than there are whole numbers that are float64. Both the digits
// and the power of 10 are then exact, so that their quotient is the nearest float64 (Clinger, How to
// Read Floating Point Numbers Accurately, 1990), as strconv.ParseFloat returns it.
func decimal(text string) (v float64, ok bool) {
	const most = 18 // digits in a uint64
	i, negative := 0, false
	if text != "" && (text[0] == '-' || text[0] == '+') {
		i, negative = 1, text[0] == '-'
	}
	if len(text)-i > most+1 {
		return 0, false
	}
	digits, decimals, point := uint64(0), 0, -1
	first := i
	for ; i < len(text); i++ {
		d := text[i] - '0'
		switch {
		case d <= 9:
			digits = 10*digits + uint64(d)
		case text[i] == '.' && point < 0:
			point = i
		default:
			return 0, false
		}
	}
	if point >= 0 {
		decimals = len(text) - 1 - point
		first++
	}
	if first >= len(text) || digits > 1<<53 || len(text)-first > most {
		return 0, false
	}
	v = float64(digits) / powersOf10[decimals]
	if negative {
		v = -v
	}
	return v, true
}

// powersOf10 are those that are float64.
var powersOf10 = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}
