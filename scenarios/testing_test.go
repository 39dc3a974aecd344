package scenarios_test

import (
	"os"
	"testing"

	"starling/scenarios/scenariotest"
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
