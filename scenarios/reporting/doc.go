// Package reporting makes the report page, comparisons of scenarios, and descriptions of
// a scenario's networks.
//
//	Report           runs -> report.Page: last values, figures, ledger, networks, commands
//	Differences      in what the scenarios of two runs differ, value by value
//	DescribeNetwork  the graphs of an arm under a seed
//	Network.Describe degrees, components, spectral gap, contraction, mixing time, diameter
//
// The package decides what is shown and in which words. How a page, a figure or a table
// looks is the business of packages results/report, results/figure and results/tabular.
// Nothing is run: everything comes from results folders, and from a scenario that is read
// again for its networks.
package reporting
