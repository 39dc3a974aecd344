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

// tries are the failed attempts to join a worker since it was last joined. The goroutine that
// keeps the worker uses them.
type tries struct {
	since  time.Time
	failed int
	// cause is the cause of the last failure, and alike the number of failures in a row with
	// that cause.
	cause string
	alike int
}

// firstPause is the pause before the pool first tries a worker again, and longestPause the
// longest pause.
const (
	firstPause   = time.Second
	longestPause = 5 * time.Second
)

// add counts a failed attempt, and reports whether its cause differs from the cause before.
// Causes are compared without digits, which are ports and times.
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

// pause returns the pause before the next attempt: twice as long after each, up to
// longestPause, and no longer than the patience lasts.
func (t *tries) pause(patience time.Duration) time.Duration {
	wait := min(longestPause, firstPause<<min(max(t.failed-1, 0), 8))
	return min(wait, patience-time.Since(t.since))
}

// counted returns the error of the last attempt, with the number of times that it occurred.
func (t *tries) counted(err error) error {
	if t.alike < 2 {
		return err
	}
	return fmt.Errorf("%w (%d times)", err, t.alike)
}

// cure returns advice to the user for a worker that cannot be joined. It is empty where
// nothing is known to help but to wait.
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
