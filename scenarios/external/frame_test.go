package external

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"starling/scenarios/problem/model/safetensors"
)

// frame is one of an array and a text.
func frame(t testing.TB) []byte {
	var b bytes.Buffer
	if err := appendFrame(&b, &safetensors.File{Metadata: map[string]string{"k": "v"}, Tensors: []Array{{Name: "a", Shape: []int{2}, Values: []float64{1, 2}}}}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// However a frame comes in, it is the same, and the next one begins behind it.
func TestFrames(t *testing.T) {
	two := append(frame(t), frame(t)...)
	for name, in := range map[string]io.Reader{"whole": bytes.NewReader(two), "bytes": iotest.OneByteReader(bytes.NewReader(two)), "late": iotest.DataErrReader(bytes.NewReader(two))} {
		var buffer []byte
		for range 2 {
			f, grown, err := readFrame(in, buffer)
			if err != nil || f.Metadata["k"] != "v" || f.Tensors[0].Values[1] != 2 {
				t.Fatalf("%s: %v, %v", name, f, err)
			}
			buffer = grown
		}
		if _, _, err := readFrame(in, buffer); err != io.EOF {
			t.Errorf("%s: the end is %v", name, err)
		}
	}
}

func TestFrameRefuses(t *testing.T) {
	whole := frame(t)
	for n := 1; n < len(whole); n++ {
		if _, _, err := readFrame(bytes.NewReader(whole[:n]), nil); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d bytes of %d: %v", n, len(whole), err)
		}
	}
	for size, want := range map[uint64]string{3: "a frame of 3 bytes", 1 << 40: "a frame of 1099511627776 bytes"} {
		if _, _, err := readFrame(bytes.NewReader(binary.LittleEndian.AppendUint64(nil, size)), nil); err == nil || !strings.Contains(err.Error(), "it broke the protocol: "+want) {
			t.Errorf("%d: %v", size, err)
		}
	}
	// A length that is not true takes memory in steps only.
	_, buffer, err := readFrame(bytes.NewReader(binary.LittleEndian.AppendUint64(nil, mostFrame)), nil)
	if !errors.Is(err, io.ErrUnexpectedEOF) || cap(buffer) > 1<<24 {
		t.Errorf("%v, with %d bytes taken", err, cap(buffer))
	}
	large := make([]float64, 5<<20) // more than a step
	large[len(large)-1] = 7
	var b bytes.Buffer
	if err := appendFrame(&b, &safetensors.File{Tensors: []Array{{Name: "a", Shape: []int{len(large)}, Values: large}}}); err != nil {
		t.Fatal(err)
	}
	if f, _, err := readFrame(&b, nil); err != nil || f.Tensors[0].Values[len(large)-1] != 7 {
		t.Errorf("a large frame: %v", err)
	}
}

// Whatever a child writes, reading it neither panics nor takes memory that is not there.
func FuzzFrame(f *testing.F) {
	f.Add(frame(f))
	f.Add([]byte("Hello, this is a line that Python has printed\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		in := bytes.NewReader(data)
		var buffer []byte
		for {
			file, grown, err := readFrame(in, buffer)
			if err != nil {
				return
			}
			if buffer = grown; len(file.Tensors) > mostArrays || cap(buffer) > len(data)+1<<24 {
				t.Fatalf("%d arrays, %d bytes", len(file.Tensors), cap(buffer))
			}
			// What can be read can be sent.
			var b bytes.Buffer
			if err := appendFrame(&b, file); err != nil {
				t.Fatal(err)
			}
		}
	})
}
