package gossip

import (
	"starling/mechanisms/portable"
)

// Rate is the step size of gradient steps.
type Rate struct {
	LearningRate float64 `yaml:"learning_rate" role:"rate" over:"0" says:"learning rate %v" unit:"step size" doc:"step size alpha_t = learning_rate/t^decay"`
	Decay        float64 `yaml:"decay" min:"0" max:"1" says:"decay %v" unit:"none" doc:"how fast alpha_t falls: 0 keeps it, 1/2 is usual of convex losses, 1 of strongly convex ones"`
}

// At is alpha_t, t from 1.
func (r *Rate) At(t int) float64 { return r.LearningRate / portable.Pow(float64(t), r.Decay) }
