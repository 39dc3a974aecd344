package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"starling/scenarios"
	"starling/scenarios/claim"
)

// reproduceFlags are the flags of reproduce.
type reproduceFlags struct {
	out      string
	quick    bool
	json     bool
	markdown bool
	data     string
}

func newReproduce() *cobra.Command {
	var flags reproduceFlags
	cmd := &cobra.Command{
		Use:   "reproduce [NAME...]",
		Short: "Run the papers' scenarios and say which of their claims hold",
		Long: `Run scenarios of the library that have claims of their papers, all of them if
none is named, draw their figures, and print a verdict on every claim with the
numbers it rests on. Each number has a confidence interval and a claimed side:

  holds          the interval of every number lies wholly on the claimed side
  does not hold  that of at least one number lies wholly on the other side
  partly         some lie on the claimed side and none on the other; the rest
                 are undecided or were not tested
  undecided      every interval that there is reaches both sides
  not testable   no number has an interval, for the reason that is printed

The confidence level of a verdict is 99.99 %, whichever scenarios are named:
Bonferroni's correction of 95 % for the claims of the whole library, of which
there may be 500. The numbers of one claim share its level by Holm's method.
Nothing is tuned until a claim holds.

Results that are there already are not computed again. The verdicts are also in
OUT/reproduce.json and OUT/reproduce.md.

Exit status: 0 every claim has a verdict, whichever, 1 a run failed, 2 bad
input (nothing is written).`,
		Example: `  starling reproduce
  starling reproduce dpdonc-as-printed dpdonc-nodes --quick
  starling reproduce --markdown > claims.md`,
		RunE: func(cmd *cobra.Command, args []string) error { return reproduce(cmd, args, flags) },
	}
	cmd.Flags().StringVar(&flags.out, "out", "results", "the folder of all results")
	addDataFlag(cmd, &flags.data)
	cmd.Flags().BoolVar(&flags.quick, "quick", false, "run at a reduced size, which says little of the paper")
	cmd.Flags().BoolVar(&flags.json, "json", false, "print JSON")
	cmd.Flags().BoolVar(&flags.markdown, "markdown", false, "print Markdown tables")
	return cmd
}

func reproduce(cmd *cobra.Command, names []string, flags reproduceFlags) error {
	if flags.json && flags.markdown {
		return &usageError{errors.New("--json and --markdown exclude each other")}
	}
	build, err := scenarios.BuildID()
	if err != nil {
		return err
	}
	reports, err := scenarios.Reproduce(cmd.Context(), names, scenarios.ReproduceOptions{
		Quick:  flags.quick,
		Loader: loader(flags.data),
		Run:    scenarios.RunOptions{Out: flags.out, Engine: scenarios.Actors, Version: version, Build: build},
		Watch: func(s *scenarios.Scenario, progress *scenarios.Progress) (stop func()) {
			return showProgress(cmd.ErrOrStderr(), s, progress)
		},
	})
	if err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	switch {
	case flags.json:
		return claim.WriteJSON(w, reports)
	case flags.markdown:
		return claim.WriteMarkdown(w, reports)
	}
	return printReports(w, flags.out, reports)
}

// printReports prints the table and where else the verdicts are.
func printReports(w io.Writer, out string, reports []claim.Report) error {
	if err := claim.WriteText(w, reports); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "verdicts %s/reproduce.json, %s/reproduce.md\n", out, out)
	return err
}
