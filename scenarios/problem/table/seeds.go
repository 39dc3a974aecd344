package table

import (
	"runtime"
	"slices"
	"sync"
)

// Splits are a table under the splits of the seeds of a study. It keeps the splits of the seeds that
// were asked for last, as many as run at once and one more, and no row of them: all share the cells
// of the table. It is safe for concurrent use.
type Splits struct {
	whole   *Table
	split   Split
	options DataOptions
	first   uint64
	tables  recent[uint64, seedTable]
	data    recent[uint64, seedData]
}

// seedTable and seedData are a split table and its data, or an error.
type (
	seedTable struct {
		table *Table
		err   error
	}
	seedData struct {
		data *Data
		err  error
	}
)

// NewSplits returns the splits of a table. first is the first seed of the study. Where splits vary,
// data have the same features under every seed; see DataOptions.Steady.
func NewSplits(t *Table, s Split, o DataOptions, first uint64) *Splits {
	o.Steady = o.Steady || s.Varies()
	return &Splits{whole: t, split: s, options: o, first: first}
}

// Table returns the table as it is split under a seed. Errors are *option.Error.
func (s *Splits) Table(seed uint64) (*Table, error) {
	seed = s.of(seed)
	t := s.tables.get(seed, func() (t seedTable) {
		t.table, t.err = s.whole.Split(s.split, seed, s.first)
		return t
	})
	return t.table, t.err
}

// Data returns the data under a seed, of which all that is fitted is fitted on the training rows of
// that seed. Errors are *option.Error.
func (s *Splits) Data(seed uint64) (*Data, error) {
	seed = s.of(seed)
	d := s.data.get(seed, func() (d seedData) {
		t, err := s.Table(seed)
		if err != nil {
			return seedData{nil, err}
		}
		d.data, d.err = NewData(t, s.options)
		return d
	})
	return d.data, d.err
}

// of returns a seed with the same split: the first where all are split alike.
func (s *Splits) of(seed uint64) uint64 {
	if s.split.Varies() {
		return seed
	}
	return s.first
}

// Varies reports whether seeds hold out different rows.
func (s *Splits) Varies() bool { return s.split.Varies() }

// Fallible reports whether another seed than the first may have a fault of its own, such as a column
// without a value in training rows.
func (s *Splits) Fallible() bool {
	if !s.split.Varies() {
		return false
	}
	gaps := slices.ContainsFunc(s.whole.features, func(f feature) bool { return f.gaps > 0 && f.missing != MissingDrop })
	return gaps || s.options.Rare > 0 || s.options.Levels > 0
}

// held returns about the number of bytes of the splits that are kept: 8 for each row of each.
func (s *Splits) held() float64 {
	if !s.split.Varies() {
		return 0
	}
	return 8 * float64(s.whole.rows) * float64(mostRecent())
}

// mostRecent is the number of values that recent keeps: of as many seeds as run at once, and one more.
func mostRecent() int { return runtime.GOMAXPROCS(0) + 1 }

// recent keeps the values of the keys that were asked for last. The zero value is ready for use. It
// is safe for concurrent use; callers that ask for a value that is being computed wait for it.
type recent[K comparable, V any] struct {
	mu      sync.Mutex
	entries []recentEntry[K, V] // the last that was asked for is the first
}

type recentEntry[K comparable, V any] struct {
	key   K
	value func() V
}

// get returns the value of a key, computed unless it is kept.
func (r *recent[K, V]) get(key K, compute func() V) V {
	return r.entry(key, compute)()
}

func (r *recent[K, V]) entry(key K, compute func() V) func() V {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := slices.IndexFunc(r.entries, func(e recentEntry[K, V]) bool { return e.key == key })
	if at < 0 {
		if most := mostRecent(); len(r.entries) >= most {
			r.entries = r.entries[:most-1]
		}
		r.entries = append(r.entries, recentEntry[K, V]{key, sync.OnceValue(compute)})
		at = len(r.entries) - 1
	}
	e := r.entries[at]
	copy(r.entries[1:at+1], r.entries[:at])
	r.entries[0] = e
	return e.value
}
