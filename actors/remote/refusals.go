package remote

import (
	"net"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/rs/zerolog"
)

const (
	// firstRepeat is the time after which a refusal that repeats is logged again. It doubles
	// with each log, up to longestRepeat.
	firstRepeat, longestRepeat = 10 * time.Second, time.Hour
	// mostRefusals is how many different refusals are kept.
	mostRefusals = 256
)

// refusals logs refused callers, with the reasons. A refusal that repeats is one line at once,
// and later lines say how often: a caller that tries without end must not fill the log. It is
// safe for concurrent use.
type refusals struct {
	log zerolog.Logger

	mu     sync.Mutex
	list   map[refusal]*repeats // guarded by mu
	closed bool                 // guarded by mu
}

// refusal is the key by which refusals count as one. Reasons are without digits, for a host
// calls from another port each time, and the error for an expired certificate contains the
// time.
type refusal struct{ what, host, reason string }

// repeats counts the repeats of a refusal since it was logged last.
type repeats struct {
	reason string // as it was logged first
	count  int
	wait   time.Duration
	timer  *time.Timer
}

func newRefusals(log zerolog.Logger) *refusals {
	return &refusals{log: log, list: map[refusal]*repeats{}}
}

// add logs a refusal of the process at an address, unless it is a repeat.
func (r *refusals) add(what, address, reason string) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	key := refusal{what, host, strings.Map(withoutDigits, reason)}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	if r.list[key] == nil && len(r.list) >= mostRefusals {
		key = refusal{what: "refused many others"}
		what, address, reason = key.what, "", "more refusals than are told apart"
	}
	if known := r.list[key]; known != nil {
		known.count++
		return
	}
	r.log.Warn().Str("from", address).Str("reason", reason).Msg(what)
	r.list[key] = &repeats{reason: reason, wait: firstRepeat, timer: time.AfterFunc(firstRepeat, func() { r.repeat(key) })}
}

func withoutDigits(r rune) rune {
	if unicode.IsDigit(r) {
		return -1
	}
	return r
}

// repeat logs how often a refusal has repeated; one that has not is forgotten.
func (r *refusals) repeat(key refusal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	known := r.list[key]
	if known.count == 0 {
		delete(r.list, key)
		return
	}
	r.say(key, known)
	known.count, known.wait = 0, min(2*known.wait, longestRepeat)
	known.timer.Reset(known.wait)
}

// say logs how often a refusal has repeated; r.mu is held.
func (r *refusals) say(key refusal, known *repeats) {
	r.log.Warn().Str("from", key.host).Str("reason", known.reason).Int("times", known.count).Msg(key.what + " again")
}

// close logs refusals that have repeated, and no more after that.
func (r *refusals) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for key, known := range r.list {
		if known.timer.Stop(); known.count > 0 {
			r.say(key, known)
		}
	}
}
