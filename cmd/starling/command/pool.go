package command

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"starling/actors/remote"
	"starling/cmd/starling/command/shell"
	"starling/scenarios/workers"
)

// processPool are the flags of run that hand its jobs to workers.
type processPool struct {
	peer    peerFlags
	workers string
	stall   time.Duration
	spread  bool
	wait    time.Duration
}

// Add adds the flags to a verb.
func (f *processPool) Add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.workers, "workers", "", "have worker processes make the runs: HOST:PORT,... or local:N, which starts N of them here; results are the same")
	cmd.Flags().DurationVar(&f.stall, "stall", 0, "with --workers, fail when a run has made no step for so long; default: 15m")
	cmd.Flags().BoolVar(&f.spread, "spread", false, "with --workers, have the participants of each run in all workers, one run at a time; results are the same")
	cmd.Flags().DurationVar(&f.wait, "wait", 0, "with --spread, wait so long for a worker that is lost to be there again; default: go on with the others")
	f.peer.add(cmd, "with --workers on other machines, the one address at which they answer, HOST:PORT; the system chooses the port 0")
}

// Workers returns the pool that the flags ask for; nil for none. The options describe the run,
// and data is the folder of data sets, if a flag names one.
func (f *processPool) Workers(cmd *cobra.Command, data string, options workers.Options) (*workers.Pool, error) {
	if f.wait != 0 && !f.spread {
		return nil, shell.Usage(errors.New("--wait needs --spread: without it a lost worker's runs go to others at once"))
	}
	if f.workers == "" {
		if f.spread {
			return nil, shell.Usage(errors.New("--spread needs --workers, which have the participants"))
		}
		return nil, nil
	}
	if options.File == shell.StandardInput {
		return nil, shell.Usage(errors.New("workers read the scenario themselves: write it to a file, or leave --workers out"))
	}
	var err error
	if f.stall < 0 {
		return nil, shell.Usage(fmt.Errorf("--stall %v: want a time, such as 15m", f.stall))
	}
	if f.wait < 0 {
		return nil, shell.Usage(fmt.Errorf("--wait %v: want a time, such as 10m", f.wait))
	}
	options.Stall, options.Wait = f.stall, f.wait
	options.Node.Listen = f.peer.listen
	if count, ok := strings.CutPrefix(f.workers, "local:"); ok {
		err = f.local(&options, count, data)
	} else {
		err = f.elsewhere(&options)
	}
	if err != nil {
		return nil, err
	}
	options.Warn = func(text string) { shell.Printf(cmd.ErrOrStderr(), "warning: %s\n", text) }
	options.Tell = func(text string) { shell.Printf(cmd.ErrOrStderr(), "%s\n", text) }
	options.Log = workerLog(cmd.ErrOrStderr())
	return workers.NewPool(options), nil
}

// Spread reports whether workers have the participants of each run, and not runs.
func (f *processPool) Spread() bool { return f.spread }

// mostLocal is the largest number of processes on one machine.
const mostLocal = 256

// local is a pool of processes of its own, which share the cores and the memory and a new
// secret.
func (f *processPool) local(options *workers.Options, text, data string) error {
	var count int
	if _, err := fmt.Sscanf(text+"\n", "%d\n", &count); err != nil || count < 1 || count > mostLocal {
		return shell.Usage(fmt.Errorf("--workers local:%s: want a number of processes from 1 to %d", text, mostLocal))
	}
	if f.peer != (peerFlags{}) {
		return shell.Usage(fmt.Errorf("--workers local:%d needs neither --listen nor certificates", count))
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	secret := remote.NewSecret()
	if options.Node.Identity, err = remote.SharedIdentity(secret); err != nil {
		return err
	}
	options.Node.Listen = "127.0.0.1:0"
	args := []string{"worker", "--own", "--listen", "127.0.0.1:0", "--cores", fmt.Sprint(max(1, runtime.GOMAXPROCS(0)/count))}
	if memory := options.Run.Memory / int64(count) >> 20; memory > 0 {
		args = append(args, "--memory", fmt.Sprintf("%dMiB", memory))
	}
	if data != "" {
		args = append(args, "--data", data)
	}
	for range count {
		options.Local = append(options.Local, workers.Local{Program: program, Args: append([]string{os.Args[0]}, args...), Env: append(os.Environ(), secretVariable+"="+secret)})
	}
	return nil
}

// elsewhere is a pool of workers that run already.
func (f *processPool) elsewhere(options *workers.Options) (err error) {
	loopback := true
	for _, address := range strings.Split(f.workers, ",") {
		host, _, err := remote.SplitAddress(address)
		if err != nil {
			return shell.Usage(fmt.Errorf("--workers %s: %w", address, err))
		}
		local, err := remote.Loopback(host)
		if err != nil {
			return fmt.Errorf("--workers %s: %w", address, err)
		}
		loopback = loopback && local
		options.Addresses = append(options.Addresses, address)
	}
	switch {
	case f.peer.listen != "":
	case loopback:
		options.Node.Listen = "127.0.0.1:0"
	default:
		return shell.Usage(fmt.Errorf("--listen HOST:PORT is needed, an address of this machine at which the workers answer%s", suggestion(options.Addresses[0])))
	}
	options.Node.Identity, err = f.peer.identity()
	return err
}

// suggestion names the address of this machine from which another is called.
func suggestion(address string) string {
	conn, err := net.Dial("udp", address) // which sends nothing
	if err != nil {
		return ""
	}
	defer conn.Close()
	host, _, err := net.SplitHostPort(conn.LocalAddr().String())
	if err != nil {
		return ""
	}
	return fmt.Sprintf(", such as %s:0", host)
}
