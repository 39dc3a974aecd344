package results

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestArithmeticOfProcesses checks that processes have the same name of their
// arithmetic, also where they do without instructions that the processor has.
func TestArithmeticOfProcesses(t *testing.T) {
	if os.Getenv("STARLING_PRINT_ARITHMETIC") != "" {
		os.Stdout.WriteString("arithmetic " + Arithmetic() + " " + strings.Join(features(), "+") + "\n")
		return
	}
	of := func(debug string) (name, features string) {
		command := exec.Command(os.Args[0], "-test.run=^TestArithmeticOfProcesses$")
		command.Env = append(os.Environ(), "STARLING_PRINT_ARITHMETIC=1", "GODEBUG="+debug)
		out, err := command.Output()
		if err != nil {
			t.Fatal(err)
		}
		fields := append(strings.Fields(string(out)), "")
		return fields[1], fields[2]
	}
	plain, _ := of("")
	if len(plain) != 16 {
		t.Errorf("the name is %q", plain)
	}
	for _, debug := range []string{"", "cpu.fma=off", "cpu.avx=off", "cpu.avx2=off,cpu.fma=off"} {
		got, found := of(debug)
		if got != plain {
			t.Errorf("with GODEBUG=%s the name is %s, else %s", debug, got, plain)
		}
		if strings.Contains(debug, "fma") && strings.Contains(found, "fma") {
			t.Errorf("with GODEBUG=%s the features are %s", debug, found)
		}
	}
}
