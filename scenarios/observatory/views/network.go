package views

import (
	"context"
	"fmt"
	"math"
	"slices"

	"starling/actors/topology"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/results"
	"starling/scenarios/results/report"
	"starling/scenarios/runner"
	"starling/scenarios/study"
	"starling/scenarios/view"
)

// Moment names a step of a job of a run.
type Moment struct {
	// Arm may be empty where there is one. Seed is the first seed where Seeded is not set.
	Arm    string
	Seed   uint64
	Seeded bool
	// Step is the paper's number. A step before the first stands for the first, and a step
	// after the arm's last for the last.
	Step int
}

// Network is the graph of a step, with the fates of messages and nodes in it.
type Network struct {
	Arm  string `json:"arm"`
	Seed uint64 `json:"seed"`
	Step int    `json:"step"`
	// FirstStep and Horizon are the arm's. FirstLabel is the paper's number of the first node.
	FirstStep  int `json:"first_step"`
	Horizon    int `json:"horizon"`
	FirstLabel int `json:"first_label"`
	Nodes      int `json:"nodes"`
	// Edges are [from, to, weight] with nodes from 0, self-loops left out; absent for a graph
	// that is summarised.
	Edges [][3]float64 `json:"edges,omitempty"`
	// Fates holds, for each edge, the fate of a message along it in the first exchange of the
	// step: its delay in turns, or -1 where it is lost. Absent for an ideal network.
	Fates []int `json:"fates,omitempty"`
	// Down are the nodes that take no part in the step.
	Down []int `json:"down,omitempty"`
	// Places are the places of the nodes in the unit square, right and down; absent where no node
	// is drawn. Moving means that they are of this step alone.
	Places [][2]float64 `json:"places,omitempty"`
	Moving bool         `json:"moving,omitempty"`
	// Byzantine are the nodes, from 0, that do not follow the protocol.
	Byzantine []int `json:"byzantine,omitempty"`
	// Servers are the participants, from 0, that serve others and have no data of their own.
	Servers []int `json:"servers,omitempty"`
	// Blocks has the weight from a block of nodes to another, receivers in rows, where there
	// are too many nodes or edges to draw. Each block has Size nodes, but for the last, which
	// has the rest.
	Blocks []report.Values `json:"blocks,omitempty"`
	Size   int             `json:"size,omitempty"`
	// InDegree and OutDegree hold the least, the mean and the greatest degree.
	InDegree  view.Span `json:"in_degree"`
	OutDegree view.Span `json:"out_degree"`
	// Remarks list the parts that are not shown.
	Remarks []string `json:"remarks"`
}

// The limits for drawing node by node, and the number of blocks beyond them.
const (
	mostNodes  = 500
	mostEdges  = 12_000
	mostBlocks = 48
)

// scenario returns the scenario of a run, with the data that the run had.
func (f *Folder) scenario(id string) (*study.Scenario, error) {
	text, err := f.text(id, results.ScenarioFile)
	if err != nil {
		return nil, err
	}
	doc, err := document.Parse(results.ScenarioFile, text)
	if err != nil {
		return nil, document.BadInput(err)
	}
	s, err := f.loader.Check(doc)
	if err != nil {
		return nil, document.BadInput(fmt.Errorf("this build does not read the scenario: %w", err))
	}
	return s, nil
}

// armOf returns the arm of the moment.
func (m *Moment) armOf(s *study.Scenario) (*study.Arm, error) {
	if m.Arm == "" {
		m.Arm = s.Arms[0].Name
	}
	if !m.Seeded {
		m.Seed = s.Seeds.Base
	}
	if m.Seed < s.Seeds.Base || m.Seed-s.Seeds.Base >= uint64(s.Seeds.Count) {
		return nil, document.BadInput(fmt.Errorf("seed %d is not one of the run's", m.Seed))
	}
	i := slices.IndexFunc(s.Arms, func(arm *study.Arm) bool { return arm.Name == m.Arm })
	if i < 0 {
		return nil, document.BadInput(fmt.Errorf("there is no arm %q", m.Arm))
	}
	arm := s.Arms[i]
	first := arm.Extent.FirstStep
	m.Step = min(max(m.Step, first), first+arm.File.Horizon-1)
	return arm, nil
}

// graphs returns the graphs of a job of a run, with its scenario and arm. It completes the
// moment.
func (f *Folder) graphs(ctx context.Context, id string, m *Moment) (*study.Scenario, *study.Arm, *view.Network, error) {
	s, err := f.scenario(id)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, nil, nil, err
	}
	arm, err := m.armOf(s)
	if err != nil {
		return nil, nil, nil, err
	}
	n, err := view.DescribeNetwork(s, arm.Name, m.Seed)
	if err != nil {
		return nil, nil, nil, document.BadInput(err)
	}
	return s, arm, n, nil
}

// Network returns the graph of a step of a run.
func (f *Folder) Network(ctx context.Context, id string, m Moment) (*Network, error) {
	s, arm, graphs, err := f.graphs(ctx, id, &m)
	if err != nil {
		return nil, err
	}
	g, err := topology.Measures{Stop: ctx.Err}.At(graphs.Graphs, m.Step-graphs.FirstStep)
	if err != nil {
		return nil, err
	}
	n := &Network{
		Arm: m.Arm, Seed: m.Seed, Step: m.Step, FirstStep: graphs.FirstStep, Horizon: graphs.Horizon, FirstLabel: graphs.FirstLabel, Nodes: g.Nodes(),
		Byzantine: graphs.Byzantine, Remarks: []string{},
	}
	for i := range g.Nodes() {
		if slices.Contains(graphs.Central, i) || arm.Topology.Serves() && arm.Extent.Serves(messages.NodeID(i), arm.File.Nodes) {
			n.Servers = append(n.Servers, i)
		}
	}
	n.InDegree, n.OutDegree = view.Degrees(g)
	if g.Nodes() > mostNodes || g.Edges() > mostEdges {
		n.block(g)
		return n, nil
	}
	n.edges(g)
	places, err := f.placesOf(ctx, id, &m, graphs)
	if err != nil {
		return nil, err
	}
	n.Moving = places.Moves()
	for at := places.At(m.Step - graphs.FirstStep); len(at) > 0; at = at[2:] {
		n.Places = append(n.Places, [2]float64(at))
	}
	return n, n.fates(s, arm)
}

// placesOf returns the places of the nodes of a job, which are kept: each step of a picture asks
// for them.
func (f *Folder) placesOf(ctx context.Context, id string, m *Moment, graphs *view.Network) (view.Places, error) {
	dir, err := f.place(id)
	if err != nil {
		return view.Places{}, err
	}
	key := placesKey{id, m.Arm, m.Seed, sealOf(dir)}
	f.mu.Lock()
	places, ok := f.places[key]
	f.mu.Unlock()
	if ok {
		return places, nil
	}
	if places, err = graphs.Places(topology.Measures{Stop: ctx.Err}); err != nil {
		return places, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.places) >= mostOpen {
		clear(f.places)
	}
	f.places[key] = places
	return places, nil
}

// placesKey names the places of nodes of a job, of a run in the state of a seal.
type placesKey struct {
	id, arm string
	seed    uint64
	seal    string
}

func (n *Network) edges(g *topology.Graph) {
	n.Edges = [][3]float64{}
	for i := range messages.NodeID(g.Nodes()) {
		from, weights := g.In(i)
		for k, j := range from {
			if j != i {
				n.Edges = append(n.Edges, [3]float64{float64(j), float64(i), weights[k]})
			}
		}
	}
}

// block adds the weights between blocks of nodes up.
func (n *Network) block(g *topology.Graph) {
	n.Size = (g.Nodes() + mostBlocks - 1) / mostBlocks
	count := (g.Nodes() + n.Size - 1) / n.Size
	n.Blocks = make([]report.Values, count)
	for i := range n.Blocks {
		n.Blocks[i] = make(report.Values, count)
	}
	for i := range messages.NodeID(g.Nodes()) {
		from, weights := g.In(i)
		for k, j := range from {
			if j != i {
				n.Blocks[int(i)/n.Size][int(j)/n.Size] += math.Abs(weights[k])
			}
		}
	}
	n.Remarks = append(n.Remarks, fmt.Sprintf("%d nodes and %d edges are too many to draw one by one: a square is the weight from %d nodes to %d.", g.Nodes(), g.Edges(), n.Size, n.Size))
}

// fates fills in the fates of messages and nodes, where the network has effects. They are not
// known where they depend on a class in Python that the scenario names.
func (n *Network) fates(s *study.Scenario, arm *study.Arm) error {
	if arm.Effects == nil {
		return nil
	}
	if s.Folder.Withheld != "" {
		n.Remarks = append(n.Remarks, "The fate of messages is not shown: it would take a run of the code in Python that the scenario names.")
		return nil
	}
	job, err := arm.Algorithm.Job(n.Seed)
	if err != nil {
		return err
	}
	effects := job.Run.Network
	if effects == nil {
		return nil
	}
	offset := n.Step - n.FirstStep
	if arm.Topology.Serves() && job.Run.Hops(offset) > 1 {
		n.Remarks = append(n.Remarks, "The fate of messages is not shown: in this step they go by way of servers, and an edge is the weight of a node in the mean that another gets.")
		return nil
	}
	turn := job.Run.TurnOf(offset)
	n.Fates, n.Down = make([]int, len(n.Edges)), []int{}
	for k, edge := range n.Edges {
		from, to := messages.NodeID(edge[0]), messages.NodeID(edge[1])
		if effects.Local(from, to) {
			continue
		}
		delay, lost := effects.Fate(from, to, turn)
		if n.Fates[k] = delay; lost {
			n.Fates[k] = -1
		}
	}
	for i := range n.Nodes {
		if !effects.Up(messages.NodeID(i), turn) {
			n.Down = append(n.Down, i)
		}
	}
	return nil
}

// Traffic holds the messages of a step and their fates.
type Traffic struct {
	// Links are the pairs of nodes, numbered from 0, with at least one message.
	Links []Link `json:"links"`
	// Sent, Bytes, Arrived, Late, Lost, Dropped and Underway are sums over the links.
	Sent     int   `json:"sent"`
	Bytes    int64 `json:"bytes"`
	Arrived  int   `json:"arrived"`
	Late     int   `json:"late"`
	Lost     int   `json:"lost"`
	Dropped  int   `json:"dropped"`
	Underway int   `json:"underway"`
}

// Link counts the messages from one node to another in a step; see runner.Passed.
type Link struct {
	From     messages.NodeID `json:"from"`
	To       messages.NodeID `json:"to"`
	Sent     int             `json:"sent"`
	Bytes    int64           `json:"bytes"`
	Late     int             `json:"late,omitempty"`
	Delay    int             `json:"delay,omitempty"`
	Lost     int             `json:"lost,omitempty"`
	Dropped  int             `json:"dropped,omitempty"`
	Underway int             `json:"underway,omitempty"`
}

// errTraffic is the error for a step of too many nodes for their messages to be shown.
var errTraffic = fmt.Errorf("messages are shown of up to %d nodes", mostNodes)

// Traffic runs a job again up to a step and returns the messages of the step, with their
// fates. The run has to be complete.
func (f *Folder) Traffic(ctx context.Context, id string, m Moment) (*Traffic, error) {
	if _, err := f.opened(id); err != nil {
		return nil, err
	}
	s, err := f.scenario(id)
	if err != nil {
		return nil, err
	}
	if err := runner.Replayable(s); err != nil {
		return nil, err
	}
	arm, err := m.armOf(s)
	if err != nil {
		return nil, err
	}
	if arm.Extent.Participants > mostNodes {
		return nil, document.BadInput(errTraffic)
	}
	list, err := runner.Passage(ctx, arm, m.Seed, m.Step)
	if err != nil {
		return nil, err
	}
	t := &Traffic{Links: make([]Link, 0, len(list))}
	for _, p := range list {
		t.Links = append(t.Links, Link(p))
		t.Sent, t.Bytes = t.Sent+p.Sent, t.Bytes+p.Bytes
		t.Late, t.Lost, t.Dropped, t.Underway = t.Late+p.Late, t.Lost+p.Lost, t.Dropped+p.Dropped, t.Underway+p.Underway
	}
	t.Arrived = t.Sent - t.Late - t.Lost - t.Dropped - t.Underway
	return t, nil
}

// Mixing measures how fast the network of a step mixes; see view.NetworkDescription. Once
// the context is done the error is the context's, as for Network and Course.
func (f *Folder) Mixing(ctx context.Context, id string, m Moment) (*view.NetworkDescription, error) {
	_, _, graphs, err := f.graphs(ctx, id, &m)
	if err != nil {
		return nil, err
	}
	d, err := graphs.Describe(ctx, m.Step, min(10, graphs.Horizon))
	if err != nil {
		return nil, err
	}
	return &d, nil
}

// Replay is some turns of a node, as they happened.
type Replay struct {
	Turns []Turn `json:"turns"`
	// Rows is the number of recorded values that were compared with the run's. Differ is the
	// number of those that differ. Remark gives possible reasons.
	Rows   int    `json:"rows"`
	Differ int    `json:"differ"`
	Remark string `json:"remark,omitempty"`
	// Known are the recorded values of the node up to the last step.
	Known []KnownValue `json:"known"`
}

// Turn holds the messages and the state of a node in a turn. Of long vectors it has the first
// numbers.
type Turn struct {
	Step    int        `json:"step"`
	Hop     int        `json:"hop"`
	In      []Letter   `json:"in"`
	Out     []Letter   `json:"out"`
	State   []Quantity `json:"state"`
	Stopped bool       `json:"stopped"`
	// Paid are the losses that were charged to the node in the turn.
	Paid []string `json:"paid"`
}

// Letter is a message that the node received or sent.
type Letter struct {
	From   int           `json:"from"`
	To     int           `json:"to"`
	Step   int           `json:"step"`
	Hop    int           `json:"hop"`
	Weight float64       `json:"weight"`
	Kind   string        `json:"kind"`
	Values report.Values `json:"values"`
	// Received is the lie that a Byzantine node's message became on its way; absent for other messages.
	Received report.Values `json:"received,omitempty"`
	Length   int           `json:"length"` // of the whole vector
}

// Quantity is a part of the state of a node.
type Quantity struct {
	Name   string        `json:"name"`
	Values report.Values `json:"values"`
	Length int           `json:"length"`
}

// mostTurns is the number of steps that a replay shows, and mostNumbers the number of entries
// that it shows of a vector. mostWhole is the number of entries of all vectors that are shown whole.
const (
	mostTurns   = 64
	mostNumbers = 16
	mostWhole   = 2_000_000
)

// errLong is the error for a replay of too many steps.
var errLong = fmt.Errorf("a replay shows at most %d steps", mostTurns)

// Replay runs a job again and returns the messages and the state of a node from one step to
// another, all in the paper's numbers. Vectors are whole if asked for, as long as they are not too many
// numbers. The run has to be complete.
func (f *Folder) Replay(ctx context.Context, id, build string, m Moment, node, from, to int, whole bool) (*Replay, error) {
	if to-from >= mostTurns {
		return nil, document.BadInput(errLong)
	}
	o, err := f.opened(id)
	if err != nil {
		return nil, err
	}
	out, cut := &Replay{Turns: []Turn{}}, &cutter{}
	if whole {
		cut.left = mostWhole
	}
	verdict, err := runner.Replay(ctx, o.Source, runner.ReplayOptions{Arm: m.Arm, Seed: m.Seed, Node: node, From: from, To: to, Build: build, Loader: f.loader},
		func(r *runner.ReplayTurn) error {
			turn := Turn{Step: r.Step, Hop: r.Hop, In: cut.letters(r.In), Out: cut.letters(r.Out), State: []Quantity{}, Stopped: r.Stopped, Paid: append([]string{}, r.Paid...)}
			for _, q := range r.State {
				turn.State = append(turn.State, Quantity{q.Name, cut.values(q.Values), len(q.Values)})
			}
			out.Turns = append(out.Turns, turn)
			return nil
		})
	if err != nil {
		return nil, err
	}
	if out.Known, err = knownOf(o, m, int32(node), int64(to)); err != nil {
		return nil, err
	}
	out.Rows, out.Differ, out.Remark = verdict.Rows, verdict.Differ, verdict.Arithmetic
	if verdict.Foreign && verdict.Differ > 0 && out.Remark == "" {
		out.Remark = "another build made the run"
	}
	return out, nil
}

// cutter copies vectors: the first numbers, or all while numbers are left.
type cutter struct{ left int }

func (c *cutter) letters(list []runner.Letter) []Letter {
	letters := make([]Letter, len(list))
	for i, l := range list {
		letters[i] = Letter{l.From, l.To, l.Step, l.Hop, l.Weight, l.Kind, c.values(l.Values), nil, len(l.Values)}
		if l.Received != nil {
			letters[i].Received = c.values(l.Received)
		}
	}
	return letters
}

func (c *cutter) values(values []float64) report.Values {
	n := min(len(values), mostNumbers)
	if len(values) <= c.left {
		n = len(values)
		c.left -= n
	}
	return append(report.Values{}, values[:n]...)
}
