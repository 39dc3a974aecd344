package table

import (
	"fmt"
	"math"
	"os"
	"strings"

	"starling/scenarios/problem/dataset"
)

// Guess is what the columns of a file are by their names, and what is counted in them.
type Guess struct {
	// Names are all columns, in their order; Features are those of numbers in all rows that
	// are nothing else and no row numbers. Doubtful are columns that would be refused: of
	// numbers and others, or of numbers in a notation that is not read.
	Names, Features, Doubtful []string
	// Left are the other columns that are no features, by why, as Table.Left says them.
	Left string
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
	party, label, step int
	parties            map[string]int
	labels             map[string]bool
	// columns are all, and sights what was seen of those that may be features, by index, nil
	// of others. doubtful are those of which a row was refused.
	columns  []dataset.Column
	sights   []*sight
	doubtful map[int]bool
	// counts has the last number of columns that count the rows so far, by index, and along is
	// what the first step is.
	counts map[int]float64
	along  string
	// whole tells that all labels so far are whole numbers, and words that some are none.
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

// finish decides what columns are. Of labels, two values are two classes whatever they are,
// words are always classes, and a few whole numbers are taken as classes, too. It is a
// guess, which the scenario that is written from it shows to the user.
func (g *guesser) finish() {
	g.Parties, g.Least = len(g.parties), g.Rows
	for _, rows := range g.parties {
		g.Least = min(g.Least, rows)
	}
	if n := len(g.labels); n == 2 || g.words || g.whole && n <= mostGuessed {
		g.Classes = n
	}
	var left Table // as a table would leave them out
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
