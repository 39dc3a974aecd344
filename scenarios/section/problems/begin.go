package problems

import (
	"fmt"
	"strconv"
	"strings"

	"starling/scenarios/problem/table"
	"starling/scenarios/study"
)

// BeginTable says how a new scenario names the columns of a file, as study.FileBeginner.
func BeginTable(path string) ([]study.Setting, error) {
	g, err := table.GuessFile(path)
	if err != nil {
		return nil, err
	}
	quote := strconv.Quote
	list := []study.Setting{
		{Path: "problem.file", Text: quote(path), Note: fmt.Sprintf("Columns: %s.", strings.Join(g.Names, ", "))},
		{Path: "problem.label", Text: quote(g.Label), Note: "A guess by the name of the column."},
		{Path: "problem.party"}, {Path: "problem.step"}, {Path: "problem.features"},
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
	train := rows - max(1, (rows+4)/5) // what the examples test with is a fifth
	return append(list, study.Setting{Path: "horizon", Text: strconv.Itoa(max(1, min(train, 1000))), Note: "As many rows as every party can learn from, one a step, 1000 at most."}), nil
}
