package command

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/jobs"
	"starling/scenarios/loading"
	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/study"
	"starling/scenarios/workers"
)

// runFlags are the flags of run.
type runFlags struct {
	// out is the folder of all results; the results of the run go to out/NAME/HASH.
	out string
	// set holds overrides, path=value in YAML.
	set []string
	// seeds replaces the number of seeds of the scenario.
	seeds int
	// engine is actors or lockstep: results are the same.
	engine string
	// shards is the number of shards of the actor runtime, 0 to choose: results are the same.
	shards int
	// quiet prints nothing but the path of the results, and json prints the outcome of the
	// run.
	quiet, json bool
	// progress returns the form in which progress is shown.
	progress func() string
	// notes works out all theory, however long that takes.
	notes bool
	// checkPure asks code in Python everything twice.
	checkPure bool
	// again runs from the beginning and replaces the earlier results.
	again bool
	// resume goes on with an unfinished run, or is an error with the reason why that cannot
	// be; without it a run that cannot go on begins anew.
	resume bool
	// join waits while another process makes the same run, and has its results.
	join bool
	// dryRun prints an estimate and writes nothing.
	dryRun bool
	// memory is the memory that runs side by side may take together, such as 8GiB; empty is
	// four fifths of the machine's.
	memory string
	// cores is the number of cores to use, 0 for all: results are the same.
	cores int
	// data is the folder of data sets.
	data string
	// part is the share of the runs, such as 3/16; empty is all.
	part string
	// pool describes other processes that make the runs.
	pool processPool
}

// newRun is the verb run.
func (p program) newRun() *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:   "run SCENARIO|FILE|-",
		Short: "Run a scenario and write its results folder",
		Long: `Run a scenario of the library, or a file, and write its results to OUT/NAME/HASH:
metrics, a summary, figures, and a manifest with a digest. Every arm runs under every
seed. The hash covers the scenario, its overrides and this build.

Nothing is computed twice. Finished results are shown as they are. An arm under a seed
that another run of the scenario in OUT has computed is copied from there. An interrupted
run resumes from its last saved state, and ends with the same results as one that was
never interrupted. States are saved at each tenth of the horizon, or every
checkpoint.every steps. Noise depends only on the seed, so a resumed run releases nothing
twice with different noise.

An arm fails where its numbers do, for example at a gradient that is not finite. It is
left out with all its seeds, the other arms finish, and the results name the failed
arms. The same command runs the failed arms again.

SCENARIO can be '-': the scenario is then read from standard input, as if it were a file
in this folder.

--part K/N makes every N-th run, starting with the K-th; 'starling merge' puts the parts
together. --workers has other processes make the runs, on this machine or on others, and
--spread divides each run among them. The results are the same: see 'starling help
clusters'.

Exit status: 0 done, 1 the run or an arm of it failed, 2 bad input (nothing is written).`,
		Example: `  starling run dpdonc-localization
  starling run dpdonc-as-printed --seeds 1000 --out results
  starling run my.yaml --set horizon=200 --set mechanism.epsilon=0.5 --engine lockstep
  starling run my.yaml --dry-run
  starling run my.yaml --resume --memory 8GiB
  starling run my.yaml --part 3/16 --out results
  starling run my.yaml --workers local:4`,
		Args: shell.Exactly(1, "the name of a scenario or a file"),
		RunE: func(cmd *cobra.Command, args []string) error { return p.run(cmd, args[0], flags) },
	}
	cmd.Flags().StringVar(&flags.out, "out", "results", "the folder of all results")
	shell.AddOverrides(cmd, &flags.set)
	shell.AddDataFlag(cmd, &flags.data)
	cmd.Flags().IntVar(&flags.seeds, "seeds", 0, "run this many seeds instead of the scenario's number")
	cmd.Flags().StringVar(&flags.engine, "engine", string(runner.Actors), "the runtime: actors or lockstep; results are the same")
	cmd.Flags().IntVar(&flags.shards, "shards", 0, "shards of the actor runtime, 0 to choose; results are the same")
	cmd.Flags().BoolVar(&flags.quiet, "quiet", false, "print nothing but the path of the results folder")
	cmd.Flags().BoolVar(&flags.json, "json", false, "print JSON: the folder, the digest, whether the results existed already, the reused jobs and their folders, the finding, the warnings about the folder, and the failed arms; with --dry-run the forecast")
	flags.progress = shell.AddProgress(cmd)
	cmd.Flags().BoolVar(&flags.notes, "notes", false, "compute all notes on theory, such as bounds on regret, and print the last values of all metrics; by default, notes that take longer than 5 % of the run and 0.01 s are left out")
	cmd.Flags().BoolVar(&flags.checkPure, "check-pure", false, "call Python code twice for everything, and fail if the answers differ in a bit; see 'starling help python'")
	cmd.Flags().BoolVar(&flags.again, "again", false, "run from the start, and replace existing results")
	cmd.Flags().BoolVar(&flags.resume, "resume", false, "resume an unfinished run, or fail with the reason why none can be resumed; by default, a run that cannot be resumed starts again")
	cmd.Flags().BoolVar(&flags.join, "join", false, "if another process is making the same run, wait for its results; by default, that is an error")
	cmd.Flags().BoolVar(&flags.dryRun, "dry-run", false, "print the arms, the seeds, the expected time and memory, and the planned privacy loss; write nothing")
	cmd.Flags().StringVar(&flags.part, "part", "", "run only this share of the runs, such as 3/16, for 'starling merge'")
	cmd.Flags().StringVar(&flags.memory, "memory", "", "most memory for all concurrent runs together, such as 8GiB; default: 80 % of the memory of the machine or the container")
	cmd.Flags().IntVar(&flags.cores, "cores", 0, "processor cores to use, 0 for all; results are the same")
	flags.pool.Add(cmd)
	return cmd
}

// run loads a scenario and runs it. Its steps stand in the order in which they can fail:
//
//	1  overrides            the command line makes no sense     exit 2
//	2  Load                 the file is not valid                exit 2, all issues at once
//	3  runOptions           cores, memory                       exit 2
//	4  EstimateRun          with --dry-run, and nothing more    exit 0
//	5  runner.Run           the folder is made here first       exit 1
//
// Bad input is refused before anything is written. Progress goes to stderr, so that
// stdout has the outcome alone, or the path of the folder with --quiet.
func (p program) run(cmd *cobra.Command, name string, flags runFlags) error {
	if flags.json && flags.quiet {
		return shell.Usage(errors.New("run prints --json or --quiet"))
	}
	list, err := flags.overrides(cmd)
	if err != nil {
		return err
	}
	loader := p.Loader(flags.data)
	loader.Twice = flags.checkPure
	var fixed []string // overrides of keys of the sweep
	loader.Unswept = func(o loading.Override) { fixed = append(fixed, fmt.Sprintf("%s=%s", o.Source, o.Text)) }
	scenario, err := shell.Load(cmd, loader, name, list...)
	if err != nil {
		return err
	}
	if len(fixed) > 0 && !flags.quiet && !flags.json {
		if err := tellFixed(cmd.ErrOrStderr(), fixed, len(scenario.Arms)); err != nil {
			return err
		}
	}
	options, err := runOptions(flags)
	if err != nil {
		return err
	}
	if flags.dryRun {
		if err := checkGraphs(cmd, scenario); err != nil {
			return err
		}
		if err := estimate(cmd, scenario, options, flags.json); err != nil || flags.json || !flags.pool.Spread() {
			return err
		}
		_, err := fmt.Fprintln(cmd.OutOrStdout(), spreadMemory)
		return err
	}
	o, err := execute(cmd, scenario, workers.Options{File: name, Overrides: list, Run: options}, flags)
	if err != nil {
		return err
	}
	form := outcomeForm{JSON: flags.json, Quiet: flags.quiet, All: flags.notes}
	if !options.Part.All() {
		form.Part = func(w io.Writer) error { return printPart(w, scenario, options.Part, o) }
	}
	return p.writeOutcome(cmd, o, form)
}

// tellFixed says which values of the command line replace lists of the sweep, and how many arms are left.
func tellFixed(w io.Writer, fixed []string, arms int) error {
	verb := "replaces a list"
	if len(fixed) > 1 {
		verb = "replace lists"
	}
	left := "arms are left"
	if arms == 1 {
		left = "arm is left"
	}
	return shell.WriteText(w, "note: ", fmt.Sprintf("%s %s of the sweep; %d %s.", strings.Join(fixed, ", "), verb, arms, left))
}

// overrides returns the overrides of --set and of --seeds. --seeds is an override like any other, and
// so part of the hash that names the folder. It comes last and wins over --set seeds.count.
func (f runFlags) overrides(cmd *cobra.Command) ([]loading.Override, error) {
	list, err := shell.Overrides(f.set)
	if err != nil || !cmd.Flags().Changed("seeds") {
		return list, err
	}
	if f.seeds < 1 || f.seeds > study.MostSeeds {
		return nil, shell.Usage(fmt.Errorf("--seeds %d: each arm runs under a seed or more; want 1 to %d, such as --seeds 5", f.seeds, study.MostSeeds))
	}
	return append(list, loading.Override{Path: "seeds.count", Text: strconv.Itoa(f.seeds), Source: "--seeds"}), nil
}

// execute runs a scenario that was loaded from a source, with the workers and the progress that the
// flags ask for.
func execute(cmd *cobra.Command, scenario *study.Scenario, source workers.Options, flags runFlags) (*runner.Outcome, error) {
	options := source.Run
	pool, err := flags.pool.Workers(cmd, flags.data, source)
	if err != nil {
		return nil, err
	}
	if pool != nil {
		if flags.pool.Spread() {
			options.Spread = pool
		} else {
			options.Elsewhere = pool
		}
		defer pool.Close()
	}
	options.Progress = &runner.Progress{Part: options.Part}
	stop := func() {}
	switch form := flags.progress(); {
	case form == shell.ProgressJSON:
		stop = shell.ShowEvents(cmd.ErrOrStderr(), scenario, options.Progress)
	case form == shell.ProgressAuto && !flags.quiet:
		stop = shell.ShowProgress(cmd.ErrOrStderr(), scenario, options.Progress)
	}
	run := runner.Run
	if !options.Part.All() {
		run = runner.RunPart
	}
	// stop comes before anything is printed: a bar that is redrawn would overwrite it.
	defer stop()
	for {
		o, err := run(scenario, cmd.Context(), options)
		// The other may also end between a look at the folder and the claim on it.
		if !flags.join || !errors.Is(err, results.ErrLocked) && !errors.Is(err, results.ErrComplete) {
			return o, err
		}
		select {
		case <-cmd.Context().Done():
			return nil, cmd.Context().Err()
		case <-time.After(waitEvery):
		}
	}
}

// waitEvery is how often a run that waits for another process looks whether it has ended.
const waitEvery = 200 * time.Millisecond

// spreadMemory is the sentence of a forecast on a spread run. The factor was measured on a
// torus of 10,000 nodes with vectors of 100 entries; learners take less than in one process.
const spreadMemory = "With --spread every worker and this process take up to one and a half times the memory of a run: all begin with the state of all participants."

// runOptions returns the settings that the flags ask for. It also limits the process itself:
// --cores sets GOMAXPROCS, and the memory limit goes to the garbage collector, which then
// collects more often rather than let the process grow beyond it. Neither changes results.
func runOptions(flags runFlags) (options runner.RunOptions, err error) {
	build, memory, err := processLimits(flags.cores, flags.memory)
	if err != nil {
		return options, err
	}
	part, err := jobs.ParseShare(flags.part)
	if err != nil {
		return options, shell.Usage(fmt.Errorf("--part: %w", err))
	}
	theory := study.Brief
	if flags.notes {
		theory = study.All
	}
	return runner.RunOptions{
		Theory: theory, Out: flags.out, Engine: runner.Engine(flags.engine), Shards: flags.shards, Memory: memory,
		Part: part, Again: flags.again, Resume: flags.resume, Version: shell.Version, Build: build,
	}, nil
}
