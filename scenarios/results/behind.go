package results

import "sync"

// behind does work beside the caller, one piece after the other in the order in which it is
// given. After an error it does no more.
type behind struct {
	// work holds pieces of work that wait. It holds few, so that memory stays bounded.
	work  chan func() error
	ended chan struct{}
	// mu guards err, the first error.
	mu  sync.Mutex
	err error
	// closed is set once no more work comes.
	closed bool
}

// newBehind starts one. It ends with Wait.
func newBehind() *behind {
	b := &behind{work: make(chan func() error, 1), ended: make(chan struct{})}
	go func() {
		defer close(b.ended)
		for piece := range b.work {
			if b.failure() == nil {
				b.fail(piece())
			}
		}
	}()
	return b
}

// Do has a piece done. It returns the error of an earlier one, if there is any by now.
func (b *behind) Do(piece func() error) error {
	if err := b.failure(); err != nil {
		return err
	}
	b.work <- piece
	return nil
}

// Wait returns the first error once all work is done, and ends. Nothing is to be done after it.
func (b *behind) Wait() error {
	if !b.closed {
		b.closed = true
		close(b.work)
	}
	<-b.ended
	return b.failure()
}

func (b *behind) failure() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

func (b *behind) fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.err = err
}
