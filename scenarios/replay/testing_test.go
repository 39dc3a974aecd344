package replay_test

import (
	"os"
	"testing"

	"starling/scenarios/scenariotest"
)

func TestMain(m *testing.M) { os.Exit(scenariotest.Main(m)) }
