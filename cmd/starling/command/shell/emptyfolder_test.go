package shell

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestEmptyFolder is one line on an empty folder in place of a run.
func TestEmptyFolder(t *testing.T) {
	dir := t.TempDir()
	_, err := OpenRun(&cobra.Command{}, t.TempDir(), dir)
	if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "an empty folder") {
		t.Errorf("%v", err)
	}
}
