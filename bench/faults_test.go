package bench

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fault is a change of the sources that costs privacy.
type fault struct {
	name string
	file string // from the root of the module
	// old is replaced by new, in which FAULT stands for the switch.
	old, new string
	// scenario is refuted with the fault, and without it is not. overrides are after it.
	scenario  string
	overrides []string
}

const switches = `package fault

import (
	"os"
	"sync"
)

var chosen = os.Getenv("STARLING_FAULT")

// Is tells whether a fault is put back.
func Is(name string) bool { return chosen == name }

var kept sync.Map

// Kept are so many numbers that a fault keeps of one thing, zeros at first.
func Kept(of any, numbers int) []float64 {
	list, _ := kept.LoadOrStore(of, make([]float64, numbers))
	return list.([]float64)
}
`

var full = flag.Bool("full", false, "build the program with all faults, and audit it")

// TestFaults builds the program with all faults, and audits with each and without.
func TestFaults(t *testing.T) {
	if !*full {
		t.Skip("builds the program, and audits for minutes: -full has it run, as .ci/full does")
	}
	program := build(t)
	clean := map[string]bool{} // what was audited without a fault
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "scenario.yaml")
			if err := os.WriteFile(file, []byte(f.scenario), 0o644); err != nil {
				t.Fatal(err)
			}
			arguments := []string{"audit", file, "--samples", "3000", "--confidence", "0.9999"}
			for _, o := range f.overrides {
				arguments = append(arguments, "--set", o)
			}
			if refuted, said := audit(t, program, f.name, arguments); !refuted {
				t.Errorf("the fault is not refuted:\n%s", said)
			}
			if key := f.scenario + strings.Join(f.overrides, "|"); !clean[key] {
				clean[key] = true
				if refuted, said := audit(t, program, "", arguments); refuted {
					t.Errorf("without the fault it is refuted:\n%s", said)
				}
			}
		})
	}
}

// audit tells whether an audit with a fault refutes.
func audit(t *testing.T, program, fault string, arguments []string) (refuted bool, said string) {
	t.Helper()
	c := exec.Command(program, arguments...)
	c.Env = append(os.Environ(), "STARLING_FAULT="+fault)
	output, err := c.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return false, string(output)
	case errors.As(err, &exit) && exit.ExitCode() == 1:
		return true, string(output)
	}
	t.Fatalf("%v: %v\n%s", arguments, err, output)
	return false, ""
}

// build builds the program with all faults behind switches.
func build(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	place := t.TempDir()
	texts, overlay := changed(t, root), map[string]string{}
	texts["fault/fault.go"] = switches
	for file, text := range texts {
		beside := filepath.Join(place, strings.ReplaceAll(file, "/", "_"))
		if err := os.WriteFile(beside, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		overlay[filepath.Join(root, file)] = beside
	}
	list, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	listed, program := filepath.Join(place, "overlay.json"), filepath.Join(place, "starling")
	if err := os.WriteFile(listed, list, 0o644); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("go", "build", "-overlay", listed, "-o", program, "./cmd/starling")
	c.Dir = root
	if output, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return program
}

// changed has the texts of the sources in which faults stand, by file from the root, with the
// faults in them.
func changed(t *testing.T, root string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, f := range faults {
		text, ok := texts[f.file]
		if !ok {
			read, err := os.ReadFile(filepath.Join(root, f.file))
			if err != nil {
				t.Fatal(err)
			}
			head, rest, _ := strings.Cut(string(read), "\nimport ")
			text = head + "\nimport \"starling/fault\"\n\nimport " + rest
		}
		if strings.Count(text, f.old) != 1 {
			t.Fatalf("fault %s: %s has %q %d times, want once", f.name, f.file, f.old, strings.Count(text, f.old))
		}
		texts[f.file] = strings.Replace(text, f.old, strings.ReplaceAll(f.new, "FAULT", `fault.Is("`+f.name+`")`), 1)
	}
	return texts
}

// TestFaultsFit checks that the sources are still those that the faults are changes of.
func TestFaultsFit(t *testing.T) { changed(t, "..") }
