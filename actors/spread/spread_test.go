package spread_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"starling/actors/algorithm"
	"starling/actors/runtimetest"
	"starling/actors/spread"
	"starling/mechanisms/accountant"
	"starling/messages"
)

// diary is a meter that is told of all there is.
type diary struct {
	*runtimetest.Meter
}

func (d *diary) Exposed(from, to messages.NodeID, step int, m *algorithm.Mark) {
	d.Meter.Recorded(from, step, string(m.Reason()), float64(to)+float64(m.Exposure())/10)
}

// SpentAll takes even numbers of nodes as one.
func (d *diary) SpentAll(first, end messages.NodeID, step int, loss accountant.Loss) bool {
	if (end-first)%2 != 0 {
		return false
	}
	for node := first; node < end; node++ {
		_ = d.Spent(node, step, loss)
	}
	return true
}

func (d *diary) ExposedAll(first, end messages.NodeID, step int, m *algorithm.Mark) {
	for node := first; node < end; node++ {
		d.Exposed(node, 0, step, m)
	}
}

func (d *diary) PlayedAll(first messages.NodeID, step int, x []float64, w int) {
	for i := 0; (i+1)*w <= len(x); i++ {
		d.Played(first+messages.NodeID(i), step, x[i*w:(i+1)*w])
	}
}

func newDiary() *diary { return &diary{Meter: runtimetest.NewMeter(5)} }

// tell tells a meter one thing.
func tell(t *rapid.T, meter algorithm.CohortMeter) {
	node := messages.NodeID(rapid.IntRange(0, 4).Draw(t, "node"))
	step := rapid.IntRange(0, 3).Draw(t, "step")
	text := rapid.SampledFrom([]string{"", "why", "norm", "for a reason"}).Draw(t, "text")
	number := rapid.Float64().Draw(t, "number")
	count := rapid.Int64Range(0, math.MaxInt32)
	switch rapid.IntRange(0, 6).Draw(t, "what") {
	case 0:
		meter.Played(node, step, rapid.SampledFrom([][]float64{{1, 2}, {1, math.Copysign(0, -1)}, {1, 0}, {3}, nil}).Draw(t, "x"))
	case 1:
		_ = meter.Spent(node, step, accountant.Loss{Epsilon: rapid.SampledFrom([]float64{1, 2}).Draw(t, "epsilon")})
	case 2:
		meter.Recorded(node, step, text, number)
	case 3:
		meter.Stopped(node, step, text)
	case 4:
		meter.Sent(step, count.Draw(t, "messages"), count.Draw(t, "bytes"))
		meter.(algorithm.NetworkMeter).Fates(step, algorithm.Fates{Late: count.Draw(t, "late"), Queued: count.Draw(t, "queued")})
	case 5:
		m := algorithm.Public(algorithm.Reason(text))
		meter.Exposed(node, (node+1)%5, step, &m)
	case 6:
		end := node + 1 + messages.NodeID(rapid.IntRange(0, 4-int(node)).Draw(t, "more"))
		meter.SpentAll(node, end, step, accountant.Loss{Epsilon: 2})
		meter.PlayedAll(node, step, make([]float64, 2*(end-node)), 2)
		m := algorithm.Raw()
		meter.ExposedAll(node, end, step, &m)
	}
}

// echo tells two meters the same.
type echo struct{ first, second algorithm.CohortMeter }

func (e echo) Played(n messages.NodeID, s int, x []float64) {
	e.first.Played(n, s, x)
	e.second.Played(n, s, x)
}

func (e echo) Spent(n messages.NodeID, s int, l accountant.Loss) error {
	return errors.Join(e.first.Spent(n, s, l), e.second.Spent(n, s, l))
}

func (e echo) Recorded(n messages.NodeID, s int, q string, v float64) {
	e.first.Recorded(n, s, q, v)
	e.second.Recorded(n, s, q, v)
}

func (e echo) Stopped(n messages.NodeID, s int, why string) {
	e.first.Stopped(n, s, why)
	e.second.Stopped(n, s, why)
}

func (e echo) Sent(s int, m, b int64) {
	e.first.Sent(s, m, b)
	e.second.Sent(s, m, b)
}

func (e echo) Exposed(from, to messages.NodeID, s int, m *algorithm.Mark) {
	e.first.Exposed(from, to, s, m)
	e.second.Exposed(from, to, s, m)
}

func (e echo) Fates(s int, f algorithm.Fates) {
	e.first.(algorithm.NetworkMeter).Fates(s, f)
	e.second.(algorithm.NetworkMeter).Fates(s, f)
}

func (e echo) SpentAll(first, end messages.NodeID, s int, l accountant.Loss) bool {
	return e.first.SpentAll(first, end, s, l) == e.second.SpentAll(first, end, s, l)
}

func (e echo) ExposedAll(first, end messages.NodeID, s int, m *algorithm.Mark) {
	e.first.ExposedAll(first, end, s, m)
	e.second.ExposedAll(first, end, s, m)
}

func (e echo) PlayedAll(first messages.NodeID, s int, x []float64, d int) {
	e.first.PlayedAll(first, s, x, d)
	e.second.PlayedAll(first, s, x, d)
}

func anybody(messages.NodeID) bool { return true }

// A meter that is told by logs is told what one beside the machines is, and no prefix of a
// log does harm.
func TestMetersAreToldTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		beside, told := newDiary(), newDiary()
		relay, front := spread.NewRelay(newDiary())
		both := echo{beside, front.(algorithm.CohortMeter)}
		for range rapid.IntRange(0, 4).Draw(t, "logs") {
			for range rapid.IntRange(0, 9).Draw(t, "entries") {
				tell(t, both)
			}
			log := relay.Take()
			if err := spread.Replay(log, told, 5, anybody); err != nil {
				t.Fatal(err)
			}
			_ = spread.Replay(log[:rapid.IntRange(0, len(log)).Draw(t, "cut")], newDiary(), 5, anybody)
		}
		want, got := runtimetest.Left(&algorithm.Run{}, beside.Meter, nil), runtimetest.Left(&algorithm.Run{}, told.Meter, nil)
		if d := runtimetest.Diff(want, got); d != "" {
			t.Fatal(d)
		}
	})
}

// miser refuses all payments.
type miser struct{ *diary }

var errMiser = errors.New("nothing is left")

func (miser) Spent(messages.NodeID, int, accountant.Loss) error { return errMiser }

// A payment that the process's own meter refuses is not told; one that the other refuses is
// an error.
func TestPaymentsAreAnsweredHere(t *testing.T) {
	relay, front := spread.NewRelay(miser{newDiary()})
	if err := front.Spent(1, 2, accountant.Loss{Epsilon: 1}); !errors.Is(err, errMiser) || relay.Take() != nil {
		t.Errorf("%v", err)
	}
	relay, front = spread.NewRelay(newDiary())
	if err := front.Spent(1, 2, accountant.Loss{Epsilon: 1}); err != nil {
		t.Fatal(err)
	}
	log := relay.Take()
	if err := spread.Replay(log, miser{newDiary()}, 5, anybody); !errors.Is(err, errMiser) {
		t.Errorf("%v", err)
	}
	if err := spread.Replay(log, newDiary(), 5, func(messages.NodeID) bool { return false }); err == nil {
		t.Error("a node of another shard has paid")
	}
}

// What is unpacked is what was packed, whatever outboxes hold and wherever vectors go.
func TestBatchesAreWhatWasSent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n, turn = 6, 3
		sent := make([]messages.Outbox, n)
		var nodes []messages.NodeID
		for i := range sent {
			nodes = append(nodes, messages.NodeID(i))
			vector := func() *messages.Vector {
				v := &messages.Vector{Values: rapid.SliceOfN(rapid.Float64(), 1, 3).Draw(t, "values")}
				v.Expose(messages.Exposure(rapid.IntRange(0, 2).Draw(t, "exposure")))
				if rapid.Bool().Draw(t, "float32") && v.Narrow() != nil {
					v.Float32 = false
				}
				return v
			}
			what := rapid.IntRange(0, 7).Draw(t, "what")
			if what&1 != 0 {
				sent[i].Append(2, vector())
			}
			if what > 1 {
				sent[i].SetBroadcast(vector())
			}
			if what == 7 {
				sent[i].Append(1, vector())
			}
			sent[i].Seal()
		}
		var packed spread.Batch
		packed.Turn = turn
		if done := spread.Pack(&packed, nodes, sent); done != n {
			t.Fatalf("%d of %d outboxes are packed", done, n)
		}
		text, err := proto.Marshal(&packed)
		if err != nil {
			t.Fatal(err)
		}
		var shared *algorithm.Memory
		if rapid.Bool().Draw(t, "shared") {
			shared = algorithm.NewMemory(messages.Range(0, n), 2)
		}
		var b spread.Batch
		if err := proto.Unmarshal(text, &b); err != nil {
			t.Fatal(err)
		}
		got := make([]messages.Outbox, n)
		plain, err := spread.Unpack(&b, got, shared, anybody)
		if err != nil {
			t.Fatal(err)
		}
		for i := range sent {
			if want := messages.Write(nil, &sent[i]); !slices.Equal(messages.Write(nil, &got[i]), want) {
				t.Fatalf("outbox %d is %v, want %v", i, got[i], sent[i])
			}
			if plain && (shared == nil || sent[i].HasSingles()) {
				t.Fatalf("outbox %d is not plain", i)
			}
		}
		if _, err := spread.Unpack(&b, make([]messages.Outbox, n), nil, func(messages.NodeID) bool { return false }); err == nil && len(b.Nodes)+len(b.Others) > 0 {
			t.Fatal("a batch of nodes that it cannot be of is unpacked")
		}
	})
}
