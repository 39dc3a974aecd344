package command

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
	"starling/scenarios/loading"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
	"starling/scenarios/runner"
	"starling/scenarios/study"
	"starling/scenarios/workers"
)

// mostExtended is the number of times that --extend goes beyond an edge.
const mostExtended = 8

// newTune is the verb tune.
func (p program) newTune() *cobra.Command {
	var flags runFlags
	var extend bool
	cmd := &cobra.Command{
		Use:   "tune SCENARIO|FILE",
		Short: "Choose values of keys by validation rows, and run with them",
		Long: `Choose values of keys by validation rows. For each arm of the sweep, run the trials of the
section tune, choose the values with the best mean of a validation metric, print them, and
run the scenario with them under its own seeds.

Trials have their own seeds, tune.seeds. They are the arms of a scenario NAME-trials with a
results folder in OUT. An interrupted tuning resumes, and no trial is made twice. The
study has the same digest however it was made. Its warning 'tuning' states the privacy
loss of the trials.

Exit status: 0 done, 1 a run failed, or no trial of an arm has a number, 2 bad input
(nothing is written).`,
		Example: `  starling tune my.yaml
  starling tune my.yaml --extend --workers local:4
  starling tune my.yaml --set tune.metric=validation.auc.roc`,
		Args: shell.Exactly(1, "the name of a scenario or a file"),
		RunE: func(cmd *cobra.Command, args []string) error { return p.tune(cmd, args[0], flags, extend) },
	}
	cmd.Flags().StringVar(&flags.out, "out", "results", "the folder of all results")
	shell.AddOverrides(cmd, &flags.set)
	shell.AddDataFlag(cmd, &flags.data)
	cmd.Flags().BoolVar(&extend, "extend", false, fmt.Sprintf("while a choice lies at the edge of its grid, go on beyond it by the ratio of the grid there, %d times at most", mostExtended))
	cmd.Flags().StringVar(&flags.engine, "engine", string(runner.Lockstep), "the runtime: actors or lockstep; results are the same")
	cmd.Flags().BoolVar(&flags.json, "json", false, "print JSON: the metric, the choice of each arm with its cost, and the outcome of the study as run prints it")
	cmd.Flags().BoolVar(&flags.quiet, "quiet", false, "print nothing but the path of the results folder of the study")
	flags.progress = shell.AddProgress(cmd)
	cmd.Flags().StringVar(&flags.memory, "memory", "", "memory that runs side by side may take together, such as 8GiB; default: four fifths of the machine's or the container's")
	cmd.Flags().IntVar(&flags.cores, "cores", 0, "processor cores to use, 0 for all; results are the same")
	flags.pool.Add(cmd)
	return cmd
}

// tuner runs the rounds of a plan.
type tuner struct {
	program
	cmd     *cobra.Command
	name    string
	list    []loading.Override // of the command line
	flags   runFlags
	options runner.RunOptions
	plan    *study.TuningPlan
	// runs are the arms of all trials so far, by arm of the scenario.
	runs [][]*study.Arm
	// tried are the trials that have a result, by arm of the scenario and number of the trial.
	tried []map[int]tried
	// seeds is the number of seeds of a trial.
	seeds int
}

// tune loads a scenario, makes its trials and runs the study.
func (p program) tune(cmd *cobra.Command, name string, flags runFlags, extend bool) error {
	if flags.json && flags.quiet {
		return shell.Usage(errors.New("tune prints --json or --quiet"))
	}
	list, err := shell.Overrides(flags.set)
	if err != nil {
		return err
	}
	if name == "-" {
		return shell.Usage(errors.New("tune reads its scenario several times: give a name or a file"))
	}
	scenario, err := shell.Load(cmd, p.Loader(flags.data), name, list...)
	if err != nil {
		return err
	}
	plan, err := study.NewTuningPlan(scenario)
	if err != nil {
		return document.BadInput(fmt.Errorf("%s: %w", name, err))
	}
	options, err := runOptions(flags)
	if err != nil {
		return err
	}
	t := &tuner{program: p, cmd: cmd, name: name, list: list, flags: flags, options: options, plan: plan, runs: make([][]*study.Arm, len(scenario.Arms)), tried: make([]map[int]tried, len(scenario.Arms))}
	chosen, kept, err := t.choose(extend)
	if err != nil {
		return err
	}
	trials, err := t.choices(chosen, kept)
	if err != nil {
		return err
	}
	return t.study(chosen, trials)
}

// choose makes the trials and returns the choices for all arms, with the results of the trials of the last round.
func (t *tuner) choose(extend bool) (chosen []study.TunedChoice, kept [][]study.TrialResult, err error) {
	arms := len(t.runs)
	trials := make([][]int, arms)
	kept = make([][]study.TrialResult, arms)
	for arm := range trials {
		for k := range t.plan.Trials {
			trials[arm] = append(trials[arm], k)
		}
	}
	counts, steps := t.plan.Rounds()
	for round := range counts {
		if round > 0 {
			for arm := range trials {
				trials[arm] = nil
				for _, r := range t.plan.Best(kept[arm])[:min(counts[round], len(t.plan.Best(kept[arm])))] {
					trials[arm] = append(trials[arm], r.Trial)
				}
				slices.Sort(trials[arm])
			}
		}
		if kept, err = t.round(trials, steps[round]); err != nil {
			return nil, nil, err
		}
	}
	chosen, err = t.chosen(kept, trials)
	for range mostExtended {
		if err != nil || !extend {
			return chosen, kept, err
		}
		added := t.plan.Extend(chosen)
		if len(added) == 0 {
			return chosen, kept, nil
		}
		next := make([][]int, arms)
		for arm := range next {
			next[arm] = added
			trials[arm] = append(trials[arm], added...)
		}
		more, failed := t.round(next, 0)
		if failed != nil {
			return nil, nil, failed
		}
		for arm := range kept {
			kept[arm] = append(kept[arm], more[arm]...)
		}
		chosen, err = t.chosen(kept, trials)
	}
	return chosen, kept, err
}

// chosen returns the choices by results of trials.
func (t *tuner) chosen(kept [][]study.TrialResult, trials [][]int) (chosen []study.TunedChoice, err error) {
	for arm := range kept {
		c, ok := t.plan.Choose(arm, kept[arm], len(trials[arm]))
		if !ok {
			err = errors.Join(err, fmt.Errorf("arm %s: none of %d trials has a number of the %s", c.Arm, c.Trials, t.plan.Metric.Label))
		}
		chosen = append(chosen, c)
	}
	return chosen, err
}

// load loads the scenario with settings over those of the command line.
func (t *tuner) load(settings []study.Setting) (*study.Scenario, workers.Options, error) {
	list := slices.Clone(t.list)
	for _, s := range settings {
		list = append(list, loading.Override{Path: s.Path, Text: s.Text, Source: "tune " + s.Path})
	}
	scenario, err := shell.Load(t.cmd, t.Loader(t.flags.data), t.name, list...)
	return scenario, workers.Options{File: t.name, Overrides: list, Run: t.options}, err
}

// round runs some trials of each arm, and returns their results.
func (t *tuner) round(trials [][]int, steps int) ([][]study.TrialResult, error) {
	if !slices.ContainsFunc(trials, func(some []int) bool { return len(some) > 0 }) {
		return make([][]study.TrialResult, len(trials)), nil
	}
	scenario, source, err := t.load(t.plan.Round(trials, steps))
	if err != nil {
		return nil, err
	}
	o, err := execute(t.cmd, scenario, source, t.flags)
	if err != nil {
		return nil, err
	}
	last := map[string]results.SummaryRow{} // by the arm of the trial
	for _, row := range o.Summary {
		if row.Metric == t.plan.Metric.Name && row.Step >= last[row.Arm].Step {
			last[row.Arm] = row
		}
	}
	t.seeds = scenario.Seeds.Count
	found, at := make([][]study.TrialResult, len(trials)), 0
	made := &results.Run{Dir: o.Dir, Manifest: o.Manifest}
	for arm, some := range trials {
		for _, trial := range some {
			run := scenario.Arms[at]
			at++
			t.runs[arm] = append(t.runs[arm], run)
			if row, ok := last[run.Name]; ok && row.N == int64(scenario.Seeds.Count) {
				found[arm] = append(found[arm], study.TrialResult{Trial: trial, Mean: row.Mean, SE: row.SE})
				t.keep(arm, found[arm][len(found[arm])-1], made, run.Name)
			}
		}
	}
	return found, nil
}

// study runs the scenario with the values that were chosen, and prints its outcome. The scenario
// itself states the cost of the trials: results of another tuning are others, and a run of the
// scenario that is stored beside the results says the same.
func (t *tuner) study(chosen []study.TunedChoice, list []choiceOf) error {
	scenario, _, err := t.load(t.plan.Study(chosen))
	if err != nil {
		return err
	}
	var says, costs []string
	for arm, c := range chosen {
		cost, err := t.plan.Cost(t.runs[arm], scenario.Arms[arm])
		if err != nil {
			return err
		}
		says, costs = append(says, t.plan.Remark(c, cost)), append(costs, cost)
	}
	if !t.flags.json && !t.flags.quiet {
		if err := t.print(chosen, list, costs); err != nil {
			return err
		}
	}
	scenario, source, err := t.load(t.plan.Stated(chosen, says))
	if err != nil {
		return err
	}
	o, err := execute(t.cmd, scenario, source, t.flags)
	if err != nil {
		return err
	}
	if t.flags.json {
		if err := shell.WriteJSON(t.cmd.OutOrStdout(), t.tuned(list, says, o)); err != nil || len(o.Failures) == 0 {
			return err
		}
		return errors.New(o.Manifest.Failed())
	}
	return t.writeOutcome(t.cmd, o, outcomeForm{Quiet: t.flags.quiet, Brief: true})
}

// print prints the trials, the choices with their costs and their flags, in this order.
func (t *tuner) print(chosen []study.TunedChoice, list []choiceOf, costs []string) error {
	w := t.cmd.OutOrStdout()
	if err := t.printTrials(w, list); err != nil {
		return err
	}
	if err := t.printCosts(w, list, costs); err != nil {
		return err
	}
	if err := t.printFlags(w, chosen); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

// tuned is the outcome of a tuning, for a program.
type tuned struct {
	Metric  string   `json:"metric"`
	Choices []choice `json:"choices"`
	Run     result   `json:"run"`
}

// choice is the choice for an arm: the text of each value by its key, and what the trials cost.
type choice struct {
	Arm    string            `json:"arm"`
	Values map[string]string `json:"values"`
	Mean   shell.Number      `json:"mean"`
	SE     shell.Number      `json:"se"`
	Trials int               `json:"trials"`
	Failed int               `json:"failed"`
	Edges  []string          `json:"edges"`
	Says   string            `json:"says"`
	// List has the trials from the best on.
	List []trialJSON `json:"list"`
}

// trialJSON is a trial: the text of each value by its key, the mean over the seeds of the trials and the ends of its
// interval, null where there is none, and the mark of the table.
type trialJSON struct {
	Values map[string]string `json:"values"`
	Mean   shell.Number      `json:"mean"`
	Low    shell.Number      `json:"low"`
	High   shell.Number      `json:"high"`
	Mark   string            `json:"mark"`
}

// tuned returns the choices and the outcome of the study.
func (t *tuner) tuned(chosen []choiceOf, says []string, o *runner.Outcome) tuned {
	all := tuned{Metric: t.plan.Metric.Name, Run: ended(o)}
	for arm := range chosen {
		c := &chosen[arm]
		one := choice{Arm: c.Arm, Values: t.byKey(c.Values), Mean: shell.Number(c.Mean), SE: shell.Number(c.SE), Trials: c.Trials, Failed: c.Failed, Edges: append([]string{}, c.Edges...), Says: says[arm]}
		for _, r := range c.list {
			half := comparison.HalfWidth(r.SE, int64(t.seeds))
			one.List = append(one.List, trialJSON{Values: t.byKey(t.plan.Trials[r.Trial].Values), Mean: shell.Number(r.Mean), Low: shell.Number(r.Mean - half), High: shell.Number(r.Mean + half), Mark: c.mark(&r)})
		}
		all.Choices = append(all.Choices, one)
	}
	return all
}

// byKey returns values by the names of their keys.
func (t *tuner) byKey(values []string) map[string]string {
	by := map[string]string{}
	for i, key := range t.plan.Keys() {
		by[key] = values[i]
	}
	return by
}
