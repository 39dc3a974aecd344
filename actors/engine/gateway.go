package engine

import (
	"errors"
	"fmt"

	"starling/actors/spread"
	"starling/messages"
)

// The gateway is where messages of routers and of the coordinator become items on wires, and
// back.

// sendAcross sends other processes the messages of the shard's participants in the turn in
// progress. The batch is the one that shards of this process get.
func (r *router) sendAcross(message *batch) {
	if r.run.spread == nil {
		return
	}
	for i := range r.frame.links.Across[r.shard] {
		c := &r.frame.links.Across[r.shard][i]
		rows, sums := r.summed(c, message.turn)
		for more := true; more; {
			b := &spread.Batch{Shard: int32(r.shard), Turn: int64(message.turn), Values: make([]float64, 0, r.packed)}
			rows = rows[spread.Pack(b, rows, r.frame.outboxes):]
			r.packed = max(r.packed, len(b.Values))
			if more = len(rows) > 0; !more {
				b.Targets, b.Plain, b.Blocks = c.Targets, message.plain, sums
			}
			b.More = more
			r.run.spread.Wires.Send(c.Process, &spread.Item{Kind: &spread.Item_Batch{Batch: b}})
		}
	}
}

// summed returns the parts of a crossing in a turn: the participants whose outboxes cross, and
// sums in place of the outboxes of others. A block that could not be folded here is folded
// there.
func (r *router) summed(c *crossing, turn int) (rows []messages.NodeID, sums []*spread.Block) {
	rows = c.Rows
	for _, sum := range c.Sums {
		f := r.run.foldOf(sum.Folder)
		blocks := f.shared[turn%len(f.shared)]
		sums = append(sums, spread.PackBlock(f.node, blocks, sum.Block))
		if !blocks.Lost(sum.Block) {
			continue
		}
		first, end := blocks.Senders(sum.Block)
		rows = append([]messages.NodeID(nil), rows...)
		for node := first; node < min(end, messages.NodeID(r.run.place.N)); node++ {
			rows = append(rows, node)
		}
	}
	return rows, sums
}

// tell sends the coordinator's message to routers to all processes with shards.
func (r *run) tell(message any) {
	for p := range r.spread.Processes {
		r.spread.Wires.Send(p, itemOf(message))
	}
}

// itemOf returns the item for a message of the coordinator.
func itemOf(message any) *spread.Item {
	switch m := message.(type) {
	case *begin:
		return &spread.Item{Kind: &spread.Item_Begin{Begin: &spread.Begin{}}}
	case *watermark:
		return &spread.Item{Kind: &spread.Item_Watermark{Watermark: &spread.Watermark{Low: int64(m.low), Offset: int64(m.offset)}}}
	case *spread.Collect:
		return &spread.Item{Kind: &spread.Item_Collect{Collect: m}}
	case *proceed:
		return &spread.Item{Kind: &spread.Item_Proceed{Proceed: &spread.Proceed{}}}
	case *drain:
		return &spread.Item{Kind: &spread.Item_Drain{Drain: &spread.Drain{}}}
	}
	panic(fmt.Sprintf("engine: %T crosses no wire", message))
}

// hand hands a report to the coordinator's process.
func (r *run) hand(m *report) {
	r.spread.mu.Lock()
	//lint:ignore SA2001 see spreading.mu
	r.spread.mu.Unlock()
	w := &spread.Report{Shard: int32(m.shard), Finished: int64(m.finished), Ended: m.ended, Log: m.log, Failure: spread.Failed(m.failure)}
	r.spread.Wires.Send(r.spread.Processes, &spread.Item{Kind: &spread.Item_Report{Report: w}})
}

// take takes an item of another process. An item that cannot be valid is a failure of the
// runtime.
func (r *run) take(from int, item *spread.Item) {
	if r.draining.Load() {
		return
	}
	if err := r.takeItem(from, item); err != nil {
		r.abort(fmt.Errorf("process %d of %d: %w", from+1, r.spread.Processes, err))
	}
}

func (r *run) takeItem(from int, item *spread.Item) error {
	root := r.host.system.Root
	if from < r.spread.Processes {
		switch kind := item.Kind.(type) {
		case *spread.Item_Batch:
			return r.takeBatch(from, kind.Batch)
		case *spread.Item_Report:
			return r.takeReport(from, kind.Report)
		case *spread.Item_State:
			return r.takeState(from, kind.State)
		}
		return fmt.Errorf("it has sent a message that only the coordinator may send, %T", item.Kind)
	}
	switch kind := item.Kind.(type) {
	case *spread.Item_Begin:
		root.Send(r.coordinator, &begin{})
	case *spread.Item_Watermark:
		root.Send(r.coordinator, &watermark{low: int(kind.Watermark.Low), offset: int(kind.Watermark.Offset)})
	case *spread.Item_Collect:
		root.Send(r.coordinator, kind.Collect)
	case *spread.Item_Proceed:
		root.Send(r.coordinator, &proceed{})
	case *spread.Item_Drain:
		root.Send(r.coordinator, &drain{})
	default:
		return fmt.Errorf("the coordinator has sent a message that it may not send, %T", item.Kind)
	}
	return nil
}

var errForeign = errors.New("it has sent something of a shard that it does not have")

// takeBatch puts the messages of a shard of another process where the shards of this process
// read them, and notifies those that wait for it. No shard reads the old rows any more: the
// sending shard has begun the turn, and so all shards have finished the turns in which they
// read those.
func (r *run) takeBatch(from int, b *spread.Batch) error {
	s, shard := r.spread, int(b.Shard)
	if r.hub() || shard < 0 || shard >= len(s.owners) || s.owners[shard] != from || b.Turn < 0 {
		return errForeign
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	outboxes := r.outboxes[int(b.Turn)%len(r.outboxes)]
	known := &s.pieces[shard]
	if !known.begun {
		known.begun, known.mixed = true, false
		for _, node := range r.place.Nodes[shard].All() {
			outboxes[node].Reset()
		}
	}
	plain, err := spread.Unpack(b, outboxes, r.vectors, func(node messages.NodeID) bool {
		return node >= 0 && int(node) < r.place.N && r.place.ShardOf(node) == shard
	})
	if err != nil {
		return err
	}
	known.mixed = known.mixed || !plain
	if b.More {
		return nil
	}
	err = spread.UnpackBlocks(b, func(node messages.NodeID) *messages.Blocks {
		if f := r.foldOf(node); f != nil {
			return f.shared[int(b.Turn)%len(f.shared)]
		}
		return nil
	})
	if err != nil {
		return err
	}
	message := &batch{turn: int(b.Turn), plain: b.Plain && !known.mixed}
	known.begun = false
	for _, to := range b.Targets {
		if to < 0 || int(to) >= len(s.owners) || !r.local(int(to)) {
			return errForeign
		}
		r.host.system.Root.Send(r.routers[to], message)
	}
	return nil
}

// takeReport replays the log of the shard's participants to the meter, and tells the
// coordinator.
func (r *run) takeReport(from int, w *spread.Report) error {
	s, shard := r.spread, int(w.Shard)
	if !r.hub() || shard < 0 || shard >= len(s.owners) || s.owners[shard] != from {
		return errForeign
	}
	err := spread.Replay(w.Log, r.spec.Meter, r.place.N, func(node messages.NodeID) bool { return r.place.ShardOf(node) == shard })
	if err != nil {
		return err
	}
	m := &report{shard: shard, finished: int(w.Finished), ended: w.Ended, failure: spread.FailureOf(w.Failure, r.spec)}
	r.host.system.Root.Send(r.coordinator, m)
	return nil
}
