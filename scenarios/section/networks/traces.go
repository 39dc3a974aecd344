package networks

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"starling/actors/topology"
	"starling/scenarios/document"
	"starling/scenarios/inputs"
)

// Traces are the times of being there of some clients, which others repeat. It is immutable.
type Traces struct {
	length float64
	list   [][]span
}

// span is a time of being there: on <= t < off, in seconds.
type span struct{ on, off float64 }

// mostSpans is the largest number of rows of a file of traces, so that a file of the wrong kind ends in an
// error.
const mostSpans = 1 << 22

// Read returns the traces of the file that the section names; nil for other laws. The error has keys of
// the section.
func (a *Availability) Read(data *inputs.Folder, section *document.Node) (*Traces, error) {
	if a.Law != byTraces {
		return nil, nil
	}
	text, _, err := data.File(section, "file", a.File)
	if err != nil {
		return nil, err
	}
	t, err := parseTraces(a.File, text, a.Length)
	if err != nil {
		return nil, section.Resolve(document.AtEach("file", err))
	}
	return t, nil
}

// on reports whether the trace of a client is on at a second of its own time. u, 0 < u < 1, chooses the
// trace.
func (t *Traces) on(u, second float64) bool {
	of := t.list[min(int(u*float64(len(t.list))), len(t.list)-1)]
	at := math.Mod(second, t.length)
	if at < 0 {
		at += t.length
	}
	k, _ := slices.BinarySearchFunc(of, at, func(s span, at float64) int {
		if s.off <= at {
			return -1
		}
		return 1
	})
	return k < len(of) && of[k].on <= at
}

// traceReader reads the rows of a file of traces.
type traceReader struct {
	Traces
	name    string
	numbers map[string]int // of traces
	rows    int
	faults  topology.FileFaults
}

// parseTraces reads a CSV file with the columns trace, on and off. The rows of a trace ascend. length is
// the length of all traces; 0 is the last second of the file. All rows with a fault are reported.
func parseTraces(name string, text []byte, length float64) (*Traces, error) {
	lines := topology.CSVReader(text)
	lines.FieldsPerRecord = -1
	r := traceReader{name: name, numbers: map[string]int{}, faults: topology.FileFaults{Name: name}}
	r.length = length
	for first := true; ; first = false {
		record, err := lines.Read()
		var malformed *csv.ParseError
		switch {
		case errors.Is(err, io.EOF) && r.rows > 0:
			return r.whole(length)
		case errors.Is(err, io.EOF):
			return nil, fmt.Errorf("%s:1: the file has no rows; want the columns trace, on, off", name)
		case errors.As(err, &malformed):
			r.faults.Add(fmt.Errorf("%s:%d: %w", name, malformed.Line, malformed.Err))
			return nil, r.faults.Err() // nothing can be read after it
		case err != nil:
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		line, _ := lines.FieldPos(0)
		if first {
			if got := strings.Join(record, ", "); got != "trace, on, off" {
				return nil, fmt.Errorf("%s:%d: the columns are %s; want trace, on, off", name, line, got)
			}
			continue
		}
		if r.rows++; r.rows > mostSpans {
			return nil, fmt.Errorf("%s:%d: more than %d rows", name, line, mostSpans)
		}
		if err := r.row(record); err != nil {
			r.faults.Add(fmt.Errorf("%s:%d: %w", name, line, err))
		}
	}
}

// row reads a row.
func (r *traceReader) row(record []string) error {
	if len(record) != 3 {
		return fmt.Errorf("%d columns; want 3", len(record))
	}
	var s span
	for k, to := range []*float64{&s.on, &s.off} {
		v, err := strconv.ParseFloat(record[k+1], 64)
		if err != nil || !(v >= 0 && v <= 1e9) {
			return fmt.Errorf("%q is no number of seconds; want 0 to 1e9", record[k+1])
		}
		*to = v
	}
	id, known := r.numbers[record[0]]
	if !known {
		id = len(r.list)
		r.numbers[strings.Clone(record[0])] = id
		r.list = append(r.list, nil)
	}
	of := &r.list[id]
	switch n := len(*of); {
	case s.off <= s.on:
		return fmt.Errorf("trace %s goes back: it is on at %v s and off at %v s", record[0], s.on, s.off)
	case n > 0 && s.on < (*of)[n-1].off:
		return fmt.Errorf("trace %s goes back: it is on at %v s, before %v s, the end of its row before", record[0], s.on, (*of)[n-1].off)
	}
	*of = append(*of, s)
	return nil
}

// whole returns the traces, or the faults of the file.
func (r *traceReader) whole(length float64) (*Traces, error) {
	last := 0.0
	for _, of := range r.list {
		if len(of) > 0 {
			last = max(last, of[len(of)-1].off)
		}
	}
	if length > 0 && last > length {
		r.faults.Add(fmt.Errorf("%s: a trace goes on until %v s, beyond the length, %v s", r.name, last, length))
	}
	if err := r.faults.Err(); err != nil {
		return nil, err
	}
	if length == 0 {
		r.length = last
	}
	return &r.Traces, nil
}
