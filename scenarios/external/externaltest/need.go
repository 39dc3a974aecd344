// Package externaltest is for tests that want Python.
package externaltest

import (
	"os"
	"os/exec"
	"sync"
	"testing"

	"starling/scenarios/external"
)

// installed asks once for all tests of a package.
var installed = sync.OnceValues(external.Installed)

// Need skips a test where there is no Python with numpy. Where tests are run for everybody,
// with CI=true in the environment, what is missing beside a Python is a failure.
func Need(t testing.TB) {
	t.Helper()
	_, err := installed()
	if err == nil {
		return
	}
	if _, missing := exec.LookPath("python3"); missing == nil && os.Getenv("CI") == "true" {
		t.Fatalf("CI=true, there is a python3, and this test cannot run: %v", err)
	}
	t.Skipf("this test wants Python with numpy: %v", err)
}
