package messages_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"starling/mechanisms/rng"
	"starling/messages"
	"starling/messages/compression"
)

// anyDouble draws any bit pattern: NaN payloads, infinities, subnormal numbers
// and both zeros included.
func anyDouble() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.Float64(),
		rapid.Map(rapid.Uint64(), math.Float64frombits),
		rapid.SampledFrom([]float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), math.SmallestNonzeroFloat64, -math.MaxFloat64}),
	)
}

func drawVector(t *rapid.T) *messages.Vector {
	v := &messages.Vector{Exposure: messages.Exposure(rapid.IntRange(0, 2).Draw(t, "exposure"))}
	if !rapid.Bool().Draw(t, "narrow") {
		v.Values = rapid.SliceOfN(anyDouble(), 0, 40).Draw(t, "values")
		return v
	}
	v.Values = rapid.SliceOfN(rapid.Float64Range(-math.MaxFloat32, math.MaxFloat32), 0, 40).Draw(t, "values")
	if err := v.Narrow(); err != nil {
		t.Fatal(err)
	}
	codec := rapid.SampledFrom([]compression.Codec{nil, compression.TopK{Share: 0.5}, compression.RandomK{Share: 0.5}, compression.Dithering{Levels: 3}, compression.Sign{}}).Draw(t, "codec")
	if codec == nil {
		return v
	}
	if err := v.Compress(codec, &compression.Work{Rand: rng.New(rapid.Uint64().Draw(t, "seed"))}); err != nil {
		t.Fatal(err)
	}
	return v
}

// aside is how many bytes a vector has beside those that a wire counts: of an encoded one whose
// entries were reduced, a length of 8 bytes and 4 + 8 for each of them.
func aside(v *messages.Vector) int {
	if v.Encoded.Len() == 0 || len(v.Encoded.Reduced) == 0 {
		return 0
	}
	return 8 + 12*len(v.Encoded.Reduced)
}

// bits makes vectors comparable to the last bit, NaN payloads included.
func bits(values []float64) []uint64 {
	b := make([]uint64, len(values))
	for i, x := range values {
		b[i] = math.Float64bits(x)
	}
	return b
}

func sameVector(t *rapid.T, got, want *messages.Vector) {
	if got.Exposure != want.Exposure || got.Float32 != want.Float32 || !reflect.DeepEqual(got.Encoded, want.Encoded) || fmt.Sprint(bits(got.Values)) != fmt.Sprint(bits(want.Values)) {
		t.Fatalf("got %+v, want %+v", got, want)
	}
}

func TestVectorsSurviveTheWire(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		prefix := rapid.SliceOf(rapid.Byte()).Draw(t, "prefix")
		vectors := make([]*messages.Vector, rapid.IntRange(1, 4).Draw(t, "vectors"))
		wire := bytes.Clone(prefix)
		for i := range vectors {
			vectors[i] = drawVector(t)
			before := len(wire)
			wire = messages.Write(wire, vectors[i])
			if got, want := len(wire)-before, vectors[i].WireSize(); got != want {
				t.Fatalf("%d bytes on the wire, WireSize is %d", got, want)
			}
		}
		if !bytes.HasPrefix(wire, prefix) {
			t.Fatal("Write changed what was there before")
		}
		rest := wire[len(prefix):]
		for i := range vectors {
			var got messages.Vector
			wire := rest[:vectors[i].WireSize()]
			if err := messages.Read(wire, &got); err != nil {
				t.Fatal(err)
			}
			clear(wire) // must not reach the decoded vector
			sameVector(t, &got, vectors[i])
			rest = rest[len(wire):]
		}
		if len(rest) != 0 {
			t.Fatalf("%d bytes left over", len(rest))
		}
	})
}

// The wire form is written down, byte for byte, so that it cannot drift: two
// processes, or a checkpoint and a later build, must agree on it.
func TestWireFormIsFixed(t *testing.T) {
	tests := []struct {
		vector *messages.Vector
		want   []byte
	}{
		{&messages.Vector{}, []byte{2, 0, 0, 0, 0}},
		{&messages.Vector{Exposure: messages.Released}, []byte{1, 0, 0, 0, 0}},
		{&messages.Vector{Exposure: messages.Public}, []byte{3, 0, 0, 0, 0}},
		{
			&messages.Vector{Exposure: messages.Released, Values: []float64{1, -2}}, // 1 is 0x3ff0..., -2 is 0xc000...
			[]byte{1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0xc0},
		},
		{&messages.Vector{Exposure: messages.Released, Float32: true, Values: []float64{1}}, []byte{4, 1, 0, 0, 0, 0, 0, 0x80, 0x3f}},
		{&messages.Vector{Float32: true, Values: []float64{-2}}, []byte{5, 1, 0, 0, 0, 0, 0, 0, 0xc0}},
		{&messages.Vector{Exposure: messages.Public, Float32: true}, []byte{6, 0, 0, 0, 0}},
	}
	for _, test := range tests {
		if got := messages.Write(nil, test.vector); !bytes.Equal(got, test.want) {
			t.Errorf("%+v: % x, want % x", test.vector, got, test.want)
		}
	}
}

func TestVectorRefuses(t *testing.T) {
	body := func(kind byte, announced uint32, bytes int) []byte {
		return append(binary.LittleEndian.AppendUint32([]byte{kind}, announced), make([]byte, bytes)...)
	}
	tests := []struct {
		name string
		src  []byte
		want string
	}{
		{"nothing", nil, "kind: malformed state: 1 bytes wanted, 0 left"},
		{"half a header", []byte{1, 0, 0, 0}, "values: malformed state: 4 bytes wanted, 3 left"},
		{"kind 0", body(0, 0, 0), "malformed state: kind 0 is no vector"},
		{"unknown kind", body(10, 0, 0), "malformed state: kind 10 is no vector"},
		{"a form that is none", append(body(7, 5, 0), 9, 0, 0, 0, 0), "encoded: malformed state: malformed compressed vector: unknown form 9"},
		{"reduced entries of what is not encoded", body(0x81, 0, 8), "malformed state: kind 129 is no vector"},
		{"half a form", append(body(8, 6, 0), 2, 0, 0, 0, 0), "encoded: malformed state: 6 entries announced, 5 bytes left"},
		{"an entry of float32 that is infinite", append(body(5, 1, 0), 0, 0, 0x80, 0x7f), "malformed state: entry 1 is +Inf"},
		{"no entries", body(1, 1, 0), "values: malformed state: 1 entries announced, 0 bytes left"},
		{"half an entry", body(2, 2, 15), "values: malformed state: 2 entries announced, 15 bytes left"},
		// 8 * 2^29 is 2^32: a 32-bit product would wrap to 0 and accept it.
		{"length that wraps", body(2, 1<<29, 8), "values: malformed state: 536870912 entries announced, 8 bytes left"},
		{"longest length", body(1, math.MaxUint32, 64), "values: malformed state: 4294967295 entries announced, 64 bytes left"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if err := messages.Read(test.src, new(messages.Vector)); err == nil || err.Error() != test.want {
				t.Fatalf("error %v, want %q", err, test.want)
			}
		})
	}
}

// Every strict prefix of a wire form is refused: nothing is read beyond the
// end, and no shorter vector is made up.
func TestVectorRefusesEveryPrefix(t *testing.T) {
	wire := messages.Write(nil, &messages.Vector{Values: []float64{1, 2, 3}})
	for n := range wire {
		var v messages.Vector
		if messages.Read(wire[:n:n], &v) == nil {
			t.Errorf("the first %d of %d bytes decode to %+v", n, len(wire), v)
		}
	}
}

// Narrow rounds to the nearest number of float32, and an infinite one is an error.
func TestNarrow(t *testing.T) {
	data := []float64{0.1, 1e-50, 16777217, -math.MaxFloat32}
	v := &messages.Vector{Finite: true, Values: data}
	if err := v.Narrow(); err != nil || v.WireSize() != 5+4*4 {
		t.Errorf("%v, and %d bytes on the wire", err, v.WireSize())
	}
	if want := []float64{0.10000000149011612, 0, 16777216, -math.MaxFloat32}; fmt.Sprint(v.Values) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", v.Values, want)
	}
	if data[0] != 0.1 {
		t.Error("what is somebody else's has changed")
	}
	v = &messages.Vector{Values: []float64{1, -3.5e38}}
	if err := v.Narrow(); err == nil || err.Error() != "entry 2 of the sent vector is -3.5e+38, beyond the largest number of float32" {
		t.Error(err)
	}
}

func FuzzVector(f *testing.F) {
	for _, v := range []*messages.Vector{{}, {Exposure: messages.Released, Values: []float64{1}}, {Values: []float64{math.NaN(), math.Inf(-1), 0}}} {
		wire := messages.Write(nil, v)
		f.Add(wire)
		f.Add(wire[:len(wire)-1])
		f.Add(append(wire, 7))
	}
	f.Add(messages.Write(nil, reduced(f)))
	f.Fuzz(func(t *testing.T, src []byte) {
		var v messages.Vector
		if messages.Read(src, &v) != nil {
			return
		}
		if v.WireSize()+aside(&v) != len(src) {
			t.Fatalf("%d bytes gave a vector of %d", len(src), v.WireSize())
		}
		// The wire form is canonical: only one byte string decodes to v.
		if wire := messages.Write(nil, &v); !bytes.Equal(wire, src) {
			t.Fatalf("% x encodes again to % x", src, wire)
		}
	})
}

// CheckFinite goes four entries at a time: every length up to two rounds and a
// rest, every position, and every kind of entry that is not finite.
func TestCheckFiniteNamesTheFirstEntry(t *testing.T) {
	for length := range 10 {
		// Numbers so large that their sum, unlike themselves, is infinite.
		fresh := func() []float64 {
			x := make([]float64, length)
			for i := range x {
				x[i] = math.MaxFloat64
			}
			return x
		}
		if err := (&messages.Vector{Values: fresh()}).CheckFinite(); err != nil {
			t.Errorf("length %d, all finite: %v", length, err)
		}
		for at := range length {
			for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				x := fresh()
				x[at] = bad
				want := fmt.Sprintf("entry %d of the sent vector is %v", at+1, bad)
				if err := (&messages.Vector{Values: x}).CheckFinite(); err == nil || err.Error() != want {
					t.Errorf("length %d: error %v, want %q", length, err, want)
				}
				x[length-1] = -bad // a second one, which may cancel the first
				if err := (&messages.Vector{Values: x}).CheckFinite(); err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("entry %d ", at+1)) {
					t.Errorf("length %d, two entries: error %v, want entry %d", length, err, at+1)
				}
			}
		}
	}
}

func TestCheckFiniteAgreesWithOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawVector(t)
		first := 0
		for i, x := range v.Values {
			if first == 0 && (math.IsNaN(x) || math.IsInf(x, 0)) {
				first = i + 1
			}
		}
		err := v.CheckFinite()
		switch {
		case first == 0 && err != nil:
			t.Fatalf("all entries of %v are finite: %v", v.Values, err)
		case first != 0 && (err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("entry %d ", first))):
			t.Fatalf("error %v for %v, want entry %d", err, v.Values, first)
		}
	})
}

func TestCheckFiniteAllocatesNothing(t *testing.T) {
	v := &messages.Vector{Values: make([]float64, 103)}
	if n := testing.AllocsPerRun(100, func() {
		if v.CheckFinite() != nil {
			t.Fatal("zeros are finite")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Kind values travel on the wire and their names stand in ledgers.
func TestKindsAreFixed(t *testing.T) {
	tests := []struct {
		kind  messages.Kind
		value uint8
		name  string
	}{
		{(&messages.Vector{Exposure: messages.Released}).Kind(), 1, "released-vector"},
		{(&messages.Vector{}).Kind(), 2, "raw-vector"},
		{(&messages.Vector{Exposure: messages.Public}).Kind(), 3, "public-vector"},
		{messages.Kind(0), 0, "unknown"},
	}
	for _, test := range tests {
		if uint8(test.kind) != test.value || test.kind.String() != test.name {
			t.Errorf("kind %d %q, want %d %q", test.kind, test.kind, test.value, test.name)
		}
	}
}

var _ messages.Payload = (*messages.Vector)(nil)

// A vector that is compressed is what its receivers decode, takes its bytes, and is not
// compressed or rounded again. What is lent is not touched.
func TestCompress(t *testing.T) {
	lent := []float64{0.1, -7, 2, 0}
	v := &messages.Vector{Finite: true, Values: lent}
	w := &compression.Work{}
	for range 2 {
		if err := v.Compress(compression.TopK{Share: 0.5}, w); err != nil {
			t.Fatal(err)
		}
		if err := v.Narrow(); err != nil || !slices.Equal(v.Values, []float64{0, -7, 2, 0}) {
			t.Fatalf("%v, %v", v.Values, err)
		}
	}
	if size := 5 + 5 + 4 + 1 + 2*8; v.WireSize() != size || len(messages.Write(nil, v)) != size {
		t.Errorf("%d bytes, %d on the wire, want %d", v.WireSize(), len(messages.Write(nil, v)), size)
	}
	if lent[0] != 0.1 || v.Kind() != messages.KindRawEncoded {
		t.Errorf("%v, %v", lent, v.Kind())
	}
}

// What a vector was is kept where it is asked for, and forgotten with the form.
func TestPlain(t *testing.T) {
	v := &messages.Vector{Values: []float64{1, -7}}
	if err := v.Compress(compression.Sign{}, &compression.Work{Keep: true}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(v.Plain(), []float64{1, -7}) || !slices.Equal(v.Values, []float64{4, -4}) {
		t.Errorf("%v of %v", v.Values, v.Plain())
	}
	v.Encoded.Clear()
	if !slices.Equal(v.Plain(), []float64{4, -4}) || v.Kind() != messages.KindRawVector {
		t.Errorf("%v of kind %v", v.Plain(), v.Kind())
	}
}

// reduced is a vector of whole numbers of 4 bits, of which two were reduced modulo 16.
func reduced(t testing.TB) *messages.Vector {
	v := &messages.Vector{Exposure: messages.Released, Values: []float64{-8, 3, 7}}
	v.Reduces([]messages.Reduced{{Entry: 0, Times: 1}, {Entry: 2, Times: -2}})
	if err := v.Compress(compression.Whole{Bits: 4}, &compression.Work{}); err != nil {
		t.Fatal(err)
	}
	return v
}

// What was reduced before it was encoded goes on with a vector to another process, is in no
// size of a message and no entry, and is forgotten with the form.
func TestReduced(t *testing.T) {
	v, plain := reduced(t), reduced(t)
	plain.Encoded.Reduced = nil
	if v.WireSize() != plain.WireSize() || v.Kind() != plain.Kind() || !slices.Equal(v.Values, []float64{-8, 3, 7}) {
		t.Errorf("%d bytes, kind %v, %v", v.WireSize(), v.Kind(), v.Values)
	}
	wire := messages.Write(nil, v)
	if want := v.WireSize() + aside(v); len(wire) != want || len(messages.Write(nil, plain)) != plain.WireSize() {
		t.Errorf("%d bytes in a state, want %d", len(wire), want)
	}
	var got messages.Vector
	if err := messages.Read(wire, &got); err != nil || !reflect.DeepEqual(got.Encoded.Reduced, v.Encoded.Reduced) || !slices.Equal(got.Values, v.Values) {
		t.Fatalf("%+v of %+v: %v", got.Encoded, v.Encoded, err)
	}
	times := []float64{1, 1, 1}
	if got.AddReduced(times); !slices.Equal(times, []float64{2, 1, -1}) {
		t.Errorf("%v", times)
	}
	for n := range wire {
		if messages.Read(wire[:n:n], new(messages.Vector)) == nil {
			t.Errorf("the first %d of %d bytes are a vector", n, len(wire))
		}
	}
	for text, list := range map[string][]messages.Reduced{
		"malformed state: entry 2 of 3 is reduced after 2":   {{Entry: 2, Times: 1}, {Entry: 2, Times: 1}},
		"malformed state: entry 3 of 3 is reduced after -1":  {{Entry: 3, Times: 1}},
		"malformed state: entry -1 of 3 is reduced after -1": {{Entry: -1, Times: 1}},
		"malformed state: an entry is reduced 0 times":       {{}},
		"malformed state: an entry is reduced 0.5 times":     {{Times: 0.5}},
		"malformed state: an entry is reduced +Inf times":    {{Times: math.Inf(1)}},
		"malformed state: an entry is reduced NaN times":     {{Times: math.NaN()}},
	} {
		v.Encoded.Reduced = list
		if err := messages.Read(messages.Write(nil, v), new(messages.Vector)); err == nil || !strings.HasSuffix(err.Error(), text) {
			t.Errorf("%v: %v, want %q", list, err, text)
		}
	}
	wire = append(messages.Write(nil, plain), make([]byte, 8)...)
	wire[0] |= 0x80
	if err := messages.Read(wire, new(messages.Vector)); err == nil || !strings.HasSuffix(err.Error(), "no entry is reduced") {
		t.Errorf("%v", err)
	}
	v.Encoded.Clear()
	if v.AddReduced(times); !slices.Equal(times, []float64{2, 1, -1}) {
		t.Errorf("%v", times)
	}
}
