package scenarios

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
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
	Every int `yaml:"every" doc:"number of steps between states that are saved; absent, a tenth of the horizon, but not more than one a second"`
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
		text, err := j.appendState(nil, state)
		if err != nil {
			return err
		}
		if err := store.Save(index, text); err != nil {
			return err
		}
		last = time.Now()
		return nil
	}}
}

// appendState appends all that the job goes on from.
func (j *job) appendState(dst []byte, state *algorithm.State) ([]byte, error) {
	var err error
	dst = messages.AppendFramed(dst, j.meter.AppendState)
	dst = messages.AppendFramed(dst, func(dst []byte) []byte {
		dst, err = j.run.AppendState(dst, state)
		return dst
	})
	return dst, err
}

// resume has the job go on from a state that it saved.
func (j *job) resume(state []byte) error {
	r := messages.NewReader(state)
	measured, run := r.Framed(), r.Framed()
	err := r.End()
	if err == nil {
		err = j.meter.RestoreState(measured)
	}
	if err == nil {
		err = j.run.RestoreState(run)
	}
	if err != nil {
		return fmt.Errorf("the checkpoint cannot be read: %w", err)
	}
	return nil
}

// appendBinary appends what a finished job left.
func (r *jobResult) appendBinary(dst []byte) []byte {
	text := func(s string) {
		dst = messages.AppendFramed(dst, func(dst []byte) []byte { return append(dst, s...) })
	}
	dst = r.metrics.AppendBinary(dst)
	dst = r.part.AppendBinary(dst)
	dst = append(dst, r.digest[:]...)
	dst = messages.AppendInt(dst, len(r.stops))
	for _, s := range r.stops {
		dst = messages.AppendInt(dst, int(s.Node))
		dst = messages.AppendInt(dst, s.Step)
		text(s.Reason)
	}
	dst = messages.AppendInt(dst, len(r.privacy))
	for _, row := range r.privacy {
		text(row.Observer)
		text(row.Definition)
		for _, v := range []int{int(row.Unit), int(row.Units), int(row.Step)} {
			dst = messages.AppendInt(dst, v)
		}
		dst = append(messages.AppendFloats(dst, row.Epsilon, row.Delta, row.Rho), boolByte(row.Final))
		dst = appendOptional(dst, row.Odometer)
	}
	dst = messages.AppendInt(dst, len(r.notes))
	for _, n := range r.notes {
		text(n.key)
		text(n.value)
	}
	dst = messages.AppendInt(dst, len(r.warnings))
	for _, w := range r.warnings {
		text(w.code)
		text(w.message)
	}
	text(r.costs)
	return messages.AppendFloats(dst, r.model...)
}

func boolByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}

func appendOptional(dst []byte, x *float64) []byte {
	if x == nil {
		return append(dst, 0)
	}
	return messages.AppendFloats(append(dst, 1), *x)
}

func readOptional(in *messages.Reader) *float64 {
	if in.Byte() == 0 {
		return nil
	}
	x := in.Float()
	return &x
}

// read fills the result in from what appendBinary wrote of it.
func (r *jobResult) read(arm *Arm, src []byte) error {
	in := messages.NewReader(src)
	r.metrics = results.ReadJob(in, arm.Name, r.seed)
	r.part = arm.readPart(in)
	copy(r.digest[:], in.Bytes(sha256.Size))
	for range in.Int() {
		if in.Err() != nil {
			break
		}
		r.stops = append(r.stops, meter.Stop{Node: messages.NodeID(in.Int()), Step: in.Int(), Reason: string(in.Framed())})
	}
	for range in.Int() {
		if in.Err() != nil {
			break
		}
		r.privacy = append(r.privacy, results.PrivacyRow{
			Arm: arm.Name, Seed: r.seed, Observer: string(in.Framed()), Definition: string(in.Framed()),
			Unit: int32(in.Int()), Units: int32(in.Int()), Step: int64(in.Int()),
			Epsilon: in.Float(), Delta: in.Float(), Rho: in.Float(), Final: in.Byte() != 0, Odometer: readOptional(in),
		})
	}
	for range in.Int() {
		if in.Err() != nil {
			break
		}
		r.notes = append(r.notes, note{string(in.Framed()), string(in.Framed())})
	}
	for range in.Int() {
		if in.Err() != nil {
			break
		}
		r.warnings = append(r.warnings, warning{string(in.Framed()), string(in.Framed())})
	}
	r.costs = string(in.Framed())
	if arm.file.Measure.Model {
		r.model = make([]float64, arm.algorithm.dim)
		in.Floats(r.model)
	}
	if err := in.End(); err != nil {
		return fmt.Errorf("the checkpoint cannot be read: %w", err)
	}
	return nil
}

// readPart reads what a job left for statistics over seeds.
func (arm *Arm) readPart(in *messages.Reader) meter.Part {
	if arm.algorithm.expected == nil {
		return meter.ReadPart(in, 0)
	}
	return meter.ReadPart(in, arm.meterOptions().PartLength())
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
