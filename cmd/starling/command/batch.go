package command

import (
	"fmt"
	"io"
	"os"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/forecast"
	"starling/scenarios/jobs"
	"starling/scenarios/runner"
	"starling/scenarios/study"
	"starling/scenarios/workers"
)

// batchFlags are the flags of batch.
type batchFlags struct {
	// run has the flags that are passed on to the parts: out, set, seeds, cores and data.
	run runFlags
	// parts is the number of parts, and target the system that runs them.
	parts  int
	target string
	// image and claim are the container and the volume of the results, for Kubernetes.
	image, claim string
	json         *bool
}

// newBatch is the verb batch.
func (p program) newBatch() *cobra.Command {
	var flags batchFlags
	cmd := &cobra.Command{
		Use:   "batch SCENARIO|FILE --parts N --for slurm|kubernetes|local",
		Short: "Write a job array that runs a scenario in parts",
		Long: `Write a script with which a cluster runs the parts of a scenario: a job
array for Slurm, an indexed Job for Kubernetes, or a script for one machine. Each part is a
'starling run --part K/N' with the same --set, --seeds and --data, and asks for
cores, for one and a half times the memory and for three times the time that a dry
run of the largest part forecasts on this machine. All parts share one folder of
results, in which 'starling merge' puts them together. See 'starling help clusters'.

For Kubernetes --out is where the volume of --claim is mounted, and the scenario,
with all overrides, is in a ConfigMap.

Exit status: 0 done, 1 failed, 2 bad input.`,
		Example: `  starling batch my.yaml --parts 16 --for slurm > parts.sh
  starling batch my.yaml --parts 16 --for kubernetes --image registry/starling:1 --out /results`,
		Args: shell.Exactly(1, "the name of a scenario or a file"),
		RunE: func(cmd *cobra.Command, args []string) error { return p.batch(cmd, args[0], flags) },
	}
	cmd.Flags().IntVar(&flags.parts, "parts", 0, "the number of parts")
	cmd.Flags().StringVar(&flags.target, "for", "", "scheduler of the parts: slurm, kubernetes or local")
	cmd.Flags().StringVar(&flags.run.out, "out", "results", "the folder of all results, which all parts share")
	shell.AddOverrides(cmd, &flags.run.set)
	shell.AddDataFlag(cmd, &flags.run.data)
	cmd.Flags().IntVar(&flags.run.seeds, "seeds", 0, "run this many seeds instead of the scenario's number")
	cmd.Flags().IntVar(&flags.run.cores, "cores", 0, "processor cores of a part, 0 for as many as are here and of use")
	cmd.Flags().StringVar(&flags.image, "image", "", "the container image with the program, for kubernetes")
	flags.json = shell.AddJSON(cmd, "scenario, for, parts, program, arguments, folder, cores, memory_bytes and seconds of a part, and script")
	cmd.Flags().StringVar(&flags.claim, "claim", "starling-results", "the volume claim of the results, for kubernetes")
	return cmd
}

// batch forecasts the largest part and writes the job array.
func (p program) batch(cmd *cobra.Command, name string, flags batchFlags) error {
	target := workers.BatchTarget(flags.target)
	switch {
	case !slices.Contains(workers.BatchTargets(), target):
		return shell.Usage(fmt.Errorf("--for %q: want slurm, kubernetes or local", flags.target))
	case flags.parts < 1 || flags.parts > jobs.MostParts:
		return shell.Usage(fmt.Errorf("--parts %d: want 1 to %d", flags.parts, jobs.MostParts))
	case target == workers.Kubernetes && flags.image == "":
		return shell.Usage(fmt.Errorf("--image: kubernetes needs a container image with the program"))
	}
	list, err := flags.run.overrides(cmd)
	if err != nil {
		return err
	}
	scenario, err := p.Loader(flags.run.data).Load(name, list...)
	if err != nil {
		return err
	}
	flags.run.engine = string(runner.Actors)
	options, err := runOptions(flags.run)
	if err != nil {
		return err
	}
	plan := workers.Batch{Name: scenario.Name, Parts: flags.parts, Out: flags.run.out, Scenario: scenario.Document.Bytes(), Image: flags.image, Claim: flags.claim}
	if err := resources(cmd, scenario, options, &plan, flags.run.cores); err != nil {
		return err
	}
	if plan.Program, err = os.Executable(); err != nil {
		return err
	}
	plan.Arguments, plan.Folder = passedOn(cmd, name, flags.run), runner.Dir(scenario, options)
	if target == workers.Kubernetes {
		// The program in the image may be another build, and the folder of another build has
		// another hash.
		plan.Program, plan.Arguments, plan.Folder = "starling", []string{"/scenario/scenario.yaml"}, path.Join(flags.run.out, scenario.Name)
		if flags.run.data != "" && len(scenario.Data) > 0 {
			plan.Arguments = append(plan.Arguments, "--data", flags.run.data)
		}
	}
	if *flags.json {
		return writeBatch(cmd.OutOrStdout(), &plan, target)
	}
	return plan.Write(cmd.OutOrStdout(), target)
}

// writeBatch prints a job array and the resources of its parts, for a program.
func writeBatch(w io.Writer, plan *workers.Batch, target workers.BatchTarget) error {
	var script strings.Builder
	if err := plan.Write(&script, target); err != nil {
		return err
	}
	return shell.WriteJSON(w, struct {
		Scenario  string              `json:"scenario"`
		For       workers.BatchTarget `json:"for"`
		Parts     int                 `json:"parts"`
		Program   string              `json:"program"`
		Arguments []string            `json:"arguments"`
		Folder    string              `json:"folder"`
		Cores     int                 `json:"cores"`
		Memory    int64               `json:"memory_bytes"`
		Seconds   float64             `json:"seconds"`
		Script    string              `json:"script"`
	}{plan.Name, target, plan.Parts, plan.Program, plan.Arguments, plan.Folder, plan.Cores, plan.Memory, plan.Time.Seconds(), script.String()})
}

// passedOn are the arguments of run in every part.
func passedOn(cmd *cobra.Command, name string, flags runFlags) []string {
	list := []string{name}
	for _, set := range flags.set {
		list = append(list, "--set", set)
	}
	if cmd.Flags().Changed("seeds") {
		list = append(list, "--seeds", strconv.Itoa(flags.seeds))
	}
	if cmd.Flags().Changed("data") {
		list = append(list, "--data", flags.data)
	}
	return list
}

// resources fills in the resources that a part asks for: those for the part that takes the
// longest.
func resources(cmd *cobra.Command, s *study.Scenario, options runner.RunOptions, plan *workers.Batch, cores int) error {
	settings := options.Forecast()
	whole, err := forecast.Of(s, cmd.Context(), settings)
	if err != nil {
		return err
	}
	longest := time.Duration(-1)
	for k := range min(plan.Parts, whole.Jobs) {
		list := jobs.Share{Part: k + 1, Parts: plan.Parts}.Of(s)
		took := time.Duration(0)
		for _, i := range list {
			took += whole.Arms[i/s.Seeds.Count].JobTime
		}
		if took > longest {
			longest, settings.Jobs = took, list
		}
	}
	part, err := forecast.Of(s, cmd.Context(), settings)
	if err != nil {
		return err
	}
	plan.Time, plan.Memory = workers.BatchRoom(part.Time, part.Bytes)
	if plan.Cores = cores; cores == 0 {
		plan.Cores = runtime.GOMAXPROCS(0)
		if part.Workers > 1 || part.Jobs == 1 && whole.Workers > 1 {
			plan.Cores = part.Workers
		}
	}
	return nil
}
