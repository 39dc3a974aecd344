package scenarios_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"starling/scenarios"
	"starling/scenarios/guide"
	"starling/scenarios/loading"
	"starling/scenarios/runner"
)

// TestResolvedRunsTheSame loads every scenario of the library from its resolved text. It
// gives the digest that the golden run of the scenario has.
func TestResolvedRunsTheSame(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the golden results are those of amd64")
	}
	golden, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	catalog := scenarios.Catalog()
	g, err := guide.New(&catalog)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range loading.Library() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := g.Resolved(testLoader(t), small(t, name), "", "")
			if err != nil {
				t.Fatal(err)
			}
			s := loadText(t, string(text))
			again, err := g.Resolved(testLoader(t), s, "", "")
			if err != nil || stripped(again) != stripped(text) {
				t.Errorf("%v: resolved again it is\n%s", err, again)
			}
			digest := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Digest
			sum := sha256.Sum256([]byte(digest + "\n"))
			if want := fmt.Sprintf("%s digest %s\n", name, hex.EncodeToString(sum[:8])); !strings.Contains(string(golden), want) {
				t.Errorf("the digest is not the golden one, of\n%s", text)
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
