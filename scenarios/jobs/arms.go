package jobs

import (
	"starling/scenarios/document"
	"starling/scenarios/results"
	"starling/scenarios/study"
)

// types are the kinds of values under their names in arms.parquet.
var types = map[document.Kind]string{
	document.Mapping:  "mapping",
	document.Sequence: "list",
	document.String:   "text",
	document.Integer:  "integer",
	document.Float:    "number",
	document.Bool:     "boolean",
	document.Null:     "null",
}

// ArmRows returns the rows of arms.parquet: for each arm the values in its scenario of all
// keys on which its numbers depend. Mappings are spread into their keys; lists, and mappings
// that the sweep sets as a whole, are one value.
func ArmRows(s *study.Scenario) (rows []results.ArmRow) {
	swept := map[string]bool{}
	for _, arm := range s.Arms {
		for _, v := range arm.Values {
			swept[v.Path] = true
		}
	}
	for _, arm := range s.Arms {
		var spread func(node *document.Node)
		spread = func(node *document.Node) {
			isMapping := node.Kind() == document.Mapping && node.Len() > 0
			if !isMapping || swept[node.Path()] {
				rows = append(rows, armRow(arm.Name, node, swept[node.Path()]))
			}
			if isMapping {
				for _, value := range node.Entries() {
					spread(value)
				}
			}
		}
		written := len(rows)
		for _, value := range parameters(arm) {
			spread(value)
		}
		// Values that a sweep sets inside of a list have no row yet.
		for _, v := range arm.Values {
			node, ok := arm.Document.Find(v.Path)
			if ok && !hasKey(rows[written:], node.Path()) {
				rows = append(rows, armRow(arm.Name, node, true))
			}
		}
	}
	return rows
}

// hasKey reports whether there is a row of a key.
func hasKey(rows []results.ArmRow, key string) bool {
	for i := range rows {
		if rows[i].Key == key {
			return true
		}
	}
	return false
}

// armRow returns the row of a value in an arm.
func armRow(arm string, node *document.Node, swept bool) results.ArmRow {
	row := results.ArmRow{Arm: arm, Key: node.Path(), Value: node.Text(), Type: types[node.Kind()], Swept: swept}
	switch node.Kind() {
	case document.String:
		row.Value = node.Value() // without the quotes that YAML needs
		var fraction document.Number
		if document.Decode(node, &fraction) == nil { // such as 1/3
			number := float64(fraction)
			row.Number = &number
		}
	case document.Integer, document.Float:
		var number float64
		if document.Decode(node, &number) == nil { // NaN is none
			row.Number = &number
		}
	}
	return row
}
