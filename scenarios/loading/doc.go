// Package loading reads scenario files: the files that they extend, overrides, sweeps, and the
// JSON Schema of the format. It hands documents to package arms, which builds arms from them.
//
//	text --document.Parse--> layer            one file, with places             readLayer
//	layers --extend, mergeChain--> resolved   `extends` followed and merged     extends.go
//	--set path=value                          put in, taken out of the sweep    load.go
//	canonical                                 keys in one order, for the hash   extends.go
//	Spread                                    one document for each arm         sweep.go
//	arms.New                                  built and checked
//
// # Errors
//
// A file is read to its end before an error is returned: all faults of all arms are returned
// together, as document.Issues in a document.InputError. Each has the position
// file:line:column where the value was written, be that in an extended file or a flag.
//
// A value without an effect is a fault too. An override of a value that the sweep sets, or a
// value in a file with a sweep that sets it again, is refused: its author expects an effect.
//
// # The schema
//
// SchemaOf reflects the structs that Decode fills, with their tags: keys, defaults, texts and
// bounds are stated once. Rules that tags cannot state are in rules.go. Tests compare the
// schema with the refusals of Load.
package loading
