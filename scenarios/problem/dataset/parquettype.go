package dataset

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// valueType reads the values of a logical type of Parquet. The functions that a type does not
// have are nil.
type valueType struct {
	// name is the type's name for people, and look the Look of every value.
	name string
	look Look
	// float is the nearest float64 of a number, text the exact value, and order its place.
	float func(v parquet.Value) (float64, error)
	text  func(v parquet.Value) string
	order func(v parquet.Value) (Order, error)
	// plain is true if values are texts, with any Look; bytes is true if they may be no text.
	plain, bytes bool
}

// sort returns the Sort of a column of the type.
func (t *valueType) sort() Sort {
	switch {
	case t.plain:
		return Texts
	case t.look == Number:
		return Numbers
	case t.look == Time:
		return Times
	}
	return Unreadable
}

// cell returns a value of the type as a Cell. Its content is in more, unless it is a text.
func (t *valueType) cell(v parquet.Value, more *moreOfCell) Cell {
	switch {
	case v.IsNull():
		*more = moreOfCell{null: true}
		return Cell{more: more}
	case !t.plain:
		*more = moreOfCell{value: v, as: t}
		return Cell{more: more}
	case t.text != nil:
		return Cell{Text: t.text(v)}
	case t.bytes && !printable(v.ByteArray()):
		*more = moreOfCell{value: v, as: binaryType}
		return Cell{more: more}
	}
	return Cell{Text: strings.TrimSpace(string(v.ByteArray()))}
}

// binaryType is the type of bytes that are no text.
var binaryType = &valueType{name: "bytes", look: Unread}

// printable reports whether bytes are a text.
func printable(b []byte) bool {
	if !utf8.Valid(b) {
		return false
	}
	for _, r := range string(b) {
		if unicode.IsControl(r) && !unicode.IsSpace(r) {
			return false
		}
	}
	return true
}

// unread returns a type with values that are not read.
func unread(name string) *valueType { return &valueType{name: name, look: Unread} }

// typeOf returns the type of a column that is no group: by its logical type, else by the
// converted type that files of old programs have in its place, else by the stored type of its
// values.
func typeOf(e *format.SchemaElement) *valueType {
	kind := parquet.Kind(e.Type.V)
	var t *valueType
	switch logical := e.LogicalType.Value.(type) {
	case nil:
		if e.ConvertedType.Valid {
			t = convertedTypeOf(e, kind)
		} else {
			t = storedTypeOf(kind)
		}
	case *format.StringType, *format.EnumType, *format.JsonType:
		t = textType(kind)
	case *format.DecimalType:
		t = decimalType(kind, int(logical.Precision), int(logical.Scale))
	case *format.IntType:
		t = integerType(kind, logical.IsSigned)
	case *format.Float16Type:
		t = float16Type(kind, e.TypeLength.V)
	case *format.DateType:
		t = dateType(kind)
	case *format.TimeType:
		t = ticksType("time of day", kind, tickOf(logical.Unit), clockText)
	case *format.TimestampType:
		t = ticksType("timestamp", kind, tickOf(logical.Unit), timestampText(logical.IsAdjustedToUTC))
	case *format.UUIDType:
		t = uuidType(kind, e.TypeLength.V)
	default:
		t = unread(logical.String())
	}
	if t == nil { // stored in a form that the logical type excludes
		t = unread(fmt.Sprintf("%v stored as %v", logicalName(e), kind))
	}
	return t
}

// arrowTypeOf returns the type of a column that only the schema of Arrow has a type for; nil
// for other columns. The values of a type of an extension are not read: their meaning is
// unknown.
func arrowTypeOf(e *format.SchemaElement, said arrowField) *valueType {
	kind := parquet.Kind(e.Type.V)
	switch {
	case e.LogicalType.Value != nil || e.ConvertedType.Valid:
		return nil
	case said.Ticks > 0 && kind == parquet.Int64:
		return durationType(said.Ticks)
	case said.Ticks > 0:
		return unread(fmt.Sprintf("duration stored as %v", kind))
	case said.Extension != "":
		return unread(said.Extension)
	}
	return nil
}

// durationType returns the type of durations of Arrow, in units of 1/ticks seconds. A
// duration, like a time, is no number until a unit is chosen.
func durationType(ticks int64) *valueType {
	decimals := len(strconv.FormatInt(ticks, 10)) - 1
	return &valueType{
		name: "duration", look: Time,
		text:  func(v parquet.Value) string { return decimalText(big.NewInt(v.Int64()), decimals) + " s" },
		order: func(v parquet.Value) (Order, error) { return orderOfInt(v.Int64()), nil },
	}
}

// logicalName returns the name of the type of a column in the file.
func logicalName(e *format.SchemaElement) string {
	if e.LogicalType.Value != nil {
		return e.LogicalType.String()
	}
	if name, ok := convertedNames[e.ConvertedType.V]; ok {
		return name
	}
	return fmt.Sprintf("converted type %d", e.ConvertedType.V)
}

// convertedNames are types of old programs, where they differ from the name of the type that
// is read.
var convertedNames = map[deprecated.ConvertedType]string{
	deprecated.UTF8: "text", deprecated.Decimal: "decimal", deprecated.Date: "date", deprecated.Bson: "BSON", deprecated.Interval: "interval",
	deprecated.TimestampMillis: "timestamp", deprecated.TimestampMicros: "timestamp",
}

// convertedTypeOf returns the type of a column of an old program; nil if the column is stored
// in a form that the type excludes.
func convertedTypeOf(e *format.SchemaElement, kind parquet.Kind) *valueType {
	switch e.ConvertedType.V {
	case deprecated.UTF8, deprecated.Enum, deprecated.Json:
		return textType(kind)
	case deprecated.Decimal:
		return decimalType(kind, int(e.Precision.V), int(e.Scale.V))
	case deprecated.Int8, deprecated.Int16, deprecated.Int32, deprecated.Int64:
		return integerType(kind, true)
	case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
		return integerType(kind, false)
	case deprecated.Date:
		return dateType(kind)
	case deprecated.TimeMillis:
		return ticksType("time of day", kind, time.Millisecond, clockText)
	case deprecated.TimeMicros:
		return ticksType("time of day", kind, time.Microsecond, clockText)
	case deprecated.TimestampMillis:
		return ticksType("timestamp", kind, time.Millisecond, timestampText(true))
	case deprecated.TimestampMicros:
		return ticksType("timestamp", kind, time.Microsecond, timestampText(true))
	default:
		return unread(logicalName(e))
	}
}

// storedTypeOf returns the type of a column without a logical type.
func storedTypeOf(kind parquet.Kind) *valueType {
	switch kind {
	case parquet.Boolean:
		return &valueType{name: "boolean", plain: true, text: parquet.Value.String}
	case parquet.Int32, parquet.Int64:
		return integerType(kind, true)
	case parquet.Int96:
		return int96Type
	case parquet.Float:
		return floatType("float", func(v parquet.Value) float64 { return float64(v.Float()) })
	case parquet.Double:
		return floatType("double", parquet.Value.Double)
	}
	return &valueType{name: "bytes", plain: true, bytes: true}
}

// textType returns the type of texts in UTF-8.
func textType(kind parquet.Kind) *valueType {
	if kind != parquet.ByteArray && kind != parquet.FixedLenByteArray {
		return nil
	}
	return &valueType{name: "text", plain: true}
}

// floatType returns the type of floats.
func floatType(name string, of func(v parquet.Value) float64) *valueType {
	return &valueType{
		name: name, look: Number,
		float: func(v parquet.Value) (float64, error) { return of(v), nil },
		text:  func(v parquet.Value) string { return strconv.FormatFloat(of(v), 'f', -1, 64) },
		order: func(v parquet.Value) (Order, error) {
			x := of(v)
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return Order{}, fmt.Errorf("got %v, want a finite number", x)
			}
			return Order{High: x}, nil
		},
	}
}

// float16Type returns the type of floats of 16 bits, low byte first.
func float16Type(kind parquet.Kind, length int32) *valueType {
	if kind != parquet.FixedLenByteArray || length != 2 {
		return nil
	}
	return floatType("float16", func(v parquet.Value) float64 {
		return half(binary.LittleEndian.Uint16(v.ByteArray()))
	})
}

// half returns the value of a float of 16 bits: a sign, 5 bits of an exponent and 10 of a
// fraction.
func half(bits uint16) float64 {
	const bias, fraction = 15, 10
	exponent, mantissa := int(bits>>fraction&0x1f), float64(bits&(1<<fraction-1))
	v := 0.0
	switch exponent {
	case 0: // below the smallest normal number
		v = math.Ldexp(mantissa, 1-bias-fraction)
	case 0x1f:
		if v = math.Inf(1); mantissa != 0 {
			v = math.NaN()
		}
	default:
		v = math.Ldexp(mantissa+1<<fraction, exponent-bias-fraction)
	}
	if bits>>15 == 1 {
		return -v
	}
	return v
}

// integerType returns the type of integers of up to 64 bits. Integers without a sign are
// stored as the integer with a sign that has their bits.
func integerType(kind parquet.Kind, signed bool) *valueType {
	switch {
	case kind == parquet.Int32 && signed:
		return wholeType("integer", func(v parquet.Value) int64 { return int64(v.Int32()) })
	case kind == parquet.Int32:
		return wholeType("integer", func(v parquet.Value) int64 { return int64(uint32(v.Int32())) })
	case kind == parquet.Int64 && signed:
		return wholeType("integer", parquet.Value.Int64)
	case kind != parquet.Int64:
		return nil
	}
	of := func(v parquet.Value) uint64 { return uint64(v.Int64()) }
	return &valueType{
		name: "integer", look: Number,
		float: func(v parquet.Value) (float64, error) { return float64(of(v)), nil },
		text:  func(v parquet.Value) string { return strconv.FormatUint(of(v), 10) },
		order: func(v parquet.Value) (Order, error) {
			// All are moved down by 2^63, to integers with a sign in the same order.
			return orderOfInt(int64(of(v) ^ 1<<63)), nil
		},
	}
}

// wholeType returns the type of integers with a sign.
func wholeType(name string, of func(v parquet.Value) int64) *valueType {
	return &valueType{
		name: name, look: Number,
		float: func(v parquet.Value) (float64, error) { return float64(of(v)), nil },
		text:  func(v parquet.Value) string { return strconv.FormatInt(of(v), 10) },
		order: func(v parquet.Value) (Order, error) { return orderOfInt(of(v)), nil },
	}
}

// exactScale is the largest number of decimals with which the quotient of an integer of 53
// bits and a power of ten is the nearest float64: 10^22 is the largest power of ten that is a
// float64.
const exactScale = 22

// decimalType returns the type of whole numbers of units of 10^-scale, in an integer or in
// bytes, the highest first, in two's complement.
func decimalType(kind parquet.Kind, precision, scale int) *valueType {
	of := func(v parquet.Value) *big.Int { return big.NewInt(wholeOf(v)) }
	switch kind {
	case parquet.ByteArray, parquet.FixedLenByteArray:
		of = func(v parquet.Value) *big.Int { return twosComplement(v.ByteArray()) }
	case parquet.Int32, parquet.Int64:
	default:
		return nil
	}
	name := fmt.Sprintf("decimal(%d, %d)", precision, scale)
	if scale < 0 || scale > precision {
		return unread(name)
	}
	text := func(v parquet.Value) string { return decimalText(of(v), scale) }
	return &valueType{
		name: name, look: Number, text: text,
		float: func(v parquet.Value) (float64, error) {
			if units := of(v); units.IsInt64() && scale <= exactScale && units.BitLen() <= 53 {
				return float64(units.Int64()) / math.Pow10(scale), nil
			}
			return parseNumber(text(v))
		},
		order: func(v parquet.Value) (Order, error) { return orderOf(text(v)) },
	}
}

// wholeOf returns an integer of 32 or 64 bits.
func wholeOf(v parquet.Value) int64 {
	if v.Kind() == parquet.Int32 {
		return int64(v.Int32())
	}
	return v.Int64()
}

// twosComplement returns the integer of bytes in two's complement, the highest first.
func twosComplement(b []byte) *big.Int {
	v := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return v
}

// decimalText writes a number of units of 10^-scale with all its decimals.
func decimalText(units *big.Int, scale int) string {
	sign, digits := "", units.String()
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	if scale == 0 {
		return sign + digits
	}
	if missing := scale + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	return sign + digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
}

// dateType returns the type of dates, as days since 1970.
func dateType(kind parquet.Kind) *valueType {
	if kind != parquet.Int32 {
		return nil
	}
	return &valueType{
		name: "date", look: Time,
		text:  func(v parquet.Value) string { return time.Unix(int64(v.Int32())*86400, 0).UTC().Format(time.DateOnly) },
		order: func(v parquet.Value) (Order, error) { return orderOfInt(int64(v.Int32())), nil },
	}
}

// tickOf returns the unit of times.
func tickOf(unit format.TimeUnit) time.Duration {
	switch unit.Value.(type) {
	case *format.MilliSeconds:
		return time.Millisecond
	case *format.MicroSeconds:
		return time.Microsecond
	}
	return time.Nanosecond
}

// ticksType returns the type of times that are counted in a unit.
func ticksType(name string, kind parquet.Kind, tick time.Duration, text func(seconds, nanoseconds int64) string) *valueType {
	if kind != parquet.Int64 && !(kind == parquet.Int32 && tick == time.Millisecond) {
		return nil
	}
	each := int64(time.Second / tick)
	return &valueType{
		name: name, look: Time,
		text: func(v parquet.Value) string {
			seconds, rest := wholeOf(v)/each, wholeOf(v)%each
			if rest < 0 {
				seconds, rest = seconds-1, rest+each
			}
			return text(seconds, rest*int64(tick))
		},
		order: func(v parquet.Value) (Order, error) { return orderOfInt(wholeOf(v)), nil },
	}
}

// timestampText returns a function that writes a time, with Z if it has a zone.
func timestampText(zoned bool) func(seconds, nanoseconds int64) string {
	form := "2006-01-02T15:04:05.999999999"
	if zoned {
		form += "Z"
	}
	return func(seconds, nanoseconds int64) string { return time.Unix(seconds, nanoseconds).UTC().Format(form) }
}

// clockText writes a time of day.
func clockText(seconds, nanoseconds int64) string {
	return time.Unix(seconds, nanoseconds).UTC().Format("15:04:05.999999999")
}

// int96Type is the type of times of old programs: nanoseconds of a day, and the day in the
// Julian calendar.
var int96Type = &valueType{
	name: "timestamp (INT96)", look: Time,
	text: func(v parquet.Value) string {
		day, nanoseconds := julian(v)
		const epoch = 2440588 // 1 January 1970
		return timestampText(true)((day-epoch)*86400, nanoseconds)
	},
	order: func(v parquet.Value) (Order, error) {
		day, nanoseconds := julian(v)
		if nanoseconds < 0 || nanoseconds >= int64(24*time.Hour) {
			return Order{}, fmt.Errorf("got %d nanoseconds of a day, want below %d", nanoseconds, 24*time.Hour)
		}
		return Order{float64(day), float64(nanoseconds)}, nil
	},
}

// julian returns the day and the nanoseconds of a time.
func julian(v parquet.Value) (day, nanoseconds int64) {
	words := v.Int96()
	return int64(int32(words[2])), int64(uint64(words[1])<<32 | uint64(words[0]))
}

// uuidType returns the type of identifiers of 16 bytes. They are words.
func uuidType(kind parquet.Kind, length int32) *valueType {
	if kind != parquet.FixedLenByteArray || length != 16 {
		return nil
	}
	return &valueType{name: "UUID", plain: true, text: func(v parquet.Value) string {
		b := v.ByteArray()
		return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
	}}
}
