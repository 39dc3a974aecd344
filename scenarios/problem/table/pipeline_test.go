package table

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
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

// TestNothingIsFittedOnTestRows holds that training data stay, bit by bit, whatever is in the rows
// of tests: rows of a share, drawn at random, get other numbers, other words and no values.
func TestNothingIsFittedOnTestRows(t *testing.T) {
	rows := make([]string, 40)
	for i := range rows {
		rows[i] = fmt.Sprintf("%d,%c,%d,%d\n", i*i%17, 'a'+i%4, i%7, i%2)
		if i%9 == 2 {
			rows[i] = fmt.Sprintf(",%c,,%d\n", 'a'+i%4, i%2)
		}
	}
	for _, treatment := range []string{MissingMean, MissingMedian, MissingMode, MissingIndicator} {
		columns := Columns{Label: "y", Classes: true, Features: []string{"x", "w", "v"}, Missing: Missing{Default: treatment}}
		fitted := func(rows []string) (*Data, *Table) {
			t.Helper()
			whole, _, err := Read(columns, written(t, "f.csv", "x,w,v,y\n"+strings.Join(rows, "")), nil)
			if err != nil {
				t.Fatal(err)
			}
			split, err := whole.Split(Split{Share: 0.3}, 1, 1)
			if err != nil {
				t.Fatal(err)
			}
			data, err := NewData(split, DataOptions{Labels: vector.Class, Rows: true, Rare: 4})
			if err != nil {
				t.Fatal(err)
			}
			return data, split
		}
		data, split := fitted(rows)
		leaking := slices.Clone(rows)
		for k, row := range split.test[0] {
			leaking[row] = []string{"1e6,d,-1e9,1\n", ",a,,0\n", "-5,b,,1\n"}[k%3]
		}
		other, again := fitted(leaking)
		for k, row := range split.train[0] {
			want, got := make([]float64, data.Width()), make([]float64, other.Width())
			data.Datum(want, row)
			other.Datum(got, again.train[0][k])
			if !slices.Equal(got, want) {
				t.Fatalf("%s: row %d is %v with other rows of tests, was %v", treatment, row, got, want)
			}
		}
	}
}

// TestConstantColumns holds that a column that never changes in training rows is 0 in them, and that
// its deviation in other rows is in its own unit: 0.1 has no last bits of a sum.
func TestConstantColumns(t *testing.T) {
	var text strings.Builder
	text.WriteString("x,z,y,split\n")
	for i := range 201 {
		fmt.Fprintf(&text, "0.1,%d,%d,train\n", i, i%2)
	}
	text.WriteString("0.35,7,1,test\n")
	read, _, err := Read(Columns{Label: "y", Split: "split", Features: []string{"x", "z"}}, written(t, "f.csv", text.String()), nil)
	if err != nil {
		t.Fatal(err)
	}
	data, err := NewData(read, DataOptions{Labels: vector.Value, Rows: true})
	if err != nil {
		t.Fatal(err)
	}
	datum := make([]float64, data.Width())
	if data.Datum(datum, 0); datum[0] != 0 || data.Scale[0] != 1 {
		t.Errorf("%v with scale %v, want 0 and 1", datum[0], data.Scale[0])
	}
	if data.Datum(datum, 201); math.Abs(datum[0]-0.25) > 1e-15 {
		t.Errorf("%v of a test row, want 0.25", datum[0])
	}
}

// pipelines are the splits of testdata/splits.csv.
var pipelines = []struct {
	name      string
	split     Split
	treatment string
	seeds     []uint64
}{
	{"share", Split{Share: 0.25, Seeded: true}, MissingIndicator, []uint64{1, 2}},
	{"stratified", Split{Share: 0.3, Seeded: true, Stratified: true, Validation: 0.2}, MissingMedian, []uint64{4}},
	{"folds", Split{Folds: 4, Seeded: true}, MissingMean, []uint64{2, 5}},
	{"last", Split{Last: 0.3}, MissingIndicator, []uint64{1}},
}

// TestPipelineOfSplits compares the data of each split with the numbers from scikit-learn, to 1e-12, with
// everything fitted on the training rows of that split. testdata/splits.csv has the use of each row,
// which testdata/pipeline.py reads: the first letters of training, tests and validation.
func TestPipelineOfSplits(t *testing.T) {
	uses, numbers := linesOf(t, "testdata/splits.csv"), linesOf(t, "testdata/pipeline-splits.csv")
	compared := 0
	for _, p := range pipelines {
		columns := dirty(p.treatment)
		columns.Split, columns.Features = "", []string{"Einkommen", "Größe", "verheiratet", "Stadt", "seit"}
		whole, _, err := Read(columns, opened(t, "testdata/dirty.csv"), nil)
		if err != nil {
			t.Fatal(err)
		}
		splits := NewSplits(whole, p.split, DataOptions{Labels: vector.Class, Rows: true, Rare: 5}, 1)
		for _, seed := range p.seeds {
			data, err := splits.Data(seed)
			if err != nil {
				t.Fatal(err)
			}
			letters := []byte(strings.Repeat("-", whole.Len()))
			for letter, lists := range map[byte][][]int{'r': data.Table.train, 't': data.Table.test, 'v': data.Table.validation} {
				for _, row := range slices.Concat(lists...) {
					letters[row] = letter
				}
			}
			line := []string{p.name, p.treatment, strconv.FormatUint(seed, 10), string(letters)}
			if len(uses) <= compared || !slices.Equal(uses[compared], line) {
				t.Errorf("testdata/splits.csv has no line %s; write it and run testdata/pipeline.py", strings.Join(line, ","))
				continue
			}
			compared++
			want := make([][]float64, whole.Len())
			for row := range want {
				if numbers[row][0] != p.name || numbers[row][1] != line[2] {
					t.Fatalf("testdata/pipeline-splits.csv has %v", numbers[row][:3])
				}
				for _, text := range numbers[row][2:] {
					v, err := strconv.ParseFloat(text, 64)
					if err != nil {
						t.Fatal(err)
					}
					want[row] = append(want[row], v)
				}
			}
			numbers = numbers[whole.Len():]
			all := make([]int, whole.Len())
			for row := range all {
				all[row] = row
			}
			alike(t, fmt.Sprintf("%s, seed %d", p.name, seed), data, all, want)
		}
	}
	if compared != len(uses) || len(numbers) != 0 {
		t.Errorf("%d of %d splits are compared, and %d lines are left", compared, len(uses), len(numbers))
	}
}

// linesOf reads a file. Its lines may have different numbers of fields.
func linesOf(t *testing.T, path string) [][]string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.FieldsPerRecord = -1
	lines, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return lines
}
