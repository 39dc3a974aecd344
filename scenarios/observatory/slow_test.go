package observatory_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"starling/scenarios/observatory"
)

// TestSlowAskers asks much of a server without sending what was announced: others are answered.
func TestSlowAskers(t *testing.T) {
	dir, _ := folderOf(t, 0)
	s := serve(t, dir)
	base, token := tokenOf(t, s)
	host := strings.TrimPrefix(base, "http://")
	for range 8 {
		c, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprintf(c, "POST /api/check HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{", host, token)
	}
	time.Sleep(200 * time.Millisecond)
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		get[struct{ Runs []any }](t, s, "runs")
	}()
	select {
	case <-answered:
	case <-time.After(20 * time.Second):
		t.Fatal("bodies that do not come take the places of all answers")
	}
}

// pipes is a listener whose connections hold nothing: what is written waits for its reader.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if c, ok := <-p; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}
func (p pipes) Close() error   { close(p); return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// piped serves what a server answers over pipes. Each connection that the server closes is told.
func piped(t *testing.T, s *observatory.Server) (connect func() net.Conn, closed <-chan struct{}) {
	t.Helper()
	listener, told := make(pipes), make(chan struct{}, 100)
	h := &http.Server{Handler: s.Handler(), ConnState: func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			told <- struct{}{}
		}
	}}
	var group sync.WaitGroup
	group.Go(func() { h.Serve(listener) })
	t.Cleanup(func() {
		h.Close()
		group.Wait()
	})
	return func() net.Conn {
		near, far := net.Pipe()
		t.Cleanup(func() { near.Close() })
		listener <- far
		return near
	}, told
}

// TestReadersThatStandStill asks and reads nothing, of everything that the server answers: it
// closes the connections in time.
func TestReadersThatStandStill(t *testing.T) {
	dir, ids := folderOf(t, 1)
	s := serve(t, dir)
	s.SetSlowest(200 * time.Millisecond)
	base, token := tokenOf(t, s)
	connect, closed := piped(t, s)
	for _, path := range []string{
		"/api/runs", "/api/run?id=" + ids[0], "/api/figure.csv?chart=0&y=regret.expected&id=" + ids[0], "/api/events",
		"/api/nothing", "/api/run?id=nothing", "/?", "/" + token + "/main.js?",
	} {
		c := connect()
		if _, err := fmt.Fprintf(c, "GET %s&token=%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %[2]s\r\n\r\n", strings.Replace(path+"?", "??", "?", 1), token, strings.TrimPrefix(base, "http://")); err != nil {
			t.Fatal(err)
		}
		select {
		case <-closed:
		case <-time.After(10 * time.Second):
			t.Errorf("%s: the server waits for who does not read", path)
		}
	}
	if s.Busy() > 0 {
		t.Errorf("%d places are still taken", s.Busy())
	}
}

// TestManyStreams has many pages told of the changes among many runs: all share one list.
func TestManyStreams(t *testing.T) {
	const streams, runs = 200, 200
	dir, ids := folderOf(t, runs)
	s := serve(t, dir)
	base, token := tokenOf(t, s)
	if list := get[struct{ Runs []any }](t, s, "runs"); len(list.Runs) != runs {
		t.Fatalf("%d runs", len(list.Runs))
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	before := held()
	var lines []*bufio.Scanner
	for range streams {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/api/events?token="+token, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		lines = append(lines, bufio.NewScanner(answer.Body))
	}
	until := func(want string) {
		for i, l := range lines {
			for l.Scan() && !strings.Contains(l.Text(), want) {
			}
			if !strings.Contains(l.Text(), want) {
				t.Fatalf("stream %d ends before %q: %v", i, want, l.Err())
			}
		}
	}
	// A list takes about a megabyte, and a connection and its stream some tens of kilobytes, on
	// both sides.
	const most = 40 << 20
	until("event: hello")
	if after := held(); after > before+most {
		t.Errorf("%d MiB for %d streams", (after-before)>>20, streams)
	}
	if err := os.RemoveAll(filepath.Join(dir, filepath.FromSlash(ids[7]))); err != nil {
		t.Fatal(err)
	}
	until(ids[7])
	if after := held(); after > before+most {
		t.Errorf("%d MiB for %d streams after a change", (after-before)>>20, streams)
	}
}
