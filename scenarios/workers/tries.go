package workers

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"
	"unicode"

	"starling/actors/remote"
)

// tries are those to join a worker, since it was there last. They are used by the goroutine
// that keeps the worker.
type tries struct {
	since  time.Time
	failed int
	// cause is why the last failed, and alike how many in a row have failed for that.
	cause string
	alike int
}

// firstPause is how long the pool waits before it tries a worker again for the first time, and
// longestPause how long at most.
const (
	firstPause   = time.Second
	longestPause = 5 * time.Second
)

// add counts a try that failed, and tells whether the last failed for another cause.
// Causes are held against each other without digits, which are of ports and times.
func (t *tries) add(err error) (other bool) {
	cause := strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, err.Error())
	if other = cause != t.cause; other {
		t.cause, t.alike = cause, 0
	}
	t.failed++
	t.alike++
	return other
}

// pause is how long to wait until the next try: twice as long after each, but no longer than
// the patience lasts.
func (t *tries) pause(patience time.Duration) time.Duration {
	wait := min(longestPause, firstPause<<min(max(t.failed-1, 0), 8))
	return min(wait, patience-time.Since(t.since))
}

// counted is the error of the last try, with how often that came.
func (t *tries) counted(err error) error {
	if t.alike < 2 {
		return err
	}
	return fmt.Errorf("%w (%d times)", err, t.alike)
}

// cure is what a user can do about a worker that cannot be joined; empty where nothing is known
// to help but to wait.
func cure(err error) string {
	var hostname x509.HostnameError
	var authority x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	var refused *remote.RefusedError
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "Start 'starling worker' there, or mend the address"
	case errors.As(err, &record):
		return "Mend the address: another program hears there"
	case errors.As(err, &hostname):
		return "Name the worker by a host that its certificate is for, or make it one for this host by 'starling worker init-tls'"
	case errors.As(err, &authority):
		return "Give both sides certificates of one authority, or one secret"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "Make the worker another certificate by 'starling worker init-tls', and look at the clocks of both machines"
	case errors.As(err, &invalid):
		return "Make the worker another certificate by 'starling worker init-tls'"
	case errors.As(err, &refused):
		return "Look at the certificate of this process, its --tls-cert, or its secret: the log of the worker says what is wrong with it"
	}
	return ""
}
