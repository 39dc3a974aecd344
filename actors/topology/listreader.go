package topology

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"starling/messages"
)

// listReader reads the rows of an edge list.
type listReader struct {
	EdgeList
	name    string                                    // of the file, in errors
	columns struct{ step, end, from, to, weight int } // places in a row; -1 is none
	written []writtenEdge
	rows    []timedEdge
	names   []string
}

// writtenEdge is a row as it is written. Steps are numbers of steps, or clock times.
type writtenEdge struct {
	line       int
	step, end  int64
	from, to   string
	weight     float64
	fromColumn int
	toColumn   int
}

// timedEdge is an edge of a step, from 0, and the line where it is written.
type timedEdge struct {
	step, line int
	edge       Edge
}

// read reads a text of at least one row. The error has the faults of all rows.
func (r *listReader) read(text []byte) error {
	reader := CSVReader(text)
	header, err := reader.Read()
	switch {
	case errors.Is(err, io.EOF):
		return &FileError{r.name, 1, 1, "the file is empty, want the header step,from,to or step,from,to,weight"}
	case err != nil:
		return csvError(r.name, err)
	}
	if field, err := r.readHeader(header); err != nil {
		line, column := reader.FieldPos(field)
		return &FileError{r.name, line, column, err.Error()}
	}
	faults := FileFaults{Name: r.name}
	for {
		record, err := reader.Read()
		switch {
		case errors.Is(err, io.EOF) && faults.Err() != nil:
			return faults.Err()
		case errors.Is(err, io.EOF) && len(r.written) == 0:
			return &FileError{r.name, 2, 1, "no rows after the header, want at least one"}
		case errors.Is(err, io.EOF):
			return r.number()
		case errors.Is(err, csv.ErrFieldCount):
			faults.Add(csvError(r.name, err))
			continue
		case err != nil: // nothing can be read after it
			faults.Add(csvError(r.name, err))
			return faults.Err()
		}
		row, field, err := r.row(record)
		line, column := reader.FieldPos(field)
		if err != nil {
			faults.Add(&FileError{r.name, line, column, err.Error()})
			continue
		}
		row.line = line
		_, row.fromColumn = reader.FieldPos(r.columns.from)
		_, row.toColumn = reader.FieldPos(r.columns.to)
		r.written = append(r.written, row)
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

// readHeader finds the columns. Without names of columns the header is as EdgeList says. field is
// the one at fault, if any.
func (r *listReader) readHeader(header []string) (field int, err error) {
	header = slices.Clone(header)
	written := strings.Join(header, ",")
	if r.Columns == (Columns{}) && written != "step,from,to" && written != "step,from,to,weight" {
		return 0, fmt.Errorf("header is %q, want step,from,to or step,from,to,weight; columns: {step: .., from: .., to: ..} names others", written)
	}
	find := func(name, usual string, needed bool) int {
		at, again := FindColumn(header, cmp.Or(name, usual))
		switch {
		case err != nil:
		case at < 0 && (needed || name != ""):
			err = fmt.Errorf("there is no column %q in the header %q", cmp.Or(name, usual), written)
		case again >= 0:
			field, err = again, fmt.Errorf("two columns are called %q", header[again])
		}
		return at
	}
	c := &r.columns
	c.step, c.from, c.to = find(r.Columns.Step, "step", true), find(r.Columns.From, "from", true), find(r.Columns.To, "to", true)
	c.weight = find(r.Columns.Weight, "weight", false)
	if c.end = -1; r.Columns.End != "" {
		c.end = find(r.Columns.End, "", true)
	}
	return field, err
}

// row reads the fields of a row; field is the one at fault, if any.
func (r *listReader) row(record []string) (row writtenEdge, field int, err error) {
	c := &r.columns
	if row.step, err = r.time("step", record[c.step]); err != nil {
		return row, c.step, err
	}
	if row.end = row.step; c.end >= 0 {
		if row.end, err = r.time("the end", record[c.end]); err == nil && row.end < row.step {
			err = fmt.Errorf("the contact ends at %s, before it begins at %s", record[c.end], record[c.step])
		}
		if err != nil {
			return row, c.end, err
		}
	}
	row.from, row.to, row.weight = strings.Clone(record[c.from]), strings.Clone(record[c.to]), 1
	if c.weight >= 0 {
		weight, parseErr := strconv.ParseFloat(record[c.weight], 64)
		if parseErr != nil || !finite(weight) || weight == 0 {
			return row, c.weight, fmt.Errorf("weight is %q, want a finite number that is not 0", record[c.weight])
		}
		row.weight = weight
	}
	if r.Names {
		return row, 0, nil
	}
	if err := r.checkNumber("from", row.from); err != nil {
		return row, c.from, err
	}
	return row, c.to, r.checkNumber("to", row.to)
}

// base is the number of the first step and of the first node.
func (r *listReader) base() int {
	if r.ZeroBased {
		return 0
	}
	return 1
}

// checkNumber refuses a text that is no number of a node.
func (r *listReader) checkNumber(what, text string) error {
	value, err := strconv.Atoi(text)
	if err != nil {
		return fmt.Errorf("%s is %q, want a whole number; names: true takes names", what, text)
	}
	if last := r.Nodes - 1 + r.base(); value < r.base() || value > last {
		return fmt.Errorf("%s is %d, want %d to %d", what, value, r.base(), last)
	}
	return nil
}

// number gives nodes and steps their numbers.
func (r *listReader) number() error {
	numbers, err := r.nodes()
	if err != nil {
		return err
	}
	first, length := int64(r.base()), int64(1)
	if r.Clock != nil {
		length = r.Clock.Length()
		first = slices.MinFunc(r.written, func(a, b writtenEdge) int { return cmp.Compare(a.step, b.step) }).step
	}
	for _, w := range r.written {
		begin, end := (w.step-first)/length, (w.end-first)/length
		if end > latestStep || end-begin > int64(mostLasting-len(r.rows)) {
			return &FileError{r.name, w.line, 1, fmt.Sprintf("the contacts up to this one last for more than %d steps together; longer bins make fewer", mostLasting)}
		}
		for step := begin; step <= end; step++ {
			r.rows = append(r.rows, timedEdge{int(step), w.line, Edge{From: numbers(w.from), To: numbers(w.to), Weight: w.weight}})
		}
	}
	return nil
}

// mostLasting is the largest number of steps of all contacts together, 2 GiB of rows.
const mostLasting = 1 << 26

// nodes returns the numbers of nodes, from 0. Names are numbered in their order: those that
// are numbers first, by size, then the others as texts.
func (r *listReader) nodes() (numbers func(text string) messages.NodeID, err error) {
	if !r.Names {
		return func(text string) messages.NodeID {
			value, _ := strconv.Atoi(text)
			return messages.NodeID(value - r.base())
		}, nil
	}
	known, faults := map[string]messages.NodeID{}, FileFaults{Name: r.name}
	for _, w := range r.written {
		for k, name := range []string{w.from, w.to} {
			if strings.TrimSpace(name) == "" {
				faults.Add(&FileError{r.name, w.line, []int{w.fromColumn, w.toColumn}[k], "the name of a node is empty"})
			}
			known[name] = 0
		}
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	r.names = slices.SortedFunc(maps.Keys(known), compareNames)
	switch {
	case r.EdgeList.Nodes == 0:
		r.EdgeList.Nodes = len(r.names)
	case len(r.names) != r.EdgeList.Nodes:
		return nil, fmt.Errorf("%s names %d nodes; there are %d", r.name, len(r.names), r.EdgeList.Nodes)
	}
	for k, name := range r.names {
		known[name] = messages.NodeID(k)
	}
	return func(text string) messages.NodeID { return known[text] }, nil
}

// compareNames orders names: numbers by size, before words.
func compareNames(a, b string) int {
	x, errA := strconv.ParseInt(a, 10, 64)
	y, errB := strconv.ParseInt(b, 10, 64)
	switch {
	case errA == nil && errB == nil:
		return cmp.Or(cmp.Compare(x, y), strings.Compare(a, b))
	case errA == nil:
		return -1
	case errB == nil:
		return 1
	}
	return strings.Compare(a, b)
}

// graphOf returns the graph of the rows of a step.
func (r *listReader) graphOf(rows []timedEdge) (*Graph, error) {
	edges := make([]Edge, 0, 2*len(rows))
	lines := make([]int, 0, 2*len(rows))
	seen := map[arc]int{} // places in edges, unless duplicates are refused
	add := func(e Edge, line int) {
		if r.Duplicates != "" && r.Duplicates != DuplicatesRefused {
			k, there := seen[arc{e.From, e.To}]
			if there && r.Duplicates == DuplicatesSum {
				edges[k].Weight += e.Weight
			}
			if there {
				return
			}
			seen[arc{e.From, e.To}] = len(edges)
		}
		edges, lines = append(edges, e), append(lines, line)
	}
	for _, row := range rows {
		add(row.edge, row.line)
		if e := row.edge; r.Undirected && e.From != e.To {
			add(Edge{From: e.To, To: e.From, Weight: e.Weight}, row.line)
		}
	}
	g, err := FromEdges(r.EdgeList.Nodes, edges)
	var fault *EdgeError
	if errors.As(err, &fault) {
		text := "the edge is listed already for this step; duplicates: first or sum takes it"
		switch {
		case fault.Edge.Weight == 0 || !finite(fault.Edge.Weight):
			text = "the weights of the edge in this step " + map[bool]string{true: "sum to 0", false: "have no finite sum"}[fault.Edge.Weight == 0]
		case r.Undirected:
			text += "; undirected: true has each row stand for both ways"
		}
		return nil, &FileError{r.name, lines[fault.Index], 1, text}
	}
	return g, err
}

// time reads a number of a step, or a clock time.
func (r *listReader) time(what, text string) (int64, error) {
	if r.Clock != nil {
		return r.Clock.Time(text)
	}
	value, err := strconv.ParseInt(text, 10, 64)
	switch base := int64(r.base()); {
	case err != nil:
		return 0, fmt.Errorf("%s is %q, want a whole number; bin: 1h, or another length of a step, takes clock times", what, text)
	case value < base || value > latestStep:
		return 0, fmt.Errorf("%s is %d, want %d to %d", what, value, base, int64(latestStep))
	}
	return value, nil
}
