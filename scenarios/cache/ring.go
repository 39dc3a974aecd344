package cache

import "sync"

// Ring computes values by number and keeps one for each remainder of the numbers by its size. It
// is for numbers that are asked for about in order. It is safe for concurrent use: while a value
// is computed, other calls wait.
type Ring[V any] struct {
	mu   sync.Mutex
	kept []ringed[V] // guarded by mu
}

type ringed[V any] struct {
	number int
	there  bool
	value  V
}

// NewRing returns a Ring of a size, at least 1.
func NewRing[V any](size int) *Ring[V] { return &Ring[V]{kept: make([]ringed[V], size)} }

// Get returns the value of a number of at least 0, from compute if it is not kept.
func (r *Ring[V]) Get(number int, compute func() V) V {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := &r.kept[number%len(r.kept)]
	if !at.there || at.number != number {
		*at = ringed[V]{number, true, compute()}
	}
	return at.value
}
