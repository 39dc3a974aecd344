package networks

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"starling/actors/network"
	"starling/actors/topology"
	"starling/scenarios/document"
)

// edgeValue is a number that a file has for an edge: turns of delay, or bytes. The nodes
// are labels, as the file has them. Edges have a direction.
type edgeValue struct {
	from, to int
	value    int64
}

// mostEdgeValues is the largest number of edges in a file, so that a file of the wrong kind
// ends in an error and not in a lack of memory.
const mostEdgeValues = 1 << 22

// parseEdgeValues reads a CSV file with the columns from, to and one with the given name, in
// that order. It has edges between different nodes, each once, and an integer of 0 .. most.
// name is the file's, for errors, which begin with file and line. All lines with a fault are
// reported.
func parseEdgeValues(name, column string, most int64, text []byte, nodes Labels) ([]edgeValue, error) {
	r := topology.CSVReader(text)
	r.FieldsPerRecord = -1
	var values []edgeValue
	faults := topology.FileFaults{Name: name}
	lineOf := map[[2]int]int{}
	for first := true; ; first = false {
		record, err := r.Read()
		if err == io.EOF && !first {
			return values, faults.Err()
		}
		var malformed *csv.ParseError
		switch {
		case err == io.EOF:
			return nil, fmt.Errorf("%s:1: the file is empty; want the columns from, to, %s", name, column)
		case errors.As(err, &malformed):
			faults.Add(fmt.Errorf("%s:%d: %w", name, malformed.Line, malformed.Err))
			return nil, faults.Err() // nothing can be read after it
		case err != nil:
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		line, _ := r.FieldPos(0)
		if first {
			if got := strings.Join(record, ", "); got != "from, to, "+column {
				return nil, fmt.Errorf("%s:%d: the columns are %s; want from, to, %s", name, line, got, column)
			}
			continue
		}
		v, err := parseEdgeValue(record, column, most, nodes)
		if err == nil && len(values) == mostEdgeValues {
			return nil, fmt.Errorf("%s:%d: more than %d edges", name, line, mostEdgeValues)
		}
		// A second number for an edge has no meaning, and the later one would win in
		// silence.
		if before, twice := lineOf[[2]int{v.from, v.to}]; err == nil && twice {
			err = fmt.Errorf("the edge from %d to %d is given already, in line %d", v.from, v.to, before)
		}
		if err != nil {
			faults.Add(fmt.Errorf("%s:%d: %w", name, line, err))
			continue
		}
		lineOf[[2]int{v.from, v.to}] = line
		values = append(values, v)
	}
}

// parseEdgeValue reads the fields of a line. The error does not name the line; the caller
// does.
func parseEdgeValue(record []string, column string, most int64, nodes Labels) (v edgeValue, err error) {
	if len(record) != 3 {
		return v, fmt.Errorf("%d columns; want 3", len(record))
	}
	for k, to := range []*int{&v.from, &v.to} {
		if *to, err = strconv.Atoi(record[k]); err != nil || !nodes.has(*to) {
			return v, fmt.Errorf("node %q is not one of %s", record[k], nodes)
		}
	}
	if v.from == v.to {
		return v, fmt.Errorf("the edge from %d to itself crosses no wire", v.from)
	}
	if v.value, err = strconv.ParseInt(record[2], 10, 64); err != nil || v.value < 0 || v.value > most {
		return v, fmt.Errorf("%s is %q; want an integer of 0 to %d", column, record[2], most)
	}
	return v, nil
}

// readFiles adds the edges of the files that the section names to the section's own edges.
// Edges that the section lists itself must not be in the file as well. The files are found as
// every file of a scenario is, and noted with their hash, so that a run names its data.
func (s *Effects) readFiles(at Site, section *document.Node) error {
	read := func(part, name, column string, most int64) ([]edgeValue, error) {
		if name == "" {
			return nil, nil
		}
		// The error stands at the key file of the section, with the line of the CSV file
		// in its text.
		node, _ := section.Get(part)
		text, _, err := at.Data.File(node, "file", name)
		if err != nil {
			return nil, err
		}
		values, err := parseEdgeValues(name, column, most, text, at.Labels)
		if err != nil {
			return nil, node.Resolve(document.AtEach("file", err))
		}
		return values, nil
	}
	delays, err := read("delay", s.Delay.File, "turns", network.MostTurns)
	for _, v := range delays {
		s.Delay.Edges = append(s.Delay.Edges, edgeDelay{v.from, v.to, int(v.value)})
	}
	if s.Bandwidth != nil {
		bandwidths, fault := read("bandwidth", s.Bandwidth.File, "bytes", network.MostBytes)
		err = errors.Join(err, fault)
		for _, v := range bandwidths {
			s.Bandwidth.Edges = append(s.Bandwidth.Edges, edgeBandwidth{v.from, v.to, v.value})
		}
	}
	if err != nil {
		return section.Resolve(err)
	}
	return section.Resolve(s.checkEdges(at))
}

// checkEdges refuses edges of nodes that do not exist, edges that cross no wire, and two
// numbers for one edge.
func (s *Effects) checkEdges(at Site) error {
	check := func(part string, seen map[[2]int]bool, k, from, to int) error {
		path := fmt.Sprintf("%s.edges[%d]", part, k)
		switch {
		case !at.has(from):
			return document.At(path+".from", "node %d is not one of %s", from, at)
		case !at.has(to):
			return document.At(path+".to", "node %d is not one of %s", to, at)
		case from == to:
			return document.At(path, "the edge from %d to itself crosses no wire", from)
		case at.isLocal(from, to):
			return document.At(path, "data that a client hands its learner cross no network: nothing delays or limits messages of %d to %d", from, to)
		case seen[[2]int{from, to}]:
			return document.At(path, "the edge from %d to %d is given already", from, to)
		}
		seen[[2]int{from, to}] = true
		return nil
	}
	seen := map[[2]int]bool{}
	for k, e := range s.Delay.Edges {
		if err := check("delay", seen, k, e.From, e.To); err != nil {
			return err
		}
	}
	if s.Bandwidth == nil {
		return nil
	}
	clear(seen)
	for k, e := range s.Bandwidth.Edges {
		if err := check("bandwidth", seen, k, e.From, e.To); err != nil {
			return err
		}
	}
	return nil
}
