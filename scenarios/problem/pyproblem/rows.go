package pyproblem

import (
	"fmt"
	"math"
	"slices"

	"starling/mechanisms/kernel"
)

// rows is a question to a class about many data at once. Each datum is a node and a step, with
// a row of x.
type rows struct {
	x            []float64 // rows of length d, side by side
	at           []float64 // by datum: its row of x, from 0, ascending
	nodes, steps []float64 // by datum
}

// rows returns a question without data, in memory to be put back to asked.
func (in *Instance) rows() *rows {
	r, ok := in.asked.Get().(*rows)
	if !ok {
		r = &rows{}
	}
	r.x, r.at, r.nodes, r.steps = r.x[:0], r.at[:0], r.nodes[:0], r.steps[:0]
	return r
}

// add adds a datum, at the last row of x.
func (r *rows) add(row, node, step int) {
	r.at, r.nodes, r.steps = append(r.at, float64(row)), append(r.nodes, float64(node)), append(r.steps, float64(step))
}

// part returns the data from first up to end, with their rows of x.
func (r *rows) part(first, end, d int) rows {
	p := rows{at: r.at[first:end], nodes: r.nodes[first:end], steps: r.steps[first:end]}
	low, high := int(p.at[0]), int(p.at[len(p.at)-1])
	if p.x = r.x[low*d : (high+1)*d]; low > 0 {
		p.at = slices.Clone(p.at)
		for i := range p.at {
			p.at[i] -= float64(low)
		}
	}
	return p
}

// alike reports whether all data are of one step, each with a row of x of its own. Then the
// method is called with the rows as they are.
func (r *rows) alike() bool {
	for i, at := range r.at {
		if at != float64(i) || r.steps[i] != r.steps[0] {
			return false
		}
	}
	return true
}

// whatRows returns a call about these data in the terms of the user's code, for errors.
func (in *Instance) whatRows(method string, r *rows) string {
	o := &in.problem.o
	text := fmt.Sprintf("%s: %s.%s of", o.File, o.Class, method)
	if low, high := slices.Min(r.nodes), slices.Max(r.nodes); low == high {
		text += fmt.Sprintf(" node %v at", low)
	} else {
		text += fmt.Sprintf(" %d data of nodes %v to %v at", len(r.nodes), low, high)
	}
	if low, high := slices.Min(r.steps), slices.Max(r.steps); low != high {
		return text + fmt.Sprintf(" steps %v to %v", low, high)
	}
	return text + fmt.Sprintf(" step %v", r.steps[0])
}

// each asks a method about data. An answer has the given shape for each datum. each calls use
// with the answers, in the order of the data; an answer is valid until the next call of use.
func (in *Instance) each(method string, r *rows, shape []int, use func(i int, answer []float64) error) error {
	d, width := in.problem.Dim(), 1
	for _, length := range shape {
		width *= length
	}
	most := max(1, mostEntries/max(width, d))
	memory := in.memory()
	defer in.free.Put(memory)
	*memory = slices.Grow(*memory, min(most, len(r.at))*width)
	for first := 0; first < len(r.at); first += most {
		part := r.part(first, min(first+most, len(r.at)), d)
		got := (*memory)[:len(part.at)*width]
		if err := in.askRows(method, got, &part, shape); err != nil {
			return err
		}
		for i := range part.at {
			if err := use(first+i, got[i*width:(i+1)*width]); err != nil {
				return &Error{What: in.whatRows(method, &part), Cause: fmt.Errorf("node %v at step %v: %w", part.nodes[i], part.steps[i], err)}
			}
		}
	}
	return nil
}

// askRows makes the call and writes the answer to dst.
func (in *Instance) askRows(method string, dst []float64, r *rows, shape []int) error {
	k := len(r.at)
	call := Call{
		Method: method, What: in.whatRows(method, r), Shape: append([]int{k}, shape...), Integers: []string{"nodes", "step", "at"}, Into: dst,
		Arrays: []Array{
			{Name: "x", Shape: []int{len(r.x) / in.problem.Dim(), in.problem.Dim()}, Values: r.x},
			{Name: "nodes", Shape: []int{k}, Values: r.nodes},
		},
	}
	if r.alike() {
		call.Arrays = append(call.Arrays, Array{Name: "step", Values: r.steps[:1]})
	} else {
		call.At, call.By = "at", "step"
		call.Arrays = append(call.Arrays, Array{Name: "step", Shape: []int{k}, Values: r.steps}, Array{Name: "at", Shape: []int{k}, Values: r.at})
	}
	if _, err := in.object.Call(&call); err != nil || kernel.AllFinite(dst) {
		return err
	}
	i := slices.IndexFunc(dst, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	row := i / (len(dst) / k)
	return &Error{What: call.What, Cause: fmt.Errorf("it returned %v for node %v at step %v, of whose decision the first entry is %v", dst[i], r.nodes[row], r.steps[row], r.x[int(r.at[row])*in.problem.Dim()])}
}
