package pyproblem

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"

	"starling/scenarios/problem/model/safetensors"
)

// Array is a named array of float64.
type Array = safetensors.Tensor

// Limits of frames. host.py has the same.
const (
	mostFrame  = 1 << 30 // bytes
	leastFrame = 8       // bytes, of the length of a header
	mostArrays = 1000    // of a reply
	prefixSize = 8       // bytes, of the length of a frame
)

// frameError is a frame that breaks the protocol.
type frameError struct{ cause error }

// Error implements error.
func (e *frameError) Error() string { return fmt.Sprintf("it broke the protocol: %v", e.cause) }

// Unwrap returns the cause.
func (e *frameError) Unwrap() error { return e.cause }

// blockSize is the number of bytes of a frame that are buffered at a time: so many stay in the
// cache of a core, and no frame needs memory of its own.
const blockSize = 1 << 16

// writeFrame writes a frame. Its numbers go to shared memory where they fit; the text "memory"
// gives the child the length of that memory. The error is a *requestError before the first
// byte.
func writeFrame(out *bufio.Writer, f *safetensors.File, shared *memory) error {
	numbers := f.Size()
	if numbers > mostFrame {
		return &requestError{fmt.Errorf("a request of %d bytes; want at most %d", numbers, mostFrame)}
	}
	length := shared.reserve(numbers)
	if length > 0 {
		f.Metadata["memory"] = strconv.Itoa(length)
	}
	header, err := f.Header()
	if err != nil {
		return &requestError{err}
	}
	size := uint64(len(header) + numbers)
	if size > mostFrame {
		return &requestError{fmt.Errorf("a request of %d bytes; want at most %d", size, mostFrame)}
	}
	fits := length > 0 && numbers <= length
	if fits {
		if err := shared.put(f); err != nil {
			return err
		}
		size |= elsewhere
	}
	if _, err := out.Write(append(binary.LittleEndian.AppendUint64(nil, size), header...)); err != nil {
		return err
	}
	if !fits {
		if err := f.WriteValues(out); err != nil {
			return err
		}
	}
	return out.Flush()
}

// requestError is a request that cannot be sent.
type requestError struct{ cause error }

// Error implements error.
func (e *requestError) Error() string { return e.cause.Error() }

// Unwrap returns the cause.
func (e *requestError) Unwrap() error { return e.cause }

// readFrame reads a frame. Its numbers may be in shared memory. into returns memory for them,
// as for safetensors.ReadFrom. The error is io.EOF where the stream ends before the frame,
// io.ErrUnexpectedEOF where it ends in it, a *frameError, or an error of the stream.
func readFrame(in *bufio.Reader, into func(name string, count int) []float64, shared *memory) (f *safetensors.File, err error) {
	var prefix [prefixSize]byte
	if _, err := io.ReadFull(in, prefix[:]); err != nil {
		return nil, err
	}
	size := binary.LittleEndian.Uint64(prefix[:])
	there := shared != nil && size&elsewhere != 0
	if there {
		size &^= elsewhere
	}
	if size < leastFrame || size > mostFrame {
		return nil, &frameError{fmt.Errorf("a frame of %d bytes; want %d to %d", size, leastFrame, mostFrame)}
	}
	if there {
		f, err = shared.take(in, int(size), into)
	} else {
		shared.want(int(size))
		f, err = safetensors.ReadFrom(in, "frame", int(size), into)
	}
	var damage *safetensors.FormatError
	switch {
	case errors.As(err, &damage):
		return nil, &frameError{err}
	case err != nil:
		return nil, err
	case len(f.Tensors) > mostArrays:
		return nil, &frameError{fmt.Errorf("%d arrays; want at most %d", len(f.Tensors), mostArrays)}
	}
	return f, nil
}
