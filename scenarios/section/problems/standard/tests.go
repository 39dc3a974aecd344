package standard

import (
	"fmt"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/table"
	"starling/scenarios/study"
)

// tableTest selects the test rows.
type tableTest struct {
	Share      float64 `yaml:"share" over:"0" under:"1" says:"a share of %v" unit:"share of rows" doc:"share of the rows of each party, one at least, drawn at random; absent, another key says which rows test"`
	Column     string  `yaml:"column" range:"a column of train and test" doc:"column of the words train and test; absent, another key says which rows test"`
	File       string  `yaml:"file" range:"a path" doc:"another file with the same columns; without a column of parties its rows are divided among all; absent, another key chooses the rows for tests"`
	Folds      int     `yaml:"folds" min:"2" max:"1000000" says:"%v folds" unit:"folds" doc:"number of parts, of equal size up to a row, into which the rows of each party are dealt at random: the seeds test on one after the other, and as many seeds as folds test each row once; absent, another key says which rows test"`
	Last       float64 `yaml:"last" over:"0" under:"1" says:"a last share of %v" unit:"share of rows" doc:"share of the rows of each party, one at least, that are its last ones by step, or in the order of the file; absent, another key says which rows test"`
	From       From    `yaml:"from" unit:"of the column" range:"a number or a time" doc:"number or time, written year first: rows with a step at or after it test; absent, another key names the rows that test"`
	Parties    float64 `yaml:"parties" over:"0" under:"1" says:"a share of %v of parties" unit:"share of parties" doc:"share of the parties, one at least, drawn at random, that are no nodes: every node is tested on all of their rows; absent, another key says which rows test"`
	Draw       string  `yaml:"draw" oneof:"seed fixed" doc:"of rows, folds, parties and validation rows that are drawn: seed draws again under every seed of the scenario, so that intervals over seeds cover the choice of the rows; fixed draws alike under every seed; absent, seed"`
	Stratified bool    `yaml:"stratified" doc:"have share, folds and validation take the same share of each class of a party, within a row"`
	Common     bool    `yaml:"common" doc:"test every node on the test rows of all nodes, and not only on its own"`
}

// drawFixed is the value of draw for rows that are the same under every seed; the other is seed.
const drawFixed = "fixed"

// From is the key from: a number or a time, as text.
type From struct{ text string }

// DecodeNode implements document.NodeDecoder.
func (f *From) DecodeNode(node *document.Node) error {
	*f = From{}
	switch node.Kind() {
	case document.Null:
		return nil
	case document.Integer, document.Float, document.String:
		f.text = node.Value() // also where it is wrong: it is given
		if _, err := dataset.ParseBound(f.text); err != nil {
			return node.Issuef("got %s, want a number, or a time such as 2024-01-31 or 2024-01-31T23:59:59", node.Text())
		}
		return nil
	}
	return node.Issuef("got %s, want a number or a time", node.Text())
}

// way is a key of test that says which rows test.
type way struct {
	key          string
	given, drawn bool
}

// ways returns the keys of which one is given.
func (t *tableTest) ways() []way {
	return []way{
		{"share", t.Share > 0, true}, {"column", t.Column != "", false}, {"file", t.File != "", false}, {"folds", t.Folds > 0, true},
		{"last", t.Last > 0, false}, {"from", t.From.text != "", false}, {"parties", t.Parties > 0, true},
	}
}

// split returns the split of a table that was read: a column, a file and a time have told its test
// rows apart already.
func (s *tableSection) split() table.Split {
	split := table.Split{Validation: s.Validation, Seeded: true}
	if t := s.Test; t != nil {
		split.Share, split.Folds, split.Last, split.Parties = t.Share, t.Folds, t.Last, t.Parties
		split.Stratified, split.Common, split.Seeded = t.Stratified, t.Common, t.Draw != drawFixed
	}
	return split
}

// checkTests refuses keys of test that contradict each other. quantities is true for labels that are
// numbers.
func (s *tableSection) checkTests(quantities bool) (errs []error) {
	t := s.Test
	if t == nil {
		return nil
	}
	found := func(key, format string, args ...any) { errs = append(errs, document.At("test."+key, format, args...)) }
	var given, all []string
	drawn := s.Validation > 0
	for _, w := range t.ways() {
		all = append(all, w.key)
		if w.given {
			given, drawn = append(given, w.key), drawn || w.drawn
		}
	}
	switch list := strings.Join(all[:len(all)-1], ", ") + " and " + all[len(all)-1]; {
	case len(given) == 0:
		errs = append(errs, document.At("test", "give one of %s", list))
	case len(given) > 1:
		for _, key := range given[1:] {
			found(key, "give one of %s; %s is given already", list, given[0])
		}
	}
	if t.Draw != "" && !drawn && len(given) > 0 {
		found("draw", "%s draws nothing, and there are no validation rows; leave draw out", given[0])
	}
	if t.Stratified && len(given) > 0 && t.Share == 0 && t.Folds == 0 && s.Validation == 0 {
		found("stratified", "stratified is of share, folds and validation; leave it out")
	}
	if t.Stratified && quantities {
		found("stratified", "labels are numbers, and have no classes; leave it out, or take a model of classes")
	}
	if t.From.text != "" && s.Step == "" {
		found("from", "from is of the column step, which is missing")
	}
	if t.Parties > 0 && !s.Party.given() {
		found("parties", "there are no parties; give party, the column of the party of a row")
	}
	if t.Parties > 0 && t.Draw != drawFixed && s.Parameters != nil {
		found("parties", "parameters are of nodes, and nodes are other parties under every seed; give draw: fixed")
	}
	return errs
}

// describeTests returns a sentence on the rows of tests; it is empty where a share, a column or a file
// says which they are, the same under every seed.
func (s *tableSection) describeTests(seeds study.Seeds) string {
	var list []string
	split, all := s.split(), "the rows"
	if s.Party.given() {
		all += " of each party"
	}
	switch t := s.Test; {
	case t == nil:
	case t.Share > 0 && split.Varies():
		list = append(list, fmt.Sprintf("a share of %v of %s tests", t.Share, all))
	case t.Folds > 0:
		text := fmt.Sprintf("%d folds of %s, one after the other under the seeds, and other folds after %d seeds", t.Folds, all, t.Folds)
		if !split.Seeded {
			text = fmt.Sprintf("%d folds of %s, one after the other under the seeds", t.Folds, all)
		}
		if seeds.Count%t.Folds != 0 {
			text += fmt.Sprintf("; %d seeds are no multiple of %d, so that some rows test more often than others", seeds.Count, t.Folds)
		}
		list = append(list, text)
	case t.Last > 0:
		list = append(list, fmt.Sprintf("the last %v of %s test", t.Last, all))
	case t.From.text != "":
		list = append(list, fmt.Sprintf("rows with %s from %s on test", s.Step, t.From.text))
	case t.Parties > 0:
		list = append(list, fmt.Sprintf("the rows of %v of the parties test, which are no nodes", t.Parties))
	}
	if split.Seeded && split.Varies() {
		list = append(list, "drawn again under every seed")
	}
	if split.Varies() {
		list = append(list, fmt.Sprintf("notes on rows and on numbers that are computed from them are of seed %d", seeds.Base))
	}
	if split.Common {
		list = append(list, "every node is tested on the test rows of all nodes")
	}
	return strings.Join(list, "; ")
}
