package remote_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"starling/actors/remote"
)

func TestMain(m *testing.M) {
	if raceDetector {
		// Proto.Actor's remote sets the logger of gRPC, which is global, whenever it starts.
		// That is a race where a process has two nodes, as here; a command has one. .ci/race has
		// the detector without it.
		fmt.Println("skipped: the race detector sees nothing but the logger of gRPC where one process has two nodes")
		return
	}
	goleak.VerifyTestMain(m)
}

// shared is an identity that nodes of a test have together.
func shared(t testing.TB) *remote.Identity {
	t.Helper()
	identity, err := remote.SharedIdentity(strings.Repeat("s", remote.LeastSecret))
	if err != nil {
		t.Fatal(err)
	}
	return identity
}

// start starts a node on loopback, which the test closes.
func start(t testing.TB, o remote.Options) *remote.Node {
	t.Helper()
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	if o.Identity == nil {
		o.Identity = shared(t)
	}
	n, err := remote.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Close)
	return n
}

// echo sends back what comes.
func echo(l *remote.Link) {
	for {
		m, err := l.Receive(context.Background())
		if err != nil || l.Send(context.Background(), m) != nil {
			return
		}
	}
}

func open(t testing.TB, n *remote.Node, address string) *remote.Link {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	l, err := n.Open(ctx, address)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// exchange sends messages and wants them back, each once and in order.
func exchange(t testing.TB, l *remote.Link, messages [][]byte) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var group sync.WaitGroup
	defer group.Wait()
	group.Go(func() {
		for _, m := range messages {
			if err := l.Send(ctx, m); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for i, want := range messages {
		got, err := l.Receive(ctx)
		if err != nil {
			t.Errorf("message %d: %v", i, err)
			cancel()
			return
		}
		if !bytes.Equal(got, want) {
			t.Errorf("message %d: %d bytes that differ from the %d that were sent", i, len(got), len(want))
		}
	}
}

// drawn are messages of so many bytes.
func drawn(sizes ...int) (list [][]byte) {
	source := rand.NewChaCha8([32]byte{1})
	for _, size := range sizes {
		m := make([]byte, size)
		source.Read(m)
		list = append(list, m)
	}
	return list
}

// A message that is larger than gRPC takes arrives whole, and so does an empty one.
func TestMessagesOfAnySize(t *testing.T) {
	worker := start(t, remote.Options{Accept: echo})
	l := open(t, start(t, remote.Options{}), worker.Address())
	exchange(t, l, drawn(0, 1, 256<<10, 256<<10+1, 20<<20, 3))
}

// Frames that are lost, doubled and late change nothing of what arrives. Proto.Actor's
// remote gives each at most once.
func TestLostAndDoubledFrames(t *testing.T) {
	var mu sync.Mutex
	r := rand.New(rand.NewPCG(1, 2))
	options := func(accept func(*remote.Link)) remote.Options {
		o := remote.Options{Accept: accept}
		o.Copies(func(f *remote.Frame) int {
			mu.Lock()
			defer mu.Unlock()
			if f.Number == 0 {
				return 1 // these come every second only
			}
			return []int{0, 1, 1, 1, 1, 1, 1, 1, 2, 3}[r.IntN(10)]
		})
		return o
	}
	worker := start(t, options(echo))
	exchange(t, open(t, start(t, options(nil)), worker.Address()), drawn(5, 600<<10, 0, 17))
}

// A peer that nobody hears any more fails the link, by name and within the stated time.
func TestSilence(t *testing.T) {
	var lost bool
	var mu sync.Mutex
	o := remote.Options{Accept: echo, Silence: time.Second}
	o.Copies(func(*remote.Frame) int {
		mu.Lock()
		defer mu.Unlock()
		if lost {
			return 0
		}
		return 1
	})
	worker := start(t, o)
	l := open(t, start(t, remote.Options{Silence: time.Second}), worker.Address())
	mu.Lock()
	lost = true
	mu.Unlock()
	_, err := l.Receive(t.Context())
	var silence *remote.SilenceError
	if !errors.As(err, &silence) || !strings.Contains(err.Error(), worker.Address()) {
		t.Errorf("%v, want silence of %s", err, worker.Address())
	}
}

// A node that is gone, and one that has begun anew, fail links at once.
func TestPeersThatAreGone(t *testing.T) {
	worker := start(t, remote.Options{Accept: echo})
	coordinator := start(t, remote.Options{})
	l := open(t, coordinator, worker.Address())
	worker.Close()
	var closed *remote.ClosedError
	if _, err := l.Receive(t.Context()); !errors.As(err, &closed) || closed.Reason != "the process ends" {
		t.Errorf("after the peer was closed: %v", err)
	}
	if _, err := coordinator.Open(t.Context(), worker.Address()); err == nil || !strings.Contains(err.Error(), "no process hears there") {
		t.Errorf("open where nobody hears: %v", err)
	}
}

// What a peer closes with reaches the other side, after all that it sent before.
func TestClose(t *testing.T) {
	worker := start(t, remote.Options{Accept: func(l *remote.Link) {
		l.Send(context.Background(), []byte("last words"))
		l.Close("it is over")
	}})
	l := open(t, start(t, remote.Options{}), worker.Address())
	if m, err := l.Receive(t.Context()); string(m) != "last words" || err != nil {
		t.Errorf("%q, %v", m, err)
	}
	if _, err := l.Receive(t.Context()); err == nil || err.Error() != worker.Address()+": the link was closed there: it is over" {
		t.Error(err)
	}
	if err := l.Send(t.Context(), nil); err == nil {
		t.Error("a link that is over sends")
	}
}

func TestMessagesThatAreTooLarge(t *testing.T) {
	failed := make(chan error, 1)
	worker := start(t, remote.Options{Largest: 1 << 20, Accept: func(l *remote.Link) {
		_, err := l.Receive(context.Background())
		failed <- err
	}})
	coordinator := start(t, remote.Options{})
	l := open(t, coordinator, worker.Address())
	l.Send(t.Context(), make([]byte, 1<<20+1))
	if err := <-failed; err == nil || !strings.Contains(err.Error(), "more than 1048576 bytes") {
		t.Error(err)
	}
	if _, err := l.Receive(t.Context()); err == nil || !strings.Contains(err.Error(), "a message was too large") {
		t.Error(err)
	}
}

// Proto.Actor's remote would make room for a million messages to each peer.
func TestQueuesAreSmall(t *testing.T) {
	worker := start(t, remote.Options{Accept: echo})
	coordinator := start(t, remote.Options{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	open(t, coordinator, worker.Address())
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 4<<20 {
		t.Errorf("a link takes %d bytes", took)
	}
}

func TestAddressesThatAreRefused(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for address, want := range map[string]string{
		"":                       "want HOST:PORT",
		"127.0.0.1":              "want HOST:PORT",
		":7000":                  "every address of a machine",
		"0.0.0.0:7000":           "every address of a machine",
		"[::]:7000":              "every address of a machine",
		"127.0.0.1:70000":        "no number up to 65535",
		"192.0.2.1:7000":         "TLS certificates are required",
		taken.Addr().String():    "failed to listen",
		"name.invalid:7000":      "name.invalid",
		"127.0.0.1:service-name": "no number up to 65535",
	} {
		n, err := remote.Start(remote.Options{Listen: address, Identity: shared(t)})
		if err == nil {
			n.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error that says %q", address, err, want)
		}
	}
}

// Many links at a time do not get into each other's way, and too many are refused.
func TestManyLinks(t *testing.T) {
	worker := start(t, remote.Options{Accept: echo})
	coordinator := start(t, remote.Options{})
	var links []*remote.Link
	for range 16 {
		links = append(links, open(t, coordinator, worker.Address()))
	}
	var group sync.WaitGroup
	for i, l := range links {
		group.Go(func() { exchange(t, l, [][]byte{fmt.Appendf(nil, "of link %d", i)}) })
	}
	group.Wait()
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if _, err := coordinator.Open(ctx, worker.Address()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("one link too many: %v", err)
	}
}
