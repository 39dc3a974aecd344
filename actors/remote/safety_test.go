package remote_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	protoremote "github.com/asynkron/protoactor-go/remote"
	"github.com/rs/zerolog"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"

	"starling/actors/remote"
)

// journal is a log that many write to and a test reads.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

// wait waits until the log says something.
func (j *journal) wait(t *testing.T, want string) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		j.mu.Lock()
		said := strings.Contains(j.text.String(), want)
		j.mu.Unlock()
		if said {
			return
		}
	}
	t.Errorf("the log does not say %q:\n%s", want, j.text.String())
}

// laboratory is an authority with certificates of hosts.
func laboratory(t *testing.T, hosts ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "lab")
	if _, err := remote.Found(dir, hosts); err != nil {
		t.Fatal(err)
	}
	return dir
}

func identityOf(t *testing.T, dir, host string) *remote.Identity {
	t.Helper()
	identity, err := remote.ReadIdentity(filepath.Join(dir, host+".crt"), filepath.Join(dir, host+".key"), filepath.Join(dir, remote.AuthorityCertificate))
	if err != nil {
		t.Fatal(err)
	}
	return identity
}

func TestCertificates(t *testing.T) {
	lab := laboratory(t, "127.0.0.1", "elsewhere.example")
	expire(t, lab, "127.0.0.1", "expired")
	other := laboratory(t, "127.0.0.1")
	for _, test := range []struct {
		name         string
		worker, call *remote.Identity
		said, logged string
	}{
		{"right", identityOf(t, lab, "127.0.0.1"), identityOf(t, lab, "127.0.0.1"), "", ""},
		{"wrong name", identityOf(t, lab, "elsewhere.example"), identityOf(t, lab, "127.0.0.1"), "doesn't contain any IP SANs", "bad certificate"},
		{"wrong authority", identityOf(t, other, "127.0.0.1"), identityOf(t, lab, "127.0.0.1"), "unknown authority", "bad certificate"},
		{"expired", identityOf(t, lab, "expired"), identityOf(t, lab, "127.0.0.1"), "expired", "bad certificate"},
		{"caller expired", identityOf(t, lab, "127.0.0.1"), identityOf(t, lab, "expired"), "", "expired"},
		{"caller of another secret", identityOf(t, lab, "127.0.0.1"), shared(t), "unknown authority", "bad certificate"},
	} {
		t.Run(test.name, func(t *testing.T) {
			log := &journal{}
			worker := start(t, remote.Options{Identity: test.worker, Accept: echo, Log: zerolog.New(log)})
			caller := start(t, remote.Options{Identity: test.call, Silence: time.Second})
			l, err := caller.Open(t.Context(), worker.Address())
			if test.logged == "" {
				if err != nil {
					t.Fatal(err)
				}
				exchange(t, l, drawn(10))
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.said) {
				t.Errorf("%v, want an error that says %q", err, test.said)
			}
			log.wait(t, test.logged)
		})
	}
}

// expire makes a certificate of a host that has expired.
func expire(t *testing.T, dir, host, name string) {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, remote.AuthorityCertificate), filepath.Join(dir, remote.AuthorityKey))
	if err != nil {
		t.Fatal(err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(7), NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(-time.Hour), IPAddresses: []net.IP{net.ParseIP(host)},
	}, pair.Leaf, key.Public(), pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{name + ".crt": {Type: "CERTIFICATE", Bytes: der}, name + ".key": {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(filepath.Join(dir, file), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFound(t *testing.T) {
	dir := laboratory(t, "a.example", "192.0.2.7")
	for _, name := range []string{remote.AuthorityKey, "a.example.key", "192.0.2.7.key"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	before, err := os.ReadFile(filepath.Join(dir, "a.example.crt"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := remote.Found(dir, []string{"b.example", "a.example"}); err == nil || !strings.Contains(err.Error(), "is not overwritten") {
		t.Errorf("a host that is there: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "b.example.crt")); err == nil {
		t.Error("what is refused is done in part")
	}
	if after, _ := os.ReadFile(filepath.Join(dir, "a.example.crt")); !bytes.Equal(before, after) {
		t.Error("a certificate was overwritten")
	}
	// A host that is added is of the same authority.
	if _, err := remote.Found(dir, []string{"127.0.0.1"}); err != nil {
		t.Fatal(err)
	}
	identityOf(t, dir, "127.0.0.1")
	for _, host := range []string{"", "../x", "a b", "-a", "a/b", "*.example"} {
		if _, err := remote.Found(dir, []string{host}); err == nil {
			t.Errorf("the host %q is taken", host)
		}
	}
	if _, err := remote.SharedIdentity("short"); err == nil {
		t.Error("a short secret is taken")
	}
}

// stranger calls a node as a peer does that has a certificate and keeps to no rule.
func stranger(t *testing.T, dir, address string) *grpc.ClientConn {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "127.0.0.1.crt"), filepath.Join(dir, "127.0.0.1.key"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, remote.AuthorityCertificate))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: pool})))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func connectRequest() *protoremote.RemoteMessage {
	return &protoremote.RemoteMessage{MessageType: &protoremote.RemoteMessage_ConnectRequest{ConnectRequest: &protoremote.ConnectRequest{
		ConnectionType: &protoremote.ConnectRequest_ServerConnection{ServerConnection: &protoremote.ServerConnection{SystemId: "x", Address: "127.0.0.1:1"}},
	}}}
}

// batch is one message to an actor, as Proto.Actor's remote sends it.
func batch(target, kind string, m proto.Message, change func(*protoremote.MessageBatch)) *protoremote.RemoteMessage {
	data, err := proto.Marshal(m)
	if err != nil {
		panic(err)
	}
	b := &protoremote.MessageBatch{
		TypeNames: []string{kind}, Targets: []*actor.PID{{Address: "127.0.0.1:1", Id: target}},
		Envelopes: []*protoremote.MessageEnvelope{{MessageData: data}},
	}
	if change != nil {
		change(b)
	}
	return &protoremote.RemoteMessage{MessageType: &protoremote.RemoteMessage_MessageBatch{MessageBatch: b}}
}

// nameOf is the name of a message's type.
func nameOf(m proto.Message) string { return string(proto.MessageName(m)) }

// A peer with a certificate cannot spawn, stop, watch or crash anything: what it sends ends
// its connection and is logged, and links go on.
func TestWhatPeersMayNotSend(t *testing.T) {
	lab := laboratory(t, "127.0.0.1")
	log := &journal{}
	worker := start(t, remote.Options{Identity: identityOf(t, lab, "127.0.0.1"), Accept: echo, Log: zerolog.New(log)})
	l := open(t, start(t, remote.Options{Identity: identityOf(t, lab, "127.0.0.1")}), worker.Address())
	frame := &remote.Frame{}
	frames := nameOf(frame)
	connect := connectRequest()
	spawn := &protoremote.ActorPidRequest{Name: "x", Kind: "y"}
	for name, test := range map[string]struct {
		messages []*protoremote.RemoteMessage
		logged   string
	}{
		"unknown type":      {[]*protoremote.RemoteMessage{connect, batch("links", "no.such.Type", frame, nil)}, `no.such.Type`},
		"spawn":             {[]*protoremote.RemoteMessage{connect, batch("activator", nameOf(spawn), spawn, nil)}, `to the actor \"activator\"`},
		"spawn by links":    {[]*protoremote.RemoteMessage{connect, batch("links", nameOf(spawn), spawn, nil)}, nameOf(spawn)},
		"stop":              {[]*protoremote.RemoteMessage{connect, batch("links", nameOf(&actor.Stop{}), &actor.Stop{}, nil)}, nameOf(&actor.Stop{})},
		"poison":            {[]*protoremote.RemoteMessage{connect, batch("links", nameOf(&actor.PoisonPill{}), &actor.PoisonPill{}, nil)}, nameOf(&actor.PoisonPill{})},
		"watch":             {[]*protoremote.RemoteMessage{connect, batch("links", nameOf(&actor.Watch{}), &actor.Watch{}, nil)}, nameOf(&actor.Watch{})},
		"terminated":        {[]*protoremote.RemoteMessage{connect, batch("links", nameOf(&actor.Terminated{}), &actor.Terminated{}, nil)}, nameOf(&actor.Terminated{})},
		"another actor":     {[]*protoremote.RemoteMessage{connect, batch("EndpointSupervisor", frames, frame, nil)}, "EndpointSupervisor"},
		"before connecting": {[]*protoremote.RemoteMessage{batch("links", frames, frame, nil)}, "before it has connected"},
		"connecting twice":  {[]*protoremote.RemoteMessage{connect, connect}, "a second"},
		"disconnecting":     {[]*protoremote.RemoteMessage{connect, {MessageType: &protoremote.RemoteMessage_DisconnectRequest{DisconnectRequest: &protoremote.DisconnectRequest{}}}}, "DisconnectRequest"},
		"client connection": {[]*protoremote.RemoteMessage{{MessageType: &protoremote.RemoteMessage_ConnectRequest{ConnectRequest: &protoremote.ConnectRequest{}}}}, "another kind"},
		"nothing":           {[]*protoremote.RemoteMessage{{}}, "of kind"},
		"no type": {[]*protoremote.RemoteMessage{connect, batch("links", frames, frame, func(b *protoremote.MessageBatch) {
			b.Envelopes[0].TypeId = 9
		})}, "no type"},
		"negative type": {[]*protoremote.RemoteMessage{connect, batch("links", frames, frame, func(b *protoremote.MessageBatch) {
			b.Envelopes[0].TypeId = -1
		})}, "no type"},
		"no target": {[]*protoremote.RemoteMessage{connect, batch("links", frames, frame, func(b *protoremote.MessageBatch) {
			b.Envelopes[0].Target = 9
		})}, "nobody"},
		"no sender": {[]*protoremote.RemoteMessage{connect, batch("links", frames, frame, func(b *protoremote.MessageBatch) {
			b.Envelopes[0].Sender = 9
		})}, "with a sender"},
		"as JSON": {[]*protoremote.RemoteMessage{connect, batch("links", frames, frame, func(b *protoremote.MessageBatch) {
			b.Envelopes[0].SerializerId = 1
		})}, "another form"},
		"too large": {[]*protoremote.RemoteMessage{connect, batch("links", frames, frame, func(b *protoremote.MessageBatch) {
			b.Envelopes[0].MessageData = make([]byte, 64<<20)
		})}, "too large: grpc: received message larger than max"},
		"garbage": {[]*protoremote.RemoteMessage{connect, batch("links", frames, frame, func(b *protoremote.MessageBatch) {
			b.Envelopes[0].MessageData = []byte{0xff, 0xff}
		})}, "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			stream, err := protoremote.NewRemotingClient(stranger(t, lab, worker.Address())).Receive(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range test.messages {
				stream.Send(m)
			}
			for err == nil {
				_, err = stream.Recv()
			}
			// What is too large gRPC refuses itself.
			if !strings.Contains(err.Error(), "refused") && !strings.Contains(err.Error(), "larger than max") {
				t.Errorf("the peer is told %v", err)
			}
			log.wait(t, test.logged)
		})
	}
	// Frames that are well formed and mean nothing do nothing.
	stream, err := protoremote.NewRemotingClient(stranger(t, lab, worker.Address())).Receive(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stream.Send(connect)
	for _, f := range []*remote.Frame{{}, {Link: make([]byte, 16)}, {Link: make([]byte, 16), Open: true, Reply: "nonsense"}, {Link: make([]byte, 16), Open: true, Reply: "0.0.0.0:1"}} {
		stream.Send(batch("links", frames, f, nil))
	}
	log.wait(t, "every address of a machine")
	exchange(t, l, drawn(100))
}

// Calls that would crash Proto.Actor's remote get a refusal.
func TestOtherCalls(t *testing.T) {
	lab := laboratory(t, "127.0.0.1")
	log := &journal{}
	worker := start(t, remote.Options{Identity: identityOf(t, lab, "127.0.0.1"), Accept: echo, Log: zerolog.New(log)})
	client := protoremote.NewRemotingClient(stranger(t, lab, worker.Address()))
	if _, err := client.ListProcesses(t.Context(), &protoremote.ListProcessesRequest{}); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("a list of processes: %v", err)
	}
	if _, err := client.GetProcessDiagnostics(t.Context(), &protoremote.GetProcessDiagnosticsRequest{}); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("diagnostics: %v", err)
	}
	log.wait(t, "ListProcesses")
	log.wait(t, "GetProcessDiagnostics")
	exchange(t, open(t, start(t, remote.Options{Identity: identityOf(t, lab, "127.0.0.1")}), worker.Address()), drawn(100))
}

// Callers without a certificate, with bytes that mean nothing, and with nothing to say get
// nothing, and links go on.
func TestCallersWithoutCertificates(t *testing.T) {
	lab := laboratory(t, "127.0.0.1")
	log := &journal{}
	worker := start(t, remote.Options{Identity: identityOf(t, lab, "127.0.0.1"), Accept: echo, Log: zerolog.New(log)})
	l := open(t, start(t, remote.Options{Identity: identityOf(t, lab, "127.0.0.1")}), worker.Address())
	half, err := net.Dial("tcp", worker.Address()) // is silent until it is hung up on
	if err != nil {
		t.Fatal(err)
	}
	defer half.Close()
	for _, text := range []string{"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", strings.Repeat("\x00\xff", 10000)} {
		conn, err := net.Dial("tcp", worker.Address())
		if err != nil {
			t.Fatal(err)
		}
		conn.Write([]byte(text))
		conn.SetReadDeadline(time.Now().Add(20 * time.Second))
		answer := make([]byte, 1000)
		total := 0
		for {
			n, err := conn.Read(answer[total:])
			if total += n; err != nil {
				break
			}
		}
		if bytes.Contains(answer[:total], []byte("HTTP/1.1 200")) || total > 100 {
			t.Errorf("%.20q gets %q", text, answer[:total])
		}
		conn.Close()
	}
	log.wait(t, "first record does not look like a TLS handshake")
	for name, c := range map[string]credentials.TransportCredentials{
		"plain":          insecure.NewCredentials(),
		"no certificate": credentials.NewTLS(&tls.Config{InsecureSkipVerify: true}),
	} {
		conn, err := grpc.NewClient(worker.Address(), grpc.WithTransportCredentials(c))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		stream, err := protoremote.NewRemotingClient(conn).Receive(ctx)
		if err == nil {
			stream.Send(connectRequest())
			_, err = stream.Recv()
		}
		if err == nil {
			t.Errorf("a caller with %s is answered", name)
		}
		cancel()
		conn.Close()
	}
	log.wait(t, "client didn't provide a certificate")
	half.SetReadDeadline(time.Now().Add(20 * time.Second))
	if _, err := half.Read(make([]byte, 1)); err == nil || strings.Contains(err.Error(), "timeout") {
		t.Errorf("a caller that says nothing is still there: %v", err)
	}
	exchange(t, l, drawn(100))
}
