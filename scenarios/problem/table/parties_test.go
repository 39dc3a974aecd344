package table

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestParties holds the owners of rows: of several columns together, by the quantiles of a
// number, and without parties that have too few rows.
func TestParties(t *testing.T) {
	var text strings.Builder
	text.WriteString("town,job,age,y,split\n")
	for i := range 30 {
		town := []string{"Rome", "Oslo", "Bonn"}[i%3]
		if i%10 == 9 {
			town = []string{"Ulm", "Trier", "Jena"}[i/10]
		}
		fmt.Fprintf(&text, "%s,%d,%d,%d,%s\n", town, i%2, (i*7)%30, i%2, []string{"train", "train", "test"}[i/3%3])
	}
	for _, test := range []struct {
		parties Parties
		names   []string
		rows    string // of training and of tests, by party
		err     string
	}{
		{parties: By("town", "job"), names: []string{"Bonn / 0", "Bonn / 1", "Jena / 1", "Oslo / 0", "Oslo / 1", "Rome / 0", "Rome / 1", "Trier / 1", "Ulm / 1"}},
		{parties: Parties{Columns: []string{"town", "job"}, Least: 3, Small: SmallDrop}, names: []string{"Bonn / 0", "Bonn / 1", "Oslo / 0", "Rome / 0", "Rome / 1"}},
		{parties: Parties{Columns: []string{"town"}, Least: 4, Small: SmallDrop}, names: []string{"Bonn", "Oslo", "Rome"}},
		{parties: Parties{Columns: []string{"town"}, Least: 2, Small: SmallMerge}, names: []string{"Bonn", "Oslo", "Rome", "(others)"}},
		{parties: Parties{Columns: []string{"town"}, Least: 4, Small: SmallMerge}, err: `3 training rows in all are of parties with fewer than 4, "Jena" "Trier" "Ulm"`},
		{parties: Parties{Columns: []string{"town"}, Least: 99, Small: SmallDrop}, err: "no party has 99 training rows"},
		{parties: Parties{Columns: []string{"age"}, Quantiles: 3}, names: []string{"age to 7", "age above 7 to 16", "age above 16"}},
		{parties: Parties{Columns: []string{"job"}, Quantiles: 3}, err: `column "job" has too few different values for 3 quantiles`},
	} {
		columns := Columns{Party: test.parties, Label: "y", Features: []string{"age"}, Classes: true, Split: "split"}
		read, _, err := Read(columns, written(t, "f.csv", text.String()), nil)
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%+v: %v, want %s", test.parties, err, test.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%+v: %v", test.parties, err)
			continue
		}
		if !slices.Equal(read.Parties, test.names) {
			t.Errorf("%+v: %q, want %q", test.parties, read.Parties, test.names)
		}
		checkOwners(t, read, test.parties, text.String())
	}
}

// checkOwners compares the rows of each party with those that a plain loop over the lines finds.
func checkOwners(t *testing.T, read *Table, parties Parties, text string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(text), "\n")[1:]
	for party, name := range read.Parties {
		for _, split := range []struct {
			word string
			rows []int
		}{{"train", read.train[party]}, {"test", read.test[party]}} {
			var want []int
			for i, line := range lines {
				fields := strings.Split(line, ",")
				var own string
				switch {
				case parties.Quantiles > 0:
					var age int
					fmt.Sscan(fields[2], &age)
					own = map[bool]string{true: "age to 7", false: "age above 7 to 16"}[age <= 7]
					if age > 16 {
						own = "age above 16"
					}
				case len(parties.Columns) == 2:
					own = fields[0] + " / " + fields[1]
				default:
					own = fields[0]
				}
				if parties.Small == SmallMerge && !slices.Contains(read.Parties, own) {
					own = "(others)"
				}
				if own == name && fields[4] == split.word {
					want = append(want, i)
				}
			}
			if !slices.Equal(split.rows, want) {
				t.Errorf("%+v: party %q, %s: rows %v, want %v", parties, name, split.word, split.rows, want)
			}
		}
	}
}
