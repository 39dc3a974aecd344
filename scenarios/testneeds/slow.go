package testneeds

import (
	"os"
	"testing"
)

// Variable is the name of the environment variable that asks for slow tests.
const Variable = "STARLING_TESTS"

// SlowWanted reports whether slow tests run: Variable is "all".
func SlowWanted() bool { return os.Getenv(Variable) == "all" }

// Slow ends a slow test that is not wanted, and says how to run it.
func Slow(t testing.TB) {
	t.Helper()
	if !SlowWanted() {
		t.Skip("slow: runs with " + Variable + "=all")
	}
}
