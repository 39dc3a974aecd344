// Package document reads the YAML files of the simulator strictly and keeps,
// for every key and value, the place where it was written, so that faults of a scenario are
// reported as file:line:column with their path.
//
// The accepted language is a subset of YAML 1.2: one document with a mapping with string keys
// as its root. Refused are anchors, aliases, merge keys, tags, directives, complex keys, tab
// characters, duplicate keys, nesting deeper than [MaxDepth], and forms that are mostly slips:
// plain or quoted scalars that span lines, empty items of sequences, keys in braces without a
// value, and pairs in brackets without braces. Blocks of text begin with |, |-, > or >-.
// Scalars follow the YAML 1.2 core schema: yes, no, on and off are strings, 1e-3 is a number,
// and quoted scalars are strings.
//
// The order of work: [Parse] checks the bytes, has them split and parsed by
// github.com/goccy/go-yaml, checks each token against the source text and
// builds an immutable tree; [Document.Set] and [Document.With] make changed
// copies; [Decode] fills structs and collects all problems as [Issues];
// [Document.Resolve] turns the errors of semantic validation into Issues.
//
// The package knows nothing of the meaning of a scenario, and it is no general YAML library:
// it has no encoder of Go values and keeps no comments.
package document
