package personal

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"starling/actors/topology"
	"starling/scenarios/document"
)

// groupReader reads the lines of a file of groups.
type groupReader struct {
	*roster
	name   string // of the file
	lines  *csv.Reader
	nodes  int   // column
	at     []int // line of each node, 0 for none
	last   int   // line
	of     []quantity
	places []int       // columns, by quantity
	lists  [][]float64 // values of nodes, by quantity
	faults topology.FileFaults
}

// quantity is a column with a value of every node.
type quantity struct {
	column string // its name
	parse  func(text string) (float64, error)
}

// read returns the values of nodes, from 0, of each of the file's quantities. The error has keys of
// the section, of which key is the file's, and all faults of the file.
func (f *File) read(at *Site, key string, nodes *roster) ([][]float64, error) {
	section, _ := at.Section.Get(key)
	text, _, err := at.Data.File(section, "file", f.File)
	if err != nil {
		return nil, err
	}
	r := &groupReader{roster: nodes, name: f.File, at: make([]int, nodes.count), of: f.quantities(), faults: topology.FileFaults{Name: f.File}}
	r.places = make([]int, len(r.of))
	for range r.of {
		r.lists = append(r.lists, make([]float64, nodes.count))
	}
	r.lines = topology.CSVReader(text)
	if r.header(f) {
		for r.line() {
		}
		r.missing()
	}
	if err := r.faults.Err(); err != nil {
		return nil, document.AtEach("groups.file", err)
	}
	return r.lists, nil
}

// fault notes a fault at a place of the file.
func (r *groupReader) fault(line, column int, format string, args ...any) {
	r.faults.Add(fmt.Errorf("%s:%d:%d: %s", r.name, line, column, fmt.Sprintf(format, args...)))
}

// broken notes a line that is none of CSV. It reports false: nothing can be read after it.
func (r *groupReader) broken(err error) bool {
	var at *csv.ParseError
	if errors.As(err, &at) {
		r.fault(at.Line, max(at.Column, 1), "%v", at.Err)
	} else {
		r.fault(1, 1, "%v", err)
	}
	return false
}

// header finds the columns, and reports whether they are there.
func (r *groupReader) header(f *File) bool {
	header, err := r.lines.Read()
	switch {
	case errors.Is(err, io.EOF):
		names := []string{f.Nodes}
		for _, q := range r.of[:len(r.of)-1] {
			names = append(names, q.column)
		}
		r.fault(1, 1, "the file is empty; want a header with the columns %s and %s", strings.Join(names, ", "), r.of[len(r.of)-1].column)
		return false
	case err != nil:
		return r.broken(err)
	}
	r.last, _ = r.lines.FieldPos(0)
	r.nodes = r.column(header, f.Nodes)
	for k, q := range r.of {
		r.places[k] = r.column(header, q.column)
	}
	return r.faults.Err() == nil
}

// column finds a column of the header by its name; -1 is none, which is a fault.
func (r *groupReader) column(header []string, name string) int {
	at, again := topology.FindColumn(header, name)
	if at < 0 {
		r.fault(r.last, 1, "there is no column %q in the header %q", name, strings.Join(header, ","))
	}
	if again >= 0 {
		line, place := r.lines.FieldPos(again)
		r.fault(line, place, "two columns are called %q", name)
	}
	return at
}

// line reads a line, and reports whether there may be more.
func (r *groupReader) line() bool {
	record, err := r.lines.Read()
	switch {
	case errors.Is(err, io.EOF):
		return false
	case err != nil:
		return r.broken(err)
	}
	line, column := r.lines.FieldPos(r.nodes)
	r.last = line
	node, err := r.find(strings.TrimSpace(record[r.nodes]))
	switch {
	case err != nil && r.fewer:
		return true
	case err != nil:
		r.fault(line, column, "%v", err)
	case r.at[node] > 0:
		r.fault(line, column, "node %s is in line %d, too", record[r.nodes], r.at[node])
	default:
		r.at[node] = line
	}
	for k, q := range r.of {
		value, fault := q.parse(strings.TrimSpace(record[r.places[k]]))
		if fault != nil {
			_, column = r.lines.FieldPos(r.places[k])
			r.fault(line, column, "%v", fault)
		} else if err == nil {
			r.lists[k][node] = value
		}
	}
	return true
}

// mostMissing is the largest number of nodes without a line that a fault lists.
const mostMissing = 10

// missing notes the nodes without a line, in one fault.
func (r *groupReader) missing() {
	named := make([]string, r.count)
	for name, node := range r.names {
		named[node] = " (" + name + ")"
	}
	var words []string
	for node, line := range r.at {
		if line == 0 {
			words = append(words, fmt.Sprintf("%d%s", node+1, named[node]))
		}
	}
	text := document.First(words, mostMissing)
	switch len(words) {
	case 0:
	case 1:
		r.fault(r.last, 1, "node %s has no line up to here, the last one", text)
	default:
		r.fault(r.last, 1, "nodes %s have no line up to here, the last one", text)
	}
}
