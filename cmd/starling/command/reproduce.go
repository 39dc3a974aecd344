package command

import (
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/claim"
	"starling/scenarios/library"
	"starling/scenarios/runner"
	"starling/scenarios/study"
)

// reproduceFlags are the flags of reproduce.
type reproduceFlags struct {
	// out is the folder of all results; those that are there already are used.
	out string
	// all takes all scenarios with claims, at their full size.
	all bool
	// quick runs at a reduced size, which shows little about a paper but finds broken
	// scenarios.
	quick bool
	// dryRun prints forecasts and runs nothing.
	dryRun bool
	// json and markdown choose the form of the verdicts; text if neither is set.
	json     bool
	markdown bool
	// data is the folder of data sets.
	data string
	// expect is a file of expected verdicts to compare with, "library" for the verdicts of the
	// program; empty for none.
	expect string
	// write is a file to write the verdicts to; empty for none.
	write string
}

// newReproduce is the verb reproduce.
func (p program) newReproduce() *cobra.Command {
	var flags reproduceFlags
	cmd := &cobra.Command{
		Use:   "reproduce [NAME or FILE...]",
		Short: "Run scenarios and say which of the claims on them hold",
		Long: `Run scenarios of papers, draw their figures, and print a verdict on every claim with the
numbers that decide it. A FILE is a scenario of your own, whose claims stand in
mine.claims.yaml beside mine.yaml (starling help claims). Each number has a confidence
interval and a claimed side:

  holds          every interval lies on the claimed side
  does not hold  at least one interval lies on the other side
  partly         some lie on the claimed side and none on the other; the rest are
                 undecided or untested
  undecided      every interval reaches both sides
  not testable   no number has an interval; the reason is printed

Each claim is decided at a confidence level of 99.99 %. That is 95 % for the whole
library (Bonferroni, for up to 500 claims), so a verdict does not depend on the
scenarios that are named. The numbers of one claim share its level (Holm). Intervals use
the quantiles of skewed (exponential) values instead of Student's. A few seeds therefore
decide little.

All scenarios with claims take days at full size, and run only with --all. --quick runs
them at a reduced size. Without names and flags, a terminal lists the time and memory of
each and asks; --dry-run lists them and runs nothing. Finished results are not computed
again. The verdicts are also written to OUT/reproduce.json and OUT/reproduce.md.

--write-expect FILE writes the verdicts to a file, and --expect FILE names each verdict
that differs from it. --expect library takes the verdicts of this release: all of the
reduced size, and some of the full size. A scenario without its data, or without an
expected verdict, is named and not compared. It does not change the exit status.

Exit status: 0 every claim has a verdict, whichever it is; 1 a run failed or a verdict is
not the expected one; 2 bad input (nothing is written).`,
		Example: `  starling reproduce --all
  starling reproduce dpdonc-as-printed dpdonc-nodes --quick
  starling reproduce --quick --expect library
  starling reproduce mine.yaml --write-expect mine.expected.yaml
  starling reproduce --markdown > claims.md`,
		RunE: func(cmd *cobra.Command, args []string) error { return p.reproduce(cmd, args, flags) },
	}
	cmd.Flags().StringVar(&flags.out, "out", "results", "the folder of all results")
	shell.AddDataFlag(cmd, &flags.data)
	cmd.Flags().BoolVar(&flags.all, "all", false, "run all scenarios that have claims, which takes days at their full size")
	cmd.Flags().BoolVar(&flags.quick, "quick", false, "run at a reduced size, which says little of the paper")
	cmd.Flags().BoolVar(&flags.dryRun, "dry-run", false, "print the time and memory of each scenario, or of all, and run nothing")
	cmd.Flags().StringVar(&flags.expect, "expect", "", "compare the verdicts with the verdicts in a `FILE`, or of the library; exit 1 on a change")
	cmd.Flags().StringVar(&flags.write, "write-expect", "", "write the verdicts to a `FILE` for --expect; keep those on scenarios that are not run")
	cmd.Flags().BoolVar(&flags.json, "json", false, "print JSON")
	cmd.Flags().BoolVar(&flags.markdown, "markdown", false, "print Markdown tables")
	return cmd
}

// reproduce runs the scenarios, prints the verdicts, and then compares or writes the
// expected ones. A claim that does not hold is a finding and no failure, and the exit
// status is 0; a verdict that is not the expected one is a failure.
//
// The order matters. Bad input is refused before the runs, which may take hours, and verdicts
// are printed before they are compared.
func (p program) reproduce(cmd *cobra.Command, names []string, flags reproduceFlags) error {
	if flags.json && flags.markdown {
		return shell.Usage(errors.New("--json and --markdown exclude each other"))
	}
	switch {
	case flags.all && len(names) > 0:
		return shell.Usage(errors.New("--all and names exclude each other"))
	case flags.dryRun && (flags.markdown || flags.expect != "" || flags.write != ""):
		return shell.Usage(errors.New("--dry-run goes with --quick, --all and --json only"))
	case flags.dryRun:
		if len(names) == 0 {
			names = library.Claimed()
		}
		return p.offer(cmd, names, flags)
	case !flags.all && !flags.quick && len(names) == 0:
		chosen, err := p.choose(cmd, library.Claimed(), flags)
		if err != nil {
			return err
		}
		names = chosen
	}
	expectations, err := newExpectations(flags)
	if err != nil {
		return err
	}
	build, err := runner.BuildID()
	if err != nil {
		return err
	}
	reports, err := runner.Reproduce(cmd.Context(), names, runner.ReproduceOptions{
		Quick:  flags.quick,
		Loader: p.Loader(flags.data),
		Run:    runner.RunOptions{Out: flags.out, Engine: runner.Actors, Version: shell.Version, Build: build},
		Watch: func(s *study.Scenario, progress *runner.Progress) (stop func()) {
			return shell.ShowProgress(cmd.ErrOrStderr(), s, progress)
		},
		Ran: func(o *runner.Outcome) { warnOutcome(cmd.ErrOrStderr(), o) },
	})
	if err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	switch {
	case flags.json:
		err = claim.WriteJSON(w, reports)
	case flags.markdown:
		err = claim.WriteMarkdown(w, reports)
	default:
		err = printReports(w, flags.out, reports)
	}
	if err != nil {
		return err
	}
	return expectations.meet(cmd.ErrOrStderr(), reports, len(names) == 0)
}

// expectations are the uses of the verdicts. compared holds the expected verdicts that they
// are compared with; written holds the older ones that they replace. At most one is set, and
// both are nil if neither --expect nor --write-expect is given.
type expectations struct{ compared, written *claim.Expected }

// newExpectations reads the file of --expect, or the older verdicts of the file of
// --write-expect, before anything is run: a study of hours must not end in a file that
// cannot be read.
func newExpectations(flags reproduceFlags) (e expectations, err error) {
	switch {
	case flags.expect != "" && flags.write != "":
		return e, shell.Usage(errors.New("--expect and --write-expect exclude each other"))
	case flags.expect != "":
		e.compared, err = runner.ReadExpected(flags.expect, flags.quick)
	case flags.write != "":
		e.written, err = runner.ReadOlderExpected(flags.write, flags.quick)
	}
	return e, err
}

// meet compares or writes the verdicts, and reports that on w. whole means that the verdicts
// are on the whole library: no scenario was named. It returns an error for a verdict that is
// not the expected one.
func (e expectations) meet(w io.Writer, reports []claim.Report, whole bool) error {
	switch {
	case e.compared != nil:
		c, err := runner.CheckExpected(e.compared, reports, whole)
		// Verdicts that were not compared are named as well: a comparison of nothing would
		// look like success.
		shell.Printf(w, "verdicts as in %s: %d\n", e.compared.Name, c.Same)
		if len(c.Skipped) > 0 {
			shell.Printf(w, "not compared, for their data are not there: %s\n", strings.Join(c.Skipped, ", "))
		}
		if len(c.Unknown) > 0 {
			shell.Printf(w, "not compared, for %s has no verdicts on them: %s\n", e.compared.Name, strings.Join(c.Unknown, ", "))
		}
		return err
	case e.written != nil:
		kept, err := runner.WriteExpected(e.written, reports)
		if err == nil && len(kept) > 0 {
			shell.Printf(w, "not run, their expected verdicts are kept: %s\n", strings.Join(kept, ", "))
		}
		return err
	}
	return nil
}

// printReports prints the table of verdicts, and the names of the files that have them as
// well.
func printReports(w io.Writer, out string, reports []claim.Report) error {
	err := shell.Wrapped(w, func(w io.Writer) error { return claim.WriteText(w, reports) })
	if err != nil {
		return err
	}
	_, err = shell.Printf(w, "verdicts %s/reproduce.json, %s/reproduce.md\n", out, out)
	return err
}
