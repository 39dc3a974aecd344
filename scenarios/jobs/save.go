package jobs

import (
	"fmt"
	"io"
	"time"

	"starling/actors/algorithm"
	"starling/messages"
	"starling/scenarios/study"
)

// Save sets the job's run to pause every so many steps and to save its state, if enough time
// has passed since the last save. keep gets a function that writes the state.
func Save(j *study.Job, keep func(state func(io.Writer) error) error, c *study.Checkpoint) {
	// The run pauses every so many steps; a state is written only if enough time has
	// passed since the last. So states depend on the clock, and results do not.
	steps, pause := c.Interval(j.Run.Steps)
	last, wait := time.Now(), pause
	var asked time.Time // when the state that is being collected became due; 0 is none
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
		if pause > 0 { // the file leaves the interval to the program
			wait = max(pause, costly*last.Sub(asked))
		}
		asked = time.Time{}
		return nil
	}}
}

// costly*t is the shortest time between two saves, if collecting and writing a state takes
// time t.
const costly = 20

// Resume sets the job to go on from a state that it saved.
func Resume(j *study.Job, saved []byte) error {
	if err := messages.Read(saved, SaveAt(j, nil)); err != nil {
		return fmt.Errorf("the checkpoint cannot be read: %w", err)
	}
	return nil
}

// SaveAt returns the saved form of the job at a state of its run: the measurements and
// charges, then the run. The same function saves and reads, so that the two cannot differ;
// Run.At selects which.
func SaveAt(j *study.Job, state *algorithm.State) messages.Stateful {
	return messages.StateFunc(func(c *messages.Codec) {
		c.Frame("measured", j.Meter)
		c.Frame("run", j.Run.At(state))
	})
}
