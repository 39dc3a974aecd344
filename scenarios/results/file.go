package results

import (
	"io"

	"starling/scenarios/results/internal/atomicfile"
)

// WriteFile writes a file beside results folders, whole or not at all. The
// folder must exist.
func WriteFile(path string, fill func(io.Writer) error) error {
	_, _, err := atomicfile.Write(path, fill)
	return err
}
