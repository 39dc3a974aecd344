package command

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"starling/cmd/starling/command/shell"
	"starling/scenarios"
)

// TestManual writes all pages twice: they are the same, are ASCII, have every flag, and
// groff, where there is one, warns of nothing.
func TestManual(t *testing.T) {
	catalog := scenarios.Catalog()
	root := program{shell.Program{Kinds: &catalog}}.newRoot()
	first, second := t.TempDir(), t.TempDir()
	pages, err := writeManual(root, first)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := writeManual(root, second); err != nil {
		t.Fatal(err)
	}
	_, groffless := exec.LookPath("groff")
	for _, page := range pages {
		text, err := os.ReadFile(filepath.Join(first, page))
		if err != nil {
			t.Fatal(err)
		}
		again, err := os.ReadFile(filepath.Join(second, page))
		if err != nil || !bytes.Equal(text, again) {
			t.Errorf("%s is written otherwise again (%v)", page, err)
		}
		for i, b := range text {
			if b > '~' || b < ' ' && b != '\n' {
				t.Errorf("%s has the byte %#x at %d", page, b, i)
				break
			}
		}
		if groffless == nil {
			if warned, err := exec.Command("groff", "-man", "-Tutf8", "-ww", "-z", filepath.Join(first, page)).CombinedOutput(); err != nil || len(warned) > 0 {
				t.Errorf("%s: %v: %s", page, err, warned)
			}
		}
	}
	for _, verb := range root.Commands() {
		text, err := os.ReadFile(filepath.Join(first, "man1", "starling-"+verb.Name()+".1"))
		if err != nil {
			t.Fatal(err)
		}
		verb.Flags().VisitAll(func(flag *pflag.Flag) {
			if head := `\-\-` + strings.ReplaceAll(flag.Name, "-", `\-`); !flag.Hidden && !strings.Contains(string(text), head) {
				t.Errorf("the page of %s lacks --%s", verb.Name(), flag.Name)
			}
		})
	}
	for _, name := range topics {
		if _, err := os.Stat(filepath.Join(first, "man7", "starling-"+name+".7")); err != nil {
			t.Error(err)
		}
	}
}
