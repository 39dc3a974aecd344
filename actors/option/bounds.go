package option

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// Bounds are the limits in the tags of a field. For a number min and max belong to the range,
// over and under do not. For a list or a string min and max limit its length. A tag oneof has
// the words that a string can be, with blanks between them. An empty limit is none. A tag says
// is how a message has a value: "%v steps".
type Bounds struct {
	Min, Max, Over, Under string
	OneOf                 []string
	says                  string
}

// BoundsOf reads the tags of a field.
func BoundsOf(tag reflect.StructTag) Bounds {
	says, ok := tag.Lookup("says")
	if !ok {
		says = "%v"
	}
	return Bounds{tag.Get("min"), tag.Get("max"), tag.Get("over"), tag.Get("under"), strings.Fields(tag.Get("oneof")), says}
}

// Refuse describes the fault of a number or a length, or a pointer to one; it returns "" if
// there is none. The words are for the caller to look for. It panics if a limit is no number
// of the value's type.
func (b Bounds) Refuse(value reflect.Value) string {
	if b.Min == "" && b.Max == "" && b.Over == "" && b.Under == "" {
		return ""
	}
	if value.Kind() == reflect.Pointer {
		if value.IsNil() {
			return ""
		}
		value = value.Elem()
	}
	if kind := value.Kind(); kind == reflect.String || kind == reflect.Slice {
		value = reflect.ValueOf(value.Len())
	}
	if b.holds(value) {
		return ""
	}
	return fmt.Sprintf(b.says, value.Interface()) + "; want " + b.text(value)
}

// holds reports whether a number is within the bounds, which leave out infinity.
func (b Bounds) holds(value reflect.Value) bool {
	if value.CanFloat() && math.IsInf(value.Float(), 0) {
		return false
	}
	return (b.Min == "" || compare(value, b.Min) >= 0) && (b.Max == "" || compare(value, b.Max) <= 0) &&
		(b.Over == "" || compare(value, b.Over) > 0) && (b.Under == "" || compare(value, b.Under) < 0)
}

// text is the range of a number.
func (b Bounds) text(value reflect.Value) string {
	if b.Over != "" || b.Under != "" || value.CanFloat() && b.Max == "" {
		return b.inequalities()
	}
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

// inequalities describes the bounds one by one, for a range that is open on a side.
func (b Bounds) inequalities() string {
	var parts []string
	for _, bound := range []struct{ sign, limit string }{{">=", b.Min}, {">", b.Over}, {"<=", b.Max}, {"<", b.Under}} {
		if bound.limit != "" {
			parts = append(parts, bound.sign+" "+bound.limit)
		}
	}
	if len(parts) == 1 {
		return "a finite number " + parts[0]
	}
	return "a number " + strings.Join(parts, " and ")
}

// compare compares a number with a limit, exactly. It panics if the limit is no number of that
// type.
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
		panic(fmt.Sprintf("option: a tag of a limit has no number: %v", err))
	}
	return limit
}
