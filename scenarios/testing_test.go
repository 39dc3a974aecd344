package scenarios_test

import (
	"os"
	"slices"
	"testing"

	"starling/messages"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
)

// The support for tests, in short.
const (
	base       = scenariotest.Base
	lossy      = scenariotest.Lossy
	narrow     = scenariotest.Narrow
	learning   = scenariotest.Learning
	stochastic = scenariotest.Stochastic
	realizable = scenariotest.Realizable
	large      = scenariotest.Large
	trained    = scenariotest.Trained
	untrusted  = scenariotest.Untrusted
)

var (
	adaptive         = scenariotest.Adaptive
	families         = scenariotest.Families
	testLoader       = scenariotest.Loader
	edited           = scenariotest.Edited
	parseSets        = scenariotest.ParseSets
	loadText         = scenariotest.LoadText
	loadScenario     = scenariotest.Load
	runIn            = scenariotest.RunIn
	drawnIn          = scenariotest.DrawnIn
	small            = scenariotest.Small
	rowsOf           = scenariotest.RowsOf
	jobOf            = scenariotest.JobOf
	metricsOf        = scenariotest.MetricsOf
	writeBlankImages = scenariotest.WriteBlankImages
	baseFile         = scenariotest.File
	loadError        = scenariotest.LoadError
	measured         = scenariotest.MeasuredIn
	noteOf           = scenariotest.NoteOf
	valuesOf         = scenariotest.ValuesOf
	last             = scenariotest.Last
	auditOptions     = scenariotest.AuditOptions
	auditIn          = scenariotest.AuditIn
	sentBy           = scenariotest.SentBy
	released         = scenariotest.Released
	finalRows        = scenariotest.FinalRows
)

type sending = scenariotest.Sending

func TestMain(m *testing.M) { os.Exit(scenariotest.Main(m)) }

// oneDigest holds that a scenario has one digest on all runtimes, and that nodes send after a resumption
// at a step as they do in a straight run, in which it returns the messages of each.
func oneDigest(t *testing.T, s *study.Scenario, step int, nodes ...messages.NodeID) map[messages.NodeID][]scenariotest.Sending {
	t.Helper()
	digests := map[string]bool{}
	for _, o := range scenariotest.SomeEngines(s) {
		digests[metricsOf(t, s, o).Digest] = true
	}
	if len(digests) != 1 {
		t.Errorf("digests %v", digests)
	}
	through, _ := scenariotest.SentBy(t, s, 0, nodes...)
	resumed, _ := scenariotest.SentBy(t, s, step, nodes...)
	for _, node := range nodes {
		if !slices.Equal(through[node], resumed[node]) {
			t.Errorf("node %d sends %v, and resumed %v", node, through[node], resumed[node])
		}
	}
	return through
}
