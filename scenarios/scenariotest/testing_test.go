package scenariotest_test

import (
	"os"
	"testing"

	"starling/scenarios/scenariotest"
)

// The support for tests, in short.
const (
	learning   = scenariotest.Learning
	stochastic = scenariotest.Stochastic
	realizable = scenariotest.Realizable
)

var (
	loadText     = scenariotest.LoadText
	loadScenario = scenariotest.Load
	auditOptions = scenariotest.AuditOptions
	auditIn      = scenariotest.AuditIn
)

func TestMain(m *testing.M) { os.Exit(scenariotest.Main(m)) }
