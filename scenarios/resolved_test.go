package scenarios_test

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"starling/scenarios"
	"starling/scenarios/guide"
	"starling/scenarios/loading"
	"starling/scenarios/runner"
	"starling/scenarios/testneeds"
)

// TestResolvedRunsTheSame loads every scenario of the library from its resolved text, and
// runs it on actors: every third of them in quick tests. It gives the digest that the golden
// run of the scenario has, which is in lockstep. The numbers of shards and cores take turns.
func TestResolvedRunsTheSame(t *testing.T) {
	golden, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	catalog := scenarios.Catalog()
	g, err := guide.New(&catalog)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range loading.Library() {
		t.Run(name, func(t *testing.T) {
			if testing.Short() {
				t.Parallel() // the number of cores stays what it is
			}
			text, err := g.Resolved(testLoader(t), small(t, name), "", "")
			if err != nil {
				t.Fatal(err)
			}
			if !testneeds.Some(i, 3) {
				return
			}
			s := loadText(t, string(text))
			again, err := g.Resolved(testLoader(t), s, "", "")
			if err != nil || stripped(again) != stripped(text) {
				t.Errorf("%v: resolved again it is\n%s", err, again)
			}
			if !testneeds.Some(i, 6) {
				return
			}
			cores := coresOf()
			engines := enginesOf(s, cores)[len(cores):] // the first are lockstep
			e := engines[i%len(engines)]
			digest := digestOn(t, s, e)
			if runtime.GOARCH == "amd64" && strings.Contains(string(golden), goldenLine(name, goldenPart{"digest", digest + "\n"})+"\n") {
				return
			}
			// Other processors have no golden digests.
			if lockstep := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Digest; runtime.GOARCH == "amd64" || digest != lockstep {
				t.Errorf("%d shards, GOMAXPROCS %d: digest %s, and %s in lockstep; the golden digest is that of neither, or of one, of\n%s", e.Shards, e.cores, digest, lockstep, text)
			}
		})
	}
}

// stripped is a resolved text without comments.
func stripped(text []byte) string {
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		if line, _, _ = strings.Cut(line, "# "); strings.TrimSpace(line) != "" {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
	return b.String()
}
