package checkpoint

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// journalSuffix is what the names of all journals of a store end in: one that has taken in
// those of others has several.
const journalSuffix = ".journal"

// Records are those of the journals of a store, for reading: where each is. What is not
// whole at the end of a journal, because a process was killed or is still writing, is left
// out. They are safe for concurrent use while nobody closes them.
type Records struct {
	// places has by job where its record is; it is looked up and never iterated.
	places map[Key]place
	files  []*os.File
	// ends has by path how many bytes of a journal are records, and cuts says of which journals
	// the last record is not whole.
	ends map[string]int64
	cuts []string
}

// place is where in a journal the record of a job is.
type place struct {
	journal *os.File
	key     Key
	// offset is that of the header, and length that of the body after it.
	offset int64
	length int
}

// headerSize is that of the header of a record: key, length of the body, CRC-32C of these,
// and CRC-32C of the body. The first byte of a body says how the rest is kept.
const headerSize = len(Key{}) + 3*4

// How bodies are kept: as they are, where compression gains less than a sixteenth, as of
// numbers and of what is compressed already, or compressed (zstd).
const (
	asIs       = 0
	compressed = 1
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// OpenRecords finds the records of a store. Bodies are checked when they are read.
func OpenRecords(dir string) (*Records, error) {
	r := &Records{places: map[Key]place{}, ends: map[string]int64{}}
	journals, err := filepath.Glob(filepath.Join(quoted(dir), "*"+journalSuffix))
	if err != nil {
		return nil, err
	}
	slices.Sort(journals)
	for _, path := range journals {
		if err := r.add(path); err != nil {
			r.Close()
			return nil, err
		}
	}
	return r, nil
}

// window is how many bytes are read at a time to find records: several of small jobs, and
// little beside large ones.
const window = 1 << 13

// add finds the records of a journal.
func (r *Records) add(path string) error {
	if err := regular(path); err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	r.files = append(r.files, file)
	info, err := file.Stat()
	if err != nil {
		return err
	}
	at := int64(0)
	var buffer [window]byte
	var read []byte // what of the buffer is from at on
	for info.Size()-at >= int64(headerSize) {
		if len(read) < headerSize {
			n, err := file.ReadAt(buffer[:], at)
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			if read = buffer[:n]; n < headerSize {
				return fmt.Errorf("%s was cut short at byte %d while it was read", path, at)
			}
		}
		key, length, ok := parse(read)
		if !ok {
			return fmt.Errorf("%s is damaged at byte %d: its checksum is another", path, at)
		}
		if info.Size()-at-int64(headerSize) < int64(length) {
			break
		}
		r.places[key] = place{file, key, at, length}
		at += int64(headerSize + length)
		read = read[min(headerSize+length, len(read)):]
	}
	r.ends[path] = at
	if left := info.Size() - at; left > 0 {
		r.cuts = append(r.cuts, fmt.Sprintf("%s is cut short: of its last record, which begins at byte %d, there are %d bytes", path, at, left))
	}
	return nil
}

// parse reads a header, and tells whether it fits its checksum.
func parse(header []byte) (key Key, length int, ok bool) {
	n := copy(key[:], header)
	length = int(binary.LittleEndian.Uint32(header[n:]))
	return key, length, crc32.Checksum(header[:n+4], castagnoli) == binary.LittleEndian.Uint32(header[n+4:])
}

// pack is the record of a job.
func pack(key Key, body []byte) []byte {
	text := make([]byte, headerSize+1, headerSize+1+len(body)/2)
	text[headerSize] = compressed
	text = encoder().EncodeAll(body, text)
	if len(text)-headerSize > len(body)-len(body)/16 {
		text[headerSize] = asIs
		text = append(text[:headerSize+1], body...)
	}
	n := copy(text, key[:])
	binary.LittleEndian.PutUint32(text[n:], uint32(len(text)-headerSize))
	binary.LittleEndian.PutUint32(text[n+4:], crc32.Checksum(text[:n+4], castagnoli))
	binary.LittleEndian.PutUint32(text[n+8:], crc32.Checksum(text[headerSize:], castagnoli))
	return text
}

// Both have no state that outlives a call.
var (
	encoder = sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest))
		if err != nil {
			panic(err) // of options that are fixed here
		}
		return e
	})
	decoder = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0))
		if err != nil {
			panic(err)
		}
		return d
	})
)

// read returns the record as it is in the journal, in the memory of buffer if that is enough.
func (p *place) read(buffer []byte) ([]byte, error) {
	text := slices.Grow(buffer[:0], headerSize+p.length)[:headerSize+p.length]
	if _, err := p.journal.ReadAt(text, p.offset); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	key, length, ok := parse(text)
	if !ok || key != p.key || length != p.length || crc32.Checksum(text[headerSize:], castagnoli) != binary.LittleEndian.Uint32(text[headerSize-4:]) {
		return nil, p.damaged("its checksum is another")
	}
	return text, nil
}

// memory is where a body is read: the record, and what is decompressed of it.
type memory struct{ text, body []byte }

// spare has memory that bodies were read into.
var spare = sync.Pool{New: func() any { return new(memory) }}

// body returns what the job left, in the memory of m, which grows if need be.
func (p *place) body(m *memory) (body []byte, err error) {
	if m.text, err = p.read(m.text); err != nil {
		return nil, err
	}
	if p.length == 0 {
		return nil, p.damaged("the record is empty")
	}
	switch how, rest := m.text[headerSize], m.text[headerSize+1:]; how {
	case asIs:
		return rest, nil
	case compressed:
		if m.body, err = decoder().DecodeAll(rest, m.body[:0]); err != nil {
			return nil, p.damaged(err.Error())
		}
		return m.body, nil
	default:
		return nil, p.damaged(fmt.Sprintf("the record is kept in way %d, which this program does not know", how))
	}
}

func (p *place) damaged(how string) error {
	return fmt.Errorf("%s is damaged at byte %d: %s", p.journal.Name(), p.offset, how)
}

// Cuts says, a sentence each, which journals end in a record that is not whole: its job has none.
func (r *Records) Cuts() []string { return r.cuts }

// Len is the number of jobs.
func (r *Records) Len() int { return len(r.places) }

// Has tells whether there is a record of a job.
func (r *Records) Has(key Key) bool {
	_, ok := r.places[key]
	return ok
}

// Body returns what a job left, and whether there is a record of it.
func (r *Records) Body(key Key) (body []byte, ok bool, err error) {
	place, ok := r.places[key]
	if !ok {
		return nil, false, nil
	}
	body, err = place.body(new(memory))
	return body, err == nil, err
}

// Visit calls visit with what a job left, which is valid during the call, and tells whether
// there is a record of it.
func (r *Records) Visit(key Key, visit func(body []byte) error) (ok bool, err error) {
	place, ok := r.places[key]
	if !ok {
		return false, nil
	}
	m := spare.Get().(*memory)
	defer spare.Put(m)
	body, err := place.body(m)
	if err != nil {
		return true, err
	}
	return true, visit(body)
}

// Size is how many bytes the record of a job has in its journal; 0 where there is none.
func (r *Records) Size(key Key) int {
	place, ok := r.places[key]
	if !ok {
		return 0
	}
	return headerSize + place.length
}

// Close lets go of the journals.
func (r *Records) Close() error {
	var errs []error
	for _, file := range r.files {
		errs = append(errs, file.Close())
	}
	r.files = nil
	return errors.Join(errs...)
}

// quoted makes a path one that matches itself only.
func quoted(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
