package accounts_test

import (
	"reflect"
	"testing"

	"starling/scenarios/accounts"
	"starling/scenarios/results/tabular"
)

// Arms whose rows are all the same share them; an arm with one row more does not, and neither
// does one with the rows in another order. The one group without a name of its own has the other arms, at the end.
func TestArmsTogether(t *testing.T) {
	table := tabular.Table{Header: []string{"arm", "observer", "accounted"}, Rows: [][]string{
		{"a", "wire", "1"}, {"a", "peer", "2"}, {"b", "wire", "1"}, {"c", "wire", "1"}, {"c", "peer", "2"},
		{"d", "peer", "2"}, {"d", "wire", "1"}, {"e", "wire", "1"}, {"e", "peer", "2"},
	}}
	want := [][]string{
		{"b", "wire", "1"}, {"d", "peer", "2"}, {"d", "wire", "1"}, {"3 other arms", "wire", "1"}, {"3 other arms", "peer", "2"},
	}
	if got := accounts.ArmsTogether(table).Rows; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Rows that differ in their arm alone are one, and the given table stays as it is.
func TestRowsTogether(t *testing.T) {
	table := tabular.Table{Header: []string{"arm", "note", ""}, Rows: [][]string{
		{"a", "privacy", "none"}, {"b", "privacy", "none"}, {"b", "adversaries", "2"}, {"c", "privacy", "none"}, {"c", "adversaries", "2"}, {"d", "privacy", "1"},
	}}
	want := [][]string{{"a and 2 others", "privacy", "none"}, {"b; c", "adversaries", "2"}, {"d", "privacy", "1"}}
	if got := accounts.RowsTogether(table).Rows; !reflect.DeepEqual(got, want) || table.Rows[0][0] != "a" {
		t.Errorf("%v, want %v", got, want)
	}
}
