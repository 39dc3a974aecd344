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

// Missing tells that there is no Python with numpy, for tests of which a part wants it.
func Missing() bool {
	_, err := installed()
	return err != nil && !demanded()
}

// demanded tells that tests are run for everybody, where there is a Python.
func demanded() bool {
	_, missing := exec.LookPath("python3")
	return missing == nil && os.Getenv("CI") == "true"
}

// Need skips a test where there is no Python with numpy. Where tests are run for everybody,
// with CI=true in the environment, what is missing beside a Python is a failure.
func Need(t testing.TB) {
	t.Helper()
	_, err := installed()
	if err == nil {
		return
	}
	if demanded() {
		t.Fatalf("CI=true, there is a python3, and this test cannot run: %v", err)
	}
	t.Skipf("this test wants Python with numpy: %v", err)
}
