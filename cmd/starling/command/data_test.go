package command

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"starling/cmd/starling/command/shell"
)

// TestDataGetRefuses downloads a file of the right size with other contents:
// nothing is kept of it.
func TestDataGetRefuses(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write(make([]byte, 9912422)) // the size of MNIST's training images
	}))
	defer server.Close()
	folder := t.TempDir()
	var stdout, stderr bytes.Buffer
	code := standard().execute(t.Context(), []string{"data", "get", "mnist", "--data", folder, "--from", server.URL}, &stdout, &stderr)
	want := ", want 440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609\n"
	if code != exitFailed || stdout.Len() > 0 || !strings.HasSuffix(stderr.String(), want) {
		t.Errorf("exit code %d, stdout %q, stderr %q, want %q there", code, &stdout, &stderr, want)
	}
	if left, err := os.ReadDir(filepath.Join(folder, "mnist")); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// TestDataGet downloads the real MNIST from a local server and verifies it.
func TestDataGet(t *testing.T) {
	data := os.Getenv(shell.DataVariable)
	if data == "" {
		t.Skip("needs real data: set " + shell.DataVariable + " to the folder of data sets")
	}
	server := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(data, "mnist"))))
	defer server.Close()
	folder := t.TempDir()
	for _, want := range []string{"t10k-labels-idx1-ubyte.gz: downloaded\n", "t10k-labels-idx1-ubyte.gz: there already\n"} {
		var stdout, stderr bytes.Buffer
		code := standard().execute(t.Context(), []string{"data", "get", "mnist", "--data", folder, "--from", server.URL}, &stdout, &stderr)
		if code != exitDone || stderr.Len() > 0 || !strings.Contains(stdout.String(), want) || !strings.Contains(stdout.String(), "cite LeCun") {
			t.Errorf("exit code %d, stdout %q, stderr %q, want %q", code, &stdout, &stderr, want)
		}
	}
	var stdout, stderr bytes.Buffer
	if code := standard().execute(t.Context(), []string{"data", "verify", "mnist", "--data", folder}, &stdout, &stderr); code != exitDone {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, &stdout, &stderr)
	}
}
