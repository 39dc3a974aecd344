package topologies

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"starling/actors/option"
	"starling/actors/topology"
	"starling/scenarios/limits"
)

// Understood reads an edge list by itself, without a scenario that says what is in it. A list
// with the usual header has numbers of nodes and steps; of any other it takes the columns by
// their names, and nodes have names. bin is the length of a step, empty where the list has
// numbers of steps. said describes in words what it took the file for.
func Understood(path string, text []byte, bin string) (list *topology.Listed, said string, err error) {
	var of topology.EdgeList
	if of.Clock, err = clockOf(bin); err != nil {
		return nil, "", fmt.Errorf("--bin: %s", option.Message(err))
	}
	header, err := topology.CSVReader(text).Read()
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	if written := strings.Join(header, ","); written == "step,from,to" || written == "step,from,to,weight" || err != nil {
		said = "numbers of steps and nodes"
		if of.Nodes, err = largest(path, text); err != nil {
			return nil, "", err
		}
	} else if of.Columns, err = columnsOf(header); err != nil {
		return nil, "", fmt.Errorf("%s:1:1: %w", path, err)
	} else {
		of.Names, of.Duplicates = true, topology.DuplicatesSum
		said = fmt.Sprintf("columns: %s; nodes are names, and edges that a step has twice are summed", describe(of.Columns))
	}
	if list, err = of.Read(path, text); err != nil {
		return nil, "", err
	}
	if list.Nodes() > limits.Nodes || list.Steps() > limits.Steps {
		return nil, "", fmt.Errorf("%s has %d nodes and %d steps; want at most %d nodes and %d steps: longer bins make fewer (--bin 1h)", path, list.Nodes(), list.Steps(), limits.Nodes, limits.Steps)
	}
	return list, said, nil
}

// usual are the usual names of columns in lists of contacts, by their use. Case does not matter.
var usual = struct{ step, end, from, to, weight []string }{
	step:   []string{"step", "time", "timestamp", "t", "start", "begin", "date", "datetime"},
	end:    []string{"end", "stop", "until"},
	from:   []string{"from", "source", "src", "sender", "i", "u", "id1", "node1"},
	to:     []string{"to", "target", "dst", "dest", "receiver", "j", "v", "id2", "node2"},
	weight: []string{"weight", "strength", "w", "count"},
}

// columnsOf finds the columns of a header by their usual names.
func columnsOf(header []string) (c topology.Columns, err error) {
	find := func(names []string) string {
		for _, name := range names {
			if at := slices.IndexFunc(header, func(h string) bool { return strings.EqualFold(h, name) }); at >= 0 {
				return header[at]
			}
		}
		return ""
	}
	c = topology.Columns{Step: find(usual.step), End: find(usual.end), From: find(usual.from), To: find(usual.to), Weight: find(usual.weight)}
	for _, needed := range []struct {
		column, use string
		names       []string
	}{{c.Step, "times", usual.step}, {c.From, "senders", usual.from}, {c.To, "receivers", usual.to}} {
		if needed.column == "" {
			return c, fmt.Errorf("no column of %s in the header %q; want one of %s, or a scenario with a topology edge-list that names the columns", needed.use, strings.Join(header, ","), strings.Join(needed.names, ", "))
		}
	}
	return c, nil
}

// describe lists columns in words.
func describe(c topology.Columns) string {
	var list []string
	for _, column := range []struct{ use, name string }{{"step", c.Step}, {"end", c.End}, {"from", c.From}, {"to", c.To}, {"weight", c.Weight}} {
		if column.name != "" {
			list = append(list, column.use+" is "+column.name)
		}
	}
	return strings.Join(list, ", ")
}

// largest returns the largest number of a node in a list with the usual header. It skips fields
// that are no numbers: the list's own parser reports them with their place.
func largest(path string, text []byte) (nodes int, err error) {
	reader := topology.CSVReader(text)
	reader.FieldsPerRecord = -1
	nodes = 1
	for {
		record, err := reader.Read()
		switch {
		case errors.Is(err, io.EOF):
			return nodes, nil
		case err != nil:
			return 0, fmt.Errorf("%s: %w", path, err)
		}
		for k := 1; k <= 2 && k < len(record); k++ {
			if number, err := strconv.Atoi(strings.TrimSpace(record[k])); err == nil {
				nodes = max(nodes, number)
			}
		}
		if nodes > limits.Nodes {
			return 0, fmt.Errorf("%s has a node %d; want at most %d nodes", path, nodes, limits.Nodes)
		}
	}
}
