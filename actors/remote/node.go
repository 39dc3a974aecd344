package remote

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/eventstream"
	protoremote "github.com/asynkron/protoactor-go/remote"
	"github.com/rs/zerolog"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
)

// Options are the settings of a node.
type Options struct {
	// Listen is the one address at which the node hears, HOST:PORT; the system chooses the
	// port 0.
	Listen string
	// Identity is the identity that the node shows, and that it checks peers by.
	Identity *Identity
	// Silence is the time after which a link of which nothing was heard has failed; 0 is 30
	// seconds.
	Silence time.Duration
	// Largest is how many bytes a message that comes in may have; 0 is 1 GiB.
	Largest int
	// Accept gets each link that a peer opens, on a goroutine of its own. A node without it
	// takes none.
	Accept func(*Link)
	// Log gets refused callers, and the reasons.
	Log zerolog.Logger

	copies func(*Frame) int // how many copies of a frame are sent; nil is one of each
}

const (
	usualSilence = 30 * time.Second
	usualLargest = 1 << 30
	// receiver is the name of the one actor that frames reach.
	receiver = "links"
	// mostLinks is how many links of others a node accepts, and mostAddresses how many
	// addresses of peers it calls, so that a peer cannot use up memory.
	mostLinks, mostAddresses = 16, 64
	// framesInBatch is the most frames of a batch. gRPC loses a batch that is larger than the
	// receiver takes, and so many frames together are well below that.
	framesInBatch = 8
	mostReceived  = 2 * framesInBatch * mostPart
	// queued is how many frames wait for a peer before its queue grows. Proto.Actor's
	// remote would make room for a million at once, 16 MB for each peer.
	queued = 64
	// connecting is how long a connection may take to be made, and checking how often it is
	// checked.
	connecting, checking = 5 * time.Second, 10 * time.Second
)

// Node is a process's end of all its links. It is safe for concurrent use.
type Node struct {
	options Options
	// address is the address at which peers call the node.
	address      string
	system       *actor.ActorSystem
	remote       *protoremote.Remote
	receiver     *actor.PID
	subscription *eventstream.Subscription
	group        sync.WaitGroup // goroutines of links, and of peers that have none left
	closing      chan struct{}  // closed with the node
	refusals     *refusals
	once         sync.Once // for Close

	mu     sync.Mutex
	closed bool               // guarded by mu
	links  map[string]*Link   // guarded by mu: by name
	ended  map[string]bool    // guarded by mu: names of links that are over
	peers  map[string]*called // guarded by mu: the called ones, by address
	pauses map[string]pause   // guarded by mu: peers that are not called for a while, by address
}

// Start starts a node. Close it.
func Start(options Options) (n *Node, err error) {
	host, text, err := SplitAddress(options.Listen)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("the port %q is no number up to 65535", text)
	}
	if err := options.Identity.checkHost(host); err != nil {
		return nil, err
	}
	if options.Silence == 0 {
		options.Silence = usualSilence
	}
	if options.Largest == 0 {
		options.Largest = usualLargest
	}
	n = &Node{options: options, links: map[string]*Link{}, ended: map[string]bool{}, peers: map[string]*called{}, pauses: map[string]pause{}, closing: make(chan struct{}), refusals: newRefusals(options.Log)}
	n.system = actor.NewActorSystem(
		// Links themselves log the state of connections, in place of Proto.Actor.
		actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return slog.New(slog.DiscardHandler) }),
		actor.WithDeadLetterThrottleInterval(time.Millisecond),
	)
	defer func() {
		// Proto.Actor's remote panics where it cannot listen.
		if cause := recover(); cause != nil {
			n.system.Shutdown()
			n, err = nil, fmt.Errorf("%s: %v", options.Listen, cause)
		}
	}()
	n.listen(host, int(port))
	return n, nil
}

// listen starts the node's actor and the server in front of it.
func (n *Node) listen(host string, port int) {
	if net.ParseIP(host) != nil {
		host = hostOf(host)
	}
	filter := newFilter(n.refusals, n.system)
	config := protoremote.Configure(host, port,
		protoremote.WithServerOptions(
			grpc.Creds(&watched{credentials.NewTLS(n.options.Identity.hearing()), n}),
			grpc.StreamInterceptor(filter.stream), grpc.UnaryInterceptor(filter.unary),
			grpc.MaxRecvMsgSize(mostReceived), grpc.MaxConcurrentStreams(4), grpc.ConnectionTimeout(connecting),
			grpc.KeepaliveParams(keepalive.ServerParameters{Time: checking, Timeout: checking}),
			grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: checking / 2, PermitWithoutStream: true}),
		),
		protoremote.WithDialOptions(
			grpc.WithTransportCredentials(&calling{credentials.NewTLS(n.options.Identity.calling()), n}),
			grpc.WithNoProxy(), grpc.WithContextDialer(n.dial), grpc.WithStreamInterceptor(n.follow),
			grpc.WithConnectParams(grpc.ConnectParams{Backoff: reconnecting, MinConnectTimeout: connecting}),
			grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: checking, Timeout: checking, PermitWithoutStream: true}),
		),
		protoremote.WithEndpointWriterBatchSize(framesInBatch), protoremote.WithEndpointWriterQueueSize(queued),
		protoremote.WithEndpointManagerBatchSize(framesInBatch), protoremote.WithEndpointManagerQueueSize(queued),
	)
	config.MaxRetryCount = 1 // links try again
	n.remote = protoremote.NewRemote(n.system, config)
	n.subscription = n.system.EventStream.Subscribe(n.observe)
	var err error
	n.receiver, err = n.system.Root.SpawnNamed(actor.PropsFromFunc(n.receive), receiver)
	if err != nil {
		panic(err)
	}
	n.remote.Start()
	_, chosen, err := net.SplitHostPort(n.system.Address())
	if err != nil {
		panic(err)
	}
	n.address = host + ":" + chosen
}

// hostOf is the number of a host in the form before a port.
func hostOf(host string) string {
	if ip := net.ParseIP(host); ip != nil && ip.To4() == nil {
		return "[" + host + "]"
	}
	return host
}

// Address is the address at which the node hears, with the port that the system has chosen.
func (n *Node) Address() string { return n.address }

// Open opens a link to the node at an address. It returns when that node has answered, or with
// the cause why it has not.
func (n *Node) Open(ctx context.Context, address string) (*Link, error) {
	host, _, err := SplitAddress(address)
	if err != nil {
		return nil, err
	}
	if err := n.options.Identity.checkHost(host); err != nil {
		return nil, err
	}
	var name [16]byte
	rand.Read(name[:])
	l := newLink(n, string(name[:]), address)
	l.opening = true
	if err := n.add(l); err != nil {
		return nil, err
	}
	l.ping()
	select {
	case <-l.answered:
		return l, nil
	case <-l.Done():
		return nil, l.Err()
	case <-ctx.Done():
		why := context.Cause(ctx)
		if cause := n.cause(address); cause != nil {
			why = fmt.Errorf("%w: %w", why, cause)
		}
		l.fail(why)
		return nil, why
	}
}

// add takes a link up, unless the node is closed or has too many.
func (n *Node) add(l *Link) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return errors.New("the node is closed")
	}
	if _, known := n.peers[l.peer]; !known && len(n.peers) >= mostAddresses {
		return fmt.Errorf("%d other processes have been called already", len(n.peers))
	}
	n.call(l.peer)
	n.links[l.name] = l
	n.group.Go(l.watch)
	return nil
}

// call takes a peer up that is going to be called; n.mu is held.
func (n *Node) call(peer string) {
	if n.peers[peer] == nil {
		n.peers[peer] = &called{}
	}
}

// forget drops a link that is over, and remembers that it was there: a frame of it that
// comes late must not open it anew.
func (n *Node) forget(l *Link) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.ended) >= 1024 {
		clear(n.ended)
	}
	delete(n.links, l.name)
	n.ended[l.name] = true
	n.release(l.peer)
}

// release hangs up on a peer to which no link is left, when the last frame has had time to
// arrive; n.mu is held.
func (n *Node) release(peer string) {
	if n.closed {
		return
	}
	n.group.Go(func() {
		select {
		case <-time.After(2 * farewell):
		case <-n.closing:
			return
		}
		if len(n.linksTo(peer)) > 0 {
			return
		}
		n.mu.Lock()
		delete(n.peers, peer)
		n.mu.Unlock()
		n.hangUp(peer)
	})
}

// hangUp ends the connection to a peer, if there is one.
func (n *Node) hangUp(peer string) {
	n.system.EventStream.Publish(&protoremote.EndpointTerminatedEvent{Address: peer})
}

// receive is the node's one actor. It does not block.
func (n *Node) receive(c actor.Context) {
	frame, ok := c.Message().(*Frame)
	if !ok || len(frame.Link) != 16 {
		return
	}
	n.mu.Lock()
	l, over := n.links[string(frame.Link)], n.ended[string(frame.Link)]
	n.mu.Unlock()
	if l == nil {
		if l = n.meet(frame, over); l == nil {
			return
		}
	}
	l.take(frame)
}

// meet accepts a link that a peer opens, or tells the peer that there is none.
func (n *Node) meet(frame *Frame, over bool) *Link {
	host, _, err := SplitAddress(frame.Reply)
	if err == nil {
		err = n.options.Identity.checkHost(host)
	}
	l := newLink(n, string(frame.Link), frame.Reply)
	accept := n.options.Accept
	if err == nil && frame.Open && !over && accept != nil {
		n.mu.Lock()
		many := len(n.links) >= mostLinks
		n.mu.Unlock()
		if many {
			err = fmt.Errorf("there are %d links", mostLinks)
		} else if err = n.add(l); err == nil {
			go accept(l)
			return l
		}
	}
	if err != nil {
		n.refusals.add("refused a link", frame.Reply, err.Error())
		return nil
	}
	if frame.Closed {
		return nil // both sides know that it is over
	}
	n.mu.Lock()
	_, known := n.peers[l.peer]
	if known = known || len(n.peers) < mostAddresses; known {
		n.call(l.peer)
		n.release(l.peer)
	}
	n.mu.Unlock()
	if known {
		n.send(l.peer, &Frame{Link: frame.Link, Reply: n.address, Closed: true, Reason: []byte("the process there knows nothing of this link: it has begun anew")})
	}
	return nil
}

// send hands a frame to Proto.Actor, which may lose it. The frame is not changed any more.
func (n *Node) send(peer string, frame *Frame) {
	n.mu.Lock()
	defer n.mu.Unlock()
	copies := 1
	if n.options.copies != nil {
		copies = n.options.copies(frame)
	}
	for range copies {
		if !n.closed { // or Proto.Actor would panic
			n.system.Root.Send(actor.NewPID(peer, receiver), frame)
		}
	}
}

// observe hears of connections that have ended: parts on their way are sent again.
func (n *Node) observe(event any) {
	ended, ok := event.(*protoremote.EndpointTerminatedEvent)
	if !ok {
		return
	}
	go func() { // Proto.Actor waits for observers
		for _, l := range n.linksTo(ended.Address) {
			l.broken()
		}
	}()
}

func (n *Node) linksTo(address string) (list []*Link) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, l := range n.links {
		if l.peer == address {
			list = append(list, l)
		}
	}
	return list
}

// Close closes all links, telling the peers, and stops hearing. It returns when all has
// stopped. To close a node again does nothing.
func (n *Node) Close() { n.once.Do(n.close) }

func (n *Node) close() {
	n.mu.Lock()
	var links []*Link
	for _, l := range n.links {
		links = append(links, l)
	}
	n.mu.Unlock()
	for _, l := range links {
		l.Close("the process ends")
	}
	n.mu.Lock()
	n.closed = true
	peers := slices.Collect(maps.Keys(n.peers))
	close(n.closing)
	n.mu.Unlock()
	n.group.Wait()
	n.system.EventStream.Unsubscribe(n.subscription)
	for _, peer := range peers {
		n.hangUp(peer)
	}
	// Proto.Actor's own way to end waits for connections that others hold open, and its
	// reader and its manager can panic on each other's channels.
	n.remote.Shutdown(false)
	for _, name := range []string{receiver, "activator", "EndpointSupervisor"} {
		n.system.Root.StopFuture(n.system.NewLocalPID(name)).Wait()
	}
	n.system.Shutdown()
	n.refusals.close()
}
