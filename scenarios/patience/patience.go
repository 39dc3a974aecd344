// Package patience ends the wait for work that does not look at its context, and shows what is
// waited for.
package patience

import (
	"context"
	"time"

	"starling/actors/algorithm/panics"
)

// Grace is how long work that is interrupted has to come to an end of its own.
const Grace = 3 * time.Second

// Within returns what work returns, or the cause of the context where that has been done for
// longer than grace. Work then goes on, and what it returns is lost: it may change nothing that
// anybody else reads. A panic of work is its error, a *panics.Panic.
func Within[T any](ctx context.Context, grace time.Duration, work func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	ended := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if p := panics.Recovered(recover()); p != nil {
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
