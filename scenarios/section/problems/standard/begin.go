package standard

import (
	"fmt"
	"strconv"
	"strings"

	"starling/scenarios/problem/table"
	"starling/scenarios/problem/table/profile"
	"starling/scenarios/study"
)

// beginKeys are the keys of the section problem that a profile decides. Those that it does not propose
// are absent, also where an example has them.
var beginKeys = []string{
	"file", "format", "party", "least", "small", "step", "label", "features", "words", "booleans", "times", "exclude",
	"missing", "rare", "levels", "standardise", "test", "partition", "model",
}

// beginTable proposes the settings for a table; given may name the columns label and party. It is a
// study.FileBeginner.
func beginTable(path string, given map[string]string) ([]study.Setting, error) {
	p, err := profile.Read(path, given["label"], given["party"])
	if err != nil {
		return nil, err
	}
	proposed := map[string]string{}
	for _, key := range p.Keys(path) {
		proposed[key.Name] = key.Value
	}
	notes := beginNotes(p)
	var list []study.Setting
	for _, key := range beginKeys {
		list = append(list, study.Setting{Path: "problem." + key, Text: proposed[key], Note: notes[key]})
	}
	if p.Classes() == 0 { // there is no accuracy of a quantity
		list = append(list, study.Setting{Path: "measure.metrics", Text: "[error.rmse, r2, loss.*, epsilon.*, bytes.sent]", Note: "Errors on the rows of tests, in the unit of the label."})
	}
	// All rows of a party count: the example's number of samples may exceed the party's rows.
	list = append(list, study.Setting{Path: "algorithm.samples"}, study.Setting{Path: "algorithm.statistics_samples"})
	rows, nodes := p.Fewest, p.Parties
	if p.Parties > 0 {
		list = append(list, study.Setting{Path: "nodes", Text: strconv.Itoa(nodes), Note: fmt.Sprintf("The parties of %s.", path)})
	} else {
		const nodes = 10
		rows = p.Rows / nodes
	}
	train := rows - max(1, (rows+4)/5) // a fifth of the rows test
	list = append(list, study.Setting{Path: "algorithm.batch", Most: max(1, train), Note: "As many rows as every party can learn from."})
	return append(list, study.Setting{Path: "horizon", Text: strconv.Itoa(max(1, min(train, 1000))), Note: "As many rows as every party can learn from, one a step, 1000 at most."}), nil
}

// beginNotes returns the comments on keys of the section problem.
func beginNotes(p *profile.Profile) map[string]string {
	notes := map[string]string{
		"file":        columnsNote(p),
		"party":       fmt.Sprintf("A guess by the name of the column, of %d parties.", p.Parties),
		"step":        "A guess by the name of the column.",
		"label":       "A guess by the name of the column.",
		"format":      strings.Join(p.Notes, " "),
		"standardise": "By all training rows, which is not private: give public constants for a private run.",
	}
	if !p.Named {
		notes["label"] = "A guess: no column has a usual name such as label or y, and this is the last."
	}
	if p.Parties == 0 {
		notes["partition"] = "No column has a usual name of parties, such as client or party."
	}
	for _, c := range p.Columns {
		if c.Use == profile.Label {
			notes["model"] = fmt.Sprintf("A guess by the values of %s.", c.Name)
		}
	}
	return notes
}

// columnsNote lists the columns of a file, and the columns that are no features.
func columnsNote(p *profile.Profile) string {
	var names, left []string
	for _, c := range p.Columns {
		names = append(names, c.Name)
		if c.Use == profile.Left || c.Use == profile.Identifier {
			left = append(left, fmt.Sprintf("%q, %s", c.Name, c.Why))
		}
	}
	note := fmt.Sprintf("Columns: %s.", table.Listed(names))
	if left != nil {
		const most = 12
		more := ""
		if n := len(left) - most; n > 0 {
			left, more = left[:most], fmt.Sprintf("; and %d more", n)
		}
		note += fmt.Sprintf(" No features: %s%s.", strings.Join(left, "; "), more)
	}
	if odd := faults(p); odd > 0 {
		note += fmt.Sprintf(" starling data look lists %d faults of cells and rows.", odd)
	}
	return note
}

// faults counts the faults of a file.
func faults(p *profile.Profile) (n int) {
	for _, c := range p.Columns {
		n += len(c.Faults)
	}
	return n + len(p.Faults)
}
