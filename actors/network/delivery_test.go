package network_test

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"starling/actors/network"
	"starling/actors/topology"
	"starling/messages"
)

// sending is one message as it is sent; a broadcast has no receiver.
type sending struct {
	from      messages.NodeID
	broadcast bool
	to        messages.NodeID
	payload   messages.Payload
}

// drawEdges draws a digraph in which about half of the edges exist, each with a
// weight of its own.
func drawEdges(t *rapid.T, n int) []topology.Edge {
	var edges []topology.Edge
	for from := range n {
		for to := range n {
			if rapid.Bool().Draw(t, "edge") {
				edges = append(edges, topology.Edge{
					From: messages.NodeID(from), To: messages.NodeID(to), Weight: float64(len(edges) + 1),
				})
			}
		}
	}
	if len(edges) == 0 {
		return nil
	}
	return rapid.Permutation(edges).Draw(t, "edges")
}

// drawSendings draws what each node sends, in order: any number of messages to
// out-neighbours and at most one broadcast. Every payload is a new one, so that
// envelopes are compared by identity.
func drawSendings(t *rapid.T, n int, edges []topology.Edge) []sending {
	out := make([][]messages.NodeID, n)
	for _, e := range edges {
		out[e.From] = append(out[e.From], e.To)
	}
	var sendings []sending
	for from := range n {
		singles := 0
		if len(out[from]) > 0 && rapid.Bool().Draw(t, "singles") {
			singles = rapid.IntRange(0, 4).Draw(t, "number")
		}
		broadcastAt := rapid.IntRange(-1, singles).Draw(t, "broadcast at")
		for k := 0; k <= singles; k++ {
			if k == broadcastAt {
				sendings = append(sendings, sending{from: messages.NodeID(from), broadcast: true, payload: &messages.Vector{}})
			}
			if k < singles {
				to := rapid.SampledFrom(out[from]).Draw(t, "to")
				sendings = append(sendings, sending{from: messages.NodeID(from), to: to, payload: &messages.Vector{}})
			}
		}
	}
	return sendings
}

func outboxesOf(n int, sendings []sending) []messages.Outbox {
	outboxes := make([]messages.Outbox, n)
	for _, s := range sendings {
		if s.broadcast {
			outboxes[s.from].SetBroadcast(s.payload)
		} else {
			outboxes[s.from].Append(s.to, s.payload)
		}
	}
	for i := range outboxes {
		outboxes[i].Seal()
	}
	return outboxes
}

// expected is the inbox by definition: every message of every sender, kept if
// there is an edge to the node and it is meant for it, then sorted.
func expected(edges []topology.Edge, sendings []sending, node messages.NodeID, sent int) []messages.Envelope {
	var inbox []messages.Envelope
	position := map[messages.NodeID]int32{}
	for _, s := range sendings {
		seq := position[s.from]
		position[s.from]++
		for _, e := range edges {
			if e.From == s.from && e.To == node && (s.broadcast || s.to == node) {
				inbox = append(inbox, messages.Envelope{From: s.from, Seq: seq, Sent: int32(sent), Weight: e.Weight, Payload: s.payload})
			}
		}
	}
	slices.SortFunc(inbox, func(a, b messages.Envelope) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Seq, b.Seq))
	})
	return inbox
}

func TestInboxAgreesWithItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 7).Draw(t, "nodes")
		edges := drawEdges(t, n)
		graph, err := topology.FromEdges(n, edges)
		if err != nil {
			t.Fatal(err)
		}
		sendings := drawSendings(t, n, edges)
		outboxes := outboxesOf(n, sendings)
		sent := rapid.IntRange(0, 1000).Draw(t, "sent")
		prefix := make([]messages.Envelope, rapid.IntRange(0, 3).Draw(t, "prefix"), 3+rapid.IntRange(0, 40).Draw(t, "room"))
		for i := range prefix {
			prefix[i] = messages.Envelope{From: -1, Seq: int32(i)}
		}
		for node := range messages.NodeID(n) {
			want := append(slices.Clone(prefix), expected(edges, sendings, node, sent)...)
			if got := network.Inbox(prefix, graph, node, sent, outboxes); !slices.Equal(got, want) {
				t.Fatalf("inbox of node %d:\n got %+v\nwant %+v", node, got, want)
			}
			first := messages.NodeID(rapid.IntRange(0, n).Draw(t, "first"))
			end := messages.NodeID(rapid.IntRange(0, n+2).Draw(t, "end")) // beyond the last, or before the first
			part := slices.DeleteFunc(want, func(e messages.Envelope) bool { return e.From >= 0 && (e.From < first || e.From >= end) })
			if first <= end {
				if got := network.InboxFrom(prefix, first, end, graph, node, sent, outboxes); !slices.Equal(got, part) {
					t.Fatalf("inbox of node %d from %d .. %d:\n got %+v\nwant %+v", node, first, end-1, got, part)
				}
			}
		}
	})
}

// The blocks of a folder, one after the other, are its inbox.
func TestBlocksMakeUpTheInbox(t *testing.T) {
	const n = 150 // three blocks, the last not full
	edges := []topology.Edge{}
	var sendings []sending
	for from := range messages.NodeID(n) {
		if from%3 != 1 {
			edges = append(edges, topology.Edge{From: from, To: 0, Weight: float64(from) + 1})
		}
		if from%2 == 0 {
			sendings = append(sendings, sending{from: from, broadcast: true, payload: &messages.Vector{}})
		}
		if from%4 == 0 {
			sendings = append(sendings, sending{from: from, to: 0, payload: &messages.Vector{}})
		}
	}
	graph, outboxes := mustGraph(t, n, edges...), outboxesOf(n, sendings)
	blocks := messages.NewBlocks(n, 1)
	var got, scratch []messages.Envelope
	for b := range blocks.Len() {
		before := len(got)
		scratch = network.FillBlock(blocks, b, func(sum []float64, e *messages.Envelope) {
			sum[0] += e.Weight
			got = append(got, *e)
		}, 0, n, graph, 0, 5, outboxes, scratch)
		var weights float64
		for _, e := range got[before:] {
			weights += e.Weight
			if int(e.From)/64 != b {
				t.Errorf("block %d holds a message of node %d", b, e.From+1)
			}
		}
		if sum, count := blocks.Block(b); sum[0] != weights || count != len(got)-before {
			t.Errorf("block %d: %v of %d messages, want %v of %d", b, sum, count, weights, len(got)-before)
		}
	}
	if want := network.Inbox(nil, graph, 0, 5, outboxes); len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("the blocks hold %d messages, the inbox %d, or others", len(got), len(want))
	}
}

func mustGraph(t *testing.T, n int, edges ...topology.Edge) *topology.Graph {
	t.Helper()
	graph, err := topology.FromEdges(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	return graph
}

// A message carries the weight of the graph of its own turn: that is what lets
// a receiver fold q(t-1) with A(t-1), whatever the graph is by then.
func TestWeightIsThatOfTheTurnOfSending(t *testing.T) {
	then := mustGraph(t, 2, topology.Edge{From: 0, To: 1, Weight: 0.25})
	now := mustGraph(t, 2, topology.Edge{From: 0, To: 1, Weight: 0.75}, topology.Edge{From: 1, To: 0, Weight: 1})
	outboxes := outboxesOf(2, []sending{
		{from: 0, broadcast: true, payload: &messages.Vector{}},
		{from: 1, broadcast: true, payload: &messages.Vector{}},
	})
	for _, test := range []struct {
		graph *topology.Graph
		want  float64
	}{{then, 0.25}, {now, 0.75}} {
		got := network.Inbox(nil, test.graph, 1, 3, outboxes)
		if len(got) != 1 || got[0].Weight != test.want || got[0].Sent != 3 {
			t.Errorf("got %+v, want weight %v", got, test.want)
		}
	}
	if got := network.Inbox(nil, then, 0, 3, outboxes); len(got) != 0 {
		t.Errorf("node 1 hears %+v along an edge that does not exist", got)
	}
}

// A node hears itself through a self-loop, like any other sender.
func TestSelfLoopDelivers(t *testing.T) {
	payload := &messages.Vector{}
	outboxes := outboxesOf(1, []sending{{from: 0, broadcast: true, payload: payload}, {from: 0, to: 0, payload: payload}})
	got := network.Inbox(nil, mustGraph(t, 1, topology.Edge{From: 0, To: 0, Weight: 0.5}), 0, 0, outboxes)
	want := []messages.Envelope{{Weight: 0.5, Payload: payload}, {Seq: 1, Weight: 0.5, Payload: payload}}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestInboxAllocatesNothingWhereThereIsRoom(t *testing.T) {
	const n = 6
	var edges []topology.Edge
	for from := range messages.NodeID(n) {
		for to := range messages.NodeID(n) {
			edges = append(edges, topology.Edge{From: from, To: to, Weight: 1})
		}
	}
	graph := mustGraph(t, n, edges...)
	broadcasts := outboxesOf(n, []sending{{from: 1, broadcast: true, payload: &messages.Vector{}}, {from: 4, broadcast: true, payload: &messages.Vector{}}})
	mixed := outboxesOf(n, []sending{{from: 1, broadcast: true, payload: &messages.Vector{}}, {from: 1, to: 2, payload: &messages.Vector{}}})
	for name, outboxes := range map[string][]messages.Outbox{"broadcasts": broadcasts, "mixed": mixed} {
		inbox := make([]messages.Envelope, 0, 2*n)
		if allocations := testing.AllocsPerRun(100, func() {
			inbox = network.Inbox(inbox[:0], graph, 2, 0, outboxes)
		}); allocations != 0 || len(inbox) != 2 {
			t.Errorf("%s: %v allocations for %d envelopes", name, allocations, len(inbox))
		}
	}
}
