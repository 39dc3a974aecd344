package document

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
)

// CheckSquare refuses a weight matrix that does not have a row and a column for each node of
// the scenario.
func (m Matrix) CheckSquare(path string, nodes int) error {
	if len(m) != nodes {
		return At(path, "the matrix has %d rows; the scenario has %d nodes", len(m), nodes)
	}
	var errs []error
	for i, row := range m {
		if len(row) != nodes {
			errs = append(errs, At(fmt.Sprintf("%s[%d]", path, i), "row %d has %d entries; the scenario has %d nodes", i+1, len(row), nodes))
		}
	}
	return errors.Join(errs...)
}

// Fraction is the form of a fraction: two integers that float64 holds exactly.
var Fraction = regexp.MustCompile(`^([-+]?[0-9]{1,15})/([0-9]{1,15})$`)

// Number is a finite number, written as a number or as a fraction such as 1/3.
type Number float64

// DecodeNode implements document.NodeDecoder.
func (x *Number) DecodeNode(node *Node) error {
	if node.Kind() == String {
		parts := Fraction.FindStringSubmatch(node.Value())
		if parts == nil {
			return node.Issuef("expected a number or a fraction such as 1/3, got %s", node.Text())
		}
		// Integers of 15 digits are exact, and so the quotient rounds once.
		var terms [2]float64
		for i := range terms {
			terms[i], _ = strconv.ParseFloat(parts[1+i], 64)
		}
		if terms[1] == 0 {
			return node.Issuef("%s divides by zero", node.Text())
		}
		*x = Number(terms[0] / terms[1])
		return nil
	}
	var value float64
	if err := Decode(node, &value); err != nil {
		return err
	}
	if math.IsInf(value, 0) {
		return node.Issuef("expected a finite number, got %s", node.Text())
	}
	*x = Number(value)
	return nil
}

// NoEpsilon is the word for epsilon in a scenario without noise.
const NoEpsilon = "none"

// Epsilon is a privacy parameter: a finite number > 0, or the word none, which is stored as
// +Inf. Zero is refused: no finite noise gives it.
type Epsilon float64

// DecodeNode implements document.NodeDecoder.
func (e *Epsilon) DecodeNode(node *Node) error {
	if node.Kind() == String && node.Value() == NoEpsilon {
		*e = Epsilon(math.Inf(1))
		return nil
	}
	if node.Kind() == String {
		return node.Issuef("expected a number > 0 or none, got %s", node.Text()).With(OutOfBounds)
	}
	var value float64
	if err := Decode(node, &value); err != nil {
		return err
	}
	if !(value > 0) || math.IsInf(value, 1) {
		return node.Issuef("epsilon = %s; it must be a finite number > 0, or none", node.Text()).With(OutOfBounds)
	}
	*e = Epsilon(value)
	return nil
}

// ParseEpsilon reads an epsilon of a file: a finite number > 0, or the word none, which is +Inf.
func ParseEpsilon(text string) (float64, error) {
	if text == NoEpsilon {
		return math.Inf(1), nil
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || !(value > 0) || math.IsInf(value, 1) {
		return 0, fmt.Errorf("epsilon is %q, want a finite number > 0, or none", text)
	}
	return value, nil
}

// Matrix is a list of rows of numbers, such as the weights of a network. Its entries may
// be fractions, so that 1/3 is as near to a third as float64 allows and rows sum to 1
// within rounding.
type Matrix [][]Number

// Rows returns the rows as float64, in memory of their own.
func (m Matrix) Rows() [][]float64 {
	rows := make([][]float64, len(m))
	for i, row := range m {
		rows[i] = make([]float64, len(row))
		for k, v := range row {
			rows[i][k] = float64(v)
		}
	}
	return rows
}

// Typed adapts the results of a constructor for a builder of a catalog: the value as an
// interface I, and the error at its place in the section. A value that is no I is a
// broken invariant.
func Typed[I any](section *Node) func(value any, err error) (I, error) {
	return func(value any, err error) (result I, _ error) {
		if err != nil {
			return result, section.Resolve(err)
		}
		return value.(I), nil
	}
}
