package cache

import "sync"

// Recent computes values by key and keeps the values of the last keys, as many as it has
// places. It is safe for concurrent use: while a value is computed, other calls wait.
type Recent[K comparable, V any] struct {
	mu     sync.Mutex
	places int
	kept   []recent[K, V] // guarded by mu
	next   int            // guarded by mu; the place of the next, once all are taken
}

type recent[K comparable, V any] struct {
	key   K
	value V
}

// NewRecent returns a Recent with so many places, at least one.
func NewRecent[K comparable, V any](places int) *Recent[K, V] {
	return &Recent[K, V]{places: places}
}

// Get returns the value of a key, from compute if it is not kept.
func (r *Recent[K, V]) Get(key K, compute func() V) V {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.kept {
		if r.kept[i].key == key {
			return r.kept[i].value
		}
	}
	entry := recent[K, V]{key, compute()}
	if len(r.kept) < r.places {
		r.kept = append(r.kept, entry)
	} else {
		r.kept[r.next] = entry
		r.next = (r.next + 1) % r.places
	}
	return entry.value
}
