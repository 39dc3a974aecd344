package results

import (
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// written is a complete run of two arms, the second of which needs quotes, and three seeds: rows
// of the run and of nodes, NaN and infinities among them.
func written(t *testing.T) *Run {
	t.Helper()
	plan := Plan{Arms: []string{"base", `eps=1, "ring"`}, Seeds: Seeds{Base: math.MaxUint64 - 2, Count: 3}}
	dir := filepath.Join(t.TempDir(), "run")
	folder, err := Create(dir, Options{Plan: plan, Scenario: []byte("name: demo\n")})
	must(t, err)
	for _, arm := range plan.Arms {
		for i := range plan.Seeds.Count {
			job := NewJob(arm, plan.Seeds.Base+uint64(i))
			for step := int64(1); step <= 2; step++ {
				job.Add(step, "regret.network", float64(step)+float64(i/2*3))
				job.AddNode(step, 0, "loss", math.NaN())
				job.AddNode(step, 7, "loss", float64(step)/3)
			}
			job.Add(2, "distance", math.Inf(1))
			must(t, folder.WriteJob(job))
		}
	}
	must(t, folder.AddSummary(SummaryRow{Arm: "base", Step: 2, Metric: "regret.expected", Mean: 0.25, SE: 0.125, N: 3}))
	must(t, folder.Commit(Manifest{
		Scenario: "demo", Hash: "0123abcd", Status: StatusComplete, Digest: "00ff", Arms: []ArmEntry{{Name: plan.Arms[0]}, {Name: plan.Arms[1]}},
		Seeds: plan.Seeds, FirstStep: 1, Horizon: 2, Versions: CurrentVersions("test"),
	}))
	must(t, folder.Close())
	run, err := Open(dir)
	must(t, err)
	return run
}

func TestRows(t *testing.T) {
	run := written(t)
	var text strings.Builder
	must(t, ExportRows(&text, run))
	lines := strings.Split(text.String(), "\n")
	got := append(lines[:8:8], lines[len(lines)-2:]...)
	want := []string{
		"arm,seed,step,node,metric,value",
		"base,18446744073709551613,1,,regret.network,1",
		"base,18446744073709551613,1,0,loss,",
		"base,18446744073709551613,1,7,loss,0.3333333333333333",
		"base,18446744073709551613,2,,regret.network,2",
		"base,18446744073709551613,2,0,loss,",
		"base,18446744073709551613,2,7,loss,0.6666666666666666",
		"base,18446744073709551613,2,,distance,inf",
		`"eps=1, ""ring""",18446744073709551615,2,,distance,inf`,
		"",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if want := 1 + 6*7 + 1; len(lines) != want {
		t.Errorf("%d lines, want %d", len(lines), want)
	}
}

func TestSummary(t *testing.T) {
	run := written(t)
	var text strings.Builder
	must(t, ExportSummary(&text, run))
	want := `arm,step,metric,mean,se,n
base,1,regret.network,2,1,3
base,2,distance,inf,0,3
base,2,regret.expected,0.25,0.125,3
base,2,regret.network,3,1,3
"eps=1, ""ring""",1,regret.network,2,1,3
"eps=1, ""ring""",2,distance,inf,0,3
"eps=1, ""ring""",2,regret.network,3,1,3
`
	if diff := cmp.Diff(want, text.String()); diff != "" {
		t.Error(diff)
	}
}

func TestCSVFloat(t *testing.T) {
	tests := map[float64]string{0.1: "0.1", 1e6: "1e+06", -2.5e-7: "-2.5e-07", 3: "3", math.Inf(1): "inf", math.Inf(-1): "-inf"}
	for x, want := range tests {
		if got := csvFloat(x); got != want {
			t.Errorf("%v: %q, want %q", x, got, want)
		}
	}
	if got := csvFloat(math.NaN()); got != "" {
		t.Errorf("NaN: %q", got)
	}
}

type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, errFull }

var errFull = errors.New("full")

func TestExportReportsWriteErrors(t *testing.T) {
	run := written(t)
	if err := ExportRows(fullWriter{}, run); !errors.Is(err, errFull) {
		t.Errorf("ExportRows: %v", err)
	}
	if err := ExportSummary(fullWriter{}, run); !errors.Is(err, errFull) {
		t.Errorf("ExportSummary: %v", err)
	}
}
