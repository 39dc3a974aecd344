package table

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"starling/messages"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/stream"
	"starling/scenarios/problem/vector"
)

// Rows of validation are none of tests and none that are learned from, each of them is of one
// learner, test rows are those of a table without validation, and nothing is fitted to them:
// rows to learn from are standardised by their own mean and deviation.
func TestValidationRows(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		parties, rows := rapid.IntRange(1, 4).Draw(rt, "parties"), rapid.IntRange(6, 30).Draw(rt, "rows")
		var text strings.Builder
		text.WriteString("p,x,y\n")
		for k := range parties * rows {
			fmt.Fprintf(&text, "%d,%d,%d\n", k%parties, k*k, k%2)
		}
		columns, o, share := Columns{Label: "y", Features: []string{"x"}}, Options{}, rapid.Float64Range(0.01, 0.5).Draw(rt, "validation")
		if rapid.Bool().Draw(rt, "party") {
			columns.Party = By("p")
		} else {
			columns.Features = []string{"x"}
			o.Partition = &dataset.PartitionOptions{Kind: dataset.PartitionIID}
		}
		tab, _, err := Read(columns, written(t, "f.csv", text.String()), nil)
		if err != nil {
			rt.Fatal(err)
		}
		tab, err = tab.Split(Split{Share: 0.2}, 1, 1)
		if err != nil {
			rt.Fatal(err)
		}
		validated, err := tab.Split(Split{Validation: share}, 1, 1)
		if err != nil {
			rt.Fatal(err)
		}
		problem := func(tab *Table) *Problem {
			data, err := NewData(tab, DataOptions{Rows: true, Labels: vector.Value})
			if err != nil {
				rt.Fatal(err)
			}
			o.Data = data
			p, err := New(o)
			if err != nil {
				rt.Fatal(err)
			}
			return p
		}
		p, before := problem(validated), problem(tab)
		d, was := p.divide(3, parties), before.divide(3, parties)
		all := slices.Concat(slices.Concat(d.met...), slices.Concat(d.fresh...), slices.Concat(d.validation...))
		if slices.Sort(all); len(slices.Compact(slices.Clone(all))) != parties*rows || len(all) != parties*rows {
			rt.Fatalf("rows %v of %d", all, parties*rows)
		}
		tests, unchanged := slices.Concat(d.fresh...), slices.Concat(was.fresh...)
		if slices.Sort(tests); !slices.Equal(tests, slices.Sorted(slices.Values(unchanged))) {
			rt.Fatalf("test rows %v, and %v without validation", tests, unchanged)
		}
		in, err := p.Stream(3, stream.Shape{Learners: parties, Rounds: 1, Tau: 1})
		if err != nil {
			rt.Fatal(err)
		}
		validation := stream.ValidationOf(in)
		for i := range parties {
			if n := validation.TestSamples(messages.NodeID(i)); n != len(d.validation[i]) {
				rt.Fatalf("%d validation rows of learner %d, want %d", n, i, len(d.validation[i]))
			}
		}
		var sum, squares, count float64
		datum := make([]float64, p.Data.Width())
		for _, row := range slices.Concat(d.met...) {
			p.Data.Datum(datum, row)
			sum, squares, count = sum+datum[0], squares+datum[0]*datum[0], count+1
		}
		if math.Abs(sum/count) > 1e-9 || count > 1 && math.Abs(squares/count-1) > 1e-9 {
			rt.Fatalf("mean %v and mean square %v of standardised rows", sum/count, squares/count)
		}
	})
}

// A share that leaves nothing to learn from is refused at its key, and without validation there
// are no such rows.
func TestValidationIsRefused(t *testing.T) {
	tab, _, err := Read(Columns{Label: "y", Party: By("p")}, written(t, "f.csv", "p,x,y\na,1,0\na,2,1\nb,3,0\nb,4,1\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	tab, err = tab.Split(Split{Share: 0.5}, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tab.Split(Split{Validation: 0.5}, 1, 1); err == nil || !strings.HasPrefix(err.Error(), `validation: party "a" has 1 row, of which a share of 0.5 leaves none`) {
		t.Error(err)
	}
	data, err := NewData(tab, DataOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(Options{Data: data})
	if err != nil || p.Validates() {
		t.Fatal(err)
	}
	if in, err := p.Stream(1, stream.Shape{Learners: 2, Rounds: 1, Tau: 1}); err != nil || stream.ValidationOf(in) != nil {
		t.Error("validation rows that nobody asked for", err)
	}
}
