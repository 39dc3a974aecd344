// Package cache keeps values that several jobs of a study need, such as data, comparators
// and graphs of one seed, so that they are made once: immutable values by key, as long as
// some job still needs them, within a budget of bytes.
//
//	c := cache.New(1 << 30)
//	c.Hold(needs...)                 // before any job runs: the needs of each
//	v, kept, err := cache.Get(c, key, make)  // in a job, any number of times
//	c.Release(needs...)              // at the end of each job
//
// Needs are known before the first job runs, with their sizes, so that the memory of the cache
// is bounded and can be forecast. A value that no other job will request, or that does not
// fit, is not kept: the caller does without, and computes its parts as it goes. That must give
// the same bits: the cache changes the time of a run, and nothing else.
//
// A Recent has one owner and no needs. It keeps the last few of the values that its owner uses
// in turn, such as data for the graphs of the nodes' present steps.
//
// The package knows nothing of the values that it keeps, and a Cache evicts nothing that is
// needed. It is no cache of results: results of jobs are in the journal of a run.
package cache

import "sync"

// Need is a value that a job will request.
type Need struct {
	// Key names the value. It is comparable, and of a type of its own for each use, so that
	// two packages never share by accident. Equal keys have equal values.
	Key any
	// Bytes is about the memory that the value takes, at least 0.
	Bytes int64
	// Alone is true if the value is worth keeping for one job.
	Alone bool
	// Own is about the bytes that a job takes for itself if the value is not kept, at least 0.
	// It is 0 if the job does without.
	Own int64
}

// Cache keeps values. It is safe for concurrent use. A nil cache keeps nothing.
type Cache struct {
	mu      sync.Mutex
	budget  int64          // guarded by mu
	used    int64          // guarded by mu: the bytes of all entries that are kept
	entries map[any]*entry // guarded by mu: of values that some job needs
}

// entry is a value that jobs need; its fields are guarded by the cache's mutex.
type entry struct {
	need  Need
	jobs  int        // number of jobs that have not released it
	value func() any // nil where it is not kept
}

// New returns an empty cache of so many bytes, at least 0.
func New(budget int64) *Cache { return &Cache{budget: budget, entries: map[any]*entry{}} }

// Limit sets the budget. Values that are kept already stay.
func (c *Cache) Limit(budget int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.budget = budget
}

// Hold registers the needs of one job: each call is for one job, and needs name each key once.
// Of needs of one key the largest size counts.
func (c *Cache) Hold(needs ...Need) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range needs {
		e := c.entries[n.Key]
		if e == nil {
			e = &entry{need: n}
			c.entries[n.Key] = e
		}
		e.jobs++
		e.need.Alone = e.need.Alone || n.Alone
		if e.value == nil {
			e.need.Bytes = max(e.need.Bytes, n.Bytes)
		}
	}
}

// Release ends the needs of a job for which Hold was called. A value that no job needs is
// forgotten.
func (c *Cache) Release(needs ...Need) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range needs {
		e := c.entries[n.Key]
		if e == nil {
			panic("cache: a job releases an entry that it does not hold")
		}
		if e.jobs--; e.jobs > 0 {
			continue
		}
		delete(c.entries, n.Key)
		if e.value != nil {
			c.used -= e.need.Bytes
		}
	}
}

// Used returns the bytes of the kept values, by their needs.
func (c *Cache) Used() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.used
}

// Get returns the value of a key. The first call computes it with make; calls meanwhile wait.
// kept is false, and make is not called, where the value is not kept: no job holds it, one job
// alone needs it, or it does not fit. An error of make is kept like a value. The returned
// value is shared: read only.
func Get[V any](c *Cache, key any, make func() (V, error)) (value V, kept bool, err error) {
	type made struct {
		value V
		err   error
	}
	find := c.keep(key, func() any {
		v, err := make()
		return made{v, err}
	})
	if find == nil {
		return value, false, nil
	}
	m := find().(made)
	return m.value, true, m.err
}

// keep returns a function that returns the value of a key, once make has made it; nil where it
// is not kept.
func (c *Cache) keep(key any, make func() any) func() any {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[key]
	switch {
	case e == nil:
		return nil
	case e.value != nil:
	case e.jobs < 2 && !e.need.Alone, c.used+e.need.Bytes > c.budget:
		return nil
	default:
		c.used += e.need.Bytes
		e.value = sync.OnceValue(make)
	}
	return e.value
}

// Peak returns the most bytes that jobs take with a cache of a budget: the values that it keeps,
// and those that running jobs have of their own. Jobs begin and end in their order, so many at a
// time. needs are the needs of each job.
func Peak(needs [][]Need, workers int, budget int64) (most int64) {
	c := New(budget)
	for _, n := range needs {
		c.Hold(n...)
	}
	own, running := make([]int64, len(needs)), int64(0)
	for i, list := range needs {
		for _, n := range list {
			if c.keep(n.Key, nil) == nil {
				own[i] += n.Own
			}
		}
		running += own[i]
		most = max(most, c.used+running)
		if ended := i + 1 - workers; ended >= 0 {
			c.Release(needs[ended]...)
			running -= own[ended]
		}
	}
	return most
}
