package remote

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/asynkron/protoactor-go/actor"
	protoremote "github.com/asynkron/protoactor-go/remote"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// filter is in front of Proto.Actor's remote: it lets frames to the actor of the links
// pass.
type filter struct {
	refusals *refusals
	system   *actor.ActorSystem
	frame    string // the name of the one type of messages that passes
}

// newFilter returns a filter in front of a system. The name of a type is not known before all types
// are declared, and so is no variable of the package.
func newFilter(refusals *refusals, system *actor.ActorSystem) *filter {
	return &filter{refusals, system, string((&Frame{}).ProtoReflect().Descriptor().FullName())}
}

// receiveMethod is the one call that is answered.
const receiveMethod = "/remote.Remoting/Receive"

// errRefused is the error for a peer that sends anything else.
var errRefused = status.Error(codes.PermissionDenied, "refused")

// refuse logs the attempt of a peer.
func (f *filter) refuse(ctx context.Context, what string) error {
	from := "unknown"
	if p, ok := peer.FromContext(ctx); ok {
		from = p.Addr.String()
	}
	f.refusals.add("refused a message", from, what)
	return errRefused
}

// unary refuses all unary calls with one answer: Proto.Actor's own handlers would crash the
// process.
func (f *filter) unary(ctx context.Context, _ any, info *grpc.UnaryServerInfo, _ grpc.UnaryHandler) (any, error) {
	return nil, f.refuse(ctx, "a call of "+info.FullMethod)
}

// stream lets the stream of messages pass, message by message.
func (f *filter) stream(server any, s grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) (err error) {
	if info.FullMethod != receiveMethod {
		return f.refuse(s.Context(), "a call of "+info.FullMethod)
	}
	defer func() {
		if cause := recover(); cause != nil {
			err = f.refuse(s.Context(), fmt.Sprintf("a message that made the reader panic: %v", cause))
		}
	}()
	return handler(server, &filtered{ServerStream: s, filter: f})
}

// filtered is a stream of which the server sees the messages that pass.
type filtered struct {
	grpc.ServerStream
	filter    *filter
	connected bool
}

// RecvMsg implements grpc.ServerStream. A message that does not pass ends the stream.
func (s *filtered) RecvMsg(into any) error {
	if err := s.ServerStream.RecvMsg(into); err != nil {
		if status.Code(err) == codes.ResourceExhausted {
			return s.filter.refuse(s.Context(), "a message that is too large: "+status.Convert(err).Message())
		}
		return err
	}
	m, ok := into.(*protoremote.RemoteMessage)
	if !ok {
		return s.filter.refuse(s.Context(), fmt.Sprintf("a message of type %T", into))
	}
	var err error
	switch kind := m.MessageType.(type) {
	case *protoremote.RemoteMessage_ConnectRequest:
		if _, ok := kind.ConnectRequest.GetConnectionType().(*protoremote.ConnectRequest_ServerConnection); !ok || s.connected {
			err = errors.New("a request to connect of another kind, or a second")
		}
		s.connected = true
	case *protoremote.RemoteMessage_MessageBatch:
		if err = s.filter.check(kind.MessageBatch); !s.connected {
			err = errors.New("messages before it has connected")
		}
	default:
		err = fmt.Errorf("a message of kind %T", kind)
	}
	if err != nil {
		return s.filter.refuse(s.Context(), err.Error())
	}
	return nil
}

// check returns the fault of a batch. It makes its targets local: the process may be called by
// another name than its own, and would pass a message to the other name on.
func (f *filter) check(batch *protoremote.MessageBatch) error {
	for _, target := range batch.Targets {
		if target.Id != receiver || target.RequestId != 0 {
			return fmt.Errorf("a message to the actor %.40q", target.Id)
		}
		target.Address = f.system.Address()
	}
	for _, e := range batch.Envelopes {
		switch {
		case e.TypeId < 0 || int(e.TypeId) >= len(batch.TypeNames):
			return errors.New("a message of no type")
		case batch.TypeNames[e.TypeId] != f.frame:
			return fmt.Errorf("a message of type %.80q", batch.TypeNames[e.TypeId])
		case e.SerializerId != 0:
			return errors.New("a message in another form")
		case e.Target < 0 || int(e.Target) >= len(batch.Targets) || e.TargetRequestId != 0:
			return errors.New("a message to nobody")
		case e.Sender != 0 || e.SenderRequestId != 0 || e.MessageHeader != nil:
			return errors.New("a message with a sender or a header")
		case proto.Unmarshal(e.MessageData, &Frame{}) != nil:
			return errors.New("a message that cannot be read")
		}
	}
	return nil
}

// watched logs callers that show no certificate of the authority, or refuse this process's.
type watched struct {
	credentials.TransportCredentials
	node *Node
}

// ServerHandshake implements credentials.TransportCredentials.
func (w *watched) ServerHandshake(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	secured, info, err := w.TransportCredentials.ServerHandshake(conn)
	if err != nil {
		from := conn.RemoteAddr().String()
		w.node.refusals.add("refused a caller", from, err.Error())
		if host, _, split := net.SplitHostPort(from); split == nil && isAlert(err) {
			w.node.meant(host, err)
		}
	}
	return secured, info, err
}

// Clone implements credentials.TransportCredentials.
func (w *watched) Clone() credentials.TransportCredentials {
	return &watched{w.TransportCredentials.Clone(), w.node}
}

// follow notes the causes of failed calls to a peer, which Proto.Actor does not report.
func (n *Node) follow(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, streamer grpc.Streamer, options ...grpc.CallOption) (grpc.ClientStream, error) {
	s, err := streamer(ctx, desc, conn, method, options...)
	n.note(conn.Target(), reasonOf(err))
	if err != nil {
		return nil, err
	}
	return &followed{s, n, conn.Target()}, nil
}

type followed struct {
	grpc.ClientStream
	node *Node
	peer string
}

// RecvMsg implements grpc.ClientStream.
func (f *followed) RecvMsg(into any) error {
	err := f.ClientStream.RecvMsg(into)
	f.node.note(f.peer, reasonOf(err))
	return err
}

// reasonOf is an error of gRPC without its frame.
func reasonOf(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(status.Convert(err).Message())
}
