package table

import (
	"bufio"
	"fmt"
	"io"
	"math"

	"starling/mechanisms/portable"
	"starling/mechanisms/rng"
)

// Example is a table that is drawn. The features of a client are normal about means of its
// own. Labels are 0 or 1, by one logistic model for all with an offset for each client.
type Example struct {
	// All three are at least 1. Seed decides every number: equal examples are equal files.
	Clients, Rows, Features int // rows of each client
	Seed                    uint64
}

// Validate refuses numbers below 1, and tables that are too large to be read.
func (e Example) Validate() error {
	if e.Clients < 1 || e.Rows < 1 || e.Features < 1 {
		return fmt.Errorf("%d clients, %d rows and %d features; want at least 1 of each", e.Clients, e.Rows, e.Features)
	}
	if n := float64(e.Clients) * float64(e.Rows) * float64(e.Features+1); n > mostNumbers {
		return fmt.Errorf("a table of %.3g numbers; want at most %d", n, mostNumbers)
	}
	return nil
}

// purposeExample keys the draws of an example: stream 0 is for the model, and stream i for
// client i, so that more clients leave the rows of the first ones unchanged.
var purposeExample = rng.PurposeOf("table.example")

// Deviations of the draws of an example.
const (
	shiftDeviation  = 0.5 // of the means of a client's features
	offsetDeviation = 0.5 // of a client's offset
	signal          = 3   // of <w, a> about a client's means
)

// Write writes the table as CSV: client, step, x1 .. , y. Features have two decimals, and the
// label is drawn from the printed features: a reader of the file has the model's own inputs.
// An error of the writer is returned at the end.
func (e Example) Write(to io.Writer) error {
	w := bufio.NewWriter(to)
	fmt.Fprint(w, "client,step")
	for k := range e.Features {
		fmt.Fprintf(w, ",x%d", k+1)
	}
	fmt.Fprintln(w, ",y")
	var s rng.Stream
	key := rng.NewKey(e.Seed, purposeExample)
	model := make([]float64, e.Features)
	r := s.Open(key, 0, 0, 0)
	square := 0.0
	for k := range model {
		model[k] = r.NormFloat64()
		square += float64(model[k] * model[k])
	}
	// The weights point in a random direction and have length signal. <w, a> then has
	// deviation signal about the client's mean, whatever the number of features.
	for k := range model {
		model[k] *= signal / math.Sqrt(square)
	}
	mean := make([]float64, e.Features)
	for client := range e.Clients {
		r := s.Open(key, client+1, 0, 0)
		for k := range mean {
			mean[k] = shiftDeviation * r.NormFloat64()
		}
		offset := offsetDeviation * r.NormFloat64()
		for row := range e.Rows {
			fmt.Fprintf(w, "%d,%d", client+1, row+1)
			z := offset
			for k, at := range mean {
				v := math.Round(100*(at+r.NormFloat64())) / 100
				z += float64(model[k] * v)
				fmt.Fprintf(w, ",%g", v)
			}
			label := 0
			if r.Float64() < 1/(1+portable.Exp(-z)) {
				label = 1
			}
			fmt.Fprintf(w, ",%d\n", label)
		}
	}
	return w.Flush()
}
