package networks

import (
	"fmt"
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
}

// parseTraces reads a CSV file with the columns trace, on and off. The rows of a trace ascend. length is
// the length of all traces; 0 is the last second of the file. All rows with a fault are reported.
func parseTraces(name string, text []byte, length float64) (*Traces, error) {
	r := traceReader{name: name, numbers: map[string]int{}}
	r.length = length
	err := topology.Rows(name, text, mostSpans, []string{"trace", "on", "off"}, func(_ int, fields []string) error { return r.row(fields) })
	if err == nil && len(r.list) == 0 {
		err = fmt.Errorf("%s:1: the file has no rows; want the columns trace, on, off", name)
	}
	if err != nil {
		return nil, err
	}
	return r.whole(length)
}

// row reads a row.
func (r *traceReader) row(record []string) error {
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

// whole returns the traces; the error is of one that is longer than the length.
func (r *traceReader) whole(length float64) (*Traces, error) {
	last := 0.0
	for _, of := range r.list {
		if len(of) > 0 {
			last = max(last, of[len(of)-1].off)
		}
	}
	if length > 0 && last > length {
		return nil, fmt.Errorf("%s: a trace goes on until %v s, beyond the length, %v s", r.name, last, length)
	}
	if length == 0 {
		r.length = last
	}
	return &r.Traces, nil
}
