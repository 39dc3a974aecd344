package observatory_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"

	"starling/cmd/starling/command"
	"starling/scenarios"
	"starling/scenarios/loading"
	"starling/scenarios/observatory"
	"starling/scenarios/observatory/views"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
	"starling/scenarios/view"
)

// made is a folder with one small run, which tests copy.
var made = sync.OnceValues(func() (string, error) {
	out, err := os.MkdirTemp("", "starling-ui")
	if err != nil {
		return "", err
	}
	return out, simulate(out, "horizon=40", "seeds.count=3", "measure={every: 4}")
})

// asProgram has this test program be starling, for the runs that a page starts.
const asProgram = "STARLING_TEST_IS_THE_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		command.Main(scenarios.Catalog())
	}
	code := m.Run()
	if out, err := made(); err == nil {
		os.RemoveAll(out)
	}
	os.Exit(code)
}

// simulate runs dpdonc-localization into a folder.
func simulate(out string, set ...string) error {
	return simulateIn(context.Background(), out, nil, set...)
}

func simulateIn(ctx context.Context, out string, elsewhere runner.Elsewhere, set ...string) error {
	var list []loading.Override
	for _, text := range set {
		o, err := loading.ParseOverride(text)
		if err != nil {
			return err
		}
		list = append(list, o)
	}
	s, err := scenarios.Load("dpdonc-localization", list...)
	if err != nil {
		return err
	}
	_, err = runner.Run(s, ctx, runner.RunOptions{Out: out, Engine: runner.Lockstep, Build: "test", Version: "test", Elsewhere: elsewhere})
	return err
}

// gated makes the jobs of a run one after another and holds one until the gate opens, so
// that a run goes on for as long as a test wants.
type gated struct {
	*runner.Single
	held int
	gate <-chan struct{}
}

func (g *gated) Begin(_ context.Context, s *study.Scenario) (count int, err error) {
	g.Single, err = runner.NewSingle(s, runner.RunOptions{Engine: runner.Lockstep}, zerolog.Nop())
	return 1, err
}

func (g *gated) Run(ctx context.Context, i int, states runner.States, advance func(steps int)) (body []byte, by string, err error) {
	if i == g.held {
		select {
		case <-g.gate:
		case <-ctx.Done():
			return nil, "", ctx.Err()
		}
	}
	saved, err := states.Last()
	if err != nil {
		return nil, "", err
	}
	body, err = g.Single.Run(ctx, i, saved, states.Save, advance)
	return body, "this process", err
}

// folderOf copies the small run so many times, and returns the folder and the IDs.
func folderOf(t testing.TB, copies int) (dir string, ids []string) {
	t.Helper()
	source, err := made()
	if err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(source, "*", "*"))
	if err != nil || len(found) != 1 {
		t.Fatalf("runs %q, %v", found, err)
	}
	dir = t.TempDir()
	for i := range copies {
		id := "dpdonc-localization/" + strings.Repeat("0", 12-len(hexOf(i))) + hexOf(i)
		copyTree(t, found[0], filepath.Join(dir, filepath.FromSlash(id)))
		ids = append(ids, id)
	}
	return dir, ids
}

func hexOf(i int) string {
	const digits = "0123456789abcdef"
	text := ""
	for ; i > 0 || text == ""; i /= 16 {
		text = digits[i%16:i%16+1] + text
	}
	return text
}

// unread are folders of a run that no test of the page reads: pictures, and what later runs
// take over.
var unread = []string{"plots", "jobs"}

// copyTree copies a run by links, which are as good as files where nothing is written.
func copyTree(t testing.TB, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if entry.IsDir() && slices.Contains(unread, relative) {
			return fs.SkipDir
		}
		if entry.IsDir() {
			return os.MkdirAll(filepath.Join(to, relative), 0o755)
		}
		return os.Link(path, filepath.Join(to, relative))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// serve serves a folder until the test ends.
func serve(t testing.TB, dir string) *observatory.Server { return serveWith(t, dir, nil) }

// serveWith serves a folder, and a bench if there is one.
func serveWith(t testing.TB, dir string, bench *observatory.Bench) *observatory.Server {
	t.Helper()
	folder, err := views.NewFolder(dir, scenarios.NewLoader(""))
	if err != nil {
		t.Fatal(err)
	}
	s, err := observatory.Listen(observatory.Options{Folder: folder, Bench: bench, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return s
}

// tokenOf takes the address apart.
func tokenOf(t testing.TB, s *observatory.Server) (base, token string) {
	t.Helper()
	base, token, ok := strings.Cut(s.Address(), "/?token=")
	if !ok || len(token) != 32 || !strings.HasPrefix(base, "http://127.0.0.1:") {
		t.Fatalf("address %s", s.Address())
	}
	return base, token
}

// TestRefusals asks for what the server must not answer.
func TestRefusals(t *testing.T) {
	dir, ids := folderOf(t, 1)
	secret := filepath.Join(filepath.Dir(dir), "secret.yaml")
	if err := os.WriteFile(secret, []byte("description: SECRET\nhorizon: SECRET\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	// A run that is a link to outside, and one whose scenario is.
	outside := t.TempDir()
	copyTree(t, filepath.Join(dir, filepath.FromSlash(ids[0])), filepath.Join(outside, "run"))
	if err := os.Symlink(filepath.Join(outside, "run"), filepath.Join(dir, "dpdonc-localization", "cccccccccccc")); err != nil {
		t.Fatal(err)
	}
	linked := filepath.Join(dir, "dpdonc-localization", "dddddddddddd")
	copyTree(t, filepath.Join(outside, "run"), linked)
	if err := os.Remove(filepath.Join(linked, "scenario.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(linked, "scenario.yaml")); err != nil {
		t.Fatal(err)
	}
	s := serve(t, dir)
	base, token := tokenOf(t, s)
	run := "/api/run?id=" + ids[0]
	for _, test := range []struct {
		name, method, path string
		header             map[string]string
		body               string
		want               int
	}{
		{"with the token", "GET", run + "&token=" + token, nil, "", 200},
		{"with the token in a header", "GET", run, map[string]string{"Authorization": "Bearer " + token}, "", 200},
		{"of the page itself", "GET", run, map[string]string{"Authorization": "Bearer " + token, "Origin": base, "Sec-Fetch-Site": "same-origin"}, "", 200},
		{"the page", "GET", "/?token=" + token, map[string]string{"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate"}, "", 200},
		{"the page by a link", "GET", "/?token=" + token, map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, "", 200},
		{"the list", "GET", "/api/runs?token=" + token, nil, "", 200},
		{"no token", "GET", run, nil, "", 401},
		{"the page without a token", "GET", "/", nil, "", 401},
		{"a browser without a token", "GET", "/", map[string]string{"Accept": "text/html"}, "", 401},
		{"the page for browsers without a token, as a file", "GET", "/" + token + "/closed.html", nil, "", 404},
		{"another token", "GET", run + "&token=" + strings.Repeat("0", 32), nil, "", 401},
		{"a part of the token", "GET", run + "&token=" + token[:31], nil, "", 401},
		{"a bad header beside a good query", "GET", run + "&token=" + token, map[string]string{"Authorization": "Bearer x"}, "", 401},
		{"a file of the page without a token", "GET", "/main.js", nil, "", 401},
		{"a file of the page with another", "GET", "/" + strings.Repeat("0", 32) + "/main.js", nil, "", 401},
		{"another origin", "GET", run + "&token=" + token, map[string]string{"Origin": "http://example.org"}, "", 403},
		{"the origin null", "GET", run + "&token=" + token, map[string]string{"Origin": "null"}, "", 403},
		{"another port", "GET", run + "&token=" + token, map[string]string{"Origin": "http://127.0.0.1:1"}, "", 403},
		{"a script of another site", "GET", run + "&token=" + token, map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, "", 403},
		{"data by a link of another site", "GET", run + "&token=" + token, map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, "", 403},
		{"another host", "GET", run + "&token=" + token, map[string]string{"Host": "evil.example"}, "", 403},
		{"another name of this host", "GET", run + "&token=" + token, map[string]string{"Host": "localhost"}, "", 403},
		{"posted with the token in the query", "POST", "/api/runs?token=" + token, nil, "{}", 401},
		{"posted", "POST", "/api/runs", map[string]string{"Authorization": "Bearer " + token}, "{}", 405},
		{"a large body", "POST", "/api/runs", map[string]string{"Authorization": "Bearer " + token}, strings.Repeat("x", 1<<20+1), 413},
		{"nothing of the name", "GET", "/api/nothing?token=" + token, nil, "", 404},
		{"a path up", "GET", "/api/run?id=../secret.yaml&token=" + token, nil, "", 404},
		{"a path up from within", "GET", "/api/run?id=dpdonc-localization/../../secret.yaml&token=" + token, nil, "", 404},
		{"an absolute path", "GET", "/api/run?id=/etc&token=" + token, nil, "", 404},
		{"a path with a zero", "GET", "/api/run?id=a%00b&token=" + token, nil, "", 404},
		{"a link to outside", "GET", "/api/run?id=dpdonc-localization/cccccccccccc&token=" + token, nil, "", 404},
		{"a figure of a link to outside", "GET", "/api/figure?y=regret.run&id=dpdonc-localization/cccccccccccc&token=" + token, nil, "", 404},
		{"files beside the page's", "GET", "/" + token + "/..%2f..%2fpage.go", nil, "", 404},
		{"the page's template", "GET", "/" + token + "/page.html", nil, "", 404},
		{"a figure without a metric", "GET", "/api/figure?id=" + ids[0] + "&token=" + token, nil, "", 400},
		{"a band that is none", "GET", "/api/figure?y=regret.run&band=x&id=" + ids[0] + "&token=" + token, nil, "", 400},
	} {
		t.Run(test.name, func(t *testing.T) {
			response, text := scenariotest.Send(t, scenariotest.Request{Method: test.method, URL: base + test.path, Body: test.body, Header: test.header})
			if response.StatusCode != test.want {
				t.Errorf("%s %s: %s, want %d: %.300s", test.method, test.path, response.Status, test.want, text)
			}
			if strings.Contains(text, "SECRET") || strings.Contains(text, "root:") {
				t.Error("it shows a file outside of the folder")
			}
			if policy := response.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
				t.Errorf("policy %q", policy)
			}
		})
	}
	// A run whose scenario is a link is damaged, and shows nothing of what the link leads to.
	d := get[views.Detail](t, s, "run?id=dpdonc-localization/dddddddddddd")
	if strings.Contains(d.Scenario, "SECRET") || d.Status != "damaged" {
		t.Errorf("status %s, scenario %q", d.Status, d.Scenario)
	}
}

// get asks for JSON.
func get[V any](t testing.TB, s *observatory.Server, path string) (v V) {
	t.Helper()
	base, token := tokenOf(t, s)
	joint := "?"
	if strings.Contains(path, "?") {
		joint = "&"
	}
	response, err := http.Get(base + "/api/" + path + joint + "token=" + token)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v: %s", path, response.Status, err, text)
	}
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestListensOnLoopback checks that no other machine can reach the server, and that a port
// that is taken is an error.
func TestListensOnLoopback(t *testing.T) {
	dir, _ := folderOf(t, 1)
	s := serve(t, dir)
	base, _ := tokenOf(t, s)
	folder, err := views.NewFolder(dir, scenarios.NewLoader(""))
	if err != nil {
		t.Fatal(err)
	}
	port := 0
	for _, c := range base[strings.LastIndexByte(base, ':')+1:] {
		port = 10*port + int(c-'0')
	}
	if _, err := observatory.Listen(observatory.Options{Folder: folder, Port: port}); err == nil {
		t.Error("two servers on one port")
	}
	if _, err := observatory.Listen(observatory.Options{Folder: folder, Port: -1}); err == nil {
		t.Error("a port of -1")
	}
	if _, err := views.NewFolder(filepath.Join(dir, "nothing"), scenarios.NewLoader("")); err == nil {
		t.Error("a folder that is not there")
	}
}

// TestAnswers asks for each view of a run.
func TestAnswers(t *testing.T) {
	dir, ids := folderOf(t, 2)
	s := serve(t, dir)
	list := get[struct{ Runs []views.Entry }](t, s, "runs")
	if arms := list.Runs[0].Arms; len(arms) != 4 || arms[0].Name == "" || arms[0].Values != nil {
		t.Errorf("arms of the list %+v, want four names", arms)
	}
	if len(list.Runs) != 2 || list.Runs[0].ID != ids[0] || list.Runs[0].Status != "complete" {
		t.Fatalf("runs %+v", list.Runs)
	}
	if h := get[struct {
		Headlines map[string]view.Headline
	}](t, s, "headlines?id="+ids[0]+"&id="+ids[1]+"&id=nothing").Headlines; len(h) != 2 || h[ids[0]].Arm == "" || h[ids[0]] != h[ids[1]] && !h[ids[0]].Unbounded {
		t.Errorf("headlines %+v", h)
	}
	for text, want := range map[string]int{
		"localization": 2, "nothing-of-that": 0, "mechanism.epsilon<=1": 2, "mechanism.epsilon>7": 0, "nodes=6": 2, "epsilon=5 horizon=40": 2, "%23tag": 0,
	} {
		if found := get[struct{ IDs []string }](t, s, "search?q="+strings.NewReplacer("<", "%3C", ">", "%3E", " ", "+").Replace(text)); len(found.IDs) != want {
			t.Errorf("%q means %d runs, want %d", text, len(found.IDs), want)
		}
	}
	d := get[views.Detail](t, s, "run?id="+ids[0])
	if len(d.Arms) != 4 || len(d.Keys) != 1 || d.Keys[0] != "mechanism.epsilon" || len(d.Metrics) < 4 || !strings.Contains(d.Scenario, "dpdonc-localization") {
		t.Errorf("detail %+v", d)
	}
	if v := get[views.Values](t, s, "values?id="+ids[0]); len(v.Last) != 1 || len(v.Notes) == 0 || v.Last[0].Header[1] != "no noise" {
		t.Errorf("values %+v", v)
	}
	f := get[views.Figure](t, s, "figure?y=regret.expected&id="+ids[0])
	if len(f.Charts) != 1 || len(f.Charts[0].Series) != 4 || len(f.Charts[0].Series[0].Low) > 0 || !strings.Contains(fmt.Sprint(f.Remarks), "Without intervals: ") || f.Facets == nil {
		t.Errorf("figure %+v", f)
	}
	f = get[views.Figure](t, s, "figure?y=regret.expected&facet=mechanism.epsilon&id="+ids[0])
	if len(f.Charts) != 4 || f.Facets[0] != "ε = 0.5" {
		t.Errorf("%d charts, facets %q", len(f.Charts), f.Facets)
	}
	// The arm without noise has no place on the axis, and is a level line.
	f = get[views.Figure](t, s, "figure?y=regret.expected&x=mechanism.epsilon&log_x=true&id="+ids[0])
	if lines := f.Charts[0].Series; len(lines) != 2 || lines[0].Name != "arms by mechanism.epsilon" || lines[1].Name != "no noise" || lines[1].Y[0] != lines[1].Y[1] {
		t.Errorf("lines %+v", lines)
	}
	// Charts of one figure have axes of one length, and values give the colors.
	f = get[views.Figure](t, s, "figure?y=regret.expected&facet=mechanism.epsilon&hue=arm&id="+ids[0])
	if a, b := f.Charts[0], f.Charts[3]; len(a.RangeX) != 2 || !slices.Equal(a.RangeX, b.RangeX) || !slices.Equal(a.RangeY, b.RangeY) || a.Series[0].Color == b.Series[0].Color {
		t.Errorf("charts %+v and %+v", a, b)
	}
	p := get[views.Privacy](t, s, "privacy?id="+ids[0])
	if len(p.Ledger.Rows) == 0 || len(p.Charts) == 0 || len(p.Costly.Rows) == 0 {
		t.Errorf("privacy %+v", p)
	}
	c := get[views.Comparison](t, s, "compare?first="+ids[0]+"&second="+ids[0]+"&first_arm=epsilon%3D1&second_arm=epsilon%3D5")
	if len(c.Scenarios.Rows) != 1 || len(c.Differences.Rows) == 0 || len(c.Intervals) != len(c.Differences.Rows) {
		t.Errorf("comparison %+v", c)
	}
	against(t, s, ids)
}

// against compares all arms of runs with a baseline: without noise by itself, or the one asked for.
func against(t *testing.T, s *observatory.Server, ids []string) {
	t.Helper()
	all := get[views.Against](t, s, "against?run="+ids[0])
	if all.Baseline.Arm != "epsilon=none" || len(all.Arms) != 4 || len(all.Tables) == 0 || len(all.Tables[0].Rows) != 4 || all.Tables[0].Rows[0][0] != "no noise" {
		t.Errorf("against the usual baseline: %+v", all)
	}
	for _, table := range all.Tables {
		if len(table.Ratios) != len(table.Rows) {
			t.Errorf("%s: %d ratios of %d rows", table.Heading, len(table.Ratios), len(table.Rows))
		}
	}
	one := get[views.Against](t, s, "against?run="+ids[0]+"&run="+ids[1]+"&baseline="+ids[1]+"&arm=epsilon%3D1&metric=regret.run")
	if one.Baseline != (views.Side{ID: ids[1], Arm: "epsilon=1"}) || len(one.Tables) != 1 || len(one.Tables[0].Rows) < 5 || one.Tables[0].Rows[0][0] != one.Baseline.ID[len(one.Baseline.ID)-12:]+": ε = 1" {
		t.Errorf("against an arm of another run: %+v", one)
	}
	if text := strings.Join(one.Texts, " "); one.Tests > 0 && !strings.Contains(text, fmt.Sprintf("corrected by Holm's method for %d comparison", one.Tests)) {
		t.Errorf("%d tests: %s", one.Tests, text)
	}
}

// TestPairs asks what single nodes learn of each other.
func TestPairs(t *testing.T) {
	dir := t.TempDir()
	if err := simulate(dir, "horizon=8", "seeds.count=2", "measure={every: 4, pairs: true}", "sweep={grid: {mechanism.epsilon: [1, none]}}"); err != nil {
		t.Fatal(err)
	}
	s := serve(t, dir)
	p := get[views.Privacy](t, s, "privacy?id="+get[struct{ Runs []views.Entry }](t, s, "runs").Runs[0].ID)
	if len(p.Pairs) != 2 || len(p.Spread.Rows) != 2 || slices.Contains(p.Observers, "node 1") {
		t.Fatalf("%d maps, table %+v, observers %q", len(p.Pairs), p.Spread, p.Observers)
	}
	private, open := p.Pairs[0], p.Pairs[1]
	if len(private.Values) != 6 || len(private.Observers) != 6 || private.Units[0] != 1 {
		t.Fatalf("map %+v", private)
	}
	for i := range private.Values {
		for k, v := range private.Values[i] {
			// Of itself a node learns nothing that it has not; of others at least what one step costs.
			if (v == nil) != (i == k) || v != nil && (*v < 1 || *open.Values[i][k] != views.Unbounded) {
				t.Errorf("node %d of %d: %v, without noise %v", k+1, i+1, v, open.Values[i][k])
			}
		}
	}
}

// TestExports writes a figure in each format.
func TestExports(t *testing.T) {
	dir, ids := folderOf(t, 1)
	s := serve(t, dir)
	base, token := tokenOf(t, s)
	for format, want := range map[string]string{
		"svg": "<svg", "png": "\x89PNG", "pdf": "%PDF-", "csv": "series,x,y,low,high\nepsilon=0.5,", "py": "import matplotlib", "yaml": "plots:\n  - y: regret.expected\n    band: ci\n",
	} {
		response, err := http.Get(base + "/api/figure." + format + "?y=regret.expected&id=" + ids[0] + "&token=" + token)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || !strings.Contains(string(text[:min(len(text), 4000)]), want) {
			t.Errorf("%s, %v: %.100q, want %q in it", format, err, text, want)
		}
	}
	for path, want := range map[string]string{
		"privacy.csv?id=" + ids[0]: "series,x,y", "privacy.svg?id=" + ids[0] + "&observer=wire": "<svg", "overlay.csv?y=regret.expected&id=" + ids[0]: "series,x,y,low,high",
		"privacy.yaml?id=" + ids[0]: "nothing is called", "privacy.csv?unit=x&id=" + ids[0]: "want a number from 0 on", "pairs.png?id=" + ids[0]: "has not accounted for the losses to single nodes", "pairs.csv?id=" + ids[0]: "unknown format",
	} {
		response, err := http.Get(base + "/api/" + path + "&token=" + token)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || !strings.Contains(string(text[:min(len(text), 4000)]), want) {
			t.Errorf("%s, %v: %.100q, want %q in it", path, err, text, want)
		}
	}
}
