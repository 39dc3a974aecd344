// Package shell is the code that all verbs of the command line share: the flags that several
// have, the loading of scenarios, the errors of a command line, and the writing of text,
// tables, pages, JSON and progress to a terminal or into a file. It has no verb and knows
// none.
package shell

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/spf13/cobra"

	"starling/scenarios/document"
	"starling/scenarios/guide"
	"starling/scenarios/kind"
	"starling/scenarios/limits"
	"starling/scenarios/loading"
	"starling/scenarios/study"
)

// Version is the version of this program; it is kept in step with CHANGELOG.md.
const Version = "0.3.0"

// Program is the command with the kinds that its scenarios can name.
type Program struct {
	Kinds *kind.Catalog
	// Context ends code that scenarios name, as loading.Loader has it; nil is none.
	Context context.Context
}

// DataVariable is the environment variable that names the folder of data sets.
const DataVariable = "STARLING_DATA"

// AddDataFlag adds --data to a verb that may read data sets.
func AddDataFlag(cmd *cobra.Command, folder *string) {
	cmd.Flags().StringVar(folder, "data", "", "the folder of data sets; by default $"+DataVariable)
}

// Loader reads scenarios with the data sets of the folder that the flag or the
// environment names, if one does.
func (p Program) Loader(flag string) loading.Loader {
	if flag == "" {
		flag = os.Getenv(DataVariable)
	}
	loader := loading.Loader{Kinds: p.Kinds, Data: flag, Context: p.Context, Hasty: true}
	// The schema takes as long as a small run, and only faults need it.
	schema := sync.OnceValues(func() (*guide.Guide, error) { return guide.New(p.Kinds) })
	loader.FillIn = func(doc *document.Document, known document.Issues) []*document.Document {
		g, err := schema()
		if err != nil {
			return nil // other verbs report the errors of the catalog
		}
		return g.FillIn(doc, known)
	}
	return loader
}

// StandardInput is the name of a scenario that is read from standard input.
const StandardInput = "-"

// Load reads a library scenario, a file, or standard input. Its text is taken for the text of
// a file in the working folder.
func Load(cmd *cobra.Command, loader loading.Loader, name string, list ...loading.Override) (*study.Scenario, error) {
	loader.Board = &limits.Board{}
	defer ShowWork(cmd, loader.Board)()
	if name != StandardInput {
		return loader.Load(name, list...)
	}
	text, err := limits.Within(cmd.Context(), 0, func() ([]byte, error) {
		return io.ReadAll(io.LimitReader(cmd.InOrStdin(), document.MaxBytes+1))
	})
	if err != nil {
		return nil, fmt.Errorf("standard input: %w", err)
	}
	return loader.LoadText("standard input", text, list...)
}

// AddOverrides adds --set, which replaces a value of a scenario and takes it out of the
// sweep.
func AddOverrides(cmd *cobra.Command, set *[]string) {
	cmd.Flags().StringArrayVar(set, "set", nil, "replace a value of the scenario, path=value in YAML, and take it out of the sweep; repeatable")
}

// Overrides reads the values of --set, path=value in YAML each, in the order of the command
// line; of two for one path the later wins. A value of another form is an error of the command
// line. Reading the scenario reports paths that do not exist.
func Overrides(set []string) ([]loading.Override, error) {
	var list []loading.Override
	for _, text := range set {
		o, err := loading.ParseOverride(text)
		if err != nil {
			return nil, Usage(err)
		}
		list = append(list, o)
	}
	return list, nil
}
