// Package externaltest is for tests that want Python.
package externaltest

import (
	"os"
	"os/exec"
	"sync"
	"testing"

	"starling/scenarios/problem/pyproblem"
)

// installed asks once for all tests of a package.
var installed = sync.OnceValues(pyproblem.Installed)

// Missing reports whether there is no Python with numpy, for tests that need it in part.
func Missing() bool {
	_, err := installed()
	return err != nil && !demanded()
}

// demanded reports whether tests run in CI on a machine with a Python.
func demanded() bool {
	_, missing := exec.LookPath("python3")
	return missing == nil && os.Getenv("CI") == "true"
}

// Need skips a test where there is no Python with numpy. In CI, with CI=true in the
// environment, a Python without numpy is a failure.
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
