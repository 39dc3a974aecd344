package engine_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"starling/actors/algorithm"
	"starling/actors/engine"
	"starling/actors/runtimetest"
	"starling/actors/spread"
	"starling/actors/topology"
	"starling/messages"
)

// ether joins the processes of a run in memory: what they send crosses as bytes.
type ether struct {
	ends []*end
}

// end is a process's end.
type end struct {
	ether *ether
	self  int

	mu     sync.Mutex
	queue  []packet
	more   chan struct{} // has an item where the queue does
	closed chan struct{}
	group  sync.WaitGroup
}

type packet struct {
	from  int
	bytes []byte
}

func newEther(processes int) *ether {
	e := &ether{}
	for p := range processes + 1 {
		e.ends = append(e.ends, &end{ether: e, self: p, more: make(chan struct{}, 1), closed: make(chan struct{})})
	}
	return e
}

func (e *ether) close() {
	for _, end := range e.ends {
		close(end.closed)
		end.group.Wait()
	}
}

// Listen implements spread.Wires.
func (e *end) Listen(take func(from int, item *spread.Item)) {
	e.group.Go(func() {
		for {
			select {
			case <-e.closed:
				return
			case <-e.more:
			}
			e.mu.Lock()
			list := e.queue
			e.queue = nil
			e.mu.Unlock()
			for _, p := range list {
				var item spread.Item
				if err := proto.Unmarshal(p.bytes, &item); err != nil {
					panic(err)
				}
				take(p.from, &item)
			}
		}
	})
}

// Send implements spread.Wires.
func (e *end) Send(to int, item *spread.Item) {
	bytes, err := proto.Marshal(item)
	if err != nil {
		panic(err)
	}
	there := e.ether.ends[to]
	there.mu.Lock()
	there.queue = append(there.queue, packet{e.self, bytes})
	there.mu.Unlock()
	select {
	case there.more <- struct{}{}:
	default:
	}
}

// spreadOver returns a runtime that runs the scenario on so many processes, each with a
// host of its own. The run that it is given is the coordinator's; prepare makes those of the
// others ready, as who calls has made the first.
func spreadOver(hosts []*engine.Host, s *runtimetest.Scenario, options engine.Options, prepare func(*algorithm.Run) error) func(*algorithm.Run) error {
	processes := len(hosts) - 1
	return func(run *algorithm.Run) error {
		e := newEther(processes)
		defer e.close()
		ctx, cancel := context.WithCancelCause(context.Background())
		defer cancel(nil)
		errs := make([]error, processes+1)
		var group sync.WaitGroup
		for p := range processes + 1 {
			own := run
			if p < processes {
				own, _ = s.Run()
				own.Pauses = algorithm.Pauses{Every: run.Pauses.Every}
				if prepare != nil {
					if err := prepare(own); err != nil {
						return err
					}
				}
			}
			o := options
			o.Spread = &spread.Place{Process: p, Processes: processes, Wires: e.ends[p]}
			group.Go(func() {
				if errs[p] = hosts[p].Run(ctx, own, o); errs[p] != nil {
					cancel(errs[p])
				}
			})
		}
		group.Wait()
		if errs[processes] != nil {
			return errs[processes]
		}
		return errors.Join(errs...)
	}
}

func newHosts(t testing.TB, processes int) []*engine.Host {
	var hosts []*engine.Host
	for range processes + 1 {
		hosts = append(hosts, newHost(t, 2))
	}
	return hosts
}

// A run that is spread over processes is that of one: the states, what the meter of the
// coordinator was told, what was sent.
func TestSpreadRunsAreTheSame(t *testing.T) {
	const n = 200
	for _, processes := range []int{1, 2, 3} {
		hosts := newHosts(t, processes)
		for name, graphs := range runtimetest.Graphs(n) {
			s := &runtimetest.Scenario{
				Nodes: n, Steps: 6, FirstStep: 1, Seed: 11, Graphs: graphs, Hops: []int{1, 3, 1, 2},
				Stops: map[messages.NodeID]int{1: 5, 130: 1, 199: 9}, Gatherers: map[messages.NodeID]bool{0: true, 130: true},
			}
			want := s.Execute(sequential)
			for _, options := range []engine.Options{{}, {Shards: 7, Lookahead: 3}} {
				if diff := runtimetest.Diff(want, s.Execute(spreadOver(hosts, s, options, nil))); diff != "" {
					t.Fatalf("%s on %d processes, %+v (-lockstep +spread):\n%s", name, processes, options, diff)
				}
			}
		}
	}
}

// Random runs, with and without effects of the network, pause and go on as in one process:
// from what any number of processes has saved, any other number goes on.
func TestRandomSpreadRunsAgreeWithLockstep(t *testing.T) {
	all := newHosts(t, 3)
	rapid.Check(t, func(t *rapid.T) {
		s := runtimetest.DrawScenario(t, 40, 12)
		switch rapid.IntRange(0, 2).Draw(t, "network") {
		case 1:
			s.Network = runtimetest.DrawNetwork(t, s.Nodes, 20)
		case 2:
			s.Network = runtimetest.DrawLimitedNetwork(t, s.Nodes, 20)
		}
		processes := func(name string) []*engine.Host {
			return all[:1+rapid.IntRange(1, 3).Draw(t, name)]
		}
		options := engine.Options{Shards: rapid.IntRange(0, 9).Draw(t, "shards"), Lookahead: rapid.IntRange(0, 4).Draw(t, "lookahead")}
		every := rapid.IntRange(1, 5).Draw(t, "every")
		want := s.Execute(sequential)
		got, saved := s.ExecuteWithPauses(every, spreadOver(processes("processes"), s, options, nil))
		if diff := runtimetest.Diff(want, got); diff != "" {
			t.Fatalf("-lockstep +spread:\n%s", diff)
		}
		_, alone := s.ExecuteWithPauses(every, sequential)
		if len(saved) != len(alone) {
			t.Fatalf("%d states saved, want %d", len(saved), len(alone))
		}
		for k := range saved {
			if d := saved[k].Difference(alone[k]); d != "" {
				t.Fatalf("the state saved at pause %d differs: %s", k, d)
			}
		}
		if len(saved) == 0 {
			return
		}
		at := rapid.SampledFrom(saved).Draw(t, "pause")
		again := spreadOver(processes("processes after"), s, options, func(run *algorithm.Run) error {
			return at.Restore(run, run.Meter.(*runtimetest.Meter))
		})
		if diff := runtimetest.Diff(want, s.ExecuteFrom(at, again)); diff != "" {
			t.Fatalf("resumed (-lockstep +spread):\n%s", diff)
		}
	})
}

// A machine that fails, and a graph that is none, end a spread run with the first failure.
func TestSpreadFailuresAreTheSame(t *testing.T) {
	hosts := newHosts(t, 3)
	failing := func(node messages.NodeID, turn *algorithm.Turn) error {
		if turn.Step == 3 && (node == 20 || node == 35) {
			return errors.New("out of luck")
		}
		if turn.Step == 4 {
			panic("too late")
		}
		return nil
	}
	s := &runtimetest.Scenario{Nodes: 40, Steps: 9, Seed: 1, Graphs: runtimetest.Graphs(40)["complete"], Fail: failing}
	want := s.Execute(sequential)
	if want.Failure == "" {
		t.Fatal("the run does not fail")
	}
	within(t, "a run that fails", func() {
		if diff := runtimetest.Diff(want, s.Execute(spreadOver(hosts, s, engine.Options{}, nil))); diff != "" {
			t.Errorf("-lockstep +spread:\n%s", diff)
		}
	})
}

// A process that ends its part ends the run everywhere.
func TestSpreadRunsAreCancelled(t *testing.T) {
	hosts := newHosts(t, 2)
	gone := errors.New("the process is gone")
	s := &runtimetest.Scenario{Nodes: 40, Steps: 1 << 30, Graphs: runtimetest.Graphs(40)["complete"]}
	e := newEther(2)
	defer e.close()
	ctx, cancel := context.WithCancelCause(context.Background())
	var group sync.WaitGroup
	for p := range 3 {
		run, _ := s.Run()
		group.Go(func() {
			options := engine.Options{Spread: &spread.Place{Process: p, Processes: 2, Wires: e.ends[p]}}
			// The coordinator may end the others before these are cancelled.
			if err := hosts[p].Run(ctx, run, options); !errors.Is(err, gone) && (err != nil || p == 2) {
				t.Errorf("process %d: %v", p, err)
			}
		})
	}
	time.AfterFunc(20*time.Millisecond, func() { cancel(gone) })
	within(t, "a cancelled run", group.Wait)
}

func TestSpreadOptions(t *testing.T) {
	host := newHost(t, 1)
	s := &runtimetest.Scenario{Nodes: 2, Steps: 1, Graphs: runtimetest.Graphs(2)["complete"]}
	e := newEther(3)
	for _, test := range []struct {
		place spread.Place
		want  string
	}{
		{spread.Place{Process: 3, Processes: 2, Wires: e.ends[0]}, "spread: process 3 of 2"},
		{spread.Place{Process: 0, Processes: 0, Wires: e.ends[0]}, "spread: process 0 of 0"},
		{spread.Place{Process: 0, Processes: 2}, "spread: there are no wires"},
	} {
		run, _ := s.Run()
		if err := host.Run(context.Background(), run, engine.Options{Spread: &test.place}); err == nil || err.Error() != test.want {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

// Vectors that summers take where they lie are in the same places in every process.
func TestSpreadSums(t *testing.T) {
	graphs, err := topology.Permutations{Nodes: 130, Degree: 5, Every: 1, Seed: 4}.Sequence()
	if err != nil {
		t.Fatal(err)
	}
	for _, processes := range []int{2, 3} {
		hosts := newHosts(t, processes)
		for _, d := range []int{1, 10} {
			want := adders(t, graphs, d, sequential)
			got := adders(t, graphs, d, func(run *algorithm.Run) error {
				e := newEther(processes)
				defer e.close()
				errs := make([]error, processes+1)
				var group sync.WaitGroup
				for p := range processes + 1 {
					own := run
					if p < processes {
						own = adderRun(graphs, d)
					}
					o := engine.Options{Shards: 9, Spread: &spread.Place{Process: p, Processes: processes, Wires: e.ends[p]}}
					group.Go(func() { errs[p] = hosts[p].Run(context.Background(), own, o) })
				}
				group.Wait()
				return errors.Join(errs...)
			})
			for i := range want {
				if !slices.Equal(got[i], want[i]) {
					t.Fatalf("d = %d on %d processes: node %d saw %v, want %v", d, processes, i, got[i], want[i])
				}
			}
		}
	}
}
