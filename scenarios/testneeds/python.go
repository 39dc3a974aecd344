package testneeds

import (
	"os"
	"os/exec"
	"sync"
	"testing"

	"starling/scenarios/problem/pyproblem"
)

// installedPython asks once for all tests of a package.
var installedPython = sync.OnceValues(pyproblem.Installed)

// NoPython reports whether there is no Python with numpy, for tests that need it in part.
func NoPython() bool {
	_, err := installedPython()
	return err != nil && !pythonDemanded()
}

// pythonDemanded reports whether tests run in CI on a machine with a Python.
func pythonDemanded() bool {
	_, missing := exec.LookPath("python3")
	return missing == nil && os.Getenv("CI") == "true"
}

// Python skips a test where there is no Python with numpy. In CI, with CI=true in the
// environment, a Python without numpy is a failure.
func Python(t testing.TB) {
	t.Helper()
	_, err := installedPython()
	if err == nil {
		return
	}
	if pythonDemanded() {
		t.Fatalf("CI=true, there is a python3, and this test cannot run: %v", err)
	}
	t.Skipf("this test wants Python with numpy: %v", err)
}
