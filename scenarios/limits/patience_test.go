package limits_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"starling/actors/algorithm"
	"starling/scenarios/limits"
)

func TestWithin(t *testing.T) {
	failure, cause := errors.New("failed"), errors.New("interrupted")
	if got, err := limits.Within(t.Context(), 0, func() (int, error) { return 7, failure }); got != 7 || err != failure {
		t.Errorf("work that ends: %d, %v", got, err)
	}
	var broken *algorithm.Panic
	if _, err := limits.Within(t.Context(), 0, func() (int, error) { panic("broken") }); !errors.As(err, &broken) || broken.Value != "broken" || len(broken.Stack) == 0 {
		t.Errorf("work that panics: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	hold := make(chan struct{})
	defer close(hold)
	if _, err := limits.Within(ctx, time.Millisecond, func() (int, error) { <-hold; return 0, nil }); err != cause {
		t.Errorf("work that does not end: %v, want %v", err, cause)
	}
	if got, err := limits.Within(ctx, time.Hour, func() (int, error) { time.Sleep(time.Millisecond); return 7, nil }); got != 7 || err != nil {
		t.Errorf("work that ends after the context: %d, %v", got, err)
	}
}
