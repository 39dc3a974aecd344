package observatory

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"starling/scenarios/document"
	"starling/scenarios/observatory/views"
	"starling/scenarios/results"
	"starling/scenarios/study"
	"starling/scenarios/view"
)

// answer computes the answer to a request.
type answer func(r *http.Request, q url.Values) (any, error)

// routes adds the handlers of requests that read. See the package comment.
func (s *Server) routes(mux *http.ServeMux) {
	folder := s.options.Folder
	get := func(name string, a answer) { mux.Handle("GET /api/"+name, s.json(s.heavy, a)) }
	get("runs", func(*http.Request, url.Values) (any, error) {
		list, err := s.watch.list()
		return struct {
			Folder  string        `json:"folder"`
			Version string        `json:"version"`
			Runs    []views.Entry `json:"runs"`
		}{folder.Dir(), s.options.Version, views.Listed(list)}, err
	})
	get("search", func(_ *http.Request, q url.Values) (any, error) { return folder.Search(q.Get("q")) })
	get("headlines", func(_ *http.Request, q url.Values) (any, error) {
		list, err := folder.Headlines(q["id"])
		return struct {
			Headlines map[string]*view.Headline    `json:"headlines"`
			Labels    map[string]map[string]string `json:"labels"`
		}{list, folder.HeadlineLabels(list)}, err
	})
	get("intervals", func(_ *http.Request, q url.Values) (any, error) {
		found, err := folder.Intervals(q.Get("id"))
		return struct {
			Intervals *view.Intervals `json:"intervals"`
		}{found}, err
	})
	get("run", func(_ *http.Request, q url.Values) (any, error) { return s.run(q.Get("id")) })
	get("values", func(_ *http.Request, q url.Values) (any, error) { return folder.Values(q.Get("id")) })
	mux.Handle("GET /api/figure", s.keeping(s.json(s.heavy, func(_ *http.Request, q url.Values) (any, error) {
		query, err := queryOf(q)
		if err != nil {
			return nil, err
		}
		return folder.Figure(q.Get("id"), query)
	})))
	get("names", func(_ *http.Request, q url.Values) (any, error) { return folder.Names(q["id"]) })
	get("points", func(_ *http.Request, q url.Values) (any, error) { return folder.Points(q["id"], q.Get("y")) })
	get("overlay", func(_ *http.Request, q url.Values) (any, error) {
		query, err := queryOf(q)
		if err != nil {
			return nil, err
		}
		query.Numbers = true // the page has no file of it to show
		return folder.Overlay(q["id"], query)
	})
	get("privacy", func(_ *http.Request, q url.Values) (any, error) {
		unit, err := unitOf(q)
		if err != nil {
			return nil, err
		}
		return folder.Privacy(q.Get("id"), q.Get("observer"), unit)
	})
	get("compare", func(_ *http.Request, q url.Values) (any, error) {
		first := views.Side{ID: q.Get("first"), Arm: q.Get("first_arm")}
		second := views.Side{ID: q.Get("second"), Arm: q.Get("second_arm")}
		return folder.Compare(first, second, q.Get("different_problems") == "true")
	})
	get("against", func(_ *http.Request, q url.Values) (any, error) {
		var step int64
		if text := q.Get("step"); text != "" {
			var err error
			if step, err = strconv.ParseInt(text, 10, 64); err != nil {
				return nil, document.BadInput(fmt.Errorf("step %q: want a number", text))
			}
		}
		return folder.Against(views.AgainstQuery{
			Step: step, IDs: q["run"], Baseline: views.Side{ID: q.Get("baseline"), Arm: q.Get("arm")}, Metric: q.Get("metric"),
			Condition: q.Get("condition"), AnyCondition: q.Get("any_condition") == "true",
			All: q.Get("all") == "true", Across: q.Get("different_problems") == "true",
		})
	})
	moment := func(name string, at places, a func(context.Context, url.Values, views.Moment) (any, error)) {
		mux.Handle("GET /api/"+name, s.json(at, func(r *http.Request, q url.Values) (any, error) {
			m, err := momentOf(q)
			if err != nil {
				return nil, err
			}
			return a(r.Context(), q, m)
		}))
	}
	moment("network", s.heavy, func(ctx context.Context, q url.Values, m views.Moment) (any, error) {
		return folder.Network(ctx, q.Get("id"), m)
	})
	get("log", func(_ *http.Request, q url.Values) (any, error) { return folder.Log(q.Get("id")) })
	get("opening", func(r *http.Request, q url.Values) (any, error) { return folder.Opening(r.Context(), q.Get("id")) })
	moment("nodevalues", s.heavy, func(_ context.Context, q url.Values, m views.Moment) (any, error) {
		return folder.NodeValues(q.Get("id"), m, q.Get("of"), q.Get("to"))
	})
	moment("exposure", s.heavy, func(_ context.Context, q url.Values, m views.Moment) (any, error) {
		node, err := strconv.ParseInt(q.Get("node"), 10, 32)
		if err != nil {
			return nil, document.BadInput(fmt.Errorf("node %q: want a number", q.Get("node")))
		}
		return folder.Exposure(q.Get("id"), m, int32(node))
	})
	moment("mixing", s.looks, func(ctx context.Context, q url.Values, m views.Moment) (any, error) {
		return folder.Mixing(ctx, q.Get("id"), m)
	})
	moment("course", s.looks, func(ctx context.Context, q url.Values, m views.Moment) (any, error) {
		return folder.Course(ctx, q.Get("id"), m)
	})
	moment("traffic", s.looks, func(ctx context.Context, q url.Values, m views.Moment) (any, error) {
		return folder.Traffic(ctx, q.Get("id"), m)
	})
	moment("replay", s.looks, func(ctx context.Context, q url.Values, m views.Moment) (any, error) {
		var numbers [3]int
		for i, key := range []string{"node", "from", "to"} {
			var err error
			if numbers[i], err = strconv.Atoi(q.Get(key)); err != nil {
				return nil, document.BadInput(fmt.Errorf("%s %q: want a number", key, q.Get(key)))
			}
		}
		return folder.Replay(ctx, q.Get("id"), s.options.Build, m, numbers[0], numbers[1], numbers[2], q.Get("whole") == "true")
	})
	for _, format := range views.Formats() {
		for name, drawn := range map[string]drawing{"figure": s.figure, "privacy": s.losses, "overlay": s.overlay, "pairs": s.pairs} {
			if name == "figure" || format != "yaml" { // a scenario asks for figures of its own metrics
				mux.HandleFunc("GET /api/"+name+"."+format, func(w http.ResponseWriter, r *http.Request) { s.file(w, r, format, drawn) })
			}
		}
	}
	mux.HandleFunc("GET /api/events", s.events)
	s.writing(mux)
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		status, text := http.StatusNotFound, "nothing is called "+r.URL.Path
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			status, text = http.StatusMethodNotAllowed, r.URL.Path+" takes no "+r.Method
		}
		refuse(w, status, text)
	})
}

// json returns a handler that writes the value of an answer as JSON. The computation takes one
// of the places of at.
func (s *Server) json(at places, a answer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The body is read before a place is taken: a body that does not come takes none.
		body, err := io.ReadAll(r.Body)
		if err != nil {
			fail(w, err)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if !at.enter(r) {
			return
		}
		value, err := func() (any, error) {
			defer at.leave() // also if an answer panics
			return a(r, r.URL.Query())
		}()
		if err != nil {
			fail(w, err)
			return
		}
		text, err := json.Marshal(value)
		if err != nil {
			fail(w, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(text)
	})
}

// enter waits for a free place. It returns false if the request has ended by then.
func (p places) enter(r *http.Request) bool {
	select {
	case p <- struct{}{}:
		return true
	case <-r.Context().Done():
		return false
	}
}

// leave gives the place back.
func (p places) leave() { <-p }

// slowest is the time limit for a client to read an answer.
const slowest = time.Minute

// hasten sets the time limit for the rest of an answer; after it the connection is closed.
func (s *Server) hasten(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.slowest)) // tests have writers without deadlines
}

// drawing writes a figure in a format, and returns its content type.
type drawing func(q url.Values, format string, w io.Writer) (contentType string, err error)

// file writes a figure in a format.
func (s *Server) file(w http.ResponseWriter, r *http.Request, format string, drawn drawing) {
	if !s.heavy.enter(r) {
		return
	}
	var out bytes.Buffer
	contentType, err := func() (string, error) {
		defer s.heavy.leave() // also if a drawing panics
		return drawn(r.URL.Query(), format, &out)
	}()
	if err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=figure.%s", format))
	w.Write(out.Bytes())
}

// figure draws a figure of a run.
func (s *Server) figure(q url.Values, format string, w io.Writer) (contentType string, err error) {
	query, err := queryOf(q)
	if err != nil {
		return "", err
	}
	facet := -1
	if text := q.Get("chart"); text != "" {
		if facet, err = strconv.Atoi(text); err != nil || facet < 0 {
			return "", document.BadInput(fmt.Errorf("chart %q: want a number from 0 on", text))
		}
	}
	return s.options.Folder.Export(q.Get("id"), query, facet, format, w)
}

// losses draws the privacy losses of a run over its steps.
func (s *Server) losses(q url.Values, format string, w io.Writer) (contentType string, err error) {
	unit, err := unitOf(q)
	if err != nil {
		return "", err
	}
	return s.options.Folder.ExportLosses(q.Get("id"), q.Get("observer"), unit, format, w)
}

// pairs draws the losses between the nodes of a run.
func (s *Server) pairs(q url.Values, format string, w io.Writer) (contentType string, err error) {
	return s.options.Folder.ExportPairs(q.Get("id"), format, w)
}

// overlay draws a figure of several runs.
func (s *Server) overlay(q url.Values, format string, w io.Writer) (contentType string, err error) {
	query, err := queryOf(q)
	if err != nil {
		return "", err
	}
	query.Numbers = true
	return s.options.Folder.ExportOverlay(q["id"], query, format, w)
}

// unitOf reads a protected unit; -1 is the unit that loses the most.
func unitOf(q url.Values) (int32, error) {
	text := q.Get("unit")
	if text == "" {
		return -1, nil
	}
	unit, err := strconv.ParseInt(text, 10, 32)
	if err != nil || unit < 0 {
		return 0, document.BadInput(fmt.Errorf("unit %q: want a number from 0 on", text))
	}
	return int32(unit), nil
}

// queryOf reads the settings of a figure.
func queryOf(q url.Values) (views.Query, error) {
	o := study.PlotOptions{
		Metric: q.Get("y"), X: q.Get("x"), By: q.Get("by"), Arms: q["arm"], Band: study.UsualBand,
		PerStep: q.Get("per_step") == "true", LogX: q.Get("log_x") == "true", LogY: q.Get("log_y") == "true",
	}
	if band := q.Get("band"); band != "" {
		o.Band = study.Band(band)
	}
	if text := q.Get("at"); text != "" {
		at, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return views.Query{}, document.BadInput(fmt.Errorf("at %q: want a step", text))
		}
		o.At = at
	}
	o.Facet, o.Hue, o.Dash, o.Grouped = q.Get("facet"), q.Get("hue"), q.Get("dash"), q.Get("grouped") == "true"
	return views.Query{PlotOptions: o, Among: q["among"]}, nil
}

// momentOf reads the job and the step of a request.
func momentOf(q url.Values) (m views.Moment, err error) {
	m.Arm = q.Get("arm")
	if text := q.Get("seed"); text != "" {
		m.Seeded = true
		if m.Seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			return m, document.BadInput(fmt.Errorf("seed %q: want a number", text))
		}
	}
	if text := q.Get("step"); text != "" {
		if m.Step, err = strconv.Atoi(text); err != nil {
			return m, document.BadInput(fmt.Errorf("step %q: want a number", text))
		}
	}
	return m, nil
}

// problem is an error as the page gets it.
type problem struct {
	Error  string  `json:"error"`
	Issues []Issue `json:"issues,omitempty"`
}

func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(problem{Error: text})
}

// fail writes an error with the status that fits it.
func fail(w http.ResponseWriter, err error) {
	var input *document.InputError
	var large *http.MaxBytesError
	status := http.StatusInternalServerError
	switch {
	case errors.As(err, &large):
		status = http.StatusRequestEntityTooLarge
	case errors.Is(err, views.ErrNoRun), errors.Is(err, fs.ErrNotExist):
		status = http.StatusNotFound
	case errors.Is(err, results.ErrLocked), errors.Is(err, results.ErrUnfinished):
		status = http.StatusConflict
	case errors.Is(err, errNotJSON):
		status = http.StatusUnsupportedMediaType
	case refusalOf(err) != 0:
		status = refusalOf(err)
	case errors.As(err, &input):
		status = http.StatusBadRequest
	}
	p := problem{Error: strings.TrimSpace(err.Error())}
	if issues := (document.Issues)(nil); errors.As(err, &issues) {
		p.Issues = issuesOf(err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(p)
}
