package table

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"starling/scenarios/problem/vector"
)

// annotated is a type that says of itself what the library has no node for.
type annotated struct {
	parquet.Type
	logical   format.LogicalTypeValue
	converted *deprecated.ConvertedType
}

func (a annotated) LogicalType() *format.LogicalType {
	if a.logical == nil {
		return nil
	}
	return &format.LogicalType{Value: a.logical}
}

func (a annotated) ConvertedType() *deprecated.ConvertedType { return a.converted }

func logical(of parquet.Type, as format.LogicalTypeValue) parquet.Node {
	return parquet.Leaf(annotated{of, as, nil})
}

// plain has no logical type, which the types of the library have.
func plain(of parquet.Type) parquet.Node { return parquet.Leaf(annotated{of, nil, nil}) }

func converted(of parquet.Type, as deprecated.ConvertedType) parquet.Node {
	return parquet.Leaf(annotated{of, nil, &as})
}

// inArrow is a node whose file has a schema of Arrow, of p, v and y, as pyarrow 26.0.1 writes it.
type inArrow struct {
	parquet.Node
	schema string
}

const (
	inSeconds   = "/////9gAAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAMAAAACAAIAAAABAAIAAAABAAAAAMAAAB8AAAAPAAAAAQAAACg////AAABAhAAAAAcAAAABAAAAAAAAAABAAAAeQAAAAgADAAIAAcACAAAAAAAAAEgAAAA1P///wAAARIQAAAAGAAAAAQAAAAAAAAAAQAAAHYABgAIAAYABgAAAAAAAAAQABQACAAGAAcADAAAABAAEAAAAAAAAQUQAAAAGAAAAAQAAAAAAAAAAQAAAHAAAAAEAAQABAAAAAAAAAA="
	inMicros    = "/////9gAAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAMAAAACAAIAAAABAAIAAAABAAAAAMAAAB8AAAAPAAAAAQAAACg////AAABAhAAAAAcAAAABAAAAAAAAAABAAAAeQAAAAgADAAIAAcACAAAAAAAAAEgAAAA1P///wAAARIQAAAAGAAAAAQAAAAAAAAAAQAAAHYABgAIAAYABgAAAAAAAgAQABQACAAGAAcADAAAABAAEAAAAAAAAQUQAAAAGAAAAAQAAAAAAAAAAQAAAHAAAAAEAAQABAAAAAAAAAA="
	ofExtension = "/////3gBAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAMAAAACAAIAAAABAAIAAAABAAAAAMAAAAcAQAAUAAAAAQAAAAA////AAABAhAAAAAcAAAABAAAAAAAAAABAAAAeQAAAAgADgAIAAcACAAAAAAAAAEgAAAAAAASABgACAAGAAcADAAAABAAFAASAAAAAAABAhQAAACgAAAACAAAABAAAAAAAAAAAQAAAHYAAAACAAAASAAAAAQAAADI////GAAAAAQAAAAJAAAAbGFiLm1vbmV5AAAAFAAAAEFSUk9XOmV4dGVuc2lvbjpuYW1lAAAAAAgADAAEAAgACAAAABAAAAAEAAAAAAAAAAAAAAAYAAAAQVJST1c6ZXh0ZW5zaW9uOm1ldGFkYXRhAAAAAAgADAAIAAcACAAAAAAAAAFAAAAAEAAUAAgABgAHAAwAAAAQABAAAAAAAAEFEAAAABgAAAAEAAAAAAAAAAEAAABwAAAABAAEAAQAAAAAAAAA"
	ofIntegers  = "/////9gAAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAMAAAACAAIAAAABAAIAAAABAAAAAMAAAB8AAAANAAAAAQAAACg////AAABAhAAAAAUAAAABAAAAAAAAAABAAAAeQAAANT///8AAAABIAAAAMz///8AAAECEAAAABwAAAAEAAAAAAAAAAEAAAB2AAAACAAMAAgABwAIAAAAAAAAAUAAAAAQABQACAAGAAcADAAAABAAEAAAAAAAAQUQAAAAGAAAAAQAAAAAAAAAAQAAAHAAAAAEAAQABAAAAAAAAAA="
)

// columnar is a Parquet file with the values of a column v, a party each row unless v is
// that, and labels 0 and 1 in turn.
func columnar(t *testing.T, node parquet.Node, values []parquet.Value) File {
	t.Helper()
	schema := parquet.NewSchema("table", parquet.Group{"p": parquet.String(), "v": node, "y": parquet.Int(32)})
	path := filepath.Join(t.TempDir(), "f.parquet")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := parquet.NewWriter(file, schema)
	if of, ok := node.(inArrow); ok {
		w.SetKeyValueMetadata("ARROW:schema", of.schema)
	}
	for i, v := range values {
		level := 0
		if node.Optional() && !v.IsNull() {
			level = 1
		}
		row := parquet.Row{
			parquet.ValueOf("one").Level(0, 0, 0), v.Level(0, level, 1), parquet.ValueOf(int32(i%2)).Level(0, 0, 2),
		}
		if _, err := w.WriteRows([]parquet.Row{row}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return opened(t, path)
}

func ints32(values ...int32) (list []parquet.Value) {
	for _, v := range values {
		list = append(list, parquet.ValueOf(v))
	}
	return list
}

func ints64(values ...int64) (list []parquet.Value) {
	for _, v := range values {
		list = append(list, parquet.ValueOf(v))
	}
	return list
}

func raw(values ...string) (list []parquet.Value) {
	for _, v := range values {
		list = append(list, parquet.ByteArrayValue([]byte(v)))
	}
	return list
}

func fixed(values ...string) (list []parquet.Value) {
	for _, v := range values {
		list = append(list, parquet.FixedLenByteArrayValue([]byte(v)))
	}
	return list
}

func int96(words ...deprecated.Int96) (list []parquet.Value) {
	for _, w := range words {
		list = append(list, parquet.ValueOf(w))
	}
	return list
}

// TestLogicalTypes holds that a column of Parquet is what its logical type says, as a
// feature, as parties and as the order of rows, or is refused by the name of its type.
func TestLogicalTypes(t *testing.T) {
	bytes2, bytes12, bytes16 := parquet.FixedLenByteArrayType(2), parquet.FixedLenByteArrayType(12), parquet.FixedLenByteArrayType(16)
	const hour, epoch = 3_600_000_000_000, 2440588
	for name, test := range map[string]struct {
		node   parquet.Node
		values []parquet.Value // in the order of steps that is wanted, where they have one
		// numbers are the features that are wanted; nil of a column that is none of numbers.
		numbers []float64
		// parties are the names that are wanted, in the order of the values; empty where a party
		// of such a type is refused.
		parties []string
		// refused is in the error of a column that is listed, left is why one that is not is
		// left out.
		refused, left string
		unordered     bool
	}{
		"decimal in int32":               {node: parquet.Decimal(2, 9, parquet.Int32Type), values: ints32(-26, 51, 100), numbers: []float64{-.26, .51, 1}, parties: []string{"-0.26", "0.51", "1.00"}},
		"decimal in int64":               {node: parquet.Decimal(2, 18, parquet.Int64Type), values: ints64(-123456789012345678, 7), numbers: []float64{-1234567890123456.78, .07}, parties: []string{"-1234567890123456.78", "0.07"}},
		"decimal in bytes":               {node: parquet.Decimal(2, 10, parquet.ByteArrayType), values: raw("\xff\xe6", "\x33"), numbers: []float64{-.26, .51}, parties: []string{"-0.26", "0.51"}},
		"decimal in fixed bytes":         {node: parquet.Decimal(3, 20, parquet.FixedLenByteArrayType(9)), values: fixed("\xff\xff\xff\xff\xff\xff\xff\xff\xff", "\x00\x00\x00\x00\x00\x00\x00\x01\x00"), numbers: []float64{-.001, .256}, parties: []string{"-0.001", "0.256"}},
		"decimal without decimals":       {node: parquet.Decimal(0, 9, parquet.Int32Type), values: ints32(-5, 12), numbers: []float64{-5, 12}, parties: []string{"-5", "12"}},
		"decimal, converted":             {node: parquet.Decimal(1, 9, parquet.Int32Type), values: ints32(5, 15), numbers: []float64{.5, 1.5}, parties: []string{"0.5", "1.5"}},
		"int64 beyond 2^53":              {node: parquet.Int(64), values: ints64(1<<53, 1<<53+1, 1<<53+2), numbers: []float64{1 << 53, 1 << 53, 1<<53 + 2}, parties: []string{"9007199254740992", "9007199254740993", "9007199254740994"}},
		"int64, the largest":             {node: parquet.Int(64), values: ints64(math.MinInt64, math.MaxInt64-1, math.MaxInt64), numbers: []float64{-(1 << 63), 1 << 63, 1 << 63}, parties: []string{"-9223372036854775808", "9223372036854775806", "9223372036854775807"}},
		"int64 without logical type":     {node: plain(parquet.Int64Type), values: ints64(3, 1<<60), numbers: []float64{3, 1 << 60}, parties: []string{"3", "1152921504606846976"}},
		"uint64":                         {node: parquet.Uint(64), values: ints64(5, -2, -1), numbers: []float64{5, 1 << 64, 1 << 64}, parties: []string{"5", "18446744073709551614", "18446744073709551615"}},
		"uint32":                         {node: parquet.Uint(32), values: ints32(5, -1), numbers: []float64{5, 1<<32 - 1}, parties: []string{"5", "4294967295"}},
		"uint8":                          {node: parquet.Uint(8), values: ints32(5, 255), numbers: []float64{5, 255}, parties: []string{"5", "255"}},
		"int8, converted":                {node: converted(parquet.Int32Type, deprecated.Int8), values: ints32(-5, 12), numbers: []float64{-5, 12}, parties: []string{"-5", "12"}},
		"uint64, converted":              {node: converted(parquet.Int64Type, deprecated.Uint64), values: ints64(7, -1), numbers: []float64{7, 1 << 64}, parties: []string{"7", "18446744073709551615"}},
		"float":                          {node: parquet.Leaf(parquet.FloatType), values: []parquet.Value{parquet.ValueOf(float32(-1.5)), parquet.ValueOf(float32(2))}, numbers: []float64{-1.5, 2}, parties: []string{"-1.5", "2"}},
		"float16":                        {node: logical(bytes2, &format.Float16Type{}), values: fixed("\x00\xbe", "\x01\x00", "\x00\x3c", "\xff\x7b"), numbers: []float64{-1.5, math.Ldexp(1, -24), 1, 65504}, parties: []string{"-1.5", "0.00000005960464477539063", "1", "65504"}},
		"float16, no number":             {node: logical(bytes2, &format.Float16Type{}), values: fixed("\x00\x7e"), refused: "got NaN, want a finite number", left: "-", unordered: true, parties: []string{"NaN"}},
		"date":                           {node: parquet.Date(), values: ints32(-1, 19723), parties: []string{"1969-12-31", "2024-01-01"}, refused: `the column "v" is of type date: a time is neither`, left: whyTimes},
		"time of day":                    {node: parquet.Time(parquet.Microsecond), values: ints64(0, 3_600_000_001), parties: []string{"00:00:00", "01:00:00.000001"}, refused: "of type time of day", left: whyTimes},
		"time of day in milliseconds":    {node: parquet.Time(parquet.Millisecond), values: ints32(0, 3_600_001), parties: []string{"00:00:00", "01:00:00.001"}, refused: "of type time of day", left: whyTimes},
		"timestamp":                      {node: parquet.Timestamp(parquet.Nanosecond), values: ints64(-1, 1_700_000_000_000_000_001, 1_700_000_000_000_000_002), parties: []string{"1969-12-31T23:59:59.999999999Z", "2023-11-14T22:13:20.000000001Z", "2023-11-14T22:13:20.000000002Z"}, refused: "of type timestamp", left: whyTimes},
		"timestamp of no zone":           {node: parquet.TimestampAdjusted(parquet.Millisecond, false), values: ints64(1_000, 2_500), parties: []string{"1970-01-01T00:00:01", "1970-01-01T00:00:02.5"}, refused: "of type timestamp", left: whyTimes},
		"timestamp, converted":           {node: converted(parquet.Int64Type, deprecated.TimestampMicros), values: ints64(1, 2), parties: []string{"1970-01-01T00:00:00.000001Z", "1970-01-01T00:00:00.000002Z"}, refused: "of type timestamp", left: whyTimes},
		"INT96":                          {node: parquet.Leaf(parquet.Int96Type), values: int96(deprecated.Int96{0, 0, epoch - 1}, deprecated.Int96{1, 0, epoch}, deprecated.Int96{hour & 0xffffffff, hour >> 32, epoch}), parties: []string{"1969-12-31T00:00:00Z", "1970-01-01T00:00:00.000000001Z", "1970-01-01T01:00:00Z"}, refused: "of type timestamp (INT96)", left: whyTimes},
		"duration in seconds":            {node: inArrow{plain(parquet.Int64Type), inSeconds}, values: ints64(-90, 0, 1<<53, 1<<53+1), parties: []string{"-90 s", "0 s", "9007199254740992 s", "9007199254740993 s"}, refused: `the column "v" is of type duration: a time is neither`, left: whyTimes},
		"duration in microseconds":       {node: inArrow{plain(parquet.Int64Type), inMicros}, values: ints64(-1, 90_500_000), parties: []string{"-0.000001 s", "90.500000 s"}, refused: "of type duration", left: whyTimes},
		"duration, nullable":             {node: inArrow{parquet.Optional(plain(parquet.Int64Type)), inMicros}, values: ints64(1, 2), parties: []string{"0.000001 s", "0.000002 s"}, refused: "of type duration", left: whyTimes},
		"duration in 32 bits":            {node: inArrow{plain(parquet.Int32Type), inMicros}, values: ints32(1), refused: "of type duration stored as INT32, which is not read", left: whyType, unordered: true},
		"type of an extension":           {node: inArrow{plain(parquet.Int64Type), ofExtension}, values: ints64(1), refused: "of type lab.money, which is not read", left: whyType, unordered: true},
		"integer in Arrow":               {node: inArrow{plain(parquet.Int64Type), ofIntegers}, values: ints64(3, 1<<60), numbers: []float64{3, 1 << 60}, parties: []string{"3", "1152921504606846976"}},
		"boolean":                        {node: parquet.Leaf(parquet.BooleanType), values: []parquet.Value{parquet.ValueOf(false), parquet.ValueOf(true)}, parties: []string{"false", "true"}, left: whyWords, unordered: true},
		"UUID":                           {node: parquet.UUID(), values: fixed(strings.Repeat("\x01", 16), strings.Repeat("\x02", 16)), parties: []string{"01010101-0101-0101-0101-010101010101", "02020202-0202-0202-0202-020202020202"}, left: whyWords, unordered: true},
		"enumeration":                    {node: parquet.Enum(), values: raw("low", "top"), parties: []string{"low", "top"}, left: whyWords, unordered: true},
		"JSON":                           {node: parquet.JSON(), values: raw(`{"a":1}`, `{"a":2}`), parties: []string{`{"a":1}`, `{"a":2}`}, left: whyWords, unordered: true},
		"BSON":                           {node: parquet.BSON(), values: raw("\x05\x00\x00\x00\x00"), refused: "of type BSON, which is not read", left: whyType, unordered: true},
		"interval":                       {node: converted(bytes12, deprecated.Interval), values: fixed(strings.Repeat("\x01", 12)), refused: "of type interval, which is not read", left: whyType, unordered: true},
		"geometry":                       {node: logical(parquet.ByteArrayType, &format.GeometryType{}), values: raw("\x01"), refused: "of type GEOMETRY", left: whyType, unordered: true},
		"bytes that are a text":          {node: parquet.Leaf(parquet.ByteArrayType), values: raw("low", "top"), parties: []string{"low", "top"}, left: whyWords, unordered: true},
		"bytes that are none":            {node: parquet.Leaf(parquet.ByteArrayType), values: raw("\x00\x60"), refused: "got a value of type bytes", left: whyType, unordered: true},
		"fixed bytes":                    {node: parquet.Leaf(bytes16), values: fixed(strings.Repeat("\xff", 16)), refused: "got a value of type bytes", left: whyType, unordered: true},
		"text that is a number":          {node: parquet.String(), values: raw("1.5", "1700000000000000000", "1700000000000000001"), numbers: []float64{1.5, 1.7e18, 1.7e18}, parties: []string{"1.5", "1700000000000000000", "1700000000000000001"}},
		"text with a decimal comma":      {node: parquet.String(), values: raw("1,5", "-0,26"), parties: []string{"-0,26", "1,5"}, refused: `got "1,5", and all cells look like numbers that are not read; write a decimal comma as a point`, left: "-", unordered: true},
		"nullable":                       {node: parquet.Optional(parquet.Int(64)), values: ints64(3, 4), numbers: []float64{3, 4}, parties: []string{"3", "4"}},
		"nullable, with null":            {node: parquet.Optional(parquet.Int(64)), values: append(ints64(3), parquet.NullValue()), refused: `row 2: column "v": got null, want a number, as is 3 on row 1; fill it`, left: "-", unordered: true},
		"nullable text, with null":       {node: parquet.Optional(parquet.String()), values: append(raw("low"), parquet.NullValue()), refused: `row 2: column "v": the cell is empty`, left: whyWords, unordered: true},
		"dictionary":                     {node: parquet.Encoded(parquet.Decimal(2, 18, parquet.Int64Type), &parquet.RLEDictionary), values: ints64(7, 8), numbers: []float64{.07, .08}, parties: []string{"0.07", "0.08"}},
		"decimal with too large a scale": {node: parquet.Decimal(12, 9, parquet.Int32Type), values: ints32(1), refused: "of type decimal(9, 12), which is not read", left: whyType, unordered: true},
	} {
		t.Run(name, func(t *testing.T) {
			backward := slices.Clone(test.values)
			slices.Reverse(backward)
			read := func(c Columns, values []parquet.Value) (*Table, error) {
				c.Label = "y"
				table, _, err := Read(c, columnar(t, test.node, values), nil)
				return table, err
			}
			listed, err := read(Columns{Party: By("p"), Features: []string{"v"}}, test.values)
			switch {
			case test.refused != "":
				if err == nil || !strings.Contains(err.Error(), test.refused) {
					t.Errorf("listed: %v, want %s", err, test.refused)
				}
			case err != nil:
				t.Fatalf("listed: %v", err)
			case test.numbers != nil:
				if got := features(t, listed); !slices.Equal(got, test.numbers) {
					t.Errorf("features %v, want %v", got, test.numbers)
				}
			case listed.Types() != `words: "v"`:
				t.Errorf("types %s, want words", listed.Types())
			}
			if test.left != "-" && test.numbers == nil {
				_, err := read(Columns{Party: By("p")}, test.values)
				if err == nil || !strings.HasSuffix(err.Error(), `left out are `+test.left+`: "v"`) {
					t.Errorf("not listed: %v, want it left out: %s", err, test.left)
				}
			}
			if test.parties != nil {
				table, err := partiesOf(t, test.node, test.values)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(test.parties, table.Parties); diff != "" {
					t.Errorf("parties (-want +got):\n%s", diff)
				}
			} else if _, err := partiesOf(t, test.node, test.values); err == nil {
				t.Error("parties are read")
			}
			if test.unordered {
				return
			}
			table, err := ordered(t, test.node, backward)
			if err != nil {
				t.Fatalf("step: %v", err)
			}
			want := make([]int, len(backward))
			for i := range want {
				want[i] = len(backward) - 1 - i
			}
			if !slices.Equal(table.train[0], want) {
				t.Errorf("rows in the order %v, want %v", table.train[0], want)
			}
		})
	}
}

// features are the only feature of each row of a table, without an intercept.
func features(t *testing.T, table *Table) (list []float64) {
	t.Helper()
	d, err := NewData(table, DataOptions{Labels: vector.Value})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range table.train[0] {
		datum := make([]float64, d.Width())
		d.Datum(datum, row)
		list = append(list, datum[0])
	}
	return list
}

// partiesOf reads v as parties, with p as a feature of words.
func partiesOf(t *testing.T, node parquet.Node, values []parquet.Value) (*Table, error) {
	t.Helper()
	table, _, err := Read(Columns{Party: By("v"), Label: "y", Features: []string{"p"}}, columnar(t, node, values), nil)
	return table, err
}

// ordered reads v as steps.
func ordered(t *testing.T, node parquet.Node, values []parquet.Value) (*Table, error) {
	t.Helper()
	table, _, err := Read(Columns{Step: "v", Label: "y", Features: []string{"p"}}, columnar(t, node, values), nil)
	return table, err
}
