package scenarios

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"starling/actors/algorithm"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/meter"
	"starling/scenarios/results"
	"starling/scenarios/results/checkpoint"
)

// Checkpoint says how often the state of a run is saved.
type Checkpoint struct {
	Every int `yaml:"every" min:"1" max:"10000000" says:"%v steps" doc:"number of steps between states that are saved; absent, a tenth of the horizon, but not more than one a second"`
}

const (
	usualCheckpoints = 10 // of a run, where the file does not say
	// usualPause is the least time between two states where the file does not
	// say how many there are to be: writing them costs more than short runs.
	usualPause = time.Second
)

// interval is the number of steps between pauses, and the least time between
// two states that are saved.
func (c *Checkpoint) interval(horizon int) (steps int, pause time.Duration) {
	if c.Every > 0 {
		return c.Every, 0
	}
	return (horizon + usualCheckpoints - 1) / usualCheckpoints, usualPause
}

// saveTo has the job's run pause and save its states.
func (j *job) saveTo(store *checkpoint.Store, index int, c *Checkpoint) {
	steps, pause := c.interval(j.run.Steps)
	last := time.Now()
	j.run.Pauses = algorithm.Pauses{Every: steps, Save: func(state *algorithm.State) error {
		if time.Since(last) < pause {
			return nil
		}
		if err := store.Save(index, messages.Write(nil, j.at(state))); err != nil {
			return err
		}
		last = time.Now()
		return nil
	}}
}

// resume has the job go on from a state that it saved.
func (j *job) resume(saved []byte) error {
	if err := messages.Read(saved, j.at(nil)); err != nil {
		return fmt.Errorf("the checkpoint cannot be read: %w", err)
	}
	return nil
}

// at is all that the job goes on from at a state of its run, which Run.At says what
// is done with: what was measured, then the run.
func (j *job) at(state *algorithm.State) messages.Stateful {
	return messages.StateFunc(func(c *messages.Codec) {
		c.Frame("measured", j.meter)
		c.Frame("run", j.run.At(state))
	})
}

// read fills the result of the arm in from what was written of it.
func (r *jobResult) read(arm *Arm, src []byte) error {
	r.metrics = results.NewJob(arm.Name, r.seed)
	if arm.algorithm.newPart != nil {
		r.part = arm.algorithm.newPart()
	}
	if arm.file.Measure.Model {
		r.model = make([]float64, arm.algorithm.dim)
	}
	if err := messages.Read(src, r); err != nil {
		return fmt.Errorf("the checkpoint cannot be read: %w", err)
	}
	for i := range r.privacy {
		r.privacy[i].Arm, r.privacy[i].Seed = arm.Name, r.seed
	}
	return nil
}

// State goes through what a finished job left.
func (r *jobResult) State(c *messages.Codec) {
	c.Part("metrics", r.metrics)
	c.Part("part", &r.part)
	c.Bytes("digest", r.digest[:])
	messages.Slice(c, "stop", &r.stops, math.MaxInt32, func(s *meter.Stop) { s.State(c) })
	messages.Slice(c, "privacy", &r.privacy, math.MaxInt32, func(row *results.PrivacyRow) { row.State(c) })
	messages.Slice(c, "note", &r.notes, math.MaxInt32, func(n *note) {
		c.Text("key", &n.key)
		c.Text("value", &n.value)
	})
	messages.Slice(c, "warning", &r.warnings, math.MaxInt32, func(w *warning) {
		c.Text("code", &w.code)
		c.Text("message", &w.message)
	})
	c.Text("costs", &r.costs)
	c.Floats("model", r.model)
}

// withoutCheckpoints is the scenario's file without how often its state is
// saved, which changes no result.
func (s *Scenario) withoutCheckpoints() *document.Document {
	doc, err := s.document.Delete("checkpoint")
	if err != nil {
		return s.document // it says nothing of it
	}
	return doc
}

// identity is that of the scenario's checkpoints under a build.
func (s *Scenario) identity(build string) checkpoint.Identity {
	return checkpoint.Identity{Scenario: s.Name, Hash: s.Hash(build), Build: build, Arithmetic: results.Arithmetic()}
}

// foreign refuses to resume where only runs of another build, or of another
// state of the scenario, can go on: what they released was released by other
// code or on other data.
func (s *Scenario) foreign(options RunOptions) error {
	folders, err := filepath.Glob(filepath.Join(globQuote(options.Out), s.Name, "*"))
	if err != nil {
		return err
	}
	var reasons []error
	for _, dir := range folders {
		saved, err := checkpoint.Exists(results.Checkpoints(dir))
		if err != nil {
			return err
		}
		complete, err := results.IsComplete(dir)
		if err != nil {
			return err
		}
		if !saved || complete {
			continue
		}
		id, err := checkpoint.ReadIdentity(results.Checkpoints(dir))
		if err != nil {
			return err
		}
		reason := "another build began it: " + id.Build + "; this is " + options.Build
		if id.Build == options.Build {
			reason = s.difference(dir)
		}
		if ours := results.Arithmetic(); id.Arithmetic != "" && id.Arithmetic != ours {
			reason += fmt.Sprintf("; it was begun with other arithmetic, too: %s, and this is %s", id.Arithmetic, ours)
		}
		reasons = append(reasons, fmt.Errorf("%s cannot be resumed: %s", dir, reason))
	}
	if len(reasons) == 0 {
		return nil
	}
	return BadInput(errors.Join(append(reasons, errors.New("run without --resume to begin anew"))...))
}

// unusable is the error of checkpoints that cannot be gone on from.
func unusable(err error) error { return fmt.Errorf("%w; --again begins anew", err) }

// globQuote makes a path one that matches itself only.
func globQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// difference says where the scenario of a results folder first differs from
// this one.
func (s *Scenario) difference(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, results.ScenarioFile))
	if err != nil {
		return "its scenario cannot be read: " + err.Error()
	}
	theirs, ours := bytes.Split(text, []byte("\n")), bytes.Split(s.document.Bytes(), []byte("\n"))
	line := 0
	for line < len(theirs) && line < len(ours) && bytes.Equal(theirs[line], ours[line]) {
		line++
	}
	at := func(lines [][]byte) string {
		if line < len(lines) {
			return strings.TrimSpace(string(lines[line]))
		}
		return "nothing"
	}
	return fmt.Sprintf("the scenario was another: line %d was %q and is %q", line+1, at(theirs), at(ours))
}
