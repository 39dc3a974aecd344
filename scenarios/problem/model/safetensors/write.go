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
	"unicode/utf8"
)

// Write writes a file: its tensors in their order, as F64, or as I64 if Integers names them,
// and the metadata sorted by name, so that equal contents are equal bytes. Tensors need
// distinct names other than __metadata__, shapes that are not negative, and as many values as
// their shape says.
func Write(w io.Writer, f *File) error {
	header, err := f.Header()
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, blockSize)
	if _, err := out.Write(header); err != nil {
		return err
	}
	if err := f.WriteValues(out); err != nil {
		return err
	}
	return out.Flush()
}

// WriteValues writes the values, which come after the header. It does not flush the buffer.
func (f *File) WriteValues(out *bufio.Writer) error {
	for _, t := range f.Tensors {
		if err := writeValues(out, t.Values, slices.Contains(f.Integers, t.Name)); err != nil {
			return err
		}
	}
	return nil
}

// blockSize is the number of bytes that are written at once: so many stay in the cache of a
// core.
const blockSize = 1 << 16

// writeValues writes numbers, as whole numbers if integers is true.
func writeValues(out *bufio.Writer, values []float64, integers bool) error {
	if !integers && littleEndian {
		_, err := out.Write(bytesOf(values))
		return err
	}
	for len(values) > 0 {
		block := out.AvailableBuffer()
		n := min(len(values), cap(block)/elementSize)
		if n == 0 {
			if err := out.Flush(); err != nil {
				return err
			}
			continue
		}
		if integers {
			for _, v := range values[:n] {
				block = binary.LittleEndian.AppendUint64(block, uint64(int64(v)))
			}
		} else {
			block = block[:n*elementSize]
			for i, v := range values[:n] {
				binary.LittleEndian.PutUint64(block[i*elementSize:], math.Float64bits(v))
			}
		}
		if _, err := out.Write(block); err != nil {
			return err
		}
		values = values[n:]
	}
	return nil
}

// Size returns the number of bytes after the header.
func (f *File) Size() (bytes int) {
	for _, t := range f.Tensors {
		bytes += elementSize * len(t.Values)
	}
	return bytes
}

// Header returns the bytes before the values. A file that cannot be written is an error.
func (f *File) Header() ([]byte, error) {
	text, err := f.header()
	if err != nil {
		return nil, err
	}
	binary.LittleEndian.PutUint64(text, uint64(len(text)-prefixSize))
	return text, nil
}

// header returns the text of the header, after room for its length, padded with spaces so that
// the data begin at a multiple of their alignment.
func (f *File) header() ([]byte, error) {
	var text bytes.Buffer
	text.Write(make([]byte, prefixSize))
	text.WriteByte('{')
	seen := map[string]bool{metadataName: true}
	if len(f.Metadata) > 0 {
		if err := checkTexts(f.Metadata); err != nil {
			return nil, err
		}
		if err := member(&text, metadataName, f.Metadata); err != nil {
			return nil, err
		}
	}
	end := 0
	for _, t := range f.Tensors {
		if seen[t.Name] || !utf8.ValidString(t.Name) {
			return nil, fmt.Errorf("tensor %q: the name is taken, or not UTF-8", t.Name)
		}
		seen[t.Name] = true
		n, ok := elements(t.Shape, len(t.Values))
		if !ok || n != len(t.Values) {
			return nil, fmt.Errorf("tensor %q: %d values for the shape %v", t.Name, len(t.Values), t.Shape)
		}
		kind := float64Type
		if slices.Contains(f.Integers, t.Name) {
			kind = integerType
		}
		entry := struct {
			Type    string `json:"dtype"`
			Shape   []int  `json:"shape"`
			Offsets [2]int `json:"data_offsets"`
		}{kind, append([]int{}, t.Shape...), [2]int{end, end + n*elementSize}}
		if err := member(&text, t.Name, entry); err != nil {
			return nil, err
		}
		end = entry.Offsets[1]
	}
	text.WriteByte('}')
	for text.Len()%alignment != 0 {
		text.WriteByte(' ')
	}
	if size := text.Len() - prefixSize; size > mostHeader {
		return nil, fmt.Errorf("the header has %d bytes; want at most %d", size, mostHeader)
	}
	return text.Bytes(), nil
}

// checkTexts refuses metadata that no reader could read.
func checkTexts(texts map[string]string) (err error) {
	for name, text := range texts {
		if !utf8.ValidString(name) || !utf8.ValidString(text) {
			err = errors.New("metadata that are not UTF-8")
		}
	}
	return err
}

// member appends a name and a value to an object. JSON sorts the keys of maps.
func member(text *bytes.Buffer, name string, value any) error {
	if text.Len() > prefixSize+1 {
		text.WriteByte(',')
	}
	encoder := json.NewEncoder(text)
	encoder.SetEscapeHTML(false)
	for i, part := range []any{name, value} {
		if i > 0 {
			text.WriteByte(':')
		}
		if err := encoder.Encode(part); err != nil {
			return err
		}
		text.Truncate(text.Len() - 1) // the line's end
	}
	return nil
}

// elements returns the product of a shape; ok is true if it is at most most.
func elements(shape []int, most int) (n int, ok bool) {
	n = 1
	for _, length := range shape {
		if length < 0 {
			return 0, false
		}
		if length == 0 {
			return 0, true
		}
	}
	for _, length := range shape {
		if n > most/length {
			return 0, false
		}
		n *= length
	}
	return n, n <= most
}
