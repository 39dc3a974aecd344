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
	Digest string // of it
	// Quantity is what the server, participant 0, calls its parameters.
	Quantity string
}

// Params are those that a job that has run ends with.
func (t *TrainedModel) Params(j *Job) []float64 {
	for _, q := range algorithm.Quantities(j.Run.Machines[0]) {
		if q.Name == t.Quantity {
			return q.Values
		}
	}
	panic(fmt.Sprintf("the server has no %q", t.Quantity))
}
