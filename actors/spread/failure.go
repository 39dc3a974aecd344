package spread

import (
	"errors"

	"starling/actors/algorithm"
	"starling/messages"
)

// Failed is the form of a failure that crosses between processes; nil for none.
func Failed(f *algorithm.Failure) *Failure {
	if f == nil {
		return nil
	}
	return &Failure{
		Turn: int64(f.Turn), Step: int64(f.Step), Hop: int64(f.Hop), Node: int32(f.Node),
		Cause: []byte(f.Cause.Error()), Stack: f.Stack,
	}
}

// FailureOf is the failure of a form that has crossed; nil for none. Only the text of its
// cause is left.
func FailureOf(w *Failure, run *algorithm.Run) *algorithm.Failure {
	if w == nil {
		return nil
	}
	node := messages.NodeID(w.Node)
	return &algorithm.Failure{
		Turn: int(w.Turn), Step: int(w.Step), Hop: int(w.Hop), Node: node, Label: run.Label(node),
		Cause: errors.New(string(w.Cause)), Stack: w.Stack,
	}
}
