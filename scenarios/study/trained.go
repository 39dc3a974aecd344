package study

import (
	"fmt"

	"starling/actors/algorithm"
	"starling/scenarios/problem/model"
)

// TrainedModel is the model that the jobs of an arm train.
type TrainedModel struct {
	Model  *model.Model
	Data   string // name of the data set
	Digest string // of the data set
	// Quantity is the server's name, as participant 0, for the model's parameters.
	Quantity string
}

// Params returns the parameters at the end of a job that has run.
func (t *TrainedModel) Params(j *Job) []float64 {
	for _, q := range algorithm.Quantities(j.Run.Machines[0]) {
		if q.Name == t.Quantity {
			return q.Values
		}
	}
	panic(fmt.Sprintf("the server has no %q", t.Quantity))
}
