package gauge_test

import (
	"testing"

	"starling/messages"
)

// again is one that goes on from the state of another. No part of the state that is shorter
// is a state; fresh makes those that read.
func again[T messages.Stateful](t testing.TB, of T, fresh func() T) T {
	t.Helper()
	saved, restored := messages.Write(nil, of), fresh()
	if err := messages.Read(saved, restored); err != nil {
		t.Fatal(err)
	}
	for n := range saved {
		if messages.Read(saved[:n], fresh()) == nil {
			t.Fatalf("the first %d of %d bytes are a state", n, len(saved))
		}
	}
	return restored
}
