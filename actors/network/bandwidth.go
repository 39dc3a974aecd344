package network

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"starling/messages"
)

// Bandwidth limits how many bytes an edge carries in a turn. A message that does not fit into
// the rest of a turn stands in line on its edge, first in, first out; algorithm.Limited gives
// the order of this and the other effects.
type Bandwidth struct {
	// Bytes is the number of bytes that an edge carries in a turn: the wire size of payloads,
	// see messages.Payload. A vector of d numbers takes 5 + 8d. Unlimited is without limit; 0
	// carries nothing.
	Bytes int64
	// Edges are the edges with another bandwidth, each once.
	Edges []EdgeBandwidth
	// Queue is how many bytes may stand in line on an edge when a turn is over, Longest for
	// how many turns a message may. Messages beyond these limits are dropped. Where one is
	// absent, as Unlimited and NoLongest, the other has to bound how late a message can be.
	Queue   int64
	Longest int
}

// EdgeBandwidth is the number of bytes that one edge, from From to To, carries in a turn. The
// edge back has its own.
type EdgeBandwidth struct {
	From, To messages.NodeID
	Bytes    int64
}

// Unlimited is a number of bytes without limit. NoLongest means that no longest wait is given.
const (
	Unlimited = math.MaxInt64
	NoLongest = -1
)

// MostBytes is the largest limit, 1 TiB: sums of sizes stay far from overflow.
const MostBytes = 1 << 40

// Validate refuses limits that are out of range, and lines of unbounded length.
func (b *Bandwidth) Validate(nodes int) error {
	if err := checkBytes(b.Bytes); err != nil {
		return err
	}
	if err := checkBytes(b.Queue); err != nil {
		return err
	}
	edges := b.sorted()
	for k, e := range edges {
		if k > 0 && compareBandwidths(edges[k-1], e) == 0 {
			return fmt.Errorf("the bandwidth from %d to %d is given twice", e.From, e.To)
		}
		for _, node := range []messages.NodeID{e.From, e.To} {
			if err := checkNode(node, nodes); err != nil {
				return err
			}
		}
		if err := checkBytes(e.Bytes); err != nil {
			return err
		}
	}
	if b.Longest != NoLongest {
		return checkTurns("bandwidth.longest", b.Longest)
	}
	if b.Queue == Unlimited {
		return fmt.Errorf("neither queue nor longest; want one of them, or messages could be late without end")
	}
	if most := b.most(); most > MostTurns {
		return fmt.Errorf("a message could stand in line for %d turns; want longest, or a queue of at most %d turns", most, MostTurns)
	}
	return nil
}

func checkBytes(bytes int64) error {
	if bytes == Unlimited || bytes >= 0 && bytes <= MostBytes {
		return nil
	}
	return fmt.Errorf("%d bytes, want 0 .. %d", bytes, int64(MostBytes))
}

func compareBandwidths(a, b EdgeBandwidth) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
}

// sorted returns the edges in ascending order.
func (b *Bandwidth) sorted() []EdgeBandwidth {
	edges := slices.Clone(b.Edges)
	slices.SortFunc(edges, compareBandwidths)
	return edges
}

// most is the longest wait that the limits allow: a message waits until the line at the end of
// its turn, itself included, has passed. On an edge that carries nothing none waits.
func (b *Bandwidth) most() int64 {
	if b.Longest != NoLongest && b.Queue == Unlimited {
		return int64(b.Longest)
	}
	var most int64
	// A full line of Queue bytes takes Queue/bytes turns, rounded up.
	wait := func(bytes int64) {
		if bytes > 0 {
			most = max(most, b.Queue/bytes+min(b.Queue%bytes, 1))
		}
	}
	wait(b.Bytes)
	for _, e := range b.Edges {
		wait(e.Bytes)
	}
	if b.Longest != NoLongest {
		most = min(most, int64(b.Longest))
	}
	return most
}

// limits holds the limits of a Bandwidth, ready for look-ups.
type limits struct {
	// bytes is the number of bytes carried by an edge that is not in edges; queue is how many
	// may stand in line.
	bytes, queue int64
	// longest is the longest wait, in turns, that the limits allow.
	longest int
	edges   []EdgeBandwidth // ascending by (From, To)
}

func newLimits(b *Bandwidth) *limits {
	return &limits{bytes: b.Bytes, queue: b.Queue, longest: int(b.most()), edges: b.sorted()}
}

// of returns the number of bytes that an edge carries in a turn.
func (l *limits) of(from, to messages.NodeID) int64 {
	k, found := slices.BinarySearchFunc(l.edges, EdgeBandwidth{From: from, To: to}, compareBandwidths)
	if found {
		return l.edges[k].Bytes
	}
	return l.bytes
}

// Limits reports whether bandwidth is limited.
func (e *Effects) Limits() bool { return e.limits != nil }

// Bandwidth is the number of bytes that an edge carries in a turn, how many bytes may stand in
// line on it when a turn is over, and for how many turns a message may. It must not be called
// unless bandwidth is limited.
func (e *Effects) Bandwidth(from, to messages.NodeID) (bytes, queue int64, longest int) {
	return e.limits.of(from, to), e.limits.queue, e.limits.longest
}
