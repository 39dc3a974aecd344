package workload

import "sync"

// halves runs f on two goroutines that share a barrier, and waits for both.
func halves(f func(w int, barrier *barrier)) {
	b := newBarrier(2)
	var group sync.WaitGroup
	for w := range 2 {
		group.Go(func() { f(w, b) })
	}
	group.Wait()
}

// barrier is a reusable barrier for a fixed number of goroutines.
type barrier struct {
	mu      sync.Mutex
	cond    sync.Cond
	parties int
	waiting int
	round   int
}

func newBarrier(parties int) *barrier {
	b := &barrier{parties: parties}
	b.cond.L = &b.mu
	return b
}

func (b *barrier) wait() {
	b.mu.Lock()
	defer b.mu.Unlock()
	round := b.round
	if b.waiting++; b.waiting == b.parties {
		b.waiting = 0
		b.round++
		b.cond.Broadcast()
		return
	}
	for b.round == round {
		b.cond.Wait()
	}
}
