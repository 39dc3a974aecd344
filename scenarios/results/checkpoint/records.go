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

// journalSuffix is the end of the names of all journals of a store: a store that has taken in
// the journals of others has several.
const journalSuffix = ".journal"

// Records are the records in the journals of a store, for reading: their places. A record at
// the end of a journal that is not whole, because a process was killed or is still writing, is
// left out. Records are safe for concurrent use until they are closed.
type Records struct {
	// places maps a job to the place of its record; it is looked up and never iterated.
	places map[Key]place
	files  []*os.File
	// ends maps the path of a journal to the number of its bytes that are records. cuts names
	// the journals that end in a record that is not whole.
	ends map[string]int64
	cuts []string
}

// place is the place of a job's record: the journal and the position in it.
type place struct {
	journal *os.File
	key     Key
	// offset is the offset of the header, and length the length of the body after it.
	offset int64
	length int
}

// headerSize is the size of the header of a record: key, length of the body, CRC-32C of these,
// and CRC-32C of the body. The first byte of a body names the form of the rest.
const headerSize = len(Key{}) + 3*4

// The forms of bodies: as they are, where compression gains less than a sixteenth, as with
// numbers and with data that are compressed already; or compressed (zstd).
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

// window is the number of bytes that are read at a time to find records: several of small
// jobs, and little beside large ones.
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
	var read []byte // the part of the buffer from at on
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

// parse reads a header, and reports whether it fits its checksum.
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

// memory holds the buffers for reading a body: the record, and the decompressed body.
type memory struct{ text, body []byte }

// spare has memory that bodies were read into.
var spare = sync.Pool{New: func() any { return new(memory) }}

// body returns the body that the job left, in the memory of m, which grows if need be.
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

// Cuts names, a sentence each, the journals that end in a record that is not whole: its job
// has none.
func (r *Records) Cuts() []string { return r.cuts }

// Len is the number of jobs.
func (r *Records) Len() int { return len(r.places) }

// Has reports whether there is a record of a job.
func (r *Records) Has(key Key) bool {
	_, ok := r.places[key]
	return ok
}

// Body returns the body that a job left. ok is false if there is no record of the job.
func (r *Records) Body(key Key) (body []byte, ok bool, err error) {
	place, ok := r.places[key]
	if !ok {
		return nil, false, nil
	}
	body, err = place.body(new(memory))
	return body, err == nil, err
}

// Visit calls visit with the body that a job left, which is valid during the call, and reports
// whether there is a record of the job.
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

// Size is the number of bytes of a job's record in its journal; 0 where there is none.
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
