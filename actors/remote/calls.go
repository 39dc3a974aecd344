package remote

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"

	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
)

const (
	// firstPause is how long the peer is not called after a handshake that one side refuses.
	// Each further refusal doubles the pause, up to longestPause: a certificate does not
	// improve by being shown again at once.
	firstPause, longestPause = 500 * time.Millisecond, 10 * time.Second
	// grace is how long a link still waits for its first answer once a caller from the peer's
	// host has refused this process's certificate: it may be another process there.
	grace = time.Second
)

// reconnecting is how soon gRPC calls again where a connection could not be made. Its zero
// value would be at once, without end.
var reconnecting = backoff.Config{BaseDelay: 200 * time.Millisecond, Multiplier: 2, Jitter: 0.2, MaxDelay: 5 * time.Second}

// called is the state of a peer that is called.
type called struct {
	// cause is the cause of the last failed call; nil if it did not fail.
	cause error
	// host is the number of the peer's host; empty where there was no connection.
	host string
}

// pause is the pause after refused handshakes with a peer.
type pause struct {
	wait  time.Duration
	until time.Time
	cause error
}

// dial connects to a peer. If no process hears at the address, the peer is gone, and its links
// fail at once.
func (n *Node) dial(ctx context.Context, address string) (net.Conn, error) {
	n.mu.Lock()
	p, paused := n.pauses[address]
	n.mu.Unlock()
	if paused && time.Now().Before(p.until) {
		n.end(address, p.cause)
		return nil, p.cause
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", address)
	if errors.Is(err, syscall.ECONNREFUSED) {
		n.end(address, fmt.Errorf("no process hears there: %w", err))
	}
	return conn, err
}

// end fails the links to a peer that cannot be called. Links that the peer has opened have no
// caller that waits here, and are logged.
func (n *Node) end(peer string, why error) {
	for _, l := range n.linksTo(peer) {
		l.fail(why)
		if !l.opening {
			n.refusals.add("the other side opened this link, so it cannot be called", peer, why.Error())
		}
	}
}

// refused notes that a handshake with a peer was refused: its links fail, and it is left
// alone for a while.
func (n *Node) refused(peer string, why error) {
	n.note(peer, why)
	n.mu.Lock()
	now := time.Now()
	for address, p := range n.pauses {
		if now.Sub(p.until) > longestPause {
			delete(n.pauses, address)
		}
	}
	p, known := n.pauses[peer]
	if known || len(n.pauses) < mostAddresses {
		p.wait = max(firstPause, min(2*p.wait, longestPause))
		p.until, p.cause = now.Add(p.wait), why
		n.pauses[peer] = p
	}
	n.mu.Unlock()
	n.end(peer, why)
}

// note keeps the cause for which a peer could not be reached; nil if it could.
func (n *Node) note(peer string, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if p := n.peers[peer]; p != nil {
		p.cause = err
	}
	if err == nil {
		delete(n.pauses, peer)
	}
}

// cause is the cause for which a peer could not be reached at the last try; nil if it could.
func (n *Node) cause(peer string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if p := n.peers[peer]; p != nil {
		return p.cause
	}
	return nil
}

// meant tells the links that wait for a first answer from a host that a caller from that host
// has refused this process's certificate.
func (n *Node) meant(host string, why error) {
	n.mu.Lock()
	var list []*Link
	for _, l := range n.links {
		if p := n.peers[l.peer]; l.opening && p != nil && p.host == host {
			list = append(list, l)
		}
	}
	n.mu.Unlock()
	for _, l := range list {
		l.doubt(&RefusedError{Likely: true, Err: why})
	}
}

// RefusedError is the error of a peer that refuses the certificate of this process.
type RefusedError struct {
	// Likely means that a caller from the peer's host refuses it, and the peer does not answer.
	Likely bool
	Err    error
}

// Error implements error.
func (e *RefusedError) Error() string {
	if e.Likely {
		return "it does not answer, and a caller from its host refuses this process: " + e.Err.Error()
	}
	return "it refuses this process: " + e.Err.Error()
}

// Unwrap returns the error of TLS.
func (e *RefusedError) Unwrap() error { return e.Err }

// refusalOf returns the error of a connection that one side has refused, and names the side;
// nil for other errors, which may pass.
func refusalOf(err error) error {
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &certificate):
		return fmt.Errorf("its certificate is refused: %w", err)
	case errors.As(err, &record):
		return fmt.Errorf("the program at this address does not speak TLS: %w", err)
	case isAlert(err):
		return &RefusedError{Err: err}
	}
	return nil
}

// isAlert reports whether a peer has ended a connection by an alert of TLS.
func isAlert(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "remote error"
}

// calling does handshakes with peers that are called.
type calling struct {
	credentials.TransportCredentials
	node *Node
}

// ClientHandshake implements credentials.TransportCredentials.
func (c *calling) ClientHandshake(ctx context.Context, peer string, conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	c.node.met(peer, conn)
	secured, info, err := c.TransportCredentials.ClientHandshake(ctx, peer, conn)
	if err != nil {
		if why := refusalOf(err); why != nil {
			c.node.refused(peer, why)
		}
		return secured, info, err
	}
	return &shown{secured, c.node, peer}, info, nil
}

// Clone implements credentials.TransportCredentials.
func (c *calling) Clone() credentials.TransportCredentials {
	return &calling{c.TransportCredentials.Clone(), c.node}
}

// met notes the host of a peer to which there is a connection.
func (n *Node) met(peer string, conn net.Conn) {
	host, _, err := net.SplitHostPort(conn.RemoteAddr().String())
	n.mu.Lock()
	defer n.mu.Unlock()
	if p := n.peers[peer]; p != nil && err == nil {
		p.host = host
	}
}

// shown is a connection on which this process has shown its certificate. In TLS 1.3 the peer
// refuses it after the handshake, by an alert.
type shown struct {
	net.Conn
	node *Node
	peer string
}

// Read implements net.Conn.
func (s *shown) Read(b []byte) (int, error) {
	n, err := s.Conn.Read(b)
	if isAlert(err) {
		s.node.refused(s.peer, refusalOf(err))
	}
	return n, err
}

// Write implements net.Conn. Where the peer has hung up, its alert is still to be read.
func (s *shown) Write(b []byte) (int, error) {
	n, err := s.Conn.Write(b)
	if err != nil {
		s.SetReadDeadline(time.Now().Add(tick))
		s.Read(make([]byte, 1))
	}
	return n, err
}
