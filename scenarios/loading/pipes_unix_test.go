//go:build unix

package loading_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"starling/scenarios"
)

// TestExtendsPipe extends a pipe that nobody writes to, which is not waited for.
func TestExtendsPipe(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "s.yaml")
	if err := os.WriteFile(file, []byte("extends: pipe.yaml\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.yaml"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := scenarios.Load(file); err == nil || !strings.Contains(err.Error(), "is no regular file") {
		t.Errorf("%v", err)
	}
}
