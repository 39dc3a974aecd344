package engine

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/rs/zerolog"

	"starling/actors/algorithm"
	"starling/actors/runtimetest"
)

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
