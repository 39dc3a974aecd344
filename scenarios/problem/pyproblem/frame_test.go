package pyproblem

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"starling/scenarios/problem/model/safetensors"
)

// frame is one of an array and a text.
func frame(t testing.TB) []byte {
	return written(t, &safetensors.File{Metadata: map[string]string{"k": "v"}, Tensors: []Array{{Name: "a", Shape: []int{2}, Values: []float64{1, 2}}}})
}

// written are the bytes of a frame.
func written(t testing.TB, f *safetensors.File) []byte {
	var b bytes.Buffer
	if err := writeFrame(bufio.NewWriter(&b), f, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// reading reads from a stream as children are read.
func reading(in io.Reader) *bufio.Reader { return bufio.NewReaderSize(in, blockSize) }

// However a frame comes in, it is the same, and the next one begins behind it.
func TestFrames(t *testing.T) {
	two := append(frame(t), frame(t)...)
	for name, in := range map[string]io.Reader{"whole": bytes.NewReader(two), "bytes": iotest.OneByteReader(bytes.NewReader(two)), "late": iotest.DataErrReader(bytes.NewReader(two))} {
		from := reading(in)
		for range 2 {
			f, err := readFrame(from, nil, nil)
			if err != nil || f.Metadata["k"] != "v" || f.Tensors[0].Values[1] != 2 {
				t.Fatalf("%s: %v, %v", name, f, err)
			}
		}
		if _, err := readFrame(from, nil, nil); err != io.EOF {
			t.Errorf("%s: the end is %v", name, err)
		}
	}
}

func TestFrameRefuses(t *testing.T) {
	whole := frame(t)
	for n := 1; n < len(whole); n++ {
		if _, err := readFrame(reading(bytes.NewReader(whole[:n])), nil, nil); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d bytes of %d: %v", n, len(whole), err)
		}
	}
	for size, want := range map[uint64]string{3: "a frame of 3 bytes", 1 << 40: "a frame of 1099511627776 bytes"} {
		if _, err := readFrame(reading(bytes.NewReader(binary.LittleEndian.AppendUint64(nil, size))), nil, nil); err == nil || !strings.Contains(err.Error(), "it broke the protocol: "+want) {
			t.Errorf("%d: %v", size, err)
		}
	}
	// A length that is not true takes memory in steps only.
	header := `{"a":{"dtype":"F64","shape":[100000000],"data_offsets":[0,800000000]}}`
	text := binary.LittleEndian.AppendUint64(nil, 8+72+800000000)
	text = append(binary.LittleEndian.AppendUint64(text, 72), fmt.Sprintf("%-72s", header)...)
	allocated := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			if _, err := readFrame(reading(bytes.NewReader(text)), nil, nil); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Error(err)
			}
		}
	}).AllocedBytesPerOp()
	if allocated > 1<<25 {
		t.Errorf("%d bytes taken of 800 MB that do not come", allocated)
	}
	large := make([]float64, 5<<20) // more than a step
	large[len(large)-1] = 7
	whole = written(t, &safetensors.File{Tensors: []Array{{Name: "a", Shape: []int{len(large)}, Values: large}}})
	if f, err := readFrame(reading(bytes.NewReader(whole)), nil, nil); err != nil || f.Tensors[0].Values[len(large)-1] != 7 {
		t.Errorf("a large frame: %v", err)
	}
	// What has memory of the caller's comes there.
	place := make([]float64, len(large))
	f, err := readFrame(reading(bytes.NewReader(whole)), func(string, int) []float64 { return place }, nil)
	if err != nil || &f.Tensors[0].Values[0] != &place[0] || place[len(place)-1] != 7 {
		t.Errorf("a frame read to memory that was there: %v", err)
	}
}

// Whatever a child writes, reading it neither panics nor takes memory that is not there.
func FuzzFrame(f *testing.F) {
	f.Add(frame(f))
	f.Add([]byte("Hello, this is a line that Python has printed\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		in := reading(bytes.NewReader(data))
		for {
			file, err := readFrame(in, nil, nil)
			if err != nil {
				return
			}
			size := 0
			for _, a := range file.Tensors {
				size += 8 * cap(a.Values)
			}
			if len(file.Tensors) > mostArrays || size > 2*len(data)+1<<24 {
				t.Fatalf("%d arrays, %d bytes", len(file.Tensors), size)
			}
			written(t, file) // what can be read can be sent
		}
	})
}

// A frame whose numbers are elsewhere is refused where it says more than there is, and where no
// memory is shared.
func TestFrameElsewhere(t *testing.T) {
	header := fmt.Sprintf("%-72s", `{"a":{"dtype":"F64","shape":[2],"data_offsets":[0,16]}}`)
	said := func(size, length uint64) *bufio.Reader {
		text := binary.LittleEndian.AppendUint64(nil, size|elsewhere)
		return reading(strings.NewReader(string(binary.LittleEndian.AppendUint64(text, length)) + header))
	}
	shared := &memory{bytes: make([]byte, 16), reader: reading(nil)}
	shared.bytes[15] = 0x40 // 2
	f, err := readFrame(said(8+72+16, 72), nil, shared)
	if err != nil || f.Tensors[0].Values[1] != 2 || f.Tensors[0].Values[0] != 0 {
		t.Fatal(f, err)
	}
	for name, c := range map[string]struct {
		size, length uint64
		shared       *memory
	}{
		"no memory":          {8 + 72 + 16, 72, nil},
		"more than there is": {8 + 72 + 24, 72, shared},
		"more than it says":  {8 + 72 + 8, 72, shared},
		"a long header":      {8 + 72 + 16, 1 << 62, shared},
		"too long":           {1 << 40, 72, shared},
		"too short":          {7, 72, shared},
	} {
		var broken *frameError
		if _, err := readFrame(said(c.size, c.length), nil, c.shared); !errors.As(err, &broken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
