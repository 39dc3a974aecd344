package table

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTypes holds that all rows say what a column is, wherever the odd cell is, and that
// what is neither of numbers nor of words is refused at the cell that is to blame, with what
// to do.
func TestTypes(t *testing.T) {
	gaps := []string{"NA", "N/A", "?", "-", ".", "null", "nan", "None", "#N/A", "<NA>", "--", ""}
	for _, gap := range gaps {
		shown := fmt.Sprintf("got %q", gap)
		if gap == "" {
			shown = "got an empty cell"
		}
		for _, list := range [][]string{nil, {"x", "v"}} {
			for row := range 3 {
				cells := []string{"1.5", "2", "3"}
				cells[row] = gap
				_, err := readColumn(t, Columns{Features: list}, cells...)
				if want := fmt.Sprintf(`f.csv: line %d: column "v": `, row+2); err == nil || !strings.HasPrefix(err.Error(), want) ||
					!strings.Contains(err.Error(), shown) && !strings.Contains(err.Error(), "the cell is empty") {
					t.Errorf("%q in row %d: %v, want %s%s", gap, row, err, want, shown)
				}
			}
		}
	}
	const commas = "write a decimal comma as a point"
	for _, test := range []struct {
		cells   []string
		types   string // what Types says where v is listed
		refused string // and the error otherwise
		left    string // what Left says where it is not; "-" of an error
	}{
		{[]string{"1", "-.5", "1e-3", "+2"}, `numbers: "x" "v"`, "", ""},
		{[]string{"low", "top", "NA", "?"}, `numbers: "x"; words: "v"`, "", whyWords + `: "v"`},
		{[]string{"NA", "low", "?", "top"}, `numbers: "x"; words: "v"`, "", whyWords + `: "v"`},
		{[]string{"yes", "no"}, `numbers: "x"; words: "v"`, "", whyWords + `: "v"`},
		{[]string{"True", "False"}, `numbers: "x"; words: "v"`, "", whyWords + `: "v"`},
		{[]string{"12 kg", "3 kg"}, `numbers: "x"; words: "v"`, "", whyWords + `: "v"`},
		{[]string{"1st", "2nd"}, `numbers: "x"; words: "v"`, "", whyWords + `: "v"`},
		{[]string{"18-25", "26-40", "65+"}, `numbers: "x"; words: "v"`, "", whyWords + `: "v"`},
		{[]string{"low", "3"}, "", `line 3: column "v": got "3", a number, among words such as "low" on line 2; correct it, list the column in words`, "-"},
		{[]string{"3", "low"}, "", `line 3: column "v": got "low", want a number, as is "3" on line 2`, "-"},
		{[]string{"True", "1"}, "", `line 3: column "v": got "1", a number, among words`, "-"},
		{[]string{"-0,26", "0,51"}, "", `line 2: column "v": got "-0,26", and all cells look like numbers that are not read; ` + commas, "-"},
		{[]string{"0,5", "1"}, "", `line 2: column "v": got "0,5", want a number, as is "1" on line 3; ` + commas, "-"},
		{[]string{"1", "0,5"}, "", `line 3: column "v": got "0,5", want a number, as is "1" on line 2; ` + commas, "-"},
		{[]string{"1,234.5", "2,000.0"}, "", `got "1,234.5", and all cells look like numbers that are not read; write thousands without`, "-"},
		{[]string{"1.234,5", "2.000,0"}, "", `got "1.234,5", and all cells look like numbers that are not read; write thousands without`, "-"},
		{[]string{"1'234", "2'000"}, "", `write thousands without`, "-"},
		{[]string{"1 234", "2\u202f000"}, "", `write thousands without`, "-"},
		{[]string{"1_000", "2_000"}, "", `write thousands without a separator`, "-"},
		{[]string{"12%", "3.5 %"}, "", `write the number without its percent sign`, "-"},
		{[]string{"$5", "-$1,000.00"}, "", `write the number without its currency`, "-"},
		{[]string{"5 €", "1.000,00 €"}, "", `write the number without its currency`, "-"},
		{[]string{"EUR 5", "USD 7"}, "", `write the number without its currency`, "-"},
		{[]string{"(5.00)", "(7)"}, "", `write a negative number with a minus sign`, "-"},
		{[]string{"\u22121", "\u22122"}, "", `write the minus sign as -`, "-"},
		{[]string{"0x1f", "0x20"}, "", `write numbers in decimal digits`, "-"},
		{[]string{"0x1p4", "0b11"}, "", `write numbers in decimal digits`, "-"},
		{[]string{"1.5D+03", "2D-1"}, "", `write the exponent with e`, "-"},
		{[]string{"١٢", "٣"}, "", `write numbers in the digits 0 to 9`, "-"},
		{[]string{"1", "1e400"}, "", `line 3: column "v": got "1e400", want a number of at most`, "-"},
		{[]string{"1", "inf"}, "", `line 3: column "v": got +Inf, want a finite number`, "-"},
		{[]string{"2024-01-01", "2024-01-02"}, "", `line 2: column "v": got "2024-01-01", and no cell is a number or a word: a time is neither`, whyTimes + `: "v"`},
		{[]string{"2024-01-01 12:30:00", "2024-01-02T00:00:00.5Z"}, "", `a time is neither`, whyTimes + `: "v"`},
		{[]string{"31.01.2024", "1/2/24"}, "", `a time is neither`, whyTimes + `: "v"`},
		{[]string{"12:30", "7:05 PM"}, "", `a time is neither`, whyTimes + `: "v"`},
		{[]string{"NA", "NA"}, "", `line 2: column "v": got "NA", and no cell has a value; leave the column out`, whyEmpty + `: "v"`},
	} {
		listed, err := readColumn(t, Columns{Features: []string{"x", "v"}}, test.cells...)
		if test.refused != "" && (err == nil || !strings.Contains(err.Error(), test.refused)) || test.refused == "" && (err != nil || listed.Types() != test.types) {
			t.Errorf("%q listed: %v, %v, want %s%s", test.cells, listed, err, test.types, test.refused)
		}
		table, err := readColumn(t, Columns{}, test.cells...)
		if test.left == "-" && err == nil || test.left != "-" && (err != nil || table.Left() != test.left) {
			t.Errorf("%q not listed: %v, %v, want %q", test.cells, table, err, test.left)
		}
		if test.left == "-" && err != nil && !strings.Contains(err.Error(), test.refused) {
			t.Errorf("%q not listed: %v, want %s", test.cells, err, test.refused)
		}
		forced, err := readColumn(t, Columns{Features: []string{"x", "v"}, Words: []string{"v"}}, test.cells...)
		if err != nil || forced.Types() != `numbers: "x"; words: "v"` {
			t.Errorf("%q as words: %v, %v", test.cells, forced, err)
		}
	}
}

// readColumn reads a table of x, y and a column v of so many cells.
func readColumn(t *testing.T, c Columns, cells ...string) (*Table, error) {
	t.Helper()
	text := "x,v,y\n"
	for i, cell := range cells {
		text += fmt.Sprintf("%d,\"%s\",%d\n", i, cell, i)
	}
	c.Label = "y"
	table, _, err := Read(c, written(t, "f.csv", text), nil)
	return table, err
}

// TestLabelTypes holds the same of labels, of classes and of quantities, and of a second file.
func TestLabelTypes(t *testing.T) {
	for text, want := range map[string]string{
		"x,y\n1,NA\n2,0\n3,1\n":             `line 2: column "y": got "NA", want a number, as is "0" on line 3`,
		"x,y\n1,0\n2,high\n3,1\n":           `line 3: column "y": got "high", want a number, as is "0" on line 2`,
		"x,y\n1,high\n2,0\n3,1\n":           `line 3: column "y": got "0", a number, among words such as "high" on line 2`,
		"x;y\n1;0,5\n2;1,5\n":               `line 2: column "y": got "0,5", and all cells look like numbers that are not read`,
		"x,y\n1,2024-01-01\n2,2024-01-02\n": `line 2: column "y": got "2024-01-01", and no cell is a number or a word`,
	} {
		_, _, err := Read(Columns{Label: "y", Features: []string{"x"}, Classes: true}, written(t, "f.csv", text), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
		if _, _, err = Read(Columns{Label: "y", Features: []string{"x"}, Words: []string{"y"}, Classes: true}, written(t, "f.csv", text), nil); err != nil {
			t.Errorf("%q as words: %v", text, err)
		}
	}
	_, _, err := Read(Columns{Label: "y", Features: []string{"x"}}, written(t, "f.csv", "x;y\n1;0,5\n"), nil)
	if want := `line 2: column "y": got "0,5", want a number: the model is of quantities; write a decimal comma`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	second := written(t, "tests.csv", "x,y\nlow,1\n")
	_, _, err = Read(Columns{Label: "y"}, written(t, "f.csv", "x,y\n1,1\n"), &second)
	if want := `tests.csv: line 2: column "x": got "low", want a number, as is "1" on line 2 of f.csv`; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestRowNumbers holds that row numbers are left out and told, unless they are listed.
func TestRowNumbers(t *testing.T) {
	for _, name := range []string{"", "Unnamed: 0", "__index_level_0__"} {
		text := name + ",x,y\n0,5,1\n1,6,2\n"
		table, _, err := Read(Columns{Label: "y"}, written(t, "f.csv", text), nil)
		if err != nil || !slices.Equal(table.featureNames(), []string{"x"}) || table.Left() != fmt.Sprintf("%s: %q", whyIndex, name) {
			t.Errorf("%q: %v, %v", name, table, err)
		}
		table, _, err = Read(Columns{Label: "y", Features: []string{name, "x"}}, written(t, "f.csv", text), nil)
		if err != nil || !slices.Equal(table.featureNames(), []string{name, "x"}) {
			t.Errorf("%q listed: %v, %v", name, table, err)
		}
	}
}

// Steps of one column are all numbers, all times without a zone, or all with one: others have no
// order among themselves.
func TestMixedSteps(t *testing.T) {
	for steps, want := range map[[2]string]string{
		{"2024-01-01", "5"}:                    `line 3: column "t": got "5", a number, and the rows before are ordered by a date or a time without a zone`,
		{"5", "2024-01-01"}:                    `line 3: column "t": got "2024-01-01", a date or a time without a zone, and the rows before are ordered by a number`,
		{"2024-01-01", "2024-01-01T00:00:00Z"}: `line 3: column "t": got "2024-01-01T00:00:00Z", a time with a zone, and the rows before are ordered by a date or a time without a zone`,
		{"2024-01-01", ""}:                     `line 3: column "t": `,
	} {
		_, _, err := Read(Columns{Step: "t", Label: "y"}, written(t, "f.csv", "t,x,y\n"+steps[0]+",1,1\n"+steps[1]+",2,2\n"), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", steps, err, want)
		}
	}
}

// Identifiers are left out by their names, and columns that may count rows where they do, unless
// they are listed or are something else; the guesses of a new scenario are the same.
func TestIdentifiers(t *testing.T) {
	for name, test := range map[string]struct {
		column string
		cells  []string
		left   string // why; empty of a feature
	}{
		"id":               {"id", []string{"842302", "842517", "84300903"}, whyIdentifier},
		"ID":               {"ID", []string{"1", "2", "3"}, whyIdentifier},
		"row id":           {"row_id", []string{"7", "5", "6"}, whyIdentifier},
		"index":            {"index", []string{"0", "1", "2"}, whyIndex},
		"from seven":       {"No", []string{"7", "8", "9"}, whyIndex},
		"number sign":      {"#", []string{"1", "2", "3"}, whyIndex},
		"serial number":    {"S.No.", []string{"1", "2", "3"}, whyIndex},
		"an index":         {"index", []string{"101.5", "99.25", "100"}, ""},
		"with a gap":       {"index", []string{"1", "2", "4"}, ""},
		"another name":     {"age", []string{"1", "2", "3"}, ""},
		"of two rows":      {"n", []string{"1", "2"}, ""},
		"part of a name":   {"idle", []string{"1", "2", "3"}, ""},
		"counts down":      {"index", []string{"3", "2", "1"}, ""},
		"decimals that do": {"n", []string{"0.5", "1.5", "2.5"}, whyIndex},
	} {
		t.Run(name, func(t *testing.T) {
			text := "x," + test.column + ",z,y\n"
			for i, cell := range test.cells {
				text += fmt.Sprintf("%d,%s,%d,%d\n", 10*i, cell, 7-i*i, i)
			}
			want, left := []string{"x", test.column, "z"}, ""
			if test.left != "" {
				want, left = []string{"x", "z"}, fmt.Sprintf("%s: %q", test.left, test.column)
			}
			path := filepath.Join(t.TempDir(), "f.csv")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			table, _, err := Read(Columns{Label: "y"}, opened(t, path), nil)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(table.featureNames(), want) || table.Left() != left {
				t.Fatalf("%v, %q; want %q left out", table.featureNames(), table.Left(), left)
			}
			for i := range test.cells {
				if row := table.row(i); row[0] != float64(10*i) || row[len(want)-1] != float64(7-i*i) || row[len(want)] != float64(i) {
					t.Errorf("row %d is %v", i, row)
				}
			}
			listed, _, err := Read(Columns{Label: "y", Features: []string{test.column}}, written(t, "f.csv", text), nil)
			if err != nil || !slices.Equal(listed.featureNames(), []string{test.column}) {
				t.Errorf("listed: %v", err)
			}
		})
	}
	_, _, err := Read(Columns{Label: "y"}, written(t, "f.csv", "index,y\n1,0\n2,1\n3,1\n"), nil)
	if err == nil || !strings.Contains(err.Error(), `there is no column of features; list the features, which may be words; left out are row numbers: "index"`) {
		t.Errorf("nothing but a counter: %v", err)
	}
}

// TestWords holds that words are what is listed so, features or the label.
func TestWords(t *testing.T) {
	text := "zip,x,y\n01,5,1\n1,6,2\n"
	table, _, err := Read(Columns{Label: "y", Words: []string{"zip"}}, written(t, "f.csv", text), nil)
	if err != nil || table.Types() != `numbers: "x"; words: "zip"` {
		t.Fatal(table.Types(), err)
	}
	if _, levels := table.Levels(); !slices.Equal(levels[0], []string{"01", "1"}) {
		t.Errorf("levels %q", levels)
	}
	for _, test := range []struct {
		columns Columns
		want    string
	}{
		{Columns{Label: "y", Words: []string{"zap"}}, `f.csv: line 1: words: there is no column "zap"; did you mean "zip"?`},
		{Columns{Label: "y", Features: []string{"x"}, Words: []string{"zip"}}, `f.csv: line 1: words: the column "zip" is not among the features`},
	} {
		if _, _, err := Read(test.columns, written(t, "f.csv", text), nil); err == nil || err.Error() != test.want {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}

// TestStepOrder holds that steps are ordered as exactly as they are written, and refused
// where that is beyond two float64.
func TestStepOrder(t *testing.T) {
	for _, steps := range [][]string{
		{"1700000000000000000", "1700000000000100000", "1700000000000100001", "1700000000000200000"},
		{"-18446744073709551616", "-18446744073709551615", "18446744073709551615", "18446744073709551616"},
		{"0.1", "0.10000000000000000001", "0.10000000000000000002"},
		{"1700000000.123456789", "1700000000.12345679"},
		{"123456789012345678901234567890", "123456789012345678901234567891"},
		{"9007199254740992", "9007199254740992.5", "9007199254740993"},
		{"1e-3", "0.0010000000000000001", "1E20", "100000000000000000001"},
		{"1969-12-31", "1970-01-01", "2024-02-29", "2024-03-01"},
		{"2023-12", "2024-01", "2024-02"},
		{"2024-01-31", "2024-01-31 00:00:00.000000001", "2024-01-31T00:01", "2024-01-31T09:59:59.9"},
		{"2024-01-01T01:30+02:00", "2024-01-01T00:00Z", "2023-12-31T19:30:00.5-0500", "2024-01-01 00:30:00.50000001 UTC"},
	} {
		text := "t,x,y\n"
		for i, step := range slices.Backward(steps) {
			text += fmt.Sprintf("%s,%d,%d\n", step, i, i)
		}
		table, _, err := Read(Columns{Step: "t", Label: "y"}, written(t, "f.csv", text), nil)
		if err != nil {
			t.Errorf("%q: %v", steps, err)
			continue
		}
		want := make([]float64, len(steps))
		for i := range want {
			want[i] = float64(i)
		}
		if got := features(t, table); !slices.Equal(got, want) {
			t.Errorf("%q: order %v", steps, got)
		}
	}
	for step, want := range map[string]string{
		"1234567890123456789012345678901": "of 31 digits; rows are put in order by 30 digits at most; leave step out",
		"01/02/2024":                      `got "01/02/2024", a date or a time that is not written year first; write it as 2024-01-31 or 2024-01-31T23:59:59; leave step out where the rows are in order`,
		"2024-02-30":                      `got "2024-02-30", a date or a time that there is not`,
		"2024-01-01 24:00":                `got "2024-01-01 24:00", a date or a time that there is not`,
		"10:30":                           `got "10:30", a date or a time that is not written year first`,
		"1,5":                             `got "1,5", want a number; write a decimal comma as a point`,
	} {
		_, _, err := Read(Columns{Step: "t", Label: "y"}, written(t, "f.csv", "t;x;y\n"+step+";1;1\n"), nil)
		if err == nil || !strings.Contains(err.Error(), `line 2: column "t": got `) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", step, err, want)
		}
	}
}

// TestWide holds that reading costs in proportion to the columns, listed or not, and that
// memory does. With a pass over all columns for each it took minutes.
func TestWide(t *testing.T) {
	const columns = 100_000
	names := make([]string, columns)
	for i := range names {
		names[i] = fmt.Sprintf("x%d", i)
	}
	text := strings.Join(names, ",") + ",y\n" + strings.Repeat("1,", columns) + "2\n"
	for _, list := range [][]string{nil, names} {
		table, _, err := Read(Columns{Label: "y", Features: list}, written(t, "f.csv", text), nil)
		if err != nil || table.width != columns+1 || table.Held() > 16<<20 {
			t.Errorf("%d numbers in a row, %v bytes, %v", table.width, table.Held(), err)
		}
	}
}
