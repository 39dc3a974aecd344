package command

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
	"time"

	"starling/scenarios/testneeds"
)

// foretold is the memory that a dry run foretells.
var foretold = regexp.MustCompile(`memory  about ([0-9.]+) (KiB|MiB|GiB)`)

// highWater is the most memory that a process has had.
var highWater = regexp.MustCompile(`VmHWM:\s+([0-9]+) kB`)

// By which factors forecasts of memory may be too large and too small: --memory relies on
// them, and so they may hardly be too small. Peaks differ by a few per cent, by when memory is
// collected.
const (
	mostAbove = 2
	mostBelow = 1.15
)

// TestForecastsOfMemory holds the memory that dry runs foretell against the peak of
// the process that runs the same.
func TestForecastsOfMemory(t *testing.T) {
	testneeds.Slow(t)
	units := map[string]float64{"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
	for _, args := range [][]string{
		{"dpdonc-localization", "--seeds", "2"},
		{"network-scaling", "--seeds", "1", "--set", "sweep=null", "--set", "nodes=20000", "--set", "horizon=5"},
		{"ofl-logistic", "--seeds", "1", "--set", "sweep=null", "--set", "mechanism={kind: optimal, epsilon: 1, delta: 1e-3}",
			"--set", "nodes=2", "--set", "horizon=20000", "--set", "measure={every: 20000, metrics: [accuracy.test]}", "--set", "plots=[]"},
		{"privacy-observers", "--set", "horizon=16"},
		// The data of a job, which nobody shares; and buffers that fill in the first steps.
		{"scale-gossip", "--set", "horizon=800", "--set", "topology={kind: random-regular, degree: 6}"},
		{"scale-gossip", "--set", "nodes=20000", "--set", "horizon=100", "--set", "problem.set.dimension=30", "--set", "topology={kind: random-regular, degree: 6}"},
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
			if foretold > mostAbove*peak || peak > mostBelow*foretold {
				t.Errorf("%.3g MiB are foretold, and the peak is %.3g MiB; want at most %v times it, and it at most %v times what is foretold", foretold/(1<<20), peak/(1<<20), mostAbove, mostBelow)
			}
		})
	}
}

// TestForecastsTakeLittle has dry runs foretell what is larger than they may take themselves: the
// peak of each is a fraction of what a run would take, and what does not fit is refused with what
// it needs.
func TestForecastsTakeLittle(t *testing.T) {
	testneeds.Slow(t)
	const most = 350 << 20 // of a million participants the run takes 2 GiB or more
	federated := []string{"scale-federated", "--set", "sweep=null", "--set", "problem.dimension=10"}
	for _, test := range []struct {
		args    []string
		nodes   int
		memory  string
		refused string // empty where it fits
	}{
		{[]string{"scale-gossip"}, 1_000_000, "30GiB", ""},
		{federated, 1_000_000, "30GiB", ""},
		{[]string{"scale-gossip"}, 10_000_000, "3GiB", "the run takes about [0-9.]+ GiB of memory, and may take 3 GiB"},
		{append(federated, "--set", "problem.dimension=5"), 10_000_000, "3GiB", "the run takes about [0-9.]+ GiB of memory, and may take 3 GiB"},
		{[]string{"scale-gossip"}, 200_000, "400MB", "the run takes about [0-9.]+ [MG]iB of memory, and may take 381 MiB"},
		// What cannot have fewer nodes is not measured where it cannot fit.
		{[]string{"scale-gossip", "--set", "topology={kind: torus, sides: [1000, 1000]}"}, 1_000_000, "80MB", "the run takes at least [0-9.]+ MiB of memory, and may take 76.3 MiB"},
	} {
		t.Run(fmt.Sprint(test.args[0], test.nodes, test.memory), func(t *testing.T) {
			args := append([]string{"run", "--dry-run", "--memory", test.memory, "--set", fmt.Sprintf("nodes=%d", test.nodes)}, test.args...)
			peak, output, err := peakAndOutput(t, args...)
			if (err != nil) != (test.refused != "") || !regexp.MustCompile(test.refused).MatchString(output) {
				t.Errorf("%v\n%s", err, output)
			}
			if peak > most {
				t.Errorf("the peak is %.3g MiB, want at most %d", peak/(1<<20), most>>20)
			}
		})
	}
}

// peakOf is peakAndOutput of a command that ends with success.
func peakOf(t *testing.T, args ...string) float64 {
	t.Helper()
	peak, output, err := peakAndOutput(t, args...)
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return peak
}

// peakAndOutput runs the command and returns the most memory that it had, in bytes. What the system
// says of an ended process counts the process that started it, up to the start.
func peakAndOutput(t *testing.T, args ...string) (peak float64, printed string, err error) {
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
			return peak, output.String(), err
		case <-time.After(time.Millisecond):
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", run.Process.Pid)) // of a process that has just ended there is none
			if found := highWater.FindSubmatch(status); found != nil {
				peak, _ = strconv.ParseFloat(string(found[1]), 64)
				peak *= 1024
			}
		}
	}
}
