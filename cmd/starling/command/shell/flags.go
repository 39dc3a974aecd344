package shell

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"starling/scenarios/document"
)

// FlagError is the error of flags that a verb cannot read. For a flag that it
// does not have it says which one was perhaps meant, or that --set changes the
// values of a scenario.
func FlagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return Usage(err)
	}
	name := unknown.GetSpecifiedName()
	if path, ok := settings[name]; ok && cmd.Flags().Lookup("set") != nil {
		return Usage(fmt.Errorf("%w; a value of the scenario is set by --set, such as --set %s", err, path))
	}
	var known []string
	cmd.Flags().VisitAll(func(flag *pflag.Flag) { known = append(known, "--"+flag.Name) })
	return Usage(fmt.Errorf("%w%s", err, document.Suggest("--"+name, known, "")))
}

// settings are values of scenarios that look like flags, and how each is set: someone who
// types --epsilon means mechanism.epsilon, and --steps is the horizon.
var settings = map[string]string{
	"epsilon":   "mechanism.epsilon=1",
	"eps":       "mechanism.epsilon=1",
	"delta":     "mechanism.delta=1e-5",
	"sigma":     "mechanism.sigma=1.1",
	"mechanism": "mechanism.kind=none",
	"algorithm": "algorithm.kind=ofl",
	"horizon":   "horizon=1000",
	"steps":     "horizon=1000",
	"nodes":     "nodes=10",
	"clients":   "nodes=10",
	"seed":      "seeds.base=1",
	"budget":    "budget.epsilon=5",
}

// Synonyms lets flags of a verb be given by other names too; names has the flag by its
// synonym. Help shows the flag alone.
func Synonyms(flags *pflag.FlagSet, names map[string]string) {
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if usual, ok := names[name]; ok {
			name = usual
		}
		return pflag.NormalizedName(name)
	})
}
