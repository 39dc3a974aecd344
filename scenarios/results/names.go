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
	// checkpointsName is the folder of the checkpoints of an unfinished run.
	checkpointsName = "checkpoints"
	// jobsName is the folder of the results of the jobs of a complete run, for other runs that
	// share jobs with it. partsName is the folder of the parts of a run.
	jobsName  = "jobs"
	partsName = "parts"
	// The progress of an unfinished run (package live), and the tags and the note that people
	// give the run (package runs): the manifest lists none of them.
	ProgressFile = "progress.json"
	TagsFile     = "tags.txt"
	NoteFile     = "run-note.txt"
)

// ScenarioFile, LogFile and SummaryFile are the names, in a results folder, of the scenario as
// it was run, of the log, and of the table of summaries.
const ScenarioFile, LogFile, SummaryFile = "scenario.yaml", "log.jsonl", "summary.parquet"

// ReportName is the name of the report in a results folder. The manifest does
// not list it: it can be written at any time after the run.
const ReportName = "report.html"
