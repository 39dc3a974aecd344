package workload

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// smallest is the smallest scenario that runs.
const smallest = `version: 1
name: bench-smallest
horizon: 10
nodes: 6
algorithm: {kind: dpdonc, divergence: {kind: euclidean, scale: 0.5}}
problem: {kind: localization, set: {kind: l1-ball, dimension: 2, radius: 3}, sensors: {circle: {radius: 4}}}
topology: {kind: printed}
mechanism: {kind: laplace, epsilon: 1}
seeds: {base: 1, count: 1}
`

// programs are starts of the program as a process of its own.
func programs() []Workload {
	smallestRun := func(e *Environment) ([]string, error) {
		file := filepath.Join(e.Folder, "smallest.yaml")
		return []string{"run", file, "--out", filepath.Join(e.Folder, "smallest"), "--again", "--quiet"}, os.WriteFile(file, []byte(smallest), 0o644)
	}
	return []Workload{
		program("help", "program: starling --help, a new process", func(*Environment) ([]string, error) { return []string{"--help"}, nil }),
		program("run", "program: starling run of 6 nodes and 10 steps with figures, a new process", smallestRun),
	}
}

// program starts the program with arguments, and waits until it ends.
func program(name, summary string, arguments func(e *Environment) ([]string, error)) Workload {
	return Workload{Name: "program/" + name, Unit: startUnit, Summary: summary, prepare: func(ctx context.Context, e *Environment) (*Prepared, error) {
		if e.Program == "" {
			return nil, errors.New("no program to start")
		}
		args, err := arguments(e)
		if err != nil {
			return nil, err
		}
		var ended *os.ProcessState
		run := func() error {
			cmd := exec.CommandContext(ctx, e.Program, args...)
			cmd.Args[0] = os.Args[0] // the name of this process: a program may have several names
			out, err := cmd.CombinedOutput()
			if err != nil {
				return fmt.Errorf("%s %v: %w\n%s", e.Program, args, err, out)
			}
			ended = cmd.ProcessState
			return nil
		}
		return &Prepared{Units: 1, Run: run, Child: func() *os.ProcessState { return ended }}, nil
	}}
}
