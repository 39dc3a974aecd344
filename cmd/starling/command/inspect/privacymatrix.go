package inspect

import (
	"errors"
	"fmt"
	"io"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/results"
)

// privacyMatrix prints the matrix of arms and observers alone, or draws it.
func privacyMatrix(w io.Writer, run *results.Run, flags privacyFlags) error {
	if flags.units || flags.by != "" || flags.curve || flags.epsilonGiven || flags.unitGiven || flags.observer != "" || flags.asJSON || flags.asCSV {
		return shell.Usage(errors.New("--matrix goes with --plot only"))
	}
	if flags.plot == "" {
		return printMatrix(w, run)
	}
	if err := shell.CheckFigureFile("plot", flags.plot); err != nil {
		return err
	}
	if err := shell.Outside(flags.plot, run.Dir); err != nil {
		return shell.Usage(err)
	}
	m, err := labelledMatrix(run)
	if err != nil {
		return err
	}
	if len(m.Columns) == 0 {
		return fmt.Errorf("%s accounts for no privacy", run.Dir)
	}
	return flags.save(w, run, m.Figure(run.Manifest.Scenario+": ε of the run, by observer"))
}
