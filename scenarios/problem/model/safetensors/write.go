package safetensors

import (
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

// Write writes a file: its tensors in their order as F64, or as I64 those that Integers
// names, the metadata sorted by name, so that equal contents are equal bytes. Tensors need
// distinct names other than __metadata__, shapes that are not negative, and as many values
// as their shape says.
func Write(w io.Writer, f *File) error {
	header, err := f.header()
	if err != nil {
		return err
	}
	prefix := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	if _, err := w.Write(append(prefix, header...)); err != nil {
		return err
	}
	buffer, inMemory := w.(*bytes.Buffer)
	var block []byte
	for _, t := range f.Tensors {
		size := len(t.Values) * widths[float64Type]
		if inMemory { // where it is to be
			buffer.Grow(size)
			block = buffer.AvailableBuffer()
		} else {
			block = slices.Grow(block[:0], size)
		}
		if slices.Contains(f.Integers, t.Name) {
			for _, v := range t.Values {
				block = binary.LittleEndian.AppendUint64(block, uint64(int64(v)))
			}
		} else {
			for _, v := range t.Values {
				block = binary.LittleEndian.AppendUint64(block, math.Float64bits(v))
			}
		}
		if _, err := w.Write(block); err != nil {
			return err
		}
	}
	return nil
}

// header is the text of the header, padded with spaces so that the data begin at a
// multiple of their alignment.
func (f *File) header() ([]byte, error) {
	var text bytes.Buffer
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
		}{kind, append([]int{}, t.Shape...), [2]int{end, end + n*widths[float64Type]}}
		if err := member(&text, t.Name, entry); err != nil {
			return nil, err
		}
		end = entry.Offsets[1]
	}
	text.WriteByte('}')
	for (prefixSize+text.Len())%alignment != 0 {
		text.WriteByte(' ')
	}
	if text.Len() > mostHeader {
		return nil, fmt.Errorf("the header has %d bytes; want at most %d", text.Len(), mostHeader)
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
	if text.Len() > 1 {
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

// elements is the product of a shape, and whether it is at most so many.
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
