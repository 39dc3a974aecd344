package command

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/processes"
	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
	"starling/scenarios/observatory/server"
	"starling/scenarios/observatory/views"
)

// usualFolder is where runs go, and are looked for, where nothing else is said.
const usualFolder = "results"

// newUI is the verb ui.
func (p program) newUI() *cobra.Command {
	var port int
	var data string
	cmd := &cobra.Command{
		Use:   "ui [FOLDER]",
		Short: "Show the runs of a folder on a local web page",
		Long: `Serve a web page about the runs of a folder, by default results, to browsers of this
machine: what runs, what ran, figures, privacy, and comparisons. The address is
printed in a line, with a token that is new with each start; whoever has the address
can read the runs. The page works without a network, and asks nothing of any other
server. Ctrl-C ends it.

From another machine, forward the port under its own number, such as
'ssh -L 8080:127.0.0.1:8080 HOST', and start 'starling ui --port 8080' there.

Exit status: 0 ended, 1 failed, such as a port that is taken, 2 bad input.`,
		Example: `  starling ui
  starling ui results --port 8080`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return shell.Usage(fmt.Errorf("ui takes one folder"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			folder := usualFolder
			if len(args) > 0 {
				folder = args[0]
			} else if err := os.MkdirAll(folder, 0o755); err != nil {
				return err
			}
			return p.serve(cmd, folder, data, port)
		},
	}
	cmd.Flags().IntVar(&port, "port", 0, "the port to listen on; 0 chooses one")
	shell.AddDataFlag(cmd, &data)
	return cmd
}

// serve shows a folder until the context of the command ends.
func (p program) serve(cmd *cobra.Command, dir, data string, port int) error {
	if port < 0 || port > 65535 {
		return shell.Usage(fmt.Errorf("--port %d: want 0 to 65535", port))
	}
	folder, err := views.NewFolder(dir, p.Loader(data))
	if err != nil {
		return document.BadInput(err)
	}
	build, _, err := processes.Limits(0, "")
	if err != nil {
		return err
	}
	s, err := server.Listen(server.Options{Folder: folder, Port: port, Version: shell.Version, Build: build})
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(cmd.OutOrStdout(), s.Address()); err != nil {
		return err
	}
	return s.Serve(cmd.Context())
}
