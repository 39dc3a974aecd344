package engine

// ring is a queue for one goroutine at a time, first in, first out: actors of a shard post to
// each other through one. It takes no lock. It grows to the most it has held and then allocates
// no more. The zero value is empty.
type ring[T any] struct {
	list       []T  // length 0 or a power of two
	head, tail uint // positions, taken modulo the length
}

// Empty reports whether nothing is in the queue.
func (q *ring[T]) Empty() bool { return q.head == q.tail }

// Push puts something at the end.
func (q *ring[T]) Push(v T) {
	if q.tail-q.head == uint(len(q.list)) {
		q.grow()
	}
	q.list[q.tail&uint(len(q.list)-1)] = v
	q.tail++
}

// Pop takes the first element, and the queue keeps no reference to it. The queue is not empty.
func (q *ring[T]) Pop() T {
	var none T
	at := &q.list[q.head&uint(len(q.list)-1)]
	v := *at
	*at = none
	q.head++
	return v
}

func (q *ring[T]) grow() {
	old := q.list
	q.list = make([]T, max(16, 2*len(old)))
	// The elements of the queue are unrolled: from head to the end of the old memory, then
	// from its start.
	n := copy(q.list, old[q.head&uint(max(len(old)-1, 0)):])
	copy(q.list[n:], old[:q.head&uint(max(len(old)-1, 0))])
	q.head, q.tail = 0, uint(len(old))
}
