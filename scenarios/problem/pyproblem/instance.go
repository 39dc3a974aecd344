package pyproblem

import (
	"errors"
	"fmt"

	"starling/actors/algorithm/batch"
	"starling/messages"
)

// must panics with an error of the user's code, in functions that return none.
func must(err error) {
	if err != nil {
		panic(batch.Failure{Err: err})
	}
}

// Losses implements batch.Costs.
func (in *Instance) Losses(dst []float64, nodes []messages.NodeID, step int, x []float64) error {
	return in.rowsOf("loss", dst, nodes, step, x)
}

// Gradients implements batch.Costs.
func (in *Instance) Gradients(dst []float64, nodes []messages.NodeID, step int, x []float64) error {
	return in.rowsOf("gradient", dst, nodes, step, x, in.problem.Dim())
}

// Loss implements problem.Instance.
func (in *Instance) Loss(node messages.NodeID, step int, x []float64) float64 {
	var loss [1]float64
	must(in.Losses(loss[:], []messages.NodeID{node}, step, x))
	return loss[0]
}

// Gradient implements problem.Instance.
func (in *Instance) Gradient(dst []float64, node messages.NodeID, step int, x []float64) {
	must(in.Gradients(dst, []messages.NodeID{node}, step, x))
}

// SumGradient implements problem.Instance.
func (in *Instance) SumGradient(dst []float64, step int, x []float64) {
	must(in.SumGradients(dst, step, x))
}

// mostEntries is the largest number of entries of an answer that is summed, unless a single
// decision has more.
const mostEntries = 1 << 21

// SumGradients is SumGradient for several decisions. x has the decisions as rows side by side,
// and the sums are written to rows of dst.
func (in *Instance) SumGradients(dst []float64, step int, x []float64) error {
	d, n := in.problem.Dim(), len(in.all())
	for most := max(1, mostEntries/(n*d)); len(x) > 0; {
		rows := min(most, len(x)/d)
		_, _, err := in.ask(&question{method: "gradient", nodes: in.all(), step: step, x: x[:rows*d], rows: rows, shape: []int{rows * n, d}, over: true, into: dst[:rows*d]})
		if err != nil {
			return err
		}
		x, dst = x[rows*d:], dst[rows*d:]
	}
	return nil
}

// FreshLosses writes to dst the mean losses of decisions on fresh data of their nodes.
func (in *Instance) FreshLosses(dst []float64, nodes []messages.NodeID, step int, x []float64) error {
	return in.rowsOf(TestLoss, dst, nodes, step, x)
}

// Tries writes two numbers for each node: the number of fresh data, and the number of those
// that its decision classifies right.
func (in *Instance) Tries(dst []float64, nodes []messages.NodeID, step int, x []float64) error {
	numbers := in.numbers(nodes)
	defer in.free.Put(numbers)
	q := &question{method: Classify, nodes: *numbers, step: step, x: x, rows: len(nodes), shape: []int{len(nodes), -1}}
	got, shape, err := in.ask(q)
	if err != nil {
		return err
	}
	m := shape[1]
	if m == 0 {
		return &Error{What: in.what(q), Cause: errors.New("there are no fresh data")}
	}
	for i := range nodes {
		right := 0.0
		for _, v := range got[i*m : (i+1)*m] {
			if v != 0 && v != 1 {
				return &Error{What: in.what(q), Cause: fmt.Errorf("it returned %v for node %d; want truth values", v, nodes[i])}
			}
			right += v
		}
		dst[2*i], dst[2*i+1] = float64(m), right
	}
	return nil
}

// plain asks for numbers from a method that takes only whole numbers.
func (in *Instance) plain(method string, shape []int, names []string, values ...int) ([]float64, error) {
	o := &in.problem.o
	call := Call{Method: method, Shape: shape, Integers: names, What: fmt.Sprintf("%s: %s.%s%v", o.File, o.Class, method, values)}
	for i, name := range names {
		call.Arrays = append(call.Arrays, Array{Name: name, Values: []float64{float64(values[i])}})
	}
	arrays, err := in.object.Call(&call)
	if err != nil {
		return nil, err
	}
	return arrays[0].Values, nil
}

// BestIn returns the least mean loss of one decision over all nodes and the steps first to
// last. NaN means that the class does not know it.
func (in *Instance) BestIn(first, last int) float64 {
	best, err := in.plain(Minimum, []int{}, []string{"first", "last"}, first, last)
	must(err)
	return best[0]
}

// target returns the true position at a step.
func (in *Instance) target(step int) []float64 {
	x, err := in.plain(Target, []int{in.problem.Dim()}, []string{"step"}, step)
	must(err)
	return x
}

// Tracked is an instance of a class that offers Target. It implements problem.Tracker.
type Tracked struct{ *Instance }

// Target implements problem.Tracker.
func (t Tracked) Target(step int) []float64 { return t.target(step) }
