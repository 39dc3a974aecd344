package observatory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"unicode/utf8"

	"starling/scenarios/document"
	"starling/scenarios/observatory/views"
)

// errNotJSON is the error of a body that is not JSON. errReadOnly is the error of a request
// that a page without a bench must not make.
var (
	errNotJSON  = errors.New("the body is not application/json")
	errReadOnly = errors.New("starling ui was started with --read-only")
)

// writing adds the handlers of requests that write or run scenarios.
func (s *Server) writing(mux *http.ServeMux) {
	bench := s.options.Bench
	handle := func(pattern string, a answer) {
		if bench == nil {
			a = func(*http.Request, url.Values) (any, error) { return nil, errReadOnly }
		}
		mux.Handle(pattern, s.json(s.heavy, a))
	}
	handle("GET /api/sources", func(*http.Request, url.Values) (any, error) { return bench.sources() })
	handle("GET /api/schema", func(*http.Request, url.Values) (any, error) {
		text, err := bench.schema()
		return json.RawMessage(text), err
	})
	handle("GET /api/source", func(_ *http.Request, q url.Values) (any, error) {
		if id := q.Get("run"); id != "" {
			_, text, err := s.options.Folder.Scenario(id)
			return Text{Text: text}, err
		}
		return bench.source(Place(q.Get("from")), q.Get("name"))
	})
	handle("POST /api/begin", asked(func(_ *http.Request, b struct{ Name, Algorithm, Problem, File string }) (any, error) {
		return bench.begin(b.Name, b.Algorithm, b.Problem, b.File)
	}))
	handle("POST /api/check", asked(func(r *http.Request, b struct{ Text string }) (any, error) {
		return bench.check(r.Context(), b.Text)
	}))
	handle("POST /api/forecast", asked(func(r *http.Request, b struct{ Text string }) (any, error) {
		return bench.forecast(r.Context(), b.Text)
	}))
	handle("POST /api/save", asked(func(_ *http.Request, b struct{ Name, Text, Over string }) (any, error) {
		return bench.save(b.Name, b.Text, b.Over)
	}))
	handle("POST /api/tags", asked(func(_ *http.Request, b struct{ IDs, Add, Remove []string }) (any, error) {
		n, err := s.options.Folder.Retag(b.IDs, b.Add, b.Remove)
		return struct {
			Runs int `json:"runs"`
		}{n}, err
	}))
	handle("POST /api/start", asked(func(r *http.Request, b struct{ Text, ID string }) (any, error) {
		if b.ID == "" {
			return bench.start(r.Context(), b.Text)
		}
		if b.Text != "" {
			return nil, document.BadInput(errors.New("a run goes on with the text that it has"))
		}
		dir, text, err := s.options.Folder.Scenario(b.ID)
		if err != nil {
			return nil, err
		}
		return bench.again(r.Context(), dir, text)
	}))
	handle("POST /api/stop", asked(func(_ *http.Request, b struct{ ID string }) (any, error) { return bench.stop(b.ID) }))
}

// detail is a run with the actions of this page on it.
type detail struct {
	*views.Detail
	// Child is the process of the run, if this server has started it. Writes is true if the
	// server starts processes.
	Child  Child `json:"child"`
	Writes bool  `json:"writes"`
}

func (s *Server) run(id string) (any, error) {
	d, err := s.options.Folder.Detail(id)
	if err != nil || s.options.Bench == nil {
		return detail{Detail: d, Child: Child{ID: id, State: Unknown}}, err
	}
	return detail{d, s.options.Bench.child(id), true}, nil
}

// asked returns an answer that decodes the body of a request. The body has to be JSON without
// unknown keys.
func asked[B any](a func(r *http.Request, body B) (any, error)) answer {
	return func(r *http.Request, _ url.Values) (any, error) {
		if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
			return nil, errNotJSON
		}
		text, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		var body B
		if err := decode(text, &body); err != nil {
			return nil, document.BadInput(fmt.Errorf("the body of the request: %w", err))
		}
		return a(r, body)
	}
}

// decode reads JSON strictly: package json would replace bytes that are not UTF-8, and would
// ignore unknown keys.
func decode(text []byte, body any) error {
	if !utf8.Valid(text) {
		return errors.New("it is not UTF-8")
	}
	reader := json.NewDecoder(bytes.NewReader(text))
	reader.DisallowUnknownFields()
	if err := reader.Decode(body); err != nil {
		return err
	}
	if _, err := reader.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more after the object")
	}
	return nil
}

// refusalOf returns the HTTP status of a refusal of the bench; 0 of other errors.
func refusalOf(err error) int {
	for status, list := range map[int][]error{
		http.StatusNotFound:           {errNoSource},
		http.StatusForbidden:          {errNoSaving, errReadOnly},
		http.StatusConflict:           {errChanged, errBusy, errOther, errNotOurs, errMany},
		http.StatusServiceUnavailable: {errClosed},
	} {
		for _, known := range list {
			if errors.Is(err, known) {
				return status
			}
		}
	}
	return 0
}
