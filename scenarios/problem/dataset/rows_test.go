package dataset

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf16"
)

// kept are the names and the cells of a table, as they were read.
type kept struct {
	names []string
	rows  []string
}

func (k *kept) Header(_ Place, columns []Column) error {
	for _, c := range columns {
		k.names = append(k.names, c.Name)
	}
	return nil
}

func (k *kept) Row(_ Place, cells []Cell) error {
	var texts []string
	for _, c := range cells {
		texts = append(texts, c.Text)
	}
	k.rows = append(k.rows, strings.Join(texts, "/"))
	return nil
}

func inMemory(t testing.TB, text string) fs.File {
	t.Helper()
	file, err := fstest.MapFS{"f": {Data: []byte(text)}}.Open("f")
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// TestBetweenFields holds that what stands between fields is the most frequent of what may,
// apart from quoted names, and that an empty field is one under tabs, too.
func TestBetweenFields(t *testing.T) {
	for text, want := range map[string][]string{
		"a,b,c\n1,2,3\n":                      {"a", "b", "c"},
		"a;b;c\n1,5;2;3\n":                    {"a", "b", "c"},
		"a\tb\tc\n1\t2\t3\n":                  {"a", "b", "c"},
		"a|b|c\n1|2|3\n":                      {"a", "b", "c"},
		"a;b, in cm;c\n1;2;3\n":               {"a", "b, in cm", "c"},
		"\"a,b,c,d\";e;f\n1;2;3\n":            {"a,b,c,d", "e", "f"},
		"\ta\tb\n0\t\t5\n":                    {"", "a", "b"},
		"\xef\xbb\xbfa;b\r\n1;2\r\n":          {"a", "b"},
		"\"a\nb\",c\n1,2\n":                   {"a\nb", "c"},
		"a , b\n 1 , \"2\"\n":                 {"a", "b"},
		"caf\xe9,b\n1,2\n":                    {"caf\xe9", "b"},
		strings.Repeat("long,", 2000) + "a\n": nil,
	} {
		k := &kept{}
		_, err := ReadRows(inMemory(t, text), "f.csv", k)
		if want == nil {
			if err == nil || err.Error() != `f.csv: line 1: two columns are called "long"` {
				t.Errorf("%.20q: %v", text, err)
			}
			continue
		}
		if err != nil || !slices.Equal(k.names, want) || len(k.rows) != 1 {
			t.Errorf("%q: names %q, rows %q, %v; want %q", text, k.names, k.rows, err, want)
		}
	}
	k := &kept{}
	if _, err := ReadRows(inMemory(t, "\ta\tb\n0\t\t5\n"), "f.tsv", k); err != nil || k.rows[0] != "0//5" {
		t.Errorf("%q, %v; want an empty field", k.rows, err)
	}
}

// TestNoTable holds that files of other programs are refused by their name.
func TestNoTable(t *testing.T) {
	encoded := "\xff\xfe"
	for _, unit := range utf16.Encode([]rune("a,b\n1,2\n")) {
		encoded += string([]byte{byte(unit), byte(unit >> 8)})
	}
	for text, want := range map[string]string{
		strings.TrimPrefix(encoded, "\xff\xfe"): "f: line 1: there are bytes of 0 in it, which no text in UTF-8 has; format: {encoding: utf-16} reads UTF-16",
		"PK\x03\x04....":                        "f: this is a zip archive, such as a workbook of Excel; save it as CSV",
		"ARROW1\x00\x00":                        "f: this is an Arrow or Feather file; write Parquet",
		"PARE....":                              "f: this is an encrypted Parquet file, which is not read",
		"BZh91AY":                               "f: this is compressed by bzip2; compress it by gzip, or not at all",
		"\x28\xb5\x2f\xfd1234":                  "f: this is compressed by Zstandard; compress it by gzip, or not at all",
		"SQLite format 3\x00":                   "f: this is a SQLite database; export the table as CSV",
		"sep=;\na;b\n1;2\n":                     `f: line 1: "sep=;" is for Excel; leave the line out: the separator of fields is seen from the names of the columns`,
	} {
		if _, err := ReadRows(inMemory(t, text), "f", &kept{}); err == nil || err.Error() != want {
			t.Errorf("%.20q: %v, want %s", text, err, want)
		}
	}
}

// TestWideCSV holds that reading costs in proportion to the columns. A row of 200,000 took
// 30 seconds, which the test's own limit would not stand ten times over.
func TestWideCSV(t *testing.T) {
	const columns = 200_000
	var names, row strings.Builder
	for i := range columns {
		fmt.Fprintf(&names, "x%d,", i)
		fmt.Fprintf(&row, "%d,", i)
	}
	k := &kept{}
	if _, err := ReadRows(inMemory(t, names.String()+"y\n"+row.String()+"1\n"), "f.csv", k); err != nil || len(k.names) != columns+1 {
		t.Errorf("%d columns, %v", len(k.names), err)
	}
}
