package results

import (
	"fmt"
	"math"
	"strings"

	"starling/messages"
)

// Failure is the reason why an arm is missing from a run: its first seed with a job that ended
// before the horizon, such as with a gradient that is not finite. No seed of the arm counts
// then, since a mean over the seeds that did not fail would be of a selection.
type Failure struct {
	Arm  string `json:"arm"`
	Seed uint64 `json:"seed"`
	// Step and Node are the paper's numbers, of the participant that failed first; both null
	// where the failure is of none.
	Step *int64 `json:"step"`
	Node *int32 `json:"node"`
	// Cause is the reason, in a sentence without its full stop.
	Cause string `json:"cause"`
}

// Error implements error. It leaves arm and seed to the caller.
func (f *Failure) Error() string {
	if f.Step == nil || f.Node == nil {
		return f.Cause
	}
	return fmt.Sprintf("step %d, node %d: %s", *f.Step, *f.Node, f.Cause)
}

// String is the whole failure in words.
func (f *Failure) String() string {
	return fmt.Sprintf("arm %s, seed %d: %s", f.Arm, f.Seed, f.Error())
}

// State goes through step, node and cause. Arm and seed are the job's.
func (f *Failure) State(c *messages.Codec) {
	placed := f.Step != nil && f.Node != nil
	if c.Bool("placed", &placed); placed {
		var step, node int
		if !c.Reading() {
			step, node = int(*f.Step), int(*f.Node)
		}
		c.Int("step", &step)
		c.Int("node", &node)
		if c.Reading() {
			c.Check(node >= 0 && node <= math.MaxInt32, "node %d", node)
			at, who := int64(step), int32(node)
			f.Step, f.Node = &at, &who
		}
	}
	c.Text("cause", &f.Cause)
}

// FailureText names the arms of a run that fail, with the reasons; empty where none does. consequence is a text such as
// "failed and are left out", and all the number of arms that the run was to have.
func FailureText(consequence string, failures []Failure, all int) string {
	if len(failures) == 0 {
		return ""
	}
	lines := make([]string, len(failures))
	for i := range failures {
		lines[i] = failures[i].String()
	}
	return fmt.Sprintf("%d of %d arms %s:\n  %s", len(failures), all, consequence, strings.Join(lines, "\n  "))
}
