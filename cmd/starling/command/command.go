package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"starling/actors/algorithm"
	"starling/actors/atomicfile"
	"starling/cmd/starling/command/inspect"
	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
	"starling/scenarios/kind"
	"starling/scenarios/limits"
)

// The exit codes.
const (
	exitDone   = 0
	exitFailed = 1 // the run, or another task, failed
	exitInput  = 2 // bad input; nothing was written
)

// program is the command with the kinds that its scenarios can name.
type program struct{ shell.Program }

// Main runs the command with the arguments of the process and the kinds of a
// catalog, and ends the process: with 0 if all was done, 1 if that failed, 2 where
// the input was bad and nothing was written. A run that is interrupted by Ctrl-C goes
// on when the same command is started again. The second Ctrl-C ends the process at once.
func Main(catalog kind.Catalog) {
	code := signalled(func(ctx context.Context) int {
		return program{shell.Program{Kinds: &catalog, Context: ctx}}.execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
	})
	atomicfile.Leave() // an interrupted verb may still be at work
	os.Exit(code)
}

// signalled does work with a context that the first signal to end ends. The second has its usual
// meaning: it ends the process.
func signalled(work func(context.Context) int) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, func() {
		time.Sleep(echo)
		stop()
	})
	return work(ctx)
}

// echo is the time after a first signal in which another is the same one: timeout(1) sends one
// to the process and to its group, and a terminal to a group of programs that pass it on.
const echo = time.Second

// unhurried are the verbs that come to an end of their own when they are interrupted, however
// long that takes: they save the progress, or wait for processes that do. All others are not
// waited for much longer than limits.Grace, for their results are lost in any case.
var unhurried = []string{"run", "reproduce", "worker", "ui", "verify"}

// graceOf is the time that the verb of a command has to end once it is interrupted.
func graceOf(root *cobra.Command, args []string) time.Duration {
	cmd, _, err := root.Find(args)
	if err == nil && slices.Contains(unhurried, cmd.Name()) && !slices.ContainsFunc(args, dry) {
		return math.MaxInt64
	}
	return limits.Grace
}

// execute runs the program with its arguments and returns its exit code.
func (p program) execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := p.newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	_, err := limits.Within(ctx, graceOf(root, args), func() (struct{}, error) { return struct{}{}, root.ExecuteContext(ctx) })
	if err == nil {
		return exitDone
	}
	if broken, ok := err.(*algorithm.Panic); ok {
		panic(fmt.Sprintf("%v\n\n%s", broken.Value, broken.Stack))
	}
	var input *document.InputError
	var usage *shell.UsageError
	code := exitFailed
	switch {
	case errors.As(err, &input), errors.As(err, &usage):
		code = exitInput
	case errors.Is(err, context.Canceled):
		err = errors.New(interruption(root, args))
	}
	switch {
	case shell.ErrorsAsJSON(args):
		shell.WriteFaults(stderr, err)
	// Issues have file, line and column in front of each; other errors of input need the
	// program's name.
	case input != nil:
		var placed document.Issues
		if errors.As(input, &placed) {
			sayFaults(stderr, input.Excerpts())
			break
		}
		sayEach(stderr, input.Err, input.Excerpts())
	case usage != nil:
		sayEach(stderr, usage.Unwrap(), err.Error())
		say(stderr, helpFor(root, args)+"\n")
	default:
		say(stderr, fmt.Sprintf("starling: %s\n", shell.MissingFile(err, err.Error())))
	}
	return code
}

// helpFor names the help of the verb of a command, or of all verbs.
func helpFor(root *cobra.Command, args []string) string {
	cmd, _, err := root.Find(args)
	if err != nil || cmd == root {
		return "Run 'starling help' for the verbs."
	}
	return fmt.Sprintf("Run '%s --help' for its flags and examples.", cmd.CommandPath())
}

// say prints a message in lines that fit the terminal. The terminal obeys nothing in the
// message.
func say(w io.Writer, message string) {
	shell.Wrapped(w, func(w io.Writer) error { // an error of standard error cannot be reported
		_, err := io.WriteString(w, shell.Plain(message))
		return err
	})
}

// sayEach prints an error with the name of the program, and of errors that are joined each with it. text is the message of
// a single one.
func sayEach(w io.Writer, err error, text string) {
	messages := shell.Joined(err)
	if messages == nil {
		messages = []string{text}
	}
	for _, message := range messages {
		say(w, fmt.Sprintf("starling: %s\n", shell.MissingFile(err, message)))
	}
}

// sayFaults prints the faults of a file: on a terminal messages are wrapped, and lines of the file are not.
func sayFaults(w io.Writer, text string) {
	width := shell.WidthOf(w)
	for line := range strings.SplitSeq(shell.Plain(text), "\n") {
		if !strings.Contains(line, " | ") {
			line = shell.WrapLine(line, width)
		}
		fmt.Fprintln(w, line)
	}
}

// resumed are the verbs that go on where they were interrupted.
var resumed = []string{"run", "reproduce"}

// begunAnew has the verbs that run jobs, and begin anew after an interruption, each with the
// state that the interruption leaves.
var begunAnew = map[string]string{
	"audit": "nothing was written", "bench": "nothing was written", "batch": "nothing was written", "topology": "nothing was written",
	"factorize": "nothing was written", "replay": "nothing was written", "verify": "nothing was written", "merge": "the parts are as they were",
}

// dry reports whether an argument asks for a forecast in place of a run.
func dry(arg string) bool { return arg == "--dry-run" || arg == "--dry-run=true" }

// interruption describes the state that an interrupted command leaves.
func interruption(root *cobra.Command, args []string) string {
	verb := ""
	if cmd, _, err := root.Find(args); err == nil {
		verb = cmd.Name()
	}
	repeated := "the same command"
	for _, arg := range args {
		switch arg {
		case "--again", "--again=true": // which would begin anew
			repeated = "the same command without --again"
		}
	}
	if slices.ContainsFunc(args, dry) {
		return "interrupted; nothing was written, and the same command starts over"
	}
	if slices.Contains(resumed, verb) {
		return "interrupted; finished work is saved, and " + repeated + " goes on from there"
	}
	if left, ok := begunAnew[verb]; ok {
		return "interrupted; " + left + ", and the same command starts over"
	}
	return "interrupted"
}

// newRoot returns the command with all verbs. Errors are printed by execute, once and in one
// form, and so cobra is silenced.
func (p program) newRoot() *cobra.Command {
	var showVersion bool
	root := &cobra.Command{
		Use:   "starling",
		Short: "Simulate private online learning by many parties",
		Long: `Starling simulates private online learning by many parties: each is an actor
that sees only its neighbours. It runs scenarios, files that name nodes,
algorithm, data, network and noise, and the same scenario and
seed give the same bits however they are run.`,
		Example: `  starling run dpdonc-localization
  starling compare last --baseline 'no noise'
  starling list scenarios
  starling help choose`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return shell.UnknownVerb(cmd, args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if showVersion {
				return printVersion(cmd.OutOrStdout())
			}
			return cmd.Help()
		},
	}
	root.Flags().BoolVar(&showVersion, "version", false, "print the version of this program and of its build")
	shell.AddErrors(root)
	root.SetFlagErrorFunc(shell.FlagError)
	root.AddCommand(p.newRun(), p.newTune(), p.newMerge(), p.newNotes(), p.newBatch(), p.newValidate(), listVerb(p.Program), p.newDescribe(), p.newShow(), p.newInit(), dataVerb(), p.newReproduce(), p.newBundle(), p.newVerify(), p.newSchema(), topologyVerb(p.Program), uiVerb(p.Program), workerVerb(p.Program), newMan(), newVersion())
	root.AddCommand(inspect.Verbs(p.Program)...)
	root.AddCommand(accountVerbs()...)
	root.AddCommand(inspect.FolderVerbs(p.Kinds.AllMetrics())...)
	root.AddCommand(benchVerb(p.Program))
	p.addCompletion(root)
	addTopics(root)
	root.SetHelpCommand(p.newHelp())
	addGroups(root)
	return root
}
