package gauge_test

import (
	"testing"

	"starling/messages"
	"starling/scenarios/gauge"
	"starling/scenarios/metric"
)

// TestElapsedAddsTheLongest: a step takes as long as its longest record, in any order of records, and
// the sum goes on from a state.
func TestElapsedAddsTheLongest(t *testing.T) {
	begin := func() (*gauge.Elapsed, func(point int) float64) {
		e := &gauge.Elapsed{Metric: metric.Metric{Name: "time.elapsed"}, Quantity: "seconds"}
		return e, e.Begin(&gauge.Span{First: 1, Points: []int{2, 3, 6}})[0].Value
	}
	first, _ := begin()
	for _, of := range []struct {
		step    int
		seconds float64
	}{{1, 2}, {3, 0.5}, {1, 3}, {1, 1}} {
		first.Recorded(1, gauge.At{Step: of.step}, "seconds", of.seconds)
		first.Recorded(1, gauge.At{Step: of.step}, "another quantity", 100)
	}
	second, value := begin()
	if err := messages.Read(messages.Write(nil, first), second); err != nil {
		t.Fatal(err)
	}
	second.Recorded(2, gauge.At{Step: 3}, "seconds", 4)
	second.Recorded(2, gauge.At{Step: 6}, "seconds", 10)
	for range 2 { // progress asks while a run goes on, and rows come once it is over
		for point, want := range []float64{3, 7, 17} {
			if got := value(point); got != want {
				t.Errorf("point %d: %v, want %v", point, got, want)
			}
		}
	}
}
