// Package runs lists the runs in a folder of results, cheaply: the scenario, the progress, the
// tags and the note of each. It is the one place that knows by which words people name a run.
//
//	List     the runs below a folder, each a Run; a damaged folder is a Run too
//	Filter   the runs of a status, a tag, a scenario, or with values in their parameters
//	Sort     by a key
//	Differ   the keys in which runs of one scenario differ, and their values
//	Find     the one that a path, a scenario, a tag, a hash or "last" means; of several, none
//	Newest   the same for verbs that read: of several, the latest with results
//	AtWork   the same for verbs that watch: of several, the latest at work
//
// The status of a run follows from files alone:
//
//	complete   COMPLETE fits the manifest, and data files have the sizes that it says
//	running    a process has a claim on the folder, or writes progress.json on another machine
//	failed     the last start of the run ended with an error, or COMPLETE is there without some arms
//	waiting    neither: it was interrupted, or its parts are not together; the same command goes on
//	damaged    the files cannot be of a run: something was deleted or changed
//
// No data file is read, so that a thousand runs take a fraction of a second. Package results
// checks a run to the last byte when it is opened.
package runs
