package gauge_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"starling/actors/algorithm"
	"starling/messages"
	"starling/scenarios/gauge"
	"starling/scenarios/metric"
)

// rows are what a meter hands over, in order.
type rows []string

func (r *rows) add(what string, value float64) { *r = append(*r, fmt.Sprintf("%s %g", what, value)) }

func (r *rows) Add(step int, metric string, value float64) {
	r.add(fmt.Sprint(step, " ", metric), value)
}
func (r *rows) AddNode(step, node int, metric string, value float64) {
	r.add(fmt.Sprint(step, " ", metric, " of ", node), value)
}
func (r *rows) Paid(point int) { r.add("paid", float64(point)) }

func finished(m *gauge.Meter) rows {
	var r rows
	m.Finish(&r)
	return r
}

// steps notes the steps in which participants play.
type steps struct{ list []string }

func (s *steps) Begin(*gauge.Span) []gauge.Column { return nil }
func (s *steps) State(*messages.Codec)            {}
func (s *steps) Played(node messages.NodeID, at gauge.At, x []float64) {
	s.list = append(s.list, fmt.Sprintf("%d%v%v", node, at, x))
}

// one is a gauge of a number, under a name, that counts who asks.
type one struct {
	name  string
	asked int
	last  bool
}

func (o *one) State(*messages.Codec) {}
func (o *one) Begin(*gauge.Span) []gauge.Column {
	return []gauge.Column{{Metric: metric.Metric{Name: o.name}, Last: o.last, Value: func(int) float64 { o.asked++; return 1 }}}
}

// Rows stand by group, point and gauge, those of a last point only there, and what is not
// wanted is not computed.
func TestRows(t *testing.T) {
	a, b, c := &one{name: "a"}, &one{name: "b", last: true}, &one{name: "c"}
	wanted := func(metric string) bool { return metric != "c" }
	m := gauge.New(gauge.Span{First: 1, Points: []int{2, 5}, Wanted: wanted}, []gauge.Gauge{a, gauge.Paid(), c, b}, []gauge.Gauge{&one{name: "d"}})
	want := rows{"2 a 1", "paid 0", "5 a 1", "paid 1", "5 b 1", "2 d 1", "5 d 1"}
	if diff := cmp.Diff(want, finished(m)); diff != "" || c.asked > 0 {
		t.Errorf("asked %d times; -want +got:\n%s", c.asked, diff)
	}
	if found, ok := gauge.Find[*one](m); !ok || found != a {
		t.Errorf("found %v", found)
	}
	if _, ok := gauge.Find[*gauge.Model](m); ok {
		t.Error("a gauge is found that is not there")
	}
}

// selective heeds the decisions of points only.
type selective struct{ steps }

func (*selective) Heeds(at gauge.At) bool { return at.Exact }

// Decisions of many are those of each, unless nobody heeds them.
func TestPlayedAll(t *testing.T) {
	x := []float64{1, 2, 3, 4}
	for _, test := range []struct {
		step          int
		others, plays bool
		want          int
	}{{2, false, false, 0}, {3, false, false, 2}, {2, true, false, 2}, {2, false, true, 2}} {
		picky, all := &selective{}, &steps{}
		gauges := []gauge.Gauge{picky}
		if test.others {
			gauges = append(gauges, all)
		}
		m := gauge.New(gauge.Span{First: 1, Points: []int{3, 5}}, gauges)
		if test.plays {
			m.PlaysOn(9)
		}
		m.PlayedAll(7, test.step, x, 2)
		want := &steps{}
		if at := (gauge.At{Step: test.step, Exact: test.step == 3}); test.want > 0 {
			want.Played(7, at, x[:2])
			want.Played(8, at, x[2:])
		}
		if diff := cmp.Diff(want.list, picky.list); diff != "" {
			t.Errorf("%+v: -want +got:\n%s", test, diff)
		}
	}
}

// Points ascend within the run, and end at its last step.
func TestCheckPoints(t *testing.T) {
	for _, points := range [][]int{nil, {3}, {0, 4}, {2, 2, 4}, {3, 2, 4}, {4, 5}} {
		if gauge.CheckPoints(1, 4, points) == nil {
			t.Errorf("points %v are taken", points)
		}
	}
	if err := gauge.CheckPoints(1, 4, []int{1, 3, 4}); err != nil {
		t.Error(err)
	}
}

// Who has ended its part decides on as it did last, also from a saved state.
func TestPlaysOn(t *testing.T) {
	s := &steps{}
	fresh := func() *gauge.Meter {
		m := gauge.New(gauge.Span{First: 3, Points: []int{4, 6}}, []gauge.Gauge{s})
		m.PlaysOn(3)
		return m
	}
	m := fresh()
	m.Played(0, 3, []float64{1})
	m.Played(1, 3, []float64{7})
	m.Played(0, 4, []float64{2})
	m.Stopped(0, 4, "spent")
	m.Stopped(1, 4, "spent before it played")
	m.Stopped(2, 3, "never played")
	m = again(t, m, fresh)
	s.list = nil
	finished(m)
	want := []string{
		"1{4 0 true true}[7]", "1{5 1 false true}[7]", "0{5 1 false true}[2]", "1{6 1 true true}[7]", "0{6 1 true true}[2]",
	}
	sorted := cmpopts.SortSlices(func(a, b string) bool { return a < b })
	if diff := cmp.Diff(want, s.list, sorted); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Counts add up over points, whichever they are asked for after, and a state keeps them.
func TestTrafficAndFates(t *testing.T) {
	fresh := func() *gauge.Meter {
		return gauge.New(gauge.Span{First: 3, Points: []int{4, 5, 9}}, []gauge.Gauge{&gauge.Traffic{}, &gauge.Fates{Limited: true, Server: true}})
	}
	m := fresh()
	for step := 3; step <= 9; step++ {
		n := int64(step)
		m.Sent(step, n, 10*n)
		m.Fates(step, algorithm.Fates{Lost: n, Late: 2 * n, Dropped: 3 * n, Queued: n})
		if step > 4 {
			m.Recorded(0, step, gauge.Participants, float64(step))
			m.Recorded(0, step, "other", 1)
		}
	}
	want := rows{
		"4 messages.sent 7", "4 bytes.sent 70", "4 messages.lost 7", "4 messages.late 14", "4 messages.dropped 21", "4 bytes.queued 4", "4 participants NaN",
		"5 messages.sent 12", "5 bytes.sent 120", "5 messages.lost 12", "5 messages.late 24", "5 messages.dropped 36", "5 bytes.queued 5", "5 participants 5",
		"9 messages.sent 42", "9 bytes.sent 420", "9 messages.lost 42", "9 messages.late 84", "9 messages.dropped 126", "9 bytes.queued 9", "9 participants 7",
	}
	m = again(t, m, fresh)
	for range 2 {
		if diff := cmp.Diff(want, finished(m)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}

// The server's model is evaluated once for a point, and is there before a round, where
// the server was down, and after the end; a failure stays one.
func TestModel(t *testing.T) {
	broken, evaluated := errors.New("broken"), 0
	fresh := func() *gauge.Meter {
		model := &gauge.Model{Start: []float64{1}, Of: []gauge.Evaluation{{Metric: gauge.Of(gauge.LossTrain), Of: func(x []float64) (float64, error) {
			if evaluated++; x[0] < 0 {
				return 0, broken
			}
			return x[0], nil
		}}}}
		return gauge.New(gauge.Span{First: 1, Points: []int{2, 4, 6, 8}}, []gauge.Gauge{model, &gauge.Latest{Metric: gauge.Of(gauge.Rounds), Quantity: "n"}})
	}
	for name, test := range map[string]struct {
		played    []int // steps
		want      rows
		evaluated int
	}{
		"nothing": {nil, rows{
			"2 loss.train 1", "2 rounds NaN", "4 loss.train 1", "4 rounds NaN", "6 loss.train 1", "6 rounds NaN", "8 loss.train 1", "8 rounds NaN"}, 1},
		"a server that was down": {[]int{1, 4, 5, 7}, rows{
			"2 loss.train 10", "2 rounds 1", "4 loss.train 40", "4 rounds 4", "6 loss.train 50", "6 rounds 5", "8 loss.train 70", "8 rounds 7"}, 4},
		"an early end": {[]int{2, 3}, rows{
			"2 loss.train 20", "2 rounds 2", "4 loss.train 30", "4 rounds 3", "6 loss.train 30", "6 rounds 3", "8 loss.train 30", "8 rounds 3"}, 2},
	} {
		m := fresh()
		evaluated = 0
		for _, step := range test.played {
			m.Played(0, step, []float64{float64(10 * step)})
			m.Played(1, step, []float64{-1}) // of no server
			m.Recorded(0, step, "n", float64(step))
			m = again(t, m, fresh)
		}
		if diff := cmp.Diff(test.want, finished(m)); diff != "" || evaluated != test.evaluated {
			t.Errorf("%s: evaluated %d times, want %d; -want +got:\n%s", name, evaluated, test.evaluated, diff)
		}
	}
	m := fresh()
	m.Played(0, 2, []float64{-1})
	m = again(t, m, fresh)
	defer func() {
		if text := fmt.Sprint(recover()); text != "{the server's model: broken}" {
			t.Errorf("panic %q", text)
		}
	}()
	finished(m)
}

// A count of nothing has no share.
func TestCounter(t *testing.T) {
	part, whole := make(gauge.Counter, 2), make(gauge.Counter, 2)
	share, at := part.Share(whole), part.ShareAt(whole)
	part[1].Add(1)
	whole[1].Add(4)
	if a, b := share(0), share(1); !math.IsNaN(a) || b != 0.25 || !math.IsNaN(at(0)) || at(1) != 0.25 || !math.IsNaN(share(0)) {
		t.Errorf("shares %v and %v", a, b)
	}
}
