package dataset

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"starling/actors/option"
)

// Format describes the notation of a text: its encoding, its separators, its numbers and its
// dates. The zero value is UTF-8 (UTF-16 after a byte order mark), the separator that is most
// frequent in the first line, numbers as 1234.5, and dates as 2024-01-31. Parquet files have
// types of their own, and of a format they take Gaps alone.
type Format struct {
	// Encoding is one of Encodings; empty means UTF-16 after its byte order mark, else UTF-8.
	Encoding string
	// Delimiter is the character between fields; empty means the most frequent of comma,
	// semicolon, tab and bar in the first line.
	Delimiter string
	// Decimal is the decimal mark, a point or a comma; empty means a point.
	Decimal string
	// Thousands is the separator of groups of three digits; empty means that there is none.
	Thousands string
	// Dates is the order of the parts of a date, one of DateOrders; empty means YearFirst.
	Dates string
	// Gaps are texts that stand for an unknown value, beside the usual ones such as NA.
	Gaps []string
}

// The encodings of a text.
const (
	UTF8   = "utf-8"
	UTF16  = "utf-16"
	Latin1 = "latin-1" // as Windows-1252, which has more characters
)

// The orders of the parts of a date.
const (
	YearFirst  = "year-first"
	DayFirst   = "day-first"
	MonthFirst = "month-first"
)

// Encodings returns the values of Format.Encoding.
func Encodings() []string { return []string{UTF8, UTF16, Latin1} }

// DateOrders returns the values of Format.Dates.
func DateOrders() []string { return []string{YearFirst, DayFirst, MonthFirst} }

// separators are the values of Format.Thousands: those that a table may have.
var separators = []string{",", ".", "'", "’", " ", "_", "\u00a0", "\u2009", "\u202f"}

// Validate checks each field and their agreement. Errors are *option.Error.
func (f Format) Validate() error {
	if f.Encoding != "" {
		if err := requireOneOf("encoding", f.Encoding, Encodings()); err != nil {
			return err
		}
	}
	if f.Dates != "" {
		if err := requireOneOf("dates", f.Dates, DateOrders()); err != nil {
			return err
		}
	}
	if d := f.Delimiter; d != "" && (utf8.RuneCountInString(d) != 1 || strings.ContainsAny(d, "\"\r\n\ufeff") || d == string(utf8.RuneError)) {
		return option.Errorf("delimiter", "is %q, want one character that is no quote and no end of a line", d)
	}
	if f.Decimal != "" && f.Decimal != "." && f.Decimal != "," {
		return option.Errorf("decimal", "is %q, want . or ,", f.Decimal)
	}
	if f.Thousands != "" {
		if err := requireOneOf("thousands", f.Thousands, separators); err != nil {
			return err
		}
	}
	if f.Thousands == f.decimal() {
		return option.Errorf("thousands", "is %q, as is the decimal mark", f.Thousands)
	}
	return nil
}

// decimal returns the decimal mark.
func (f Format) decimal() string {
	if f.Decimal == "" {
		return "."
	}
	return f.Decimal
}

// ReadRows reads a file as the function ReadRows does, in this format, which is valid.
func (f Format) ReadRows(file fs.File, path string, to RowReader) (digest string, err error) {
	return readRows(file, path, newCellReader(f), to)
}

// decoded returns a text in UTF-8. It recognises the byte order mark of UTF-16 where no encoding
// is given.
func (f Format) decoded(text *bufio.Reader) *bufio.Reader {
	var decoder transform.Transformer
	switch {
	case f.Encoding == Latin1:
		decoder = charmap.Windows1252.NewDecoder()
	case isMarked(text) && f.Encoding != UTF8:
		decoder = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder()
	case f.Encoding == UTF16: // a mark is not required where the encoding is given
		decoder = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder()
	default:
		return text
	}
	return bufio.NewReader(transform.NewReader(io.Reader(text), decoder))
}

// isMarked reports whether a text begins with a byte order mark of UTF-16.
func isMarked(text *bufio.Reader) bool {
	head, _ := text.Peek(2)
	return string(head) == "\xff\xfe" || string(head) == "\xfe\xff"
}

// EncodingOf returns the encoding of a file of rows by all of its bytes, as Format.Encoding has it:
// empty for UTF-8, for UTF-16 after its byte order mark, for Parquet, and for a file that cannot be
// read to its end, which a reader of rows reports.
func EncodingOf(file fs.File) string {
	r := bufio.NewReader(file)
	if head, _ := r.Peek(4); string(head) == parquetMagic {
		return ""
	} else if isGzip(head) {
		plain, err := gzip.NewReader(r)
		if err != nil {
			return ""
		}
		r = bufio.NewReader(plain)
	}
	if start, _ := r.Peek(1 << 10); isMarked(r) {
		return ""
	} else if bytes.IndexByte(start, 0) >= 0 {
		return UTF16
	}
	if _, err := io.Copy(io.Discard, transform.NewReader(r, encoding.UTF8Validator)); errors.Is(err, encoding.ErrInvalidUTF8) {
		return Latin1
	}
	return ""
}

// cellReader makes cells of the texts of a format.
type cellReader struct {
	Format
	// usual is true if texts need no translation. numbers and dates are true where these have
	// another notation than the usual one.
	usual, numbers, dates bool
	gaps                  map[string]bool
}

// newCellReader returns the reader of a format, which is valid.
func newCellReader(f Format) *cellReader {
	r := &cellReader{Format: f, numbers: f.Thousands != "" || f.decimal() != ".", dates: f.Dates == DayFirst || f.Dates == MonthFirst}
	for _, gap := range f.Gaps {
		if r.gaps == nil {
			r.gaps = map[string]bool{}
		}
		r.gaps[gap] = true
	}
	r.usual = !r.numbers && !r.dates && r.gaps == nil
	return r
}

// shortDate matches a date with the year last, and a time of the day behind it.
var shortDate = regexp.MustCompile(`^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})(?:[T ](.*))?$`)

// ShortDate returns the first two numbers of a date with the year last, such as 31/1/2024; ok is
// false for other texts.
func ShortDate(text string) (first, second string, ok bool) {
	parts := shortDate.FindStringSubmatch(text)
	if parts == nil {
		return "", "", false
	}
	return parts[1], parts[2], true
}

// cell returns the cell of a text without spaces around it. Its content is in more, unless it is
// the text alone.
func (r *cellReader) cell(text string, more *moreOfCell) Cell {
	c := Cell{Text: text}
	if r.usual || text == "" {
		return c
	}
	*more = moreOfCell{}
	if r.gaps[text] {
		more.null = true
		return Cell{text, more}
	}
	if r.dates {
		if plain, ok := r.yearFirst(text); ok {
			more.plain = plain
			return Cell{text, more}
		}
	}
	if !r.numbers || isDigits(text) {
		return c
	}
	if strings.IndexByte("0123456789+-.,", text[0]) < 0 {
		return c // a word, which a number does not begin as
	}
	if more.plain = r.plainNumber(text); more.plain == "" {
		_, err := parseNumber(text)
		more.foreign = err == nil && strings.ContainsAny(text, "0123456789")
	}
	return Cell{text, more}
}

// isDigits reports whether a text is a whole number in any notation.
func isDigits(text string) bool { return digitsOf(text) == len(text) }

// digitsOf returns the number of digits with which a text begins.
func digitsOf(text string) (n int) {
	for n < len(text) && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	return n
}

// plainNumber returns a number as programs write it; "" for a text that is no number in the
// notation of the format: a sign, digits that are in groups of three or in none, decimals, and an
// exponent.
func (r *cellReader) plainNumber(text string) string {
	plain := make([]byte, 0, 32)
	take := func(n int) {
		plain, text = append(plain, text[:n]...), text[n:]
	}
	sign := func() {
		if text != "" && (text[0] == '+' || text[0] == '-') {
			take(1)
		}
	}
	sign()
	const group = 3
	whole := digitsOf(text)
	take(whole)
	for grouped := 0 < whole && whole <= group; grouped && r.Thousands != "" && strings.HasPrefix(text, r.Thousands); {
		if text = text[len(r.Thousands):]; digitsOf(text) != group {
			return ""
		}
		take(group)
	}
	if mark := r.decimal(); strings.HasPrefix(text, mark) {
		plain, text = append(plain, '.'), text[len(mark):]
		decimals := digitsOf(text)
		whole += decimals
		take(decimals)
	}
	if whole == 0 {
		return ""
	}
	if text != "" && (text[0] == 'e' || text[0] == 'E') {
		take(1)
		sign()
		exponent := digitsOf(text)
		if exponent == 0 {
			return ""
		}
		take(exponent)
	}
	if text != "" {
		return ""
	}
	return string(plain)
}

// yearFirst returns a date with the year first, as 2024-01-31, and its time of the day. Years of
// two digits are from 1969 to 2068, as POSIX has them.
func (r *cellReader) yearFirst(text string) (plain string, ok bool) {
	parts := shortDate.FindStringSubmatch(text)
	if parts == nil {
		return "", false
	}
	day, month, year := parts[1], parts[2], parts[3]
	if r.Dates == MonthFirst {
		day, month = month, day
	}
	if len(year) == 2 {
		if year < "69" {
			year = "20" + year
		} else {
			year = "19" + year
		}
	}
	plain = fmt.Sprintf("%s-%02s-%02s", year, month, day)
	if parts[4] != "" {
		plain += " " + parts[4]
	}
	return plain, true
}

// foreignTo is the cure of a number that is not in the notation of the format.
const foreignTo = "it is not in the notation of numbers that the format of the file gives"
