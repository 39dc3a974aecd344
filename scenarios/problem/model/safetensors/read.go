package safetensors

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// FormatError is damage in a file, or content that this package does not read.
type FormatError struct {
	// File is the name that was given to Read.
	File string
	// Offset is in bytes from the beginning of the file.
	Offset int64
	Err    error
}

// Error implements error.
func (e *FormatError) Error() string {
	return fmt.Sprintf("%s: byte %d: %v", e.File, e.Offset, e.Err)
}

// Unwrap returns the cause.
func (e *FormatError) Unwrap() error { return e.Err }

// Read reads the content of a file; name stands for it in errors, which are
// *FormatError. It is strict: names come once, there are no unknown fields, and the
// tensors cover all of the data without gaps, as the reference implementation
// demands too.
func Read(name string, data []byte) (*File, error) {
	return ReadFrom(bufio.NewReaderSize(bytes.NewReader(data), min(max(len(data), prefixSize), blockSize)), name, len(data), nil)
}

// ReadFrom is Read of the next size bytes of a stream. into, unless it is nil, gives memory
// for the values of a tensor, by its name and its number of values: a slice of that many
// numbers, or nil for new memory. A wrong size costs no memory: allocations exceed the numbers
// that have come in by at most a step. An error of the stream is returned as it is, io.EOF as
// io.ErrUnexpectedEOF; then, and after a *FormatError, the rest of the bytes is not read.
func ReadFrom(in *bufio.Reader, name string, size int, into func(name string, count int) []float64) (*File, error) {
	r := &reader{in: in, name: name, size: size, into: into}
	entries, err := r.header()
	if err == nil {
		err = r.tensors(entries)
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	return &r.file, nil
}

// reader is a file that is being read.
type reader struct {
	in *bufio.Reader
	// name stands for the file in errors.
	name string
	// size is the number of bytes of the file.
	size int
	into func(name string, count int) []float64
	// begin is the offset of the data of tensors.
	begin int
	// file has the content that was read.
	file File
	// json reads the header.
	json *json.Decoder
}

// entry is the entry of a tensor in the header.
type entry struct {
	name string
	// at is the place of the entry in the file, for errors.
	at    int64
	kind  string
	shape []int
	// begin and end are offsets in the data of tensors.
	begin, end int
}

func (r *reader) errorf(at int64, format string, args ...any) error {
	return &FormatError{File: r.name, Offset: at, Err: fmt.Errorf(format, args...)}
}

// header reads all before the data of tensors.
func (r *reader) header() (entries []entry, err error) {
	if r.size < prefixSize {
		return nil, r.errorf(int64(r.size), "the file ends inside the length of the header, %d bytes", prefixSize)
	}
	text, err := r.words()
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(text) {
		return nil, r.errorf(prefixSize, "the header is not UTF-8")
	}
	r.json = json.NewDecoder(bytes.NewReader(text))
	r.json.UseNumber()
	err = r.object(func(key string) error {
		if key == metadataName {
			return r.metadata()
		}
		e := entry{name: key, at: r.at()}
		if err := r.entry(&e); err != nil {
			return err
		}
		entries = append(entries, e)
		return nil
	})
	if err != nil {
		return nil, err
	}
	rest := text[r.json.InputOffset():]
	if extra := len(rest) - len(bytes.TrimLeft(rest, " ")); extra < len(rest) {
		return nil, r.errorf(r.at()+int64(extra), "text after the header's object")
	}
	return entries, nil
}

// words returns the text of the header.
func (r *reader) words() ([]byte, error) {
	var prefix [prefixSize]byte
	if _, err := io.ReadFull(r.in, prefix[:]); err != nil {
		return nil, err
	}
	// The length comes from the file: it is compared with the size of the file before it is
	// used.
	size := binary.LittleEndian.Uint64(prefix[:])
	switch rest := uint64(r.size - prefixSize); {
	case size > mostHeader:
		return nil, r.errorf(0, "a header of %d bytes; want at most %d: this is no safetensors file", size, mostHeader)
	case size > rest:
		return nil, r.errorf(int64(r.size), "the file ends inside the header, which has %d bytes", size)
	}
	r.begin = prefixSize + int(size)
	if first, err := r.in.Peek(min(1, int(size))); err != nil {
		return nil, err
	} else if size == 0 || first[0] != '{' {
		return nil, r.errorf(prefixSize, "the header does not begin with '{'")
	}
	var text bytes.Buffer // grows as bytes come in
	_, err := io.CopyN(&text, r.in, int64(size))
	return text.Bytes(), err
}

// at returns the offset that reading of the header reached.
func (r *reader) at() int64 { return prefixSize + r.json.InputOffset() }

// token returns the next token of the header.
func (r *reader) token() (json.Token, error) {
	token, err := r.json.Token()
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return token, nil
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return nil, r.errorf(int64(r.begin), "the header's object does not end")
	case errors.As(err, &syntax):
		return nil, r.errorf(min(prefixSize+syntax.Offset, int64(r.begin)), "the header: %w", err)
	}
	return nil, r.errorf(r.at(), "the header: %w", err)
}

// expect reads a delimiter.
func (r *reader) expect(want json.Delim) error {
	token, err := r.token()
	if err == nil && token != want {
		err = r.errorf(r.at(), "the header has %v where %q is to be", token, want.String())
	}
	return err
}

// object reads an object without repeated keys; visit reads the value of each.
func (r *reader) object(visit func(key string) error) error {
	if err := r.expect('{'); err != nil {
		return err
	}
	seen := map[string]bool{}
	for r.json.More() {
		key, err := r.text("a name")
		if err != nil {
			return err
		}
		if seen[key] {
			return r.errorf(r.at(), "%q comes twice", key)
		}
		seen[key] = true
		if err := visit(key); err != nil {
			return err
		}
	}
	return r.expect('}')
}

// text reads a string.
func (r *reader) text(what string) (string, error) {
	token, err := r.token()
	if err != nil {
		return "", err
	}
	text, ok := token.(string)
	if !ok {
		return "", r.errorf(r.at(), "%v instead of %s in quotes", token, what)
	}
	return text, nil
}

// metadata reads the texts.
func (r *reader) metadata() error {
	r.file.Metadata = map[string]string{}
	return r.object(func(key string) (err error) {
		r.file.Metadata[key], err = r.text("a text")
		return err
	})
}

// entry reads the entry of a tensor.
func (r *reader) entry(e *entry) error {
	var offsets []int
	given := 0
	err := r.object(func(key string) (err error) {
		given++
		switch key {
		case typeName:
			e.kind, err = r.text("a type")
		case shapeName:
			e.shape, err = r.numbers()
		case offsetsName:
			offsets, err = r.numbers()
		default:
			err = r.errorf(r.at(), "tensor %q has an unknown field %q", e.name, key)
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case given < 3:
		return r.errorf(e.at, "tensor %q lacks one of %s, %s and %s", e.name, typeName, shapeName, offsetsName)
	case widths[e.kind] == 0:
		return r.errorf(e.at, "tensor %q has type %q; this build reads %s and %s", e.name, e.kind, float64Type, float32Type)
	case len(offsets) != 2 || offsets[0] > offsets[1]:
		return r.errorf(e.at, "tensor %q has the offsets %v; want where it begins and ends", e.name, offsets)
	}
	e.begin, e.end = offsets[0], offsets[1]
	return nil
}

// numbers reads a list of numbers that are whole and not negative.
func (r *reader) numbers() ([]int, error) {
	if err := r.expect('['); err != nil {
		return nil, err
	}
	list := []int{}
	for r.json.More() {
		token, err := r.token()
		if err != nil {
			return nil, err
		}
		text, _ := token.(json.Number)
		n, err := strconv.ParseUint(text.String(), 10, strconv.IntSize-1)
		if err != nil {
			return nil, r.errorf(r.at(), "%v is no whole number that is not negative", token)
		}
		list = append(list, int(n))
	}
	return list, r.expect(']')
}

// tensors reads the data.
func (r *reader) tensors(entries []entry) error {
	// In the order of their beginnings, so that gaps and overlaps show between neighbours.
	slices.SortStableFunc(entries, func(a, b entry) int {
		if a.begin != b.begin {
			return a.begin - b.begin
		}
		return a.end - b.end // empty tensors go first
	})
	end := 0
	for _, e := range entries {
		if e.begin != end {
			return r.errorf(e.at, "tensor %q begins at byte %d of the data; the one before ends at %d", e.name, e.begin, end)
		}
		end = e.end
		if have := r.size - r.begin; end > have {
			return r.errorf(int64(r.size), "the file ends inside tensor %q, with %d bytes of data; want %d", e.name, have, end)
		}
		width := widths[e.kind]
		if n, ok := elements(e.shape, (e.end-e.begin)/width); !ok || n*width != e.end-e.begin {
			return r.errorf(e.at, "tensor %q of type %s and shape %v has %d bytes", e.name, e.kind, e.shape, e.end-e.begin)
		}
		values, err := r.values(&e)
		if err != nil {
			return err
		}
		r.file.Tensors = append(r.file.Tensors, Tensor{e.name, e.shape, values})
	}
	if at := r.begin + end; at < r.size {
		return r.errorf(int64(at), "%d bytes after the last tensor", r.size-at)
	}
	return nil
}

// step is the number of numbers that memory grows by at first, since the data may be shorter
// than the header claims.
const step = 1 << 21

// values reads the numbers of a tensor.
func (r *reader) values(e *entry) ([]float64, error) {
	width := widths[e.kind]
	count := (e.end - e.begin) / width
	if r.into != nil {
		if list := r.into(e.name, count); list != nil {
			return list, r.fill(list, width)
		}
	}
	list := make([]float64, 0, min(count, step))
	for from := 0; from < count; from = len(list) {
		if from == cap(list) {
			list = append(make([]float64, 0, min(count, 2*from)), list...)
		}
		list = list[:cap(list)]
		if err := r.fill(list[from:], width); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// fill reads numbers of a width.
func (r *reader) fill(list []float64, width int) error {
	if width == elementSize && littleEndian {
		_, err := io.ReadFull(r.in, bytesOf(list))
		return err
	}
	for len(list) > 0 {
		if _, err := r.in.Peek(width); err != nil {
			return err
		}
		n := min(len(list), r.in.Buffered()/width)
		block, err := r.in.Peek(n * width)
		if err != nil {
			return err
		}
		for i := range list[:n] {
			if element := block[i*width:]; width == elementSize {
				list[i] = math.Float64frombits(binary.LittleEndian.Uint64(element))
			} else {
				list[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(element)))
			}
		}
		if _, err := r.in.Discard(n * width); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}
