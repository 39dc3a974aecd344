package results

// The names in a results folder.
const (
	manifestName = "manifest.json"
	scenarioName = ScenarioFile
	metricsName  = "metrics.parquet"
	summaryName  = SummaryFile
	privacyName  = "privacy.parquet"
	armsName     = "arms.parquet"
	digestsName  = "digests.jsonl"
	logName      = LogFile
	plotsName    = "plots"
	modelsName   = "models"
	completeName = "COMPLETE"
	lockName     = "LOCK"
	// checkpointsName is the folder of what an unfinished run has done.
	checkpointsName = "checkpoints"
	// jobsName is the folder of what the jobs of a complete run have left, for runs that
	// have the same jobs and others, and partsName that of the parts of a run.
	jobsName  = "jobs"
	partsName = "parts"
	// What tells how far an unfinished run has come (package live), and what people call the
	// run (package runs): the manifest lists neither.
	ProgressFile = "progress.json"
	TagsFile     = "tags.txt"
)

// ScenarioFile is the name of the scenario, as it was run, in a results folder, LogFile that
// of the log, and SummaryFile that of the table of summaries.
const ScenarioFile, LogFile, SummaryFile = "scenario.yaml", "log.jsonl", "summary.parquet"

// ReportName is the name of the report in a results folder. The manifest does
// not list it: it can be written at any time after the run.
const ReportName = "report.html"
