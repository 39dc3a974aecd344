package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"starling/actors/algorithm"
	"starling/actors/lockstep"
	"starling/messages"
	"starling/scenarios/limits"
	"starling/scenarios/study"
)

// Passed counts the messages from one participant to another in a step, by their fates.
// Participants are counted from 0.
type Passed struct {
	From, To messages.NodeID
	// Sent is the number of messages, and Bytes their length on a wire.
	Sent  int
	Bytes int64
	// Late is the number of messages that arrived later than in the next turn, and Delay the
	// greatest delay in turns. Lost is the number that the network lost, or a receiver that
	// stayed away too long. Dropped is the number that found no room on an edge of limited
	// bandwidth. Underway is the number that can have been on their way when the run ended;
	// messages that an edge dropped shortly before the end count as Underway, too. The others
	// arrived.
	Late, Delay, Lost, Dropped, Underway int
}

// Passage runs a job up to a step, and on until every message of the step has arrived or
// cannot arrive any more. It returns the fates of the messages, by sender, then receiver. Only
// links between different participants with at least one message are listed. step is the
// paper's number.
func Passage(ctx context.Context, arm *study.Arm, seed uint64, step int) ([]Passed, error) {
	j, err := limits.Within(ctx, limits.Grace, func() (*study.Job, error) { return arm.Algorithm.Job(seed) })
	if err != nil {
		return nil, err
	}
	if j.Release != nil {
		defer j.Release()
	}
	p := &passage{run: &j.Run, step: step, links: map[link]*Passed{}, waits: map[letter]*Passed{}, stopped: map[messages.NodeID]bool{}, reach: j.Run.Reach()}
	p.limited, _ = j.Run.Network.(algorithm.Limited)
	w := &lockstep.Watcher{From: step, Visit: p.visit, Others: make([]messages.NodeID, len(j.Run.Machines))}
	for i := range w.Others {
		w.Others[i] = messages.NodeID(i)
	}
	if err := lockstep.Watch(ctx, &j.Run, w); err != nil && !errors.Is(err, errShown) {
		return nil, fmt.Errorf("arm %s, seed %d: %w", arm.Name, seed, err)
	}
	for _, stop := range j.Meter.Stops() {
		p.stopped[stop.Node] = true
	}
	return p.passed(), nil
}

// passage follows the messages of a step.
type passage struct {
	run     *algorithm.Run
	step    int
	reach   int
	limited algorithm.Limited // nil where there is none
	last    int               // the last turn of the step so far
	links   map[link]*Passed
	waits   map[letter]*Passed // messages that have not arrived
	stopped map[messages.NodeID]bool
}

// link is a direction between two participants.
type link struct{ from, to messages.NodeID }

// letter is one message.
type letter struct {
	link
	sent, seq int32
}

func (p *passage) visit(w *lockstep.Watched) error {
	if w.Step > p.step && w.Turn > p.last+1+p.reach {
		return errShown
	}
	for i := range w.Inbox {
		e := &w.Inbox[i]
		p.arrive(letter{link{e.From, w.Node}, e.Sent, e.Seq}, w.Turn)
	}
	if w.Step == p.step {
		p.last = w.Turn
		for _, to := range w.Graph.Out(w.Node) {
			p.send(w, to)
		}
	}
	return nil
}

// send records the messages of a participant to another in a turn.
func (p *passage) send(w *lockstep.Watched, to messages.NodeID) {
	between := link{w.Node, to}
	if to == w.Node {
		return
	}
	put := func(seq int32, payload messages.Payload) {
		at := p.links[between]
		if at == nil {
			at = &Passed{From: w.Node, To: to}
			p.links[between] = at
		}
		at.Sent++
		at.Bytes += int64(payload.WireSize())
		p.waits[letter{between, int32(w.Turn), seq}] = at
	}
	for _, single := range w.Outbox.Singles(to) {
		put(single.Seq, single.Payload)
	}
	if w.Outbox.Broadcast != nil {
		put(w.Outbox.BroadcastSeq(), w.Outbox.Broadcast)
	}
}

// arrive records the arrival of a letter.
func (p *passage) arrive(l letter, turn int) {
	at := p.waits[l]
	if at == nil {
		return
	}
	delete(p.waits, l)
	if delay := turn - int(l.sent) - 1; delay > 0 {
		at.Late++
		at.Delay = max(at.Delay, delay)
	}
}

// passed returns the fates of all messages, in order.
func (p *passage) passed() []Passed {
	for l, at := range p.waits {
		p.missed(l, at)
	}
	list := make([]Passed, 0, len(p.links))
	for _, at := range p.links {
		list = append(list, *at)
	}
	slices.SortFunc(list, func(a, b Passed) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	return list
}

// missed decides the fate of a letter that no turn of the receiver has had. A letter to a
// machine that has ended its part has arrived.
func (p *passage) missed(l letter, at *Passed) {
	n, end := p.run.Network, p.run.TurnOf(p.run.Steps)
	if n == nil {
		if int(l.sent)+1 >= end {
			at.Underway++
		}
		return
	}
	delay, lost := n.Fate(l.from, l.to, int(l.sent))
	due := int(l.sent) + 1 + delay
	limited, longest, passes := p.limited != nil && p.limited.Limits() && !n.Local(l.from, l.to), 0, true
	if limited {
		var bytes int64
		bytes, _, longest = p.limited.Bandwidth(l.from, l.to)
		passes = bytes > 0
	}
	switch {
	case lost:
		at.Lost++
	case p.stopped[l.to]:
	case !passes:
		at.Dropped++
	case due+longest+n.Patience() >= end:
		at.Underway++
	case limited && n.Up(l.to, due):
		at.Dropped++
	default:
		at.Lost++
	}
}
