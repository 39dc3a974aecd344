package runs

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"regexp"
)

// ending is the last line that the start of a run wrote to its log.
type ending struct {
	// Error is the error of the start; empty where it did not fail.
	Error string
	// Interrupted means that the start did not fail, but was told to end.
	Interrupted bool
	// Took is the number of seconds that all starts of the run have taken; of an older run,
	// the last start's.
	Took float64
}

// interrupted matches the ends of errors of starts that their caller or a signal told to end,
// in logs that do not say so otherwise.
var interrupted = regexp.MustCompile(`(^|: )(context canceled|(interrupt|terminated) signal received)$`)

// tail is the number of bytes at the end of a log that are read: a line that ends a start is
// short, unless it has the stack of a panic.
const tail = 1 << 16

// lastEnd reads how the last start of a run ended. ok reports whether it has ended: after a
// line of a later start it has not.
func lastEnd(path string) (end ending, ok bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() { // opening a pipe would block
		return end, false
	}
	file, err := os.Open(path)
	if err != nil {
		return end, false
	}
	defer file.Close()
	from := max(0, info.Size()-tail)
	text, err := io.ReadAll(io.NewSectionReader(file, from, tail))
	if err != nil {
		return end, false
	}
	return endOf(text)
}

// endOf is lastEnd of the end of a log. Lines after the one that ends a start, such as of a
// file that could not be removed, do not count.
func endOf(text []byte) (end ending, ok bool) {
	for len(text) > 0 {
		text = bytes.TrimRight(text, "\n")
		at := bytes.LastIndexByte(text, '\n')
		line := text[at+1:]
		text = text[:max(at, 0)]
		var event struct {
			Message     string  `json:"message"`
			Error       string  `json:"error"`
			Interrupted bool    `json:"interrupted"`
			Elapsed     float64 `json:"elapsed"` // milliseconds
			Total       float64 `json:"total"`
		}
		if json.Unmarshal(line, &event) != nil {
			continue // cut short, or the first of those that were read
		}
		switch event.Message {
		case "started":
			return end, false
		case "ended":
			return ending{
				Error: event.Error, Interrupted: event.Interrupted || interrupted.MatchString(event.Error),
				Took: max(event.Elapsed, event.Total) / 1000,
			}, true
		}
	}
	return end, false
}
