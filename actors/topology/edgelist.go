package topology

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"starling/messages"
)

// FileError is a place in a file that describes a network.
type FileError struct {
	// Name is the file's, as it was given.
	Name string
	// Line and Column count from 1, as editors do.
	Line, Column int
	Message      string
}

// Error prints name:line:column: message.
func (e *FileError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.Name, e.Line, e.Column, e.Message)
}

// EdgeList reads a network from CSV: a header, step,from,to or
// step,from,to,weight, and a row for each edge of each step that is listed, in
// any order. Lines that begin with # are left out, as is a byte order mark, which
// spreadsheets begin UTF-8 with. Without a column of weights all are 1. After the
// last step that is listed, T, there are no edges unless Hold or Repeat says
// otherwise: with Repeat step T + k is step k, so that steps before the first that
// is listed come again too; Hold applies within each turn of it.
type EdgeList struct {
	// Nodes is N, at least 1: a file may leave out nodes that have no edge.
	Nodes      int
	ZeroBased  bool `yaml:"zero_based" doc:"steps and nodes of the file count from 0, not from 1"`
	Undirected bool `yaml:"undirected" doc:"a row stands for the edges both ways"`
	Hold       bool `yaml:"hold" doc:"a graph stays until the next step that is listed; otherwise a step that is not listed has no edges"`
	Repeat     bool `yaml:"repeat" doc:"after the last step that is listed the file begins anew, with its first step, listed or not; otherwise later steps have no edges or, with hold, those of the last"`
}

// ByteOrderMark is the beginning of texts in UTF-8 as some programs write them.
const ByteOrderMark = "\ufeff"

// latestStep bounds the steps of a file.
const latestStep = min(1<<40, math.MaxInt/4)

// Parse returns the sequence of a file of the given name, which is for errors
// only. The error is an *option.Error, or a *FileError that names the place: a
// field that is no number or out of range, or an edge listed twice for a step.
func (l EdgeList) Parse(name string, text []byte) (Sequence, error) {
	if err := checkNodesOption(l.Nodes, 1); err != nil {
		return nil, err
	}
	rows, err := l.rows(name, text)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(rows, func(a, b timedEdge) int { return a.step - b.step })
	t := &timed{nodes: l.Nodes, hold: l.Hold}
	for len(rows) > 0 {
		end := 1
		for end < len(rows) && rows[end].step == rows[0].step {
			end++
		}
		g, err := l.graphOf(name, rows[:end])
		if err != nil {
			return nil, err
		}
		t.steps, t.graphs = append(t.steps, rows[0].step), append(t.graphs, g)
		rows = rows[end:]
	}
	if t.empty, err = FromEdges(l.Nodes, nil); err != nil {
		return nil, err
	}
	if l.Repeat {
		t.length = t.steps[len(t.steps)-1] + 1
	}
	return t, nil
}

// timedEdge is a row: an edge of a step, from 0, and where it is written.
type timedEdge struct {
	step, line int
	edge       Edge
}

// rows reads all rows; there is at least one.
func (l EdgeList) rows(name string, text []byte) ([]timedEdge, error) {
	reader := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte(ByteOrderMark))))
	reader.Comment, reader.TrimLeadingSpace, reader.ReuseRecord = '#', true, true
	header, err := reader.Read()
	if errors.Is(err, io.EOF) {
		return nil, &FileError{name, 1, 1, "the file is empty, want the header step,from,to or step,from,to,weight"}
	}
	if err != nil {
		return nil, csvError(name, err)
	}
	columns := strings.Join(header, ",")
	if columns != "step,from,to" && columns != "step,from,to,weight" {
		line, column := reader.FieldPos(0)
		return nil, &FileError{name, line, column, fmt.Sprintf("header is %q, want step,from,to or step,from,to,weight", columns)}
	}
	var rows []timedEdge
	for {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) && len(rows) == 0 {
			return nil, &FileError{name, 2, 1, "no rows after the header, want at least one"}
		}
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, csvError(name, err)
		}
		row, field, err := l.row(record)
		line, column := reader.FieldPos(field)
		if err != nil {
			return nil, &FileError{name, line, column, err.Error()}
		}
		row.line = line
		rows = append(rows, row)
	}
}

// csvError gives an error of the CSV reader its place.
func csvError(name string, err error) error {
	var at *csv.ParseError
	if errors.As(err, &at) {
		return &FileError{name, at.Line, max(at.Column, 1), at.Err.Error()}
	}
	return fmt.Errorf("%s: %w", name, err)
}

// row reads the fields of a row; field is the one at fault, if any.
func (l EdgeList) row(record []string) (row timedEdge, field int, err error) {
	base := 1
	if l.ZeroBased {
		base = 0
	}
	number := func(what string, smallest, largest int) int {
		value, parseErr := strconv.Atoi(record[field])
		if parseErr != nil {
			err = fmt.Errorf("%s is %q, want a whole number", what, record[field])
		} else if value < smallest || value > largest {
			err = fmt.Errorf("%s is %d, want %d to %d", what, value, smallest, largest)
		}
		return value - base
	}
	row.step = number("step", base, latestStep)
	if err != nil {
		return row, field, err
	}
	field = 1
	row.edge.From = messages.NodeID(number("from", base, l.Nodes-1+base))
	if err != nil {
		return row, field, err
	}
	field = 2
	row.edge.To = messages.NodeID(number("to", base, l.Nodes-1+base))
	if err != nil {
		return row, field, err
	}
	row.edge.Weight = 1
	if len(record) == 4 {
		field = 3
		weight, parseErr := strconv.ParseFloat(record[field], 64)
		if parseErr != nil || !finite(weight) || weight == 0 {
			return row, field, fmt.Errorf("weight is %q, want a finite number that is not 0", record[field])
		}
		row.edge.Weight = weight
	}
	return row, 0, nil
}

// graphOf returns the graph of the rows of a step.
func (l EdgeList) graphOf(name string, rows []timedEdge) (*Graph, error) {
	edges := make([]Edge, 0, 2*len(rows))
	lines := make([]int, 0, 2*len(rows))
	for _, row := range rows {
		edges, lines = append(edges, row.edge), append(lines, row.line)
		if e := row.edge; l.Undirected && e.From != e.To {
			edges, lines = append(edges, Edge{From: e.To, To: e.From, Weight: e.Weight}), append(lines, row.line)
		}
	}
	g, err := FromEdges(l.Nodes, edges)
	var fault *EdgeError
	if errors.As(err, &fault) {
		return nil, &FileError{name, lines[fault.Index], 1, "the edge is listed already for this step"}
	}
	return g, err
}

// timed is the sequence of a file: graphs at the steps listed, ascending.
type timed struct {
	nodes int
	// steps are the listed ones, ascending, and graphs their graphs.
	steps  []int
	graphs []*Graph
	empty  *Graph
	hold   bool
	// length is the number of steps after which the file begins anew; 0 if it does not.
	length int
}

// Nodes implements Sequence.
func (t *timed) Nodes() int { return t.nodes }

// At implements Sequence. It never builds anything.
func (t *timed) At(step int) *Graph {
	if k := t.Epoch(step); k > 0 {
		return t.graphs[k-1]
	}
	return t.empty
}

// Epoch implements Sequence: 0 is a step without edges, k the k-th step listed.
func (t *timed) Epoch(step int) int {
	if t.length > 0 {
		step %= t.length
	}
	k, found := slices.BinarySearch(t.steps, step)
	if found {
		return k + 1
	}
	if t.hold {
		return k
	}
	return 0
}

// Period implements Sequence: the length of a file that is repeated, and 1 for
// one graph that is held from the first step on.
func (t *timed) Period() (int, bool) {
	if t.hold && len(t.steps) == 1 && t.steps[0] == 0 {
		return 1, true
	}
	return t.length, t.length > 0
}
