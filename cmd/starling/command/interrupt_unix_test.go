//go:build unix

package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"starling/scenarios/results/live"
	"starling/scenarios/testneeds"
)

// fits has noise that takes long to be factorised, before the first step of a run.
const fits = `version: 1
name: fits
horizon: 400000
nodes: 1
algorithm: {kind: ofl, tau: 1, local_step: 0.1}
problem: {kind: synthetic-logistic, dimension: 2}
topology: {kind: star}
mechanism: {kind: banded-toeplitz, bands: 1000, fit: true, epsilon: 1, delta: 1.0e-5}
measure: {every: 400000}
`

// large has graphs that take long to be looked at.
const large = `version: 1
name: large
horizon: 100
nodes: 300000
algorithm: {kind: dsgd}
problem: {kind: localization, set: {kind: l1-ball, dimension: 2, radius: 3}, sensors: {same: {position: [1, 1]}}}
topology: {kind: k-out, degree: 6, directed: false, every: 1, weighting: {scheme: metropolis}}
mechanism: {kind: none}
`

// TestInterrupted interrupts verbs that compute long, or wait, before there is anything to save:
// each ends soon, and says so.
func TestInterrupted(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{"fits.yaml": fits, "large.yaml": large} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i, test := range []struct {
		name      string
		arguments []string
	}{
		{"an optimum", []string{"factorize", "--kind", "optimal", "--n", "3000000", "--gap", "1e-11"}},
		{"a fit", []string{"factorize", "--kind", "banded-toeplitz", "--n", "400000", "--bands", "1000", "--times", "10", "--apart", "1000", "--fit"}},
		{"a figure", []string{"factorize", "--n", "1000000", "--plot", "mse.svg"}},
		{"graphs", []string{"topology", "large.yaml"}},
		{"a scenario", []string{"validate", "-"}},
		{"a scenario to run", []string{"run", "-"}},
		{"a forecast", []string{"run", "fits.yaml", "--dry-run"}},
		{"noise of a run", []string{"run", "fits.yaml"}},
		{"workers that are gone", []string{"run", "random-walk", "--workers", "127.0.0.1:7999", "--out", "gone"}},
		{"workers that are begun", []string{"run", "random-walk", "--workers", "local:2", "--out", "begun"}},
	} {
		if !testneeds.Some(i, 2) {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := exec.Command("starling", test.arguments...)
			c.Dir = folder
			c.Env = append(os.Environ(), "STARLING_SECRET="+strings.Repeat("s", 32))
			said := &said{}
			c.Stderr = said
			input, err := c.StdinPipe() // which stays open
			if err != nil {
				t.Fatal(err)
			}
			defer input.Close()
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- c.Wait() }()
			time.Sleep(700 * time.Millisecond)
			if err := c.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatalf("it has ended: %v\n%s", err, said)
			}
			select {
			case err := <-ended:
				if err == nil || !strings.Contains(said.String(), "interrupted") {
					t.Errorf("%v\n%s", err, said)
				}
			case <-time.After(30 * time.Second):
				c.Process.Kill()
				t.Errorf("it goes on\n%s", said)
			}
		})
	}
}

// TestWaitsAreTold has verbs compute long before anything else can be told: after two seconds
// each has said what it is at, and a run says it in its folder, too.
func TestWaitsAreTold(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "fits.yaml"), []byte(fits), 0o644); err != nil {
		t.Fatal(err)
	}
	for i, test := range []struct {
		want      string
		arguments []string
	}{
		{"fits: 0/1 runs, 0%, factorization banded-toeplitz of 400000 steps", []string{"run", "fits.yaml"}},
		{"factorization banded-toeplitz of 400000 steps", []string{"run", "fits.yaml", "--dry-run"}},
		{", for 2s", []string{"factorize", "--n", "6000000", "--plot", "mse.svg"}},
		{"measures of the network, for 2s", []string{"topology", "scale-gossip", "--set", "nodes=1000000"}},
		{"check of the graphs of arm base, for 2s", []string{"validate", "scale-gossip", "--set", "nodes=8000000", "--set", "topology={kind: random-regular, degree: 6}"}},
		{"factorization tree-full of 200000000 steps: errors of prefix sums, ", []string{"factorize", "--kind", "tree-full", "--n", "200000000"}},
		{"factorization optimal of 4000000 steps: search of the optimum, trial ", []string{"factorize", "--kind", "optimal", "--n", "4000000"}},
		{"factorization blt of 9000000 steps: choice of an interval, trial ", []string{"factorize", "--kind", "blt", "--n", "9000000"}},
	} {
		if !testneeds.Some(i, 3) {
			continue
		}
		arguments := test.arguments
		t.Run(strings.Join(arguments, " "), func(t *testing.T) {
			t.Parallel()
			c := exec.Command("starling", arguments...)
			c.Dir = folder
			said := &said{}
			c.Stderr = said
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			defer c.Wait()
			defer c.Process.Kill()
			said.wait(t, test.want)
			if arguments[0] != "run" || len(arguments) > 2 {
				return
			}
			for deadline := time.Now().Add(60 * time.Second); ; time.Sleep(50 * time.Millisecond) {
				files, _ := filepath.Glob(filepath.Join(folder, "results", "fits", "*", live.Name))
				for _, file := range files {
					if now, err := live.Read(filepath.Dir(file)); err == nil && now != nil && strings.HasPrefix(now.Work, "factorization banded-toeplitz of 400000 steps") {
						return
					}
				}
				if time.Now().After(deadline) {
					t.Fatalf("no file of the run says so: %q", files)
				}
			}
		})
	}
}

// stuck is a verb that does not look at its context.
func stuck(context.Context) int {
	fmt.Println("at work")
	select {}
}

// TestInterruptedTwice interrupts a program that is at work on what it will save, twice: the second
// time, it ends by the signal. An echo of the first does nothing.
func TestInterruptedTwice(t *testing.T) {
	c := exec.Command("stuck")
	said := &said{}
	c.Stderr = said
	output, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(output, make([]byte, 1)); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for _, pause := range []time.Duration{0, 10 * time.Millisecond} {
		time.Sleep(pause)
		c.Process.Signal(syscall.SIGINT)
	}
	select {
	case err := <-ended:
		t.Fatalf("it ended by an echo: %v", err)
	case <-time.After(2 * echo):
	}
	c.Process.Signal(syscall.SIGINT)
	select {
	case err := <-ended:
		if err == nil || err.Error() != "signal: interrupt" {
			t.Errorf("it ended by %v", err)
		}
	case <-time.After(30 * time.Second):
		c.Process.Kill()
		t.Error("it goes on")
	}
}
