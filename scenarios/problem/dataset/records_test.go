package dataset

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

// recordsOf lists the records of a text with their lines and errors, as encoding/csv reads them.
func recordsOf(text string, between rune) (list []string) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.TrimLeadingSpace, r.FieldsPerRecord = between, between != '\t', -1
	for {
		fields, err := r.Read()
		if err == io.EOF {
			return list
		}
		line := 0
		if err == nil {
			line, _ = r.FieldPos(0)
		}
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		list = append(list, record(fields, line, err))
	}
}

// record returns a record as text; fields of a damaged one do not count.
func record(fields []string, line int, err error) string {
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d %q", line, fields)
}

// Records are those of encoding/csv, with their lines and faults, whatever the text and however it
// comes.
func TestRecords(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "1.5", " ", ",", ",", ",", `"`, `"`, `""`, "\n", "\n", "\r\n", "\r", "\t", "é", "\u00a0", "\xff", `"a",`, `,"b, c"`, "§"}
	damaged := 0
	for k := range 50_000 {
		var text strings.Builder
		for range random.IntN(24) {
			text.WriteString(pieces[random.IntN(len(pieces))])
		}
		between := []rune{',', ',', '\t', '§', ' '}[random.IntN(5)]
		var source io.Reader = strings.NewReader(text.String())
		if k%2 == 0 {
			source = iotest.OneByteReader(source)
		}
		r := newRecords(source, between)
		var got []string
		for {
			fields, line, err := r.next(nil)
			if err == io.EOF {
				break
			}
			var fault *csv.ParseError
			if errors.As(err, &fault) {
				damaged++
			}
			got = append(got, record(fields, line, err))
		}
		if want := recordsOf(text.String(), between); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Fatalf("%q by %q:\n%s\nwant\n%s", text.String(), between, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	if damaged < 1000 {
		t.Errorf("%d damaged records; want many", damaged)
	}
}

// A row has a greatest length, on one line or on several.
func TestLongRow(t *testing.T) {
	long := strings.Repeat("x", mostRow+1)
	for text, want := range map[string]error{
		long:                                   errLongRow,
		long[:mostRow-1] + "\na\n":             nil,
		"a\n" + long + "\n":                    errLongRow,
		`"` + strings.Repeat("x\n", mostRow/2): errLongRow,
	} {
		r := newRecords(strings.NewReader(text), ',')
		var err error
		for err == nil {
			_, _, err = r.next(nil)
		}
		if err == io.EOF {
			err = nil
		}
		if !errors.Is(err, want) {
			t.Errorf("%.4q, %d bytes: %v, want %v", text, len(text), err, want)
		}
	}
}

// An error of the file comes after the whole lines before it.
func TestBrokenFile(t *testing.T) {
	broken := errors.New("broken")
	r := newRecords(io.MultiReader(strings.NewReader("a,b\n1,2\n3,"), iotest.ErrReader(broken)), ',')
	for _, want := range []string{"a", "1"} {
		if fields, _, err := r.next(nil); err != nil || fields[0] != want {
			t.Fatalf("%q, %v; want %s", fields, err, want)
		}
	}
	if _, _, err := r.next(nil); err != broken {
		t.Errorf("%v, want %v", err, broken)
	}
}
