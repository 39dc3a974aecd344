package spread

import (
	"encoding/binary"
	"math"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/messages"
)

// Digester is a Meter that needs only a few numbers of a decision where it can.
type Digester interface {
	algorithm.Meter
	// Heeds reports whether the meter uses the decisions of a step, and whether it needs them
	// whole.
	Heeds(step int) (some, whole bool)
	// Digest appends the part of a decision that the meter uses, where it need not have it
	// whole. It is a function of its arguments.
	Digest(dst []float64, node messages.NodeID, step int, x []float64) []float64
	// PlayedDigest is Played for a digest. It returns false if Digest has not made the digest.
	PlayedDigest(node messages.NodeID, step int, digest []float64) bool
	// Listens reports whether the meter uses the values that machines record under a name, and
	// Sees whether any observer sees the messages of one node to another.
	Listens(quantity string) bool
	Sees(from, to messages.NodeID) bool
}

// Keeper is a Meter that keeps some of the calls for participants in the process that has
// them. Its results are handed over with the participants' states.
type Keeper interface {
	algorithm.Meter
	// Divide tells the meter that it is one of several meters of a run: of a process that has
	// some of the participants, or of the coordinator. It is called once, after a resumed
	// meter has been read.
	Divide(participants bool)
	// PlayedHere and RecordedHere are Played and Recorded for results that are handed over.
	PlayedHere(node messages.NodeID, step int, x []float64)
	RecordedHere(node messages.NodeID, step int, quantity string, value float64)
	// Hand goes through the results of participants that are handed over: they are written in
	// their process, and read into the coordinator's meter, where others may be read at the
	// same time.
	Hand(c *messages.Codec, nodes []messages.NodeID)
}

// Relay is a meter that keeps its calls for the meter of another process. Only the question
// whether the budget pays for a release has to be answered at once. A meter of this process
// answers it: it gets the payments of the nodes of this process alone, and their exposures,
// which it checks against payments. A relay is one shard's and not safe for concurrent use.
type Relay struct {
	meter    algorithm.Meter
	exposure algorithm.ExposureMeter // nil where the meter is none
	network  bool                    // whether the meter gets fates
	digester Digester                // nil where the meter makes no digests
	keeper   Keeper                  // nil where nothing is handed over

	log    []byte
	step   int             // of the last entry, from 1
	loss   accountant.Loss // the last, where priced
	priced bool            // whether the log has a loss
	node   int64           // of the last entry
	apart  int64           // receiver less sender, of the last that was exposed
	names  []string        // that the log has named
	marks  []mark          // that the log has described
	x      []float64       // the last decision
	made   []float64       // the last digest
}

// mark is the part of an algorithm.Mark that a meter can see.
type mark struct {
	exposure messages.Exposure
	reason   algorithm.Reason
}

// NewRelay returns the relay of a shard, where the meter is this process's own. front is the
// meter that the shard calls: it takes calls of whole cohorts where the meter does.
func NewRelay(meter algorithm.Meter) (r *Relay, front algorithm.Meter) {
	r = &Relay{meter: meter}
	r.exposure, _ = meter.(algorithm.ExposureMeter)
	_, r.network = meter.(algorithm.NetworkMeter)
	r.digester, _ = meter.(Digester)
	r.keeper, _ = meter.(Keeper)
	if cohorts, ok := meter.(algorithm.CohortMeter); ok {
		return r, &cohortRelay{r, cohorts}
	}
	return r, r
}

// The entries of a log. Numbers are varints; a node is the difference from the node of the
// entry before, or the first of two. A real is a byte where it is an integer below 255, and
// else a byte of 255 and 8 more.
const (
	entryStep     = iota + 1 // the step of all entries after it
	entryX                   // a decision: length, reals
	entryPlayed              // node; it is the last decision
	entryLoss                // a loss: length, as the package accountant writes it
	entrySpent               // node; it is the last loss
	entryName                // a text, which has the next number
	entryRecorded            // node, number of the name, real
	entryStopped             // node, text
	entrySent                // messages, bytes
	entryMark                // exposure, reason; it has the next number
	entryExposed             // from; how much farther from it the receiver is than in the last; number of the mark
	entryFates               // five numbers
	entryRows                // first, count, length of a decision, reals of all
	entryPaid                // first, end; each has paid the last loss
	entryShown               // first, end, number of the mark
	entryDigest              // node, length, reals
)

// Take returns the log since the last call. The caller owns it.
func (r *Relay) Take() []byte {
	log := r.log
	if len(log) == 0 {
		return nil
	}
	r.log = make([]byte, 0, len(log)+len(log)/8)
	r.node, r.apart = 0, 0
	r.step, r.priced, r.names, r.marks, r.x = 0, false, r.names[:0], r.marks[:0], r.x[:0]
	return log
}

// entry begins an entry of a step.
func (r *Relay) entry(step int, kind byte) {
	if r.step != step+1 {
		r.step = step + 1
		r.log = binary.AppendVarint(append(r.log, entryStep), int64(step))
	}
	r.log = append(r.log, kind)
}

func (r *Relay) number(n int64) { r.log = binary.AppendUvarint(r.log, uint64(n)) }

// of writes the node of an entry.
func (r *Relay) of(node messages.NodeID) {
	r.log = binary.AppendVarint(r.log, int64(node)-r.node)
	r.node = int64(node)
}

// wide comes before a real of 8 bytes.
const wide = 255

func (r *Relay) real(x float64) {
	if n := byte(x); x >= 0 && x < wide && float64(n) == x && !math.Signbit(x) {
		r.log = append(r.log, n)
		return
	}
	r.log = binary.LittleEndian.AppendUint64(append(r.log, wide), math.Float64bits(x))
}

func (r *Relay) text(s string) {
	r.number(int64(len(s)))
	r.log = append(r.log, s...)
}

// Played implements algorithm.Meter. Equal decisions of nodes one after the other are written
// once.
func (r *Relay) Played(node messages.NodeID, step int, x []float64) {
	if r.keeper != nil {
		r.keeper.PlayedHere(node, step, x)
	}
	if some, whole := r.heeds(step); !some {
		return
	} else if !whole {
		r.digest(node, step, x)
		return
	}
	if !same(r.x, x) {
		r.x = append(r.x[:0], x...)
		r.entry(step, entryX)
		r.number(int64(len(x)))
		for _, v := range x {
			r.real(v)
		}
	}
	r.entry(step, entryPlayed)
	r.of(node)
}

// heeds returns which of the decisions of a step the meter uses.
func (r *Relay) heeds(step int) (some, whole bool) {
	if r.digester == nil {
		return true, true
	}
	return r.digester.Heeds(step)
}

// digest writes a digest in place of a decision.
func (r *Relay) digest(node messages.NodeID, step int, x []float64) {
	r.made = r.digester.Digest(r.made[:0], node, step, x)
	r.entry(step, entryDigest)
	r.of(node)
	r.number(int64(len(r.made)))
	for _, v := range r.made {
		r.real(v)
	}
}

// same reports whether two decisions have the same bits. An empty one is like no other.
func same(a, b []float64) bool {
	if len(a) != len(b) || len(a) == 0 {
		return false
	}
	for i, v := range a {
		if math.Float64bits(v) != math.Float64bits(b[i]) {
			return false
		}
	}
	return true
}

// Spent implements algorithm.Meter.
func (r *Relay) Spent(node messages.NodeID, step int, loss accountant.Loss) error {
	if err := r.meter.Spent(node, step, loss); err != nil {
		return err
	}
	r.price(step, loss)
	r.entry(step, entrySpent)
	r.of(node)
	return nil
}

// price writes a loss to the log, unless it is the last one.
func (r *Relay) price(step int, loss accountant.Loss) {
	if r.priced && loss == r.loss {
		return
	}
	r.loss, r.priced = loss, true
	r.entry(step, entryLoss)
	r.text(string(messages.Write(nil, &loss)))
}

// Recorded implements algorithm.Meter.
func (r *Relay) Recorded(node messages.NodeID, step int, quantity string, value float64) {
	if r.keeper != nil {
		r.keeper.RecordedHere(node, step, quantity, value)
	}
	if r.digester != nil && !r.digester.Listens(quantity) {
		return
	}
	at := 0
	for at < len(r.names) && r.names[at] != quantity {
		at++
	}
	if at == len(r.names) {
		r.names = append(r.names, quantity)
		r.entry(step, entryName)
		r.text(quantity)
	}
	r.entry(step, entryRecorded)
	r.of(node)
	r.number(int64(at))
	r.real(value)
}

// Stopped implements algorithm.Meter.
func (r *Relay) Stopped(node messages.NodeID, step int, reason string) {
	r.meter.Stopped(node, step, reason)
	r.entry(step, entryStopped)
	r.of(node)
	r.text(reason)
}

// Sent implements algorithm.Meter.
func (r *Relay) Sent(step int, messages, bytes int64) {
	r.entry(step, entrySent)
	r.number(messages)
	r.number(bytes)
}

// Exposed implements algorithm.ExposureMeter.
func (r *Relay) Exposed(from, to messages.NodeID, step int, m *algorithm.Mark) {
	if r.exposure == nil {
		return
	}
	r.exposure.Exposed(from, to, step, m)
	if r.digester != nil && !r.digester.Sees(from, to) {
		return
	}
	at := r.mark(step, m)
	r.entry(step, entryExposed)
	r.of(from)
	r.log = binary.AppendVarint(r.log, int64(to-from)-r.apart)
	r.apart = int64(to - from)
	r.number(at)
}

// EachReceiver implements algorithm.ReceiverMeter.
func (r *Relay) EachReceiver() bool { return algorithm.EachReceiver(r.meter) }

// EachSender implements algorithm.SenderMeter.
func (r *Relay) EachSender() bool { return algorithm.EachSender(r.meter) }

// mark returns the number of a mark, which the log describes once.
func (r *Relay) mark(step int, m *algorithm.Mark) (at int64) {
	seen := mark{m.Exposure(), m.Reason()}
	for int(at) < len(r.marks) && r.marks[at] != seen {
		at++
	}
	if int(at) == len(r.marks) {
		r.marks = append(r.marks, seen)
		r.entry(step, entryMark)
		r.number(int64(seen.exposure))
		r.text(string(seen.reason))
	}
	return at
}

// Fates implements algorithm.NetworkMeter.
func (r *Relay) Fates(step int, f algorithm.Fates) {
	if !r.network {
		return
	}
	r.entry(step, entryFates)
	for _, n := range [...]int64{f.Late, f.Lost, f.Dropped, f.Underway, f.Queued} {
		r.number(n)
	}
}

// cohortRelay is a relay of nodes that move together.
type cohortRelay struct {
	*Relay
	cohorts algorithm.CohortMeter
}

// SpentAll implements algorithm.CohortMeter.
func (r *cohortRelay) SpentAll(first, end messages.NodeID, step int, loss accountant.Loss) bool {
	if !r.cohorts.SpentAll(first, end, step, loss) {
		return false
	}
	r.price(step, loss)
	r.entry(step, entryPaid)
	r.of(first)
	r.number(int64(end))
	return true
}

// ExposedAll implements algorithm.CohortMeter.
func (r *cohortRelay) ExposedAll(first, end messages.NodeID, step int, m *algorithm.Mark) {
	r.cohorts.ExposedAll(first, end, step, m)
	at := r.mark(step, m)
	r.entry(step, entryShown)
	r.of(first)
	r.number(int64(end))
	r.number(at)
}

// PlayedAll implements algorithm.CohortMeter.
func (r *cohortRelay) PlayedAll(first messages.NodeID, step int, x []float64, d int) {
	count := len(x) / max(d, 1)
	if r.keeper != nil {
		for i := range count {
			r.keeper.PlayedHere(first+messages.NodeID(i), step, x[i*d:(i+1)*d])
		}
	}
	if some, whole := r.heeds(step); !some {
		return
	} else if !whole {
		for i := range count {
			r.digest(first+messages.NodeID(i), step, x[i*d:(i+1)*d])
		}
		return
	}
	r.entry(step, entryRows)
	r.of(first)
	r.number(int64(count))
	r.number(int64(d))
	for _, v := range x {
		r.real(v)
	}
}
