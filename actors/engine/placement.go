package engine

import "starling/messages"

// placement cuts participants 0 .. n-1 into shards of equal size, the last
// possibly smaller. It decides who works beside whom, never what comes out.
type placement struct {
	// n is how many participants there are, shards how many groups, and size how many
	// participants a group has.
	n, shards, size int
}

// newPlacement cuts n participants into about the given number of shards, at
// most n; 0 takes the default for n.
func newPlacement(n, shards int) placement {
	chosen := shards <= 0
	if chosen {
		shards = defaultShards(n)
	}
	size := (n + min(shards, n) - 1) / min(shards, n)
	if size > messages.BlockSize && chosen {
		size = (size + messages.BlockSize - 1) / messages.BlockSize * messages.BlockSize
	}
	return placement{n: n, shards: (n + size - 1) / size, size: size}
}

// Shards of a few hundred participants keep a turn's data in the cache of the
// core that works on it and its messages between shards few; a turn of fewer
// is too short to be worth waking a second worker for.
const (
	smallestShard = 64
	usualShards   = 8
	largestShard  = 8192
)

// defaultShards keeps whole blocks of senders together, so that they are folded
// where they are sent.
func defaultShards(n int) int {
	size := min(max(smallestShard, (n+usualShards-1)/usualShards), largestShard)
	size = (size + messages.BlockSize - 1) / messages.BlockSize * messages.BlockSize
	return (n + size - 1) / size
}

func (p placement) shardOf(node messages.NodeID) int { return int(node) / p.size }

// nodes returns the first participant of a shard and how many it has.
func (p placement) nodes(shard int) (first messages.NodeID, count int) {
	from := shard * p.size
	return messages.NodeID(from), min(p.size, p.n-from)
}
