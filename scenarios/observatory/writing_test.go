package observatory_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"starling/scenarios"
	"starling/scenarios/document"
	"starling/scenarios/observatory"
	"starling/scenarios/results"
	"starling/scenarios/results/runs"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
)

// small is a scenario that takes no time, and long one that no test waits for: what holds it
// is that somebody stops it. It has one arm, for each takes a second to be forecast.
const (
	small = "extends: dpdonc-localization\nname: small\nhorizon: 20\nseeds: {count: 2}\n"
	long  = "extends: dpdonc-localization\nname: long\nhorizon: 100000\nseeds: {count: 1000}\nmeasure: {every: 10000}\nsweep: {grid: {mechanism.epsilon: [1]}}\n"
)

// serveWriting serves a folder with a bench whose runs this test program makes, in a working
// folder of its own. Save is empty, or the folder for saving.
func serveWriting(t *testing.T, dir, save string) *observatory.Server {
	t.Helper()
	return serveWith(t, dir, newBench(t, dir, save))
}

func newBench(t *testing.T, dir, save string) *observatory.Bench {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	build, err := runner.BuildID()
	if err != nil {
		t.Fatal(err)
	}
	bench, err := observatory.NewWorkbench(observatory.WorkbenchOptions{
		Out: dir, Save: save, Loader: scenarios.NewLoader(""), Build: build, Program: []string{program}, Environment: []string{asProgram + "=1", "GOMAXPROCS=1"}, // beside the browser
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { bench.Close(func([]string) {}) })
	return bench
}

// post asks for something to be done.
func post[V any](t testing.TB, s *observatory.Server, path string, body any) (v V, status int) {
	t.Helper()
	base, token := tokenOf(t, s)
	sent, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	response, text := scenariotest.Send(t, scenariotest.Request{
		Method: http.MethodPost, URL: base + "/api/" + path, Token: token, Body: string(sent), Header: scenariotest.JSONHeader(),
	})
	if response.StatusCode == http.StatusOK {
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatalf("%s: %v in %.300s", path, err, text)
		}
	}
	return v, response.StatusCode
}

// done is post of what must not be refused.
func done[V any](t testing.TB, s *observatory.Server, path string, body any) V {
	t.Helper()
	v, status := post[V](t, s, path, body)
	if status != http.StatusOK {
		t.Fatalf("%s %v: %d", path, body, status)
	}
	return v
}

// object is a body.
type object map[string]string

// list is all files below a folder with their contents, but for those of a folder in it.
func list(t *testing.T, dir, but string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == but {
			return errors.Join(err, fs.SkipDir)
		}
		if entry.Type().IsRegular() {
			text, err := os.ReadFile(path)
			files[path] = string(text)
			return err
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.SkipDir) {
		t.Fatal(err)
	}
	return files
}

// TestWritingRefusals asks the writing side for what it must not do, and looks at all files
// around afterwards.
func TestWritingRefusals(t *testing.T) {
	around := t.TempDir()
	place := func(parts ...string) string { return filepath.Join(append([]string{around}, parts...)...) }
	for _, dir := range []string{"results", "here", "save"} {
		if err := os.Mkdir(place(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for file, text := range map[string]string{
		place("secret.yaml"): "SECRET: 1\n", place("here", "mine.yaml"): small, place("here", ".hidden.yaml"): "SECRET: 1\n", place("here", "notes.txt"): "SECRET",
		place("save", "there.yaml"): small, place("save", "latin.yaml"): "name: caf\xe9\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, link := range []string{place("here", "link.yaml"), place("save", "link.yaml")} {
		if err := os.Symlink(place("secret.yaml"), link); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(place("here"))
	s := serveWriting(t, place("results"), place("save"))
	without := serveWriting(t, place("results"), "")
	readOnly := serve(t, place("results"))
	before := list(t, around, "")
	type header = map[string]string
	check, saved := `{"text": "version: 1"}`, func(name string) string { return `{"name": "` + name + `", "text": "x: 1"}` }
	for _, test := range []struct {
		name, method, path string
		header             header
		body               string
		want               int
		server             *observatory.Server
	}{
		{"a check", "POST", "check", nil, check, 200, s},
		{"of the page itself", "POST", "check", header{"Sec-Fetch-Site": "same-origin"}, check, 200, s},
		{"no token", "POST", "check", header{"Authorization": ""}, check, 401, s},
		{"another token", "POST", "check", header{"Authorization": "Bearer " + strings.Repeat("0", 32)}, check, 401, s},
		{"the token in the query alone", "POST", "check?token=TOKEN", header{"Authorization": ""}, check, 401, s},
		{"the token in the path alone", "POST", "../TOKEN/check", header{"Authorization": ""}, check, 401, s},
		{"another origin", "POST", "check", header{"Origin": "http://example.org"}, check, 403, s},
		{"another port", "POST", "check", header{"Origin": "http://127.0.0.1:1"}, check, 403, s},
		{"a form of another site", "POST", "start", header{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, check, 403, s},
		{"another host", "POST", "check", header{"Host": "evil.example"}, check, 403, s},
		{"a large body", "POST", "check", nil, `{"text": "` + strings.Repeat("x", 1<<20) + `"}`, 413, s},
		{"a form", "POST", "start", header{"Content-Type": "application/x-www-form-urlencoded"}, "text=x", 415, s},
		{"a text", "POST", "start", header{"Content-Type": "text/plain"}, check, 415, s},
		{"no type", "POST", "start", header{"Content-Type": ""}, check, 415, s},
		{"no JSON", "POST", "check", nil, "text", 400, s},
		{"no body", "POST", "check", nil, "", 400, s},
		{"another type of value", "POST", "check", nil, `{"text": 1}`, 400, s},
		{"an unknown key", "POST", "check", nil, `{"text": "x: 1", "file": "/etc/passwd"}`, 400, s},
		{"an unknown key of a run", "POST", "start", nil, `{"text": "x: 1", "out": "/tmp"}`, 400, s},
		{"two objects", "POST", "check", nil, check + check, 400, s},
		{"no UTF-8", "POST", "check", nil, "{\"text\": \"caf\xe9\"}", 400, s},
		{"asked for by GET", "GET", "check?token=TOKEN", nil, "", 404, s},
		{"a start by GET", "GET", "start?id=x&token=TOKEN", nil, "", 404, s},
		{"a file here", "GET", "source?from=here&name=mine.yaml", nil, "", 200, s},
		{"a hidden file", "GET", "source?from=here&name=.hidden.yaml", nil, "", 404, s},
		{"a file that is no scenario", "GET", "source?from=here&name=notes.txt", nil, "", 404, s},
		{"a path up", "GET", "source?from=here&name=../secret.yaml", nil, "", 404, s},
		{"a path up and down", "GET", "source?from=here&name=../here/mine.yaml", nil, "", 404, s},
		{"an absolute path", "GET", "source?from=here&name=" + place("secret.yaml"), nil, "", 404, s},
		{"a link to outside", "GET", "source?from=here&name=link.yaml", nil, "", 404, s},
		{"a saved file", "GET", "source?from=saved&name=there.yaml", nil, "", 200, s},
		{"a saved link", "GET", "source?from=saved&name=link.yaml", nil, "", 404, s},
		{"a saved file that is no UTF-8", "GET", "source?from=saved&name=latin.yaml", nil, "", 400, s},
		{"a path with a zero", "GET", "source?from=saved&name=a%00.yaml", nil, "", 404, s},
		{"of nowhere", "GET", "source?from=/&name=secret.yaml", nil, "", 404, s},
		{"of a run that is none", "GET", "source?run=../secret.yaml", nil, "", 404, s},
		{"no scenario of the library", "GET", "source?from=library&name=../../secret", nil, "", 404, s},
		{"saved above", "POST", "save", nil, saved("../x.yaml"), 400, s},
		{"saved below", "POST", "save", nil, saved("sub/x.yaml"), 400, s},
		{"saved elsewhere", "POST", "save", nil, saved("/tmp/x.yaml"), 400, s},
		{"saved by a path of Windows", "POST", "save", nil, saved(`..\\x.yaml`), 400, s},
		{"saved as no scenario", "POST", "save", nil, saved("x.sh"), 400, s},
		{"saved hidden", "POST", "save", nil, saved(".x.yaml"), 400, s},
		{"saved without a name", "POST", "save", nil, saved(""), 400, s},
		{"saved over what nobody has read", "POST", "save", nil, saved("there.yaml"), 409, s},
		{"saved over another text", "POST", "save", nil, `{"name": "there.yaml", "text": "x: 1", "over": "00"}`, 409, s},
		{"saved over a link", "POST", "save", nil, saved("link.yaml"), 409, s},
		{"saved too large", "POST", "save", nil, `{"name": "x.yaml", "text": "` + strings.Repeat(`\u00e9`, document.MaxBytes/6) + `"}`, 413, s},
		{"saved without a folder", "POST", "save", nil, saved("x.yaml"), 403, without},
		{"a saved file without a folder", "GET", "source?from=saved&name=there.yaml", nil, "", 403, without},
		{"a run that nobody has started", "POST", "stop", nil, `{"id": "a/b"}`, 409, s},
		{"a run elsewhere", "POST", "start", nil, `{"id": "../here"}`, 404, s},
		{"a run with another text", "POST", "start", nil, `{"id": "a/b", "text": "x: 1"}`, 400, s},
		{"a check, read-only", "POST", "check", nil, check, 403, readOnly},
		{"a start, read-only", "POST", "start", nil, check, 403, readOnly},
		{"a stop, read-only", "POST", "stop", nil, `{"id": "a/b"}`, 403, readOnly},
		{"a save, read-only", "POST", "save", nil, saved("x.yaml"), 403, readOnly},
		{"a file, read-only", "GET", "source?from=here&name=mine.yaml", nil, "", 403, readOnly},
	} {
		t.Run(test.name, func(t *testing.T) {
			base, token := tokenOf(t, test.server)
			headers := scenariotest.JSONHeader()
			maps.Copy(headers, test.header)
			response, text := scenariotest.Send(t, scenariotest.Request{
				Method: test.method, URL: base + "/api/" + strings.ReplaceAll(test.path, "TOKEN", token), Token: token, Body: test.body, Header: headers,
			})
			if response.StatusCode != test.want {
				t.Errorf("%s %s: %s, want %d: %.300s", test.method, test.path, response.Status, test.want, text)
			}
			if strings.Contains(text, "SECRET") {
				t.Errorf("it shows a file that it must not read: %.300s", text)
			}
		})
	}
	// A text names files of the working folder alone.
	for _, text := range []string{"extends: ../secret.yaml\nname: x\n", "extends: " + place("secret.yaml") + "\nname: x\n", "extends: own-data\nname: x\nproblem: {file: ../secret.yaml}\n"} {
		for _, path := range []string{"check", "forecast", "start"} {
			answer := done[struct{ Issues []observatory.Issue }](t, s, path, object{"text": text})
			if len(answer.Issues) == 0 || !strings.Contains(answer.Issues[0].Message, "leads out") {
				t.Errorf("%s of %q: %+v", path, text, answer)
			}
		}
	}
	after := list(t, around, "")
	for file, text := range after {
		if before[file] != text {
			t.Errorf("%s is new or another", file)
		}
	}
	if len(after) != len(before) {
		t.Errorf("%d files, before %d", len(after), len(before))
	}
}

// TestSave writes files into the folder for saving, and nowhere else.
func TestSave(t *testing.T) {
	t.Chdir(t.TempDir())
	save := t.TempDir()
	s := serveWriting(t, t.TempDir(), save)
	first := done[observatory.Text](t, s, "save", object{"name": "mine.yaml", "text": small})
	if _, status := post[observatory.Text](t, s, "save", object{"name": "mine.yaml", "text": long}); status != http.StatusConflict {
		t.Errorf("saved over a file that was not read: %d", status)
	}
	second := done[observatory.Text](t, s, "save", object{"name": "mine.yaml", "text": long, "over": first.Sum})
	if _, status := post[observatory.Text](t, s, "save", object{"name": "mine.yaml", "text": small, "over": first.Sum}); status != http.StatusConflict {
		t.Errorf("saved over a file that has changed since: %d", status)
	}
	read := get[observatory.Text](t, s, "source?from=saved&name=mine.yaml")
	if read.Text != long || read.Sum != second.Sum {
		t.Errorf("read back as %+v", read)
	}
	if files := list(t, save, ""); len(files) != 1 || files[filepath.Join(save, "mine.yaml")] != long {
		t.Errorf("files %q", files)
	}
	if sources := get[observatory.Sources](t, s, "sources"); len(sources.Saved) != 1 || len(sources.Here) != 0 || len(sources.Library) < 30 || len(sources.Algorithms) < 5 {
		t.Errorf("sources %+v", sources)
	}
}

// TestCheck holds what the page says of texts to what the command says.
func TestCheck(t *testing.T) {
	t.Chdir(t.TempDir())
	dir := t.TempDir()
	s := serveWriting(t, dir, "")
	for _, test := range []struct {
		name, text string
		want       []observatory.Issue
	}{
		{"one of the library", small, nil},
		{"all faults", "extends: dpdonc-localization\nname: x\nhorizom: 5\nnodes: -1\nseeds: {count: 0}\n", []observatory.Issue{
			{Line: 3, Column: 1, Path: "horizom", Message: `did you mean "horizon"`},
			{Line: 4, Column: 8, Path: "nodes", Message: "1"},
			{Line: 5, Column: 16, Path: "seeds.count", Message: "0"},
		}},
		{"syntax", "name: [x", []observatory.Issue{{Line: 1, Column: 7}}},
		{"nothing", "", []observatory.Issue{{Line: 1, Column: 1}}},
		{"what it extends is not there", "extends: nothing-of-that\nname: x\n", []observatory.Issue{{Line: 1, Column: 10, Path: "extends", Message: "nothing-of-that"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			answer := done[observatory.Checked](t, s, "check", object{"text": test.text})
			for i, want := range test.want {
				if i >= len(answer.Issues) {
					t.Fatalf("issues %+v, want %+v besides", answer.Issues, want)
				}
				got := answer.Issues[i]
				if got.File != "" || got.Line != want.Line || got.Column != want.Column || got.Path != want.Path || !strings.Contains(got.Message, want.Message) {
					t.Errorf("issue %+v, want %+v", got, want)
				}
			}
			if len(answer.Issues) > 0 != (len(test.want) > 0) {
				t.Errorf("issues %+v", answer.Issues)
			}
		})
	}
	answer := done[observatory.Checked](t, s, "check", object{"text": small})
	if answer.Name != "small" || len(answer.Arms) != 4 || answer.Seeds != 2 {
		t.Errorf("of a valid text: %+v", answer)
	}
	f := done[observatory.Forecast](t, s, "forecast", object{"text": small})
	if f.Runs != 8 || f.There != 0 || f.Complete || f.Busy || f.Steps != 160 || f.Time <= 0 || f.Bytes <= 0 || len(f.Arms) != 4 || f.Seeds != [2]uint64{1, 2} || !strings.HasPrefix(f.ID, "small/") {
		t.Errorf("forecast %+v", f)
	}
	begun := done[observatory.Text](t, s, "begin", object{"name": "new.yaml", "algorithm": "dpdonc", "problem": "logistic"})
	if answer := done[observatory.Checked](t, s, "check", object{"text": begun.Text}); len(answer.Issues) > 0 || answer.Name != "new" {
		t.Errorf("a new scenario: %+v", answer)
	}
	// One of a table of the working folder, and of no other file.
	if err := os.WriteFile("mine.csv", []byte("party,x,y,label\na,1,2,0\na,2,1,1\nb,1,1,0\nb,2,2,1\na,1,3,0\nb,3,1,1\na,2,2,1\nb,1,2,0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if sources := get[observatory.Sources](t, s, "sources"); !slices.Contains(sources.Reading, "table") || slices.Contains(sources.Reading, "logistic") || !slices.Equal(sources.Files, []string{"mine.csv"}) {
		t.Errorf("problems that read %q, files %q", sources.Reading, sources.Files)
	}
	begun = done[observatory.Text](t, s, "begin", object{"name": "my-study.yaml", "algorithm": "dsgd", "problem": "table", "file": "mine.csv"})
	if answer := done[observatory.Checked](t, s, "check", object{"text": begun.Text}); len(answer.Issues) > 0 || !strings.Contains(begun.Text, "file: mine.csv") {
		t.Errorf("a new scenario of a table: %+v of %s", answer, begun.Text)
	}
	for _, file := range []string{"other.csv", "../mine.csv", "/etc/passwd"} {
		if _, status := post[observatory.Text](t, s, "begin", object{"name": "my-study.yaml", "algorithm": "dsgd", "problem": "table", "file": file}); status != http.StatusNotFound {
			t.Errorf("a new scenario of the file %s: %d", file, status)
		}
	}
	for _, name := range []string{"", "../x.yaml", "x.sh"} {
		if _, status := post[observatory.Text](t, s, "begin", object{"name": name, "algorithm": "dpdonc", "problem": "logistic"}); status != http.StatusBadRequest {
			t.Errorf("begun as %q: status %d", name, status)
		}
	}
	if _, status := post[observatory.Text](t, s, "begin", object{"name": "my-study.yaml", "algorithm": "dpdonc", "problem": "nothing"}); status != http.StatusBadRequest {
		t.Errorf("a new scenario of an unknown problem: %d", status)
	}
	if files := list(t, dir, ""); len(files) > 0 {
		t.Errorf("to check writes %q", files)
	}
}

// shownRun is a run as the page gets it.
type shownRun struct {
	Status runs.Status
	Reason string
	Child  observatory.Child
	Writes bool
}

// until asks for a run until it is as it should be. What it waits for comes on any machine.
func until(t *testing.T, s *observatory.Server, id, what string, is func(shownRun) bool) {
	t.Helper()
	var r shownRun
	for range 1200 {
		if r = get[shownRun](t, s, "run?id="+id); is(r) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("%s: not within a minute; it is %+v", what, r)
}

// TestStartAndStop has the page's processes make runs.
func TestStartAndStop(t *testing.T) {
	t.Chdir(t.TempDir())
	dir := t.TempDir()
	bench := newBench(t, dir, "")
	s := serveWith(t, dir, bench)
	waits := func(r shownRun) bool {
		return r.Status == runs.Waiting && r.Child.State == observatory.Ended && r.Child.Error == ""
	}
	goes := func(r shownRun) bool {
		return r.Status == runs.Running && r.Child.State == observatory.Runs && r.Writes
	}

	started := done[observatory.Started](t, s, "start", object{"text": long})
	until(t, s, started.ID, "a run goes on", goes)
	if _, status := post[observatory.Started](t, s, "start", object{"text": long}); status != http.StatusConflict {
		t.Errorf("a second writer: %d", status)
	}
	if _, status := post[observatory.Started](t, s, "start", object{"id": started.ID}); status != http.StatusConflict {
		t.Errorf("a second writer that goes on: %d", status)
	}
	if f := done[observatory.Forecast](t, s, "forecast", object{"text": long}); !f.Busy || f.Complete || f.ID != started.ID {
		t.Errorf("forecast of a run that goes on: busy %v, complete %v, %s", f.Busy, f.Complete, f.ID)
	}
	done[observatory.Child](t, s, "stop", object{"id": started.ID})
	until(t, s, started.ID, "the run waits", waits)
	if _, status := post[observatory.Child](t, s, "stop", object{"id": started.ID}); status != http.StatusConflict {
		t.Errorf("stopped twice: %d", status)
	}

	// Another process at work on it.
	release, err := results.Claim(filepath.Join(dir, filepath.FromSlash(started.ID)))
	if err != nil {
		t.Fatal(err)
	}
	if _, status := post[observatory.Started](t, s, "start", object{"id": started.ID}); status != http.StatusConflict {
		t.Errorf("started where another process is at work: %d", status)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}

	// It goes on, stops, and goes on at once.
	if again := done[observatory.Started](t, s, "start", object{"id": started.ID}); again.ID != started.ID {
		t.Errorf("goes on as %s, want %s", again.ID, started.ID)
	}
	until(t, s, started.ID, "the run goes on again", goes)
	done[observatory.Child](t, s, "stop", object{"id": started.ID})
	done[observatory.Started](t, s, "start", object{"id": started.ID})
	until(t, s, started.ID, "the run goes on at once", goes)

	// One to its end, beside it; its results are those of the command, and are not made again.
	short := done[observatory.Started](t, s, "start", object{"text": small})
	until(t, s, short.ID, "the short run", func(r shownRun) bool { return r.Status == runs.Complete && r.Child.State == observatory.Ended })
	if again := done[observatory.Started](t, s, "start", object{"text": small}); !again.Complete || again.ID != short.ID {
		t.Errorf("started again: %+v", again)
	}
	if f := done[observatory.Forecast](t, s, "forecast", object{"text": small}); !f.Complete || f.There != 8 || f.ID != short.ID {
		t.Errorf("forecast of what is there: %+v", f)
	}

	// With the bench all end, and none begins.
	var told []string
	bench.Close(func(ids []string) { told = ids })
	if len(told) != 1 || told[0] != started.ID {
		t.Errorf("closing tells of %q, want %s", told, started.ID)
	}
	until(t, s, started.ID, "the run waits in the end", waits)
	if _, status := post[observatory.Started](t, s, "start", object{"id": started.ID}); status != http.StatusServiceUnavailable {
		t.Errorf("started after the end: %d", status)
	}
}

// TestOtherBuild refuses to have a run go on that another build began: it would begin anew
// elsewhere.
func TestOtherBuild(t *testing.T) {
	t.Chdir(t.TempDir())
	dir := t.TempDir()
	if err := simulate(dir, "horizon=8", "seeds.count=1"); err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%q, %v", found, err)
	}
	id, err := filepath.Rel(dir, found[0])
	if err != nil {
		t.Fatal(err)
	}
	s := serveWriting(t, dir, "")
	if _, status := post[observatory.Started](t, s, "start", object{"id": filepath.ToSlash(id)}); status != http.StatusConflict {
		t.Errorf("a run of another build: %d", status)
	}
	text := get[observatory.Text](t, s, "source?run="+filepath.ToSlash(id))
	if answer := done[observatory.Checked](t, s, "check", object{"text": text.Text}); len(answer.Issues) > 0 || answer.Seeds != 1 {
		t.Errorf("the text of a run: %+v", answer)
	}
}

// TestTags gives runs tags and takes them off. A tag that cannot be one changes no run.
func TestTags(t *testing.T) {
	dir := t.TempDir()
	if err := simulate(dir, "seeds.count=2"); err != nil {
		t.Fatal(err)
	}
	places, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil || len(places) != 1 {
		t.Fatal(places, err)
	}
	id := filepath.Base(filepath.Dir(places[0])) + "/" + filepath.Base(places[0])
	s := serveWriting(t, dir, "")
	type body struct{ IDs, Add, Remove []string }
	for _, one := range []struct {
		body   body
		status int
		want   []string
	}{
		{body{[]string{id}, []string{"b", "a"}, nil}, http.StatusOK, []string{"a", "b"}},
		{body{[]string{id}, []string{"c"}, []string{"a"}}, http.StatusOK, []string{"b", "c"}},
		{body{[]string{id}, []string{"d", "two words"}, nil}, http.StatusBadRequest, []string{"b", "c"}},
		{body{[]string{id, "no/run"}, []string{"d"}, nil}, http.StatusNotFound, []string{"b", "c"}},
		{body{[]string{id}, nil, nil}, http.StatusBadRequest, []string{"b", "c"}},
	} {
		if _, status := post[any](t, s, "tags", one.body); status != one.status {
			t.Errorf("%v: status %d, want %d", one.body, status, one.status)
		}
		if got, err := runs.Tags(filepath.Join(dir, filepath.FromSlash(id))); err != nil || !slices.Equal(got, one.want) {
			t.Errorf("%v: tags %q, %v, want %q", one.body, got, err, one.want)
		}
	}
}
