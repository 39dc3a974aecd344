package topology

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"starling/actors/option"
	"starling/mechanisms/rng"
	"starling/messages"
)

// Schedule says in which steps nodes send; the graph says to whom. It depends on no data, so
// everybody knows it. It names one of Every, Phases, Probability, Clocks and File. Steps and nodes
// count from 1 here, as in papers and scenarios.
type Schedule struct {
	Every       int       `yaml:"every" min:"1" says:"every is %v" unit:"steps" doc:"nodes send in every step of this number: 5 is in the steps 5, 10, 15, after 5 local steps each; absent, phases or probability say when"`
	Phases      []Phase   `yaml:"phases" min:"1" says:"%v phases" doc:"periods that change in the course of a run, in their order; nothing is sent before the first; absent, every or probability says when"`
	Doubling    int       `yaml:"doubling" min:"1" says:"doubling is %v" unit:"steps" doc:"the steps after which a period doubles, again and again: fewer and fewer messages, and none once it is longer than these steps; absent, never"`
	Probability float64   `yaml:"probability" over:"0" max:"1" says:"probability %v" unit:"none" doc:"probability that nodes send in a step, drawn from the seed; absent, every or phases say when"`
	Each        bool      `yaml:"each" doc:"every node draws for itself, in place of one draw a step for all; with probability"`
	Clocks      []float64 `yaml:"clocks" min:"1" says:"%v rates" unit:"ticks a second" doc:"rates of Poisson clocks, one number a group of consecutive nodes of nearly equal size, and as many as nodes are one for each: every node has a clock of its own, a step is the next tick of any clock, and the node whose clock ticks sends alone; absent, every, phases or probability say when"`
	File        string    `yaml:"file" range:"a path" doc:"path of a CSV file with the columns step and, if only some nodes send in it, node: a row is a step with messages; absent, every, phases or probability say when"`
	Offsets     []int     `yaml:"offsets" min:"2" says:"%v offsets" unit:"steps" doc:"delays of groups of nodes, in steps, one number a group: groups are consecutive nodes of nearly equal size, and as many offsets as nodes are one for each node; absent, none"`
}

// Phase is a period from a step on.
type Phase struct {
	From  int `yaml:"from,required" min:"1" says:"from is %v" unit:"steps" doc:"the first step of the phase, from 1"`
	Every int `yaml:"every,required" min:"1" says:"every is %v" unit:"steps" doc:"nodes send in every step of this number, counted in the phase: from 11, every 5 is in the steps 15, 20, 25"`
}

// Validate checks the schedule for a network of so many nodes. It returns an *option.Error with
// the path of the first fault.
func (s *Schedule) Validate(nodes int) error {
	given := 0
	for _, there := range []bool{s.Every > 0, s.Phases != nil, s.Probability > 0, s.Clocks != nil, s.File != ""} {
		if there {
			given++
		}
	}
	switch {
	case given != 1:
		return option.Errorf("", "%d of every, phases, probability, clocks and file are given; want one", given)
	case s.Each && s.Probability == 0:
		return option.Errorf("each", "each is for draws, and there is no probability")
	case s.File != "" && (s.Doubling > 0 || s.Offsets != nil):
		return option.Errorf("file", "a file has no period to double or to put off")
	case s.Probability > 0 && s.Doubling > 0:
		return option.Errorf("doubling", "a probability has no period to double")
	case s.Probability > 0 && s.Offsets != nil:
		return option.Errorf("offsets", "a probability has no period to put off; each draws for every node")
	case s.Clocks != nil && (s.Doubling > 0 || s.Offsets != nil):
		return option.Errorf("clocks", "clocks have no period to double or to put off")
	case len(s.Offsets) > nodes:
		return option.Errorf("offsets", "%d offsets for %d nodes", len(s.Offsets), nodes)
	}
	if err := checkPhases(s.Phases); err != nil {
		return err
	}
	if err := checkClocks(s.Clocks, nodes); err != nil {
		return err
	}
	for k, offset := range s.Offsets {
		if offset < 0 {
			return option.Errorf(fmt.Sprintf("offsets[%d]", k), "offset %d, want at least 0", offset)
		}
	}
	return nil
}

// String returns the schedule as it is written in a scenario, such as {every: 5}.
func (s Schedule) String() string {
	var keys []string
	add := func(given bool, format string, value any) {
		if given {
			keys = append(keys, fmt.Sprintf(format, value))
		}
	}
	var phases []string
	for _, p := range s.Phases {
		phases = append(phases, fmt.Sprintf("{from: %d, every: %d}", p.From, p.Every))
	}
	add(s.Every > 0, "every: %d", s.Every)
	add(phases != nil, "phases: [%s]", strings.Join(phases, ", "))
	add(s.Doubling > 0, "doubling: %d", s.Doubling)
	add(s.Probability > 0, "probability: %v", s.Probability)
	add(s.Each, "each: %v", s.Each)
	add(s.Clocks != nil, "clocks: [%s]", strings.ReplaceAll(strings.Trim(fmt.Sprint(s.Clocks), "[]"), " ", ", "))
	add(s.File != "", "file: %s", s.File)
	add(s.Offsets != nil, "offsets: [%s]", strings.ReplaceAll(strings.Trim(fmt.Sprint(s.Offsets), "[]"), " ", ", "))
	return "{" + strings.Join(keys, ", ") + "}"
}

// checkPhases refuses phases that are not in order.
func checkPhases(phases []Phase) error {
	for k, p := range phases {
		at := fmt.Sprintf("phases[%d]", k)
		if p.From < 1 || p.Every < 1 {
			return option.Errorf(at, "from is %d and every is %d; want at least 1", p.From, p.Every)
		}
		if k > 0 && p.From <= phases[k-1].From {
			return option.Errorf(at+".from", "the phase begins in step %d, and the one before in step %d; want phases in their order", p.From, phases[k-1].From)
		}
	}
	return nil
}

// Staggered reports whether nodes send in different steps.
func (s *Schedule) Staggered() bool { return s.Offsets != nil || s.Each || s.Clocks != nil }

// Drawn reports whether the steps depend on the seed.
func (s *Schedule) Drawn() bool { return s.Probability > 0 || s.Clocks != nil }

// ReadTimes returns the times of a file of a name, which is for errors only, for so many nodes.
// staggered is true if it has a column of nodes. Steps are in their order, and none is there twice for
// a node. The error has all faults, each a *FileError.
func ReadTimes(name string, text []byte, nodes int) (t *Times, staggered bool, err error) {
	t = &Times{nodes: nodes, listed: map[listedTime]bool{}}
	reader, faults, before := CSVReader(text), FileFaults{Name: name}, -1
	for row := 0; ; row++ {
		record, err := reader.Read()
		switch {
		case errors.Is(err, io.EOF) && faults.Err() != nil:
			return nil, false, faults.Err()
		case errors.Is(err, io.EOF) && len(t.listed) == 0:
			return nil, false, &FileError{name, 1, 1, "no steps; want the header step or step,node, and a row for each"}
		case errors.Is(err, io.EOF):
			return t, staggered, nil
		case errors.Is(err, csv.ErrFieldCount):
			faults.Add(csvError(name, err))
			continue
		case err != nil: // nothing can be read after it
			faults.Add(csvError(name, err))
			return nil, false, faults.Err()
		case row == 0:
			header := strings.Join(record, ",")
			if staggered = header == "step,node"; !staggered && header != "step" {
				return nil, false, &FileError{name, 1, 1, fmt.Sprintf("header is %q, want step or step,node", header)}
			}
			continue
		}
		at, whole := listedTime{node: anyNode}, true
		for k, largest := range []int{latestStep, nodes}[:len(record)] {
			value, err := strconv.Atoi(record[k])
			if err != nil || value < 1 || value > largest {
				whole = false
				line, column := reader.FieldPos(k)
				faults.Add(&FileError{name, line, column, fmt.Sprintf("%s is %q, want a whole number from 1 to %d", []string{"step", "node"}[k], record[k], largest)})
			}
			if k == 0 {
				at.step = value - 1
			} else {
				at.node = messages.NodeID(value - 1)
			}
		}
		line, column := reader.FieldPos(0)
		switch {
		case !whole: // a fault already
			continue
		case t.listed[at]:
			faults.Add(&FileError{name, line, column, fmt.Sprintf("step %s is there before", strings.Join(record, ", node "))})
		case at.step < before:
			faults.Add(&FileError{name, line, column, fmt.Sprintf("step %d comes after step %d; want steps in their order", at.step+1, before+1)})
		}
		t.listed[at], before = true, max(before, at.step) // of no use if there is a fault
	}
}

// Beyond returns the number of listed rows of steps after a horizon, and the first of these steps, from
// 1.
func (t *Times) Beyond(horizon int) (rows, first int) {
	for at := range t.listed {
		if at.step < horizon {
			continue
		}
		if rows++; first == 0 || at.step+1 < first {
			first = at.step + 1
		}
	}
	return rows, first
}

// Last returns the last step, from 1, up to a horizon in which one of the first nodes sends; 0 is none.
func (t *Times) Last(nodes messages.NodeID, horizon int) int {
	for step := horizon - 1; step >= 0; step-- {
		for node := range nodes {
			if t.Sends(node, step) {
				return step + 1
			}
		}
	}
	return 0
}

// listedTime is a step of a file with messages of a node, or of anyNode.
type listedTime struct {
	step int
	node messages.NodeID
}

// anyNode stands for all nodes.
const anyNode messages.NodeID = -1

// Times returns the steps of a run under a seed. The schedule is valid for the nodes and names no
// file.
func (s *Schedule) Times(nodes int, seed uint64) *Times {
	t := &Times{nodes: nodes, offsets: s.Offsets, probability: s.Probability, each: s.Each}
	if s.Drawn() {
		t.key = topologyKey(seed, "schedule")
		if s.Clocks != nil {
			t.clocks = newClocks(s.Clocks, nodes)
		}
		return t
	}
	phases := s.Phases
	if phases == nil {
		phases = []Phase{{From: 1, Every: s.Every}}
	}
	for k, p := range phases {
		end := math.MaxInt
		if k+1 < len(phases) {
			end = phases[k+1].From
		}
		t.phases = append(t.phases, p)
		for s.Doubling > 0 && p.From < end-s.Doubling && p.Every <= math.MaxInt32 {
			p.From, p.Every = p.From+s.Doubling, 2*p.Every
			t.phases = append(t.phases, p)
		}
	}
	return t
}

// Times are the steps in which nodes send, by a schedule under a seed. Steps and nodes count
// from 0. They are safe for concurrent use.
type Times struct {
	nodes       int
	phases      []Phase
	offsets     []int // by group; nil is none
	probability float64
	each        bool
	clocks      *clocks // nil is none
	key         rng.Key
	listed      map[listedTime]bool // of a file; nil is none
}

// Sends reports whether a node sends in a step.
func (t *Times) Sends(node messages.NodeID, step int) bool {
	if t.listed != nil {
		return t.listed[listedTime{step, anyNode}] || t.listed[listedTime{step, node}]
	}
	if t.clocks != nil {
		return t.clocks.node(t.key.Uniform(0, step, 0)) == node
	}
	if t.probability > 0 {
		if !t.each {
			node = 0
		}
		return t.key.Uniform(int(node), step, 0) < t.probability
	}
	p, ok := phaseOf(t.phases, step)
	return ok && (step+2-p.From-t.offset(node))%p.Every == 0
}

// phaseOf returns the phase of a step, from 0; ok is false before the first.
func phaseOf(phases []Phase, step int) (p Phase, ok bool) {
	k, _ := slices.BinarySearchFunc(phases, step+2, func(p Phase, from int) int { return p.From - from })
	if k == 0 {
		return Phase{}, false
	}
	return phases[k-1], true
}

// offset returns the offset of a node.
func (t *Times) offset(node messages.NodeID) int {
	if t.offsets == nil {
		return 0
	}
	return t.offsets[int(node)*len(t.offsets)/t.nodes]
}

// period returns the number of steps after which the times repeat, and whether there is one.
func (t *Times) period() (steps int, ok bool) {
	if len(t.phases) != 1 || t.phases[0].From != 1 {
		return 0, false
	}
	return t.phases[0].Every, true
}

// Over returns the sequence with a graph for each step of the times, when all nodes send in the
// same steps. In the other steps the graph is silent: the result of Alone or Empty. It is the
// layer above weights, where a silent graph keeps their sums.
func (t *Times) Over(seq Sequence, silent *Graph) Sequence {
	silent.Keep()
	return &scheduled{seq, t, silent}
}

// Alone returns the graph in which every node hears itself alone, with weight 1: its rows and
// columns sum to 1.
func Alone(nodes int) *Graph { return Empty(nodes).withSelfLoops(true) }

// Empty returns the graph without edges.
func Empty(nodes int) *Graph {
	return fromRows(adjacency{start: make([]int32, nodes+1)}, []float64{})
}

// scheduled is a sequence with silent steps.
type scheduled struct {
	Sequence
	times  *Times
	silent *Graph
}

// At implements Sequence.
func (s *scheduled) At(step int) *Graph {
	if !s.times.Sends(0, step) {
		return s.silent
	}
	return s.Sequence.At(step)
}

// GraphAt implements Failing.
func (s *scheduled) GraphAt(step int) (*Graph, error) {
	if !s.times.Sends(0, step) {
		return s.silent, nil
	}
	return GraphAt(s.Sequence, step)
}

// Epoch implements Sequence: silent steps have 0.
func (s *scheduled) Epoch(step int) int {
	if !s.times.Sends(0, step) {
		return 0
	}
	return 1 + s.Sequence.Epoch(step)
}

// Period implements Sequence: the least common multiple of the two periods, if it is at most
// 2^31.
func (s *scheduled) Period() (int, bool) {
	repeats, ok := s.times.period()
	if !ok || repeats > longestPeriod {
		return 0, false
	}
	return common(repeats, s.Sequence)
}

// Between returns the sequence without the edges from nodes that do not send in a step. A node
// goes on hearing itself where it did. It is the layer below weights, which do not fit the
// edges that are left.
func (t *Times) Between(seq Sequence) Sequence { return &staggered{seq, t} }

// staggered is a sequence without the edges from nodes that do not send.
type staggered struct {
	Sequence
	times *Times
}

// At implements Sequence. It builds a graph on every call.
func (s *staggered) At(step int) *Graph { return s.cut(s.Sequence.At(step), step) }

// GraphAt implements Failing.
func (s *staggered) GraphAt(step int) (*Graph, error) {
	g, err := GraphAt(s.Sequence, step)
	if err != nil {
		return nil, err
	}
	return s.cut(g, step), nil
}

// Epoch implements Sequence: a step has a graph of its own unless the times repeat.
func (s *staggered) Epoch(step int) int {
	period, repeats := s.times.period()
	if !repeats {
		return step
	}
	return s.Sequence.Epoch(step)*period + step%period
}

// Period implements Sequence.
func (s *staggered) Period() (int, bool) {
	return (&scheduled{Sequence: s.Sequence, times: s.times}).Period()
}

// cut returns a graph without the edges from nodes that do not send in a step.
func (s *staggered) cut(g *Graph, step int) *Graph {
	n := g.Nodes()
	sends := make([]bool, n)
	for j := range sends {
		sends[j] = s.times.Sends(messages.NodeID(j), step)
	}
	in := adjacency{make([]int32, 1, n+1), make([]messages.NodeID, 0, g.Edges())}
	weights := make([]float64, 0, g.Edges())
	for i := range messages.NodeID(n) {
		from, w := g.In(i)
		for k, j := range from {
			if sends[j] || j == i {
				in.to, weights = append(in.to, j), append(weights, w[k])
			}
		}
		in.start = append(in.start, int32(len(in.to)))
	}
	g.Recycle()
	return fromRows(in, weights)
}
