package results

import (
	"encoding/json"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// TestArithmeticOfProcesses checks that processes with the same arithmetic have
// the same name of it, and that one whose exp does not fuse has another.
func TestArithmeticOfProcesses(t *testing.T) {
	if os.Getenv("STARLING_PRINT_ARITHMETIC") != "" {
		os.Stdout.WriteString("arithmetic " + Arithmetic() + "\n")
		return
	}
	of := func(debug string) string {
		command := exec.Command(os.Args[0], "-test.run=^TestArithmeticOfProcesses$")
		command.Env = append(os.Environ(), "STARLING_PRINT_ARITHMETIC=1", "GODEBUG="+debug)
		out, err := command.Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Fields(string(out))[1]
	}
	plain := of("")
	if len(plain) != 16 || of("") != plain {
		t.Errorf("two processes have %s and %s", plain, of(""))
	}
	if runtime.GOARCH != "amd64" {
		return
	}
	off := of("cpu.fma=off")
	if text, err := os.ReadFile("/proc/cpuinfo"); err != nil || !strings.Contains(string(text), " fma ") {
		t.Skip("the processor is not known to have fused multiply-add")
	}
	if off == plain {
		t.Errorf("without fused multiply-add the name is %s, too", off)
	}
}

// TestManifestWithoutArithmetic checks that manifests of older versions are read.
func TestManifestWithoutArithmetic(t *testing.T) {
	m := testManifest(StatusComplete)
	m.FormatVersion = FormatVersion
	if m.Versions.Arithmetic != Arithmetic() {
		t.Errorf("the manifest names %q, want %q", m.Versions.Arithmetic, Arithmetic())
	}
	m.Versions.Arithmetic = ""
	text, err := json.Marshal(m)
	must(t, err)
	if strings.Contains(string(text), "arithmetic") {
		t.Fatalf("still there: %s", text)
	}
	_, err = decodeManifest(text)
	must(t, err)
}
