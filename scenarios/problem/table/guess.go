package table

import (
	"fmt"
	"math"
	"os"
	"strings"

	"starling/scenarios/problem/dataset"
)

// Guess has the uses of the columns of a file, guessed by their names, and counts of their
// values.
type Guess struct {
	// Names are all columns, in their order; Features are the columns with numbers in all rows
	// that have no other use and are no row numbers. Doubtful are columns that would be
	// refused: with numbers and other texts, or with numbers in a notation that is not read.
	Names, Features, Doubtful []string
	// Left lists the other columns that are no features, by the reason, in the form of
	// Table.Left.
	Left string
	// Party and Step are empty where no column has a usual name. Named is true if the label
	// has a usual name; otherwise the label is the last column.
	Party, Step, Label string
	Named              bool
	// Rows is the number of all rows, Parties the number of parties, and Least the fewest rows
	// of a party.
	Rows, Parties, Least int
	// Classes is the number of values of the label; 0 where it is a quantity.
	Classes int
}

// The usual names of columns. A name counts alone, or followed by id, in any case: client,
// Client_ID, clientid.
var (
	partyNames = []string{"party", "client", "user", "site", "hospital", "institution", "center", "centre", "silo", "device", "node", "customer", "patient", "subject"}
	labelNames = []string{"label", "y", "target", "class", "outcome", "response"}
	stepNames  = []string{"step", "time", "timestamp", "round", "t"}
)

// mostGuessed is the largest number of different whole numbers in a label that are taken as
// classes.
const mostGuessed = 20

// noRows is the error of a file with a header alone.
const noRows = "there is no row after the names of the columns"

// GuessFile reads a CSV or Parquet file and guesses the uses of its columns. Errors are from
// dataset.ReadRows; a file without rows is an error, too.
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

// guesser makes a Guess of rows. It implements dataset.RowReader.
type guesser struct {
	Guess
	// party and label are columns by index, party -1 where there is none. parties counts
	// the rows by the name of the party, and labels has the values seen so far, at most
	// one more than mostClasses of them.
	party, label, step int
	parties            map[string]int
	labels             map[string]bool
	// columns are all columns. sights has the looks of the columns that may be features, by
	// index, nil for others. doubtful are the columns of which a cell was refused.
	columns  []dataset.Column
	sights   []*sight
	doubtful map[int]bool
	// counts has the last number of each column that has counted the rows so far, by index.
	// along is the scale of the first step.
	counts map[int]float64
	along  string
	// whole is true if all labels so far are whole numbers, and words if some are no numbers.
	whole, words bool
}

// Header implements dataset.RowReader.
func (g *guesser) Header(_ dataset.Place, columns []dataset.Column) error {
	g.columns, g.sights, g.doubtful, g.counts = columns, make([]*sight, len(columns)), map[int]bool{}, map[int]float64{}
	for _, c := range columns {
		g.Names = append(g.Names, c.Name)
	}
	g.party, g.label, g.step = usual(g.Names, partyNames), usual(g.Names, labelNames), usual(g.Names, stepNames)
	if g.Named = g.label >= 0; !g.Named {
		g.label = len(g.Names) - 1
	}
	g.Label = g.Names[g.label]
	if g.party == g.label {
		g.party = -1
	}
	if g.party >= 0 {
		g.Party = g.Names[g.party]
	}
	if g.step == g.label || g.step == g.party {
		g.step = -1
	}
	for i, c := range columns {
		if i != g.party && i != g.label && !c.Index() && !c.Identifies() {
			g.sights[i] = &sight{column: c}
		}
		if c.MayCount() {
			g.counts[i] = 0
		}
	}
	return nil
}

// usual returns the column with the first of some names, alone or with "id"; -1 if there is
// none.
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
func (g *guesser) Row(at dataset.Place, cells []dataset.Cell) error {
	g.Rows++
	if g.party >= 0 {
		name, err := cells[g.party].Name()
		if err != nil {
			return at.Errorf("column %q: %w", g.Party, err)
		}
		g.parties[name]++
	}
	if g.step >= 0 {
		_, along, err := cells[g.step].Step()
		if g.Rows == 1 {
			g.along = along
		}
		if err != nil || along != g.along {
			g.step = -1
		}
	}
	for i := range g.counts {
		x, err := cells[i].Float()
		if last := g.counts[i]; err != nil || g.Rows > 1 && x != last+1 {
			delete(g.counts, i)
		} else {
			g.counts[i] = x
		}
	}
	for i, s := range g.sights {
		if s != nil && s.take(at, cells[i]) != nil {
			g.doubtful[i] = true
		}
	}
	x, err := cells[g.label].Float()
	g.words = g.words || err != nil
	g.whole = g.whole && err == nil && x == math.Trunc(x)
	if name, err := cells[g.label].Name(); err == nil && len(g.labels) <= mostClasses {
		g.labels[name] = true
	}
	return nil
}

// finish decides the uses of columns. Labels with two values are two classes, words are always
// classes, and a few whole numbers are taken as classes, too. It is a guess; the new scenario
// shows it to the user.
func (g *guesser) finish() {
	g.Parties, g.Least = len(g.parties), g.Rows
	for _, rows := range g.parties {
		g.Least = min(g.Least, rows)
	}
	if n := len(g.labels); n == 2 || g.words || g.whole && n <= mostGuessed {
		g.Classes = n
	}
	var left Table // leaves them out as a table would
	for i, c := range g.columns {
		_, counts := g.counts[i]
		switch s := g.sights[i]; {
		case i == g.party || i == g.label:
		case i == g.step:
			g.Step = c.Name
		case s == nil && c.Index() || s != nil && counts && g.Rows > 2:
			left.leave(whyIndex, c.Name)
		case s == nil:
			left.leave(whyIdentifier, c.Name)
		case g.doubtful[i] || s.notation() != nil || c.Sort == dataset.Numbers && s.first(dataset.Number) == nil:
			g.Doubtful = append(g.Doubtful, c.Name)
		case s.first(dataset.Number) != nil:
			g.Features = append(g.Features, c.Name)
		default:
			left.leave(s.why(), c.Name)
		}
	}
	g.Left = left.Left()
}
