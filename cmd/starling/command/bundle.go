package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/bundle"
	"starling/scenarios/document"
	"starling/scenarios/forecast"
	"starling/scenarios/results"
	"starling/scenarios/results/tabular"
	"starling/scenarios/runner"
)

// bundleFlags are the flags of bundle.
type bundleFlags struct {
	// out is the file to write; empty for NAME-HASH.zip.
	out string
	// data is include, hash or auto.
	data string
	// from is the folder of data sets, and results the folder of all results.
	from, results string
	// claims is a file of claims, none, or empty for the claims of the library.
	claims string
	json   *bool
}

// noClaims is the value of --claims for an archive without claims.
const noClaims = "none"

// newBundle is the verb bundle.
func (p program) newBundle() *cobra.Command {
	var flags bundleFlags
	cmd := &cobra.Command{
		Use:   "bundle RUN",
		Short: "Put a run into one file that others can check",
		Long: `Put a run into one zip archive with all that is needed to make it again: the scenario
as it was run, files and code in Python that it names, its data, the claims on it,
the expected digest, ledger and verdicts, the versions of the program and the machine,
and a README with the command that checks it, 'starling verify'. Metrics and figures
are not in it. The same run and flags give the same bytes.

Data up to 20 MB are in the archive; of more it has only the SHA-256, and a check
needs the data (--data include or hash decides). Code is always in it. The scenario
must name its files by paths below its own folder.

The claims are the library's claims on a scenario of its own, if they are on this
run, or the claims of --claims FILE.

` + shell.NamesOfRuns + `

Exit status: 0 done, 1 failed, 2 bad input (nothing is written).`,
		Example: `  starling bundle last
  starling bundle dpdonc-localization --out paper.zip
  starling bundle last --claims mine.claims.yaml --data hash`,
		Args: shell.Exactly(1, "one run"),
		RunE: func(cmd *cobra.Command, args []string) error { return p.bundle(cmd, args[0], flags) },
	}
	cmd.Flags().StringVar(&flags.out, "out", "", "the file to write, .zip; NAME-HASH.zip if absent")
	cmd.Flags().StringVar(&flags.data, "data", string(bundle.Auto), "include, hash, or auto: include up to 20 MB")
	cmd.Flags().StringVar(&flags.from, "data-from", "", "the folder of data sets; by default $"+shell.DataVariable)
	cmd.Flags().StringVar(&flags.claims, "claims", "", "a file of claims, or none; default: the claims of the library")
	shell.AddResults(cmd, &flags.results)
	flags.json = shell.AddJSON(cmd, "file, size, scenario, hash, digest, claims (their file, or empty) and files (name, role, size, sha256, absent)")
	return cmd
}

// bundle packs a run and prints the contents of the archive.
func (p program) bundle(cmd *cobra.Command, name string, flags bundleFlags) error {
	how := bundle.Inclusion(flags.data)
	if known := []bundle.Inclusion{bundle.Include, bundle.ByHash, bundle.Auto}; !slices.Contains(known, how) {
		return shell.Usage(fmt.Errorf("--data %s: want include, hash or auto; the folder of data sets is --data-from", flags.data))
	}
	run, err := shell.OpenRun(cmd, flags.results, name)
	if err != nil {
		return err
	}
	file := flags.out
	if file == "" {
		file = run.Manifest.Scenario + "-" + run.Manifest.Hash + ".zip"
	}
	if filepath.Ext(file) != ".zip" {
		return shell.Usage(fmt.Errorf("--out %s: the extension must be .zip", file))
	}
	if err := shell.Outside(file, run.Dir); err != nil {
		return shell.Usage(err)
	}
	packed, err := bundle.Pack(run, file, bundle.Options{
		Data: how, Claims: flags.claims, Unclaimed: flags.claims == noClaims, Loader: p.Loader(flags.from),
	})
	if err != nil {
		return err
	}
	if packed.Without != "" {
		shell.Printf(cmd.ErrOrStderr(), "warning: %s, and are left out\n", packed.Without)
	}
	if *flags.json {
		return shell.WriteJSON(cmd.OutOrStdout(), bundledOf(file, packed))
	}
	return printBundle(cmd.OutOrStdout(), file, packed)
}

// bundled is an archive, for a program.
type bundled struct {
	File     string        `json:"file"`
	Size     int64         `json:"size"`
	Scenario string        `json:"scenario"`
	Hash     string        `json:"hash"`
	Digest   string        `json:"digest"`
	Claims   string        `json:"claims"`
	Files    []bundle.File `json:"files"`
}

func bundledOf(file string, p *bundle.Packed) bundled {
	return bundled{file, p.Size, p.Index.Scenario, p.Index.Hash, p.Index.Digest, p.Claims, p.Index.Files}
}

// printBundle prints the files of an archive, and its path last.
func printBundle(w io.Writer, file string, p *bundle.Packed) error {
	table := tabular.Table{Header: []string{"file", "what it is", "size", "in it"}}
	for _, f := range p.Index.Files {
		in := "yes"
		if f.Absent {
			in = "by its SHA-256"
		}
		table.Rows = append(table.Rows, []string{f.Name, string(f.Role), forecast.FormatBytes(f.Size), in})
	}
	if err := shell.WriteTable(w, table); err != nil {
		return err
	}
	_, err := shell.Printf(w, "\ndigest  %s\nbundle  %s, %s\n", p.Index.Digest, file, forecast.FormatBytes(p.Size))
	return err
}

// verifyFlags are the flags of verify.
type verifyFlags struct {
	// data is the folder of the data that the archive has by hash alone.
	data string
	// keep is the folder to unpack to and to keep; empty for a temporary one.
	keep string
	// python allows code that the run names.
	python bool
	json   *bool
}

// newVerify is the verb verify.
func (p program) newVerify() *cobra.Command {
	var flags verifyFlags
	cmd := &cobra.Command{
		Use:   "verify BUNDLE",
		Short: "Make the run of a bundle again, and compare its results",
		Long: `Unpack an archive of 'starling bundle' to a temporary folder, make its run again, and
compare the digest, the ledger of privacy losses, and the verdict on each claim.
Files that were changed in the archive are refused by name before anything runs, and
so are paths that lead out of it and archives that unpack to far more than their size.

Data of which the archive has only the SHA-256 are taken from the folder --data. A
run that names code in Python is refused without --python: the archive may be of
somebody else, and to make the run again runs that code.

Exit status: 0 all is as expected, 1 something is not or the run failed, 2 bad input,
such as an archive that was changed (nothing is run).`,
		Example: `  starling verify dpdonc-localization-0123456789ab.zip
  starling verify paper.zip --data ~/data
  starling verify paper.zip --keep paper`,
		Args: shell.Exactly(1, "the file of a bundle"),
		RunE: func(cmd *cobra.Command, args []string) error { return p.verify(cmd, args[0], flags) },
	}
	shell.AddDataFlag(cmd, &flags.data)
	cmd.Flags().StringVar(&flags.keep, "keep", "", "unpack to this new folder, and keep it with the results")
	cmd.Flags().BoolVar(&flags.python, "python", false, "run the code in Python that the run names")
	flags.json = shell.AddJSON(cmd, "scenario, hash, ok, checks (what, ok, got, want) and remark, on machines that round otherwise")
	return cmd
}

// verify unpacks, runs and compares. The run is made with the unpacked folder as the working
// folder of the process, so that no file of this one is read by it.
func (p program) verify(cmd *cobra.Command, file string, flags verifyFlags) (err error) {
	dir, remove, err := verifyFolder(flags.keep)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	data := flags.data
	if data == "" {
		data = os.Getenv(shell.DataVariable)
	}
	u, err := bundle.Unpack(file, dir, data)
	if err != nil {
		return err
	}
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	if err := os.Chdir(u.RunFolder()); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Chdir(here)) }()
	list, remark, err := p.verified(cmd, u, flags)
	if err != nil {
		return err
	}
	if err := writeChecks(cmd, u, list, remark, *flags.json); err != nil {
		return err
	}
	unlike := 0
	for _, c := range list {
		if !c.OK {
			unlike++
		}
	}
	if unlike > 0 {
		return fmt.Errorf("%d of %s of %s came out otherwise", unlike, document.Counted(len(list), "result"), file)
	}
	return nil
}

// verifyFolder makes the folder to unpack to, and returns a function that removes it unless it
// is to be kept.
func verifyFolder(keep string) (dir string, remove func() error, err error) {
	if keep == "" {
		dir, err = os.MkdirTemp("", "starling-verify-")
		return dir, func() error { return os.RemoveAll(dir) }, err
	}
	if err := os.Mkdir(keep, 0o755); err != nil {
		return "", nil, document.BadInput(fmt.Errorf("--keep: %w", err))
	}
	dir, err = filepath.Abs(keep)
	return dir, func() error { return nil }, err
}

// verified makes the run of an archive and compares its results.
func (p program) verified(cmd *cobra.Command, u *bundle.Unpacked, flags verifyFlags) ([]bundle.Check, string, error) {
	loader := p.Loader("")
	loader.Data, loader.Local, loader.Showing, loader.Elsewhere = u.DataFolder(), true, !flags.python, u.Elsewhere()
	s, err := shell.Load(cmd, loader, u.ScenarioFile())
	if err != nil {
		return nil, "", err
	}
	if code := s.Folder.Withheld; code != "" {
		return nil, "", document.BadInput(fmt.Errorf("the run names code in Python, %s, and to make it again runs that code, with all that you may do here: read it first, and give --python to run it", code))
	}
	if err := u.Check(s); err != nil {
		return nil, "", err
	}
	options, err := runOptions(runFlags{out: filepath.Join(u.Dir, shell.UsualResults), engine: string(runner.Actors)})
	if err != nil {
		return nil, "", err
	}
	options.Progress = &runner.Progress{}
	stop := shell.ShowProgress(cmd.ErrOrStderr(), s, options.Progress)
	outcome, err := runner.Run(s, cmd.Context(), options)
	stop()
	if err != nil {
		return nil, "", err
	}
	run, err := results.Open(outcome.Dir)
	if err != nil {
		return nil, "", err
	}
	if text := run.Manifest.Failed(); text != "" {
		return nil, "", errors.New(text)
	}
	return u.Compare(run, s)
}

// writeChecks prints the comparison, a result a row.
func writeChecks(cmd *cobra.Command, u *bundle.Unpacked, list []bundle.Check, remark string, asJSON bool) error {
	ok := !slices.ContainsFunc(list, func(c bundle.Check) bool { return !c.OK })
	if asJSON {
		return shell.WriteJSON(cmd.OutOrStdout(), struct {
			Scenario string         `json:"scenario"`
			Hash     string         `json:"hash"`
			OK       bool           `json:"ok"`
			Checks   []bundle.Check `json:"checks"`
			Remark   string         `json:"remark,omitempty"`
		}{u.Scenario, u.Hash, ok, list, remark})
	}
	table := tabular.Table{Header: []string{u.Scenario, "as expected", "result", "expected"}}
	for _, c := range list {
		word := "ok"
		if !c.OK {
			word = "not ok"
		}
		table.Rows = append(table.Rows, []string{c.What, word, c.Got, c.Want})
	}
	table.DropEmpty("expected")
	if err := shell.WriteTable(cmd.OutOrStdout(), table); err != nil {
		return err
	}
	if remark != "" {
		fmt.Fprintln(cmd.OutOrStdout())
		return shell.WriteText(cmd.OutOrStdout(), "note: ", remark)
	}
	return nil
}
