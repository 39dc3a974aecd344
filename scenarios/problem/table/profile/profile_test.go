package profile

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
)

// written returns the path of a file with a text.
func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestColumns holds the type, the gaps, the range and the use of columns.
func TestColumns(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("id,site,age,income,smoker,town,since,name,twin,same,visit,y\n")
	for i := range 40 {
		income := fmt.Sprintf("\"%d,%03d\"", 20+i, i)
		if i%10 == 3 {
			income = "refused"
		}
		fmt.Fprintf(&rows, "p%d,%s,%d,%s,%s,%s,%d/%d/2020,n%d,%d,7,%d,%d\n",
			i, []string{"north", "south"}[i%2], 30+i%9, income, []string{"Yes", "no", ""}[i%3], []string{"Rome", "Oslo", "Bonn", "Ulm"}[i%4],
			1+i%12, 1+i%28, i, 30+i%9, i+1, i%2)
	}
	p, err := Read(written(t, rows.String()), "", "")
	if err != nil {
		t.Fatal(err)
	}
	if p.Rows != 40 || p.Parties != 2 || p.Fewest != 20 || !p.Named || p.Classes() != 2 || p.Faults != nil {
		t.Errorf("%+v", *p)
	}
	if p.Format.Thousands != "," || p.Format.Dates != "month-first" || fmt.Sprint(p.Format.Gaps) != "[refused]" || len(p.Notes) != 2 {
		t.Errorf("format %+v, notes %q", p.Format, p.Notes)
	}
	for i, want := range []string{
		"id words 40 0 identifier", "site words 2 0 party", "age whole number 9 0 feature", "income whole number 36 4 feature",
		"smoker yes or no 2 13 feature", "town words 4 0 feature", "since date or time 40 0 feature", "name words 40 0 identifier",
		"twin whole number 9 0 left out", "same whole number 1 0 left out", "visit whole number 40 0 identifier", "y whole number 2 0 label",
	} {
		c := p.Columns[i]
		if got := fmt.Sprint(c.Name, " ", c.Type, " ", c.Distinct, " ", c.Missing, " ", c.Use); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	for name, want := range map[string]string{"income": "20000 to 59039", "town": "Bonn (10), Oslo (10), Rome (10), ..", "smoker": "Yes (14), no (13)"} {
		c, err := p.named("column", name)
		if err != nil || c.Range() != want {
			t.Errorf("%s: %v, %v; want %s", name, c.Range(), err, want)
		}
	}
}

// TestGapsAmongDates holds that a text among many dates stands for no value.
func TestGapsAmongDates(t *testing.T) {
	var text strings.Builder
	text.WriteString("day,y\n")
	for i := range 60 {
		day := fmt.Sprintf("%d/%d/2021", 1+i%12, 1+i%28)
		if i%20 == 11 {
			day = "unknown"
		}
		fmt.Fprintf(&text, "%s,%d\n", day, i%2)
	}
	p, err := Read(written(t, text.String()), "", "")
	if err != nil {
		t.Fatal(err)
	}
	if day := p.Columns[0]; day.Type != Time || day.Missing != 3 || fmt.Sprint(p.Format.Gaps) != "[unknown]" || p.Format.Dates != "month-first" {
		t.Errorf("%s with %d gaps, format %+v, %q", day.Type, day.Missing, p.Format, day.Faults)
	}
}

// TestFaults holds that all faults of a file are told at once, each at its place.
func TestFaults(t *testing.T) {
	text := "x,day,y\n1,2024-02-30,0\n2\n3,2024-01-01,1\n4,5,6,7\nhigh,2024-01-02,1\n"
	p, err := Read(written(t, text), "", "")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Faults) != 2 || !strings.Contains(p.Faults[0], "line 3: 1 fields, want 3") || !strings.Contains(p.Faults[1], "line 5: 4 fields") {
		t.Errorf("%q", p.Faults)
	}
	if day := p.Columns[1]; len(day.Faults) != 1 || !strings.Contains(day.Faults[0], `line 2: column "day": got "2024-02-30", a date or a time that there is not`) {
		t.Errorf("%q", day.Faults)
	}
	if x := p.Columns[0]; x.Type != Mixed || len(x.Faults) != 1 || !strings.Contains(x.Faults[0], `line 6: column "x": "high" among numbers, in 1 cell`) {
		t.Errorf("%v %q", x.Type, x.Faults)
	}
	for text, want := range map[string]string{"a,b\n": noRows, "": "there is nothing in it", "PK\x03\x04": "zip archive"} {
		if _, err := Read(written(t, text), "", ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := Read(written(t, "a,b\n1,2\n"), "c", ""); err == nil || !strings.Contains(err.Error(), `label: there is no column "c"; the columns are a, b`) {
		t.Error(err)
	}
}

// TestDamagedGzip holds that a file that ends too early is an error, and is not read for ever.
func TestDamagedGzip(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write([]byte("x,y\n" + strings.Repeat("1,2\n", 1000))); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(written(t, zipped.String()[:zipped.Len()-6]), "", ""); err == nil || !strings.Contains(err.Error(), "unexpected EOF") {
		t.Error(err)
	}
}

// TestNotations holds the notation that is found of a file.
func TestNotations(t *testing.T) {
	latin, err := charmap.Windows1252.NewEncoder().String("Ort,y\nKöln,1\nUlm,0\n")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"x,y\n1.5,0\n2.5,1\n":                        "",
		"x;y\n1,5;0\n2,25;1\n":                       `{decimal: ","}`,
		"x;y\n1.234,5;0\n22.500,25;1\n":              `{decimal: ",", thousands: "."}`,
		"x;y\n1'234;0\n22'500.5;1\n":                 `{thousands: "'"}`,
		"x;y\n\"1,234\";0\n\"22,500\";1\n":           `{thousands: ","}`,
		"d,y\n3/4/2020,0\n1/13/2020,1\n":             "{dates: month-first}",
		"d,y\n3.4.2020,0\n13.1.2020 10:00,1\n":       "{dates: day-first}",
		latin:                                        "{encoding: latin-1}",
		"x\x00,\x00y\x00\n\x001\x00,\x000\x00\n\x00": "{encoding: utf-16}",
	} {
		p, err := Read(written(t, text), "", "")
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := p.formatKey(); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// FuzzRead: no bytes make the profile of a file panic, and a file with a profile has a use for each
// column.
func FuzzRead(f *testing.F) {
	for _, text := range []string{"x,y\n1,2\n", "a;b\n1,5;NA\n\"2,5;\"", "d,y\n31/12/2020 10:00 PM,yes\n", "\xff\xfea\x00,\x00b\x00\n\x001\x00,\x002\x00", "caf\xe9,b\n1,2\n", "PAR1", "\x1f\x8b\x08"} {
		f.Add([]byte(text))
	}
	path := filepath.Join(f.TempDir(), "f.csv")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := Read(path, "", "")
		if err != nil {
			return
		}
		for _, c := range p.Columns {
			if c.Use == "" || c.Type == "" || c.Rows != p.Rows {
				t.Errorf("%q: %+v", text, *c)
			}
			_ = c.Range()
		}
		if keys := p.Keys("f.csv"); keys[0].Name != "file" || keys[len(keys)-1].Name != "model" {
			t.Errorf("%v", keys)
		}
	})
}
