package scenarios_test

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"starling/scenarios/accounts"
	"starling/scenarios/auditing"
	"starling/scenarios/inputs"
	"starling/scenarios/jobs"
	"starling/scenarios/loading"
	"starling/scenarios/results"
	"starling/scenarios/results/checkpoint"
	"starling/scenarios/runner"
	"starling/scenarios/study"
	"starling/scenarios/testneeds"
)

// Where the golden hashes are not those of the run, the texts that they are of
// tell what has changed: write those of two commits into two folders, and
// compare.
var (
	updateGolden = flag.Bool("update-golden", false, "write testdata/golden.txt anew")
	goldenTexts  = flag.String("golden-texts", "", "write the texts behind the golden hashes into this folder")
)

// goldenFile has a line for everything that users see of a small run of every
// scenario of the library: name, part, SHA-256.
const goldenFile = "testdata/golden.txt"

// TestGolden holds all that users see of the library's scenarios at a small size:
// what does not change on purpose must not change. The ledgers of these runs agree with the
// messages, and the digests are those of other runs in TestResolvedRunsTheSame. Audits are
// held where slow tests are wanted. Other processors than amd64 have other elementary functions, whose last bits differ.
func TestGolden(t *testing.T) {
	names := loading.Library()
	lines := make([][]string, len(names))
	t.Run("scenarios", func(t *testing.T) {
		for i, name := range names {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				lines[i] = goldenLines(t, name)
			})
		}
	})
	if runtime.GOARCH != "amd64" {
		t.Skip("the golden results are those of amd64")
	}
	got := slices.Concat(lines...)
	if *updateGolden {
		writeText(t, goldenFile, strings.Join(got, "\n")+"\n")
		return
	}
	text, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("not as in %s: %s", goldenFile, line)
		}
	}
	for _, line := range want {
		part := line[:strings.LastIndexByte(line, ' ')+1]
		if strings.HasSuffix(part, " audit ") && !goldenAudits() {
			continue
		}
		if !slices.ContainsFunc(got, func(g string) bool { return strings.HasPrefix(g, part) }) {
			t.Errorf("only in %s: %s", goldenFile, line)
		}
	}
}

// goldenAudits reports whether audits are made, which take most of the time.
func goldenAudits() bool { return testneeds.SlowWanted() || *updateGolden }

// goldenLines are those of a scenario.
func goldenLines(t *testing.T, name string) (lines []string) {
	for _, part := range goldenParts(t, name) {
		lines = append(lines, goldenLine(name, part))
		if *goldenTexts != "" {
			writeText(t, filepath.Join(*goldenTexts, name+"."+part.name+".txt"), part.text)
		}
	}
	return lines
}

// goldenLine is the line of a part of a scenario.
func goldenLine(name string, part goldenPart) string {
	sum := sha256.Sum256([]byte(part.text))
	return fmt.Sprintf("%s %s %s", name, part.name, hex.EncodeToString(sum[:8]))
}

func writeText(t testing.TB, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// goldenPart is one of the things that users see of a scenario.
type goldenPart struct{ name, text string }

// goldenParts runs a scenario at a small size, and audits it.
func goldenParts(t *testing.T, name string) (parts []goldenPart) {
	s := small(t, name)
	add := func(name string, values ...any) {
		var b strings.Builder
		for _, v := range values {
			fmt.Fprintf(&b, "%+v\n", v)
		}
		parts = append(parts, goldenPart{name, b.String()})
	}
	folder, err := results.Create(t.TempDir(), results.Options{Plan: runner.ResultsPlan(s), Scenario: s.Document.Bytes()})
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	store, err := checkpoint.Open(t.TempDir(), runner.Identity(s, ""))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	c := runner.NewCollector(s, folder)
	var privacy []any
	err = runner.RunJobs(s, t.Context(), runner.RunOptions{Engine: runner.Lockstep}, store, zerolog.Nop(), func(r *jobs.Result) error {
		for _, row := range r.Privacy {
			privacy = append(privacy, row)
		}
		return c.Take(r)
	})
	if err != nil {
		t.Fatal(err)
	}
	summary := folder.SummaryRows()
	add("scenario", string(s.Document.Bytes()))
	add("digest", c.Digest())
	add("summary", anys(summary)...)
	add("privacy", privacy...)
	add("notes", anys(c.Notes)...)
	add("warnings", anys(c.Warnings)...)
	checkLedger(t, c.Warnings)
	checkDigits(t, s, c.Notes, c.Warnings)
	var entries []any
	for _, e := range accounts.LedgerEntries(s) {
		// The extent of units and the number of a claim came later, and say nothing that the unit
		// and the claim do not say. Deltas of units' own came later, too, and are left out where there are none.
		if e.ClaimedEpsilon != nil && !strings.Contains(e.Claimed, fmt.Sprintf("%.6g", *e.ClaimedEpsilon)) {
			t.Errorf("the claim %q has the number %v", e.Claimed, *e.ClaimedEpsilon)
		}
		e.ClaimedEpsilon = nil
		text := strings.Replace(fmt.Sprintf("%+v", e), " Protects:"+e.Protects+" ", " ", 1)
		entries = append(entries, strings.NewReplacer(" ClaimedEpsilon:<nil>", "", " LeastDelta:0 LargestDelta:0", "").Replace(text))
	}
	add("ledger", entries...)
	var figures []any
	for _, f := range c.Draw(summary) {
		// Fields that figures gained later are left out where they are not set: a curve is a
		// line, and panels share their axes. The hashes of other figures stay.
		cells := f.Figure.Cells
		f.Figure.Cells = nil  // an address
		f.Figure.XMarks = nil // they follow from the points
		text := strings.NewReplacer(" Dots:false", "", " Share:false", "", " Unbanded:false", "", " Stacked:false", "", " FromZero:false", "", " Caption:[]", "", " Categories:[]", "", " Cells:<nil>", "", " XMarks:[]", "").Replace(fmt.Sprintf("%+v", f.Figure))
		if cells != nil {
			text += strings.Replace(fmt.Sprintf(" %+v", *cells), " Blocks:[]", "", 1)
		}
		figures = append(figures, f.Name+" "+text)
	}
	add("figures", figures...)
	if goldenAudits() && !slices.Contains(auditedElsewhere, name) {
		add("audit", goldenAudit(t, s)...)
	}
	return parts
}

// checkLedger fails if the ledger of a run contradicts the messages that were sent.
func checkLedger(t *testing.T, warnings []results.Warning) {
	t.Helper()
	for _, w := range warnings {
		if w.Code == "ledger" {
			t.Errorf("%s: %s", w.Arm, w.Message)
		}
	}
}

// long is a number with more than ten digits, as binary fractions have.
var long = regexp.MustCompile(`\d\.\d{10,}|0\.\d{16,}`)

// checkDigits holds the texts about a run to numbers that people read.
func checkDigits(t *testing.T, s *study.Scenario, notes []results.Note, warnings []results.Warning) {
	t.Helper()
	var texts []string
	for _, arm := range s.Arms {
		texts = append(texts, arm.Privacy.Claimed())
	}
	for _, n := range notes {
		if n.Key != inputs.DataNote { // which names a file by its contents
			texts = append(texts, n.Arm+" "+n.Key+": "+n.Value)
		}
	}
	for _, w := range warnings {
		texts = append(texts, w.Arm+" "+w.Message)
	}
	for _, text := range texts {
		if long.MatchString(text) {
			t.Error(text)
		}
	}
}

// auditedElsewhere are scenarios that differ from others only in how long they run, in
// who has which data, or in the model, in place of which an audit has a canary. Their audits
// would be made a second time.
var auditedElsewhere = []string{
	"ali-cifar10", "ali-cifar10-158", "ali-cifar10-317", "ali-fmnist-158", "ali-fmnist-317", "ali-fmnist-cnn", "ali-fmnist-labels",
	"ofl-cnn-mnist-v1", "scale-workers", "svt-movielens", "svt-realizable-seeds",
}

// goldenAudit are the findings of an audit of the scenario.
func goldenAudit(t *testing.T, s *study.Scenario) (texts []any) {
	findings, err := auditing.Audit(s, t.Context(), auditing.Options{Samples: auditing.FewestAudited, Confidence: 0.95, Noise: 1, Data: testLoader(t).Data})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		noise := fmt.Sprintf("%+v", f.Noise)
		if f.Noise != nil {
			noise = fmt.Sprintf("%+v", *f.Noise)
		}
		f.Noise = nil
		// An audit without a time limit has drawn all samples that were asked for, and no
		// scenario of the library moves a release further than its books state.
		text := strings.NewReplacer(" Asked:0", "", " Beyond:0 ", " ").Replace(fmt.Sprintf("%+v", f))
		texts = append(texts, fmt.Sprintf("%s noise %s", text, noise))
	}
	return texts
}

func anys[T any](list []T) []any {
	values := make([]any, len(list))
	for i, v := range list {
		values[i] = v
	}
	return values
}
