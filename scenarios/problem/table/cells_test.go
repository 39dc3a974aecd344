package table

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
)

// What is fitted has the bits of a plain loop over the rows of one party after the other, on any
// number of cores.
func TestFittedBits(t *testing.T) {
	const numbers, rows = 7, 20_000
	random := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	text.WriteString("p,a,b,c,d,e,f,g,y\n")
	cells := make(map[string][][]float64) // by party
	for range rows {
		party := string("rstuv"[random.IntN(5)])
		text.WriteString(party)
		row := make([]float64, numbers)
		for k := range row {
			row[k] = math.Round(1e6*random.NormFloat64()) / 1e6
			if k%2 == 1 && random.IntN(9) == 0 {
				row[k] = math.NaN()
				text.WriteString(",")
				continue
			}
			fmt.Fprintf(&text, ",%v", row[k])
		}
		fmt.Fprintf(&text, ",%d\n", random.IntN(2))
		cells[party] = append(cells[party], row)
	}
	var all [][]float64
	for _, party := range "rstuv" {
		all = append(all, cells[string(party)]...)
	}
	for _, cores := range []int{1, 2, 3, 16} {
		before := runtime.GOMAXPROCS(cores)
		read, _, err := Read(Columns{Party: By("p"), Label: "y", Classes: true, Missing: Missing{Default: MissingMean}}, written(t, "f.csv", text.String()), nil)
		if err != nil {
			t.Fatal(err)
		}
		d, err := NewData(read, DataOptions{Rows: true})
		if err != nil {
			t.Fatal(err)
		}
		longest := d.Longest()
		runtime.GOMAXPROCS(before)
		squares := make([]float64, rows)
		for k := range numbers {
			column := make([]float64, rows)
			valued := 0
			for i, row := range all {
				if column[i] = row[k]; row[k] == row[k] {
					valued++
				}
			}
			fill, mean, square := 0.0, 0.0, 0.0
			for _, v := range column {
				if v == v {
					fill += v / float64(valued)
				}
			}
			for i, v := range column {
				if v != v {
					column[i] = fill
				}
				mean += column[i] / rows
			}
			for _, v := range column {
				square += float64((v - mean) / rows * (v - mean))
			}
			if d.Mean[k] != mean || d.Scale[k] != math.Sqrt(square) {
				t.Errorf("%d cores, column %d: mean %v and deviation %v, want %v and %v", cores, k, d.Mean[k], d.Scale[k], mean, math.Sqrt(square))
			}
			for i, v := range column {
				v = (v - mean) / math.Sqrt(square)
				squares[i] += float64(v * v)
			}
		}
		want := 0.0
		for _, v := range squares {
			want = max(want, math.Sqrt(v))
		}
		if longest != want {
			t.Errorf("%d cores: the longest row has %v, want %v", cores, longest, want)
		}
	}
}
