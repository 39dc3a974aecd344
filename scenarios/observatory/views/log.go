package views

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"time"

	"starling/scenarios/results"
)

// Log is the events of a run, the latest first: its start and end, and each job.
type Log struct {
	Events []LogEvent `json:"events"`
	// More is true if earlier events are left out.
	More bool `json:"more,omitempty"`
}

// LogEvent is a line of the log.
type LogEvent struct {
	Time time.Time `json:"time"`
	// Level is info, warn or error.
	Level string `json:"level"`
	// Arm and Seed name the job of the event; Arm is empty where it is of none.
	Arm  string `json:"arm,omitempty"`
	Seed uint64 `json:"seed,omitempty"`
	Text string `json:"text"`
}

// The end of a log that is read, and the largest number of its events.
const (
	logEnd     = 64 << 10
	mostEvents = 60
)

// Log reads the last events of a run; a run without a log has none.
func (f *Folder) Log(id string) (*Log, error) {
	file, err := f.file(id, results.LogFile)
	if errors.Is(err, fs.ErrNotExist) {
		return &Log{Events: []LogEvent{}}, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	begin := max(0, info.Size()-logEnd)
	text, err := io.ReadAll(io.NewSectionReader(file, begin, logEnd))
	if err != nil {
		return nil, err
	}
	return logOf(text, begin > 0), nil
}

// logOf reads the end of a log; cut means that its first line is the end of one.
func logOf(text []byte, cut bool) *Log {
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	if cut {
		lines = lines[1:]
	}
	l := &Log{Events: []LogEvent{}, More: cut || len(lines) > mostEvents}
	for _, line := range slices.Backward(lines[max(0, len(lines)-mostEvents):]) {
		var fields struct {
			Time                                        time.Time
			Level, Arm, Message, Error, Failure, Failed string
			Seed                                        uint64
			Jobs, Finished, Steps                       int
			Elapsed                                     float64 // milliseconds
		}
		if json.Unmarshal(line, &fields) != nil {
			continue // a line that is being written
		}
		took := time.Duration(fields.Elapsed * float64(time.Millisecond)).Round(time.Millisecond)
		event := LogEvent{Time: fields.Time, Level: fields.Level, Arm: fields.Arm, Seed: fields.Seed, Text: fields.Message}
		switch fields.Message {
		case "job":
			event.Text = fmt.Sprintf("done in %v", took)
		case "ended":
			event.Text = fmt.Sprintf("ended after %v", took)
		case "started":
			event.Text = fmt.Sprintf("started: %d of %d jobs were done before", fields.Finished, fields.Jobs)
		case "resumed":
			event.Text = fmt.Sprintf("goes on after %d steps", fields.Steps)
		}
		if why := cmp.Or(fields.Error, fields.Failure, fields.Failed); why != "" {
			event.Text += ": " + why
		}
		l.Events = append(l.Events, event)
	}
	return l
}
