// Package begin proposes the settings of a new scenario for a file of the user's own. It reads
// the file and guesses its columns. The caller writes the scenario and shows the guesses.
package begin

import (
	"fmt"
	"strconv"
	"strings"

	"starling/scenarios/problem/table"
	"starling/scenarios/study"
)

// Table proposes the settings that name the columns of a file. It is a study.FileBeginner.
func Table(path string) ([]study.Setting, error) {
	g, err := table.GuessFile(path)
	if err != nil {
		return nil, err
	}
	quote := strconv.Quote
	list := []study.Setting{
		{Path: "problem.file", Text: quote(path), Note: columnsNote(g)},
		{Path: "problem.label", Text: quote(g.Label), Note: "A guess by the name of the column."},
		{Path: "problem.party"}, {Path: "problem.step"}, {Path: "problem.features"},
		// All rows of a party count: the example's number of samples may exceed the party's
		// rows.
		{Path: "algorithm.samples"}, {Path: "algorithm.statistics_samples"},
	}
	if g.Doubtful != nil && g.Features != nil { // else reading the table reports the fault
		list[4].Text = fmt.Sprintf("[%s]", strings.Join(quoted(g.Features), ", "))
		list[4].Note = fmt.Sprintf("Columns of numbers. Not listed, because numbers and others are mixed in them, or they are not written as 1.5 is: %s.", table.Listed(g.Doubtful))
	}
	if !g.Named {
		list[1].Note = "A guess: no column has a usual name such as label or y, and this is the last."
	}
	rows, nodes := g.Least, 10
	if g.Party != "" {
		nodes = g.Parties
		list[2].Text, list[2].Note = quote(g.Party), fmt.Sprintf("A guess by the name of the column, of %d parties.", g.Parties)
		list = append(list, study.Setting{Path: "nodes", Text: strconv.Itoa(nodes), Note: fmt.Sprintf("The parties of %s.", path)})
	} else {
		list = append(list, study.Setting{Path: "problem.partition", Text: "{kind: iid}", Note: "No column has a usual name of parties, such as client or party."})
		rows /= nodes
	}
	if g.Step != "" {
		list[3].Text, list[3].Note = quote(g.Step), "A guess by the name of the column."
	}
	model := "linear"
	switch {
	case g.Classes == 2:
		model = "logistic"
	case g.Classes > 0:
		model = "softmax"
	}
	list = append(list, study.Setting{Path: "problem.model", Text: "{kind: " + model + "}", Note: fmt.Sprintf("A guess by the values of %s.", g.Label)})
	train := rows - max(1, (rows+4)/5) // examples test with a fifth of the rows
	list = append(list, study.Setting{Path: "algorithm.batch", Most: max(1, train), Note: "As many rows as every party can learn from."})
	return append(list, study.Setting{Path: "horizon", Text: strconv.Itoa(max(1, min(train, 1000))), Note: "As many rows as every party can learn from, one a step, 1000 at most."}), nil
}

// columnsNote lists the columns of a file, and the columns that are no features.
func columnsNote(g *table.Guess) string {
	note := fmt.Sprintf("Columns: %s.", table.Listed(g.Names))
	if g.Left != "" {
		note += fmt.Sprintf(" No features: %s.", g.Left)
	}
	return note
}

// quoted returns texts in the quotes of YAML.
func quoted(texts []string) (list []string) {
	for _, text := range texts {
		list = append(list, strconv.Quote(text))
	}
	return list
}
