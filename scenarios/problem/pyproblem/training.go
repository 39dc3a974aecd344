package pyproblem

import (
	"fmt"
	"slices"

	"starling/actors/algorithm/batch"
	"starling/mechanisms/kernel"
	"starling/messages"
)

// Local is local(x, nodes, round, steps, rate, batch): the models of clients after their local steps, of the shape
// of x. Client nodes[i], from 0, begins with x[i] and takes steps[i] steps. round is the step of the run, from 1.
// rate is the step size that the scenario has, and batch the size of a batch, 0 for all data. The result is a
// function of the arguments, and of the arguments of __init__: chance has to come from keys of them.
//
// Where clients keep S numbers from round to round, the method gets them as state, of shape (k, S), 0 in the first
// round of a client, and returns a dictionary: models, of the shape of x, and state, as it is after the steps.
const Local = "local"

// Training implements batch.Trainers: nil where the class takes no local steps.
func (s *Samples) Training() batch.Desk { return s.corpus.training }

// training is the desk for questions of type *batch.Train.
type training struct{ corpus *Corpus }

// Answer implements batch.Desk: it asks about as many models at a time as mostEntries allow.
func (t *training) Answer(round int, _ []messages.NodeID, questions []any) error {
	for most := max(1, mostEntries/t.corpus.problem.Dim()); len(questions) > 0; {
		count := min(most, len(questions))
		if err := t.train(round, questions[:count]); err != nil {
			return err
		}
		questions = questions[count:]
	}
	return nil
}

// train answers questions by one call. The clients of a run have one rate, and one size of batches.
func (t *training) train(round int, questions []any) error {
	in := t.corpus.Instance
	d, o, r := in.problem.Dim(), &in.problem.o, in.rows()
	defer in.asked.Put(r)
	for row, question := range questions {
		q := question.(*batch.Train)
		r.x = append(r.x, q.X...)
		r.add(row, q.Data.(*Samples).first, q.Steps)
	}
	first, k := questions[0].(*batch.Train), len(questions)
	what := fmt.Sprintf("%s: %s.%s of %d clients from %v to %v in round %d", o.File, o.Class, Local, k, r.nodes[0], r.nodes[k-1], round)
	call := &Call{
		Method: Local, What: what, Shape: []int{k, d}, Integers: []string{"nodes", "round", "steps", "batch"},
		Arrays: []Array{
			{Name: "x", Shape: []int{k, d}, Values: r.x},
			{Name: "nodes", Shape: []int{k}, Values: r.nodes},
			{Name: "round", Values: []float64{float64(round)}},
			{Name: "steps", Shape: []int{k}, Values: r.steps},
			{Name: "rate", Values: []float64{first.Rate}},
			{Name: "batch", Values: []float64{float64(first.Batch)}},
		},
	}
	s := o.Kept
	if s > 0 {
		call.Shape = nil
		call.Arrays = append(call.Arrays, Array{Name: "state", Shape: []int{k, s}, Values: keptOf(questions)})
	}
	arrays, err := in.object.Call(call)
	if err != nil {
		return err
	}
	var of trained
	if err := of.take(arrays, k, d, s); err != nil {
		return &Error{What: what, Cause: err}
	}
	for row, question := range questions {
		q, model, kept := question.(*batch.Train), of.models[row*d:(row+1)*d], of.state[row*s:(row+1)*s]
		for i, numbers := range [][]float64{model, kept} {
			if !kernel.AllFinite(numbers) {
				return &Error{What: what, Cause: fmt.Errorf("the %s of client %v has a number that is not finite", []string{"model", "state"}[i], r.nodes[row])}
			}
		}
		copy(q.X, model)
		copy(q.Kept, kept)
	}
	return nil
}

// keptOf are the numbers that the clients of questions keep, side by side.
func keptOf(questions []any) (list []float64) {
	for _, question := range questions {
		list = append(list, question.(*batch.Train).Kept...)
	}
	return list
}

// trained is an answer of Local.
type trained struct{ models, state []float64 }

// take takes the answer for k models of length d and states of length s, 0 where clients keep nothing.
func (t *trained) take(arrays []Array, k, d, s int) error {
	if s == 0 {
		t.models = arrays[0].Values
		return nil
	}
	for _, a := range arrays {
		switch want := (map[string][]int{"models": {k, d}, "state": {k, s}})[a.Name]; {
		case want == nil:
			return fmt.Errorf("it returned %q; want a dictionary of models and state", a.Name)
		case !slices.Equal(a.Shape, want):
			return fmt.Errorf("%s has the shape %v; want %v", a.Name, a.Shape, want)
		case a.Name == "models":
			t.models = a.Values
		default:
			t.state = a.Values
		}
	}
	if t.models == nil || t.state == nil {
		return fmt.Errorf("it returned no dictionary of models and state")
	}
	return nil
}
