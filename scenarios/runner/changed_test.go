package runner_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"starling/messages"
	"starling/scenarios/jobs"
	"starling/scenarios/results"
	"starling/scenarios/results/checkpoint"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
)

// changing makes jobs as a worker does, and changes what they left on the way.
type changing struct {
	s      *study.Scenario
	change func(body []byte)
}

func (c *changing) Begin(context.Context, *study.Scenario) (int, error) { return 1, nil }

func (c *changing) Run(ctx context.Context, i int, _ runner.States, advance func(int)) ([]byte, string, error) {
	body, err := alone(ctx, c.s, i)
	if err == nil {
		c.change(body)
	}
	return body, "worker x", err
}

// alone is what a worker makes of a job.
func alone(ctx context.Context, s *study.Scenario, i int) ([]byte, error) {
	a, err := runner.NewSingle(s, runner.RunOptions{Engine: runner.Lockstep}, zerolog.Nop())
	if err != nil {
		return nil, err
	}
	defer a.Close()
	return a.Run(ctx, i, nil, nil, func(int) {})
}

// TestMetricChangedOnTheWay flips the last bit of a metric between a worker and the coordinator:
// the result is refused. It was taken with the digest of the true metrics.
func TestMetricChangedOnTheWay(t *testing.T) {
	s := scenariotest.LoadText(t, scenariotest.Base)
	flipped := false
	e := &changing{s, func(body []byte) {
		r := jobs.New(s, 0)
		if err := jobs.Read(r, s.Arms[0], body); err != nil {
			t.Fatal(err)
		}
		for row := range r.Metrics.Rows() {
			at := bytes.LastIndex(body, binary.LittleEndian.AppendUint64(nil, math.Float64bits(row.Value)))
			if at >= 0 && row.Value != 0 {
				body[at] ^= 1
				flipped = true
				return
			}
		}
	}}
	_, err := runner.Run(s, t.Context(), runner.RunOptions{Out: t.TempDir(), Engine: runner.Lockstep, Elsewhere: e})
	if !flipped {
		t.Fatal("no metric was found")
	}
	if err == nil || !strings.Contains(err.Error(), "the message of worker x differs from its result: the metrics do not match the digest") || !strings.Contains(err.Error(), "seed 1") {
		t.Errorf("a changed metric: %v", err)
	}
}

// TestEveryByteOfAResultCounts flips a bit of each byte of what a job has left, one after the
// other: each is refused, or the result is the same.
func TestEveryByteOfAResultCounts(t *testing.T) {
	for _, test := range []struct{ name, text string }{{"equals", scenariotest.Base}, {"learners", scenariotest.Learning}} {
		s := scenariotest.LoadText(t, test.text, "horizon=6")
		whole, err := alone(t.Context(), s, 0)
		if err != nil {
			t.Fatal(err)
		}
		read := func(body []byte) (*jobs.Result, error) {
			r := jobs.New(s, 0)
			err := jobs.Read(r, s.Arms[0], body)
			if err == nil {
				err = r.Verify()
			}
			return r, err
		}
		if _, err := read(whole); err != nil {
			t.Fatal(err)
		}
		for at := range whole {
			body := bytes.Clone(whole)
			body[at] ^= 1 << (at % 8)
			if r, err := read(body); err == nil && !bytes.Equal(messages.Write(nil, r), whole) {
				t.Errorf("%s: byte %d of %d can be changed", test.name, at, len(whole))
			}
		}
	}
}

// TestEpsilonChangedInMemory changes what a job has left beside its metrics, after it was made.
func TestEpsilonChangedInMemory(t *testing.T) {
	s := scenariotest.LoadText(t, scenariotest.Base)
	folder, err := results.Create(t.TempDir(), results.Options{Plan: runner.ResultsPlan(s), Scenario: s.Document.Bytes()})
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	store, err := checkpoint.Open(t.TempDir(), runner.Identity(s, ""))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	c := runner.NewCollector(s, folder)
	err = runner.RunJobs(s, t.Context(), runner.RunOptions{Engine: runner.Lockstep}, store, zerolog.Nop(), func(r *jobs.Result) error {
		r.Privacy[0].Epsilon = 0.125
		return c.Take(r)
	})
	if err == nil || !strings.Contains(err.Error(), "such as privacy and notes, were changed after the job had ended") {
		t.Errorf("a changed epsilon: %v", err)
	}
}
