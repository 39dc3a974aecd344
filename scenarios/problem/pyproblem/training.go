package pyproblem

import (
	"fmt"

	"starling/actors/algorithm/batch"
	"starling/mechanisms/kernel"
	"starling/messages"
)

// Local is local(x, nodes, round, steps, rate, batch): the models of clients after their local steps, of the shape
// of x. Client nodes[i], from 0, begins with x[i] and takes steps[i] steps. round is the step of the run, from 1.
// rate is the step size that the scenario has, and batch the size of a batch, 0 for all data. The result is a
// function of the arguments, and of the arguments of __init__: chance has to come from keys of them.
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
	arrays, err := in.object.Call(&Call{
		Method: Local, What: what, Shape: []int{k, d}, Integers: []string{"nodes", "round", "steps", "batch"},
		Arrays: []Array{
			{Name: "x", Shape: []int{k, d}, Values: r.x},
			{Name: "nodes", Shape: []int{k}, Values: r.nodes},
			{Name: "round", Values: []float64{float64(round)}},
			{Name: "steps", Shape: []int{k}, Values: r.steps},
			{Name: "rate", Values: []float64{first.Rate}},
			{Name: "batch", Values: []float64{float64(first.Batch)}},
		},
	})
	if err != nil {
		return err
	}
	for row, question := range questions {
		model := arrays[0].Values[row*d : (row+1)*d]
		if !kernel.AllFinite(model) {
			return &Error{What: what, Cause: fmt.Errorf("the model of client %v has a number that is not finite", r.nodes[row])}
		}
		copy(question.(*batch.Train).Answer, model)
	}
	return nil
}
