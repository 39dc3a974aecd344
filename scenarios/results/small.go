package results

import (
	"fmt"
	"io"
	"os"

	"starling/scenarios/document"
)

// The largest sizes of a seal, a manifest and a scenario.
const (
	mostSeal     = 1 << 10
	mostManifest = 1 << 28
	mostScenario = document.MaxBytes
)

// ReadSmall reads a file of up to most bytes. A path that is no regular file is an error, and
// is not opened: opening a pipe would block.
func ReadSmall(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s has more than %d bytes", path, most)
	}
	return text, err
}
