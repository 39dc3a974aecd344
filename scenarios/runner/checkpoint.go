package runner

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"starling/actors/algorithm"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/results"
	"starling/scenarios/results/checkpoint"
	"starling/scenarios/study"
)

// saveJob has the job's run pause every so many steps and save its state, if enough time
// has passed since the last.
func saveJob(j *study.Job, store *checkpoint.Store, index int, c *study.Checkpoint) {
	// The run pauses every so many steps; a state is written only if enough time has
	// passed since the last. So states depend on the clock, and results do not.
	steps, pause := c.Interval(j.Run.Steps)
	last := time.Now()
	j.Run.Pauses = algorithm.Pauses{Every: steps, Save: func(state *algorithm.State) error {
		if time.Since(last) < pause {
			return nil
		}
		err := store.Save(index, func(w io.Writer) error { return messages.WriteTo(w, SaveAt(j, state)) })
		if err != nil {
			return err
		}
		last = time.Now()
		return nil
	}}
}

// ResumeJob has the job go on from a state that it saved.
func ResumeJob(j *study.Job, saved []byte) error {
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

// readResult fills the result of the arm in from what was written of it when its job was
// done: a resumed run does not run finished jobs again. Arm and seed are not in what was
// written, for the number of the job tells them.
func readResult(r *JobResult, arm *study.Arm, src []byte) error {
	r.Metrics = results.NewJob(arm.Name, r.seed)
	if arm.Algorithm.NewPart != nil {
		r.part = arm.Algorithm.NewPart()
	}
	if arm.File.Measure.Model {
		r.model = make([]float64, arm.Algorithm.Dim)
	}
	if err := messages.Read(src, r); err != nil {
		return fmt.Errorf("the checkpoint cannot be read: %w", err)
	}
	for i := range r.Privacy {
		r.Privacy[i].Arm, r.Privacy[i].Seed = arm.Name, r.seed
	}
	return nil
}

// State goes through what a finished job left.
func (r *JobResult) State(c *messages.Codec) {
	c.Part("metrics", r.Metrics)
	c.Part("part", &r.part)
	c.Bytes("digest", r.digest[:])
	messages.Slice(c, "stop", &r.stops, math.MaxInt32, func(s *gauge.Stop) { s.State(c) })
	messages.Slice(c, "privacy", &r.Privacy, math.MaxInt32, func(row *results.PrivacyRow) { row.State(c) })
	messages.Slice(c, "note", &r.notes, math.MaxInt32, func(n *study.Note) {
		c.Text("key", &n.Key)
		c.Text("value", &n.Value)
	})
	messages.Slice(c, "warning", &r.warnings, math.MaxInt32, func(w *study.Warning) {
		c.Text("code", &w.Code)
		c.Text("message", &w.Message)
	})
	c.Text("costs", &r.costs)
	c.Floats("model", r.model)
}

// withoutCheckpoints is the scenario's file without how often its state is
// saved, which changes no result.
func withoutCheckpoints(s *study.Scenario) *document.Document {
	doc, err := s.Document.Delete("checkpoint")
	if err != nil {
		return s.Document // it says nothing of it
	}
	return doc
}

// Identity returns that of the scenario's checkpoints under a build. A checkpoint of
// another identity is not resumed: its noise was drawn, and its data were used, by
// another program or on other terms.
func Identity(s *study.Scenario, build string) checkpoint.Identity {
	return checkpoint.Identity{Scenario: s.Name, Hash: Hash(s, build), Build: build, Arithmetic: results.Arithmetic()}
}

// foreign refuses to resume where only runs of another build, or of another state of the
// scenario, can go on: what they released was released by other code or on other data.
// The error says for each folder what differs.
func foreign(s *study.Scenario, options RunOptions) error {
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
		// The hash in the folder's name says only that something differs. The user wants
		// to know what: the build, or a line of the scenario.
		reason := "another build began it: " + id.Build + "; this is " + options.Build
		if id.Build == options.Build {
			reason = differenceTo(s, dir)
		}
		if ours := results.Arithmetic(); id.Arithmetic != "" && id.Arithmetic != ours {
			reason += fmt.Sprintf("; it was begun with other arithmetic, too: %s, and this is %s", id.Arithmetic, ours)
		}
		reasons = append(reasons, fmt.Errorf("%s cannot be resumed: %s", dir, reason))
	}
	if len(reasons) == 0 {
		return nil
	}
	return document.BadInput(errors.Join(append(reasons, errors.New("run without --resume to begin anew"))...))
}

// unusable is the error of checkpoints that cannot be gone on from.
func unusable(err error) error { return fmt.Errorf("%w; --again begins anew", err) }

// globQuote makes a path one that matches itself only.
func globQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// differenceTo says where the scenario of a results folder first differs from this one:
// the line, with both texts.
func differenceTo(s *study.Scenario, dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, results.ScenarioFile))
	if err != nil {
		return "its scenario cannot be read: " + err.Error()
	}
	theirs, ours := bytes.Split(text, []byte("\n")), bytes.Split(s.Document.Bytes(), []byte("\n"))
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
