package external

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"starling/scenarios/problem/model/safetensors"
)

// Array is a named array of float64.
type Array = safetensors.Tensor

// Limits of frames. Those of host.py are the same.
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

// blockSize is how many bytes of a frame are on their way at once: so many stay in the cache
// of a core, and no frame has memory for itself.
const blockSize = 1 << 16

// writeFrame writes a frame. The error is a *requestError before the first byte.
func writeFrame(out *bufio.Writer, f *safetensors.File) error {
	header, err := f.Header()
	if err != nil {
		return &requestError{err}
	}
	size := len(header) + f.Size()
	if size > mostFrame {
		return &requestError{fmt.Errorf("a request of %d bytes; want at most %d", size, mostFrame)}
	}
	if _, err := out.Write(append(binary.LittleEndian.AppendUint64(nil, uint64(size)), header...)); err != nil {
		return err
	}
	if err := f.WriteValues(out); err != nil {
		return err
	}
	return out.Flush()
}

// requestError is a request that cannot be sent.
type requestError struct{ cause error }

// Error implements error.
func (e *requestError) Error() string { return e.cause.Error() }

// Unwrap returns the cause.
func (e *requestError) Unwrap() error { return e.cause }

// readFrame reads a frame, whose numbers go where into says, as of safetensors.ReadFrom. The
// error is io.EOF where the stream ends before it, io.ErrUnexpectedEOF where it ends in it, a
// *frameError, or that of the stream.
func readFrame(in *bufio.Reader, into func(name string, count int) []float64) (*safetensors.File, error) {
	var prefix [prefixSize]byte
	if _, err := io.ReadFull(in, prefix[:]); err != nil {
		return nil, err
	}
	size := binary.LittleEndian.Uint64(prefix[:])
	if size < leastFrame || size > mostFrame {
		return nil, &frameError{fmt.Errorf("a frame of %d bytes; want %d to %d", size, leastFrame, mostFrame)}
	}
	f, err := safetensors.ReadFrom(in, "frame", int(size), into)
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
