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

// TestOtherArithmetic checks when compare speaks of it: where digests differ,
// both names are known and are not the same.
func TestOtherArithmetic(t *testing.T) {
	of := func(goos, arithmetic, digest string) *Manifest {
		return &Manifest{Digest: digest, Versions: Versions{GOOS: goos, GOARCH: "amd64", GOAMD64: "v1", Arithmetic: arithmetic}}
	}
	ours := of("linux", "aa", "00")
	for _, test := range []struct {
		name   string
		theirs *Manifest
		want   string
	}{
		{"same", of("darwin", "aa", "01"), ""},
		{"older", of("linux", "", "01"), ""},
		{"equal digests", of("linux", "bb", "00"), ""},
		{"other", of("darwin", "bb", "01"), "different arithmetic, linux/amd64 v1 aa and darwin/amd64 v1 bb:"},
	} {
		var c Comparison
		c.markArithmetic(ours, test.theirs)
		got := strings.Join(c.Notes, "\n")
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
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
