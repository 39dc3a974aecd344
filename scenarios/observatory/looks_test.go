package observatory_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"starling/scenarios"
	"starling/scenarios/loading"
	"starling/scenarios/observatory"
)

// largeNetwork writes the scenario of a run with a hundred thousand nodes, whose graphs change
// in every step: to measure how they mix takes 2^31 multiplications, some ten seconds.
func largeNetwork(t *testing.T, dir, id string) {
	t.Helper()
	var list []loading.Override
	for _, text := range []string{"nodes=100000", "horizon=1000", "measure={every: 1000, metrics: [messages.sent]}"} {
		o, err := loading.ParseOverride(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, o)
	}
	s, err := scenarios.Load("scale-gossip", list...)
	if err != nil {
		t.Fatal(err)
	}
	place := filepath.Join(dir, filepath.FromSlash(id))
	if err := os.MkdirAll(place, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(place, "scenario.yaml"), s.Document.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// question is a request to the handler of a server, which is done with ctx.
func question(t *testing.T, ctx context.Context, s *observatory.Server, path string) *http.Request {
	t.Helper()
	base, token := tokenOf(t, s)
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, base+"/api/"+path, nil)
	r.Header.Set("Authorization", "Bearer "+token)
	return r
}

// held is the memory that is in use.
func held() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestEndedLooks asks how a large network mixes and goes away: the work ends, and leaves no
// memory and no place behind.
func TestEndedLooks(t *testing.T) {
	dir, _ := folderOf(t, 0)
	const id = "scale-gossip/000000000000"
	largeNetwork(t, dir, id)
	s := serve(t, dir)
	handler := s.Handler()
	before := held()
	for _, path := range []string{"mixing?step=1&id=" + id, "course?step=1&id=" + id} {
		ctx, cancel := context.WithCancel(t.Context())
		var asked time.Time
		go func() {
			for s.Busy() == 0 { // the server of a loaded machine may be late
				time.Sleep(time.Millisecond)
			}
			time.Sleep(100 * time.Millisecond)
			asked = time.Now()
			cancel()
		}()
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, question(t, ctx, s, path))
		if ctx.Err() == nil {
			t.Errorf("%s: answered before it was cancelled, %d %.200s: this test sees nothing", path, answer.Code, answer.Body)
		} else if late := time.Since(asked); late > time.Second {
			t.Errorf("%s: the work went on for %v", path, late)
		}
		cancel()
	}
	if s.Busy() > 0 {
		t.Errorf("%d places are still taken", s.Busy())
	}
	if after := held(); after > before+8<<20 {
		t.Errorf("%d bytes are in use, and were %d before", after, before)
	}
}

// TestLooksAreFew asks for more looks at a network than are made at a time: they wait, one that
// waits can end, and other questions are answered.
func TestLooksAreFew(t *testing.T) {
	dir, _ := folderOf(t, 0)
	const id = "scale-gossip/000000000000"
	largeNetwork(t, dir, id)
	s := serve(t, dir)
	handler := s.Handler()
	ctx, cancel := context.WithCancel(t.Context())
	const looks = 6
	ended := make(chan int, looks)
	for range looks {
		go func() {
			answer := httptest.NewRecorder()
			handler.ServeHTTP(answer, question(t, ctx, s, "mixing?step=1&id="+id))
			ended <- answer.Code
		}()
	}
	for s.Busy() < 2 {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(50 * time.Millisecond)
	if s.Busy() != 2 {
		t.Errorf("%d looks are made at a time, want 2", s.Busy())
	}
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, question(t, t.Context(), s, "runs"))
	if answer.Code != http.StatusOK || !strings.Contains(answer.Body.String(), `"runs"`) {
		t.Errorf("the list of runs: %d %.200s", answer.Code, answer.Body)
	}
	cancel()
	for range looks {
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			t.Fatal("looks go on though nobody waits for them")
		}
	}
}
