// Package reporting makes the report page, comparisons of runs, and descriptions of a
// scenario's networks.
package reporting
