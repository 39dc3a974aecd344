// Package loading reads scenario files: what they extend, overrides, sweeps, and the JSON
// Schema of the format. It hands what it has read to package arms, which builds it.
//
//	text --document.Parse--> layer            one file, with places             readLayer
//	layers --extend, mergeChain--> resolved   `extends` followed and merged     extends.go
//	--set path=value                          put in, taken out of the sweep    load.go
//	canonical                                 keys in one order: what is hashed extends.go
//	Spread                                    one document for each arm         sweep.go
//	arms.New                                  built and checked
//
// # Errors
//
// A file is read to its end before anything is said: all faults of all arms are returned
// together, as document.Issues in a document.InputError, each at file:line:column in the
// file where the value was written, be that an extended file or a flag.
//
// What would have no effect is a fault too. An override of a value that the sweep sets,
// or a value in a file whose sweep sets it again, is refused: whoever wrote it expects
// something of it.
//
// # The schema
//
// SchemaOf reflects the structs that Decode fills, with their tags: keys, defaults, texts
// and bounds are said once. What the tags cannot say is in rules.go. Tests hold the
// schema to what Load refuses.
package loading
