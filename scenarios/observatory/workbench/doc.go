// Package workbench is the writing side of the local page: texts of scenarios that are checked,
// forecast, saved, and run.
//
//	Bench.Sources     what a text can begin from         the library, files, an empty one
//	Bench.Source      one of them                        runs of the folder are read by views
//	Bench.Begin       a new scenario of some kinds       as 'starling init' writes it
//	Bench.Check       what is wrong with a text          as 'starling validate' says it
//	Bench.Forecast    what a run of it would take        as 'starling run --dry-run' says it
//	Bench.Save        writes a text into the folder that the command line names
//	Bench.Start       runs a text                        'starling run -' as a child process
//	Bench.Stop        interrupts a child, which can go on later
//	Bench.Close       interrupts all children, and waits for them
//
// # What is read and written
//
// A text is taken for that of a file in the working folder. The files that it names have to lie
// there or in the folder of data sets, by their paths. Of the working folder and of the folder
// for saving, the files that end with .yaml or .yml are offered, and no others; links that lead
// out of them are refused. Files are written into the folder for saving alone, when somebody
// asks for it, and never over text that has changed since the asker read it.
//
// # Runs
//
// A run is a process of its own, with the command that a person would give, so that its results
// are those of the command, and what it breaks is not the page. A run that another process is
// at work on is refused, and so is one that began with another build or other data.
//
// The package knows no HTTP and no page.
package workbench
