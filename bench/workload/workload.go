package workload

import (
	"context"
	"fmt"
	"os"
	"slices"

	"starling/scenarios/document"
	"starling/scenarios/loading"
	"starling/scenarios/study"
)

// Workload is a fixed piece of work.
type Workload struct {
	// Name is GROUP/NAME, with the sizes behind it.
	Name string
	// Summary describes the work, and Unit is the unit that figures are given per.
	Summary, Unit string
	prepare       func(ctx context.Context, e *Environment) (*Prepared, error)
}

// Environment is the environment of workloads.
type Environment struct {
	// Loader reads the scenarios of runs.
	Loader loading.Loader
	// Program is the path of the program that the group program starts.
	Program string
	// Folder is for files: an empty folder of the caller's.
	Folder string
	// Part is the number of parts into which the work is cut; one of them is done. 1 or 0 is
	// all of it.
	Part int
}

// sized is a number of units, or the part of it that is to be done.
func (e *Environment) sized(units int) int { return units / max(1, e.Part) }

// steps is the number of steps that a number of participant-steps comes to, 1 at least.
func (e *Environment) steps(turns, participants int) int { return max(1, e.sized(turns)/participants) }

// scenario reads a scenario from its text.
func (e *Environment) scenario(name, text string) (*study.Scenario, error) {
	doc, err := document.Parse(name, []byte(text))
	if err != nil {
		return nil, fmt.Errorf("workload %s: %w", name, err)
	}
	s, err := e.Loader.Check(doc)
	if err != nil {
		return nil, fmt.Errorf("workload %s: %w", name, err)
	}
	return s, nil
}

// Prepared is a workload that is ready to run any number of times.
type Prepared struct {
	// Units is the number of units that one call of Run, or of Loop, works through.
	Units int
	// Before prepares the input that the next call of Run uses up; it is no part of the work.
	// It is nil where nothing is used up.
	Before func() error
	// Run is the work, and Loop the plain loop; Loop is nil where there is none.
	Run, Loop func() error
	// Scales means that the times of Run and Loop on one core are of interest, beside those on
	// all cores.
	Scales bool
	// Child is the process that Run has started and waited for; nil where it starts none.
	Child func() *os.ProcessState
	// Close frees the resources of the workload; nil where it has none.
	Close func()
}

// Prepare makes a workload ready. The caller closes the result.
func (w *Workload) Prepare(ctx context.Context, e *Environment) (*Prepared, error) {
	p, err := w.prepare(ctx, e)
	if err != nil {
		return nil, fmt.Errorf("workload %s: %w", w.Name, err)
	}
	if p.Close == nil {
		p.Close = func() {}
	}
	return p, nil
}

// The units.
const (
	turnUnit   = "participant-step"
	numberUnit = "number"
	edgeUnit   = "edge"
	sampleUnit = "sample"
	rowUnit    = "row"
	startUnit  = "start"
)

// All lists the workloads, by group.
func All() []Workload {
	return slices.Concat(runs(), engines(), algorithms(), noises(), graphs(), models(), tables(), programs())
}
