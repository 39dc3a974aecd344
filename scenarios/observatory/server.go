package observatory

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"syscall"
	"time"

	"starling/scenarios/observatory/views"
)

// Options are the settings of a server.
type Options struct {
	// Folder is the folder of results that the page shows.
	Folder *views.Folder
	// Bench is where scenarios are written and run; nil serves a page that changes nothing.
	Bench *Bench
	// Port is the port of the loopback to listen on; 0 chooses one.
	Port int
	// Version is the program's version, for the page. Build names the program by its content.
	Version, Build string
}

// Server is a server that listens.
type Server struct {
	options  Options
	token    string
	listener net.Listener
	watch    *watch
	// heavy limits the number of answers that are computed at a time, and looks the number of
	// answers that read a network or replay a job.
	heavy, looks places
	// kept are figures of finished runs.
	kept kept
	// slowest is the time limit for a client to read an answer.
	slowest time.Duration
}

// places limits the number of answers that are computed at a time: each takes one place.
type places chan struct{}

// mostAnswers is the number of answers that are computed at a time. mostLooks is the number of
// further ones that read a network, which can take a minute of work and a gigabyte each.
const (
	mostAnswers = 4
	mostLooks   = 2
)

// Listen opens the port. Serve answers.
func Listen(o Options) (*Server, error) {
	if o.Port < 0 || o.Port > 65535 {
		return nil, fmt.Errorf("port %d: want 0 to 65535", o.Port)
	}
	var token [16]byte
	if _, err := rand.Read(token[:]); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", o.Port))
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("port %d is taken; --port 0 takes a free one", o.Port)
	}
	if err != nil {
		return nil, err
	}
	return &Server{
		options: o, token: hex.EncodeToString(token[:]), listener: listener, watch: newWatch(o.Folder),
		heavy: make(places, mostAnswers), looks: make(places, mostLooks), slowest: slowest,
	}, nil
}

// Address returns the URL of the page, with the token.
func (s *Server) Address() string {
	return fmt.Sprintf("http://%s/?token=%s", s.listener.Addr(), s.token)
}

// Serve answers until the context is done. It returns when no answer is under way any more.
func (s *Server) Serve(ctx context.Context) error {
	server := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 1 << 16,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ErrorLog:    log.New(io.Discard, "", 0),
	}
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		// Streams of events end with ctx; answers that are being written get a moment. Idle
		// connections that a browser keeps open are cut.
		within, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		err := server.Shutdown(within)
		if errors.Is(err, context.DeadlineExceeded) {
			err = server.Close()
		}
		stopped <- err
	})
	defer stop()
	go s.watch.list() // so that the first page does not wait
	err := server.Serve(s.listener)
	if errors.Is(err, http.ErrServerClosed) {
		return <-stopped
	}
	return err
}

// Handler returns the handler of all requests, behind all refusals.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.index)
	mux.Handle("GET /"+s.token+"/", http.StripPrefix("/"+s.token+"/", pageFiles()))
	s.routes(mux)
	return s.guarded(mux)
}

// index serves the page itself.
func (s *Server) index(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	writePage(w, s.token, s.options.Version, s.options.Bench != nil)
}
