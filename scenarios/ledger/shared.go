package ledger

import "sync"

// Epsilons are epsilons by privacy loss distributions of sampled steps, each of which takes a
// tenth of a second or so. Jobs that differ in their seeds mostly have equal totals, and share
// them. It keeps the first mostShared, and is safe for concurrent use. The zero value is
// ready.
type Epsilons struct {
	mu    sync.Mutex
	known map[conversion]float64 // guarded by mu
}

// conversion is the input from which such an epsilon is computed.
type conversion struct {
	total     string // binary
	delta     float64
	converted bool // see Account
}

// mostShared epsilons take some 10 MB.
const mostShared = 1 << 15

// get returns the epsilon of a key, by convert where it is not known; errors are not kept. Two
// calls for the same key at one time both convert it.
func (e *Epsilons) get(key conversion, convert func() (float64, error)) (float64, error) {
	e.mu.Lock()
	epsilon, ok := e.known[key]
	e.mu.Unlock()
	if ok {
		return epsilon, nil
	}
	epsilon, err := convert()
	if err != nil {
		return 0, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.known == nil {
		e.known = map[conversion]float64{}
	}
	if len(e.known) < mostShared {
		e.known[key] = epsilon
	}
	return epsilon, nil
}
