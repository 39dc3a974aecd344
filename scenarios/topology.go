package scenarios

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"starling/actors/topology"
	"starling/scenarios/document"
	"starling/scenarios/results/report"
)

// Network is the network of an arm under a seed, or that of a file, to be
// described.
type Network struct {
	Name       string
	Graphs     topology.Sequence
	Horizon    int // steps 0 .. Horizon-1 of Graphs are looked at
	FirstStep  int // the number of the first step in print
	FirstLabel int // that of the first node
}

// oneNetwork tells whether all arms have the same graphs.
func (s *Scenario) oneNetwork() bool {
	return !slices.ContainsFunc(s.Arms, func(arm *Arm) bool {
		return arm.topology != s.Arms[0].topology || arm.file.Horizon != s.Arms[0].file.Horizon || arm.file.Nodes != s.Arms[0].file.Nodes
	})
}

// Network returns the graphs of an arm, by its name, under a seed. An empty name
// is the only arm's, or stands for all of them where their graphs are the same.
func (s *Scenario) Network(name string, seed uint64) (*Network, error) {
	var names []string
	for _, arm := range s.Arms {
		names = append(names, arm.Name)
	}
	i := slices.Index(names, name)
	switch {
	case name == "" && s.oneNetwork():
		i = 0
	case name == "":
		return nil, BadInput(fmt.Errorf("%s has %d arms; choose one by --arm: %s", s.Name, len(names), strings.Join(names, ", ")))
	case i < 0:
		if nearest, ok := document.Nearest(name, names); ok {
			return nil, BadInput(fmt.Errorf("%s has no arm %q; did you mean %q?", s.Name, name, nearest))
		}
		return nil, BadInput(fmt.Errorf("%s has no arm %q; it has %s", s.Name, name, strings.Join(names, ", ")))
	}
	arm := s.Arms[i]
	sequence, err := arm.topology.sequence(seed)
	if err != nil {
		return nil, err
	}
	return &Network{s.Name + ", " + arm.Name, sequence, arm.file.Horizon, arm.algorithm.firstStep, arm.algorithm.firstLabel}, nil
}

// IsNetworkFile tells by the extension whether a file holds a network of itself.
func IsNetworkFile(path string) bool {
	return slices.Contains([]string{".csv", ".graphml", ".xml"}, filepath.Ext(path))
}

// ReadNetwork reads a network from an edge list, which counts from 1, or from
// GraphML. A list has as many nodes and steps as the largest numbers in it.
func ReadNetwork(path string) (*Network, error) {
	text, err := readRegular(path)
	if err != nil {
		return nil, BadInput(err)
	}
	n := &Network{Name: filepath.Base(path), Horizon: 1, FirstStep: 1, FirstLabel: 1}
	if filepath.Ext(path) == ".csv" {
		list := topology.EdgeList{}
		if list.Nodes, n.Horizon, err = extent(path, text); err == nil {
			n.Graphs, err = list.Parse(path, text)
		}
	} else {
		var g *topology.Graph
		if g, _, err = topology.ParseGraphML(path, text); err == nil {
			n.Graphs = topology.Static(g)
		}
	}
	if err != nil {
		return nil, BadInput(err)
	}
	return n, nil
}

// extent is the largest number of a node and of a step in an edge list. What is
// no number is left to the list's own parser, which names its place.
func extent(path string, text []byte) (nodes, steps int, err error) {
	reader := csv.NewReader(bytes.NewReader(text))
	reader.Comment, reader.FieldsPerRecord, reader.ReuseRecord = '#', -1, true
	nodes, steps = 1, 1
	for {
		record, err := reader.Read()
		switch {
		case errors.Is(err, io.EOF):
			return nodes, steps, nil
		case err != nil:
			return 0, 0, fmt.Errorf("%s: %w", path, err)
		}
		for k, largest := range []*int{&steps, &nodes, &nodes} {
			if k >= len(record) {
				break
			}
			if number, err := strconv.Atoi(strings.TrimSpace(record[k])); err == nil {
				*largest = max(*largest, number)
			}
		}
		if nodes > mostNodes || steps > mostSteps {
			return 0, 0, fmt.Errorf("%s has a node %d and a step %d; want at most %d nodes and %d steps", path, nodes, steps, mostNodes, mostSteps)
		}
	}
}

// Span is the least, the mean and the greatest of some numbers.
type Span struct {
	Min  int     `json:"min"`
	Mean float64 `json:"mean"`
	Max  int     `json:"max"`
}

// NetworkDescription is what Describe finds. What is nil cannot be said, and
// Remarks say why.
type NetworkDescription struct {
	Network     string   `json:"network"`
	Step        int      `json:"step"`
	Nodes       int      `json:"nodes"`
	Edges       int      `json:"edges"` // of the step, self-loops left out, as in the degrees
	SelfLoops   int      `json:"self_loops"`
	InDegree    Span     `json:"in_degree"`
	OutDegree   Span     `json:"out_degree"`
	Doubly      bool     `json:"doubly_stochastic"`
	Window      int      `json:"window"`
	Components  Extent   `json:"components"`
	SmallestB   *int     `json:"smallest_b"`
	SpectralGap *float64 `json:"spectral_gap"`
	// Contraction is by what a window from the step on brings the values of the
	// nodes closer to their mean, at worst.
	Contraction *float64 `json:"contraction"`
	MixingTime  *int     `json:"mixing_time"` // steps to a quarter in total variation
	// Diameter is the number of steps in which news reaches 90 % of the pairs.
	Diameter *float64 `json:"effective_diameter"`
	Remarks  []string `json:"remarks"`
}

// Extent is the smallest and the largest number of strongly connected components
// of a window.
type Extent struct {
	Smallest int `json:"smallest"`
	Largest  int `json:"largest"`
}

// mixed is the distance in total variation that the mixing time is of.
const mixed = 0.25

// Describe measures the graph of a step, by its number in print, the windows of
// the whole horizon, and what follows from the step on.
func (n *Network) Describe(step, window int) (d NetworkDescription, err error) {
	first := step - n.FirstStep
	if first < 0 || first >= n.Horizon {
		return d, BadInput(fmt.Errorf("step %d is not one of the network's, %d to %d", step, n.FirstStep, n.FirstStep+n.Horizon-1))
	}
	if window < 1 || window > n.Horizon {
		return d, BadInput(fmt.Errorf("a window of %d steps; want 1 to %d, the horizon", window, n.Horizon))
	}
	g := n.Graphs.At(first)
	degrees := topology.Degrees(g)
	d = NetworkDescription{
		Network: n.Name, Step: step, Window: window, Nodes: g.Nodes(), Edges: g.Edges() - g.SelfLoops(), SelfLoops: g.SelfLoops(),
		InDegree: Span{degrees.MinIn, degrees.Mean, degrees.MaxIn}, OutDegree: Span{degrees.MinOut, degrees.Mean, degrees.MaxOut},
		Remarks: []string{},
	}
	if err := d.connectivity(n); err != nil {
		return d, err
	}
	if err := topology.CheckWeights(g, weightTolerance); err != nil {
		d.remark("the weights of step %d are not doubly stochastic: %v", step, err)
	} else {
		d.Doubly = true
		d.averaging(n, g, first)
	}
	return d, d.spreading(n, first)
}

func (d *NetworkDescription) remark(format string, args ...any) {
	d.Remarks = append(d.Remarks, fmt.Sprintf(format, args...))
}

// connectivity looks at all windows of the horizon.
func (d *NetworkDescription) connectivity(n *Network) error {
	counts, err := topology.WindowComponents(n.Graphs, n.Horizon, d.Window)
	if err != nil {
		return err
	}
	d.Components = Extent{slices.Min(counts), slices.Max(counts)}
	b, err := topology.SmallestWindow(n.Graphs, n.Horizon)
	var cut *topology.ConnectivityError
	switch {
	case err == nil:
		d.SmallestB = &b
	case errors.As(err, &cut):
		d.remark("no window is strongly connected throughout: %v", err)
	default:
		return err
	}
	return nil
}

// averaging measures weights that are doubly stochastic.
func (d *NetworkDescription) averaging(n *Network, g *topology.Graph, first int) {
	if gap, err := topology.SpectralGap(g); err != nil {
		d.remark("no spectral gap: %v", err)
	} else {
		gap = orZero(gap)
		d.SpectralGap = &gap
	}
	d.contraction(n, first)
	mixing, err := topology.MixingTime(n.Graphs, first, n.lasting(first), mixed)
	if err != nil {
		d.remark("no mixing time: %v", err)
		return
	}
	d.MixingTime = &mixing.Steps
	if mixing.Sampled {
		d.remark("the mixing time is that of %d nodes, and so from below", mixing.Sources)
	}
}

// contraction measures the window from the step on.
func (d *NetworkDescription) contraction(n *Network, first int) {
	if d.Window == 1 { // both are the norm of one matrix
		if d.SpectralGap != nil {
			contraction := orZero(1 - *d.SpectralGap)
			d.Contraction = &contraction
		}
		return
	}
	if first+d.Window > n.Horizon {
		d.remark("no contraction: the window from step %d on goes beyond the horizon", d.Step)
	} else if contraction, err := topology.WindowContraction(n.Graphs, first, d.Window); err != nil {
		d.remark("no contraction: %v", err)
	} else {
		contraction = orZero(contraction)
		d.Contraction = &contraction
	}
}

// orZero is a number between 0 and 1 that comes of sums of numbers around 1: what
// rounding alone leaves of it is 0.
func orZero(v float64) float64 {
	if v < 1e-12 {
		return 0
	}
	return v
}

// spreading follows news from the step on.
func (d *NetworkDescription) spreading(n *Network, first int) error {
	spread, err := topology.Spread(n.Graphs, first, n.lasting(first))
	if err != nil {
		return err
	}
	const share = 0.9
	if diameter, reached := spread.EffectiveDiameter(share); reached {
		d.Diameter = &diameter
	} else {
		d.remark("no effective diameter: after %d steps %.3g %% of the pairs are reached", len(spread.Reached)-1, 100*spread.Reached[len(spread.Reached)-1])
	}
	if spread.Sampled {
		d.remark("the effective diameter is from %d nodes", spread.Sources)
	}
	return nil
}

// mostFollowed is for how many steps a network is followed that repeats.
const mostFollowed = 1 << 16

// lasting is before which step what follows from a step on is looked at: one
// that repeats goes on beyond the horizon.
func (n *Network) lasting(first int) int {
	if _, periodic := n.Graphs.Period(); periodic {
		return max(n.Horizon, first+mostFollowed)
	}
	return n.Horizon
}

// Picture draws the graph of a step, by its number in print, as an SVG file.
func (n *Network) Picture(step int) (string, error) {
	text := report.Picture(report.Graph{
		Title: n.Name + ", step " + strconv.Itoa(step), Graph: n.Graphs.At(step - n.FirstStep), FirstLabel: n.FirstLabel,
	})
	if text == "" {
		return "", BadInput(fmt.Errorf("a graph of %d nodes is too large to draw", n.Graphs.Nodes()))
	}
	return text, nil
}
