package table

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"starling/mechanisms/portable"
	"starling/mechanisms/rng"
	"starling/scenarios/problem/dataset"
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
	e.each(func(client, step int, features []float64, label int) {
		fmt.Fprintf(w, "%d,%d", client, step)
		for _, v := range features {
			fmt.Fprintf(w, ",%g", v)
		}
		fmt.Fprintf(w, ",%d\n", label)
	}, func(int) {})
	return w.Flush()
}

// each draws the rows of the clients, one client after the other from 1, and calls end after the last row of
// each.
func (e Example) each(row func(client, step int, features []float64, label int), end func(client int)) {
	var s rng.Stream
	key := rng.NewKey(e.Seed, purposeExample)
	model, mean, features := make([]float64, e.Features), make([]float64, e.Features), make([]float64, e.Features)
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
	for client := 1; client <= e.Clients; client++ {
		r := s.Open(key, client, 0, 0)
		for k := range mean {
			mean[k] = shiftDeviation * r.NormFloat64()
		}
		offset := offsetDeviation * r.NormFloat64()
		for step := 1; step <= e.Rows; step++ {
			z := offset
			for k, at := range mean {
				features[k] = math.Round(100*(at+r.NormFloat64())) / 100
				z += float64(model[k] * features[k])
			}
			label := 0
			if r.Float64() < 1/(1+portable.Exp(-z)) {
				label = 1
			}
			row(client, step, features, label)
		}
		end(client)
	}
}

// WriteGroups writes the table as Parquet, with a row group for each client. Columns are in the order of their
// names.
func (e Example) WriteGroups(to io.Writer) error { return e.columnar(true).groups(to) }

// WriteClients writes a Parquet file for each client, without the column client, by the function that is given the
// name of the file.
func (e Example) WriteClients(write func(name string, content func(io.Writer) error) error) error {
	c := e.columnar(false)
	width := len(strconv.Itoa(e.Clients))
	var err error
	c.each(func(client int, rows []parquet.Row) {
		if err == nil {
			name := fmt.Sprintf("%0*d", width, client)
			err = write(dataset.ClientFile("", name), func(to io.Writer) error {
				w := c.writer(to)
				_, err := w.WriteRows(rows)
				return errors.Join(err, w.Close())
			})
		}
	})
	return err
}

// columnarExample is an example as rows of Parquet.
type columnarExample struct {
	Example
	schema *parquet.Schema
	// columns are the places of client, step, the features and the label among the columns; client is
	// -1 where there is none.
	columns []int
}

// columnar returns the example as rows of Parquet, maybe with the column of clients.
func (e Example) columnar(client bool) *columnarExample {
	group := parquet.Group{"step": parquet.Int(64), "y": parquet.Int(64)}
	names := []string{"client", "step"}
	for k := range e.Features {
		name := fmt.Sprintf("x%d", k+1)
		group[name] = parquet.Leaf(parquet.DoubleType)
		names = append(names, name)
	}
	if client {
		group["client"] = parquet.Int(64)
	}
	c := &columnarExample{Example: e, schema: parquet.NewSchema("example", group)}
	sorted := slices.Sorted(maps.Keys(group))
	for _, name := range append(names, "y") {
		c.columns = append(c.columns, slices.Index(sorted, name))
	}
	return c
}

// writer returns a writer of rows.
func (c *columnarExample) writer(to io.Writer) *parquet.Writer {
	return parquet.NewWriter(to, c.schema, parquet.CreatedBy("starling", "1", ""))
}

// groups writes the rows of each client as a row group.
func (c *columnarExample) groups(to io.Writer) (err error) {
	w := c.writer(to)
	c.each(func(_ int, rows []parquet.Row) {
		_, wrong := w.WriteRows(rows)
		err = cmp.Or(err, wrong, w.Flush())
	})
	return cmp.Or(err, w.Close())
}

// each hands over the rows of one client after the other.
func (c *columnarExample) each(client func(client int, rows []parquet.Row)) {
	var rows []parquet.Row
	c.Example.each(func(client, step int, features []float64, label int) {
		row := make(parquet.Row, len(features)+2, len(features)+3)
		put := func(k int, v parquet.Value) {
			if column := c.columns[k]; column >= 0 {
				row = row[:max(len(row), column+1)]
				row[column] = v.Level(0, 0, column)
			}
		}
		put(0, parquet.Int64Value(int64(client)))
		put(1, parquet.Int64Value(int64(step)))
		for k, v := range features {
			put(2+k, parquet.DoubleValue(v))
		}
		put(2+len(features), parquet.Int64Value(int64(label)))
		rows = append(rows, row)
	}, func(of int) {
		client(of, rows)
		rows = nil
	})
}
