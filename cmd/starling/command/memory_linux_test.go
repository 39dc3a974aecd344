package command

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
	"time"
)

// foretold is the memory that a dry run foretells.
var foretold = regexp.MustCompile(`memory  about ([0-9.]+) (KiB|MiB|GiB)`)

// highWater is the most memory that a process has had.
var highWater = regexp.MustCompile(`VmHWM:\s+([0-9]+) kB`)

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
			var peak float64
			for range 2 { // peaks differ by when memory is collected
				peak = max(peak, peakOf(t, append([]string{"run", "--quiet", "--out", t.TempDir()}, args...)...))
			}
			t.Logf("foretold %.3g MiB, peak %.3g MiB, %.3g times it", foretold/(1<<20), peak/(1<<20), foretold/peak)
			if foretold > mostOff*peak || peak > mostOff*foretold {
				t.Errorf("%.3g MiB are foretold, and the peak is %.3g MiB; want it within a factor of %v", foretold/(1<<20), peak/(1<<20), mostOff)
			}
		})
	}
}

// peakOf runs the command and returns the most memory that it had, in bytes. What the system
// says of an ended process counts the process that started it, up to the start.
func peakOf(t *testing.T, args ...string) (peak float64) {
	t.Helper()
	run := exec.Command("starling", args...)
	output := &said{}
	run.Stdout, run.Stderr = output, output
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- run.Wait() }()
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("%v\n%s", err, output)
			}
			return peak
		case <-time.After(time.Millisecond):
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", run.Process.Pid)) // of a process that has just ended there is none
			if found := highWater.FindSubmatch(status); found != nil {
				peak, _ = strconv.ParseFloat(string(found[1]), 64)
				peak *= 1024
			}
		}
	}
}
