// Package typeset writes a table of estimates in the formats of papers and programs:
//
//	Table.Plain         text in columns, for a terminal
//	Table.Write         any format: terminal, markdown, latex, csv, html
//	Caption             the caption of a figure
//	FormatOf            the format of a file, by the end of its name
//
// LaTeX has the rules of booktabs, and with Siunitx the columns of numbers of siunitx. A value
// has the digits of its error. CSV has a cell a line with all digits, and no marks.
//
// The package neither reads runs nor tests arms: package view/paper chooses cells, marks and
// captions.
package typeset
