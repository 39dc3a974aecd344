package table

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"starling/messages"
	"starling/scenarios/library"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/stream"
	"starling/scenarios/problem/vector"
)

// written is a file with a text, open.
func written(t testing.TB, name, text string) File {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return opened(t, path)
}

func opened(t testing.TB, path string) File {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return File{File: file, Path: filepath.Base(path)}
}

// dataOf lists the data of a problem with a party a learner, a row each.
func dataOf(t *testing.T, d *Data) (list [][]float64) {
	t.Helper()
	p, err := New(Options{Data: d})
	if err != nil {
		t.Fatal(err)
	}
	for learner, rows := range p.Data.Table.train {
		in, err := p.Stream(1, stream.Shape{Learners: len(p.Data.Table.train), Rounds: len(p.Data.Table.train[0]), Tau: 1})
		if err != nil {
			t.Fatal(err)
		}
		for step := range rows {
			datum := make([]float64, in.Width())
			in.Datum(datum, messages.NodeID(learner), step+1)
			list = append(list, datum)
		}
	}
	return list
}

const people = "who,t,age,city,y\nb,2,30,Rome,1\na,1,20,Oslo,0\nb,1,40,Oslo,0\na,0.5,10,Rome,1\n"

var peopleColumns = Columns{Party: By("who"), Step: "t", Label: "y", Features: []string{"age", "city"}, Classes: true}

// The same rows are read of every form of a file.
func TestForms(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write([]byte(people)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	type person struct {
		Who  string  `parquet:"who"`
		T    float64 `parquet:"t"`
		Age  int32   `parquet:"age"`
		City string  `parquet:"city"`
		Y    int64   `parquet:"y"`
	}
	columnar := filepath.Join(t.TempDir(), "people.parquet")
	if err := parquet.WriteFile(columnar, []person{{"b", 2, 30, "Rome", 1}, {"a", 1, 20, "Oslo", 0}, {"b", 1, 40, "Oslo", 0}, {"a", 0.5, 10, "Rome", 1}}); err != nil {
		t.Fatal(err)
	}
	want := [][]float64{{10, 0, 1, 1}, {20, 1, 0, -1}, {40, 1, 0, -1}, {30, 0, 1, 1}} // a, then b, by time
	for name, file := range map[string]File{
		"plain":      written(t, "f.csv", people),
		"crlf":       written(t, "f.csv", strings.ReplaceAll(people, "\n", "\r\n")),
		"mark":       written(t, "f.csv", "\xef\xbb\xbf"+people),
		"quotes":     written(t, "f.csv", strings.ReplaceAll(strings.ReplaceAll(people, "Rome", `"Rome"`), "who", `"who"`)),
		"spaces":     written(t, "f.csv", strings.ReplaceAll(people, ",", " , ")),
		"semicolons": written(t, "f.csv", strings.ReplaceAll(people, ",", ";")),
		"no newline": written(t, "f.csv", strings.TrimSuffix(people, "\n")),
		"gz":         written(t, "f.csv.gz", zipped.String()),
		"parquet":    opened(t, columnar),
	} {
		table, digests, err := Read(peopleColumns, file, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		d, err := NewData(table, DataOptions{Labels: vector.Sign})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, dataOf(t, d)); diff != "" || len(digests) != 1 || len(digests[0]) != 64 {
			t.Errorf("%s: digests %v (-want +got):\n%s", name, digests, diff)
		}
		if diff := cmp.Diff([]string{"age", "city=Oslo", "city=Rome"}, d.Names()); diff != "" {
			t.Error(diff)
		}
	}
}

// Every fault names the file, the line and the column.
func TestDamaged(t *testing.T) {
	plain := Columns{Party: By("p"), Label: "y"}
	classes := Columns{Party: By("p"), Label: "y", Classes: true}
	for text, test := range map[string]struct {
		columns Columns
		want    string
	}{
		"":                            {plain, "f.csv: line 1: there is nothing in it"},
		"p,x,y\n":                     {plain, "f.csv: there is no row after the names of the columns"},
		"party,x,y\n1,2,3\n":          {plain, `f.csv: line 1: party: there is no column "p"; the columns are party, x, y`},
		"party,x,label\n1,2,3\n":      {Columns{Party: By("p"), Label: "lable"}, `f.csv: line 1: party: there is no column "p"; the columns are party, x, label; label: there is no column "lable"; did you mean "label"?`},
		"p,x,label\n1,2,3\n":          {Columns{Party: By("p"), Label: "lable"}, `f.csv: line 1: label: there is no column "lable"; did you mean "label"?`},
		"p,x,x\n":                     {plain, `f.csv: line 1: two columns are called "x"`},
		"p,x,y\n1,2\n":                {plain, "f.csv: line 2: 2 fields, want 3 as in the first line"},
		"p,x,y\n1,2,3\n1,2,3,4\n":     {plain, "f.csv: line 3: 4 fields, want 3 as in the first line"},
		"p,x,y\n1,2,3\n1,NaN,3\n":     {plain, `f.csv: line 3: column "x": got "NaN", want a number, as is "2" on line 2; fill it, leave out the row, or list the features without the column`},
		"p,x,y\n1,2,3\n1,inf,3\n":     {plain, `f.csv: line 3: column "x": got +Inf, want a finite number`},
		"p,x,y\n1,2,3\n1,,3\n":        {plain, `f.csv: line 3: column "x": got an empty cell, want a number, as is "2" on line 2; fill it, leave out the row, or list the features without the column`},
		"p,x,y\n1,2,3\n1,low,3\n":     {plain, `f.csv: line 3: column "x": got "low", want a number, as is "2" on line 2; correct it, list the column in words, or list the features without it`},
		"p,x,y\n1,2,3\n,2,3\n":        {plain, `f.csv: line 3: column "p": the cell is empty`},
		"p,x,y\n1,NA,3\n1,2,3\n":      {plain, `f.csv: line 2: column "x": got "NA", want a number, as is "2" on line 3; fill it, leave out the row, or list the features without the column`},
		"p,x,y\n1,low,3\n":            {plain, "f.csv: line 2: there is no column of features; list the features, which may be words; left out are columns of words, which features does not list: \"x\""},
		"p,x,y\n1,2,high\n":           {plain, `f.csv: line 2: column "y": got "high", want a number: the model is of quantities`},
		"p,x,y\n1,2,1\n1,2,1.5\n":     {classes, `f.csv: line 3: column "y": label 1.5 is no whole number of at most 2^53, and the model is of classes`},
		"p,x,y\n1,2,1\n1,2,1\n":       {classes, `f.csv: column "y" has one class, "1"; a model needs two at least`},
		"p,x,y\n1,\"2,1\n":            {plain, `f.csv: line 2: column 8: extraneous or missing " in quoted-field`},
		"p,x,y,s\n1,2,3,learn\n":      {Columns{Party: By("p"), Label: "y", Split: "s"}, `f.csv: line 2: column "s": got "learn", want train or test`},
		"p,x,y,s\na,2,3,test\n":       {Columns{Party: By("p"), Label: "y", Split: "s"}, `f.csv: party "a" has no training rows`},
		"p,x,y\n1,2,3\n":              {Columns{Party: By("p"), Label: "y", Features: []string{"x", "y"}}, `f.csv: line 1: features: the column "y" is something else already`},
		"p,t,x,y\n1,monday,2,3\n":     {Columns{Party: By("p"), Step: "t", Label: "y"}, `f.csv: line 2: column "t": got "monday", want a number; leave step out where the rows are in order`},
		"p,x,y\n1,2,3\n" + longRow():  {plain, "f.csv: a row of more than 16777216 bytes"},
		"\x1f\x8bp,x,y\n":             {plain, "f.csv: not a gzip file: unexpected EOF"},
		"PAR1 but no more of Parquet": {plain, `f.csv: invalid magic footer of parquet file: "quet"`},
	} {
		_, _, err := Read(test.columns, written(t, "f.csv", text), nil)
		if err == nil || err.Error() != test.want {
			t.Errorf("%.40q: %v\nwant %s", text, err, test.want)
		}
	}
}

// longRow is a row that no memory should hold.
func longRow() string { return "1,\"" + strings.Repeat("x", mostRowOfTests) }

const mostRowOfTests = 1<<24 + 1<<13

// Too many numbers are refused where they come.
func TestTooLarge(t *testing.T) {
	r := &reader{Columns: Columns{Label: "y"}, table: &Table{}, step: -1, split: -1}
	if err := r.Header(dataset.Place{Path: "f.csv", Line: 1}, []dataset.Column{{Name: "x"}, {Name: "y"}}); err != nil {
		t.Fatal(err)
	}
	cells := []dataset.Cell{{Text: "1"}, {Text: "2"}}
	if err := r.Row(dataset.Place{Path: "f.csv", Line: 2}, cells); err != nil {
		t.Fatal(err)
	}
	r.table.rows = mostNumbers / 2
	if err := r.Row(dataset.Place{Path: "f.csv", Line: 3}, cells); err == nil || !strings.Contains(err.Error(), "f.csv: line 3: 2 columns of features and labels, and over 134217728 rows") {
		t.Error(err)
	}
}

// A second file has the levels and columns of the first, and levels of its own.
func TestTestFile(t *testing.T) {
	train := written(t, "train.csv", people)
	test := written(t, "test.csv", "y,city,age,t\n1,Bonn,50,1\n1,Bonn,51,1\n0,Rome,60,1\n0,Rome,61,1\n")
	table, digests, err := Read(peopleColumns, train, &test)
	if err != nil || len(digests) != 2 {
		t.Fatal(err)
	}
	d, err := NewData(table, DataOptions{Labels: vector.Sign, Intercept: true})
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(Options{Data: d})
	if err != nil {
		t.Fatal(err)
	}
	in, err := p.Stream(1, stream.Shape{Learners: 2, Rounds: 2, Tau: 1})
	if err != nil {
		t.Fatal(err)
	}
	fresh := in.(stream.Tester)
	if fresh.TestSamples(0) != 2 || fresh.TestSamples(1) != 2 {
		t.Errorf("%d and %d rows of tests", fresh.TestSamples(0), fresh.TestSamples(1))
	}
	var got [][]float64
	for learner := range 2 {
		for index := range 2 {
			datum := make([]float64, in.Width())
			fresh.Test(datum, messages.NodeID(learner), index)
			got = append(got, datum)
		}
	}
	slices.SortFunc(got, func(a, b []float64) int { return int(a[0] - b[0]) })
	if diff := cmp.Diff([][]float64{{50, 1, 0, 0, 1, 1}, {51, 1, 0, 0, 1, 1}, {60, 0, 0, 1, 1, -1}, {61, 0, 0, 1, 1, -1}}, got); diff != "" {
		t.Error(diff)
	}
}

// Features are standardised by constants or by training rows, and held to a bound.
func TestStandardise(t *testing.T) {
	text := "p,a,b,s,y\n1,1,5,train,7\n1,3,5,train,-9\n1,100,100,test,1\n"
	read := func() *Table {
		table, _, err := Read(Columns{Party: By("p"), Label: "y", Split: "s"}, written(t, "f.csv", text), nil)
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	for _, test := range []struct {
		o    DataOptions
		want [][]float64
	}{
		{DataOptions{}, [][]float64{{1, 5, 7}, {3, 5, -9}}},
		{DataOptions{Rows: true}, [][]float64{{-1, 0, 7}, {1, 0, -9}}},
		{DataOptions{Mean: []float64{1, 5}, Scale: []float64{2, 3}, LabelBound: 8}, [][]float64{{0, 0, 7}, {1, 0, -8}}},
		{DataOptions{Mean: []float64{1, 1}, Bound: 2, Intercept: true}, [][]float64{{0, 2, 1, 7}, {2 * 2 / math.Sqrt(20), 2 * 4 / math.Sqrt(20), 1, -9}}},
	} {
		d, err := NewData(read(), test.o)
		if err != nil {
			t.Fatal(err)
		}
		p, err := New(Options{Data: d})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range test.want {
			got := make([]float64, d.Width())
			d.Datum(got, p.Data.Table.train[0][i])
			if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-15 }) {
				t.Errorf("%+v, row %d: %v, want %v", test.o, i, got, want)
			}
		}
	}
	for _, o := range []DataOptions{{Mean: []float64{1}}, {Mean: []float64{1, 2}, Scale: []float64{1, 0}}} {
		if _, err := NewData(read(), o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

// A share of tests is of each party, the same under every seed, and no row is in both parts
// or in neither; a partition has every row once.
func TestDivisions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		text.WriteString("p,x,y\n")
		parties, row := rapid.IntRange(1, 4).Draw(t, "parties"), 0
		for party := range parties {
			for range rapid.IntRange(2, 9).Draw(t, "rows") {
				row++
				text.WriteString(strings.Join([]string{string(rune('a' + party)), string(rune('0' + row%10)), string(rune('0' + row%2))}, ",") + "\n")
			}
		}
		columns := Columns{Label: "y", Features: []string{"x"}, Classes: true}
		var o Options
		share := rapid.Float64Range(0.01, 0.5).Draw(t, "share")
		if rapid.Bool().Draw(t, "partition") {
			o.Partition = &dataset.PartitionOptions{Kind: dataset.PartitionIID}
		} else {
			columns.Party = By("p")
		}
		r := &reader{Columns: columns, table: &Table{}}
		if _, err := dataset.ReadRows(memory(text.String()), "f.csv", r); err != nil {
			t.Fatal(err)
		}
		if err := r.finish(); err != nil {
			t.Fatal(err)
		}
		held, err := r.table.Split(Split{Share: share}, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		if o.Data, err = NewData(held, DataOptions{Labels: vector.Sign}); err != nil {
			t.Fatal(err)
		}
		p, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		for _, seed := range []uint64{1, 2} {
			d := p.divide(seed, parties)
			if d.err != nil {
				return // fewer rows than parties
			}
			var all []int
			for i := range d.met {
				all = append(all, d.met[i]...)
			}
			for _, rows := range p.Data.Table.test {
				all = append(all, rows...)
			}
			slices.Sort(all)
			for k, index := range all {
				if k != index {
					t.Fatalf("rows %v of %d", all, row)
				}
			}
			if len(all) != row {
				t.Fatalf("%d rows of %d", len(all), row)
			}
		}
	})
}

// A learner that has met all its rows begins again with cycle, and is refused without.
func TestCycle(t *testing.T) {
	table, _, err := Read(peopleColumns, written(t, "f.csv", people), nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := NewData(table, DataOptions{Labels: vector.Sign})
	if err != nil {
		t.Fatal(err)
	}
	shape := stream.Shape{Learners: 2, Rounds: 5, Tau: 1}
	p, err := New(Options{Data: d})
	if err != nil {
		t.Fatal(err)
	}
	want := `reuse: party "a" has 2 rows to learn from for 5 steps, and meets none twice; want fewer steps, or reuse: cycle`
	if _, err := p.Stream(1, shape); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if p, err = New(Options{Data: d, Cycle: true}); err != nil {
		t.Fatal(err)
	}
	in, err := p.Stream(1, shape)
	if err != nil {
		t.Fatal(err)
	}
	first, again := make([]float64, in.Width()), make([]float64, in.Width())
	in.Datum(first, 1, 1)
	if in.Datum(again, 1, 5); !slices.Equal(first, again) {
		t.Errorf("%v at step 5, want %v as at step 1", again, first)
	}
}

// FuzzRead holds that no text makes reading panic, and that what is read is whole and
// finite.
func FuzzRead(f *testing.F) {
	f.Add(people)
	f.Add("\xef\xbb\xbfwho;y;z\r\n1;\"2\";3\r\n")
	f.Add("\x1f\x8b")
	f.Add("z;d;y\n1.000,5;31.12.2020;1\n;NA;2\n")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.HasPrefix(text, "PAR1") {
			return // the library's to answer for
		}
		comma := dataset.Format{Decimal: ",", Thousands: ".", Dates: dataset.DayFirst}
		for _, columns := range []Columns{
			{Label: "y"}, peopleColumns,
			{Label: "y", Missing: Missing{Default: MissingDrop}, Format: comma},
			{Label: "y", Missing: Missing{Default: MissingIndicator}, Words: []string{"z"}},
		} {
			r := &reader{Columns: columns, table: &Table{}}
			if _, err := columns.Format.ReadRows(memory(text), "f.csv", r); err != nil || r.table.Len() == 0 || r.finish() != nil {
				continue
			}
			table := r.table
			d, err := NewData(table, DataOptions{Intercept: true})
			if err != nil && columns.Missing.Default == "" {
				t.Fatal(err)
			}
			if err != nil {
				continue // a column without a value in training rows
			}
			datum := make([]float64, d.Width())
			rows := 0
			for _, list := range table.train {
				for _, row := range list {
					d.Datum(datum, row)
					rows++
					for _, v := range datum {
						if math.IsNaN(v) || math.IsInf(v, 0) {
							t.Fatalf("datum %v", datum)
						}
					}
				}
			}
			if rows+table.Dropped != table.Len() {
				t.Fatalf("%d rows of %d", rows, table.Len())
			}
		}
	})
}

// memory is a text as a file.
func memory(text string) fs.File {
	file, err := fstest.MapFS{"f": {Data: []byte(text)}}.Open("f")
	if err != nil {
		panic(err) // it is there
	}
	return file
}

// A Parquet file with any byte damaged is read or refused, and panics nowhere.
func TestDamagedParquet(t *testing.T) {
	type person struct {
		Who string `parquet:"who"`
		Age int32  `parquet:"age"`
		Y   int64  `parquet:"y"`
	}
	path := filepath.Join(t.TempDir(), "people.parquet")
	if err := parquet.WriteFile(path, []person{{"b", 30, 1}, {"a", 20, 0}, {"b", 40, 0}}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	refused, panicked := 0, 0
	for i := range text {
		damaged := bytes.Clone(text)
		damaged[i] ^= 0xff
		_, _, err := Read(Columns{Party: By("who"), Label: "y", Classes: true}, File{File: memory(string(damaged)), Path: "f"}, nil)
		if err != nil {
			refused++
			if strings.Contains(err.Error(), "f: damaged Parquet: ") {
				panicked++
			}
		}
	}
	if refused < 100 || panicked == 0 {
		t.Errorf("%d of %d files refused, %d of them for a panic", refused, len(text), panicked)
	}
}

// The tables of the library are what data example writes.
func TestLibraryTables(t *testing.T) {
	for file, rows := range map[string]int{"library/own-data.csv": 40, "library/compare-families.csv.gz": 200} {
		var text bytes.Buffer
		if err := (Example{Clients: 20, Rows: rows, Features: 10, Seed: 1}).Write(&text); err != nil {
			t.Fatal(err)
		}
		var in io.Reader
		in, err := library.Open(file)
		if strings.HasSuffix(file, ".gz") && err == nil {
			in, err = gzip.NewReader(in)
		}
		if err != nil {
			t.Fatal(err)
		}
		want, err := io.ReadAll(in)
		if err != nil || !bytes.Equal(text.Bytes(), want) {
			t.Errorf("%v; write %s with: starling data example FILE --rows %d", err, file, rows)
		}
	}
}
