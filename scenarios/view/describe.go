package view

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"starling/actors/topology"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/inputs"
	"starling/scenarios/results"
	"starling/scenarios/results/diagram"
	"starling/scenarios/section/topologies"
	"starling/scenarios/study"
	"starling/scenarios/view/plot"
)

// Network is the network of an arm under a seed, or of a file, with methods that describe it.
// Its own numbers are the printed ones: steps and nodes in texts begin with FirstStep and
// FirstLabel, and Graphs counts both from 0.
type Network struct {
	// Name names the network's arm or file, for tables and pictures.
	Name string
	// Graphs counts steps and nodes from 0.
	Graphs topology.Sequence
	// Horizon is the number of steps of the network: 0 .. Horizon-1 of Graphs.
	Horizon int
	// FirstStep is the number of the first step in print.
	FirstStep int
	// FirstLabel is the number of the first node in print.
	FirstLabel int
	// Read is the format in which a file was read; empty for other topologies.
	Read string
	// Schedule says who sends when; empty if all nodes send in every step, or in the steps of a
	// file.
	Schedule string
	// Servers describes the servers that nodes average through in some steps, of which the graphs have the
	// weights alone; empty if there are none.
	Servers string
	// Served means that edges link servers with those below them. Nobody averages by their
	// weights, which have no meaning.
	Served bool
	// Arrange returns the places of the nodes in pictures, of the first steps, as topology.Arranged
	// has them; nil where the graphs themselves say how they are drawn.
	Arrange func(steps int) ([]float64, error)
	// Byzantine are the nodes that do not follow the protocol, and Central the servers, from 0,
	// ascending.
	Byzantine, Central []int
	// Names are the names of servers in pictures; nil is their numbers.
	Names map[int]string
	// Blocks are groups of nodes that pictures mark.
	Blocks []diagram.Block
	// Located means that Arrange has the places of nodes in a box.
	Located bool
	// Away returns the nodes that take no part in a step, from 0, ascending; nil where all do in
	// all steps.
	Away func(step int) []int
	// arms are the absent nodes by arm, of a network of several arms.
	arms []armAway
	// through returns the servers that nodes average through, for pictures; nil where there are none.
	through func() (*topology.Servers, error)
}

// oneNetwork reports whether all arms have the same graphs under a seed.
func oneNetwork(s *study.Scenario, seed uint64) bool {
	first := s.Arms[0]
	return !slices.ContainsFunc(s.Arms, func(arm *study.Arm) bool {
		if arm.Topology == first.Topology && arm.File.Horizon == first.File.Horizon && arm.File.Nodes == first.File.Nodes {
			return false
		}
		one, err := networkOf(s, first, seed)
		if err != nil {
			return true
		}
		other, err := networkOf(s, arm, seed)
		return err != nil || !one.equals(other)
	})
}

// mostCompared is the greatest period of graphs that are compared step by step.
const mostCompared = 64

// equals reports whether a network has the graphs of another, as far as these are known to repeat soon, and the same
// nodes that are servers or do not follow the protocol.
func (n *Network) equals(other *Network) bool {
	period, ok := n.Graphs.Period()
	last, also := other.Graphs.Period()
	alike := n.Horizon == other.Horizon && n.FirstStep == other.FirstStep && n.FirstLabel == other.FirstLabel && n.Schedule == other.Schedule &&
		n.Servers == other.Servers && n.Served == other.Served && slices.Equal(n.Byzantine, other.Byzantine) && slices.Equal(n.Central, other.Central)
	if !alike || !ok || !also || period != last || period > mostCompared || n.Graphs.Nodes() != other.Graphs.Nodes() {
		return false
	}
	for step := range period {
		if !sameGraph(n.Graphs.At(step), other.Graphs.At(step), n.Graphs.Nodes()) {
			return false
		}
	}
	return true
}

// sameGraph reports whether two graphs of some nodes have the same edges and weights.
func sameGraph(a, b *topology.Graph, nodes int) bool {
	for v := range nodes {
		from, weights := a.In(messages.NodeID(v))
		also, others := b.In(messages.NodeID(v))
		if !slices.Equal(from, also) || !slices.Equal(weights, others) {
			return false
		}
	}
	return true
}

// DescribeNetwork returns the graphs of an arm, by its name, under a seed. An empty name
// stands for the only arm, or for all arms where their graphs are the same.
func DescribeNetwork(s *study.Scenario, name string, seed uint64) (*Network, error) {
	arms := plot.Arms(s)
	name = plot.ArmNamed(arms, name)
	i := slices.IndexFunc(arms, func(arm results.ArmEntry) bool { return arm.Name == name })
	switch {
	case name == "" && oneNetwork(s, seed):
		i = 0
	case name == "":
		return nil, document.BadInput(fmt.Errorf("%s has %d arms; choose one by --arm: %s", s.Name, len(arms), document.List(plot.LabelList(arms))))
	case i < 0:
		return nil, document.BadInput(fmt.Errorf("%s has no arm %q%s", s.Name, name, plot.SuggestArm(arms, name, "it has")))
	}
	n, err := networkOf(s, s.Arms[i], seed)
	if err == nil && name == "" && len(arms) > 1 {
		n.Name = s.Name + ", " + topologyOf(s.Arms[i]) + " of all arms"
		n.awayOfArms(s, seed, plot.ArmLabels(arms))
	}
	return n, err
}

// tooLoose is the reason why there is nothing to see of a topologies.Plan that is loose.
const tooLoose = "means of all nodes have too many weights to describe or draw; want at most 8,192 nodes"

// networkOf returns the graphs of an arm under a seed.
func networkOf(s *study.Scenario, arm *study.Arm, seed uint64) (*Network, error) {
	if arm.Topology.Loose {
		return nil, document.BadInput(fmt.Errorf("%s, %s: %s", s.Name, arm.Name, tooLoose))
	}
	graphs := arm.Topology.Sequence
	if shown := arm.Topology.Shown; shown != nil {
		graphs = shown
	}
	sequence, err := graphs(seed)
	if err != nil {
		return nil, err
	}
	n := &Network{
		Blocks: blocksOf(arm.Topology), Located: arm.Topology.Places != nil,
		Name: s.Name + ", " + cmp.Or(plot.ArmLabels(plot.Arms(s))[arm.Name], arm.Name), Graphs: sequence, Horizon: arm.File.Horizon, FirstStep: arm.Extent.FirstStep, FirstLabel: arm.Extent.FirstLabel,
		Schedule: study.ScheduleOf(arm), Servers: arm.Topology.Served(), Served: arm.Extent.Server, Byzantine: byzantineOf(arm),
	}
	if n.Served {
		n.Central = n.servers(arm.File.Nodes, arm.Extent.Participants)
	}
	if text := arm.Topology.Falls(arm.File.Horizon); text != "" && n.Schedule != "" {
		n.Schedule += "; " + text
	}
	n.above(s, arm, seed)
	if arrange := arm.Topology.Arrange; arrange != nil {
		n.Arrange = func(steps int) ([]float64, error) { return arrange(seed, steps) }
	}
	return n, nil
}

// ReadNetwork reads the network of a file: an edge list of extension .csv, as
// topologies.Understood takes it, with steps of a bin, or GraphML, which has one graph for all
// steps. A file that cannot be read is an InputError.
func ReadNetwork(path, bin string) (*Network, error) {
	text, err := inputs.ReadRegular(path)
	if err != nil {
		return nil, document.BadInput(err)
	}
	n := &Network{Name: filepath.Base(path), Horizon: 1, FirstStep: 1, FirstLabel: 1}
	if filepath.Ext(path) == ".csv" {
		var list *topology.Listed
		if list, n.Read, err = topologies.Understood(path, text, bin); err == nil {
			n.Graphs, n.Horizon = list, list.Steps()
		}
	} else {
		var g *topology.Graph
		if g, _, err = topology.ParseGraphML(path, text); err == nil {
			n.Graphs = topology.Static(g)
		}
	}
	if err != nil {
		return nil, document.BadInput(err)
	}
	return n, nil
}

// Span holds the least, the mean and the greatest of some numbers, such as the degrees of a
// graph.
type Span struct {
	Min  int     `json:"min"`
	Mean float64 `json:"mean"`
	Max  int     `json:"max"`
}

// Degrees returns the spans of the degrees of a graph, self-loops left out.
func Degrees(g *topology.Graph) (in, out Span) {
	d := topology.Degrees(g)
	return Span{d.MinIn, d.Mean, d.MaxIn}, Span{d.MinOut, d.Mean, d.MaxOut}
}

// NetworkDescription is the result of Describe. A nil value is undefined, or would take too
// long to compute, and Remarks give the reason.
//
//	quantity             of                     computed by package topology
//	in, out degree       the step               Degrees
//	components           all windows            WindowComponents
//	smallest_b           the horizon            SmallestWindow
//	doubly_stochastic    the step               CheckWeights
//	spectral_gap         the step               SpectralGap: 1 - |A - 11'/N| in 2-norm
//	contraction          the step's window      WindowContraction, or PushSumContraction
//	mixing_time          the step and on        MixingTime, to 1/4 in total variation
//	effective_diameter   the step and on        Spread, to 90 % of the pairs
//	effective_diameters  a dozen steps          EffectiveDiameters
type NetworkDescription struct {
	Network string `json:"network"`
	// Summary states in a sentence whether the nodes are connected, and how fast they mix.
	Summary string `json:"summary"`
	Step    int    `json:"step"`
	Nodes   int    `json:"nodes"`
	// Edges is the number of edges of the step, self-loops left out, as in the degrees.
	Edges     int  `json:"edges"`
	SelfLoops int  `json:"self_loops"`
	InDegree  Span `json:"in_degree"`
	OutDegree Span `json:"out_degree"`
	// Doubly is true if all rows and columns of the step sum to 1. It is false of a server and its
	// clients, where weights have no meaning.
	Doubly bool `json:"doubly_stochastic"`
	Served bool `json:"served,omitempty"`
	// Window is B, and Components the range over all windows of B steps.
	Window     int    `json:"window"`
	Components Extent `json:"components"`
	// SmallestB is the least B for which every window of B steps is strongly connected.
	SmallestB *int `json:"smallest_b"`
	// SpectralGap is 1 minus the spectral norm of A - 11'/N.
	SpectralGap *float64 `json:"spectral_gap"`
	// Contraction is the factor by which a window from the step on multiplies the distance of
	// the nodes' values from their mean, in the worst case. With weights of push-sum, whose columns
	// alone sum to 1, it is of the estimates, weighted by mass.
	Contraction *float64 `json:"contraction"`
	// MixingTime is the number of steps to a quarter in total variation.
	MixingTime *int `json:"mixing_time"`
	// Diameter is the number of steps in which news reaches 90 % of the pairs.
	Diameter *float64 `json:"effective_diameter"`
	// Diameters are the effective diameters from steps that are spread over the horizon; empty
	// where the network never changes, nil where none is defined.
	Diameters []DiameterFrom `json:"effective_diameters"`
	// EdgesAStep are the numbers of edges of all steps, self-loops left out, and Silent is the
	// number of steps without any.
	EdgesAStep Span `json:"edges_a_step"`
	Silent     int  `json:"silent_steps"`
	// Read is the format in which a file was read; empty for other topologies.
	Read string `json:"read,omitempty"`
	// Schedule says who sends when; empty if all send in every step, or nothing says.
	Schedule string `json:"schedule,omitempty"`
	// Servers describes the servers that nodes average through; empty if there are none. Edges are
	// then the weights of means.
	Servers string `json:"servers,omitempty"`
	// Byzantine are the numbers of the nodes that do not follow the protocol; empty for none.
	Byzantine []int    `json:"byzantine,omitempty"`
	Remarks   []string `json:"remarks"`
}

// Extent is the smallest and the largest number of strongly connected components among
// windows. Both are 1 where every window is strongly connected.
type Extent struct {
	Smallest int `json:"smallest"`
	Largest  int `json:"largest"`
}

// mixed is the distance in total variation that defines the mixing time.
const mixed = 0.25

// Describe measures the graph of a step, by its number in print, all windows of the horizon,
// and the sequence from the step on. window is the number of steps of a window, B, from 1 to
// the horizon. Computations that take long for a large network are cut short, and a remark
// says where. A step or window out of its range is an InputError. Once the context is done,
// the error is the context's.
func (n *Network) Describe(ctx context.Context, step, window int) (d NetworkDescription, err error) {
	first, err := n.checked(step, window)
	if err != nil {
		return d, err
	}
	m := measuresOf{n, topology.Measures{Stop: ctx.Err}}
	g, err := m.At(n.Graphs, first)
	if err != nil {
		return d, err
	}
	d = NetworkDescription{
		Network: n.Name, Read: n.Read, Schedule: n.Schedule, Servers: n.Servers, Served: n.Served, Step: step, Window: window, Nodes: g.Nodes(), Edges: g.Edges() - g.SelfLoops(), SelfLoops: g.SelfLoops(),
		Diameters: []DiameterFrom{}, Remarks: []string{},
	}
	for _, v := range n.Byzantine {
		d.Byzantine = append(d.Byzantine, v+n.FirstLabel)
	}
	d.InDegree, d.OutDegree = Degrees(g)
	if err := d.connectivity(m); err != nil {
		return d, err
	}
	if err := d.traffic(m); err != nil {
		return d, err
	}
	if err := topology.CheckWeights(g, topologies.WeightTolerance); n.Served {
		d.remark("%s; so there is no spectral gap, contraction or mixing time", noWeights)
	} else if err != nil {
		d.remark("the weights of step %d are not doubly stochastic: %v", step, err)
		d.pushSum(m, first)
	} else {
		d.Doubly = true
		d.averaging(m, g, first)
	}
	if err := ctx.Err(); err != nil {
		return d, err // without a remark
	}
	if err := d.spreading(m, first); err != nil {
		return d, err
	}
	if err := d.spreadingOverTime(m); err != nil {
		return d, err
	}
	d.Summary = d.sentence()
	return d, nil
}

// noWeights is the remark on a server and its clients.
const noWeights = "weights have no meaning here: a server adds up what its clients send, and nobody averages by weights of edges"

// checked returns the step from 0, and an InputError for a step or window out of its range.
func (n *Network) checked(step, window int) (first int, err error) {
	first = step - n.FirstStep
	if first < 0 || first >= n.Horizon {
		return first, document.BadInput(fmt.Errorf("step %d is not one of the network's, %d to %d", step, n.FirstStep, n.FirstStep+n.Horizon-1))
	}
	if window < 1 || window > n.Horizon {
		return first, document.BadInput(fmt.Errorf("a window of %d steps; want 1 to %d, the horizon", window, n.Horizon))
	}
	return first, nil
}

// measuresOf are the measures of a network.
type measuresOf struct {
	*Network
	topology.Measures
}

// remark adds the reason why a measure is left out or cut short. Every null of the JSON has
// one.
func (d *NetworkDescription) remark(format string, args ...any) {
	d.Remarks = append(d.Remarks, fmt.Sprintf(format, args...))
}

// traffic counts the edges of all steps, or of as many of the first as the limit on the work
// allows.
func (d *NetworkDescription) traffic(n measuresOf) error {
	horizon := min(n.Horizon, max(1, mostLooked/(d.Nodes+d.Edges+d.SelfLoops)))
	if horizon < n.Horizon {
		d.remark("edges_a_step and silent_steps cover the first %d of %d steps (limit on work)", horizon, n.Horizon)
	}
	sum, edges := 0, 0
	for step := range horizon {
		if step == 0 || n.Graphs.Epoch(step) != n.Graphs.Epoch(step-1) {
			// One step after the other: At goes to each from step 0 on.
			if err := n.Stop(); err != nil {
				return err
			}
			g, err := topology.GraphAt(n.Graphs, step)
			if err != nil {
				return err
			}
			edges = g.Edges() - g.SelfLoops()
		}
		if step == 0 {
			d.EdgesAStep = Span{Min: edges, Max: edges}
		}
		d.EdgesAStep.Min, d.EdgesAStep.Max = min(d.EdgesAStep.Min, edges), max(d.EdgesAStep.Max, edges)
		if sum += edges; edges == 0 {
			d.Silent++
		}
	}
	d.EdgesAStep.Mean = float64(sum) / float64(horizon)
	return nil
}

// mostLooked bounds the nodes and edges of graphs, over all steps, in the computation of
// connectivity: some seconds of work.
const mostLooked = 1 << 25

// connectivity measures all windows of the horizon, or as many of the first windows as the
// limit on the work allows. For a periodic network it measures one period, whatever its
// horizon.
func (d *NetworkDescription) connectivity(n measuresOf) error {
	horizon := n.Horizon
	most := max(d.Window, mostLooked/(d.Nodes+d.Edges+d.SelfLoops))
	if period, periodic := n.Graphs.Period(); horizon > most && (!periodic || period > most) {
		horizon = most
		d.remark("components and smallest_b cover the first %d of %d steps (limit on work)", horizon, n.Horizon)
	}
	counts, err := n.WindowComponents(n.Graphs, horizon, d.Window)
	if err != nil {
		return err
	}
	d.Components = Extent{slices.Min(counts), slices.Max(counts)}
	b, err := n.SmallestWindow(n.Graphs, horizon)
	var cut *topology.ConnectivityError
	switch {
	case err == nil:
		d.SmallestB = &b
	case errors.As(err, &cut):
		cut.Base = n.FirstStep
		d.remark("no window is strongly connected throughout: %v", err)
	default:
		return err
	}
	return nil
}

// averaging measures doubly stochastic weights: how fast repeated averaging brings the nodes'
// values to their mean. Other weights have no such measure, since they do not keep the mean.
func (d *NetworkDescription) averaging(n measuresOf, g *topology.Graph, first int) {
	if gap, err := n.SpectralGap(g); err != nil {
		d.remark("no spectral gap: %v", err)
	} else {
		gap = orZero(gap)
		d.SpectralGap = &gap
	}
	d.contraction(n, first)
	mixing, err := n.MixingTime(n.Graphs, first, n.lasting(first), mixed)
	if err != nil {
		d.remark("no mixing time: %v", err)
		return
	}
	d.MixingTime = &mixing.Steps
	if mixing.Sampled {
		d.remark("the mixing time is from %d start nodes, and so a lower bound", mixing.Sources)
	}
}

// contraction measures the window from the step on. For a window of one step contraction
// and spectral gap are the norm of one matrix, and add up to 1.
func (d *NetworkDescription) contraction(n measuresOf, first int) {
	if d.Window == 1 { // both are the norm of one matrix
		if d.SpectralGap != nil {
			contraction := orZero(1 - *d.SpectralGap)
			d.Contraction = &contraction
		}
		return
	}
	if first+d.Window > n.Horizon {
		d.remark("no contraction: the window from step %d on goes beyond the horizon", d.Step)
	} else if contraction, err := n.WindowContraction(n.Graphs, first, d.Window); err != nil {
		d.remark("no contraction: %v", err)
	} else {
		contraction = orZero(contraction)
		d.Contraction = &contraction
	}
}

// pushSum measures the window from the step on, where its weights are of push-sum.
func (d *NetworkDescription) pushSum(n measuresOf, first int) {
	if first+d.Window > n.Horizon {
		return
	}
	if contraction, err := n.PushSumContraction(n.Graphs, first, d.Window); err == nil {
		contraction = orZero(contraction)
		d.Contraction = &contraction
		d.remark("the contraction is of the estimates of push-sum, weighted by mass: all columns sum to 1")
	}
}

// orZero returns a number between 0 and 1, and 0 for a number that can be a rounding error:
// the number is a difference of numbers around 1.
func orZero(v float64) float64 {
	if v < 1e-12 {
		return 0
	}
	return v
}
