package topology

import (
	"fmt"
	"math"
	"slices"
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
//
// Contacts that were observed have names of nodes (Names), clock times (Clock) and columns of any
// names (Columns), and the same pair may meet twice within a step (Duplicates).
type EdgeList struct {
	// Nodes is N, at least 1: a file may leave out nodes that have no edge.
	Nodes int
	// Clock reads times where they are clock times: step 1 begins with the earliest. nil means
	// that times are numbers of steps.
	Clock      Clock
	Columns    Columns    `yaml:"columns" doc:"the names of the columns in the header; the file may have others"`
	Names      bool       `yaml:"names" doc:"nodes have names, any text, and are numbered in the order of the names: numbers by size, before words; otherwise they are numbers"`
	Duplicates Duplicates `yaml:"duplicates" oneof:"refuse first sum" doc:"an edge that a step has twice: refuse is an error, first keeps the weight of the first row, sum adds the weights; absent, refuse"`
	ZeroBased  bool       `yaml:"zero_based" doc:"steps and nodes of the file count from 0, not from 1"`
	Undirected bool       `yaml:"undirected" doc:"a row stands for the edges both ways"`
	Hold       bool       `yaml:"hold" doc:"a graph stays until the next step that is listed; otherwise a step that is not listed has no edges"`
	Repeat     bool       `yaml:"repeat" doc:"after the last listed step the file begins anew with step 1, listed or not; otherwise later steps have no edges or, with hold, the edges of the last step"`
}

// Columns are the names of columns in the header of an edge list.
type Columns struct {
	Step   string `yaml:"step" range:"a name in the header" doc:"the step, or the time at which a contact begins; absent, step"`
	End    string `yaml:"end" range:"a name in the header" doc:"the step or time at which a contact ends: it is there in all steps from its begin to its end; absent, a contact is of one step"`
	From   string `yaml:"from" range:"a name in the header" doc:"the node that sends; absent, from"`
	To     string `yaml:"to" range:"a name in the header" doc:"the node that hears; absent, to"`
	Weight string `yaml:"weight" range:"a name in the header" doc:"the weight; absent, weight, or 1 where there is no such column"`
}

// Duplicates says what is done about an edge that a step has twice.
type Duplicates string

// The treatments of duplicates. The zero value means refuse.
const (
	DuplicatesRefused Duplicates = "refuse"
	DuplicatesFirst   Duplicates = "first"
	DuplicatesSum     Duplicates = "sum"
)

// ByteOrderMark is the beginning of texts in UTF-8 as some programs write them.
const ByteOrderMark = "\ufeff"

// Clock reads clock times as numbers of some unit. It is a pure function of texts.
type Clock interface {
	// Length is the length of a step in the unit, at least 1.
	Length() int64
	// Time reads a text.
	Time(text string) (int64, error)
}

// latestStep bounds the steps of a file.
const latestStep = min(1<<40, math.MaxInt/4)

// Parse returns the sequence of a file of the given name, which is for errors
// only. The error is an *option.Error, or a *FileError that names the place: a
// field that is no number or out of range, or an edge listed twice for a step.
func (l EdgeList) Parse(name string, text []byte) (Sequence, error) {
	listed, err := l.Read(name, text)
	if err != nil {
		return nil, err
	}
	return listed, nil
}

// Read is Parse. It also returns what the file says of its nodes and steps.
func (l EdgeList) Read(name string, text []byte) (*Listed, error) {
	if l.Nodes != 0 || !l.Names { // 0 has as many nodes as there are names
		if err := checkNodesOption(l.Nodes, 1); err != nil {
			return nil, err
		}
	}
	read := listReader{EdgeList: l, name: name}
	if err := read.read(text); err != nil {
		return nil, err
	}
	rows := read.rows
	slices.SortStableFunc(rows, func(a, b timedEdge) int { return a.step - b.step })
	t, faults := &Listed{nodes: read.Nodes, hold: l.Hold, Names: read.names}, FileFaults{Name: name}
	for len(rows) > 0 {
		end := 1
		for end < len(rows) && rows[end].step == rows[0].step {
			end++
		}
		g, err := read.graphOf(rows[:end])
		faults.Add(err)
		t.steps, t.graphs = append(t.steps, rows[0].step), append(t.graphs, g)
		rows = rows[end:]
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	t.empty = Empty(t.nodes)
	if l.Repeat {
		t.length = t.Steps()
	}
	return t, nil
}

// Listed is the sequence of a file: graphs at the steps listed, ascending.
type Listed struct {
	// Names are the names of nodes, by number; nil where nodes are numbers.
	Names []string
	nodes int
	// steps are the listed ones, ascending, and graphs their graphs.
	steps  []int
	graphs []*Graph
	empty  *Graph
	hold   bool
	// length is the number of steps after which the file begins anew; 0 if it does not.
	length int
}

// Steps returns the last step that is listed, counted from 1.
func (t *Listed) Steps() int { return t.steps[len(t.steps)-1] + 1 }

// Nodes implements Sequence.
func (t *Listed) Nodes() int { return t.nodes }

// At implements Sequence. It never builds anything.
func (t *Listed) At(step int) *Graph {
	if k := t.Epoch(step); k > 0 {
		return t.graphs[k-1]
	}
	return t.empty
}

// Epoch implements Sequence: 0 is a step without edges, k the k-th step listed.
func (t *Listed) Epoch(step int) int {
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
func (t *Listed) Period() (int, bool) {
	if t.hold && len(t.steps) == 1 && t.steps[0] == 0 {
		return 1, true
	}
	return t.length, t.length > 0
}
