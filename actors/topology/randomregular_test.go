package topology

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"starling/messages"
)

// A product takes the place of every division.
func TestDivisor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		by := rapid.IntRange(1, maxEdges).Draw(t, "divisor")
		for _, of := range []int{0, by - 1, by, maxEdges, maxEdges / by * by, rapid.IntRange(0, maxEdges).Draw(t, "dividend")} {
			if of = min(max(of, 0), maxEdges); divideBy(by).quotient(of) != of/by {
				t.Fatalf("%d/%d is %d", of, by, divideBy(by).quotient(of))
			}
		}
	})
}

// Rows that are their own transposition are put in order by it, with loops and entries
// that are there twice.
func TestSortSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, degree := 2*rapid.IntRange(1, 20).Draw(t, "half of the nodes"), rapid.IntRange(1, 9).Draw(t, "degree")
		ends := make([]int, n*degree)
		for k := range ends {
			ends[k] = k
		}
		ends = rapid.Permutation(ends).Draw(t, "ends")
		width, rows := degree+1, make([]messages.NodeID, n*(degree+1))
		for v := range n {
			rows[v*width] = messages.NodeID(v)
		}
		for k := 0; k < len(ends); k += 2 {
			v, w := ends[k]/degree, ends[k+1]/degree
			rows[ends[k]+v+1], rows[ends[k+1]+w+1] = messages.NodeID(w), messages.NodeID(v)
		}
		want := slices.Clone(rows)
		for lo := 0; lo < len(want); lo += width {
			slices.Sort(want[lo : lo+width])
		}
		if got := new(draft).sortSymmetric(rows, width); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// Where all are neighbours, no ends are left to be paired.
func TestCompleteRandomRegular(t *testing.T) {
	sequence, err := RandomRegular{Nodes: 4, Degree: 3}.Sequence()
	if err != nil {
		t.Fatal(err)
	}
	for v := range messages.NodeID(4) {
		if from, _ := sequence.At(0).In(v); len(from) != 3 {
			t.Errorf("node %d hears %v", v, from)
		}
	}
}
