package observatory

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"sync"
	"time"

	"starling/scenarios/observatory/views"
	"starling/scenarios/results/runs"
)

// watch reads the folder while at least one page listens to events.
type watch struct {
	folder *views.Folder

	mu sync.Mutex
	// entries is replaced and never written to: all listeners share it.
	entries []views.Entry
	read    time.Time     // when all were read
	took    time.Duration // and how long that took
	again   time.Time     // when the runs that are going on were read
}

func newWatch(folder *views.Folder) *watch { return &watch{folder: folder} }

// pause is the time between two looks at the folder. A folder of many runs is read less often:
// the time between two reads is at least share times the time of a read.
const (
	pause = time.Second
	share = 20
)

// list returns the runs of the folder. It reads them anew unless they have just been read.
// Callers must not write to the list.
func (w *watch) list() ([]views.Entry, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.entries != nil && time.Since(w.read) < min(max(pause/2, share*w.took), 30*time.Second) {
		w.renew()
		return w.entries, nil
	}
	began := time.Now()
	list, err := w.folder.Runs()
	if err != nil {
		return nil, err
	}
	w.entries, w.read, w.took = list, time.Now(), time.Since(began)
	w.again = w.read
	return list, nil
}

// renew reads those runs anew that are going on, unless they have just been read.
func (w *watch) renew() {
	if time.Since(w.again) < pause/2 {
		return
	}
	w.again = time.Now()
	var going []views.Entry
	for i := range w.entries {
		if w.entries[i].Status == runs.Running {
			going = append(going, w.entries[i])
		}
	}
	if len(going) == 0 {
		return
	}
	entries := slices.Clone(w.entries)
	for _, e := range w.folder.Renewed(going) {
		i := slices.IndexFunc(entries, func(old views.Entry) bool { return old.ID == e.ID })
		entries[i] = e
	}
	w.entries = entries
}

// change holds the differences between two lists of runs.
type change struct {
	Changed []views.Entry `json:"changed"`
	Gone    []string      `json:"gone"`
}

// changes returns the differences of a list of runs from an earlier one.
func changes(before, after []views.Entry) (c change) {
	c = change{Changed: []views.Entry{}, Gone: []string{}}
	old := make(map[string]*views.Entry, len(before))
	for i := range before {
		old[before[i].ID] = &before[i]
	}
	for i := range after {
		known, ok := old[after[i].ID]
		if !ok || !reflect.DeepEqual(*known, after[i]) {
			c.Changed = append(c.Changed, after[i])
		}
		delete(old, after[i].ID)
	}
	for i := range before {
		if _, gone := old[before[i].ID]; gone {
			c.Gone = append(c.Gone, before[i].ID)
		}
	}
	return c
}

// beat is the time after which a page gets a sign of life of the server when nothing changes.
const beat = 15 * time.Second

// events sends a page the changes in the folder, until the page is closed.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	if err := control.SetReadDeadline(time.Time{}); err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	before, err := s.watch.list()
	if err != nil {
		fail(w, err)
		return
	}
	fmt.Fprint(w, "retry: 2000\nevent: hello\ndata: {}\n\n")
	if control.Flush() != nil {
		return
	}
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	said := time.Now()
	for {
		select {
		case <-r.Context().Done():
			return
		case <-ticker.C:
		}
		after, err := s.watch.list()
		if err != nil {
			continue // the folder itself is gone, for now
		}
		if len(after) > 0 && len(before) == len(after) && &before[0] == &after[0] && time.Since(said) < beat {
			continue // nothing was read anew
		}
		c := changes(before, after)
		before = after
		if len(c.Changed)+len(c.Gone) > 0 {
			text, err := json.Marshal(c)
			if err != nil {
				return
			}
			s.hasten(w)
			fmt.Fprintf(w, "event: runs\ndata: %s\n\n", text)
		} else if time.Since(said) < beat {
			continue
		} else {
			s.hasten(w)
			fmt.Fprint(w, ": still here\n\n")
		}
		said = time.Now()
		if control.Flush() != nil {
			return
		}
	}
}
