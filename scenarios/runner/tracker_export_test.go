package runner

import (
	"time"

	"starling/messages"
	"starling/scenarios/jobs"
	"starling/scenarios/study"
)

// Value is a value of a metric at a step.
type Value struct {
	Metric string
	Step   int64
	Value  float64
}

// SoFar is what a job that rests after so many steps has recorded, as files show it.
func SoFar(s *study.Scenario, number int, job *study.Job, steps int) ([]Value, error) {
	t, j := aside(s, number)
	list, err := t.workOut(j, s.Arms[number], job.Run.Seed, messages.Write(nil, job.Meter), steps)
	return t.values(number, list), err
}

// InAll is what a job has recorded that is done.
func InAll(s *study.Scenario, number int, job *study.Job) []Value {
	t, _ := aside(s, number)
	return t.values(number, t.arms[number].samples(jobs.MetricsOf(job, s.Arms[number], job.Run.Seed)))
}

// aside is a tracker that writes nothing, with a job of an arm.
func aside(s *study.Scenario, number int) (*tracker, *trackedJob) {
	t := &tracker{scenario: s, arms: make([]arm, len(s.Arms))}
	t.arms[number].curves = newCurves(s.Arms[number].Points, longestCurve)
	return t, &trackedJob{arm: number}
}

func (t *tracker) values(number int, list []sample) (values []Value) {
	for _, s := range list {
		values = append(values, Value{s.metric, t.arms[number].steps[s.at], s.value})
	}
	return values
}

// Schedule is schedule.
var Schedule = schedule

// PointsOf is pointsOf.
var PointsOf = pointsOf

// Teller tells what a job records while it runs.
type Teller struct {
	tracker *tracker
	job     *trackedJob
	number  int
}

// TellerOf is the teller of a job of an arm that is about to run.
func TellerOf(s *study.Scenario, number int, job *study.Job) *Teller {
	t, j := aside(s, number)
	j.tracker = t
	t.Watch(j, job)
	return &Teller{t, j, number}
}

// Advance says how many steps are done.
func (t *Teller) Advance(steps int) { t.job.Advance(steps) }

// Tell takes what is new, a point at a time.
func (t *Teller) Tell() { t.tracker.tell(t.job, func() bool { return false }) }

// Values are what was told so far.
func (t *Teller) Values() []Value { return t.tracker.values(t.number, t.job.watched.told) }

// Early are the metrics that are told.
func (t *Teller) Early() map[string]bool { return t.job.watched.early }

// Recorded is what is shown of a metric that was worked out at a pause, the value 1 at the
// first point, and whether the metric is known from pauses.
func (t *Teller) Recorded(metric string) ([]Value, bool) {
	t.job.state, t.job.partial = 'r', []sample{{metric, 0, 1}}
	return t.tracker.values(t.number, t.job.recorded()), t.job.rests(metric)
}

// Due reports whether the metrics of a job of an arm are worked out that has run for a time after a preparation.
func Due(s *study.Scenario, number int, prepared, ran time.Duration) bool {
	t, j := aside(s, number)
	j.tracker, j.prepared, t.began = t, prepared, time.Now().Add(-prepared-ran)
	j.first.Store(int64(prepared))
	return t.due(j, s.Arms[number])
}
