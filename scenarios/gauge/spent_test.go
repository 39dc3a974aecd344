package gauge_test

import (
	"testing"

	"starling/actors/algorithm/batch"
	"starling/messages"
	"starling/scenarios/gauge"
	"starling/scenarios/metric"
)

// TestSpentAddsUp: amounts of all steps up to a point add up, in any order of records, and the sum goes on from a
// state.
func TestSpentAddsUp(t *testing.T) {
	begin := func() (*gauge.Spent, func(point int) float64) {
		s := &gauge.Spent{Metric: metric.Metric{Name: "energy.total"}, Quantity: "joules"}
		return s, s.Begin(&gauge.Span{First: 1, Points: []int{2, 3, 6}})[0].Value
	}
	first, _ := begin()
	amounts := []float64{0.1, 1 << 40, 0.7, 3e-9, 2.25}
	backward, end := begin()
	for i := range amounts {
		first.Recorded(1, gauge.At{Step: 1}, "joules", amounts[i])
		backward.Recorded(1, gauge.At{Step: 1}, "joules", amounts[len(amounts)-1-i])
		first.Recorded(1, gauge.At{Step: 3}, "another quantity", 100)
	}
	second, value := begin()
	if err := messages.Read(messages.Write(nil, first), second); err != nil {
		t.Fatal(err)
	}
	if value(0) != end(0) || value(0) != 1<<40+float64(0.1+0.7+2.25+3.0/(1<<30)) {
		t.Errorf("%v, backward %v", value(0), end(0))
	}
	second.Recorded(2, gauge.At{Step: 3}, "joules", 4)
	second.Recorded(2, gauge.At{Step: 6}, "joules", 10.5)
	for range 2 { // progress asks while a run goes on, and rows come once it is over
		for point, want := range []float64{0, 4, 14.5} {
			if got := value(point) - end(0); got != want {
				t.Errorf("point %d: %v, want %v", point, got, want)
			}
		}
	}
}

// An amount that cannot be added up, such as of a power and a time beyond all sense, fails the run: it is no fault
// of the program.
func TestSpentTooMuch(t *testing.T) {
	defer func() {
		if _, ok := recover().(batch.Failure); !ok {
			t.Error("no failure")
		}
	}()
	s := &gauge.Spent{Metric: metric.Metric{Name: "energy.total"}, Quantity: "joules"}
	s.Begin(&gauge.Span{First: 1, Points: []int{1}})
	s.Recorded(1, gauge.At{Step: 1}, "joules", 1e18)
}
