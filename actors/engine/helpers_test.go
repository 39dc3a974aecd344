package engine_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"starling/actors/algorithm"
	"starling/actors/engine"
	"starling/actors/lockstep"
	"starling/messages"
)

// TestMain looks for goroutines that are left when all hosts are closed.
// Proto.Actor counts dead letters, which a cancelled run may leave, in a
// goroutine that ends by itself after a second.
func TestMain(m *testing.M) {
	code := m.Run()
	err := goleak.Find()
	for deadline := time.Now().Add(3 * time.Second); err != nil && time.Now().Before(deadline); {
		err = goleak.Find()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// patience is how long a test waits for what should happen at once before it
// calls it a hang.
const patience = 20 * time.Second

// newHost returns a host that is closed at the end of the test; closing must
// not hang.
func newHost(t testing.TB, workers int) *engine.Host {
	t.Helper()
	host, err := engine.NewHost(engine.HostOptions{Workers: workers, Logger: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { within(t, "closing the host", host.Close) })
	return host
}

// within fails the test if f takes longer than the patience.
func within(t testing.TB, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(patience):
		buffer := make([]byte, 1<<20)
		t.Fatalf("%s hangs\n%s", what, buffer[:runtime.Stack(buffer, true)])
	}
}

// processors sets GOMAXPROCS for the rest of the test.
func processors(t testing.TB, n int) {
	t.Helper()
	before := runtime.GOMAXPROCS(n)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

func sequential(r *algorithm.Run) error { return lockstep.Run(context.Background(), r) }

// on returns the actor runtime with these settings.
func on(host *engine.Host, options engine.Options) func(*algorithm.Run) error {
	return func(r *algorithm.Run) error { return host.Run(context.Background(), r, options) }
}

// script is a machine that is a function.
type script func(*algorithm.Turn) error

func (s script) Step(t *algorithm.Turn) error { return s(t) }
func (script) State(*messages.Codec)          {}
