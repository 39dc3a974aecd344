package table

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"starling/messages"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/stream"
	"starling/scenarios/problem/vector"
)

// splits are ways to hold rows out, by name.
var splits = map[string]Split{
	"share":             {Share: 0.3, Seeded: true},
	"share, stratified": {Share: 0.3, Seeded: true, Stratified: true, Validation: 0.2},
	"share, fixed":      {Share: 0.3, Validation: 0.2},
	"folds":             {Folds: 4, Seeded: true},
	"folds, stratified": {Folds: 3, Seeded: true, Stratified: true, Validation: 0.25},
	"folds, fixed":      {Folds: 5},
	"last":              {Last: 0.25, Seeded: true, Validation: 0.3},
	"last, alone":       {Last: 0.4},
	"parties":           {Parties: 0.4, Seeded: true, Validation: 0.2},
	"parties, fixed":    {Parties: 0.4, Common: true},
	"validation":        {Validation: 0.2, Seeded: true},
}

// drawnTable is a table of parties with at least 5 rows each, of up to four classes, in an order at
// random.
func drawnTable(t *rapid.T) *Table {
	parties := rapid.IntRange(2, 6).Draw(t, "parties")
	classes := rapid.IntRange(2, 4).Draw(t, "classes")
	var lines []string
	for party := range parties {
		for k := range rapid.IntRange(5, 30).Draw(t, "rows") {
			class := rapid.IntRange(0, classes-1).Draw(t, "class")
			if k < 2 {
				class = k // so that there are two
			}
			lines = append(lines, fmt.Sprintf("%d,%d,%d,c%d\n", party, len(lines)%7, len(lines), class))
		}
	}
	lines = rapid.Permutation(lines).Draw(t, "order")
	r := &reader{Columns: Columns{Party: By("p"), Label: "y", Features: []string{"x"}, Step: "t", Classes: true}, table: &Table{}}
	if _, err := dataset.ReadRows(memory("p,x,t,y\n"+strings.Join(lines, "")), "f.csv", r); err != nil {
		t.Fatal(err)
	}
	if err := r.finish(); err != nil {
		t.Fatal(err)
	}
	return r.table
}

// Each row is of one use alone, rows keep their order, and splits are a function of the seed; the
// fixed ones are the same under every seed, and all share the cells of the table.
func TestSplitsDivideTheRows(t *testing.T) {
	for name, s := range splits {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				whole := drawnTable(t)
				first := rapid.Uint64Range(0, 1<<40).Draw(t, "first")
				seed := first + rapid.Uint64Range(0, 20).Draw(t, "number")
				split, err := whole.Split(s, seed, first)
				if err != nil {
					t.Fatal(err)
				}
				order := make([]int, whole.rows)
				for place, row := range slices.Concat(whole.train...) {
					order[row] = place
				}
				var all []int
				for _, list := range slices.Concat(split.train, split.test, split.validation) {
					all = append(all, list...)
					if !slices.IsSortedFunc(list, func(a, b int) int { return order[a] - order[b] }) {
						t.Fatalf("rows %v are not in their order", list)
					}
				}
				all = append(all, split.common...)
				if slices.Sort(all); len(all) != whole.rows || !slices.Equal(all, slices.Compact(slices.Clone(all))) {
					t.Fatalf("rows %v of %d", all, whole.rows)
				}
				for party, rows := range split.train {
					if len(rows) == 0 {
						t.Fatalf("party %d has no training rows", party)
					}
				}
				if again, _ := whole.Split(s, seed, first); !slices.EqualFunc(again.train, split.train, slices.Equal) {
					t.Fatal("another time the split differs")
				}
				if other, _ := whole.Split(s, first+1000, first); !s.Varies() && !slices.EqualFunc(other.train, split.train, slices.Equal) {
					t.Fatal("the split of another seed differs")
				}
				if len(split.blocks) > 0 && &split.blocks[0][0] != &whole.blocks[0][0] {
					t.Fatal("the split has cells of its own")
				}
				checkSplit(t, s, whole, split)
			})
		})
	}
}

// checkSplit counts the rows of each party by a plain loop: a share of all, and with Stratified of
// each class, within one row; the last ones are behind all others.
func checkSplit(t *rapid.T, s Split, whole, split *Table) {
	within := func(what string, got, of int, share float64) {
		if math.Abs(float64(got)-share*float64(of)) >= 1 && (got != 1 || share*float64(of) >= 1) {
			t.Fatalf("%s: %d of %d rows, want a share of %v within one row", what, got, of, share)
		}
	}
	for party, rows := range split.test {
		share := s.Share + s.Last
		if s.Folds > 0 {
			share = 1 / float64(s.Folds)
		}
		if share == 0 {
			continue
		}
		within("tests", len(rows), len(whole.train[party]), share)
		for class := range whole.Classes() {
			if of := func(row int) bool { return whole.class(row) == class }; s.Stratified {
				within("a class", countOf(rows, of), countOf(whole.train[party], of), share)
			}
		}
		if s.Last > 0 && !slices.Equal(rows, whole.train[party][len(whole.train[party])-len(rows):]) {
			t.Fatalf("rows %v are not the last of %v", rows, whole.train[party])
		}
	}
	if s.Parties > 0 {
		if held := len(whole.Parties) - len(split.Parties); held != max(1, int(math.Round(s.Parties*float64(len(whole.Parties))))) || held+len(split.train) != len(whole.train) {
			t.Fatalf("%d parties of %d are held out", held, len(whole.Parties))
		}
	}
}

func countOf(rows []int, of func(int) bool) (n int) {
	for _, row := range rows {
		if of(row) {
			n++
		}
	}
	return n
}

// K seeds one after the other, from the first of the study on, test each row of a party once; the
// next K seeds have other folds, unless draws are fixed.
func TestFoldsTestEachRowOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := drawnTable(t)
		s := Split{Folds: rapid.IntRange(2, 5).Draw(t, "folds"), Stratified: rapid.Bool().Draw(t, "stratified"), Seeded: rapid.Bool().Draw(t, "seeded")}
		first := rapid.Uint64().Draw(t, "first")
		var blocks [5][][]int // the rows of tests by seed
		for block := range blocks {
			tested := make([]int, whole.rows)
			for k := range s.Folds {
				split, err := whole.Split(s, first+uint64(block*s.Folds+k), first)
				if err != nil {
					t.Fatal(err)
				}
				for _, row := range slices.Concat(split.test...) {
					tested[row]++
				}
				blocks[block] = append(blocks[block], slices.Concat(split.test...))
			}
			if slices.Min(tested) != 1 || slices.Max(tested) != 1 {
				t.Fatalf("%+v, block %d: times that rows are tested: %v", s, block, tested)
			}
		}
		same := !slices.ContainsFunc(blocks[1:], func(other [][]int) bool { return !slices.EqualFunc(blocks[0], other, slices.Equal) })
		if same == s.Seeded {
			t.Fatalf("%+v: %v", s, blocks)
		}
	})
}

// A column that is 0 in training rows and large in all that are held out has mean 0, whatever the
// split, and so have filled cells; and words of rows that are held out make no word frequent.
func TestNothingIsFittedUnderAnySplit(t *testing.T) {
	rows := func(leak func(row int) bool) string {
		var text strings.Builder
		text.WriteString("p,t,x,z,w,y\n")
		for i := range 60 {
			x, w := "0", "common"
			if leak != nil && leak(i) {
				x, w = "1e6", "seldom"
			}
			if i%11 == 0 {
				x = ""
			}
			fmt.Fprintf(&text, "%d,%d,%s,%d,%s,%d\n", i%5, i, x, i*i%13, w, i/5%2)
		}
		return text.String()
	}
	columns := Columns{Party: By("p"), Step: "t", Label: "y", Classes: true, Features: []string{"x", "z", "w"}, Missing: Missing{Columns: map[string]string{"x": MissingMean}}}
	read := func(text string) *Table {
		whole, _, err := Read(columns, written(t, "f.csv", text), nil)
		if err != nil {
			t.Fatal(err)
		}
		return whole
	}
	for name, s := range splits {
		for seed := uint64(1); seed <= 6; seed++ {
			plain, err := read(rows(nil)).Split(s, seed, 1)
			if err != nil {
				t.Fatal(err)
			}
			out := slices.Concat(slices.Concat(plain.test...), slices.Concat(plain.validation...), plain.common)
			leaking := read(rows(func(row int) bool { return slices.Contains(out, row) }))
			data, err := NewSplits(leaking, s, DataOptions{Labels: vector.Sign, Rows: true, Rare: 2}, 1).Data(seed)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if data.Mean[0] != 0 || data.Scale[0] != 1 || data.fills[0].value != 0 {
				t.Errorf("%s, seed %d: mean %v, scale %v and %v for gaps, want 0, 1 and 0", name, seed, data.Mean[0], data.Scale[0], data.fills[0].value)
			}
			if !strings.Contains(data.Merged(), `"seldom"`) {
				t.Errorf("%s, seed %d: rare words are %q", name, seed, data.Merged())
			}
			var sum, n float64
			for _, row := range slices.Concat(data.Table.train...) {
				sum, n = sum+float64(row*row%13), n+1
			}
			if math.Abs(data.Mean[1]-sum/n) > 1e-12 {
				t.Errorf("%s, seed %d: mean %v, want %v", name, seed, data.Mean[1], sum/n)
			}
		}
	}
}

// Data of all seeds have the same features: each word has its own, and rare ones use the last. A
// split that does not vary has the features of its training rows.
func TestFeaturesAreSteady(t *testing.T) {
	var text strings.Builder
	text.WriteString("x,w,y\n")
	for i := range 60 {
		x := fmt.Sprint(i)
		if i == 7 {
			x = ""
		}
		fmt.Fprintf(&text, "%s,%c,%d\n", x, "aaaaaaabbbbbbbccccde"[i%20], i%2)
	}
	columns := Columns{Label: "y", Classes: true, Features: []string{"x", "w"}, Missing: Missing{Default: MissingIndicator}}
	whole, _, err := Read(columns, written(t, "f.csv", text.String()), nil)
	if err != nil {
		t.Fatal(err)
	}
	o := DataOptions{Labels: vector.Class, Rare: 4}
	s := NewSplits(whole, Split{Share: 0.5, Seeded: true}, o, 1)
	want := []string{"x", "x.missing", "w=a", "w=b", "w=c", "w=d", "w=e", "w=(rare)"}
	var kinds [2]int // of rows of c, by their place
	for seed := uint64(1); seed <= 40; seed++ {
		data, err := s.Data(seed)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(data.Names(), want) {
			t.Fatalf("seed %d: features %q, want %q", seed, data.Names(), want)
		}
		counts := map[byte]int{}
		for _, row := range data.Table.train[0] {
			counts["aaaaaaabbbbbbbccccde"[row%20]]++
		}
		datum := make([]float64, data.Width())
		for row := range 60 {
			word := "aaaaaaabbbbbbbccccde"[row%20]
			place := 2 + int(word-'a')
			if counts[word] < 4 {
				place = len(want) - 1
			}
			if word == 'c' {
				kinds[place/(len(want)-1)]++
			}
			data.Datum(datum, row)
			if got := slices.Index(datum[2:len(want)], 1) + 2; got != place {
				t.Fatalf("seed %d, row %d: word %c is feature %d, want %d", seed, row, word, got, place)
			}
		}
	}
	if kinds[0] == 0 || kinds[1] == 0 {
		t.Errorf("c is rare under %d rows and frequent under %d: the test shows nothing", kinds[1], kinds[0])
	}
	fixed, err := NewSplits(whole, Split{Share: 0.5}, o, 1).Data(1)
	if err != nil {
		t.Fatal(err)
	}
	if names := fixed.Names(); slices.Contains(names, "w=d") {
		t.Errorf("features %q of a fixed split", names)
	}
}

// With Common, and where parties are held out, every learner has the same test rows: all test
// rows of the parties that take part, or all rows of the others.
func TestCommonTests(t *testing.T) {
	var text strings.Builder
	text.WriteString("p,x,y\n")
	for i := range 80 {
		fmt.Fprintf(&text, "%d,%d,%d\n", i%8, i, i/8%2)
	}
	columns := Columns{Label: "y", Classes: true, Features: []string{"x"}}
	for name, test := range map[string]struct {
		split     Split
		partition bool
		learners  int
		want      int
	}{
		"own":        {Split{Share: 0.2, Seeded: true}, false, 5, 2},
		"common":     {Split{Share: 0.2, Seeded: true, Common: true}, false, 5, 10},
		"partition":  {Split{Last: 0.25, Common: true}, true, 5, 20},
		"parties":    {Split{Parties: 0.25, Seeded: true}, false, 6, 20},
		"validation": {Split{Parties: 0.25, Seeded: true, Validation: 0.2}, false, 3, 20},
	} {
		o, columns := Options{}, columns
		if test.partition {
			o.Partition = &dataset.PartitionOptions{Kind: dataset.PartitionSizes, Sizes: []float64{1, 2, 3, 4, 5}}
		} else {
			columns.Party = By("p")
		}
		whole, _, err := Read(columns, written(t, "f.csv", text.String()), nil)
		if err != nil {
			t.Fatal(err)
		}
		o.Splits = NewSplits(whole, test.split, DataOptions{Labels: vector.Sign}, 1)
		for seed := uint64(1); seed < 6; seed++ {
			if o.Data, err = o.Splits.Data(1); err != nil {
				t.Fatal(err)
			}
			p, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			in, err := p.Stream(seed, stream.Shape{Learners: test.learners, Rounds: 2, Tau: 1})
			if err != nil {
				t.Fatal(err)
			}
			tests := in.(stream.Shared)
			if tests.Shared() != (name != "own") {
				t.Errorf("%s: shared is %v", name, tests.Shared())
			}
			datum, first := make([]float64, in.Width()), make([]float64, in.Width())
			for i := range test.learners {
				if n := tests.TestSamples(messages.NodeID(i)); n != test.want {
					t.Errorf("%s: learner %d has %d test rows, want %d", name, i, n, test.want)
				}
				tests.Test(datum, messages.NodeID(i), 1)
				tests.Test(first, 0, 1)
				if tests.Shared() && !slices.Equal(datum, first) {
					t.Errorf("%s: learner %d has test row %v, and the first %v", name, i, datum, first)
				}
			}
			if _, _, err := p.Corpus(seed, test.learners, 0); err != nil {
				t.Error(err)
			}
		}
	}
}

// Seeds that are run at once have the data of seeds that are run one after the other, to the last bit,
// though few splits are kept.
func TestSeedsAtOnce(t *testing.T) {
	var text strings.Builder
	text.WriteString("p,x,w,y\n")
	for i := range 120 {
		fmt.Fprintf(&text, "%d,%d,%c,%d\n", i%4, i*i%29, 'a'+i*i%7, i/4%2)
	}
	whole, _, err := Read(Columns{Party: By("p"), Label: "y", Classes: true, Features: []string{"x", "w"}}, written(t, "f.csv", text.String()), nil)
	if err != nil {
		t.Fatal(err)
	}
	problemOf := func() *Problem {
		splits := NewSplits(whole, Split{Folds: 3, Seeded: true, Validation: 0.2}, DataOptions{Labels: vector.Sign, Rows: true, Rare: 9}, 1)
		data, err := splits.Data(1)
		if err != nil {
			t.Fatal(err)
		}
		p, err := New(Options{Data: data, Splits: splits, Cycle: true})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	under := func(p *Problem, seed uint64) (all []float64) {
		in, err := p.Stream(seed, stream.Shape{Learners: 4, Rounds: 20, Tau: 1})
		if err != nil {
			t.Error(err)
			return nil
		}
		datum := make([]float64, in.Width())
		for node := range messages.NodeID(4) {
			for step := range 20 {
				in.Datum(datum, node, step+1)
				all = append(all, datum...)
			}
		}
		return all
	}
	shared := problemOf()
	var wait sync.WaitGroup
	for worker := range 6 {
		wait.Go(func() {
			for k := range uint64(30) {
				seed := 1 + (k*7+uint64(worker))%30
				if !slices.Equal(under(shared, seed), under(problemOf(), seed)) {
					t.Errorf("seed %d has other data", seed)
				}
			}
		})
	}
	wait.Wait()
}

// Splits that leave nothing to learn from are refused at their key.
func TestSplitsAreRefused(t *testing.T) {
	const one, two = "p,x,y\na,1,0\nb,3,1\n", "p,x,y\na,1,0\na,2,1\nb,3,0\nb,4,1\n"
	for _, test := range []struct {
		split      Split
		text, want string
	}{
		{Split{Folds: 3}, two, `test.folds: party "a" has 2 rows, fewer than the 3 folds; want more rows, or fewer folds`},
		{Split{Last: 0.9}, two, `test.last: party "a" has 2 rows, of which a share of 0.9 leaves none for training; want more rows, or a smaller share`},
		{Split{Share: 0.9, Stratified: true}, two, `test.share: party "a" has 2 rows, of which a share of 0.9 leaves none for training; want more rows, or a smaller share`},
		{Split{Folds: 2, Validation: 0.1}, two, `validation: party "a" has 1 row, of which a share of 0.1 leaves none for training; want more rows, or a smaller share`},
		{Split{Parties: 0.8}, two, `test.parties: the table has 2 parties, of which a share of 0.8 leaves none for training; want a smaller share`},
		{Split{Parties: 0.5, Validation: 0.5}, one, `validation: party "b" has 1 row, of which a share of 0.5 leaves none for training; want more rows, or a smaller share`},
	} {
		whole, _, err := Read(Columns{Label: "y", Party: By("p"), Features: []string{"x"}, Classes: true}, written(t, "f.csv", test.text), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := whole.Split(test.split, 1, 1); err == nil || err.Error() != test.want {
			t.Errorf("%+v: %v, want %s", test.split, err, test.want)
		}
	}
}

// Rows from a number or a time on are test rows, of every kind of step.
func TestFrom(t *testing.T) {
	for _, test := range []struct{ from, steps, err string }{
		{"3", "1 2 3 4", ""},
		{"2.5", "1 2 3 4", ""},
		{"2024-03-01", "2024-01-01 2024-02-29 2024-03-01 2025-01-01", ""},
		{"2024-02-29T12:00:00Z", "2024-01-01T00:00:00Z 2024-02-29T13:30:00+02:00 2024-02-29T13:00:00+01:00 2024-02-29T13:00:00Z", ""},
		{"9", "1 2 3 4", `f.csv: no row has "t" at or behind 9, and there are no test rows`},
		{"0", "1 2 3 4", `f.csv: party "a" has no training rows`},
		{"2024-03-01", "1 2 3 4", `f.csv: line 2: column "t": got "1", which has no order with 2024-03-01`},
		{"3", "2024-01-01 2024-02-29 2024-03-01 2025-01-01", `f.csv: line 2: column "t": got "2024-01-01", which has no order with 3`},
	} {
		text := "p,t,x,y\n"
		for k, step := range strings.Fields(test.steps) {
			text += fmt.Sprintf("a,%s,%d,%d\n", step, k, k%2)
		}
		read, _, err := Read(Columns{Label: "y", Party: By("p"), Step: "t", From: test.from, Features: []string{"x"}}, written(t, "f.csv", text), nil)
		if test.err != "" {
			if err == nil || err.Error() != test.err {
				t.Errorf("%s of %s: %v, want %s", test.from, test.steps, err, test.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s of %s: %v", test.from, test.steps, err)
		} else if !slices.Equal(read.train[0], []int{0, 1}) || !slices.Equal(read.test[0], []int{2, 3}) {
			t.Errorf("%s of %s: training rows %v, test rows %v", test.from, test.steps, read.train, read.test)
		}
	}
}

// The last values are kept, each is computed once for all callers that wait, and the values of keys
// are not mixed up.
func TestRecent(t *testing.T) {
	var r recent[int, int]
	var wait sync.WaitGroup
	for worker := range 8 {
		wait.Go(func() {
			for k := range 2000 {
				key := (k*7 + worker) % 50
				if v := r.get(key, func() int { return key * key }); v != key*key {
					t.Errorf("%d for %d", v, key)
				}
			}
		})
	}
	wait.Wait()
	if n := len(r.entries); n == 0 || n > mostRecent() {
		t.Errorf("%d values are kept", n)
	}
	kept := r.entries[0].key
	if r.get(kept, func() int { t.Error("computed again"); return 0 }) != kept*kept {
		t.Error("another value")
	}
}
