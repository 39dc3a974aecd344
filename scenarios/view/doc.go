// Package view has a run as readers see it: on the terminal, as JSON, on the report page and on
// the local page.
//
//	Report           runs -> report.Page: last values, figures, ledger, networks, commands
//	LastValues       the arms' summaries at their last steps
//	NoteTables       notes that are derived for the arms
//	WarningLines     warnings, grouped for readers
//	Differences      the differences of the scenarios of two runs, value by value
//	DescribeNetwork  the graphs of an arm under a seed
//	Network.Describe degrees, components, spectral gap, contraction, mixing time, diameter
//
// The package chooses the contents and the words. Packages results/report, results/figure and
// results/tabular define the look of pages, figures and tables. Nothing is run: everything
// comes from results folders, and from a scenario that is read again for its networks.
package view
