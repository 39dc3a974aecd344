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
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/study"
)

// Result is the result of one job.
type Result struct {
	// Index is the job's place in the canonical order: by arm, then seed. Arm is the
	// arm's place in the scenario.
	Index int
	Arm   int
	Seed  uint64
	// Metrics are the job's recorded metrics. Part is their contribution to statistics over
	// the seeds.
	Metrics *results.Job
	Part    gauge.RegretPart
	// Proof has the digest of the job, which covers the final state of the machines, and the
	// metrics. Besides is the sum of the proof and of all that follows here.
	Proof   results.Proof
	Besides [sha256.Size]byte
	// Stops are the nodes that ended their part, with times and reasons.
	Stops []gauge.Stop
	// Privacy has the losses to observers.
	Privacy []results.PrivacyRow
	// Model has the parameters if they are to be written; else it is nil.
	Model []float64
	// Costs is the cost of the model, as its file states it; empty without a model.
	Costs string
	// Notes and Warnings are the arm's, in its first job.
	Notes    []study.Note
	Warnings []study.Warning
	// NoteSeeds and NoteTheory are the number of seeds and the theory that set the limit on
	// the work for the notes.
	NoteSeeds  int
	NoteTheory study.EffortExtent
	// Failure is the reason why the job ended before the horizon; all of the above is then
	// empty.
	Failure *results.Failure
	// Skipped is true if the job was not made, because a job of its arm failed under an
	// earlier seed: there is no result either.
	Skipped bool
	// Err is the reason why there is no result, if the job has not failed by itself.
	Err error
}

// New returns an empty result of the i-th job in the canonical order.
func New(s *study.Scenario, i int) *Result {
	return &Result{Index: i, Arm: i / s.Seeds.Count, Seed: SeedOf(s, i)}
}

// First reports whether the job is the first of its arm, which has the notes of the arm.
func (r *Result) First(s *study.Scenario) bool { return r.Seed == s.Seeds.Base }

// NotesHold reports whether a run of so many seeds would make the same notes as the result
// has. With more seeds, or more theory, notes may take more work: notes that were made stay,
// and notes that were left out may appear.
func (r *Result) NotesHold(seeds int, theory study.EffortExtent) bool {
	leftOut := slices.ContainsFunc(r.Notes, func(n study.Note) bool { return study.IsLeftOut(n.Value) })
	switch {
	case r.NoteTheory == theory && (r.NoteSeeds == seeds || theory == study.All):
		return true
	case leftOut:
		return false
	}
	return theory == study.All || theory == r.NoteTheory && seeds >= r.NoteSeeds
}

// Note makes the notes of an arm, from its first job that has run.
func (r *Result) Note(s *study.Scenario, arm *study.Arm, j *study.Job, theory study.EffortExtent) {
	j.Theory = theory
	notes, warnings := study.RemarksOf(arm, j)
	r.Notes, r.Warnings = notes, append(warnings, r.Warnings...)
	r.NoteSeeds, r.NoteTheory = s.Seeds.Count, theory
}

// Take fills in the result of a job that has run.
func Take(r *Result, arm *study.Arm, j *study.Job, known metric.List) (err error) {
	// Metrics come first: finishing the meter completes the sums that the other parts read.
	r.Metrics = MetricsOf(j, arm, r.Seed)
	r.Stops = j.Meter.Stops()
	contradictions, err := accounts.Contradictions(arm, j.Meter)
	if err != nil {
		return err
	}
	for _, text := range contradictions {
		r.Warnings = append(r.Warnings, study.Warning{Code: "ledger", Message: fmt.Sprintf("seed %d: %s", r.Seed, text)})
	}
	if t, ok := study.GaugeOf[*gauge.Participation](j); ok {
		if text := t.Absence(r.Stops); text != "" {
			r.Warnings = append(r.Warnings, study.Warning{Code: "nobody", Message: fmt.Sprintf("seed %d: %s", r.Seed, text)})
		}
	}
	r.Warnings = append(r.Warnings, study.Oddities(arm, r.Seed, r.Metrics.Values(), j.Meter, known)...)
	if j.Part != nil {
		r.Part = j.Part()
	}
	if arm.File.Measure.Model {
		r.Model = study.TrainedModelOf(arm).Params(j)
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

// MetricsOf returns the metrics of a job that has run, at least as far as it should.
func MetricsOf(j *study.Job, arm *study.Arm, seed uint64) *results.Job {
	metrics := results.NewJob(arm.Name, seed)
	j.Meter.Finish(Recorder{Job: metrics, firstLabel: arm.Extent.FirstLabel, Measure: &arm.File.Measure})
	return metrics
}

// Recorder writes the requested metrics, with the paper's numbers of nodes.
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

// proofOf returns the proof of a job that has run.
func proofOf(machines []algorithm.Machine, metrics *results.Job) (p results.Proof) {
	h := results.NewHash()
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

// besidesSum returns the sum of all but the metrics.
func (r *Result) besidesSum() [sha256.Size]byte {
	return sha256.Sum256(messages.Write(nil, messages.StateFunc(r.besides)))
}

// Verify returns an error if a result that came from elsewhere is not the one that the job
// made.
func (r *Result) Verify() error {
	if r.Failure != nil {
		return nil
	}
	return errors.Join(r.Metrics.Verify(r.Proof), r.VerifyBesides())
}

// VerifyBesides is Verify without the metrics.
func (r *Result) VerifyBesides() error {
	if r.Besides != r.besidesSum() {
		return errors.New("the stored results of the job beside the metrics, such as privacy and notes, were changed after the job had ended: their checksum differs")
	}
	return nil
}

// Read fills in the result of the arm from the bytes that State wrote when its job was done: a
// resumed run does not run finished jobs again. The bytes have neither arm nor seed, since the
// number of the job gives them.
func Read(r *Result, arm *study.Arm, src []byte) error {
	r.Metrics = results.NewJob(arm.Name, r.Seed)
	if e, ok := study.EstimatorOf(arm); ok {
		r.Part = e.NewPart()
	}
	if arm.File.Measure.Model {
		r.Model = make([]float64, arm.Extent.Dim)
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

// State codes the result of a finished job.
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

// besides codes the result of a finished job without the metrics. It includes their proof,
// since the digest leaves some of its bits open.
func (r *Result) besides(c *messages.Codec) {
	r.Proof.State(c)
	c.Part("part", &r.Part)
	messages.Slice(c, "stop", &r.Stops, math.MaxInt32, func(s *gauge.Stop) { s.State(c) })
	messages.Slice(c, "privacy", &r.Privacy, math.MaxInt32, func(row *results.PrivacyRow) { row.State(c) })
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
