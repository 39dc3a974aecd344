package pyproblem

import (
	"fmt"
	"sync"

	"starling/mechanisms/kernel"
	"starling/messages"
	"starling/scenarios/problem"
	"starling/scenarios/problem/stream"
)

// The methods of a class that gives rows, features and then a label, for a model of its own to
// learn.
const (
	// RowsMethod is rows(nodes, step): the rows that nodes meet at a step, of shape
	// (k, features + 1).
	RowsMethod = "rows"
	// TestRowsMethod is test_rows(nodes, count): count fresh rows of each node, of shape
	// (k, count, features + 1).
	TestRowsMethod = "test_rows"
	// ValidationRowsMethod is validation_rows(nodes, count), as test_rows is: rows by which keys are
	// chosen.
	ValidationRowsMethod = "validation_rows"
)

// RowOptions describe rows that a class gives.
type RowOptions struct {
	Program *Program
	// File and Class name the class, for errors too. Arguments are keyword arguments of
	// __init__ beside seed, nodes, horizon and dimension, the number of features.
	File, Class string
	Arguments   map[string]any
	// Features is the number of features of a row, Tests the number of fresh rows of a node, and
	// Validation the number of its rows by which keys are chosen.
	Features, Tests, Validation int
	// FeatureBound is the largest 2-norm of features, to which longer ones are scaled down; +Inf
	// where there is no bound.
	FeatureBound float64
	// Label returns the label of a row as the model takes it, or an error.
	Label func(y float64) (float64, error)
}

// Draw returns the rows of a seed. The class is asked for all of them when the first is needed,
// in a process that ends after it; a fault of the class is a panic with a batch.Failure, which
// ends the run. The result is a stream.Tester where there are fresh rows, and a stream.Validated.
func (o *RowOptions) Draw(seed uint64, shape stream.Shape) problem.Data {
	g := &given{options: o, seed: seed, shape: shape}
	g.met = sync.OnceValues(func() ([]float64, error) { return g.read(RowsMethod, 0) })
	if o.Validation > 0 {
		g.validation = g.apart(ValidationRowsMethod, o.Validation)
	}
	if o.Tests == 0 {
		return g
	}
	return g.apart(TestRowsMethod, o.Tests)
}

// apart returns the data with so many rows of each node, by a method, as fresh data.
func (g *given) apart(method string, count int) *givenTests {
	return &givenTests{given: g, count: count, fresh: sync.OnceValues(func() ([]float64, error) { return g.read(method, count) })}
}

// given are the rows of a seed: at first none, and all of them in memory once one is asked for.
type given struct {
	options *RowOptions
	seed    uint64
	shape   stream.Shape
	met     func() ([]float64, error) // step by step, and learner by learner within a step
	// validation has the rows by which keys are chosen; nil where there are none.
	validation *givenTests
}

// Validation implements stream.Validated.
func (g *given) Validation() stream.Tester {
	if g.validation == nil {
		return nil
	}
	return g.validation
}

// Width implements problem.Data.
func (g *given) Width() int { return g.options.Features + 1 }

// Datum implements problem.Data.
func (g *given) Datum(dst []float64, node messages.NodeID, step int) {
	g.row(dst, g.met, (step-1)*g.shape.Learners+int(node))
}

// row writes a row.
func (g *given) row(dst []float64, of func() ([]float64, error), index int) {
	rows, err := of()
	must(err)
	copy(dst, rows[index*g.Width():(index+1)*g.Width()])
}

type givenTests struct {
	*given
	count int                       // of each learner
	fresh func() ([]float64, error) // learner by learner
}

// TestSamples implements stream.Tester.
func (t *givenTests) TestSamples(messages.NodeID) int { return t.count }

// Test implements stream.Tester.
func (t *givenTests) Test(dst []float64, node messages.NodeID, index int) {
	t.row(dst, t.fresh, int(node)*t.count+index)
}

// read asks the class for all rows of a method: of each step, or count of each node.
func (g *given) read(method string, count int) ([]float64, error) {
	o := g.options
	arguments := map[string]any{"seed": g.seed, "nodes": g.shape.Learners, "horizon": g.shape.Steps(), "dimension": o.Features}
	for name, value := range o.Arguments {
		arguments[name] = value
	}
	object := o.Program.Object(o.Class, arguments)
	defer object.Release()
	if method != RowsMethod {
		all := make([]float64, g.shape.Learners*count*g.Width())
		return all, g.ask(object, method, "count", count, all)
	}
	batch := g.shape.Learners * g.Width()
	all := make([]float64, g.shape.Steps()*batch)
	for step := range g.shape.Steps() {
		if err := g.ask(object, method, "step", step+1, all[step*batch:(step+1)*batch]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// ask calls a method for all nodes, with a whole number beside them, and writes the rows to dst.
func (g *given) ask(object *Object, method, name string, number int, dst []float64) error {
	o, n := g.options, g.shape.Learners
	nodes := make([]float64, n)
	for i := range nodes {
		nodes[i] = float64(i)
	}
	shape := []int{n, g.Width()}
	if method != RowsMethod {
		shape = []int{n, number, g.Width()}
	}
	call := &Call{
		Method: method, What: fmt.Sprintf("%s: %s.%s of %d nodes, %s %d", o.File, o.Class, method, n, name, number),
		Shape: shape, Integers: []string{"nodes", name}, Into: dst,
		Arrays: []Array{{Name: "nodes", Shape: []int{n}, Values: nodes}, {Name: name, Values: []float64{float64(number)}}},
	}
	if _, err := object.Call(call); err != nil {
		return err
	}
	each := len(dst) / g.Width() / n // rows of a node
	for i := range n * each {
		if err := o.mend(dst[i*g.Width() : (i+1)*g.Width()]); err != nil {
			return &Error{What: call.What, Cause: fmt.Errorf("row %d of node %d: %w", i%each+1, i/each, err)}
		}
	}
	return nil
}

// mend holds a row to the bound on features, and its label to the form that the model takes.
func (o *RowOptions) mend(row []float64) (err error) {
	if !kernel.AllFinite(row) {
		return fmt.Errorf("it is %v, want finite numbers", row)
	}
	features := row[:o.Features]
	if norm := kernel.Norm(features); norm > o.FeatureBound {
		kernel.Scale(features, o.FeatureBound/norm, features)
	}
	row[o.Features], err = o.Label(row[o.Features])
	return err
}
