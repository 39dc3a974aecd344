package engine

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rs/zerolog"
	"pgregory.net/rapid"

	"starling/actors/algorithm"
	"starling/actors/runtimetest"
	"starling/actors/topology"
	"starling/messages"
)

// Every participant is in one shard, none of which is empty, and there are no more than
// asked for. Where nobody belongs beside anybody shards are consecutive ranges, none
// larger than the first; else those who belong beside one node are in one shard with it.
func TestPlacement(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20_000).Draw(t, "n")
		var beside func(messages.NodeID) messages.NodeID
		switch rapid.IntRange(0, 2).Draw(t, "beside") {
		case 1: // a client for each learner, or so
			learners := messages.NodeID(rapid.IntRange(1, n).Draw(t, "learners"))
			beside = func(i messages.NodeID) messages.NodeID { return i % learners }
		case 2:
			n = min(n, 200)
			list := runtimetest.DrawBeside(t, n)
			beside = func(i messages.NodeID) messages.NodeID { return list[i] }
		}
		asked := rapid.OneOf(rapid.IntRange(0, 20), rapid.IntRange(0, n+5)).Draw(t, "shards")
		p := newPlacement(n, asked, beside)
		if asked > 0 && p.shards() > asked {
			t.Fatalf("%d shards, %d asked for", p.shards(), asked)
		}
		checkPlacement(t, p, beside)
		checkOwners(t, p)
	})
}

func checkPlacement(t *rapid.T, p *placement, beside func(messages.NodeID) messages.NodeID) {
	seen, lowest := 0, messages.NodeID(-1)
	for s := range p.shards() {
		nodes := &p.nodes[s]
		for i, node := range nodes.All() {
			if p.shardOf(node) != s || nodes.Below(node) != i {
				t.Fatalf("node %d is in shard %d at %d, not in %d at %d", node, s, i, p.shardOf(node), nodes.Below(node))
			}
			if i == 0 && node <= lowest {
				t.Fatalf("shard %d begins with node %d, the one before with %d", s, node, lowest)
			} else if i == 0 {
				lowest = node
			}
			if beside != nil && p.shardOf(beside(node)) != s {
				t.Fatalf("node %d is in shard %d, and node %d, beside which it belongs, in %d", node, s, beside(node), p.shardOf(beside(node)))
			}
			if beside == nil && int(node) != seen {
				t.Fatalf("node %d comes in place %d", node, seen)
			}
			seen++
		}
		if nodes.Len() < 1 || beside == nil && nodes.Len() > p.nodes[0].Len() {
			t.Fatalf("%d nodes in shard %d, %d in the first", nodes.Len(), s, p.nodes[0].Len())
		}
	}
	if seen != p.n {
		t.Fatalf("%d nodes in shards, want %d", seen, p.n)
	}
}

// checkOwners holds the blocks of a shard to what they are.
func checkOwners(t *rapid.T, p *placement) {
	blocks := make([][]int32, p.shards())
	for b := range p.owners {
		owner := p.shardOf(messages.NodeID(b * messages.BlockSize))
		for node := b * messages.BlockSize; node < min((b+1)*messages.BlockSize, p.n); node++ {
			if p.shardOf(messages.NodeID(node)) != owner {
				owner = scattered
				break
			}
		}
		if int(p.owners[b]) != owner {
			t.Fatalf("block %d is in shard %d, want %d", b, p.owners[b], owner)
		}
		if owner != scattered {
			blocks[owner] = append(blocks[owner], int32(b))
		}
	}
	if diff := cmp.Diff(blocks, p.blocks, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("blocks (-want +got):\n%s", diff)
	}
}

// Of a server, learners and a client for each, no edge but the server's leaves a shard, and
// shards have whole blocks of learners.
func TestPairsAreInOneShard(t *testing.T) {
	const learners = 1000
	var edges []topology.Edge
	for i := range messages.NodeID(learners) {
		edges = append(edges, topology.Edge{From: 0, To: 1 + i, Weight: 1}, topology.Edge{From: 1 + i, To: 0, Weight: 1},
			topology.Edge{From: 1 + learners + i, To: 1 + i, Weight: 1})
	}
	graph, err := topology.FromEdges(1+2*learners, edges)
	if err != nil {
		t.Fatal(err)
	}
	p := newPlacement(1+2*learners, 0, func(i messages.NodeID) messages.NodeID {
		if i > learners {
			return i - learners
		}
		return i
	})
	first := 0 // learners in the server's shard
	for _, node := range p.nodes[0].All() {
		if 0 < node && node <= learners {
			first++
		}
	}
	if got, want := p.crossing(graph), 2*(learners-first); got != want {
		t.Errorf("%d edges cross, want the server's %d", got, want)
	}
	if first%messages.BlockSize != messages.BlockSize-1 || p.shards() < 4 {
		t.Errorf("%d shards, and %d learners in the first", p.shards(), first)
	}
}

// links against their definition, edge by edge.
func TestLinksAreTheEdgesBetweenShards(t *testing.T) {
	for name, sequence := range runtimetest.Graphs(13) {
		for _, shards := range []int{1, 2, 5, 13} {
			place := newPlacement(13, shards, nil)
			graph := sequence.At(2)
			want := &links{sources: make([]int32, place.shards()), targets: make([][]int32, place.shards())}
			for from := range int32(place.shards()) {
				for to := range int32(place.shards()) {
					linked := false
					for j := range messages.NodeID(13) {
						for i := range messages.NodeID(13) {
							linked = linked || graph.HasEdge(j, i) && place.shardOf(j) == int(from) && place.shardOf(i) == int(to)
						}
					}
					if linked && from != to {
						want.sources[to]++
						want.targets[from] = append(want.targets[from], to)
					}
				}
			}
			if diff := cmp.Diff(want, newLinks(graph, place), cmp.AllowUnexported(links{})); diff != "" {
				t.Errorf("%s in %d shards (-want +got):\n%s", name, shards, diff)
			}
		}
	}
}

// The ring is a queue, whatever the pattern of pushes and pops.
func TestRingIsAQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r ring
		var model []int
		next := 0
		for _, push := range rapid.SliceOfN(rapid.Bool(), 0, 300).Draw(t, "push") {
			if push {
				r.push(post{message: next})
				model = append(model, next)
				next++
			} else if len(model) > 0 {
				if got := r.pop().message; got != model[0] {
					t.Fatalf("popped %v, want %d", got, model[0])
				}
				model = model[1:]
			}
			if r.empty() != (len(model) == 0) {
				t.Fatalf("empty is %v with %d in the queue", r.empty(), len(model))
			}
		}
	})
}

// recorder is an actor's inside, as its mailbox sees it.
type recorder struct {
	running  atomic.Int32 // workers in the strand
	messages []int
	failures []any
}

func (r *recorder) InvokeSystemMessage(any) {}

func (r *recorder) InvokeUserMessage(message any) {
	if r.running.Add(1) != 1 {
		panic("two workers in one strand")
	}
	defer r.running.Add(-1)
	m := message.(int)
	r.messages = append(r.messages, m)
	if m%10 == 7 {
		panic(m)
	}
}

func (r *recorder) EscalateFailure(reason, message any) {
	if p := reason.(*algorithm.Panic); p.Value != message || !strings.Contains(string(p.Stack), "InvokeUserMessage") {
		panic("the failure of one message is reported for another")
	}
	r.failures = append(r.failures, reason)
}

var _ actor.MessageInvoker = (*recorder)(nil)

// Many goroutines post to a few strands of a pool: each strand handles its posts
// one at a time and those of one poster in order, panics are escalated with
// their message and lose no other, and closing waits for all of it.
func TestStrandsHandleEveryPostOnce(t *testing.T) {
	const strands, posters, posts = 5, 4, 500
	p := newPool(3)
	recorders := make([]*recorder, strands)
	boxes := make([]*mailbox, strands)
	for i := range strands {
		recorders[i] = &recorder{}
		boxes[i] = &mailbox{strand: newStrand(p)}
		boxes[i].RegisterHandlers(recorders[i], nil)
	}
	var wg sync.WaitGroup
	for poster := range posters {
		wg.Go(func() {
			for k := range posts {
				boxes[(k+poster)%strands].PostUserMessage(poster*posts + k)
			}
		})
	}
	wg.Wait()
	p.close()
	var all []int
	for i, r := range recorders {
		last := slices.Repeat([]int{-1}, posters)
		for _, m := range r.messages {
			poster := m / posts
			if m <= last[poster] {
				t.Errorf("strand %d handled %d of poster %d after %d", i, m, poster, last[poster])
			}
			last[poster] = m
			all = append(all, m)
		}
		failing := slices.DeleteFunc(slices.Clone(r.messages), func(m int) bool { return m%10 != 7 })
		if len(r.failures) != len(failing) {
			t.Errorf("strand %d: %d panics were escalated, want %d", i, len(r.failures), len(failing))
		}
	}
	slices.Sort(all)
	if len(all) != posters*posts || len(slices.Compact(all)) != posters*posts {
		t.Errorf("%d posts handled, want %d, each once", len(all), posters*posts)
	}
}

// A suspended mailbox, whose actor has failed, lets system messages through and
// nothing else.
func TestSuspendedMailboxDropsUserMessages(t *testing.T) {
	p := newPool(1)
	r := &recorder{}
	box := &mailbox{strand: newStrand(p)}
	box.RegisterHandlers(r, nil)
	box.PostUserMessage(1)
	box.PostSystemMessage(&actor.SuspendMailbox{})
	box.PostUserMessage(2)
	p.close()
	if !slices.Equal(r.messages, []int{1}) {
		t.Errorf("handled %v, want the first message alone", r.messages)
	}
}

// No actor of a run is left when Run returns, however it ends.
func TestNoActorIsLeft(t *testing.T) {
	host, err := NewHost(HostOptions{Workers: 3, Logger: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	count := func() int {
		n := 0
		for _, part := range host.system.ProcessRegistry.LocalPIDs.LocalPIDs {
			n += part.Count()
		}
		return n
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	spawn := func(ctx context.Context, steps int) {
		for _, name := range []string{"complete", "redrawn every step"} {
			s := runtimetest.Scenario{Nodes: 9, Steps: steps, FirstStep: 1, Graphs: runtimetest.Graphs(9)[name]}
			spec, _ := s.Run()
			if err := host.Run(ctx, spec, Options{Shards: 3}); err != nil && err != context.Canceled {
				t.Fatal(err)
			}
		}
	}
	spawn(context.Background(), 5) // the guardian is spawned once for all
	before := count()
	spawn(context.Background(), 5)
	for range 20 {
		spawn(ended, 10_000)
	}
	if after := count(); after != before {
		t.Errorf("%d actors before, %d after", before, after)
	}
	if len(host.runs) != 0 {
		t.Errorf("the host still knows %d runs", len(host.runs))
	}
}
