// Package personal gives nodes privacy parameters of their own: an epsilon of a mechanism, or of a
// budget. They are given by a list of groups, a file with a line for each node, or a law from which
// they are drawn. It knows neither noise nor payments: a section says which parameter an epsilon is.
//
//	groups.go  a list of groups, and which node is in which
//	file.go    a CSV file
//	law.go     a law
package personal
