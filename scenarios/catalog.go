package scenarios

import (
	"starling/scenarios/document"
	"starling/scenarios/problem"
)

// Entry is what the catalog says of one kind.
type Entry struct {
	Kind    string `json:"kind"`
	Summary string `json:"summary"`
}

// kind is an entry with what builds it from its section of a scenario.
type kind[B any] struct {
	Entry
	build B
}

type (
	algorithmBuilder = func(*armFile, problem.Problem) (algorithmPlan, error)
	problemBuilder   = func(section *document.Node, nodes int) (problem.Problem, error)
	topologyBuilder  = func(section *document.Node, nodes int) (*topologyPlan, error)
	mechanismBuilder = func(section *document.Node) (laplaceSection, error)
)

// The catalog. A new algorithm, problem, topology or mechanism is one package
// and one line here; lists, validation and the README follow from it.
var (
	algorithms = []kind[algorithmBuilder]{
		{Entry{"dpdonc", "DPDO-NC: private distributed online mirror descent on time-varying digraphs (Zhou, Li)"}, buildDPDONC},
	}
	problems = []kind[problemBuilder]{
		{Entry{problem.KindLocalization, "sensors find a moving target from distances (nonconvex)"}, buildLocalization},
		{Entry{problem.KindLogistic, "logistic regression on FedProx-style synthetic streams (convex)"}, buildLogistic},
		{Entry{problem.KindRobustRegression, "regression with the Geman-McClure loss and gross outliers (nonconvex)"}, buildRobustRegression},
	}
	topologies = []kind[topologyBuilder]{
		{Entry{"printed", "A1, A2, A3 of DPDO-NC, section 5, in turn; 6 nodes"}, buildPrinted},
		{Entry{"matrices", "given weight matrices, in turn"}, buildMatrices},
		{Entry{"ring", "directed ring, half the weight on the node itself"}, buildRing},
		{Entry{"complete", "every node to every other, with or without itself"}, buildComplete},
		{Entry{"circulant", "each node from itself and the given number before it"}, buildCirculant},
		{Entry{"permutations", "random regular digraph, redrawn every so many steps, drawn for each seed"}, buildPermutations},
	}
	mechanisms = []kind[mechanismBuilder]{
		{Entry{"laplace", "Laplace noise on every message, calibrated to epsilon a step; none runs without"}, buildLaplace},
	}
)

// Algorithms, Problems, Topologies and Mechanisms list the catalog.
func Algorithms() []Entry { return entries(algorithms) }

// Problems lists the problems.
func Problems() []Entry { return entries(problems) }

// Topologies lists the topologies.
func Topologies() []Entry { return entries(topologies) }

// Mechanisms lists the mechanisms.
func Mechanisms() []Entry { return entries(mechanisms) }

func entries[B any](kinds []kind[B]) []Entry {
	list := make([]Entry, len(kinds))
	for i, k := range kinds {
		list[i] = k.Entry
	}
	return list
}

// find returns what builds a section, by the kind that the section names.
func find[B any](kinds []kind[B], section *document.Node) (build B, err error) {
	name, err := kindOf(section)
	if err != nil {
		return build, err
	}
	names := make([]string, len(kinds))
	for i, k := range kinds {
		if names[i] = k.Kind; k.Kind == name {
			return k.build, nil
		}
	}
	return build, unknownKind(section, name, names)
}
