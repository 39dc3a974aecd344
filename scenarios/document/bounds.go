package document

import (
	"cmp"
	"fmt"
	"reflect"
	"strconv"
)

// Bounds are the least and the largest value that a field's tags min and max say,
// as they are written there; an empty one is none. A tag says is how a message has
// a value: "%v steps".
type Bounds struct {
	Min, Max string
	says     string
}

// BoundsOf reads the tags of a field.
func BoundsOf(tag reflect.StructTag) Bounds {
	says, ok := tag.Lookup("says")
	if !ok {
		says = "%v"
	}
	return Bounds{tag.Get("min"), tag.Get("max"), says}
}

// refuse says what is wrong with a number, or a pointer to one; empty if nothing.
func (b Bounds) refuse(value reflect.Value) string {
	if value.Kind() == reflect.Pointer {
		if value.IsNil() {
			return ""
		}
		value = value.Elem()
	}
	if (b.Min == "" || compare(value, b.Min) >= 0) && (b.Max == "" || compare(value, b.Max) <= 0) {
		return ""
	}
	return fmt.Sprintf(b.says, value.Interface()) + "; want " + b.text(value)
}

// text is the range of a number.
func (b Bounds) text(value reflect.Value) string {
	switch {
	case b.Max == "":
		return "at least " + b.Min
	case b.Min == "" || b.Min == "0" && value.CanUint():
		return "at most " + b.Max
	case value.CanFloat() && b.Min == "0" && b.Max == "1":
		return "a probability, 0 to 1"
	}
	return b.Min + " to " + b.Max
}

// compare compares a number with a limit, exactly. It panics if the limit is none
// of the number's type.
func compare(value reflect.Value, limit string) int {
	switch {
	case value.CanInt():
		return cmp.Compare(value.Int(), parsed(strconv.ParseInt(limit, 10, 64)))
	case value.CanUint():
		return cmp.Compare(value.Uint(), parsed(strconv.ParseUint(limit, 10, 64)))
	}
	return cmp.Compare(value.Float(), parsed(strconv.ParseFloat(limit, 64)))
}

func parsed[T any](limit T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("document: a tag min or max has no number: %v", err))
	}
	return limit
}
