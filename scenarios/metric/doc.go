// Package metric is the form in which scenarios declare the contents of results.
//
//	metric.go      metrics: name, text, unit, axis and direction
//	windows.go     names of a metric over windows of steps
//	annotation.go  texts beside the numbers: the paper of a scenario, the values that its arms
//	               set, derived quantities, and warnings
//	page.go        the page of a figure: its size in print, its use, the place of its legend
//
// The code that records a metric declares it, and the catalog gathers the declarations of
// kinds. A name has a family and a quantity, such as regret.expected. A pattern such as
// regret.* stands for a family. Lists, axes of figures, the choice of a linear or logarithmic
// axis, the usual figures, and the refusal of a metric that no arm records all follow from the
// declarations.
//
// The package reads and writes no files, and draws nothing: package results stores the texts,
// and package figure draws the pages.
package metric
