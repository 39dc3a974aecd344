package results

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRowsOfEarlierRuns checks that a table without curves is read: all of its rows are
// final. Other columns are refused.
func TestRowsOfEarlierRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "privacy.parquet")
	want := []PrivacyRow{{Arm: "base", Seed: 7, Observer: "wire", Unit: 1, Units: 5, Step: 9, Definition: "pure", Epsilon: 2.5, Final: true}}
	check := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		var got []PrivacyRow
		if err := eachPrivacy(path, func(row PrivacyRow) error { got = append(got, row); return nil }); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
	earlier := earlierPrivacyRecord{Arm: "base", Seed: 7, Observer: "wire", Unit: 1, Units: 5, Step: 9, Definition: "pure", Epsilon: 2.5}
	check("a table without curves", writeTable(path, []earlierPrivacyRecord{earlier}))
	check("a table with curves", writeTable(path, []curvePrivacyRecord{{earlier, true}}))
	if err := writeTable(path, []struct{ Arm string }{{"base"}}); err != nil {
		t.Fatal(err)
	}
	if err := eachPrivacy(path, func(PrivacyRow) error { return nil }); !errors.Is(err, errColumns) {
		t.Errorf("other columns: %v", err)
	}
}

// writeTable writes a table as it is.
func writeTable[T any](path string, records []T) error {
	file, err := createTable[T](path)
	if err != nil {
		return err
	}
	defer file.Abort()
	if err := file.Write(records); err != nil {
		return err
	}
	return file.Commit()
}
