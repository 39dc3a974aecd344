package topology

import (
	"bytes"
	"encoding/csv"
	"slices"
)

// CSVReader returns a reader of a list that a scenario names, such as edges, times or groups: a
// byte order mark at the beginning is skipped, and so are lines that begin with # and spaces
// before fields. A record is valid up to the next.
func CSVReader(text []byte) *csv.Reader {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte(ByteOrderMark))))
	r.Comment, r.TrimLeadingSpace, r.ReuseRecord = '#', true, true
	return r
}

// FindColumn returns the place of a column in a header, and its second place if the name is
// doubled; -1 is none.
func FindColumn(header []string, name string) (at, again int) {
	if at = slices.Index(header, name); at < 0 {
		return at, -1
	}
	if again = slices.Index(header[at+1:], name); again >= 0 {
		again += at + 1
	}
	return at, again
}
