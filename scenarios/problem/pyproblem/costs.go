package pyproblem

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"starling/actors/algorithm/mirror"
	"starling/mechanisms/kernel"
	"starling/messages"
	"starling/scenarios/problem"
)

// The methods that a class may offer beside losses and gradients.
const (
	// Classify is classify(x, nodes, step). It returns truth values of shape (k, m): whether
	// each decision is right about each of m fresh data of its node.
	Classify = "classify"
	// TestLoss is test_loss(x, nodes, step): the mean loss on fresh data, of shape (k,).
	TestLoss = "test_loss"
	// Minimum is minimum(first, last): the least mean loss, over all nodes and the steps
	// first to last, of one decision of the set, a number.
	Minimum = "minimum"
	// Target is target(step): the true position that is to be found, of shape (d,).
	Target = "target"
)

// CostOptions describe a problem.
type CostOptions struct {
	// Kind is the name of the problem in scenarios.
	Kind    string
	Program *Program
	// File and Class name the class, for errors too. Arguments are keyword arguments of
	// __init__ beside seed, nodes, horizon and dimension.
	File, Class string
	Arguments   map[string]any
	Nodes       int
	// Set is the set that decisions are from; nil means all of R^d, with d = Dimension. Nodes
	// that are equals need one.
	Set       mirror.Set
	Dimension int
	// GradientBound and Smoothness are the constants of the costs on the set, in 2-norm; +Inf
	// where they are not known.
	GradientBound, Smoothness float64
	// Offers names the methods of the class beside losses and gradients.
	Offers []string
	// Kept is the number of numbers that a client keeps from round to round, for Local.
	Kept int
	// Metrics are the names of numbers that Measure returns; nil is none.
	Metrics []string
}

// Problem is costs that a class computes. It implements problem.Problem.
type Problem struct{ o CostOptions }

// NewCosts returns a problem. The options are from a scenario that was checked.
func NewCosts(o CostOptions) *Problem { return &Problem{o} }

// Kind implements problem.Problem.
func (p *Problem) Kind() string { return p.o.Kind }

// Dim implements problem.Problem.
func (p *Problem) Dim() int {
	if p.o.Set == nil {
		return p.o.Dimension
	}
	return p.o.Set.Dim()
}

// Nodes implements problem.Problem.
func (p *Problem) Nodes() int { return p.o.Nodes }

// Set implements problem.Problem.
func (p *Problem) Set() mirror.Set { return p.o.Set }

// GradientBound implements problem.Problem.
func (p *Problem) GradientBound() float64 { return p.o.GradientBound }

// Smoothness implements problem.Problem.
func (p *Problem) Smoothness() (beta float64, finite bool) {
	if math.IsInf(p.o.Smoothness, 1) {
		return 0, false
	}
	return p.o.Smoothness, true
}

// offers reports whether the class has a method.
func (p *Problem) offers(name string) bool { return slices.Contains(p.o.Offers, name) }

// Tracks reports whether instances have a target, without drawing.
func (p *Problem) Tracks() bool { return p.offers(Target) }

// Classifies reports whether instances can try decisions on fresh data, without drawing.
func (p *Problem) Classifies() bool { return p.offers(Classify) }

// Tests reports whether instances have losses on fresh data, without drawing.
func (p *Problem) Tests() bool { return p.offers(TestLoss) }

// Begins reports whether the class has a model that clients begin with.
func (p *Problem) Begins() bool { return p.offers(Start) }

// Trains reports whether clients take local steps of their own.
func (p *Problem) Trains() bool { return p.offers(Local) }

// Bests reports whether instances know the least losses, without drawing.
func (p *Problem) Bests() bool { return p.offers(Minimum) }

// Draw makes the object of a seed, in a child process. The error is from its start, from the
// user's code, or about a class that lacks a method.
func (p *Problem) Draw(seed uint64, horizon int) (problem.Instance, error) {
	in := p.instance(seed, p.o.Nodes, horizon)
	if err := in.Open(); err != nil {
		return nil, err
	}
	if p.Tracks() {
		return Tracked{in}, nil
	}
	return in, nil
}

// instance returns the instance of a seed, for nodes and steps. No child process is started
// for it before Open, or the first question.
func (p *Problem) instance(seed uint64, nodes, horizon int) *Instance {
	arguments := map[string]any{"seed": seed, "nodes": nodes, "horizon": horizon, "dimension": p.Dim()}
	for name, value := range p.o.Arguments {
		arguments[name] = value
	}
	all := sync.OnceValue(func() []float64 {
		list := make([]float64, nodes)
		for i := range list {
			list[i] = float64(i)
		}
		return list
	})
	return &Instance{problem: p, object: p.o.Program.Object(p.o.Class, arguments), all: all}
}

// Open makes the object. Errors are as of Problem.Draw; the instance is then released.
func (in *Instance) Open() error {
	has, err := in.object.Describe()
	if err == nil {
		err = in.problem.check(has)
	}
	if err != nil {
		in.object.Release()
	}
	return err
}

// check refuses a class that lacks a method, or has attributes that contradict the scenario.
func (p *Problem) check(has Description) error {
	var lacks []string
	for _, name := range p.needs() {
		if !slices.Contains(has.Methods, name) {
			lacks = append(lacks, name)
		}
	}
	if len(lacks) > 0 {
		return fmt.Errorf("%s: the class %s lacks %s", p.o.File, p.o.Class, strings.Join(lacks, ", "))
	}
	for name, want := range map[string]float64{"gradient_bound": p.o.GradientBound, "smoothness": p.o.Smoothness} {
		if said, ok := has.Attributes[name].(float64); ok && said != want {
			return fmt.Errorf("%s: the class %s says %s = %v, and the scenario %v", p.o.File, p.o.Class, name, said, want)
		}
	}
	return nil
}

// needs are the methods that a class has to have. One with local steps of its own is asked for no gradient, and
// one that knows the loss of every datum for no other.
func (p *Problem) needs() []string {
	list := slices.Clone(p.o.Offers)
	if p.o.Metrics != nil {
		list = append(list, Measure)
	}
	if !p.offers(EachLoss) || !p.Trains() {
		list = append(list, "loss")
	}
	if !p.Trains() {
		list = append(list, "gradient")
	}
	return list
}

// Instance is the costs of a seed. It implements problem.Instance and batch.Costs.
type Instance struct {
	problem *Problem
	object  *Object
	all     func() []float64 // the numbers of all nodes
	free    sync.Pool        // of *[]float64
	asked   sync.Pool        // of *rows
}

// Release gives back the child process. There are no calls after it.
func (in *Instance) Release() { in.object.Release() }

// question is a call of a method for nodes.
type question struct {
	method string
	nodes  []float64
	step   int
	x      []float64 // rows side by side; nil for a method that takes none
	rows   int       // of x
	shape  []int     // of the answer
	over   bool      // every row of x is for every node, and answers are summed over them
	into   []float64 // memory for the answer; nil means new memory
}

// what returns the call in the terms of the user's code, for errors.
func (in *Instance) what(q *question) string {
	o := &in.problem.o
	nodes := fmt.Sprintf("%d nodes from %v to %v", len(q.nodes), q.nodes[0], q.nodes[len(q.nodes)-1])
	if len(q.nodes) == 1 {
		nodes = fmt.Sprintf("node %v", q.nodes[0])
	}
	return fmt.Sprintf("%s: %s.%s of %s at step %d", o.File, o.Class, q.method, nodes, q.step)
}

// ask makes the call, and returns the answer and the lengths of its dimensions.
func (in *Instance) ask(q *question) ([]float64, []int, error) {
	call := Call{
		Method: q.method, What: in.what(q), Shape: q.shape, Integers: []string{"nodes", "step"}, Into: q.into,
		Arrays: []Array{
			{Name: "x", Shape: []int{q.rows, in.problem.Dim()}, Values: q.x},
			{Name: "nodes", Shape: []int{len(q.nodes)}, Values: q.nodes},
			{Name: "step", Values: []float64{float64(q.step)}},
		},
	}
	if q.over {
		call.Over = "nodes"
	}
	arrays, err := in.object.Call(&call)
	if err != nil {
		return nil, nil, err
	}
	got := arrays[0]
	if !kernel.AllFinite(got.Values) {
		return nil, nil, &Error{What: call.What, Cause: in.notFinite(q, &got)}
	}
	return got.Values, got.Shape, nil
}

// notFinite returns an error that names the first number of an answer that is not finite.
func (in *Instance) notFinite(q *question, got *Array) error {
	i := slices.IndexFunc(got.Values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	if q.over {
		return fmt.Errorf("the sum over the nodes is %v", got.Values[i])
	}
	row := i / (len(got.Values) / len(q.nodes))
	return fmt.Errorf("it returned %v for node %v, of whose decision the first entry is %v", got.Values[i], q.nodes[row], q.x[row*in.problem.Dim()])
}

// rowsOf asks a method for a row of numbers of each node, and writes the rows to dst.
func (in *Instance) rowsOf(method string, dst []float64, nodes []messages.NodeID, step int, x []float64, shape ...int) error {
	numbers := in.numbers(nodes)
	defer in.free.Put(numbers)
	_, _, err := in.ask(&question{method: method, nodes: *numbers, step: step, x: x, rows: len(nodes), shape: append([]int{len(nodes)}, shape...), into: dst})
	return err
}

// numbers returns the numbers of nodes, in memory to be put back.
func (in *Instance) numbers(nodes []messages.NodeID) *[]float64 {
	list := in.memory()
	for _, node := range nodes {
		*list = append(*list, float64(node))
	}
	return list
}

// memory returns an empty list to be put back.
func (in *Instance) memory() *[]float64 {
	list, ok := in.free.Get().(*[]float64)
	if !ok {
		list = new([]float64)
	}
	*list = (*list)[:0]
	return list
}
