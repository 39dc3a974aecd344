package runner

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Programs are told apart by what they are made of, with the linker's note and without,
// and a program built twice is one.
func TestBuildOf(t *testing.T) {
	if testing.Short() {
		t.Skip("links programs")
	}
	build := func(text string, flags ...string) string {
		dir := t.TempDir()
		source, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
		if err := os.WriteFile(source, []byte("package main\n\nfunc main() { println("+text+") }\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		command := exec.Command("go", append(append([]string{"build", "-trimpath", "-o", program}, flags...), source)...)
		command.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
		if message, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, message)
		}
		content, err := os.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		if noted := goNote(bytes.NewReader(content)) != nil; noted != (len(flags) == 0) {
			t.Errorf("a program with %s has a note: %v", strings.Join(flags, " "), noted)
		}
		id, err := buildOf(bytes.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	for _, flags := range [][]string{nil, {"-ldflags=-buildid="}} {
		one, again, other := build("1", flags...), build("1", flags...), build("2", flags...)
		if one != again || one == other {
			t.Errorf("%v: %s, again %s, another program %s", flags, one, again, other)
		}
	}
	if id, err := buildOf(strings.NewReader("no program")); err != nil || len(id) != 16 {
		t.Errorf("no program: %q, %v", id, err)
	}
}
