// Package profile finds out the contents of an unknown table: the notation of its file, the sort,
// the range and the gaps of each column, and the use that a column may have. It proposes the keys
// of a problem that learns from the table. It reads a file up to three times and keeps no rows. It
// learns nothing, and its guesses bind nobody: a scenario states what holds.
//
//	sniff.go     the encoding, the notation of numbers and the order of dates
//	column.go    counts of one column
//	profile.go   the file, and the use of each column
//	propose.go   the keys of a problem
package profile
