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

// Some reports whether case i of many that are alike runs: every one where slow tests are wanted,
// and otherwise one in so many.
func Some(i, in int) bool { return SlowWanted() || i%in == 0 }
