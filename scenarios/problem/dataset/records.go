package dataset

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The number of bytes that are read at once, of a short text and of a long one.
const (
	pieceBytes = 1 << 12
	blockBytes = 1 << 18
)

var errLongRow = fmt.Errorf("a row of more than %d bytes", mostRow)

// records reads the records of a CSV text, as encoding/csv does, at the speed of a scan. Fields are
// parts of a block of lines, and nothing is allocated for them. Lines with escaped quotes, damaged
// quotes, or fields over several lines are passed to encoding/csv, a line at a time.
type records struct {
	text    io.Reader
	between string
	// plain is true if the separator is no space, so that spaces around fields mean nothing.
	plain bool
	// block has the lines that are not read yet, and tail the bytes behind it, of a line that has not
	// ended. err is the error of text, once it has one.
	block string
	tail  []byte
	err   error
	// size is the number of bytes that are read at once.
	size int
	// line is the number of the last line, from 1.
	line int

	// quoted reads records of the lines that it asks for. begun is the line that it reads next, asked
	// counts the lines it had, and taken the bytes of its record.
	quoted *csv.Reader
	begun  string
	asked  int
	taken  int
}

// newRecords returns a reader of a text with a character between fields.
func newRecords(text io.Reader, between rune) *records {
	r := &records{text: text, size: pieceBytes, between: string(between), plain: between == '\t' || !unicode.IsSpace(between)}
	r.quoted = csv.NewReader(lineFeeder{r})
	r.quoted.Comma, r.quoted.ReuseRecord, r.quoted.FieldsPerRecord = between, true, -1
	r.quoted.TrimLeadingSpace = between != '\t' // else it takes an empty field for space
	return r
}

// next appends the fields of the next record without spaces around them, and returns its line. The
// error is io.EOF at the end. A *csv.ParseError is of one record, and the call after it returns the
// next one.
func (r *records) next(fields []string) (longer []string, line int, err error) {
	for {
		whole, err := r.nextLine()
		if err != nil {
			return fields, r.line, err
		}
		text := strings.TrimSuffix(strings.TrimSuffix(whole, "\n"), "\r")
		if text == "" {
			continue
		}
		line = r.line
		if r.plain {
			if longer, ok := r.split(fields, text); ok {
				return longer, line, nil
			}
		}
		slow, err := r.slow(whole)
		return append(fields, slow...), line, err
	}
}

// split appends the fields of a line that is cut at its separators. It returns false for a line with a
// quote that is not at both ends of a field.
func (r *records) split(fields []string, line string) (longer []string, ok bool) {
	if len(r.between) == 1 && strings.IndexByte(line, '"') < 0 {
		between := r.between[0]
		start := 0
		for i := range len(line) {
			if line[i] == between {
				fields = append(fields, trimmed(line[start:i]))
				start = i + 1
			}
		}
		return append(fields, trimmed(line[start:])), true
	}
	for {
		field, rest, more := strings.Cut(line, r.between)
		if strings.IndexByte(field, '"') >= 0 {
			if field, rest, more, ok = r.unquote(line); !ok {
				return nil, false
			}
		}
		fields = append(fields, trimmed(field))
		if line = rest; !more {
			return fields, true
		}
	}
}

// unquote returns the field between the quotes with which a line begins, and the rest of the line
// where there are more fields; ok is false for quotes that stand otherwise.
func (r *records) unquote(line string) (field, rest string, more, ok bool) {
	if r.between != "\t" {
		line = strings.TrimLeftFunc(line, unicode.IsSpace)
	}
	if line == "" || line[0] != '"' {
		return "", "", false, false
	}
	field, rest, ok = strings.Cut(line[1:], `"`)
	if !ok || rest == "" {
		return field, "", false, ok
	}
	rest, ok = strings.CutPrefix(rest, r.between)
	return field, rest, true, ok
}

// trimmed returns a field without spaces around it.
func trimmed(field string) string {
	if n := len(field); n == 0 || plainByte(field[0]) && plainByte(field[n-1]) {
		return field
	}
	return strings.TrimSpace(field)
}

// plainByte reports whether a byte is a character of ASCII and no space.
func plainByte(b byte) bool { return ' ' < b && b < utf8.RuneSelf }

// slow reads the record that begins with a line, maybe with more lines.
func (r *records) slow(line string) (fields []string, err error) {
	r.begun, r.taken = line, 0
	before := r.line - 1 - r.asked // lines that quoted did not have
	fields, err = r.quoted.Read()
	var damaged *csv.ParseError
	if errors.As(err, &damaged) {
		damaged.StartLine += before
		damaged.Line += before
	}
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	return fields, err
}

// lineFeeder passes lines to encoding/csv. A call of Read returns bytes of one line alone, so that no
// line behind the record is taken.
type lineFeeder struct{ r *records }

// Read implements io.Reader.
func (f lineFeeder) Read(p []byte) (n int, err error) {
	r := f.r
	if r.begun == "" {
		if r.begun, err = r.nextLine(); err != nil {
			return 0, err
		}
	}
	n = copy(p, r.begun)
	if r.begun = r.begun[n:]; r.begun == "" {
		r.asked++
	}
	if r.taken += n; r.taken > mostRow {
		err = errLongRow
	}
	return n, err
}

// nextLine returns the next line with its end, which the last line of a text may lack.
func (r *records) nextLine() (string, error) {
	if r.block == "" {
		if err := r.fill(); err != nil {
			return "", err
		}
	}
	end := strings.IndexByte(r.block, '\n') + 1
	if end == 0 {
		end = len(r.block)
	}
	line := r.block[:end]
	r.block = r.block[end:]
	r.line++
	if len(line) > mostRow {
		return "", errLongRow
	}
	return line, nil
}

// fill reads a block of whole lines.
func (r *records) fill() error {
	for {
		if end := bytes.LastIndexByte(r.tail, '\n') + 1; end > 0 {
			r.block = string(r.tail[:end])
			r.tail = append(r.tail[:0], r.tail[end:]...)
			return nil
		}
		switch {
		case len(r.tail) > mostRow:
			return errLongRow
		case r.err == io.EOF && len(r.tail) > 0:
			r.block, r.tail = string(r.tail), nil
			return nil
		case r.err != nil:
			return r.err
		}
		r.read()
	}
}

// read reads bytes behind tail: few of a short text, and blocks of a long one.
func (r *records) read() {
	if cap(r.tail)-len(r.tail) < r.size/2 {
		r.tail = slices.Grow(r.tail, r.size)
	}
	space := r.tail[len(r.tail):cap(r.tail)]
	n, err := r.text.Read(space)
	if n == len(space) {
		r.size = min(2*r.size, blockBytes)
	}
	r.tail, r.err = r.tail[:len(r.tail)+n], err
}
