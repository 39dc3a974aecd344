package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"starling/actors/remote"
	"starling/cmd/starling/command/shell"
	"starling/scenarios/workers"
)

// secretVariable is the environment variable with the secret that processes on loopback
// share.
const secretVariable = "STARLING_SECRET"

// peerFlags give the address on which a process listens, and its identity.
type peerFlags struct {
	listen                      string
	certificate, key, authority string
}

// add adds the flags to a verb.
func (f *peerFlags) add(cmd *cobra.Command, listen string) {
	cmd.Flags().StringVar(&f.listen, "listen", "", listen)
	cmd.Flags().StringVar(&f.certificate, "tls-cert", "", "the certificate of this machine, PEM; see 'starling worker init-tls'")
	cmd.Flags().StringVar(&f.key, "tls-key", "", "the key of the certificate, PEM")
	cmd.Flags().StringVar(&f.authority, "tls-ca", "", "the certificate of the authority that both sides are certified by, PEM")
}

// identity is the identity of the process: a certificate or, on loopback, a secret.
func (f *peerFlags) identity() (*remote.Identity, error) {
	given := 0
	for _, path := range []string{f.certificate, f.key, f.authority} {
		if path != "" {
			given++
		}
	}
	secret := os.Getenv(secretVariable)
	switch {
	case given == 3:
		return remote.ReadIdentity(f.certificate, f.key, f.authority)
	case given > 0:
		return nil, shell.Usage(fmt.Errorf("--tls-cert, --tls-key and --tls-ca belong together"))
	case secret != "":
		identity, err := remote.SharedIdentity(secret)
		if err != nil {
			err = shell.Usage(fmt.Errorf("%s: %w", secretVariable, err))
		}
		return identity, err
	}
	return nil, shell.Usage(fmt.Errorf("no means of authentication is given: give --tls-cert, --tls-key and --tls-ca, which 'starling worker init-tls' makes; or, where all processes are on one machine, a secret of %d characters in %s", remote.LeastSecret, secretVariable))
}

// workerFlags are the flags of worker.
type workerFlags struct {
	peer peerFlags
	// data is the folder of data sets.
	data string
	// cores and memory bound the resources of the worker.
	cores  int
	memory string
	// python allows code that scenarios name.
	python bool
	// own means that a coordinator has started the process: it ends when its input does.
	own  bool
	json *bool
}

// workerVerb is the verb worker.
func workerVerb(p shell.Program) *cobra.Command {
	var flags workerFlags
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Make runs for a coordinator on another machine",
		Long: `Hear at one address, and make the runs that a coordinator asks for, which
is 'starling run' with --workers. The worker takes one coordinator at a time, and
ends with Ctrl-C. It needs the same program, byte for byte, and the data in its
own --data folder; a table that a scenario names is looked for there as well.

Connections are encrypted, and both sides show a certificate of one authority,
which 'starling worker init-tls' makes. On loopback a secret can take its place:
the same 32 characters or more in the environment variable STARLING_SECRET of
both. Anybody with a certificate of the authority can have this worker compute,
and read what its user can read: run it as a user of its own.

See 'starling help clusters'.

Exit status: 0 ended by Ctrl-C or SIGTERM, 1 it could not hear, 2 bad input.`,
		Example: `  starling worker --listen node7:7000 --tls-cert node7.crt --tls-key node7.key --tls-ca authority.crt
  starling worker --listen 127.0.0.1:7000 --data datasets --cores 4`,
		Args: shell.Exactly(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return work(p, cmd, flags) },
	}
	flags.peer.add(cmd, "the one address to hear at, HOST:PORT; the system chooses the port 0")
	shell.AddDataFlag(cmd, &flags.data)
	cmd.Flags().StringVar(&flags.memory, "memory", "", "memory that runs side by side may take together, such as 8GiB; default: four fifths of the machine's or the container's")
	cmd.Flags().IntVar(&flags.cores, "cores", 0, "processor cores to use, 0 for all; results are the same")
	cmd.Flags().BoolVar(&flags.python, "python", false, "run code in Python that scenarios name, from files in the folder of --data or of the library: it can do all that this user can")
	flags.json = shell.AddJSON(cmd, "address, once the worker hears")
	cmd.Flags().BoolVar(&flags.own, "own", false, "end when the standard input does")
	cmd.Flags().MarkHidden("own")
	cmd.AddCommand(newInitTLS())
	return cmd
}

// work listens until the context ends.
func work(p shell.Program, cmd *cobra.Command, flags workerFlags) error {
	if flags.peer.listen == "" {
		return shell.Usage(fmt.Errorf("--listen HOST:PORT is needed"))
	}
	identity, err := flags.peer.identity()
	if err != nil {
		return err
	}
	build, memory, err := processLimits(flags.cores, flags.memory)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	if flags.own {
		go func() {
			io.Copy(io.Discard, cmd.InOrStdin())
			cancel()
		}()
	}
	loader := p.Loader(flags.data)
	loader.Code = flags.python
	return workers.Serve(ctx, workers.ServeOptions{
		Node:   remote.Options{Listen: flags.peer.listen, Identity: identity},
		Loader: loader, Version: shell.Version, Build: build, Memory: memory, Own: flags.own,
		Ready: func(address string) {
			if *flags.json {
				shell.WriteJSON(cmd.OutOrStdout(), map[string]string{"address": address})
				return
			}
			fmt.Fprintln(cmd.OutOrStdout(), workers.ListeningAt+address)
		},
		Log: workerLog(cmd.ErrOrStderr()),
	})
}

// workerLog is a log that people read.
func workerLog(w io.Writer) zerolog.Logger {
	file, ok := w.(*os.File)
	return zerolog.New(zerolog.ConsoleWriter{Out: w, TimeFormat: time.DateTime, NoColor: !ok || !isatty.IsTerminal(file.Fd())}).With().Timestamp().Logger()
}

// newInitTLS is the verb init-tls of worker.
func newInitTLS() *cobra.Command {
	var hosts []string
	var asJSON *bool
	cmd := &cobra.Command{
		Use:   "init-tls DIR",
		Short: "Make an authority and certificates for the machines of a laboratory",
		Long: `Make an authority in a folder, unless it has one, and certify machines: HOST.crt
and HOST.key for each. Name every machine that has a worker or runs 'starling run',
as others call it. Copy to each machine its own two files and authority.crt, and
nothing else: whoever has authority.key can certify others. Keys are readable by
their owner alone. Nothing is overwritten. The authority holds for ten years, and
certificates of machines for two; more machines can be added later.`,
		Example: `  starling worker init-tls lab --host node1,node2,10.0.0.5
  starling worker init-tls lab --host node3`,
		Args: shell.Exactly(1, "the folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			written, err := remote.Found(args[0], hosts)
			if *asJSON {
				files := []string{}
				for _, path := range written {
					files = append(files, filepath.ToSlash(path))
				}
				return errors.Join(err, shell.WriteJSON(cmd.OutOrStdout(), map[string][]string{"files": files}))
			}
			for _, path := range written {
				shell.Printf(cmd.OutOrStdout(), "%s\n", filepath.ToSlash(path))
			}
			return err
		},
	}
	asJSON = shell.AddJSON(cmd, "files, those that were written")
	cmd.Flags().StringSliceVar(&hosts, "host", []string{"localhost", "127.0.0.1"}, "names or numbers of machines, as others call them")
	return cmd
}
