package command

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/results/versions"
	"starling/scenarios/runner"
)

// newVersion is the verb version. The build is a hash of the program: results of
// different builds have different folders.
func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program and of what built it",
		Args:  shell.Exactly(0, "no arguments"),
		RunE:  func(cmd *cobra.Command, _ []string) error { return printVersion(cmd.OutOrStdout()) },
	}
}

// printVersion prints the version of this program and of what built it.
func printVersion(w io.Writer) error {
	build, err := runner.BuildID()
	if err != nil {
		return err
	}
	v := versions.Current(shell.Version)
	_, err = fmt.Fprintf(w, "starling %s, build %s, %s %s/%s\n", v.Starling, build, v.Go, v.GOOS, v.GOARCH)
	return err
}
