package pyproblem

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"sync"

	"starling/scenarios/problem/model/safetensors"
)

// memory is shared by a child and this process. It has the numbers of one frame at a time. The
// numbers are copied twice and wake no process; a pipe copies them four times, and the
// processes wait for each other at every block. nil means no shared memory. It is a matter of
// speed: where the system refuses to make it larger, numbers go through the pipes.
type memory struct {
	file *os.File // the child's descriptor 3
	// mu is held while bytes are in use: the process may be killed by any goroutine.
	mu    sync.Mutex
	bytes []byte
	// wanted is the length of a frame that was too long and came through the pipe.
	wanted int
	closed bool
	writer *bufio.Writer
	reader *bufio.Reader
}

// Limits of shared memory, in bytes. Frames shorter than leastShared do not create it. Its
// length is a power of two.
const (
	leastShared = 1 << 15
	firstMemory = 1 << 20
)

// elsewhere marks the length of a frame with its numbers in the shared memory, from the
// memory's first byte. The length counts the numbers as if they followed.
const elsewhere = 1 << 63

// newMemory returns memory without bytes.
func newMemory() *memory {
	file, err := openMemory()
	if err != nil {
		return nil
	}
	return &memory{file: file, writer: bufio.NewWriterSize(nil, blockSize), reader: bufio.NewReaderSize(nil, blockSize)}
}

// reserve makes room for the numbers of a request, size bytes, and for the numbers of the
// frame that did not fit before. It returns the number of bytes of the memory.
func (m *memory) reserve(size int) int {
	if m == nil {
		return 0
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if size = max(size, m.wanted); size < leastShared || size <= len(m.bytes) || m.closed {
		return len(m.bytes)
	}
	length := firstMemory
	for length < size {
		length *= 2
	}
	m.wanted = 0 // once is enough where the system refuses
	if longer, err := mapMemory(m.file, length); err == nil {
		unmapMemory(m.bytes)
		m.bytes = longer
	}
	return len(m.bytes)
}

// want notes the size of a frame that was too long.
func (m *memory) want(size int) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if size > len(m.bytes) {
		m.wanted = size
	}
}

// span is memory that is written from its beginning.
type span struct{ rest []byte }

// Write implements io.Writer.
func (s *span) Write(data []byte) (int, error) {
	n := copy(s.rest, data)
	if s.rest = s.rest[n:]; n < len(data) {
		return n, io.ErrShortWrite
	}
	return n, nil
}

// put writes the numbers of a request, for which there is room.
func (m *memory) put(f *safetensors.File) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return os.ErrClosed
	}
	m.writer.Reset(&span{m.bytes})
	if err := f.WriteValues(m.writer); err != nil {
		return err
	}
	return m.writer.Flush()
}

// take reads the rest of a frame with its numbers in the memory, like readFrame. size is the
// frame's length.
func (m *memory) take(in *bufio.Reader, size int, into func(name string, count int) []float64) (*safetensors.File, error) {
	var prefix [prefixSize]byte
	if _, err := io.ReadFull(in, prefix[:]); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	header, most := binary.LittleEndian.Uint64(prefix[:]), size-prefixSize
	if m.closed {
		return nil, os.ErrClosed
	}
	if header > uint64(most) || most-int(header) > len(m.bytes) {
		return nil, &frameError{fmt.Errorf("a header of %d bytes of %d, and %d bytes of shared memory", header, size, len(m.bytes))}
	}
	numbers := bytes.NewReader(m.bytes[:most-int(header)])
	m.reader.Reset(io.MultiReader(bytes.NewReader(prefix[:]), io.LimitReader(in, int64(header)), numbers))
	return safetensors.ReadFrom(m.reader, "frame", size, into)
}

// close frees the memory. The pipes are closed, so mu is not held for long.
func (m *memory) close() {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return
	}
	unmapMemory(m.bytes)
	m.bytes, m.closed = nil, true
	m.file.Close()
}
