package topology

import (
	"errors"
	"strings"
	"testing"
)

// Rows has fields in the order that is asked for, with their lines, and the faults of all rows.
func TestRows(t *testing.T) {
	var got []string
	each := func(line int, fields []string) error {
		got = append(got, strings.Join(fields, "+"))
		if fields[0] == "bad" {
			return errors.New("is bad")
		}
		return nil
	}
	if err := Rows("r.csv", []byte("a, b,c\n1,2,3\n# none\n4,5,6\n"), 9, []string{"c", "a"}, each); err != nil || strings.Join(got, " ") != "3+1 6+4" {
		t.Errorf("%v, %v", got, err)
	}
	for text, want := range map[string]string{
		"":                        `r.csv:1: want the columns c, a, each once, in the first line, which has []`,
		"a,c,a\n1,2,3\n":          `r.csv:1: want the columns c, a, each once, in the first line, which has ["a" "c" "a"]`,
		"a,c\n1,bad\n1\n2,bad\n":  "r.csv:2: is bad\nr.csv:3: wrong number of fields\nr.csv:4: is bad",
		"a,c\n1,bad\n\"1,2\n":     "r.csv:2: is bad\nr.csv:3: extraneous or missing \" in quoted-field",
		"a,c\n1,2\n1,2\n1,2\n1,2": "r.csv:5: more than 3 rows",
	} {
		if err := Rows("r.csv", []byte(text), 3, []string{"c", "a"}, each); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
