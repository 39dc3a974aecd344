// Package server is the HTTP side of the local page: access, requests, and events while a page
// is open.
//
// # Access
//
// The server listens on 127.0.0.1 alone. Every request is refused that does not come from
// the page which it printed the address of:
//
//	another Host           403   a name that leads here, by DNS rebinding
//	another Origin         403   another page, in the same browser
//	no token, another      401   another user or process of the machine
//	a body above 1 MiB     413
//	another method         405
//
// The token is 128 bits of the system's randomness, new with each start. It is in the address
// that is printed, and in no cookie: cookies of 127.0.0.1 go to every port. Files that the
// page loads have it in the path. Requests for data have it in the header Authorization or,
// for events and files, in the query.
//
// # Requests
//
// Everything below /api/ answers JSON, and errors are {"error": text}, with the lines of a
// scenario in issues. ID is the path of a run in the folder; the other names in capitals are
// types of package views.
//
//	GET  /api/runs                                   all runs                 {folder, version, runs: [Entry]}
//	GET  /api/search?q=TEXT                          those that a text means  {ids: [ID]}
//	GET  /api/run?id=ID                              one run                  Detail
//	GET  /api/values?id=ID                           its last values          Values
//	GET  /api/figure?id=ID&y=METRIC&...              its charts               Figure
//	GET  /api/figure.FORMAT?id=ID&y=METRIC&...       svg, png, pdf, csv, py or yaml
//	GET  /api/privacy?id=ID&observer=NAME&unit=N     its ledger               Privacy
//	GET  /api/compare?first=ID&second=ID&...         two runs or arms         Comparison
//	GET  /api/overlay?id=ID&id=ID&y=METRIC&...       one chart of several     Figure
//	GET  /api/network?id=ID&arm=ARM&seed=N&step=N    the graph of a step      Network
//	GET  /api/mixing?id=ID&arm=ARM&seed=N&step=N     how it mixes             view.NetworkDescription
//	GET  /api/course?id=ID&arm=ARM&seed=N            degree and mixing        Course
//	GET  /api/traffic?id=ID&arm=ARM&seed=N&step=N    messages of a step       Traffic
//	GET  /api/replay?id=ID&arm=ARM&seed=N&node=N&from=N&to=N   a node's turns  Replay
//	GET  /api/events                                 server-sent events: runs {changed: [Entry], gone: [ID]}
//
// The requests that write are answered by package workbench. Their bodies are JSON, and a key
// that is not known, a text that is not UTF-8, and another type of contents are refused. A
// text with faults is no error: they are in the answer, as issues.
//
//	GET  /api/sources                                texts to begin from                  Sources
//	GET  /api/source?from=PLACE&name=NAME            one of them, or ?run=ID of a run     Text
//	GET  /api/schema                                 the JSON Schema of scenarios
//	POST /api/begin     {name, algorithm, problem, file}   a new text                     Text
//	POST /api/check     {text}                       its faults                           Checked
//	POST /api/forecast  {text}                       the cost of a run                    Forecast
//	POST /api/save      {name, text, over}           a file is written                    Text
//	POST /api/start     {text} or {id}               a run begins, or goes on             Started
//	POST /api/stop      {id}                         a run is interrupted                 Child
//
// A figure is requested with y, x, by, facet, hue, dash, band, arm (repeatable), at, per_step,
// log_x and log_y, as 'starling plot' has them.
//
// The server never writes into the folder of a run, and reads no run outside the folder that
// it was started for; runs that it starts are processes of their own.
package server

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
	"time"

	"starling/scenarios/observatory/page"
	"starling/scenarios/observatory/views"
	"starling/scenarios/observatory/workbench"
)

// Options are the settings of a server.
type Options struct {
	// Folder is the folder of results that the page shows.
	Folder *views.Folder
	// Bench is where scenarios are written and run; nil serves a page that changes nothing.
	Bench *workbench.Bench
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
	mux.Handle("GET /"+s.token+"/", http.StripPrefix("/"+s.token+"/", page.Files()))
	s.routes(mux)
	return s.guarded(mux)
}

// index serves the page itself.
func (s *Server) index(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	page.Write(w, s.token, s.options.Version, s.options.Bench != nil)
}
