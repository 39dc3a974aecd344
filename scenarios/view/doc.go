// Package view has a run as readers see it: on the terminal, as JSON, on the report page and on
// the local page.
//
//	Read             a finished run -> Run: manifest, summary by metric, known metrics
//	Run.Values       tables of last values, with marks, of participants, and of derived values
//	WarningLines     warnings, grouped for readers
//	FactLines        facts among them
//	Compare          two runs or arms -> Comparison: scenarios value by value, and metrics
//	Report           runs -> report.Page: last values, figures, ledger, networks, commands
//	DescribeNetwork  the graphs of an arm under a seed
//	Network.Describe degrees, components, spectral gap, contraction, mixing time, diameter
//	Network.Picture  a step's graph, or the union of a window's graphs -> diagram.Sheet
//	Network.OverTime degrees, edges, components and contraction over the horizon -> figure
//
// The package chooses the contents and the words. Packages results/report, results/figure,
// results/diagram and results/tabular define the look of pages, figures, graphs and tables, and view/plot draws the figures
// of a run. Nothing is run: everything comes from results folders, and from a scenario that is
// read again for its networks.
package view
