package inspect

import (
	"errors"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/results"
	reportpage "starling/scenarios/results/report"
	"starling/scenarios/runner"
	"starling/scenarios/view"
	"starling/scenarios/view/plot"
)

// reportFlags are the flags of report.
type reportFlags struct {
	// out is the page to write; RUN/report.html where there is one run.
	out string
	// results is the folder of all results.
	results string
	// steps are the steps at which the network is drawn; empty takes the first with different
	// graphs.
	steps []int
	// data is the folder of data sets, with which a scenario is read again.
	data string
	json *bool
}

// newReport is the verb report.
func (p program) newReport() *cobra.Command {
	var flags reportFlags
	cmd := &cobra.Command{
		Use:   "report RUN...",
		Short: "Write one or more runs as an HTML page",
		Long: `Write the results of one or more runs as one HTML page that works offline: last
values, figures to zoom into, the claimed and the accounted privacy, the network,
the scenario and how to run it again. The page of one run goes into its folder, as
report.html, unless --out says otherwise; the page of several overlays their figures
and needs --out.

` + shell.NamesOfRuns,
		Example: `  starling report last
  starling report dpdonc-localization
  starling report results/*/* --out all.html`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return shell.Usage(errors.New("report takes the folders of one or more runs"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return p.writeReport(cmd, args, flags) },
	}
	cmd.Flags().StringVar(&flags.out, "out", "", "the file to write; RUN/report.html if there is one run")
	shell.AddResults(cmd, &flags.results)
	shell.AddDataFlag(cmd, &flags.data)
	flags.json = shell.AddJSON(cmd, "file, and runs, each with scenario, hash and folder")
	cmd.Flags().IntSliceVar(&flags.steps, "graphs-at", nil, "show the network at these steps instead of the first with different graphs")
	return cmd
}

// writeReport opens the runs, writes the page and prints its path, and its address on standard
// error. The page of one run goes into its folder under its own name, which is not sealed by the
// manifest; any other file in the folder of a run is refused.
func (p program) writeReport(cmd *cobra.Command, names []string, flags reportFlags) error {
	out := flags.out
	runs, err := shell.OpenRuns(cmd, flags.results, names)
	if err != nil {
		return err
	}
	if out == "" && len(runs) > 1 {
		return shell.Usage(errors.New("report of several runs needs --out FILE"))
	}
	if out == "" {
		out = filepath.Join(runs[0].Dir, results.ReportName)
	}
	for _, run := range runs {
		if filepath.Clean(out) != filepath.Join(run.Dir, results.ReportName) {
			if err := shell.Outside(out, run.Dir); err != nil {
				return shell.Usage(err)
			}
		}
	}
	parts := &runner.Parts{Loader: p.Loader(flags.data)}
	parts.Loader.Showing = true
	defer parts.Close()
	page, err := view.Report(runs, view.ReportOptions{Version: shell.Version, Steps: flags.steps, Loader: p.Loader(flags.data), Statistics: parts.Statistic, Halves: func(run *results.Run) plot.Halves { return parts.Halves(run) }})
	if err != nil {
		return err
	}
	if err := reportpage.Save(page, out); err != nil {
		return err
	}
	tellFailed(cmd, runs...)
	if *flags.json {
		return shell.WriteJSON(cmd.OutOrStdout(), reportedOf(out, runs))
	}
	if _, err = shell.Printf(cmd.OutOrStdout(), "%s\n", out); err != nil {
		return err
	}
	address, err := addressOf(out)
	if err != nil {
		return err
	}
	_, err = shell.Printf(cmd.ErrOrStderr(), "Open it in a browser: %s\n", address)
	return err
}

// addressOf is the address of a file for a browser.
func addressOf(name string) (string, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	if path = filepath.ToSlash(path); !strings.HasPrefix(path, "/") { // it begins with a drive
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String(), nil
}

// reported is the content of a page, for a program.
type reported struct {
	File string        `json:"file"`
	Runs []reportedRun `json:"runs"`
}

// reportedRun is a run on the page.
type reportedRun struct {
	Scenario string `json:"scenario"`
	Hash     string `json:"hash"`
	Folder   string `json:"folder"`
}

func reportedOf(file string, runs []*results.Run) reported {
	r := reported{File: file}
	for _, run := range runs {
		r.Runs = append(r.Runs, reportedRun{run.Manifest.Scenario, run.Manifest.Hash, run.Dir})
	}
	return r
}
