package accounts_test

import (
	"reflect"
	"testing"

	"starling/scenarios/accounts"
	"starling/scenarios/results/tabular"
)

// Arms whose rows are all the same share them; an arm with one row more does not, and neither
// does one with the rows in another order.
func TestArmsTogether(t *testing.T) {
	table := tabular.Table{Header: []string{"arm", "observer", "accounted"}, Rows: [][]string{
		{"a", "wire", "1"}, {"a", "peer", "2"}, {"b", "wire", "1"}, {"c", "wire", "1"}, {"c", "peer", "2"},
		{"d", "peer", "2"}, {"d", "wire", "1"}, {"e", "wire", "1"}, {"e", "peer", "2"},
	}}
	want := [][]string{
		{"a and 2 others", "wire", "1"}, {"a and 2 others", "peer", "2"}, {"b", "wire", "1"}, {"d", "peer", "2"}, {"d", "wire", "1"},
	}
	if got := accounts.ArmsTogether(table).Rows; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
