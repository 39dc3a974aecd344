package command

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
	"starling/scenarios/observatory"
	"starling/scenarios/observatory/views"
)

// uiFlags are the flags of ui.
type uiFlags struct {
	port int
	// data is the folder of data sets, and save the one that the page may save files in.
	data, save string
	// readOnly serves a page that starts and saves nothing.
	readOnly bool
	json     *bool
}

// uiVerb is the verb ui.
func uiVerb(p shell.Program) *cobra.Command {
	var flags uiFlags
	cmd := &cobra.Command{
		Use:   "ui [FOLDER]",
		Short: "Show, write and run scenarios on a local web page",
		Long: `Serve a web page about the runs of a folder, by default results, to browsers of this
machine: running and finished runs, figures, privacy, and comparisons. Scenarios are written
there, with completion, errors in place and a forecast, and run. The address is
printed in a line, with a token that is new with each start; anybody with the
address can read the runs and start others. The page works without a network, and asks
nothing of any other server.

A scenario on the page names files of this folder, as a scenario in a file here does. The page
saves files only in the folder of --save. Runs that the page starts are processes of
'starling run'; Ctrl-C ends the page, interrupts them, and waits until their state is
saved, so that they go on later. With --read-only nothing is saved or started.

From another machine, forward the port under its own number, such as
'ssh -L 8080:127.0.0.1:8080 HOST', and start 'starling ui --port 8080' there.

Exit status: 0 ended, 1 failed, such as a port that is taken, 2 bad input.`,
		Example: `  starling ui
  starling ui results --port 8080 --save scenarios
  starling ui results --read-only`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return shell.Usage(fmt.Errorf("ui takes one folder"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			folder := shell.UsualResults
			if len(args) > 0 {
				folder = args[0]
			} else if err := os.MkdirAll(folder, 0o755); err != nil {
				return err
			}
			return serve(p, cmd, folder, flags)
		},
	}
	cmd.Flags().IntVar(&flags.port, "port", 0, "the port to listen on; 0 chooses one")
	cmd.Flags().StringVar(&flags.save, "save", "", "the folder that the page may save scenarios in; default: it saves none")
	cmd.Flags().BoolVar(&flags.readOnly, "read-only", false, "show runs, and neither save nor start anything")
	shell.AddDataFlag(cmd, &flags.data)
	flags.json = shell.AddJSON(cmd, "address and folder, once the page is served")
	return cmd
}

// serve shows a folder until the context of the command ends.
func serve(p shell.Program, cmd *cobra.Command, dir string, flags uiFlags) error {
	if flags.port < 0 || flags.port > 65535 {
		return shell.Usage(fmt.Errorf("--port %d: want 0 to 65535", flags.port))
	}
	if flags.readOnly && flags.save != "" {
		return shell.Usage(errors.New("a page that is --read-only saves nothing: leave --save out"))
	}
	loader := p.Loader(flags.data)
	loader.Hasty = false // the page outlives the scenarios that it loads
	folder, err := views.NewFolder(dir, loader)
	if err != nil {
		return document.BadInput(err)
	}
	build, memory, err := processLimits(0, "")
	if err != nil {
		return err
	}
	options := observatory.Options{Folder: folder, Port: flags.port, Version: shell.Version, Build: build}
	if !flags.readOnly {
		program, err := os.Executable()
		if err != nil {
			return err
		}
		options.Bench, err = observatory.NewWorkbench(observatory.WorkbenchOptions{
			Out: dir, Save: flags.save, Loader: loader, Build: build, Memory: memory, Program: []string{program},
		})
		if err != nil {
			return document.BadInput(err)
		}
		defer options.Bench.Close(func(ids []string) {
			fmt.Fprintf(cmd.ErrOrStderr(), "starling: saving the state of %s: %s\n", document.Counted(len(ids), "run"), strings.Join(ids, ", "))
		})
	}
	s, err := observatory.Listen(options)
	if err != nil {
		return err
	}
	if *flags.json {
		err = shell.WriteJSON(cmd.OutOrStdout(), map[string]string{"address": s.Address(), "folder": dir})
	} else {
		_, err = fmt.Fprintln(cmd.OutOrStdout(), s.Address())
	}
	if err != nil {
		return err
	}
	return s.Serve(cmd.Context())
}
