// Package observatory is the local page of Starling: `starling ui`. It has no code of its
// own.
//
//	results folders --views--> values that are JSON
//	texts --workbench--> faults, forecasts, files, and runs as processes
//	                   |
//	                 server    HTTP on the loopback, and its refusals
//	                   |
//	                 page      the browser's part: modules, one stylesheet, a policy
//
// Nothing is computed here: views and workbench ask the packages that the verbs of the
// command ask, so that the page and the command say the same.
package observatory
