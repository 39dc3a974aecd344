package mechanisms

import (
	"strings"
	"testing"

	"starling/mechanisms/factorization"
)

// A file has entries in any order, and zeros need no row.
func TestParseStrategy(t *testing.T) {
	s, err := parseStrategy("c.csv", []byte("# mine\nrow,column,value\n3,3,2\n1,1,1\n3,1,0\n2,2,1\n3,2,-0.5\n2,1,0.25\n"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := factorization.New(factorization.Options{Kind: factorization.Own, N: 3, Strategy: s})
	if err != nil {
		t.Fatal(err)
	}
	if s.N() != 3 || f.MemoryPerCoordinate() != 1 || f.Sensitivity() != 2 { // the columns have the norms 1.03, 1.12 and 2
		t.Errorf("%d rows, %d numbers a coordinate, sensitivity %v", s.N(), f.MemoryPerCoordinate(), f.Sensitivity())
	}
}

// All rows with faults are told, with their lines.
func TestParseStrategyRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "c.csv:1: want the columns row, column, value, each once, in the first line",
		"row,column,weight\n1,1,1\n":            "c.csv:1: want the columns row, column, value, each once, in the first line",
		"row,column,value\n":                    "c.csv: a strategy has 0 rows; want 1 to 2048",
		"row,column,value\n1,2,1\n1,1,x\n":      "c.csv:2: entry (1, 2) is above the diagonal, where C has none: the noise of a step would need later noise\nc.csv:3: value \"x\"; want a finite number",
		"row,column,value\n1,1,1\n1,1,1\n":      "c.csv:3: entry (1, 1) is given twice",
		"row,column,value\n0,1,1\n":             "c.csv:2: row \"0\"; want a whole number of 1 to 65536",
		"row,column,value\n1,1,1\n3,3,1\n":      "c.csv: entry (2, 2) of C, on its diagonal, is 0",
		"row,column,value\n1,1\n":               "c.csv:2: wrong number of fields",
		"row,column,value\n1,1,1\n2,1,1\n2,2,0": "c.csv: entry (2, 2) of C, on its diagonal, is 0",
	} {
		if _, err := parseStrategy("c.csv", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzParseStrategy(f *testing.F) {
	f.Add([]byte("row,column,value\n1,1,1\n2,1,0.5\n2,2,1\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := parseStrategy("c.csv", text)
		if err != nil {
			return
		}
		if _, err := factorization.New(factorization.Options{Kind: factorization.Own, N: s.N(), Strategy: s}); err != nil && !strings.Contains(err.Error(), "want finite numbers above 0") {
			t.Error(err)
		}
	})
}
