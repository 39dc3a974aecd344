package limits

import (
	"context"
	"time"

	"starling/actors/algorithm"
)

// Grace is the time that interrupted work has to end by itself.
const Grace = 3 * time.Second

// Within returns the result of work, or the cause of the context if that has been done for
// longer than grace. Work then goes on, and its result is lost: it must not change anything
// that others read. A panic of work is returned as an error, a *algorithm.Panic.
func Within[T any](ctx context.Context, grace time.Duration, work func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	ended := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if p := algorithm.Recovered(recover()); p != nil {
				o.err = p
			}
			ended <- o
		}()
		o.value, o.err = work()
	}()
	select {
	case o := <-ended:
		return o.value, o.err
	case <-ctx.Done():
	}
	select {
	case o := <-ended:
		return o.value, o.err
	case <-time.After(grace):
		var none T
		return none, context.Cause(ctx)
	}
}
