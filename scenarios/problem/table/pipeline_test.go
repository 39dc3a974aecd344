package table

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"

	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/vector"
)

// dirty are the columns of testdata/dirty.csv.
func dirty(treatment string) Columns {
	return Columns{
		Label: "y", Split: "Gruppe", Classes: true,
		Booleans: []string{"verheiratet"}, Words: []string{"Stadt"},
		Times:   []TimeColumn{{Name: "seit", Parts: []string{Year, Month, Day, Weekday, YearCycle}}},
		Missing: Missing{Default: treatment},
		Format:  dataset.Format{Decimal: ",", Thousands: ".", Dates: dataset.DayFirst, Gaps: []string{"k.A."}},
	}
}

// TestPipeline holds that a table in UTF-16 with decimal commas, separators of thousands, dates,
// booleans, rare words and cells without a value becomes the data that pandas and scikit-learn
// make of it, to 1e-12: imputation, merged levels and standardisation are fitted on training rows
// alone. testdata/pipeline.py wrote the file and their numbers.
func TestPipeline(t *testing.T) {
	for _, treatment := range MissingTreatments() {
		read, _, err := Read(dirty(treatment), opened(t, "testdata/dirty.csv"), nil)
		if err != nil {
			t.Fatalf("%s: %v", treatment, err)
		}
		data, err := NewData(read, DataOptions{Labels: vector.Class, Rows: true, Rare: 5})
		if err != nil {
			t.Fatalf("%s: %v", treatment, err)
		}
		train, test := theirs(t, "testdata/pipeline-"+treatment+".csv")
		alike(t, treatment+", training", data, read.train[0], train)
		alike(t, treatment+", test", data, read.common, test)
	}
}

// theirs reads the numbers of another program: data in the order of the file, of training and of
// test rows.
func theirs(t *testing.T, path string) (train, test [][]float64) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		last := len(line) - 1
		datum := make([]float64, last)
		for k := range datum {
			if datum[k], err = strconv.ParseFloat(line[k], 64); err != nil {
				t.Fatal(err)
			}
		}
		if line[last] == "True" {
			test = append(test, datum)
		} else {
			train = append(train, datum)
		}
	}
	return train, test
}

func alike(t *testing.T, what string, data *Data, rows []int, want [][]float64) {
	t.Helper()
	if len(rows) != len(want) || len(want) == 0 {
		t.Fatalf("%s: %d rows, want %d", what, len(rows), len(want))
	}
	got := make([]float64, data.Width())
	for i, row := range rows {
		data.Datum(got, row)
		if len(got) != len(want[i]) {
			t.Fatalf("%s: %d numbers, %q; want %d", what, len(got), data.Names(), len(want[i]))
		}
		for k := range got {
			if !(math.Abs(got[k]-want[i][k]) <= 1e-12) {
				t.Errorf("%s: row %d, number %d: %v, want %v", what, i, k, got[k], want[i][k])
			}
		}
	}
}
