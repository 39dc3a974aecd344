package auditing

import (
	"errors"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"starling/mechanisms/accountant"
	"starling/mechanisms/audit"
	"starling/mechanisms/rng"
	"starling/scenarios/document"
)

// slowing is a subject whose outcomes come at once at first, when it is seen how long they take,
// and slowly after so many draws.
func slowing(after int64, pause time.Duration) *Subject {
	var drawn atomic.Int64
	return &Subject{
		Audited: Audited{Mechanism: "slowing"}, Loss: accountant.Loss{Epsilon: 1}, Noise: 1,
		Sampler: func(float64) (*Sampler, error) {
			return &Sampler{Draw: func(r *rng.Rand, _ bool) (float64, error) {
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
	o := Options{Samples: 1 << 17, Confidence: 0.99, Noise: 1, Time: limit}
	subjects := []*Subject{slowing(2*FewestAudited, 50*time.Microsecond), slowing(math.MaxInt64, 0), slowing(2*FewestAudited, 50*time.Microsecond)}
	began := time.Now()
	list, err := judged(t, o, subjects)
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
		if found.Samples < FewestAudited || found.Samples%audit.BlockSamples != 0 || cut != (found.Asked == o.Samples) || !cut && i != 1 {
			t.Errorf("loss %d: %d samples of %d, asked %d", i, found.Samples, o.Samples, found.Asked)
		}
	}
}

// judged begins an audit of subjects, draws their outcomes and judges them.
func judged(t *testing.T, o Options, subjects []*Subject) ([]Audited, error) {
	o.begin()
	return o.judge(t.Context(), subjects, boundsIn(subjects, &o))
}

// TestTimeIsOver ends the audit of a subject whose time is over before it draws a sample.
func TestTimeIsOver(t *testing.T) {
	o := Options{Samples: 1000, Confidence: 0.99, Noise: 1, Time: time.Nanosecond}
	var input *document.InputError
	if _, err := judged(t, o, []*Subject{slowing(math.MaxInt64, 0)}); !errors.As(err, &input) || !strings.Contains(err.Error(), "was over when the first outcomes of 0 of 1 losses") {
		t.Errorf("%v, want bad input that says how far it came", err)
	}
}
