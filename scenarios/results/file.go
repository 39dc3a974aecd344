package results

import (
	"crypto/sha256"
	"encoding/hex"
	"io"

	"starling/actors/atomicfile"
)

// WriteFile writes a file beside results folders, whole or not at all. The
// folder must exist. See atomicfile.Put for a file that a user has named.
func WriteFile(path string, fill func(io.Writer) error) error {
	_, _, err := atomicfile.Write(path, fill)
	return err
}

// sumOf is the SHA-256 of a text, in hex.
func sumOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
