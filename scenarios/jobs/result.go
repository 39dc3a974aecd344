package jobs

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/messages"
	"starling/scenarios/accounts"
	"starling/scenarios/gauge"
	"starling/scenarios/meter"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/digest"
	"starling/scenarios/results/privacy"
	"starling/scenarios/study"
	"starling/scenarios/study/effort"
	"starling/scenarios/study/remarks"
)

// Result is what one job leaves.
type Result struct {
	// Index is the job's place in the canonical order: by arm, then seed. Arm is the
	// arm's place in the scenario.
	Index int
	Arm   int
	Seed  uint64
	// Metrics are what the job recorded, Part what statistics over the seeds need of it.
	Metrics *results.Job
	Part    meter.Part
	// Proof has the digest of the job, which covers the final state of the machines, and the
	// metrics. Besides is the sum of the proof and of all that follows here.
	Proof   digest.Proof
	Besides [sha256.Size]byte
	// Stops are the nodes that ended their part, and when and why.
	Stops []gauge.Stop
	// Privacy has what observers learned.
	Privacy []privacy.Row
	// Model has the parameters where they are to be written; else it is nil.
	Model []float64
	// Costs is what the model cost, as its file says it; empty without a model.
	Costs string
	// Notes and Warnings are those of the arm, with its first job.
	Notes    []study.Note
	Warnings []study.Warning
	// NoteSeeds and NoteTheory are the number of seeds and the theory that decided how much
	// work the notes might take.
	NoteSeeds  int
	NoteTheory effort.Extent
	// Failure is why the job came to an end before the horizon; all of the above is then empty.
	Failure *results.Failure
	// Skipped tells that the job was not made, because one of its arm failed under a seed
	// before its own: there is no result either.
	Skipped bool
	// Err is why there is no result where the job has not failed by itself.
	Err error
}

// New is an empty result of the i-th job in the canonical order.
func New(s *study.Scenario, i int) *Result {
	return &Result{Index: i, Arm: i / s.Seeds.Count, Seed: SeedOf(s, i)}
}

// First tells that the job is the first of its arm, which has the notes of the arm.
func (r *Result) First(s *study.Scenario) bool { return r.Seed == s.Seeds.Base }

// NotesHold tells whether the notes of a result are those that a run of so many seeds would
// make. More seeds, or more theory, allow notes more work: what was noted stays, and what
// was left out may not.
func (r *Result) NotesHold(seeds int, theory effort.Extent) bool {
	leftOut := slices.ContainsFunc(r.Notes, func(n study.Note) bool { return effort.IsLeftOut(n.Value) })
	switch {
	case r.NoteTheory == theory && (r.NoteSeeds == seeds || theory == effort.All):
		return true
	case leftOut:
		return false
	}
	return theory == effort.All || theory == r.NoteTheory && seeds >= r.NoteSeeds
}

// Note makes the notes of an arm, of its first job that has run.
func (r *Result) Note(s *study.Scenario, arm *study.Arm, j *study.Job, theory effort.Extent) {
	j.Theory = theory
	notes, warnings := remarks.Of(arm, j)
	r.Notes, r.Warnings = notes, append(warnings, r.Warnings...)
	r.NoteSeeds, r.NoteTheory = s.Seeds.Count, theory
}

// Take takes what a job that has run leaves.
func Take(r *Result, arm *study.Arm, j *study.Job, known metric.List) (err error) {
	// Metrics come first: finishing the meter completes the sums that the rest reads.
	r.Metrics = MetricsOf(j, arm, r.Seed)
	r.Stops = j.Meter.Stops()
	contradictions, err := accounts.Contradictions(arm, j.Meter)
	if err != nil {
		return err
	}
	for _, text := range contradictions {
		r.Warnings = append(r.Warnings, study.Warning{Code: "ledger", Message: fmt.Sprintf("seed %d: %s", r.Seed, text)})
	}
	if t, ok := study.GaugeOf[*gauge.Turnout](j); ok {
		if text := t.Absence(r.Stops); text != "" {
			r.Warnings = append(r.Warnings, study.Warning{Code: "nobody", Message: fmt.Sprintf("seed %d: %s", r.Seed, text)})
		}
	}
	r.Warnings = append(r.Warnings, remarks.Oddities(arm, r.Metrics, j.Meter, known)...)
	if j.Part != nil {
		r.Part = j.Part()
	}
	if arm.File.Measure.Model {
		r.Model = arm.Algorithm.Trained.Params(j)
		if r.Costs, err = accounts.ModelCosts(arm, j.Meter); err != nil {
			return err
		}
	}
	r.Proof = proofOf(j.Run.Machines, r.Metrics)
	if r.Privacy, err = accounts.PrivacyRows(arm, r.Seed, j.Meter); err != nil {
		return err
	}
	return r.Metrics.Encode()
}

// MetricsOf are those of a job that has run, or has run as far as it is to.
func MetricsOf(j *study.Job, arm *study.Arm, seed uint64) *results.Job {
	metrics := results.NewJob(arm.Name, seed)
	j.Meter.Finish(Recorder{Job: metrics, firstLabel: arm.Algorithm.FirstLabel, Measure: &arm.File.Measure})
	return metrics
}

// Recorder writes the metrics that are asked for, with the paper's numbers of
// nodes.
type Recorder struct {
	Job        *results.Job
	firstLabel int
	Measure    *study.Measure
}

// Add records a value of the whole run at a step, if measure.metrics does not leave
// the metric out.
func (r Recorder) Add(step int, metric string, value float64) {
	if r.Measure.Records(metric) {
		r.Job.Add(int64(step), metric, value)
	}
}

// AddNode is Add for a value of one node, counted from 0; the record has the label of
// the node.
func (r Recorder) AddNode(step, node int, metric string, value float64) {
	if r.Measure.Records(metric) {
		r.Job.AddNode(int64(step), int32(node+r.firstLabel), metric, value)
	}
}

// proofOf is the proof of a job that has run.
func proofOf(machines []algorithm.Machine, metrics *results.Job) (p digest.Proof) {
	h := digest.New()
	var buffer []byte
	for _, m := range machines {
		buffer = messages.Write(buffer[:0], m)
		h.Machine(buffer)
	}
	p.Machines = h.State()
	metrics.HashRows(h)
	p.Digest = h.Sum()
	return p
}

// Seal ends the result of a job: nothing of it is changed after that.
func (r *Result) Seal() { r.Besides = r.besidesSum() }

// besidesSum is the sum of all but the metrics.
func (r *Result) besidesSum() [sha256.Size]byte {
	return sha256.Sum256(messages.Write(nil, messages.StateFunc(r.besides)))
}

// Verify tells that a result which came from elsewhere is not the one that the job has left.
func (r *Result) Verify() error {
	if r.Failure != nil {
		return nil
	}
	return errors.Join(r.Metrics.Verify(r.Proof), r.VerifyBesides())
}

// VerifyBesides is Verify without the metrics.
func (r *Result) VerifyBesides() error {
	if r.Besides != r.besidesSum() {
		return errors.New("what the job has left beside the metrics, such as privacy and notes, was changed after the job had ended: its sum is another")
	}
	return nil
}

// Read fills the result of the arm in from what was written of it when its job was
// done: a resumed run does not run finished jobs again. Arm and seed are not in what was
// written, for the number of the job tells them.
func Read(r *Result, arm *study.Arm, src []byte) error {
	r.Metrics = results.NewJob(arm.Name, r.Seed)
	if arm.Algorithm.NewPart != nil {
		r.Part = arm.Algorithm.NewPart()
	}
	if arm.File.Measure.Model {
		r.Model = make([]float64, arm.Algorithm.Dim)
	}
	if err := messages.Read(src, r); err != nil {
		return fmt.Errorf("the checkpoint cannot be read: %w", err)
	}
	if r.Failure != nil {
		*r = Result{Index: r.Index, Arm: r.Arm, Seed: r.Seed, Failure: r.Failure}
		r.Failure.Arm, r.Failure.Seed = arm.Name, r.Seed
	}
	for i := range r.Privacy {
		r.Privacy[i].Arm, r.Privacy[i].Seed = arm.Name, r.Seed
	}
	return nil
}

// State goes through what a finished job left.
func (r *Result) State(c *messages.Codec) {
	failed := r.Failure != nil
	if c.Bool("failed", &failed); failed {
		if c.Reading() {
			r.Failure = &results.Failure{}
		}
		c.Part("failure", r.Failure)
		return
	}
	c.Part("metrics", r.Metrics)
	r.besides(c)
	c.Bytes("besides", r.Besides[:])
}

// besides goes through what a finished job left but for the metrics: their proof, too, of which
// the digest leaves some bits open.
func (r *Result) besides(c *messages.Codec) {
	r.Proof.State(c)
	c.Part("part", &r.Part)
	messages.Slice(c, "stop", &r.Stops, math.MaxInt32, func(s *gauge.Stop) { s.State(c) })
	messages.Slice(c, "privacy", &r.Privacy, math.MaxInt32, func(row *privacy.Row) { row.State(c) })
	messages.Slice(c, "note", &r.Notes, math.MaxInt32, func(n *study.Note) {
		c.Text("key", &n.Key)
		c.Text("value", &n.Value)
	})
	messages.Slice(c, "warning", &r.Warnings, math.MaxInt32, func(w *study.Warning) {
		c.Text("code", &w.Code)
		c.Text("message", &w.Message)
	})
	c.Int("note.seeds", &r.NoteSeeds)
	messages.Integer(c, "note.theory", &r.NoteTheory)
	c.Text("costs", &r.Costs)
	c.Floats("model", r.Model)
}
