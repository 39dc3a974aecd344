package scenarios_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestProtobufIsCurrent generates the Go files of messages again. It needs the versions of
// both generators that the files name.
func TestProtobufIsCurrent(t *testing.T) {
	for program, want := range map[string]string{"protoc": "libprotoc 3.21.12", "protoc-gen-go": "protoc-gen-go v1.36.12"} {
		version, err := exec.Command(program, "--version").Output()
		if got := strings.TrimSpace(string(version)); err != nil || got != want {
			t.Skipf("the program %s is needed in version %q, and there is %q, %v", program, want, got, err)
		}
	}
	for _, name := range []string{"actors/remote/frame", "actors/spread/spread", "scenarios/workers/workers"} {
		dir := t.TempDir()
		cmd := exec.Command("protoc", "--proto_path=.", "--go_out="+dir, "--go_opt=paths=source_relative", name+".proto")
		cmd.Dir = ".."
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		want, err := os.ReadFile(filepath.Join(dir, name+".pb.go"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("..", name+".pb.go"))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s.pb.go is not what protoc makes of %s.proto: run go generate ./...", name, name)
		}
	}
}
