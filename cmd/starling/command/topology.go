package command

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
	"starling/scenarios/limits"
	"starling/scenarios/loading"
	"starling/scenarios/results/diagram"
	"starling/scenarios/results/figure"
	"starling/scenarios/section/topologies"
	"starling/scenarios/study"
	"starling/scenarios/view"
)

// topologyProgram is the program with the kinds that it knows.
type topologyProgram struct{ shell.Program }

// topologyFlags are the flags of topology.
type topologyFlags struct {
	// arm is the arm with the network to describe; it can be left out where there is one.
	arm string
	// seed is the seed under which graphs are drawn; the scenario's first if absent.
	seed uint64
	// at is the step to describe; the first if absent.
	at int
	// window is B, the number of steps of a window.
	window int
	// bin is the length of a step of a list of contacts with clock times.
	bin string
	// plot is the file to draw the graph of the step, or the union of the window's graphs, to.
	plot string
	// overTime is the file to draw the network over the horizon to.
	overTime string
	// json prints an object; unknown values are null.
	json bool
	// sets holds overrides of the scenario, data is the folder of data sets.
	sets []string
	data string
}

// topologyVerb is the verb topology.
func topologyVerb(of shell.Program) *cobra.Command {
	p := topologyProgram{of}
	var flags topologyFlags
	cmd := &cobra.Command{
		Use:   "topology SCENARIO|FILE",
		Short: "Describe a network over time",
		Long: `Describe the network of a scenario, or of a file: an edge list (.csv) or GraphML (.graphml,
.xml). The first sentences are the finding: whether the nodes are connected, the spectral gap, and
how fast averages mix and news spreads.

row                 meaning
edges, degrees      of the step --at, without self-loops
weights             doubly stochastic if all rows and columns sum to 1
spectral gap        1 less the spectral norm of A - 11'/N of the step
components          least and most strongly connected components of a window
contraction         disagreement after the window, as a share of that before
smallest window     the smallest B for which every window of B steps is connected
mixing time         steps to 1/4 in total variation
effective diameter  steps in which news reaches 90 % of the pairs
diameter by step    the same, from up to a dozen steps of a changing network
silent steps        steps without an edge

--window B describes windows of B steps. --plot draws the graph of the step or the union
of a window: wider and darker edges have larger total weights. Without --at and --window
it draws a network that changes as small pictures: the different graphs of one that repeats,
or some steps, in which edges are dark where they are new, and all steps together. Nodes that
take no part in a step are grey and dashed, with a chart of their steps below. Servers of
clusters are squares. Arms with different networks stand beside each other, and without --plot
in a table, unless --arm chooses one. Above 120 nodes, or 24 nodes of a mean degree above 8, it draws the
weight matrix. --over-time draws degrees,
edges, components and contraction over the horizon. --json prints an object, in which
unknown values are null. Remarks give the reason, and name measures that were cut short.

An edge list with the header step,from,to or step,from,to,weight counts from 1. In other
files the columns are found by their usual names (time, source, target, strength), and
nodes have names; --bin is the length of a step where times are clock times. The row
'read' says how the file was read.

Exit status: 0 done, 1 failed, 2 bad input.`,
		Example: `  starling topology dpdonc-localization --arm epsilon=1 --window 3
  starling topology network.graphml --plot network.svg
  starling topology contact-network --arm met --window 100 --plot union.png --over-time measures.pdf`,
		Args: shell.Exactly(1, "the name or file of a scenario, or the file of a network"),
		RunE: func(cmd *cobra.Command, args []string) error { return p.describe(cmd, args[0], flags) },
	}
	cmd.Flags().StringVar(&flags.arm, "arm", "", "the arm of the scenario; it can be left out where there is one")
	cmd.Flags().Uint64Var(&flags.seed, "seed", 0, "the seed under which graphs are drawn; default: the scenario's first")
	cmd.Flags().IntVar(&flags.at, "at", 0, "the step to describe; default: the first")
	cmd.Flags().IntVar(&flags.window, "window", 1, "the number of steps of a window, B")
	cmd.Flags().StringVar(&flags.bin, "bin", "", "the length of a step, for an edge list with clock times: 20s, 5m, 1h or 1d")
	cmd.Flags().StringVar(&flags.plot, "plot", "", "draw the graph of the step, or the union of the window, to this file: .svg, .png or .pdf")
	cmd.Flags().StringVar(&flags.overTime, "over-time", "", "draw degrees, edges, components and contraction over the horizon to this file: .svg, .png, .pdf, .csv or .json for the points, or .py")
	cmd.Flags().StringArrayVar(&flags.sets, "set", nil, "replace a value of the scenario: path=value, repeatable")
	cmd.Flags().BoolVar(&flags.json, "json", false, "print JSON")
	shell.AddDataFlag(cmd, &flags.data)
	return cmd
}

// describe prints package view's description of a network and draws its figures. An extension
// that cannot be drawn is refused before the network is built: a large network takes seconds to
// describe. No figure is written unless all of them can be drawn.
func (p topologyProgram) describe(cmd *cobra.Command, name string, flags topologyFlags) error {
	if flags.plot != "" {
		if err := shell.CheckPictureFile("plot", flags.plot); err != nil {
			return err
		}
	}
	if flags.overTime != "" {
		if err := shell.CheckFigureFile("over-time", flags.overTime); err != nil {
			return err
		}
	}
	if err := shell.CheckApart("plot", flags.plot, "over-time", flags.overTime); err != nil {
		return err
	}
	if flags.plot != "" && flags.arm == "" && flags.overTime == "" && !flags.json && !topologies.IsNetworkFile(name) {
		if drawn, err := p.drawArms(cmd, name, &flags); drawn || err != nil {
			return err
		}
	}
	if flags.plot == "" && flags.arm == "" && flags.overTime == "" && !flags.json && !topologies.IsNetworkFile(name) {
		if compared, err := p.compareArms(cmd, name, flags); compared || err != nil {
			return err
		}
	}
	found, err := p.measured(cmd, name, &flags)
	if err != nil {
		return err
	}
	if found.union != nil {
		if err := figure.SaveDiagram(found.union, flags.plot); err != nil {
			return err
		}
	}
	if flags.overTime != "" {
		if err := figure.Save(found.overTime, flags.overTime); err != nil {
			return err
		}
	}
	d := found.description
	if flags.json {
		// The description has its own JSON names, and pointers where a value may not
		// exist, which become null.
		text, err := json.MarshalIndent(d, "", "  ")
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", text)
		return err
	}
	return printNetwork(cmd.OutOrStdout(), &d)
}

// drawArms draws the networks of the arms of a scenario on one sheet; drawn is false where they have one network, and
// where a flag asks for a step of an arm. Where their pictures are the same it chooses the first arm.
func (p topologyProgram) drawArms(cmd *cobra.Command, name string, flags *topologyFlags) (drawn bool, err error) {
	if slices.ContainsFunc([]string{"at", "window", "bin"}, cmd.Flags().Changed) {
		return false, nil
	}
	s, err := p.scenarioOf(cmd, name, flags)
	if err != nil {
		return false, err
	}
	sheet, list, err := view.PictureOfArms(cmd.Context(), s, flags.seed)
	if sheet == nil || err != nil {
		if len(list) > 0 {
			flags.arm = s.Arms[0].Name
		}
		return false, err
	}
	if err := figure.SaveDiagram(sheet, flags.plot); err != nil {
		return false, err
	}
	if err := shell.WriteText(cmd.OutOrStdout(), "", fmt.Sprintf("%s: the networks of %s; --arm describes one\n", shell.Plain(flags.plot), document.Counted(len(s.Arms), "arm"))); err != nil {
		return true, err
	}
	return true, shell.WriteTable(cmd.OutOrStdout(), networksTable(list))
}

// compareArms prints a table of the networks of the arms of a scenario; compared is false where they have one network, and
// where a flag asks for a step of an arm.
func (p topologyProgram) compareArms(cmd *cobra.Command, name string, flags topologyFlags) (compared bool, err error) {
	if slices.ContainsFunc([]string{"at", "window", "bin"}, cmd.Flags().Changed) {
		return false, nil
	}
	s, err := p.scenarioOf(cmd, name, &flags)
	if err != nil {
		return false, err
	}
	list, err := view.NetworksOfArms(cmd.Context(), s, flags.seed)
	if len(list) == 0 || err != nil {
		return false, err
	}
	w := cmd.OutOrStdout()
	if err := shell.WriteText(w, "", fmt.Sprintf("%s: the networks of %s, under seed %d\n", s.Name, document.Counted(len(s.Arms), "arm"), flags.seed)); err != nil {
		return true, err
	}
	if err := shell.WriteTable(w, networksTable(list)); err != nil {
		return true, err
	}
	return true, shell.WriteText(w, "", "\nOf the first step: edges and spectral gap. --arm describes one network, and --plot FILE draws all.")
}

// measures are a network's description, and its figures where flags ask for them.
type measures struct {
	description view.NetworkDescription
	union       *diagram.Sheet
	overTime    figure.Figure
}

// measured describes and draws a network, by default at its first step. Where that takes long,
// the terminal shows the work.
func (p topologyProgram) measured(cmd *cobra.Command, name string, flags *topologyFlags) (m measures, err error) {
	board := &limits.Board{}
	board.Begin("measures of the network")
	defer shell.ShowWork(cmd, board)()
	network, err := p.networkOf(cmd, name, *flags)
	if err != nil {
		return m, err
	}
	if !cmd.Flags().Changed("at") {
		flags.at = network.FirstStep
	}
	if flags.plot != "" {
		if !cmd.Flags().Changed("at") && !cmd.Flags().Changed("window") {
			if m.union, err = network.Overview(cmd.Context()); err != nil {
				return m, err
			}
		}
		if m.union == nil {
			m.union, err = network.Picture(cmd.Context(), flags.at, flags.window)
		}
		if err != nil {
			return m, err
		}
	}
	if m.description, err = network.Describe(cmd.Context(), flags.at, flags.window); err != nil || flags.overTime == "" {
		return m, err
	}
	var remarks []string
	m.overTime, remarks, err = network.OverTime(cmd.Context(), flags.window)
	m.description.Remarks = append(m.description.Remarks, remarks...)
	return m, err
}

// networkOf reads the network of a file, or the network of an arm of a scenario. The extension
// of the name decides. A file of a network has one graph and no scenario: the flags of
// scenarios are refused with it. The seed of a scenario's network is the first of the scenario
// unless one is given; graphs that are drawn differ by seed.
func (p topologyProgram) networkOf(cmd *cobra.Command, name string, flags topologyFlags) (*view.Network, error) {
	if !topologies.IsNetworkFile(name) && flags.bin != "" {
		return nil, shell.Usage(fmt.Errorf("--bin is for edge lists; %s is a scenario: set bin in its topology", name))
	}
	if topologies.IsNetworkFile(name) {
		for _, flag := range []string{"arm", "seed", "set"} {
			if cmd.Flags().Changed(flag) {
				return nil, shell.Usage(fmt.Errorf("--%s is for scenarios; %s is the file of a network", flag, name))
			}
		}
		return view.ReadNetwork(name, flags.bin)
	}
	s, err := p.scenarioOf(cmd, name, &flags)
	if err != nil {
		return nil, err
	}
	return view.DescribeNetwork(s, flags.arm, flags.seed)
}

// scenarioOf loads a scenario with the overrides of the flags, and sets the seed where no flag does.
func (p topologyProgram) scenarioOf(cmd *cobra.Command, name string, flags *topologyFlags) (*study.Scenario, error) {
	var overrides []loading.Override
	for _, text := range flags.sets {
		o, err := loading.ParseOverride(text)
		if err != nil {
			return nil, shell.Usage(err)
		}
		overrides = append(overrides, o)
	}
	loader := p.Loader(flags.data)
	loader.Showing = true
	s, err := loader.Load(name, overrides...)
	if err == nil && !cmd.Flags().Changed("seed") {
		flags.seed = s.Seeds.Base
	}
	return s, err
}
