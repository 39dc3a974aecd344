package jobs

import (
	"fmt"
	"io"
	"time"

	"starling/actors/algorithm"
	"starling/messages"
	"starling/scenarios/study"
)

// Save has the job's run pause every so many steps and save its state, if enough time
// has passed since the last: keep gets what writes it.
func Save(j *study.Job, keep func(state func(io.Writer) error) error, c *study.Checkpoint) {
	// The run pauses every so many steps; a state is written only if enough time has
	// passed since the last. So states depend on the clock, and results do not.
	steps, pause := c.Interval(j.Run.Steps)
	last, wait := time.Now(), pause
	var asked time.Time // when the state that is being collected was found to be due; 0 is none
	due := func() bool {
		if asked.IsZero() && time.Since(last) >= wait {
			asked = time.Now()
		}
		return !asked.IsZero()
	}
	j.Run.Pauses = algorithm.Pauses{Every: steps, Due: due, Save: func(state *algorithm.State) error {
		if !due() {
			return nil
		}
		err := keep(func(w io.Writer) error { return messages.WriteTo(w, SaveAt(j, state)) })
		if err != nil {
			return err
		}
		last = time.Now()
		if pause > 0 { // the file leaves it to us how often
			wait = max(pause, costly*last.Sub(asked))
		}
		asked = time.Time{}
		return nil
	}}
}

// costly is so many times as long as a state took to collect and write: the next is not due
// before.
const costly = 20

// Resume has the job go on from a state that it saved.
func Resume(j *study.Job, saved []byte) error {
	if err := messages.Read(saved, SaveAt(j, nil)); err != nil {
		return fmt.Errorf("the checkpoint cannot be read: %w", err)
	}
	return nil
}

// SaveAt returns what the job goes on from at a state of its run: what was measured and
// paid, then the run. The same function saves and reads, so that the two cannot differ;
// Run.At says which it does.
func SaveAt(j *study.Job, state *algorithm.State) messages.Stateful {
	return messages.StateFunc(func(c *messages.Codec) {
		c.Frame("measured", j.Meter)
		c.Frame("run", j.Run.At(state))
	})
}
