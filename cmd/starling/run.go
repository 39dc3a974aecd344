package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"starling/scenarios"
)

// runFlags are the flags of run.
type runFlags struct {
	out    string
	set    []string
	seeds  int
	engine string
	shards int
	quiet  bool
	again  bool
}

func newRun() *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:   "run SCENARIO|FILE",
		Short: "Run a scenario and write its results folder",
		Long: `Run a scenario of the library, or a file, under all its seeds, and write the
results to OUT/NAME/HASH: metrics, summary, plots and a manifest with a digest.
The hash covers the scenario, its overrides and this build; results that are
there already are shown and not computed again.

Exit status: 0 done, 1 the run failed, 2 bad input (nothing is written).`,
		Example: `  starling run dpdonc-localization
  starling run dpdonc-as-printed --seeds 1000 --out results
  starling run my.yaml --set horizon=200 --set mechanism.epsilon=0.5 --engine lockstep`,
		Args: exactly(1, "the name of a scenario or a file"),
		RunE: func(cmd *cobra.Command, args []string) error { return run(cmd, args[0], flags) },
	}
	cmd.Flags().StringVar(&flags.out, "out", "results", "the folder of all results")
	addOverrides(cmd, &flags.set)
	cmd.Flags().IntVar(&flags.seeds, "seeds", 0, "run this many seeds instead of the scenario's number")
	cmd.Flags().StringVar(&flags.engine, "engine", string(scenarios.Actors), "the runtime: actors or lockstep; results are the same")
	cmd.Flags().IntVar(&flags.shards, "shards", 0, "shards of the actor runtime, 0 to choose; results are the same")
	cmd.Flags().BoolVar(&flags.quiet, "quiet", false, "print nothing but the path of the results folder")
	cmd.Flags().BoolVar(&flags.again, "again", false, "run even if the results are there, and replace them")
	return cmd
}

func addOverrides(cmd *cobra.Command, set *[]string) {
	cmd.Flags().StringArrayVar(set, "set", nil, "replace a value of the scenario, path=value in YAML, and take it out of the sweep; repeatable")
}

// overrides reads --set.
func overrides(set []string) ([]scenarios.Override, error) {
	var list []scenarios.Override
	for _, text := range set {
		o, err := scenarios.ParseOverride(text)
		if err != nil {
			return nil, &usageError{err}
		}
		list = append(list, o)
	}
	return list, nil
}

func run(cmd *cobra.Command, name string, flags runFlags) error {
	list, err := overrides(flags.set)
	if err != nil {
		return err
	}
	if cmd.Flags().Changed("seeds") {
		list = append(list, scenarios.Override{Path: "seeds.count", Text: strconv.Itoa(flags.seeds), Source: "--seeds"})
	}
	scenario, err := scenarios.Load(name, list...)
	if err != nil {
		return err
	}
	build, err := scenarios.BuildID()
	if err != nil {
		return err
	}
	options := scenarios.RunOptions{
		Out: flags.out, Engine: scenarios.Engine(flags.engine), Shards: flags.shards, Again: flags.again,
		Version: version, Build: build, Progress: &scenarios.Progress{},
	}
	stop := func() {}
	if !flags.quiet {
		stop = showProgress(cmd.ErrOrStderr(), scenario, options.Progress)
	}
	outcome, err := scenario.Run(cmd.Context(), options)
	stop()
	if err != nil {
		return err
	}
	if flags.quiet {
		_, err = fmt.Fprintln(cmd.OutOrStdout(), outcome.Dir)
		return err
	}
	return printOutcome(cmd.OutOrStdout(), outcome)
}
