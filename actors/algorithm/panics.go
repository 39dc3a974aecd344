package algorithm

import (
	"fmt"
	"runtime/debug"

	"starling/actors/algorithm/batch"
)

// Panic is a panic as an error. It stays in the chain of the error that fails a run, so that
// its stack can be logged.
type Panic struct {
	Value any
	Stack []byte // of the goroutine that panicked, as debug.Stack gives it; nil of a batch.Failure
}

// Error implements error. It leaves the stack out.
func (p *Panic) Error() string {
	if f, ok := p.Value.(batch.Failure); ok {
		return f.Err.Error()
	}
	return fmt.Sprintf("panic: %v", p.Value)
}

// Unwrap gives the error of a batch.Failure; a broken invariant has none.
func (p *Panic) Unwrap() error {
	if f, ok := p.Value.(batch.Failure); ok {
		return f.Err
	}
	return nil
}

// Recovered returns the panic of a value that recover returned, nil for nil. The deferred
// function that recovers must call it: the stack is the panic's only until that function
// returns.
func Recovered(value any) *Panic {
	switch value.(type) {
	case nil:
		return nil
	case batch.Failure:
		return &Panic{Value: value}
	}
	return &Panic{Value: value, Stack: debug.Stack()}
}
