// Package help holds the topics of the command's help, NAME.md each. Package command shows
// them.
package help

import "embed"

// Topics are the files.
//
//go:embed *.md
var Topics embed.FS
