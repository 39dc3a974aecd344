package command

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/guide"
	"starling/scenarios/loading"
	"starling/scenarios/results/runs"
	"starling/scenarios/view/plot"
)

// showFlags are the flags of show.
type showFlags struct {
	set []string
	// data is the folder of data sets, and results the folder of all results.
	data, results string
	// arm is the arm that is printed alone; empty for all.
	arm            string
	resolved, json bool
}

// newShow is the verb show.
func (p program) newShow() *cobra.Command {
	var flags showFlags
	var asJSON *bool
	cmd := &cobra.Command{
		Use:   "show SCENARIO|FILE|RUN",
		Short: "Print a scenario as it is written, or with all defaults in it",
		Long: `Print a scenario of the library, a file, or the scenario of a run, as it is written;
of a run its note stands above. With --resolved, print the scenario that is run: all
that it extends, all overrides and every default are in it, and comments state the
source of values and the defaults of absent keys. With --arm, print one arm, without
sweep and figures. The text can be saved and run, and gives the same results.

` + shell.NamesOfRuns,
		Example: `  starling show dpdonc-localization
  starling show last
  starling show my.yaml --resolved --set mechanism.epsilon=2
  starling show dpdonc-localization --resolved --arm epsilon=1 > one.yaml`,
		Args: shell.Exactly(1, "the name of a scenario, a file or a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			flags.json = *asJSON
			return p.show(cmd, args[0], flags)
		},
	}
	shell.AddOverrides(cmd, &flags.set)
	shell.AddDataFlag(cmd, &flags.data)
	shell.AddResults(cmd, &flags.results)
	cmd.Flags().BoolVar(&flags.resolved, "resolved", false, "print it with all that it extends, overrides and defaults")
	cmd.Flags().StringVar(&flags.arm, "arm", "", "print only this arm, resolved")
	asJSON = shell.AddJSON(cmd, "scenario, arm (empty for all), note (of a run that has one), resolved, yaml (the text) and values (the same as an object; infinite numbers are null)")
	return cmd
}

// show prints a scenario of the library, a file, or the scenario of a run.
func (p program) show(cmd *cobra.Command, argument string, flags showFlags) error {
	source, dir, err := shell.FindScenario(cmd, flags.results, argument)
	if err != nil {
		return err
	}
	name, text, err := loading.Text(source)
	if err != nil {
		return err
	}
	whole := flags.resolved || flags.arm != ""
	if whole {
		text, err = p.resolved(name, source, flags.set, flags.data, flags.arm)
	} else if len(flags.set) > 0 {
		err = shell.Usage(errors.New("show prints overrides with --resolved"))
	}
	if err != nil {
		return err
	}
	note := ""
	if dir != "" {
		if note, err = runs.Note(dir); err != nil {
			return err
		}
	}
	if flags.json {
		return writeScenario(cmd.OutOrStdout(), name, flags.arm, note, whole, text)
	}
	for line := range strings.Lines(note) {
		shell.Printf(cmd.OutOrStdout(), "# %s\n", strings.TrimSpace(line))
	}
	_, err = cmd.OutOrStdout().Write(text)
	return err
}

// writeScenario prints the text of a scenario and its values, for a program.
func writeScenario(w io.Writer, name, arm, note string, resolved bool, text []byte) error {
	var values map[string]any
	if err := yaml.Unmarshal(text, &values); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return shell.WriteJSON(w, struct {
		Scenario string         `json:"scenario"`
		Arm      string         `json:"arm"`
		Note     string         `json:"note,omitempty"`
		Resolved bool           `json:"resolved"`
		YAML     string         `json:"yaml"`
		Values   map[string]any `json:"values"`
	}{strings.TrimSuffix(filepath.Base(name), ".yaml"), arm, note, resolved, string(text), finite(values).(map[string]any)})
}

// finite is a value of YAML with numbers that JSON has: others are null.
func finite(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key := range v {
			v[key] = finite(v[key])
		}
	case []any:
		for i := range v {
			v[i] = finite(v[i])
		}
	case float64:
		return shell.Number(v)
	}
	return value
}

// resolved returns a scenario with everything in it. main is the name of its file in
// positions.
func (p program) resolved(main, nameOrFile string, set []string, data, arm string) ([]byte, error) {
	list, err := shell.Overrides(set)
	if err != nil {
		return nil, err
	}
	loader := p.Loader(data)
	loader.Showing = true
	scenario, err := loader.Load(nameOrFile, list...)
	if err != nil {
		return nil, err
	}
	g, err := guide.New(p.Kinds)
	if err != nil {
		return nil, err
	}
	arm = plot.ArmNamed(plot.Arms(scenario), arm)
	text, err := g.Resolved(loader, scenario, main, arm)
	if err != nil {
		return nil, shell.Usage(err)
	}
	what := ""
	if arm != "" {
		what = ", arm " + arm
	}
	return fmt.Appendf(nil, "# %s%s, with everything in it that is run\n%s", scenario.Name, what, text), nil
}
