package command

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"starling/scenarios/results/runs"
	"starling/scenarios/scenariotest"
)

// TestPageEndsItsRuns ends a page with Ctrl-C while a run goes on that it has started: the run
// waits, and the command goes on with it.
func TestPageEndsItsRuns(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("processes cannot be interrupted")
	}
	dir := t.TempDir()
	page := exec.Command("starling", "ui", "out")
	page.Dir = dir
	if err := os.Mkdir(filepath.Join(dir, "out"), 0o755); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	page.Stderr = &said
	out, err := page.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := page.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	t.Cleanup(func() { page.Process.Kill() })
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	go func() { ended <- page.Wait() }()
	base, token, _ := strings.Cut(strings.TrimSpace(address), "/?token=")

	// Nobody waits for the end of this one.
	body := `{"text": "extends: dpdonc-localization\nname: long\nhorizon: 1000000\nseeds: {count: 1000}\nmeasure: {every: 100000}\n"}`
	response, text := scenariotest.Send(t, scenariotest.Request{Method: http.MethodPost, URL: base + "/api/start", Token: token, Body: body, Header: scenariotest.JSONHeader()})
	var started struct{ ID string }
	if err := json.Unmarshal([]byte(text), &started); err != nil || !strings.HasPrefix(started.ID, "long/") {
		t.Fatalf("%s: %+v, %v", response.Status, started, err)
	}
	run := filepath.Join(dir, "out", filepath.FromSlash(started.ID))
	if r := runs.Of(run); r.Status != runs.Running {
		t.Errorf("the run is %s", r.Status)
	}
	if err := page.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("the page ended with %v", err)
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("the page does not end")
	}
	if want := fmt.Sprintf("starling: saving the state of 1 run: %s\n", started.ID); said.String() != want {
		t.Errorf("it said %q, want %q", said.String(), want)
	}
	if r := runs.Of(run); r.Status != runs.Waiting || r.Reason != "interrupted; the same command goes on" {
		t.Errorf("the run is %s: %s", r.Status, r.Reason)
	}
}

// TestPageCannotBegin names a folder that is not there, and a port that another program has.
func TestPageCannotBegin(t *testing.T) {
	t.Chdir(t.TempDir())
	taken, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := fmt.Sprint(taken.Addr().(*net.TCPAddr).Port)
	for _, test := range []struct{ flag, value, want string }{
		{"--save", "missing", "there is no folder missing; make it first"},
		{"--port", port, "port " + port + " is taken; --port 0 takes a free one"},
	} {
		var out bytes.Buffer
		code := standard().execute(t.Context(), []string{"ui", test.flag, test.value}, &out, &out)
		if code == exitDone || !strings.Contains(out.String(), test.want) {
			t.Errorf("%s: exit %d, no %q in %s", test.flag, code, test.want, out.String())
		}
	}
}
