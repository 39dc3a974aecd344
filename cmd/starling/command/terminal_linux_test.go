package command

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"starling/cmd/starling/command/shell"
	"starling/scenarios"
)

// terminal opens a pseudo-terminal of a width; what is written to the second
// file can be read from the first.
func terminal(t *testing.T, columns uint16) (screen, tty *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals: %v", err)
	}
	t.Cleanup(func() { screen.Close() })
	fd := int(screen.Fd())
	number, err := unix.IoctlGetUint32(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: columns})
	}
	if err != nil {
		t.Skipf("no pseudo-terminals: %v", err)
	}
	if tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Skipf("no pseudo-terminals: %v", err)
	}
	return screen, tty
}

// printedOn is what a command prints on a terminal of a width.
func printedOn(t *testing.T, columns uint16, args ...string) string {
	t.Helper()
	text, err := runOn(t, columns, args...)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// runOn is what a command prints on a terminal of a width, and how it ends.
func runOn(t *testing.T, columns uint16, args ...string) (string, error) {
	t.Helper()
	screen, tty := terminal(t, columns)
	cmd := exec.Command("starling", args...)
	cmd.Stdout, cmd.Stderr = tty, io.Discard
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tty.Close()
	text, _ := io.ReadAll(screen) // which ends with an error when nobody writes any more
	return strings.ReplaceAll(string(text), "\r\n", "\n"), cmd.Wait()
}

// TestTablesFitTheTerminal checks that what is printed on a terminal has no line
// that is longer than it is wide, and that pipes get whole lines.
func TestTablesFitTheTerminal(t *testing.T) {
	run := []string{"run", "privacy-observers", "--seeds", "1", "--set", "horizon=60", "--out", t.TempDir()}
	exec.Command("starling", run...).Run() // so that the next ones find it
	dir, err := exec.Command("starling", append(run, "--quiet")...).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{run, {"privacy", strings.TrimSpace(string(dir))}, {"list", "algorithms"}} {
		piped, err := exec.Command("starling", args...).Output()
		if err != nil {
			t.Fatal(err)
		}
		if widest(string(piped)) <= 120 {
			t.Errorf("starling %s: the widest line of a pipe has %d columns; want one that a terminal cannot hold", args[0], widest(string(piped)))
		}
		for _, columns := range []uint16{80, 120} {
			text := printedOn(t, columns, args...)
			for _, line := range strings.Split(text, "\n") {
				if n := utf8.RuneCountInString(line); n > int(columns) && !strings.Contains(line, t.Name()) {
					t.Errorf("starling %s, %d columns: %d in %q", args[0], columns, n, line)
				}
			}
		}
	}
	if w := widest(printedOn(t, 0, "list", "algorithms")); w > shell.UsualWidth || w < shell.UsualWidth/2 {
		t.Errorf("on a terminal that does not say how wide it is: %d columns", w)
	}
}

// TestHelpFitsTheTerminal: the help of the program and of each verb, with its examples, fits
// terminals of 60 and 80 columns, but for a usage line that has no break.
func TestHelpFitsTheTerminal(t *testing.T) {
	catalog := scenarios.Catalog()
	verbs := [][]string{{"help"}}
	for _, verb := range (program{shell.Program{Kinds: &catalog}}).newRoot().Commands() {
		verbs = append(verbs, []string{verb.Name(), "--help"})
	}
	for _, args := range verbs {
		if args[0] == "completion" { // whose text is the library's
			continue
		}
		for _, columns := range []uint16{60, 80} {
			for line := range strings.SplitSeq(printedOn(t, columns, args...), "\n") {
				if n := utf8.RuneCountInString(line); n > int(columns) && !strings.HasPrefix(line, "  starling ") && strings.Contains(strings.TrimSpace(line), " ") {
					t.Errorf("starling %s, %d columns: %d in %q", strings.Join(args, " "), columns, n, line)
				}
			}
		}
	}
}

// TestForecastsFitTheTerminal: what a dry run says fits, and of a run that is there says no
// time.
func TestForecastsFitTheTerminal(t *testing.T) {
	run := []string{"run", "dpdonc-localization", "--seeds", "1", "--set", "horizon=20", "--out", t.TempDir()}
	for _, there := range []bool{false, true} {
		text := printedOn(t, 60, append(slices.Clone(run), "--dry-run")...)
		if w := widest(text); w > 60 {
			t.Errorf("%d columns in\n%s", w, text)
		}
		if said := strings.Contains(text, "\ntime "); said == there {
			t.Errorf("a time is said: %v, of a run that is there: %v", said, there)
		}
		if err := exec.Command("starling", run...).Run(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNarrowTerminal: an audit, a factorization and the check of data sets fit terminals of 44 columns, and
// what they say is there.
func TestNarrowTerminal(t *testing.T) {
	data := t.TempDir()
	for _, test := range []struct {
		args []string
		want string
		fail bool // as the command does
	}{
		{[]string{"audit", "dpdonc-localization", "--samples", "256", "--arm", "epsilon=5"}, "epsilon=5, laplace as-printed, 4 steps\n  claimed    5 a step, 20 in all\n", false},
		{[]string{"audit", "--samples", "256", "--seed", "1,2"}, "\n2, tree-online\n  accounted  ", false},
		{[]string{"factorize", "--kind", "toeplitz", "--n", "64"}, "\nsensitivity            1.5455899\n  how far one record moves the releases, in\n  2-norm\n", false},
		{[]string{"data", "verify", "--data", data}, "mnist, train-images-idx3-ubyte\n  records  60000\n  status   missing\n", true},
	} {
		text, err := runOn(t, 44, test.args...)
		if (err != nil) != test.fail {
			t.Errorf("starling %s: %v", test.args[0], err)
		}
		if w := widest(text); w > 44 || !strings.Contains(text, test.want) {
			t.Errorf("starling %s: %d columns, or without %q, in\n%s", strings.Join(test.args, " "), w, test.want, text)
		}
	}
}

// TestOffer lists scenarios with their forecasts on a terminal, asks, and takes names, all, or
// nothing for an answer.
func TestOffer(t *testing.T) {
	for _, test := range []struct {
		typed string
		want  []string
		fails bool
	}{
		{"dpdonc-nodes, tiers\n", []string{"dpdonc-nodes", "tiers"}, false},
		{"all\n", nil, false},
		{"\n", nil, true},
	} {
		screen, tty := terminal(t, 80)
		defer tty.Close()
		if _, err := screen.WriteString(test.typed); err != nil {
			t.Fatal(err)
		}
		var out, asked strings.Builder
		cmd := &cobra.Command{}
		cmd.SetContext(t.Context())
		cmd.SetIn(tty)
		cmd.SetOut(&out)
		cmd.SetErr(&asked)
		got, err := standard().choose(cmd, []string{"dpdonc-nodes"}, reproduceFlags{out: t.TempDir()})
		if (err != nil) != test.fails || !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, %v; want %q", test.typed, got, err, test.want)
		}
		if !strings.Contains(out.String(), "\ndpdonc-nodes ") || !strings.Contains(asked.String(), "Which? ") {
			t.Errorf("%q: it printed\n%s\nand asked %q", test.typed, &out, &asked)
		}
	}
}

func widest(text string) (columns int) {
	for _, line := range strings.Split(text, "\n") {
		columns = max(columns, utf8.RuneCountInString(line))
	}
	return columns
}
