// Package personal gives nodes privacy parameters of their own: an epsilon of a mechanism or of a
// budget, with or without a delta, or a value of a client such as its sampling rate. They are given by a
// list of groups, a file with a line for each node, a law from which they are drawn, or a column of the
// problem's own data. It knows neither noise nor payments: a section says which parameter an epsilon is.
//
//	groups.go  a list of groups, and which node is in which
//	file.go    a CSV file
//	law.go     a law
//	column.go  a column of the problem's data
//	values.go  values other than epsilons
package personal
