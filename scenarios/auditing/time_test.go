package auditing_test

import (
	"errors"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"starling/mechanisms/accountant"
	"starling/mechanisms/audit"
	"starling/mechanisms/rng"
	"starling/scenarios/auditing"
	"starling/scenarios/document"
	"starling/scenarios/scenariotest"
)

// slowing is a subject whose outcomes come at once at first, when it is seen how long they take,
// and slowly after so many draws.
func slowing(after int64, pause time.Duration) *auditing.Subject {
	var drawn atomic.Int64
	return &auditing.Subject{
		Audited: auditing.Audited{Mechanism: "slowing"}, Loss: accountant.Loss{Epsilon: 1}, Noise: 1,
		Sampler: func(float64) (*auditing.Sampler, error) {
			return &auditing.Sampler{Draw: func(r *rng.Rand, _ bool) (float64, error) {
				if drawn.Add(1) > after {
					time.Sleep(pause)
				}
				return r.Float64(), nil
			}}, nil
		},
	}
}

// TestTimeLimit holds an audit to its time where outcomes take longer than the first let expect: it
// is over by the time that a block of samples takes on each core, and says what is missing.
func TestTimeLimit(t *testing.T) {
	const limit = 600 * time.Millisecond
	o := auditing.Options{Samples: 1 << 17, Confidence: 0.99, Noise: 1, Time: limit}
	subjects := []*auditing.Subject{slowing(2*auditing.FewestAudited, 50*time.Microsecond), slowing(math.MaxInt64, 0), slowing(2*auditing.FewestAudited, 50*time.Microsecond)}
	began := time.Now()
	list, err := o.JudgeAll(t.Context(), subjects)
	if err != nil {
		t.Fatal(err)
	}
	// A block is 512 draws, which take about 50 ms, and half a second and more where timers are
	// coarse. All samples of the slow would take 15 s and more on each of two cores.
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("a limit of %v: it took %v", limit, took)
	}
	for i, found := range list {
		cut := found.Samples < o.Samples
		if found.Samples < auditing.FewestAudited || found.Samples%audit.BlockSamples != 0 || cut != (found.Asked == o.Samples) || !cut && i != 1 {
			t.Errorf("loss %d: %d samples of %d, asked %d", i, found.Samples, o.Samples, found.Asked)
		}
	}
}

// TestTimeIsOver ends audits whose time is over before they draw a sample: it says how far they came.
func TestTimeIsOver(t *testing.T) {
	o := auditing.Options{Samples: 1000, Confidence: 0.99, Noise: 1, Time: time.Nanosecond}
	var input *document.InputError
	if _, err := auditing.Audit(scenariotest.LoadText(t, scenariotest.Base), t.Context(), o); !errors.As(err, &input) {
		t.Errorf("%v, want bad input", err)
	}
	if _, err := o.JudgeAll(t.Context(), []*auditing.Subject{slowing(math.MaxInt64, 0)}); !errors.As(err, &input) {
		t.Errorf("%v, want bad input", err)
	}
}
