package study

import (
	"fmt"
	"io"

	"starling/actors/algorithm"
)

// Writable is a model with parameters that can be written to a file.
type Writable interface {
	// Dim returns the number of parameters.
	Dim() int
	// Write writes params, len Dim, as a file, with texts by their keys.
	Write(w io.Writer, params []float64, metadata map[string]string) error
}

// TrainedModel is the model that the jobs of an arm train.
type TrainedModel struct {
	Model  Writable
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
