package engine

import (
	"starling/actors/algorithm"
	"starling/actors/network"
	"starling/messages"
)

// fold sums the messages to one folder: by the shard of a block's senders if the block lies
// within one, else by the folder's own. A server of many clients would otherwise read all
// their vectors in its own turn, on one core, while all others wait.
type fold struct {
	folder algorithm.Folder
	node   messages.NodeID
	shared []*messages.Blocks // by turn of sending modulo its length
}

// newFolds returns a fold for every folder of the run, with a set of sums for each turn that
// can still have messages to read.
func newFolds(spec *algorithm.Run, lifetime int) []fold {
	var folds []fold
	for i, machine := range spec.Machines {
		folder, ok := machine.(algorithm.Folder)
		if !ok {
			continue
		}
		f := fold{folder: folder, node: messages.NodeID(i), shared: make([]*messages.Blocks, lifetime)}
		for k := range f.shared {
			f.shared[k] = messages.NewBlocks(len(spec.Machines), folder.FoldLength())
		}
		folds = append(folds, f)
	}
	return folds
}

// foldSent folds the messages that the shard's participants up to node sent in the turn in
// progress, of blocks that are this shard's to fold and are not folded yet. It is called as
// participants publish, and finds their messages in the cache of the core that wrote them.
func (r *router) foldSent(node messages.NodeID) {
	n, turn := r.run.place.N, r.frame.sent+1
	for own := r.run.place.Blocks[r.shard]; r.folded < len(own); r.folded++ {
		block := int(own[r.folded])
		// The block has senders that have not published yet: it is folded when the last
		// of them has.
		if min((block+1)*messages.BlockSize, n) > int(node)+1 {
			return
		}
		for i := range r.run.folds {
			f := &r.run.folds[i]
			if r.frame.Readers.Has(f.node) && r.run.place.Beside(f.node, block, r.frame.links) {
				r.fillSent(f, block, turn)
			}
		}
	}
}

// fillSent folds a block. A panic of the folder is met again, and reported, in the
// folder's own turn.
func (r *router) fillSent(f *fold, block, turn int) {
	blocks := f.shared[turn%len(f.shared)]
	defer func() {
		if recover() != nil {
			blocks.Lose(block)
		}
	}()
	r.inbox = network.FillBlock(blocks, block, f.folder.Fold, r.frame.Senders.First, r.frame.Senders.End, r.frame.graph.graph, f.node, turn, r.frame.outboxes, r.inbox)
}

// foldOf returns the fold of a node, nil if its machine is no folder.
func (r *run) foldOf(node messages.NodeID) *fold {
	for i := range r.folds {
		if r.folds[i].node == node {
			return &r.folds[i]
		}
	}
	return nil
}

// sums returns the folded messages to a folder of the turn before, nil in the first. Blocks
// that no other shard has folded are folded here.
func (r *router) sums(f *fold) *messages.Blocks {
	sent := r.frame.sent
	if sent < 0 {
		return nil
	}
	blocks := f.shared[sent%len(f.shared)]
	for b := range blocks.Len() {
		if r.run.place.Beside(f.node, b, r.frame.sentLinks) && !blocks.Lost(b) {
			continue
		}
		r.inbox = network.FillBlock(blocks, b, f.folder.Fold, r.frame.sentBy.First, r.frame.sentBy.End, r.frame.sentGraph.graph, f.node, sent, r.frame.sentBoxes, r.inbox)
	}
	return blocks
}
