package external

import (
	"bytes"
	"encoding/binary"
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

// appendFrame writes a frame to an empty buffer.
func appendFrame(b *bytes.Buffer, f *safetensors.File) error {
	b.Write(make([]byte, prefixSize))
	if err := safetensors.Write(b, f); err != nil {
		return err
	}
	size := b.Len() - prefixSize
	if size > mostFrame {
		return fmt.Errorf("a request of %d bytes; want at most %d", size, mostFrame)
	}
	binary.LittleEndian.PutUint64(b.Bytes(), uint64(size))
	return nil
}

// readFrame reads a frame. It takes memory for as many bytes as there are: buffer is grown
// as they come in, and returned to be used again. The error is io.EOF or
// io.ErrUnexpectedEOF where the stream ends, a *frameError, or that of the stream.
func readFrame(in io.Reader, buffer []byte) (f *safetensors.File, grown []byte, err error) {
	var prefix [prefixSize]byte
	if _, err := io.ReadFull(in, prefix[:]); err != nil {
		return nil, buffer, err
	}
	size := binary.LittleEndian.Uint64(prefix[:])
	if size < leastFrame || size > mostFrame {
		return nil, buffer, &frameError{fmt.Errorf("a frame of %d bytes; want %d to %d", size, leastFrame, mostFrame)}
	}
	if buffer, err = fill(in, buffer, int(size)); err != nil {
		return nil, buffer, err
	}
	if f, err = safetensors.Read("frame", buffer); err != nil {
		return nil, buffer, &frameError{err}
	}
	if len(f.Tensors) > mostArrays {
		return nil, buffer, &frameError{fmt.Errorf("%d arrays; want at most %d", len(f.Tensors), mostArrays)}
	}
	return f, buffer, nil
}

// fill reads so many bytes, in steps, so that a length that is not true costs no memory.
func fill(in io.Reader, buffer []byte, size int) ([]byte, error) {
	const step = 1 << 24
	buffer = buffer[:0]
	for len(buffer) < size {
		from := len(buffer)
		end := min(size, max(from+step, cap(buffer)))
		if end > cap(buffer) {
			larger := make([]byte, from, min(size, max(end, 2*from)))
			copy(larger, buffer)
			buffer = larger
		}
		n, err := io.ReadFull(in, buffer[from:end])
		if buffer = buffer[:from+n]; err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return buffer, err
		}
	}
	return buffer, nil
}
