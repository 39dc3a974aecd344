package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// packed is a file of a header and data.
func packed(header string, data ...byte) []byte {
	file := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(file, header...), data...)
}

func written(t testing.TB, f *File) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, f); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// bits compares numbers by their bits, so that all NaN are told apart.
var bits = cmp.Comparer(func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })

// TestWriteGolden holds the bytes of a file to the format as its description has it,
// written down by hand.
func TestWriteGolden(t *testing.T) {
	got := written(t, &File{
		Metadata: map[string]string{"b": "2 < 3", "a": "\""},
		Tensors:  []Tensor{{"w", []int{2, 1}, []float64{1, -2}}, {"scalar", nil, []float64{0.5}}},
	})
	header := `{"__metadata__":{"a":"\"","b":"2 < 3"},"w":{"dtype":"F64","shape":[2,1],"data_offsets":[0,16]},` +
		`"scalar":{"dtype":"F64","shape":[],"data_offsets":[16,24]}}`
	header += strings.Repeat(" ", (8-len(header)%8)%8)
	data, err := hex.DecodeString("000000000000f03f" + "00000000000000c0" + "000000000000e03f")
	if err != nil {
		t.Fatal(err)
	}
	if want := packed(header, data...); !bytes.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
	if at := bytes.Index(got, data); at%8 != 0 {
		t.Errorf("the data begin at byte %d", at)
	}
}

// TestRoundTrip checks that a file keeps every bit, and that contents have one form.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := &File{Metadata: rapid.MapOfN(rapid.String(), rapid.String(), 1, 3).Draw(t, "metadata")}
		for _, name := range rapid.SliceOfNDistinct(rapid.String().Filter(func(s string) bool { return s != metadataName }), 0, 4, rapid.ID).Draw(t, "names") {
			shape := rapid.SliceOfN(rapid.IntRange(0, 3), 0, 3).Draw(t, "shape")
			n := 1
			for _, length := range shape {
				n *= length
			}
			values := make([]float64, n)
			for i := range values {
				values[i] = math.Float64frombits(rapid.Uint64().Draw(t, "bits"))
			}
			f.Tensors = append(f.Tensors, Tensor{name, shape, values})
		}
		var b bytes.Buffer
		if err := Write(&b, f); err != nil {
			t.Fatal(err)
		}
		got, err := Read("x", b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(f, got, bits, cmpopts.EquateEmpty(), cmpopts.SortSlices(func(a, b Tensor) bool { return a.Name < b.Name })); d != "" {
			t.Fatal(d)
		}
	})
}

// TestReadFloat32 reads what other tools write: F32, fields in another order, a header
// without padding.
func TestReadFloat32(t *testing.T) {
	got, err := Read("x", packed(`{"a": {"shape": [1, 2], "data_offsets": [0, 8], "dtype": "F32"}}`, 0, 0, 0x80, 0x3f, 0, 0, 0x20, 0xc1))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(&File{Tensors: []Tensor{{"a", []int{1, 2}, []float64{1, -10}}}}, got); d != "" {
		t.Error(d)
	}
}

// TestReadRefuses checks what is wrong with damaged files, and where.
func TestReadRefuses(t *testing.T) {
	entry := `{"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}}`
	eight := make([]byte, 8)
	for name, test := range map[string]struct {
		file   []byte
		offset int64
		want   string
	}{
		"empty":             {nil, 0, "ends inside the length"},
		"short length":      {[]byte{1, 2, 3}, 3, "ends inside the length"},
		"absurd length":     {bytes.Repeat([]byte{255}, 20), 0, "no safetensors file"},
		"short header":      {packed(entry)[:20], 20, "ends inside the header, which has 54 bytes"},
		"no header":         {packed(""), 8, "does not begin with '{'"},
		"list":              {packed("[]"), 8, "does not begin with '{'"},
		"open":              {packed(`{"a":`), 13, "does not end"},
		"syntax":            {packed(`{"a"x}`), 12, "invalid character 'x'"},
		"after":             {packed(`{} {}`), 11, "text after"},
		"not UTF-8":         {packed("{\"\xff\":{}}"), 8, "not UTF-8"},
		"twice":             {packed(entry[:len(entry)-1]+","+entry[1:], eight...), 65, `"a" comes twice`},
		"twice inside":      {packed(strings.Replace(entry, `"shape"`, `"dtype"`, 1), eight...), 35, `"dtype" comes twice`},
		"field":             {packed(strings.Replace(entry, `"shape"`, `"Shape"`, 1), eight...), 35, `unknown field "Shape"`},
		"field missing":     {packed(`{"a":{"dtype":"F64","shape":[]}}`), 12, "lacks one of"},
		"not an object":     {packed(`{"a":1}`), 14, `1 where "{" is to be`},
		"type":              {packed(strings.Replace(entry, "F64", "I64", 1), eight...), 12, `type "I64"; this build reads F64 and F32`},
		"type no text":      {packed(strings.Replace(entry, `"F64"`, `64`, 1), eight...), 24, "64 instead of a type in quotes"},
		"negative":          {packed(strings.Replace(entry, "[1]", "[-1]", 1), eight...), 39, "-1 is no whole number"},
		"fraction":          {packed(strings.Replace(entry, "[1]", "[1.5]", 1), eight...), 40, "1.5 is no whole number"},
		"text":              {packed(strings.Replace(entry, "[1]", `["1"]`, 1), eight...), 40, "1 is no whole number"},
		"null":              {packed(strings.Replace(entry, "[1]", `[null]`, 1), eight...), 41, "<nil> is no whole number"},
		"offsets":           {packed(strings.Replace(entry, "[0,8]", "[8,0]", 1), eight...), 12, "has the offsets [8 0]"},
		"shape":             {packed(strings.Replace(entry, "[1]", "[2]", 1), eight...), 12, "shape [2] has 8 bytes"},
		"huge shape":        {packed(strings.Replace(entry, "[1]", "[4294967296,4294967296]", 1), eight...), 12, "has 8 bytes"},
		"gap":               {packed(strings.Replace(entry, "[0,8]", "[8,16]", 1), make([]byte, 16)...), 12, "begins at byte 8 of the data; the one before ends at 0"},
		"short data":        {packed(entry, eight[:7]...), 69, `ends inside tensor "a", with 7 bytes of data; want 8`},
		"long data":         {packed(entry, make([]byte, 9)...), 70, "1 bytes after the last tensor"},
		"metadata a number": {packed(`{"__metadata__":{"a":1}}`), 30, "1 instead of a text"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read("some.safetensors", test.file)
			var damage *FormatError
			if !errors.As(err, &damage) {
				t.Fatalf("error %v", err)
			}
			if damage.File != "some.safetensors" || damage.Offset != test.offset || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v\nwant byte %d: %s", err, test.offset, test.want)
			}
		})
	}
}

func TestWriteRefuses(t *testing.T) {
	for name, f := range map[string]*File{
		"values":       {Tensors: []Tensor{{"a", []int{2}, []float64{1}}}},
		"shape":        {Tensors: []Tensor{{"a", []int{-1}, nil}}},
		"twice":        {Tensors: []Tensor{{"a", nil, []float64{1}}, {"a", nil, []float64{1}}}},
		"reserved":     {Tensors: []Tensor{{metadataName, nil, []float64{1}}}},
		"not UTF-8":    {Tensors: []Tensor{{"\xff", nil, []float64{1}}}},
		"bad metadata": {Metadata: map[string]string{"a": "\xff"}},
	} {
		if err := Write(&bytes.Buffer{}, f); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestTruncated checks that no file that is cut short passes.
func TestTruncated(t *testing.T) {
	whole := written(t, &File{Metadata: map[string]string{"k": "v"}, Tensors: []Tensor{{"a", []int{2}, []float64{1, 2}}, {"b", []int{1}, []float64{3}}}})
	for n := range whole {
		if _, err := Read("x", whole[:n]); err == nil {
			t.Errorf("the first %d of %d bytes pass", n, len(whole))
		}
	}
}

// FuzzRead checks that what can be read says the same once it is written and read
// again, and that everything else is an error within the file.
func FuzzRead(f *testing.F) {
	f.Add(written(f, &File{Metadata: map[string]string{"k": "v"}, Tensors: []Tensor{{"a", []int{2, 1}, []float64{1, math.Inf(1)}}}}))
	f.Add(packed(`{"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}`, 1, 2, 3, 4))
	f.Add(packed(`{"a":{"dtype":"F64","shape":[0],"data_offsets":[0,0]},"b":{"dtype":"F64","shape":[],"data_offsets":[0,8]}}  `, make([]byte, 8)...))
	f.Add(packed(`{"__metadata__":{}}`))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Read("x", data)
		var damage *FormatError
		if err != nil {
			if !errors.As(err, &damage) || damage.Offset < 0 || damage.Offset > int64(len(data)) {
				t.Fatalf("error %v of %d bytes", err, len(data))
			}
			return
		}
		again, err := Read("x", written(t, file))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(file, again, bits, cmpopts.EquateEmpty()); d != "" {
			t.Fatal(d)
		}
		if size := binary.LittleEndian.Uint64(data); !json.Valid(data[8 : 8+size]) {
			t.Fatal("a header that is no JSON was read")
		}
	})
}

// TestWriteIntegers holds the bytes of whole numbers to the format as its description has
// it, written down by hand. Read says that it does not read them.
func TestWriteIntegers(t *testing.T) {
	got := written(t, &File{Tensors: []Tensor{{"n", []int{2}, []float64{3, -1}}}, Integers: []string{"n"}})
	header := `{"n":{"dtype":"I64","shape":[2],"data_offsets":[0,16]}}`
	header += strings.Repeat(" ", (8-len(header)%8)%8)
	data, err := hex.DecodeString("0300000000000000" + "ffffffffffffffff")
	if err != nil {
		t.Fatal(err)
	}
	if want := packed(header, data...); !bytes.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
	if _, err := Read("numbers", got); err == nil || !strings.Contains(err.Error(), `type "I64"`) {
		t.Errorf("Read returns %v", err)
	}
}

// TestByteOrder checks that processors of either byte order write the same and read it.
func TestByteOrder(t *testing.T) {
	if !littleEndian {
		t.Skip("this processor has the one way alone")
	}
	defer func() { littleEndian = true }()
	f := &File{Tensors: []Tensor{{"a", []int{40, 1000}, make([]float64, 40000)}, {"b", []int{3}, []float64{1, math.Copysign(0, -1), 5e-324}}}}
	for i := range f.Tensors[0].Values {
		f.Tensors[0].Values[i] = float64(i) / 7
	}
	want := written(t, f)
	littleEndian = false
	if !bytes.Equal(written(t, f), want) {
		t.Error("other bytes are written")
	}
	for _, littleEndian = range []bool{false, true} {
		if got, err := Read("x", want); err != nil || !cmp.Equal(f, got, bits, cmpopts.EquateEmpty()) {
			t.Errorf("little-endian %v: %v", littleEndian, err)
		}
	}
}
