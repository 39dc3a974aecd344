package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/table"
	"starling/scenarios/results"
	"starling/scenarios/results/tabular"
)

// dataVerb returns the verb data with its verbs: verify checks the files of a folder of the
// user's own, get downloads them from their canonical place, and example writes a table of
// rows. Starling ships no
// data set: each has a licence of its own.
func dataVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "Look at a table, and check and download data sets",
		Long: `Check and download the data sets that scenarios can use. They lie in a folder
of your own, a subfolder each, which --data or the environment variable
` + shell.DataVariable + ` names; Starling ships none.

` + dataSetsHelp(),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return shell.UnknownVerb(cmd, args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newDataLook(), newDataVerify(), newDataGet(), newDataExample())
	return cmd
}

// dataSetsHelp lists the data sets for the help of the verbs, a name and a title a line.
func dataSetsHelp() string {
	var text strings.Builder
	text.WriteString("Data sets:\n")
	for _, set := range dataset.Sets() {
		fmt.Fprintf(&text, "  %-13s  %s\n", set.Name, set.Title)
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// dataFolder returns the folder that the flag or, without it, the environment names. None
// is an error of the command line here; a scenario that needs no data set is loaded
// without one.
func dataFolder(flag string) (string, error) {
	if flag != "" {
		return flag, nil
	}
	if folder := os.Getenv(shell.DataVariable); folder != "" {
		return folder, nil
	}
	return "", shell.Usage(fmt.Errorf("no folder of data sets; give --data DIR or set %s", shell.DataVariable))
}

// checkDataNames refuses a name that is not a known data set, and suggests the nearest
// one.
func checkDataNames(names []string) error {
	for _, name := range names {
		_, err := dataset.Find(name)
		if err == nil {
			continue
		}
		if hint := document.Suggest(name, dataset.Names(), ""); hint != "" {
			err = fmt.Errorf("unknown data set %q%s", name, hint)
		}
		return document.BadInput(err)
	}
	return nil
}

// newDataVerify is data verify: exit status 1 if a set is not whole, for scripts that run
// before a study.
func newDataVerify() *cobra.Command {
	var folder string
	var asJSON *bool
	cmd := &cobra.Command{
		Use:   "verify [NAME...] --data DIR",
		Short: "Check that data sets are there and have the known contents",
		Long: `Check the files of data sets, all known ones or the named ones: that they
are there, plain or compressed with gzip, and that size and SHA-256 of their contents
are the known ones. A file is ok, missing, damaged, or part of a known subset of
the set; results on a subset must not be compared with published figures.

Exit status: 0 all sets are ok, 1 some are not, 2 bad input.`,
		Example: "  starling data verify --data ~/data\n  starling data verify mnist movielens-1m --data ~/data",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkDataNames(args); err != nil {
				return err
			}
			folder, err := dataFolder(folder)
			if err != nil {
				return err
			}
			if info, err := os.Stat(folder); err != nil || !info.IsDir() {
				return document.BadInput(fmt.Errorf("no folder %s; give --data DIR or set %s", folder, shell.DataVariable))
			}
			if len(args) == 0 {
				args = dataset.Names()
			}
			return verifyData(cmd.OutOrStdout(), folder, args, *asJSON)
		},
	}
	asJSON = shell.AddJSON(cmd, "folder, and sets, each with name, status, subset, notice, citation, licence and files (name, records, status, note)")
	shell.AddDataFlag(cmd, &folder)
	return cmd
}

// verifyData prints a table with a row for each file and, below it, the facts about each set
// that a user must know: its notice, its citation and its licence. After the table it returns
// an error that names every set that is not whole: scripts see the exit status, and people the
// damaged file.
func verifyData(w io.Writer, folder string, names []string, asJSON bool) error {
	found := verified{Folder: folder}
	table := tabular.Table{Header: []string{"data set", "file", "records", "status", "note"}}
	var remarks, bad []string
	for _, name := range names {
		report, err := dataset.Verify(folder, name)
		if err != nil {
			return err
		}
		found.add(name, report)
		for _, file := range report.Files {
			table.Rows = append(table.Rows, []string{name, file.Name, fmt.Sprint(file.Records), string(file.Status), file.Note})
		}
		// A notice, a citation and a licence stand below the table: they are sentences
		// and would stretch its columns.
		if report.Form.Notice != "" {
			remarks = append(remarks, fmt.Sprintf("%s: %s%s", name, kindName(report.Form), report.Form.Notice))
		}
		if report.Status != dataset.StatusMissing {
			remarks = append(remarks, fmt.Sprintf("%s: cite %s; licence: %s", name, report.Set.Citation, report.Set.Licence))
		}
		if report.Status != dataset.StatusOK {
			bad = append(bad, fmt.Sprintf("%s is %s", name, describeStatus(report)))
		}
	}
	if asJSON {
		if err := shell.WriteJSON(w, found); err != nil {
			return err
		}
		remarks = nil
	} else if err := shell.WriteTable(w, table); err != nil {
		return err
	}
	if len(remarks) > 0 {
		err := shell.Wrapped(w, func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "\n%s\n", strings.Join(remarks, "\n"))
			return err
		})
		if err != nil {
			return err
		}
	}
	if len(bad) > 0 {
		return errors.New(strings.Join(bad, ", "))
	}
	return nil
}

// verified is the outcome of the check of data sets, for a program.
type verified struct {
	Folder string        `json:"folder"`
	Sets   []verifiedSet `json:"sets"`
}

// verifiedSet is the outcome for one set.
type verifiedSet struct {
	Name     string         `json:"name"`
	Status   dataset.Status `json:"status"`
	Subset   bool           `json:"subset"`
	Notice   string         `json:"notice"`
	Citation string         `json:"citation"`
	Licence  string         `json:"licence"`
	Files    []verifiedFile `json:"files"`
}

// verifiedFile is the outcome for one file.
type verifiedFile struct {
	Name    string         `json:"name"`
	Records int            `json:"records"`
	Status  dataset.Status `json:"status"`
	Note    string         `json:"note"`
}

// add adds the outcome for a set.
func (v *verified) add(name string, report *dataset.Report) {
	set := verifiedSet{name, report.Status, report.Form.Subset, report.Form.Notice, report.Set.Citation, report.Set.Licence, []verifiedFile{}}
	for _, file := range report.Files {
		set.Files = append(set.Files, verifiedFile{file.Name, file.Records, file.Status, file.Note})
	}
	v.Sets = append(v.Sets, set)
}

// kindName begins the remark on a form of a data set: that it is a subset, if it is one.
func kindName(form *dataset.Form) string {
	if form.Subset {
		return "a subset, "
	}
	return ""
}

// describeStatus returns the status of a set as part of a sentence: "a subset",
// "missing".
func describeStatus(report *dataset.Report) string {
	if report.Status == dataset.StatusSubset {
		return "a subset"
	}
	return string(report.Status)
}

// newDataGet returns data get. --from replaces the address of the set's files, for a
// mirror; the checksums stay, so that a mirror need not be trusted.
func newDataGet() *cobra.Command {
	var folder, from string
	var asJSON *bool
	cmd := &cobra.Command{
		Use:   "get NAME --data DIR",
		Short: "Download a data set from its canonical place",
		Long: `Download a data set and check it. A file gets its name only after its SHA-256
was found to be the known one; files that are there and good are kept.

` + dataSetsHelp(),
		Example: "  starling data get mnist --data ~/data\n  starling data get mnist --data ~/data --from https://mirror.example/mnist",
		Args:    shell.Exactly(1, "the name of a data set"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkDataNames(args); err != nil {
				return err
			}
			folder, err := dataFolder(folder)
			if err != nil {
				return err
			}
			return getData(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), folder, args[0], from, *asJSON)
		},
	}
	shell.AddDataFlag(cmd, &folder)
	asJSON = shell.AddJSON(cmd, "name, folder, kept and written (files), citation and licence")
	cmd.Flags().StringVar(&from, "from", "", "download from the folder at this address instead")
	return cmd
}

// getData downloads the files of a data set that are not there, and prints which it kept
// and which it wrote, with the citation and licence that the set asks for. A download
// that is interrupted leaves nothing behind.
func getData(ctx context.Context, stdout, stderr io.Writer, folder, name, from string, asJSON bool) error {
	report, end := showDownload(stderr)
	fetcher := dataset.Fetcher{Base: from, Progress: report}
	fetched, err := fetcher.Get(ctx, folder, name)
	end()
	if ctx.Err() != nil {
		return errors.New("interrupted; incomplete downloads are deleted")
	}
	if err != nil {
		return err
	}
	if asJSON {
		set, err := dataset.Find(name)
		if err != nil {
			return err
		}
		return shell.WriteJSON(stdout, struct {
			Name     string   `json:"name"`
			Folder   string   `json:"folder"`
			Kept     []string `json:"kept"`
			Written  []string `json:"written"`
			Citation string   `json:"citation"`
			Licence  string   `json:"licence"`
		}{name, folder, append([]string{}, fetched.Kept...), append([]string{}, fetched.Written...), set.Citation, set.Licence})
	}
	for _, file := range fetched.Kept {
		shell.Printf(stdout, "%s: there already\n", file)
	}
	for _, file := range fetched.Written {
		shell.Printf(stdout, "%s: downloaded\n", file)
	}
	set, err := dataset.Find(name)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "cite %s\nlicence: %s\n", set.Citation, set.Licence)
	return err
}

// showDownload returns two functions: report shows the progress of the download of a file, and
// end ends the display. On a terminal the line changes in place; elsewhere there is a line
// every few seconds. report is called for each piece that arrives, and prints seldom.
func showDownload(w io.Writer) (report func(file string, done, size int64), end func()) {
	interval, before, after := shell.LineEvery, "", "\n"
	if file, ok := w.(*os.File); ok && isatty.IsTerminal(file.Fd()) {
		interval, before, after = shell.BarRefresh, "\r\x1b[K", ""
	}
	last, shown := time.Now(), false
	report = func(file string, done, size int64) {
		if time.Since(last) < interval {
			return
		}
		last, shown = time.Now(), true
		const megabyte = 1e6
		fmt.Fprintf(w, "%s%s: %.1f of %.1f MB%s", before, file, float64(done)/megabyte, float64(size)/megabyte, after)
	}
	end = func() {
		if shown {
			fmt.Fprint(w, before)
		}
	}
	return report, end
}

// writeExample writes an example in the form that the name of the file or folder says.
func writeExample(name string, e table.Example) error {
	switch {
	case strings.HasSuffix(name, "/"):
		if err := os.Mkdir(name, 0o777); err != nil {
			return err
		}
		return e.WriteClients(func(file string, content func(io.Writer) error) error {
			return results.WriteFile(filepath.Join(name, file), content)
		})
	case strings.HasSuffix(name, ".parquet"):
		return results.WriteFile(name, e.WriteGroups)
	}
	return results.WriteFile(name, e.Write)
}

// newDataExample returns data example. Equal flags give equal files.
func newDataExample() *cobra.Command {
	e := table.Example{Clients: 20, Rows: 500, Features: 10, Seed: 1}
	var asJSON *bool
	cmd := &cobra.Command{
		Use:   "example FILE|FOLDER/",
		Short: "Write an example of a table for the problem table",
		Long: `Write a CSV file with the columns client, step, x1, x2, ... and y: rows of clients
whose features are normal about means of their own, and whose label y, 0 or 1, is
drawn from one logistic model for all with an offset of each client. A name that ends
in .parquet is a Parquet file with a row group for each client. A name that ends in /
is a folder with a Parquet file for each client, without the column client. The same
flags write the same files. A file that is there is kept, and an error.`,
		Example: "  starling data example mine.csv\n  starling run own-data --set problem.file=mine.csv\n  starling data example phones/ --clients 1000 --rows 20",
		Args:    shell.Exactly(1, "the file or folder to write"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := e.Validate(); err != nil {
				return shell.Usage(err)
			}
			if _, err := os.Stat(args[0]); err == nil {
				return document.BadInput(fmt.Errorf("%s already exists; remove it, or name another file", args[0]))
			}
			if err := writeExample(args[0], e); err != nil {
				return err
			}
			if *asJSON {
				return shell.WriteJSON(cmd.OutOrStdout(), struct {
					File     string `json:"file"`
					Clients  int    `json:"clients"`
					Rows     int    `json:"rows"`
					Features int    `json:"features"`
					Seed     uint64 `json:"seed"`
				}{args[0], e.Clients, e.Rows, e.Features, e.Seed})
			}
			_, err := shell.Printf(cmd.OutOrStdout(), "%s: %d clients with %d rows of %d features each, and a label y\n", args[0], e.Clients, e.Rows, e.Features)
			return err
		},
	}
	asJSON = shell.AddJSON(cmd, "file, clients, rows, features and seed")
	cmd.Flags().IntVar(&e.Clients, "clients", e.Clients, "number of clients")
	cmd.Flags().IntVar(&e.Rows, "rows", e.Rows, "rows of each client")
	cmd.Flags().IntVar(&e.Features, "features", e.Features, "features of a row")
	cmd.Flags().Uint64Var(&e.Seed, "seed", e.Seed, "seed of all that is drawn")
	return cmd
}
