// Package workbench is the writing side of the local page: texts of scenarios that are checked,
// forecast, saved, and run.
//
//	Bench.Sources     texts to begin from                the library, files, an empty one
//	Bench.Source      one of them                        runs of the folder are read by views
//	Bench.Begin       a new scenario of some kinds       as 'starling init' writes it
//	Bench.Check       the faults of a text               as 'starling validate' lists them
//	Bench.Forecast    the cost of a run of it            as 'starling run --dry-run' prints it
//	Bench.Save        writes a text into the folder that the command line names
//	Bench.Start       runs a text                        'starling run -' as a child process
//	Bench.Stop        interrupts a child, which can go on later
//	Bench.Close       interrupts all children, and waits for them
//
// # Files
//
// A text is read as if it were a file in the working folder. The files that it names have to
// lie there or in the folder of data sets, by their paths. The bench offers the files of the
// working folder and of the folder for saving that end with .yaml or .yml, and no others. It
// refuses links that lead out of these folders. It writes files into the folder for saving
// alone, and only when the user asks for it. It never overwrites a text that has changed since
// the user read it.
//
// # Runs
//
// A run is a process of its own, with the command that a person would give, so that its
// results equal the command's, and its failure does not break the page. A run that another
// process is at work on is refused, and so is one that began with another build or other data.
//
// The package knows no HTTP and no page.
package workbench
