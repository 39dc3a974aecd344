package spread

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/messages"
)

// errLog is the error of a log that no relay has written.
var errLog = errors.New("the measurements of another process cannot be read")

// Replay repeats to a meter the calls to a relay of another process. accept reports whether a
// node can be one of its shard. It returns an error for a malformed log, and for a payment
// that this meter refuses although the meter of the other process did not.
func Replay(log []byte, meter algorithm.Meter, nodes int, accept func(messages.NodeID) bool) error {
	p := player{log: log, meter: meter, nodes: nodes, accept: accept}
	p.exposure, _ = meter.(algorithm.ExposureMeter)
	p.network, _ = meter.(algorithm.NetworkMeter)
	p.cohorts, _ = meter.(algorithm.CohortMeter)
	for len(p.log) > 0 && p.err == nil {
		kind := p.log[0]
		p.log = p.log[1:]
		p.entry(kind)
	}
	return p.err
}

// player reads a log.
type player struct {
	log      []byte
	meter    algorithm.Meter
	exposure algorithm.ExposureMeter // nil where the meter is none
	network  algorithm.NetworkMeter  // nil where the meter is none
	cohorts  algorithm.CohortMeter   // nil where the meter is none
	nodes    int
	accept   func(messages.NodeID) bool
	err      error

	step  int
	last  int64 // node
	apart int64 // receiver less sender
	loss  accountant.Loss
	names []string
	marks []algorithm.Mark
	x     []float64
	rows  []float64 // of a cohort
}

func (p *player) fail() {
	if p.err == nil {
		p.err = errLog
	}
	p.log = nil
}

// number reads a number below a limit.
func (p *player) number(limit int64) int64 {
	v, n := binary.Uvarint(p.log)
	if n <= 0 || v >= uint64(limit) {
		p.fail()
		return 0
	}
	p.log = p.log[n:]
	return int64(v)
}

func (p *player) real() float64 {
	if len(p.log) > 0 && p.log[0] != wide {
		v := float64(p.log[0])
		p.log = p.log[1:]
		return v
	}
	if len(p.log) < 9 {
		p.fail()
		return 0
	}
	p.log = p.log[1:]
	v := math.Float64frombits(binary.LittleEndian.Uint64(p.log))
	p.log = p.log[8:]
	return v
}

func (p *player) bytes() []byte {
	n := p.number(int64(len(p.log)) + 1)
	if int(n) > len(p.log) {
		p.fail()
		return nil
	}
	b := p.log[:n]
	p.log = p.log[n:]
	return b
}

// relative reads a node, given by its distance from another.
func (p *player) relative(to int64) messages.NodeID {
	d, n := binary.Varint(p.log)
	if n <= 0 || d < -math.MaxInt32 || d > math.MaxInt32 || to+d < 0 || to+d >= int64(p.nodes) {
		p.fail()
		return 0
	}
	p.log = p.log[n:]
	return messages.NodeID(to + d)
}

// node reads a node of the shard.
func (p *player) node() messages.NodeID {
	node := p.relative(p.last)
	p.last = int64(node)
	if p.err == nil && !p.accept(node) {
		p.fail()
	}
	return node
}

func (p *player) entry(kind byte) {
	switch kind {
	case entryStep:
		step, n := binary.Varint(p.log)
		if n <= 0 {
			p.fail()
			return
		}
		p.step, p.log = int(step), p.log[n:]
	case entryX:
		p.x = p.x[:0]
		for range p.number(int64(len(p.log)) + 1) {
			if p.x = append(p.x, p.real()); p.err != nil {
				return
			}
		}
	case entryLoss:
		if err := messages.Read(p.bytes(), &p.loss); err != nil {
			p.fail()
		}
	case entryName:
		p.names = append(p.names, string(p.bytes()))
	case entryMark:
		exposure := messages.Exposure(p.number(int64(messages.Public) + 1))
		p.marks = append(p.marks, algorithm.Reported(exposure, algorithm.Reason(p.bytes())))
	case entrySent:
		count := p.number(math.MaxInt64)
		if bytes := p.number(math.MaxInt64); p.err == nil {
			p.meter.Sent(p.step, count, bytes)
		}
	case entryFates:
		var n [5]int64
		for i := range n {
			n[i] = p.number(math.MaxInt64)
		}
		if p.err == nil && p.network != nil {
			p.network.Fates(p.step, algorithm.Fates{Late: n[0], Lost: n[1], Dropped: n[2], Underway: n[3], Queued: n[4]})
		}
	default:
		p.ofNode(kind)
	}
}

// ofNode replays an entry of one node.
func (p *player) ofNode(kind byte) {
	node := p.node()
	switch kind {
	case entryRows, entryPaid, entryShown:
		p.ofCohort(kind, node)
	case entryPlayed:
		if p.err == nil {
			p.meter.Played(node, p.step, p.x)
		}
	case entryDigest:
		p.digest(node)
	case entrySpent:
		p.spent(node)
	case entryRecorded:
		name, value := p.number(int64(len(p.names))), p.real()
		if p.err == nil {
			p.meter.Recorded(node, p.step, p.names[name], value)
		}
	case entryStopped:
		if reason := string(p.bytes()); p.err == nil {
			p.meter.Stopped(node, p.step, reason)
		}
	case entryExposed:
		to, mark := p.relative(int64(node)+p.apart), p.number(int64(len(p.marks)))
		p.apart = int64(to - node)
		if p.err == nil && p.exposure != nil {
			p.exposure.Exposed(node, to, p.step, &p.marks[mark])
		}
	default:
		p.fail()
	}
}

// digest replays the digest of a decision.
func (p *player) digest(node messages.NodeID) {
	p.rows = p.rows[:0]
	for range p.number(int64(len(p.log)) + 1) {
		if p.rows = append(p.rows, p.real()); p.err != nil {
			return
		}
	}
	if d, ok := p.meter.(Digester); p.err == nil && (!ok || !d.PlayedDigest(node, p.step, p.rows)) {
		p.fail()
	}
}

// spent charges a node the last loss.
func (p *player) spent(node messages.NodeID) {
	if p.err != nil {
		return
	}
	if err := p.meter.Spent(node, p.step, p.loss); err != nil {
		p.err = fmt.Errorf("step %d, node %d: another process has paid %s, and the book here refuses that: %w", p.step, node, p.loss, err)
	}
}

// ofCohort replays an entry of nodes that moved together, from a first on.
func (p *player) ofCohort(kind byte, first messages.NodeID) {
	end := messages.NodeID(p.number(int64(p.nodes) + 1))
	if kind == entryRows {
		end += first
	}
	if end <= first || int(end) > p.nodes || !p.accept(end-1) || p.cohorts == nil {
		p.fail()
		return
	}
	switch kind {
	case entryRows:
		d := p.number(int64(len(p.log)) + 1)
		if d == 0 || int64(len(p.log))/int64(end-first) < d {
			p.fail()
			return
		}
		p.rows = p.rows[:0]
		for range d * int64(end-first) {
			p.rows = append(p.rows, p.real())
		}
		if p.err == nil {
			p.cohorts.PlayedAll(first, p.step, p.rows, int(d))
		}
	case entryPaid:
		if p.err == nil && !p.cohorts.SpentAll(first, end, p.step, p.loss) {
			for node := first; node < end; node++ {
				p.spent(node)
			}
		}
	case entryShown:
		mark := p.number(int64(len(p.marks)))
		if p.err == nil {
			p.cohorts.ExposedAll(first, end, p.step, &p.marks[mark])
		}
	}
}
