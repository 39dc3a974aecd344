package command

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/results"
	"starling/scenarios/runner"
)

// newVersion is the verb version. The build is a hash of the program: results of
// different builds have different folders.
func newVersion() *cobra.Command {
	var asJSON *bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version of this program and of its build",
		Example: "  starling version\n  starling version --json",
		Args:    shell.Exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !*asJSON {
				return printVersion(cmd.OutOrStdout())
			}
			build, err := runner.BuildID()
			if err != nil {
				return err
			}
			v := results.CurrentVersions(shell.Version)
			return shell.WriteJSON(cmd.OutOrStdout(), map[string]string{"version": v.Starling, "build": build, "go": v.Go, "os": v.GOOS, "arch": v.GOARCH})
		},
	}
	asJSON = shell.AddJSON(cmd, "version, build, go, os and arch")
	return cmd
}

// printVersion prints the version of this program and of the tools that built it.
func printVersion(w io.Writer) error {
	build, err := runner.BuildID()
	if err != nil {
		return err
	}
	v := results.CurrentVersions(shell.Version)
	_, err = fmt.Fprintf(w, "starling %s, build %s, %s %s/%s\n", v.Starling, build, v.Go, v.GOOS, v.GOARCH)
	return err
}
