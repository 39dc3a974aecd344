package shell

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"starling/scenarios/document"
	"starling/scenarios/results/figure"
)

// FlagError is the error of flags that a verb cannot read. For a flag that the verb does not
// have it suggests the nearest one, or --set for the values of a scenario.
func FlagError(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) && errors.Is(err, strconv.ErrSyntax) {
		wanted := "a number"
		if strings.HasPrefix(invalid.GetFlag().Value.Type(), "int") {
			wanted = "a whole number"
		}
		return Usage(fmt.Errorf("invalid argument %q for \"--%s\" flag: want %s", invalid.GetValue(), invalid.GetFlag().Name, wanted))
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return Usage(err)
	}
	name := unknown.GetSpecifiedName()
	if name == "seed" && cmd.Flags().Lookup("seeds") != nil {
		return Usage(fmt.Errorf("%w; --seeds 5 runs five seeds, and --set seeds.base=5 begins with seed 5", err))
	}
	if name == "quick" && cmd.Flags().Lookup("seeds") != nil {
		return Usage(fmt.Errorf("%w; --seeds 3 is a short run, and starling reproduce NAME --quick a short check of claims", err))
	}
	if name == "arm" && cmd.Flags().Lookup("set") != nil && cmd.Flags().Lookup("seeds") != nil {
		return Usage(fmt.Errorf("%w; a run has all arms of its sweep: --set mechanism.epsilon=1 fixes a value, and takes it out of the sweep", err))
	}
	if name == "step" && cmd.Flags().Lookup("at") != nil {
		return Usage(fmt.Errorf("%w; --at chooses the step", err))
	}
	if name == "key" && cmd.Flags().Lookup("extend") != nil {
		return Usage(fmt.Errorf("%w; the section tune has the keys: --set 'tune.grid={rate: [0.03, 0.1, 0.3]}'", err))
	}
	if path, ok := settings[name]; ok && cmd.Flags().Lookup("set") != nil {
		return Usage(fmt.Errorf("%w; a value of the scenario is set by --set, such as --set %s", err, path))
	}
	var known []string
	cmd.Flags().VisitAll(func(flag *pflag.Flag) { known = append(known, "--"+flag.Name) })
	return Usage(fmt.Errorf("%w%s", err, document.Suggest("--"+name, known, "")))
}

// settings are values of scenarios that look like flags, with the way in which each is set: a
// user that types --epsilon means mechanism.epsilon, and --steps is the horizon.
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
	"seed":      "seeds.base=5",
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

// NeedFlags refuses a command line on which one of the named flags is absent, and names
// all that are. A flag that is given as 0 is there: whether 0 makes sense is another
// question.
func NeedFlags(cmd *cobra.Command, names ...string) error {
	var missing []string
	for _, name := range names {
		if !cmd.Flags().Changed(name) {
			missing = append(missing, "--"+name)
		}
	}
	if len(missing) > 0 {
		return Usage(fmt.Errorf("%s needs %s", strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" "), strings.Join(missing, ", ")))
	}
	return nil
}

// onceValue is the value of a flag that may be given once.
type onceValue struct {
	pflag.Value
	given bool
}

// Set implements pflag.Value.
func (v *onceValue) Set(text string) error {
	if v.given {
		return fmt.Errorf("it is given twice, first as %q; want one", v.String())
	}
	v.given = true
	return v.Value.Set(text)
}

// Once refuses a second value of the named flags, which else would replace the first silently.
func Once(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		flag := cmd.Flags().Lookup(name)
		flag.Value = &onceValue{Value: flag.Value}
	}
}

// CheckApart refuses two flags that name one file to write.
func CheckApart(first, file, second, other string) error {
	if file != "" && other != "" && filepath.Clean(file) == filepath.Clean(other) {
		return Usage(fmt.Errorf("--%s and --%s both name %s; one would replace the other", first, second, file))
	}
	return nil
}

// CheckFigureFile refuses the file of a flag if figures have no such extension. flag is the
// name for the error.
func CheckFigureFile(flag, file string) error {
	return checkExtension(flag, file, figure.Extensions())
}

// CheckPictureFile refuses the file of a flag if pictures, heat maps and diagrams, have no such
// extension. flag is the name for the error.
func CheckPictureFile(flag, file string) error {
	return checkExtension(flag, file, figure.PictureExtensions())
}

func checkExtension(flag, file string, known []string) error {
	if !slices.Contains(known, filepath.Ext(file)) {
		return Usage(fmt.Errorf("--%s %s: the extension must be one of %s", flag, file, strings.Join(known, ", ")))
	}
	return nil
}

// Outside refuses a file that lies in the folder of a run, which is sealed with the files
// that it has.
func Outside(file, dir string) error {
	absolute, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	folder, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	relative, err := filepath.Rel(folder, absolute)
	// A path from the folder that stays below it is local; one that leaves it begins with
	// "..". From one volume to another there is no such path, and the file is outside as
	// well.
	if err == nil && filepath.IsLocal(relative) {
		return fmt.Errorf("--out %s lies in the results folder %s, which must not change", file, dir)
	}
	return nil
}
