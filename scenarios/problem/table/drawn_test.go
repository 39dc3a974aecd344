package table

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"starling/messages"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/stream"
	"starling/scenarios/problem/vector"
)

// TestDrawnRows: a client that comes and goes has the rows that it has where all clients are held, none of them a
// row of tests or of validation, which are the same for all clients. Learners of a stream do not draw.
func TestDrawnRows(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rows, size, clients := rapid.IntRange(20, 60).Draw(rt, "rows"), rapid.IntRange(2, 6).Draw(rt, "size"), rapid.IntRange(1, 30).Draw(rt, "clients")
		var text strings.Builder
		text.WriteString("x,y\n")
		for k := range rows {
			fmt.Fprintf(&text, "%d,%d\n", k+1, k%2)
		}
		tab, _, err := Read(Columns{Label: "y", Features: []string{"x"}, Classes: true}, written(t, "f.csv", text.String()), nil)
		if err != nil {
			rt.Fatal(err)
		}
		if tab, err = tab.Split(Split{Share: 0.2, Validation: 0.1}, 1, 1); err != nil {
			rt.Fatal(err)
		}
		data, err := NewData(tab, DataOptions{Labels: vector.Sign})
		if err != nil {
			rt.Fatal(err)
		}
		alpha := rapid.SampledFrom([]float64{0, 0.5}).Draw(rt, "alpha")
		p, err := New(Options{Data: data, Partition: &dataset.PartitionOptions{Kind: dataset.PartitionDrawn, Size: size, Alpha: alpha}})
		if err != nil {
			rt.Fatal(err)
		}
		held, sizes, err := p.Corpus(3, clients, 0)
		if err != nil || !slices.Equal(sizes, slices.Repeat([]int{size}, clients)) {
			rt.Fatalf("sizes %v, %v", sizes, err)
		}
		drawn, err := p.Passing(3, clients)
		if err != nil {
			rt.Fatal(err)
		}
		apart := map[float64]bool{} // rows of tests and of validation, by their feature
		one, other := make([]float64, 2), make([]float64, 2)
		for _, of := range []struct{ drawn, held stream.Tester }{{drawn, held.(stream.Tester)}, {stream.ValidationOf(drawn), stream.ValidationOf(held)}} {
			for index := range of.drawn.TestSamples(7) {
				of.drawn.Test(one, 7, index)
				if of.held.Test(other, 0, index); !slices.Equal(one, other) {
					rt.Fatalf("test row %d is %v, held %v", index, one, other)
				}
				apart[one[0]] = true
			}
		}
		if len(apart) < rows/5 {
			rt.Fatalf("%d rows of tests and of validation, of %d", len(apart), rows)
		}
		for step := size; step > 0; step-- {
			for client := range messages.NodeID(clients) {
				drawn.Datum(one, client, step)
				if held.Datum(other, client, step); !slices.Equal(one, other) || apart[one[0]] {
					rt.Fatalf("client %d has %v as row %d, and %v where all are held; held out: %v", client, one, step, other, apart)
				}
			}
		}
		if _, err := p.Stream(3, stream.Shape{Learners: 2, Rounds: 1, Tau: 1}); err == nil || !strings.Contains(err.Error(), "shares rows among clients") {
			rt.Fatalf("a stream: %v", err)
		}
	})
}
