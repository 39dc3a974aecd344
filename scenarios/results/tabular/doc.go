// Package tabular lays out tables of text and numbers for a terminal: columns
// aligned and wrapped to a width in runes, values rounded as their standard
// errors say. It is no format for data and reads nothing back: CSV and Parquet
// belong to package results, pages with tables to package report.
package tabular
