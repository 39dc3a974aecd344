package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"starling/scenarios"
	"starling/scenarios/loading"
	"starling/scenarios/observatory"
	"starling/scenarios/observatory/views"
	"starling/scenarios/results/report"
	"starling/scenarios/results/report/browsertest"
	"starling/scenarios/runner"
)

// BenchmarkPage measures from the address to the picture on the screen, in Chromium: the
// table of 1,000 runs, and the figure of 100 curves of 1,000 points, beside a page with
// nothing but uPlot and the same points. Targets on an idle machine: 300 ms, and at most 1.5 times the
// bare page.
func BenchmarkPage(b *testing.B) {
	ctx := browsertest.Start(b, 10*time.Minute)
	b.Run("table", func(b *testing.B) {
		dir, source := b.TempDir(), b.TempDir()
		simulate(b, source, "horizon=20", "seeds.count=2")
		for i := range 1000 {
			linkTree(b, onlyRun(b, source), filepath.Join(dir, "dpdonc-localization", fmt.Sprintf("%012x", i)))
		}
		tab := painted(b, ctx)
		address := serveFolder(b, dir) + "#/runs"
		var times []float64
		for b.Loop() {
			times = append(times, tab.time(address))
		}
		b.ReportMetric(median(times), "ms/paint")
	})
	b.Run("figure", func(b *testing.B) {
		dir := b.TempDir()
		var epsilons []string
		for i := range 100 {
			epsilons = append(epsilons, fmt.Sprint(0.5+0.1*float64(i)))
		}
		simulate(b, dir, "horizon=1000", "seeds.count=1", "measure={every: 1}", "sweep={grid: {mechanism.epsilon: ["+strings.Join(epsilons, ", ")+"]}}")
		id, err := filepath.Rel(dir, onlyRun(b, dir))
		if err != nil {
			b.Fatal(err)
		}
		base := serveFolder(b, dir)
		address := base + "#/run/" + url.PathEscape(filepath.ToSlash(id)) + "/figures?y=target.error"
		bare := barePage(b, base, filepath.ToSlash(id))
		tab := painted(b, ctx)
		var times, bares, ratios []float64
		for b.Loop() {
			times, bares = append(times, tab.time(address)), append(bares, tab.time(bare))
			ratios = append(ratios, times[len(times)-1]/bares[len(bares)-1])
		}
		b.ReportMetric(median(times), "ms/paint")
		b.ReportMetric(median(bares), "ms/bare")
		b.ReportMetric(median(ratios), "ratio")
	})
}

// screen is a tab that tells when the page has painted what it marks as shown.
type screen struct{ *browsertest.Tab }

// painted opens a tab. The frame after the one in which a mark was set is on the screen when
// the next begins.
func painted(b *testing.B, ctx context.Context) screen {
	tab := browsertest.Open(b, ctx, "about:blank", "body")
	tab.Before(`new PerformanceObserver((list) => {
		if (list.getEntries().some((mark) => mark.name.endsWith("-shown"))) requestAnimationFrame(() => requestAnimationFrame(() => { window.paintedAt = performance.now(); }));
	}).observe({ entryTypes: ["mark"] });`)
	return screen{tab}
}

// time is how many milliseconds a page takes, from the begin of its navigation.
func (s screen) time(address string) float64 {
	s.T.Helper()
	s.Do(chromedp.Navigate("about:blank"), chromedp.Navigate(address)) // each document anew
	s.Until("the picture", `window.paintedAt !== undefined`)
	return browsertest.Value[float64](s.Tab, `window.paintedAt`)
}

// simulate runs a small scenario into a folder.
func simulate(b *testing.B, dir string, overrides ...string) {
	b.Helper()
	var list []loading.Override
	for _, text := range overrides {
		o, err := loading.ParseOverride(text)
		if err != nil {
			b.Fatal(err)
		}
		list = append(list, o)
	}
	s, err := scenarios.Load("dpdonc-localization", list...)
	if err == nil {
		_, err = runner.Run(s, b.Context(), runner.RunOptions{Out: dir, Engine: runner.Lockstep, Build: "bench", Version: "bench"})
	}
	if err != nil {
		b.Fatal(err)
	}
}

// onlyRun is the folder of the only run of a folder of results.
func onlyRun(b *testing.B, dir string) string {
	b.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil || len(found) != 1 {
		b.Fatalf("runs %q, %v", found, err)
	}
	return found[0]
}

// linkTree copies a folder by links.
func linkTree(b *testing.B, from, to string) {
	b.Helper()
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return os.MkdirAll(filepath.Join(to, relative), 0o755)
		}
		return os.Link(path, filepath.Join(to, relative))
	})
	if err != nil {
		b.Fatal(err)
	}
}

// serveFolder serves a folder of results until the benchmark ends, and returns the address of
// the page.
func serveFolder(b *testing.B, dir string) string {
	b.Helper()
	folder, err := views.NewFolder(dir, scenarios.NewLoader(""))
	if err != nil {
		b.Fatal(err)
	}
	s, err := observatory.Listen(observatory.Options{Folder: folder, Version: "bench"})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	b.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			b.Errorf("Serve: %v", err)
		}
	})
	return s.Address()
}

// barePage serves a page with the points of the figure and nothing but uPlot, and returns its
// address.
func barePage(b *testing.B, base, id string) string {
	b.Helper()
	host, token, _ := strings.Cut(base, "/?token=")
	answer, err := http.Get(host + "/api/figure?" + url.Values{"id": {id}, "y": {"target.error"}, "token": {token}}.Encode())
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		b.Fatal(err)
	}
	var figure struct {
		Charts []struct {
			X      [][]float64
			Series []struct {
				Y     []float64
				Color string
			}
		}
	}
	if err := json.Unmarshal(text, &figure); err != nil || len(figure.Charts) != 1 || len(figure.Charts[0].X) != 1 || len(figure.Charts[0].Series) != 100 || len(figure.Charts[0].X[0]) < 1000 {
		b.Fatalf("the figure has not 100 curves of 1,000 points: %v, %.200s", err, text)
	}
	data, colors := [][]float64{figure.Charts[0].X[0]}, []string{}
	for _, s := range figure.Charts[0].Series {
		data, colors = append(data, s.Y), append(colors, s.Color)
	}
	points, err := json.Marshal(map[string]any{"data": data, "colors": colors})
	if err != nil {
		b.Fatal(err)
	}
	page := `<!DOCTYPE html><meta charset="utf-8"><title>bare</title><style>` + report.ChartLibraryStyle + `</style><body><script>` + report.ChartLibrary + `</script><script>
		const { data, colors } = ` + string(points) + `;
		new uPlot({ width: 992, height: 360, scales: { x: { time: false } }, series: [{}, ...colors.map((stroke) => ({ stroke, width: 2, points: { show: false } }))] }, data, document.body);
		performance.mark("bare-shown");
	</script>`
	bare := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, page)
	}))
	b.Cleanup(bare.Close)
	return bare.URL
}
