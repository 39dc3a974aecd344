package dataset

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// gaps are texts that stand for unknown values, in small letters.
var gaps = map[string]bool{
	"": true, "na": true, "n/a": true, "nan": true, "null": true, "none": true, "nil": true, "nat": true, "<na>": true,
	"?": true, "-": true, "--": true, ".": true, "..": true, "#n/a": true, "#na": true, "missing": true,
}

// longestGap is the length of the longest of them.
const longestGap = 7

// lookOf returns the class of a text. Gaps come before numbers: nan is a gap.
func lookOf(text string) Look {
	if text == "" || len(text) <= longestGap && gaps[strings.ToLower(text)] {
		return Gap
	}
	if first, _ := utf8.DecodeRuneInString(text); unicode.IsLetter(first) && !strings.ContainsAny(text, "0123456789") {
		if _, err := parseNumber(text); err == nil {
			return Number // Infinity
		}
		return Word
	}
	if _, err := parseNumber(text); err == nil || isDecimal.MatchString(text) {
		return Number
	}
	switch {
	case len(text) > mostNotation:
		return Word
	case isTime(text):
		return Time
	case notationOf(text) != "":
		return Notation
	}
	return Word
}

// isDecimal also matches numbers beyond the range of float64.
var isDecimal = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$`)

// mostNotation is the length of the longest text that may be a number or a time.
const mostNotation = 64

// Times as people and programs write them.
var times = []*regexp.Regexp{
	regexp.MustCompile(`^\d{4}[-/]\d{1,2}$`),
	regexp.MustCompile(`^(\d{4}([-/.])\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](\d{2}|\d{4}))([T ]` + clock + `)?$`),
	regexp.MustCompile(`^` + clock + `$`),
}

const clock = `\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?([AaPp][Mm]|Z|UTC|[+-]\d{2}(:?\d{2})?))?`

// isTime reports whether a text looks like a date or a time.
func isTime(text string) bool {
	if c := text[0]; c < '0' || c > '9' {
		return false
	}
	for _, form := range times {
		if form.MatchString(text) {
			return true
		}
	}
	return false
}

// digits of a number, which may be grouped and have a point or a comma.
const figure = `(\d[\d,.'’_ \x{a0}\x{2009}\x{202f}]*|[.,]\d+)([eE][+-]?\d+)?`

const currency = `(\p{Sc}|USD|EUR|GBP|CHF|JPY|CNY|INR)`

// notations are ways of writing numbers that are not read, because their meaning is not
// certain, each with its remedy.
var notations = []struct {
	form *regexp.Regexp
	cure string
}{
	{regexp.MustCompile(`^[+-]?0[xXbBoO][0-9a-fA-F_.]+([pP][+-]?\d+)?$`), "write numbers in decimal digits"},
	{regexp.MustCompile(`^[+-]?\d*,\d+([eE][+-]?\d+)?$`), "write a decimal comma as a point, and thousands without a separator"},
	{regexp.MustCompile(`^[+-]?\d{1,3}([,.'’_ \x{a0}\x{2009}\x{202f}]\d{3})+([.,]\d+)?$|^[+-]?\d+(_\d+)+(\.\d+)?$`), "write thousands without a separator, and decimals after a point"},
	{regexp.MustCompile(`^[+-]?` + figure + `\s?[%‰]$`), "write the number without its percent sign"},
	{regexp.MustCompile(`^[+-]?` + currency + `\s?[+-]?` + figure + `$|^[+-]?` + figure + `\s?` + currency + `$`), "write the number without its currency"},
	{regexp.MustCompile(`^\(\s?\p{Sc}?` + figure + `\s?\)$`), "write a negative number with a minus sign"},
	{regexp.MustCompile(`^[\x{2212}\x{2013}\x{ff0d}]\s?` + figure + `$`), "write the minus sign as -"},
	{regexp.MustCompile(`^[+-]?(\d+\.\d*|\.\d+|\d+)[dD][+-]\d+$`), "write the exponent with e"},
	{regexp.MustCompile(`^[+-]?\p{Nd}+([.,٫]\p{Nd}+)?$`), "write numbers in the digits 0 to 9"},
}

// notationOf says how to write a text that looks like a number in another notation; "" for
// other texts.
func notationOf(text string) string {
	for _, n := range notations {
		if n.form.MatchString(text) {
			return n.cure
		}
	}
	return ""
}

// signatures are the first bytes of files that are no text and that people name instead of
// a table.
var signatures = []struct{ bytes, what string }{
	{"PK\x03\x04", "a zip archive, such as a workbook of Excel; save it as CSV"},
	{"\xd0\xcf\x11\xe0", "a workbook of Excel; save it as CSV"},
	{"ARROW1", "an Arrow or Feather file; write Parquet"},
	{"FEA1", "a Feather file; write Parquet"},
	{"PARE", "an encrypted Parquet file, which is not read"},
	{"SQLite format 3", "a SQLite database; export the table as CSV"},
	{"\x89HDF", "an HDF5 file; write Parquet or CSV"},
	{"\x93NUMPY", "an array of NumPy; write Parquet or CSV"},
	{"Obj\x01", "an Avro file; write Parquet or CSV"},
	{"ORC", "an ORC file; write Parquet or CSV"},
	{"BZh", "compressed by bzip2; compress it by gzip, or not at all"},
	{"\xfd7zXZ", "compressed by xz; compress it by gzip, or not at all"},
	{"\x28\xb5\x2f\xfd", "compressed by Zstandard; compress it by gzip, or not at all"},
}

// recognised returns the error of a file that is known to be no table; nil for others.
func recognised(head []byte) error {
	for _, s := range signatures {
		if strings.HasPrefix(string(head), s.bytes) {
			return fmt.Errorf("this is %s", s.what)
		}
	}
	return nil
}
