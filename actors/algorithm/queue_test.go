package algorithm_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"starling/actors/algorithm"
	"starling/messages"
)

// pipe is a network in which edges carry so many bytes a turn; beyond that, all
// that is sent from a node in listed turns is lost.
type pipe struct {
	slow
	bytes, queue int64
	longest      int
}

func (p pipe) MaxDelay() int { return p.delay + p.longest }
func (p pipe) Fate(from, to messages.NodeID, turn int) (int, bool) {
	return p.delay, from == 1 && turn%3 == 0
}
func (p pipe) Limits() bool { return true }
func (p pipe) Bandwidth(from, to messages.NodeID) (int64, int64, int) {
	return p.bytes, p.queue, p.longest
}

// account collects the fates of messages by step.
type account struct {
	diary
	fates map[int]algorithm.Fates
}

func (a *account) Fates(step int, f algorithm.Fates) {
	if _, twice := a.fates[step]; twice {
		panic(fmt.Sprintf("step %d is told twice", step))
	}
	a.fates[step] = f
}

// offered is what two nodes send a third in each turn, by sender: the sizes of
// messages, 5 + 8 entries.
type offered [][2][]int

// drive sends what is offered to node 2 through a queue and returns what arrives,
// as (turn, sender, turn of sending, position), and the fates by step.
func drive(p pipe, sent offered) (arrivals [][4]int, fates map[int]algorithm.Fates) {
	meter := &account{fates: map[int]algorithm.Fates{}}
	run := &algorithm.Run{Steps: len(sent), Machines: make([]algorithm.Machine, 3), Meter: meter, Network: p}
	stepper, queues := algorithm.NewStepper(run, messages.Range(2, 1), 2+run.Reach()), run.Queues()
	for turn := range len(sent) {
		stepper.Route(turn, queues, func(dst []messages.Envelope, _ messages.NodeID) []messages.Envelope {
			for from, list := range sent[turn] {
				for k, entries := range list {
					dst = append(dst, messages.Envelope{From: messages.NodeID(from), Seq: int32(k), Sent: int32(turn), Payload: &messages.Vector{Values: make([]float64, entries)}})
				}
			}
			return dst
		})
		for _, e := range queues[2].Receive(nil, turn+1) {
			arrivals = append(arrivals, [4]int{turn + 1, int(e.From), int(e.Sent), int(e.Seq)})
		}
	}
	return arrivals, meter.fates
}

// wire is the reference: a wire that passes byte after byte.
type wire struct {
	bytes []*int // of what stands in line, the bytes that each message has left, first come first
	ids   [][3]int
}

// reference does what drive does, one byte at a time and one turn after the
// other, with the line itself in place of its length. A message that would be in
// line for too long is found by letting the wire run on without it.
func reference(p pipe, sent offered) (arrivals [][4]int, fates map[int]algorithm.Fates) {
	fates = map[int]algorithm.Fates{}
	var wires [2]wire
	due := map[int][][3]int{}
	for turn := range sent {
		f := algorithm.Fates{}
		for from := range wires {
			w := &wires[from]
			if p.bytes == 0 && len(w.bytes) > 0 {
				panic("in line for ever")
			}
			for k, entries := range sent[turn][from] {
				if _, lost := p.Fate(messages.NodeID(from), 2, turn); lost {
					f.Lost++
					continue
				}
				size := 5 + 8*entries
				line := size
				for _, left := range w.bytes {
					line += *left
				}
				turns, left := 0, line // until the last byte has passed, this turn the first
				for left > 0 && turns <= p.longest+1 {
					left -= int(p.bytes)
					turns++
				}
				if left > 0 || turns-1 > p.longest || int64(line)-p.bytes > p.queue {
					f.Dropped++
					continue
				}
				w.bytes, w.ids = append(w.bytes, &size), append(w.ids, [3]int{from, turn, k})
			}
			for range p.bytes {
				if len(w.bytes) == 0 {
					break
				}
				if *w.bytes[0]--; *w.bytes[0] == 0 {
					due[turn+1+p.delay] = append(due[turn+1+p.delay], w.ids[0])
					w.bytes, w.ids = w.bytes[1:], w.ids[1:]
				}
			}
			for _, left := range w.bytes {
				f.Queued += int64(*left)
			}
		}
		fates[turn] = f
		for _, id := range due[turn+1] {
			arrivals = append(arrivals, [4]int{turn + 1, id[0], id[1], id[2]})
			if id[1] < turn {
				then := fates[id[1]]
				then.Late++
				fates[id[1]] = then
			}
		}
	}
	return arrivals, fates
}

func drawOffered(t *rapid.T) offered {
	sent := make(offered, rapid.IntRange(1, 25).Draw(t, "turns"))
	for turn := range sent {
		for from := range 2 {
			sent[turn][from] = rapid.SliceOfN(rapid.IntRange(0, 4), 0, 3).Draw(t, "entries")
		}
	}
	return sent
}

// A queue does what a wire does that passes one byte after the other: the same
// messages arrive, at the same time and in the same order on each edge, the same
// are dropped, and the same bytes stand in line.
func TestQueueIsAWire(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := pipe{
			slow:  slow{delay: rapid.IntRange(0, 3).Draw(t, "delay")},
			bytes: rapid.Int64Range(0, 60).Draw(t, "bytes"), queue: rapid.Int64Range(0, 150).Draw(t, "queue"),
			longest: rapid.IntRange(0, 12).Draw(t, "longest"),
		}
		sent := drawOffered(t)
		got, fates := drive(p, sent)
		want, wantFates := reference(p, sent)
		byEdge := func(list [][4]int) (edges [2][][4]int) {
			for _, a := range list {
				if a[0] < len(sent) { // what arrives after the run is underway
					edges[a[1]] = append(edges[a[1]], a)
				}
			}
			return edges
		}
		if diff := cmp.Diff(byEdge(want), byEdge(got)); diff != "" {
			t.Fatalf("arrivals (-wire +queue):\n%s", diff)
		}
		offers, ends := int64(0), int64(len(byEdge(got)[0])+len(byEdge(got)[1]))
		for turn := range sent {
			g, w := fates[turn], wantFates[turn]
			offers += int64(len(sent[turn][0]) + len(sent[turn][1]))
			ends += g.Lost + g.Dropped + g.Underway
			if g.Dropped != w.Dropped || g.Queued != w.Queued || g.Lost != w.Lost {
				t.Fatalf("turn %d: %+v, on the wire %+v", turn, g, w)
			}
		}
		if offers != ends {
			t.Fatalf("%d messages were sent, and %d arrived or were lost, dropped or underway", offers, ends)
		}
	})
}

// A message of s bytes a turn on an edge of C < s: message k, from 0, is the last
// of (k+1) s - k C bytes that pass from its own turn on, and before it k C have
// passed, so that its last byte passes ceil((k+1) s / C) turns after the
// beginning. The wait grows by (s-C)/C a turn, without end. What stands in line
// after turn t is (t+1)(s-C) bytes.
func TestOverloadDelaysLinearly(t *testing.T) {
	const size, bytes, turns = 5 + 8, 8, 400
	sent := make(offered, turns)
	for turn := range sent {
		sent[turn][0] = []int{1}
	}
	arrivals, fates := drive(pipe{bytes: bytes, queue: 1 << 30, longest: turns}, sent)
	for k, a := range arrivals {
		if want := (k + 1) * size / bytes; (k+1)*size%bytes != 0 && a[0] != want+1 || (k+1)*size%bytes == 0 && a[0] != want {
			t.Fatalf("message %d arrives in turn %d", k, a[0])
		}
		if a[2] != k {
			t.Fatalf("message %d is that of turn %d", k, a[2])
		}
	}
	if want := (turns - 1) * bytes / size; len(arrivals) != want {
		t.Errorf("%d messages arrive, want %d", len(arrivals), want)
	}
	for turn := range sent {
		if want := int64((turn + 1) * (size - bytes)); fates[turn].Queued != want {
			t.Fatalf("%d bytes stand in line after turn %d, want %d", fates[turn].Queued, turn, want)
		}
	}
}
