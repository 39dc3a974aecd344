// Package tabular lays out tables of text and numbers for a terminal: columns aligned and
// wrapped to a width in runes, values rounded as their standard errors say.
//
//	FormatEstimate(0.123412, 0.001234)   0.1234 ± 0.0012
//	FormatEstimate(1.2341e7, 1.2e5)      (1.234 ± 0.012)e+07
//	FormatValue(math.Inf(1))             inf
//
// It is no format for data and reads nothing back: CSV and Parquet belong to package
// results, pages with tables to package report.
package tabular
