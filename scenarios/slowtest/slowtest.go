// Package slowtest keeps tests of many seconds out of the usual run: audits of every
// scenario, and repetitions at length of what shorter tests hold. It is for tests alone, and it
// knows none of them.
package slowtest

import (
	"os"
	"testing"
)

// Variable is the name of the environment variable that asks for slow tests.
const Variable = "STARLING_TESTS"

// Wanted reports whether slow tests run: Variable is "all".
func Wanted() bool { return os.Getenv(Variable) == "all" }

// Skip ends a slow test that is not wanted, and says how to run it.
func Skip(t testing.TB) {
	t.Helper()
	if !Wanted() {
		t.Skip("slow: runs with " + Variable + "=all")
	}
}
