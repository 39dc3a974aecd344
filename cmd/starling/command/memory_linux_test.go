package command

import (
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"syscall"
	"testing"
)

// foretold is the memory that a dry run foretells.
var foretold = regexp.MustCompile(`memory  about ([0-9.]+) (KiB|MiB|GiB)`)

// mostOff is by which factor forecasts of memory may be wrong.
const mostOff = 1.5

// TestForecastsOfMemory holds the memory that dry runs foretell against the peak of
// the process that runs the same.
func TestForecastsOfMemory(t *testing.T) {
	units := map[string]float64{"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
	for _, args := range [][]string{
		{"dpdonc-localization", "--seeds", "2"},
		{"network-scaling", "--seeds", "1", "--set", "sweep=null", "--set", "nodes=20000", "--set", "horizon=5"},
		{"ofl-logistic", "--seeds", "1", "--set", "sweep=null", "--set", "mechanism={kind: optimal, epsilon: 1, delta: 1e-3}",
			"--set", "nodes=2", "--set", "horizon=20000", "--set", "measure={every: 20000, metrics: [accuracy.test]}", "--set", "plots=[]"},
		{"privacy-observers", "--set", "horizon=16"},
	} {
		t.Run(fmt.Sprint(args), func(t *testing.T) {
			dry, err := exec.Command("starling", append([]string{"run", "--dry-run"}, args...)...).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, dry)
			}
			parts := foretold.FindStringSubmatch(string(dry))
			if parts == nil {
				t.Fatalf("no forecast of memory:\n%s", dry)
			}
			foretold, _ := strconv.ParseFloat(parts[1], 64)
			foretold *= units[parts[2]]
			run := exec.Command("starling", append([]string{"run", "--quiet", "--out", t.TempDir()}, args...)...)
			if text, err := run.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			peak := float64(run.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) * 1024
			t.Logf("foretold %.3g MiB, peak %.3g MiB, %.3g times it", foretold/(1<<20), peak/(1<<20), foretold/peak)
			if foretold > mostOff*peak || peak > mostOff*foretold {
				t.Errorf("%.3g MiB are foretold, and the peak is %.3g MiB; want it within a factor of %v", foretold/(1<<20), peak/(1<<20), mostOff)
			}
		})
	}
}
