package results

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExportRows(t *testing.T) {
	run, err := Open(writeRun(t))
	must(t, err)
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

func TestExportSummary(t *testing.T) {
	run, err := Open(writeRun(t))
	must(t, err)
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
	run, err := Open(writeRun(t))
	must(t, err)
	if err := ExportRows(fullWriter{}, run); !errors.Is(err, errFull) {
		t.Errorf("ExportRows: %v", err)
	}
	if err := ExportSummary(fullWriter{}, run); !errors.Is(err, errFull) {
		t.Errorf("ExportSummary: %v", err)
	}
}
