// Package observatory is the local page of Starling: `starling ui`.
//
//	results folders --views--> values that are JSON
//	texts --Bench--> faults, forecasts, files, and runs as processes
//	               |
//	             Server    HTTP on the loopback, and its refusals
//	               |
//	             assets    the browser's part: modules, one stylesheet, a policy
//
// Nothing is computed here: views and the workbench ask the packages that the
// verbs of the command ask, so that the page and the command say the same.
package observatory
