package meter_test

import (
	"testing"

	"starling/messages"
	"starling/scenarios/meter"
)

// Steps belong to the first point at or after them, counts add up over points, in
// whatever order points are asked for, and a state keeps them.
func TestSending(t *testing.T) {
	points := []int{4, 5, 9}
	s := meter.NewSending(3, points)
	for step, want := range map[int]struct {
		point int
		exact bool
	}{3: {0, false}, 4: {0, true}, 5: {1, true}, 6: {2, false}, 9: {2, true}} {
		if point, exact := s.At(step); point != want.point || exact != want.exact {
			t.Errorf("step %d: point %d, exact %v; want %+v", step, point, exact, want)
		}
		s.Sent(step, int64(step), 10*int64(step))
	}
	restored := meter.NewSending(3, points)
	if err := messages.Read(messages.Write(nil, &s), &restored); err != nil {
		t.Fatal(err)
	}
	for _, point := range []int{0, 1, 2, 2, 1, 0, 2} {
		sent, bytes := restored.SentBy(point)
		if want := []float64{7, 12, 27}[point]; sent != want || bytes != 10*want {
			t.Errorf("point %d: %v messages, %v bytes; want %v, %v", point, sent, bytes, want, 10*want)
		}
	}
}
