package results

import (
	"errors"
	"fmt"
	"math"

	"github.com/parquet-go/parquet-go"

	"starling/messages"
)

// PrivacyRow is the privacy loss of units of a run to one observer, as privacy.parquet holds it. A
// final row is over the whole run. Another row is up to an earlier step, after which the
// units' loss grew. The final rows of an arm, seed and observer come last, and have all units
// that have any loss.
type PrivacyRow struct {
	// Arm and Seed identify the run, and Observer the observer.
	Arm  string
	Seed uint64
	// Observer is wire, server, peer or public, a node such as "node 3", a coalition such as
	// "nodes 1, 4", or of a level of servers: "level edge", "wire below edge".
	Observer string
	// Unit is the first of Units protected units, in the paper's numbering,
	// that have the same loss.
	Unit, Units int32
	// Step is the step of the last release until then, or of the first release that was not
	// protected.
	Step int64
	// Definition is pure, (eps, delta), zCDP, GDP, RDP, or not private.
	Definition string
	// Epsilon holds at Delta; +Inf where nothing does.
	Epsilon float64
	Delta   float64
	// Rho is the rho of Gaussian noise, 0 where there is none.
	Rho float64
	// Final marks a loss over the whole run.
	Final bool
	// Odometer is set where Epsilon is the guarantee of the run's plan, for all data. Odometer
	// is the epsilon that the run had spent by then, by the same conversion. It depends on the
	// data, and is no guarantee. nil elsewhere.
	Odometer *float64
}

// State goes through the fields that a job sets: all but Arm and Seed.
func (row *PrivacyRow) State(c *messages.Codec) {
	c.Text("observer", &row.Observer)
	c.Int32("unit", &row.Unit)
	c.Int32("units", &row.Units)
	messages.Integer(c, "step", &row.Step)
	c.Text("definition", &row.Definition)
	c.Float("epsilon", &row.Epsilon)
	c.Float("delta", &row.Delta)
	c.Float("rho", &row.Rho)
	c.Bool("final", &row.Final)
	messages.Optional(c, "odometer", &row.Odometer, func(v *float64) { c.Float("", v) })
}

// Validate reports a row that states nothing: of no units, or with a loss that is none.
func (row *PrivacyRow) Validate() error {
	if math.IsNaN(row.Epsilon) || row.Epsilon < 0 || row.Units < 1 || row.Odometer != nil && !(*row.Odometer >= 0) {
		return fmt.Errorf("privacy row of arm %q, seed %d: epsilon %v of %d units", row.Arm, row.Seed, row.Epsilon, row.Units)
	}
	return nil
}

// privacyRecord is the layout of privacy.parquet.
type privacyRecord struct {
	Arm        string   `parquet:"arm,dict"`
	Seed       uint64   `parquet:"seed,dict"`
	Observer   string   `parquet:"observer,dict"`
	Unit       int32    `parquet:"unit"`
	Units      int32    `parquet:"units"`
	Step       int64    `parquet:"step"`
	Definition string   `parquet:"definition,dict"`
	Epsilon    float64  `parquet:"epsilon"`
	Delta      float64  `parquet:"delta"`
	Rho        float64  `parquet:"rho"`
	Final      bool     `parquet:"final"`
	Odometer   *float64 `parquet:"odometer,optional"`
}

// earlierPrivacyRecord is the layout of runs that kept no curves: all rows are final.
type earlierPrivacyRecord struct {
	Arm        string  `parquet:"arm,dict"`
	Seed       uint64  `parquet:"seed,dict"`
	Observer   string  `parquet:"observer,dict"`
	Unit       int32   `parquet:"unit"`
	Units      int32   `parquet:"units"`
	Step       int64   `parquet:"step"`
	Definition string  `parquet:"definition,dict"`
	Epsilon    float64 `parquet:"epsilon"`
	Delta      float64 `parquet:"delta"`
	Rho        float64 `parquet:"rho"`
}

// curvePrivacyRecord is the layout of runs that kept no readings of odometers.
type curvePrivacyRecord struct {
	earlierPrivacyRecord
	Final bool `parquet:"final"`
}

// privacyWriter writes privacy.parquet, in batches of one size for all jobs.
type privacyWriter struct {
	table *tableWriter[privacyRecord]
	batch []privacyRecord // at most table.rowsPerBatch
}

// newPrivacyWriter starts the file that Commit will put at path. Every writer ends with
// Commit or Abort.
func newPrivacyWriter(path string) (*privacyWriter, error) {
	file, err := createTable[privacyRecord](path)
	if err != nil {
		return nil, err
	}
	return &privacyWriter{table: file, batch: make([]privacyRecord, 0, rowsPerBatch)}, nil
}

// Add adds a row that is valid.
func (w *privacyWriter) Add(row PrivacyRow) error {
	if w.batch = append(w.batch, privacyRecord(row)); len(w.batch) < rowsPerBatch {
		return nil
	}
	return w.flush()
}

// flush hands the batch over.
func (w *privacyWriter) flush() (err error) {
	if len(w.batch) > 0 {
		err = w.table.Write(w.batch)
	}
	w.batch = w.batch[:0]
	return err
}

// Commit ends the file with its metadata, and gives it its final name.
func (w *privacyWriter) Commit(notes []tableNote) error {
	w.table.Annotate(notes)
	if err := w.flush(); err != nil {
		w.table.Abort()
		return err
	}
	return w.table.Commit()
}

// Abort gives the file up; after Commit it does nothing.
func (w *privacyWriter) Abort() { w.table.Abort() }

// Size is the length of the file in bytes, once it is committed.
func (w *privacyWriter) Size() int64 { return w.table.Size() }

// SHA256 is the hash of the file, once it is committed.
func (w *privacyWriter) SHA256() string { return w.table.SHA256() }

// eachPrivacy calls visit for every row of the file at path, in the order written. An
// error of visit ends the reading and is returned as it is.
func eachPrivacy(path string, visit func(PrivacyRow) error) error {
	names := interner{}
	row := func(v parquet.Row, final bool, odometer *float64) error {
		return visit(PrivacyRow{
			Arm: names.Get(v[0]), Seed: v[1].Uint64(), Observer: names.Get(v[2]),
			Unit: v[3].Int32(), Units: v[4].Int32(), Step: v[5].Int64(), Definition: names.Get(v[6]),
			Epsilon: v[7].Double(), Delta: v[8].Double(), Rho: v[9].Double(), Final: final, Odometer: odometer,
		})
	}
	err := readTable[privacyRecord](path, func(v parquet.Row) error { return row(v, v[10].Boolean(), optional(v[11])) })
	for _, earlier := range []func() error{
		func() error {
			return readTable[curvePrivacyRecord](path, func(v parquet.Row) error { return row(v, v[10].Boolean(), nil) })
		},
		func() error {
			return readTable[earlierPrivacyRecord](path, func(v parquet.Row) error { return row(v, true, nil) })
		},
	} {
		if !errors.Is(err, errColumns) {
			return err
		}
		if again := earlier(); !errors.Is(again, errColumns) {
			return again
		}
	}
	return err
}

// optional is a number of an optional column.
func optional(v parquet.Value) *float64 {
	if v.IsNull() {
		return nil
	}
	x := v.Double()
	return &x
}
