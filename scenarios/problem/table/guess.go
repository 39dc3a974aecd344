package table

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"starling/scenarios/problem/dataset"
)

// Guess is what the columns of a file are by their names, and what is counted in them.
type Guess struct {
	// Names are all columns, in their order; Features are those of numbers that are nothing
	// else.
	Names, Features []string
	// Party and Step are empty where no column has a usual name. Named tells that the label
	// has one: otherwise it is the last column.
	Party, Step, Label string
	Named              bool
	// Rows are all; Parties is how many there are, and Least the fewest rows of one.
	Rows, Parties, Least int
	// Classes is how many values the label has; 0 where it is a quantity.
	Classes int
}

// The usual names of columns. A name counts alone, or followed by id, in any case: client,
// Client_ID, clientid.
var (
	partyNames = []string{"party", "client", "user", "site", "hospital", "institution", "center", "centre", "silo", "device", "node", "customer", "patient", "subject"}
	labelNames = []string{"label", "y", "target", "class", "outcome", "response"}
	stepNames  = []string{"step", "time", "timestamp", "round", "t"}
)

// mostGuessed is how many whole numbers are taken as classes at most.
const mostGuessed = 20

// noRows is what is wrong with a file of a header alone.
const noRows = "there is no row after the names of the columns"

// GuessFile reads a CSV or Parquet file and guesses what its columns are. Errors are those
// of dataset.ReadRows, and that of a file without rows.
func GuessFile(path string) (*Guess, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	g := &guesser{parties: map[string]int{}, labels: map[string]bool{}, whole: true}
	if _, err := dataset.ReadRows(file, path, g); err != nil {
		return nil, err
	}
	if g.Rows == 0 {
		return nil, fmt.Errorf("%s: %s", path, noRows)
	}
	g.finish()
	return &g.Guess, nil
}

// guesser looks at rows. It implements dataset.RowReader.
type guesser struct {
	Guess
	// party and label are columns by index, party -1 where there is none. parties counts
	// the rows by the name of the party, and labels has the values seen so far, at most
	// one more than mostClasses of them.
	party, label int
	parties      map[string]int
	labels       map[string]bool
	// whole tells that all labels so far are whole numbers, and words that some are none.
	whole, words bool
}

// Header implements dataset.RowReader.
func (g *guesser) Header(_ dataset.Place, names []string) error {
	g.Names = slices.Clone(names)
	g.party, g.label = usual(names, partyNames), usual(names, labelNames)
	if g.Named = g.label >= 0; !g.Named {
		g.label = len(names) - 1
	}
	g.Label = names[g.label]
	if g.party == g.label {
		g.party = -1
	}
	if g.party >= 0 {
		g.Party = names[g.party]
	}
	return nil
}

// usual is the column with the first of some names, alone or with "id"; -1 for none.
func usual(names, known []string) int {
	for _, word := range known {
		for i, name := range names {
			if name = strings.ToLower(name); name == word || name == word+"_id" || name == word+"id" || name == word+"-id" {
				return i
			}
		}
	}
	return -1
}

// Row implements dataset.RowReader.
func (g *guesser) Row(_ dataset.Place, cells []dataset.Cell) error {
	if g.Rows++; g.Rows == 1 {
		g.first(cells)
	}
	if g.party >= 0 {
		g.parties[textOf(cells[g.party])]++
	}
	x, err := cells[g.label].Float()
	g.words = g.words || err != nil
	g.whole = g.whole && err == nil && x == math.Trunc(x)
	if len(g.labels) <= mostClasses {
		g.labels[textOf(cells[g.label])] = true
	}
	return nil
}

// first finds the columns of numbers.
func (g *guesser) first(cells []dataset.Cell) {
	step := usual(g.Names, stepNames)
	for i, cell := range cells {
		if _, err := cell.Float(); err != nil || i == g.party || i == g.label {
			continue
		}
		if i == step {
			g.Step = g.Names[i]
			continue
		}
		g.Features = append(g.Features, g.Names[i])
	}
}

// finish decides what the label is. Two values are two classes whatever they are, words
// are always classes, and a few whole numbers are taken as classes, too. It is a guess,
// which the scenario that is written from it shows to the user.
func (g *guesser) finish() {
	g.Parties, g.Least = len(g.parties), g.Rows
	for _, rows := range g.parties {
		g.Least = min(g.Least, rows)
	}
	if n := len(g.labels); n == 2 || g.words || g.whole && n <= mostGuessed {
		g.Classes = n
	}
}
