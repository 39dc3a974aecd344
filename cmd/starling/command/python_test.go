package command

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"starling/scenarios/problem/pyproblem"
	"starling/scenarios/testneeds"
)

// inPython is an algorithm and a problem that are classes in Python.
const inPython = `version: 1
name: in-python
horizon: 12
nodes: 7
algorithm: {kind: python, file: mine.py, name: Mine, theta: 1, gradient_bound: clip}
problem: {kind: python, file: library/logistic.py, name: Logistic, set: {kind: l2-ball, dimension: 3, radius: 2}, gradient_bound: 1}
topology: {kind: ring}
mechanism: {kind: laplace, epsilon: 2}
seeds: {count: 2}
checkpoint: {every: 5}
plots: []
`

const mine = `
class Mine:
    extra = EXTRA
    def state(self, start):
        return {"x": start, "m": 0 * start}
    def sensitivity(self, step, bound):
        return bound
    def step(self, turn):
        s = turn.state
        if turn.step > 1:
            s["x"] = yield turn.project(turn.heard)
        g = yield turn.play(s["x"])
        s["m"] = 0.5 * s["m"] + 0.5 * g + 0.001 * turn.random.standard_normal(3)
        self.extra += EXTRA
        return s["x"] - s["m"] + self.extra
`

// pythonRun writes the scenario to a new folder, and runs the program there.
func pythonRun(t *testing.T, extra string) (folder string, starling func(arguments ...string) *exec.Cmd) {
	t.Helper()
	testneeds.Python(t)
	folder = t.TempDir()
	for name, text := range map[string]string{"s.yaml": inPython, "mine.py": strings.ReplaceAll(mine, "EXTRA", extra)} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder, func(arguments ...string) *exec.Cmd {
		c := exec.Command("starling", arguments...)
		c.Dir = folder
		return c
	}
}

// TestPythonSections has the sections of the Python package as the schema of the program gives them: keys, types and
// texts. The package's own tests take minutes, and run elsewhere.
func TestPythonSections(t *testing.T) {
	testneeds.Python(t)
	python, err := pyproblem.Interpreter()
	if err != nil {
		t.Fatal(err)
	}
	program, err := exec.LookPath("starling")
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(python, "-m", "starling._generate", filepath.Join(t.TempDir(), "sections.py"))
	c.Dir = filepath.Join("..", "python")
	c.Env = append(os.Environ(), "STARLING_BINARY="+program, "PYTHONDONTWRITEBYTECODE=1")
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	want, err := os.ReadFile(c.Args[len(c.Args)-1])
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join("..", "python", "starling", "sections.py"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("the schema has changed: run python -m starling._generate starling/sections.py in cmd/starling/python, with STARLING_BINARY")
	}
}

// TestPythonElsewhere has classes asked in this process, in processes that make runs and in
// processes that share each of them, once and twice: all results have the same bytes.
func TestPythonElsewhere(t *testing.T) {
	folder, starling := pythonRun(t, "0")
	ways := [][]string{
		nil, {"--check-pure"}, {"--workers", "local:2"}, {"--workers", "local:2", "--spread"},
		{"--workers", "local:2", "--check-pure"}, {"--workers", "local:2", "--spread", "--check-pure"},
	}
	if !testneeds.SlowWanted() {
		ways = slices.Delete(ways, 1, 4)
	}
	for i, way := range ways {
		out := fmt.Sprint("out", i)
		if text, err := starling(append([]string{"run", "s.yaml", "--quiet", "--out", out}, way...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", way, err, text)
		}
		want, got := only(t, filepath.Join(folder, "out0")), only(t, filepath.Join(folder, out))
		if got.Digest != want.Digest || !slices.Equal(got.Files, want.Files) {
			t.Errorf("%v: digest %s, want %s; files %v, want %v", way, got.Digest, want.Digest, got.Files, want.Files)
		}
	}
}

// TestPythonImpureElsewhere finds by workers, too, what depends on more than its turn; without
// the flag the class is believed.
func TestPythonImpureElsewhere(t *testing.T) {
	_, starling := pythonRun(t, "0.25")
	for _, way := range [][]string{{"--workers", "local:2"}, {"--workers", "local:2", "--spread"}} {
		text, err := starling(append([]string{"run", "s.yaml", "--quiet", "--check-pure"}, way...)...).CombinedOutput()
		said := string(text)
		if err == nil || !strings.Contains(said, "two equal calls gave different results") || !strings.Contains(said, "scenario in-python, arm base, seed ") || !strings.Contains(said, "Mine: step 1 of ") || strings.Contains(said, "is lost") {
			t.Errorf("%v: %v\n%s", way, err, said)
		}
	}
	if text, err := starling("run", "s.yaml", "--quiet", "--workers", "local:1").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestPythonReplay follows a node whose code is a class: its messages, and the state under the
// names that the class gives it. What the file has changed to since is refused.
func TestPythonReplay(t *testing.T) {
	folder, starling := pythonRun(t, "0")
	if text, err := starling("run", "s.yaml", "--quiet").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	run := "results/in-python/" + filepath.Base(onePath(t, filepath.Join(folder, "results", "in-python", "*")))
	replay := func() *exec.Cmd {
		return starling("replay", run, "--python", "--seed", "2", "--node", "3", "--from", "5", "--to", "6")
	}
	text, err := replay().CombinedOutput()
	for _, part := range []string{"step 6", "released-vector", "  m = (", "  x = (", "came out as recorded"} {
		if err != nil || !strings.Contains(string(text), part) {
			t.Errorf("%v, want %q in\n%s", err, part, text)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "mine.py"), []byte(strings.ReplaceAll(mine, "EXTRA", "0.0")), 0o644); err != nil {
		t.Fatal(err)
	}
	if text, err := replay().CombinedOutput(); err == nil || !strings.Contains(string(text), "other data than the present file mine.py with sha256") {
		t.Errorf("another file: %v\n%s", err, text)
	}
}

// TestPythonLooking looks at a run whose algorithm, with a metric of its own, and problem are
// classes, by all verbs and all of the page: no interpreter is started, and the network is that
// of the run. Only a replay that is allowed to starts one. The text of a scenario that the page
// checks starts none either, and is told that its class was left out.
func TestPythonLooking(t *testing.T) {
	folder, starling := pythonRun(t, "0")
	text := strings.ReplaceAll(mine, "EXTRA", "0")
	text = strings.Replace(text, "    extra = 0\n", "    extra = 0\n    push_sum = True\n    metrics = {\"size\": {\"text\": \"length\"}}\n", 1)
	text = strings.Replace(text, "        s = turn.state\n", "        s = turn.state\n        turn.record(\"size\", 1.0)\n", 1)
	scenario := strings.Replace(inPython, "plots: []", "plots: [{name: size, y: own.size}]", 1)
	scenario = strings.Replace(scenario, "{kind: ring}", "{kind: k-out, degree: 2, directed: true, every: 1, weighting: {scheme: uniform-out, self_loops: true}}", 1)
	scenario += "network: {kind: effects, loss: {probability: 0.1}}\n"
	scenario = strings.Replace(scenario, "checkpoint:", "measure: {every: 1}\ncheckpoint:", 1)
	interpreter, err := pyproblem.Interpreter()
	if err != nil {
		t.Fatal(err)
	}
	mark := filepath.Join(folder, "started")
	for name, text := range map[string]string{
		"mine.py": text, "s.yaml": scenario, "python": "#!/bin/sh\ntouch '" + mark + "'\nexec '" + interpreter + "' \"$@\"\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv(pyproblem.Variable, filepath.Join(folder, "python"))
	if text, err := starling("run", "s.yaml", "--quiet").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	run := "results/in-python/" + filepath.Base(onePath(t, filepath.Join(folder, "results", "in-python", "*")))
	started := func() bool {
		defer os.Remove(mark)
		_, err := os.Stat(mark)
		return err == nil
	}
	if !started() {
		t.Fatal("a run starts no interpreter: this test sees nothing")
	}
	replay := []string{"replay", run, "--seed", "2", "--node", "3", "--from", "5", "--to", "6"}
	for _, verb := range [][]string{
		{"runs", "results"}, {"report", run}, {"export", run}, {"privacy", run}, {"compare", run, run}, {"watch", run}, {"topology", "s.yaml"}, {"show", "--resolved", run + "/scenario.yaml"}, {"du", "results"},
		{"plot", run, "--y", "own.size", "--out", "plot.svg"}, replay,
	} {
		text, err := starling(verb...).CombinedOutput()
		if started() {
			t.Errorf("%s starts an interpreter", verb[0])
		}
		if asks := strings.Contains(string(text), "--python"); asks != (verb[0] == "replay") || asks != (err != nil) {
			t.Errorf("%v: %v\n%s", verb, err, text)
		}
	}
	page, err := os.ReadFile(filepath.Join(folder, run, "report.html"))
	if err != nil || strings.Contains(string(page), "The network cannot be shown") {
		t.Errorf("the page has no network: %v", err)
	}
	if text, err := starling(append(replay, "--python")...).CombinedOutput(); err != nil || !started() {
		t.Errorf("a replay that may run Python: %v\n%s", err, text)
	}
	for _, flags := range [][]string{{"--read-only"}, nil} {
		ask := servePage(t, starling(append([]string{"ui", "results"}, flags...)...))
		id := ask("runs", nil, nil)["runs"].([]any)[0].(map[string]any)["id"].(string)
		for what, want := range map[string]string{
			"network": "edges", "mixing": "edges", "course": "window", "run": "state", "values": "last", "privacy": "", "figure": "charts",
			"traffic": "starling replay --python", "replay": "starling replay --python",
		} {
			answer := ask(what, url.Values{"id": {id}, "seed": {"2"}, "step": {"5"}, "arm": {"base"}, "node": {"3"}, "from": {"5"}, "to": {"6"}, "y": {"own.size"}}, nil)
			refused, _ := answer["error"].(string)
			if started() {
				t.Errorf("%s starts an interpreter", what)
			}
			if strings.Contains(want, " ") != (refused != "") || !strings.Contains(fmt.Sprint(answer), want) {
				t.Errorf("%s: %v, want %q", what, answer, want)
			}
		}
		if flags != nil {
			continue
		}
		checked := ask("check", nil, map[string]string{"text": scenario})
		if text := fmt.Sprint(checked); started() || !strings.Contains(text, "mine.py") || len(checked["issues"].([]any)) > 0 {
			t.Errorf("a text that is checked: %v", text)
		}
		foreseen := ask("forecast", nil, map[string]string{"text": scenario})
		if text, _ := foreseen["error"].(string); started() || !strings.Contains(text, "starling run --dry-run") {
			t.Errorf("a forecast: %v", foreseen)
		}
		again := ask("start", nil, map[string]string{"text": scenario})
		if again["complete"] != true || !started() {
			t.Errorf("a text that is run: %v", again)
		}
	}
}

// onePath is the one path that a pattern has.
func onePath(t *testing.T, pattern string) string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) != 1 {
		t.Fatalf("%s: %q, %v", pattern, paths, err)
	}
	return paths[0]
}

// askPage starts the page, and asks it about its one run.
func askPage(t *testing.T, page *exec.Cmd, what string, query url.Values) map[string]any {
	t.Helper()
	ask := servePage(t, page)
	query.Set("id", ask("runs", nil, nil)["runs"].([]any)[0].(map[string]any)["id"].(string))
	answer := ask(what, query, nil)
	if refused, there := answer["error"]; there {
		t.Fatalf("%s: %v", what, refused)
	}
	return answer
}

// servePage starts the page, which ends with the test, and returns what asks it: for what a
// query says, or by sending a body.
func servePage(t *testing.T, page *exec.Cmd) (ask func(what string, query url.Values, body any) map[string]any) {
	t.Helper()
	output, err := page.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := page.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { page.Process.Kill(); page.Wait() })
	line, err := bufio.NewReader(output).ReadString('\n')
	address, parsing := url.Parse(strings.TrimSpace(line))
	if err != nil || parsing != nil {
		t.Fatal(line, err, parsing)
	}
	return func(what string, query url.Values, body any) map[string]any {
		t.Helper()
		to := url.URL{Scheme: "http", Host: address.Host, Path: "/api/" + what, RawQuery: query.Encode()}
		method, sent := http.MethodGet, []byte(nil)
		if body != nil {
			method = http.MethodPost
			if sent, err = json.Marshal(body); err != nil {
				t.Fatal(err)
			}
		}
		request, err := http.NewRequestWithContext(t.Context(), method, to.String(), bytes.NewReader(sent))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+address.Query().Get("token"))
		request.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		var answer map[string]any
		if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
			t.Fatalf("%s: %s: %v", what, response.Status, err)
		}
		return answer
	}
}

// TestPythonInterrupted ends a program, by an interrupt from the keyboard, whose class would not
// answer for an hour: the program waits for the call to begin, and then for the child no longer
// than it says. The child is gone with it.
func TestPythonInterrupted(t *testing.T) {
	sleep := "open('mark', 'w').write(str(__import__('os').getpid())); __import__('time').sleep(3600)"
	for name, way := range map[string]struct {
		from, to  string
		arguments []string
		want      string
	}{
		"in a step":         {"s = turn.state\n", "s = turn.state\n        if turn.step == 4: " + sleep + "\n", []string{"run", "s.yaml"}, "interrupted; finished work is saved"},
		"by workers":        {"s = turn.state\n", "s = turn.state\n        if turn.step == 4: " + sleep + "\n", []string{"run", "s.yaml", "--workers", "local:1"}, "interrupted; finished work is saved"},
		"while it is read":  {"class Mine", sleep + "\nclass Mine", []string{"validate", "s.yaml"}, "nobody waited for it any more"},
		"in an audit":       {"s = turn.state\n", "s = turn.state\n        if turn.step == 2: " + sleep + "\n", []string{"audit", "s.yaml"}, "interrupted"},
		"in a class's make": {"    def state", "    def __init__(self): " + sleep + "\n    def state", []string{"run", "s.yaml"}, "nobody waited for it any more"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder, starling := pythonRun(t, "0")
			text := strings.ReplaceAll(strings.Replace(mine, way.from, way.to, 1), "EXTRA", "0")
			if err := os.WriteFile(filepath.Join(folder, "mine.py"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			c := starling(way.arguments...)
			said := &said{}
			c.Stderr = said
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- c.Wait() }()
			var child int
			for child == 0 {
				select {
				case err := <-ended:
					t.Fatalf("it ended before the call: %v\n%s", err, said)
				case <-time.After(5 * time.Millisecond):
				}
				number, _ := os.ReadFile(filepath.Join(folder, "mark"))
				child, _ = strconv.Atoi(string(number))
			}
			if err := c.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			if err := <-ended; err == nil || !strings.Contains(said.String(), way.want) {
				t.Errorf("%v, want %q in\n%s", err, way.want, said)
			}
			if process, err := os.FindProcess(child); err == nil && process.Signal(syscall.Signal(0)) == nil {
				t.Errorf("the child %d goes on", child)
			}
		})
	}
}

// sided is a class that records how far apart its nodes are heard, with and without a side.
const sided = `
class Sided:
    metrics = {"near": {"text": "negative squared length of what is played", "better": "higher"},
               "far": {"text": "squared length of what is played", "better": "lower"},
               "plain": {"text": "squared length of what is played"}}
    def __init__(self, rate): self.rate = rate
    def state(self, start): return {"x": start}
    def sensitivity(self, step, bound): return bound
    def step(self, turn):
        s = turn.state
        if turn.step > 1: s["x"] = yield turn.project(turn.heard)
        square = (s["x"]**2).sum()
        for name, value in {"near": -square, "far": square, "plain": square}.items():
            turn.record(name, value)
        g = yield turn.play(s["x"])
        return (1 - self.rate) * s["x"]
`

// TestPythonSides has verbs and the page know, of finished runs, which side of a metric is better
// that a class declares: the marks of best arms, and the side of a comparison. Of one that
// declares no side they say nothing.
func TestPythonSides(t *testing.T) {
	folder, starling := pythonRun(t, "0")
	if err := os.WriteFile(filepath.Join(folder, "sided.py"), []byte(sided), 0o644); err != nil {
		t.Fatal(err)
	}
	said := func(arguments ...string) string {
		t.Helper()
		text, err := starling(arguments...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", arguments, err, text)
		}
		return string(text)
	}
	text, _, _ := strings.Cut(inPython, "algorithm:")
	_, rest, _ := strings.Cut(inPython, "gradient_bound: clip}\n")
	text += `algorithm: {kind: python, file: sided.py, name: Sided, theta: 1, gradient_bound: clip}
sweep: {grid: {algorithm.options.rate: [0.9, 0.01]}}
measure: {every: 12}
` + rest
	if err := os.WriteFile(filepath.Join(folder, "s.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	printed := said("run", "s.yaml", "--seeds", "8")
	run := "results/in-python/" + filepath.Base(onePath(t, filepath.Join(folder, "results", "in-python", "*")))
	// More of what is heard is kept at the rate 0.01, and so is more of the noise.
	var compared struct {
		Differences []struct{ Metric, Better string }
	}
	if err := json.Unmarshal([]byte(said("compare", "--json", run+":rate=0.01", run+":rate=0.9")), &compared); err != nil {
		t.Fatal(err)
	}
	sides := map[string]string{}
	for _, d := range compared.Differences {
		sides[d.Metric] = d.Better
	}
	if plain, there := sides["own.plain"]; sides["own.near"] != "second" || sides["own.far"] != "second" || plain != "" || !there {
		t.Errorf("compare says of the sides %v", sides)
	}
	page := askPage(t, starling("ui", "results"), "values", url.Values{})
	shown := map[string]string{}
	for _, table := range page["last"].([]any) {
		for _, row := range table.(map[string]any)["rows"].([]any) {
			shown[row.([]any)[0].(string)] = fmt.Sprint(row)
		}
	}
	for name, marked := range map[string]bool{"near": true, "far": true, "plain": false} {
		row := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` .*$`).FindString(printed)
		for _, row := range []string{row, shown[name]} {
			if row == "" || strings.Contains(row, "*") != marked {
				t.Errorf("the last values of %s are %q; a mark: %v", name, row, marked)
			}
		}
	}
}
