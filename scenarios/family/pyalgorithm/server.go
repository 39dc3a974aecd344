package pyalgorithm

import (
	_ "embed" // of servers.py
	"fmt"
	"strings"

	asked "starling/actors/algorithm/batch"
	"starling/mechanisms/robust"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/federated"
	"starling/scenarios/federated/aggregation"
	"starling/scenarios/federated/machine"
	"starling/scenarios/metric"
	"starling/scenarios/problem/pyproblem"
	"starling/scenarios/section/python"
	"starling/scenarios/study"
)

// serverAdapter is the Python program around the user's code.
//
//go:embed servers.py
var serverAdapter []byte

// KindServer is the kind of algorithms with a server that a class in Python is.
const KindServer = "own-server"

// Server is the algorithm of a server that is a class in Python: it makes the next model of the
// mean of what clients send, each the change of the model by its local steps. It computes of
// sums that were noised before, which costs no privacy; clipping, noise, participation and the
// ledger are as in other algorithms of a server.
//
// With a method local the class has the local steps of clients, too. A message of a client is the change of the
// server's, so that noise and the ledger need no trust in the class.
var Server = federated.Algorithm[serverOptions]{
	Name: KindServer, Summary: "your own server: a class in a Python file computes the next model from the mean update of clients, and may have their local steps",
	Defaults: serverOptions{Source: python.DefaultSource(), Vectors: 1}, Participation: aggregation.Everybody(),
	Changes: true, Client: changes, Resolve: resolveServer,
}

// serverOptions are the keys of the section.
type serverOptions struct {
	Source  python.Source `yaml:",inline"`
	Vectors int           `yaml:"vectors" min:"1" max:"16" says:"%v vectors" unit:"vectors" doc:"vectors of the model's length in a message, to and from the server, the model first: all are clipped, and have noise, together; more than 1 are for a class with a method local; absent, none"`
	Keeps   int           `yaml:"keeps" min:"0" max:"16" says:"%v vectors" unit:"vectors" doc:"vectors of the model's length that a client keeps from round to round, for a class with a method local; absent, none"`
}

// changes returns a client that sends the change of the model by its local steps.
func changes(_ *serverOptions, at *machine.Setting, client int) machine.Client {
	return machine.Change(at, client)
}

// resolveServer has the algorithm's server be of the class that options name.
func resolveServer(b *study.Builder, f *study.ArmFile, o *serverOptions, a *federated.Algorithm[serverOptions]) error {
	c, err := find(b, f, &options{o.Source}, serverAdapter)
	if err != nil {
		return err
	}
	own := c.has("local")
	switch {
	case b.Data.Showing:
	case !c.has("adopt"):
		return document.At("name", "the class %s has no method adopt(state, model, mean, round)", c.name)
	case !own && o.Vectors > 1:
		return document.At("vectors", "clients of the class %s take the local steps of the scenario, which change the model alone; give the class a method local(turn), or leave this out", c.name)
	case !own && o.Keeps > 0:
		return document.At("keeps", "clients of the class %s take the local steps of the scenario, and keep nothing; give the class a method local(turn), or leave this out", c.name)
	}
	a.Parts, a.Kept, a.Changes = o.Vectors, o.Keeps, o.Vectors == 1
	office := &serverOffice{pool: c.objects, class: c.name, vectors: o.Vectors, twice: b.Data.Twice}
	a.Remarks = study.Remarks{Notes: c.code.Notes, Warnings: c.code.Warnings}
	a.Server = func(_ *serverOptions, at *machine.Setting) machine.Server {
		return &server{office: office, dim: at.Dim}
	}
	if c.has("combine") {
		if _, given := f.Algorithm.Get("combine"); given {
			return document.At("combine", "the class %s has a method combine; leave one of the two out", c.name)
		}
		a.Combine = &rule{office}
	}
	if !own {
		return nil
	}
	if a.Metrics, err = c.metrics(); err != nil {
		return err
	}
	clients := &clientOffice{pool: c.objects, class: c.name, vectors: o.Vectors, keeps: o.Keeps, twice: b.Data.Twice}
	for _, m := range a.Metrics {
		clients.metrics = append(clients.metrics, strings.TrimPrefix(m.Name, metric.Own))
	}
	a.Steps = true
	a.Client = func(_ *serverOptions, at *machine.Setting, index int) machine.Client {
		return newClient(clients, at, index)
	}
	return nil
}

// serverOffice asks objects of a class.
type serverOffice struct {
	pool    *pyproblem.Pool
	class   string
	vectors int
	twice   bool
}

// shape is the shape of the vectors of a message of so many numbers each.
func (o *serverOffice) shape(dim int) []int {
	if o.vectors == 1 {
		return []int{dim}
	}
	return []int{o.vectors, dim}
}

// call calls a method of an object. A failure of the user's code ends the run.
func (o *serverOffice) call(method, what string, arrays ...pyproblem.Array) []pyproblem.Array {
	object := o.pool.Take()
	defer o.pool.Give(object)
	answer, err := object.Call(&pyproblem.Call{Method: method, What: what, Arrays: arrays})
	if err != nil {
		panic(asked.Failure{Err: err})
	}
	return answer
}

// rule is the method combine of a class: it makes one vector of the vectors of clients, in place of their mean.
type rule struct{ office *serverOffice }

// Combine implements robust.Rule.
func (r *rule) Combine(dst, _ []float64, list []robust.Vector, _ *robust.Work) {
	o, values := r.office, make([]float64, 0, len(list)*len(dst))
	for _, v := range list {
		values = append(values, v.Values[:len(dst)]...)
	}
	arrays := []pyproblem.Array{{Name: "vectors", Shape: append([]int{len(list)}, o.shape(len(dst)/o.vectors)...), Values: values}}
	if o.twice {
		arrays = append(arrays, pyproblem.Array{Name: "twice", Values: []float64{1}})
	}
	answer := o.call("combine", fmt.Sprintf("%s.combine of %s", o.class, document.Counted(len(list), "vector")), arrays...)
	copy(dst, answer[0].Values)
}

// Least implements robust.Rule.
func (*rule) Least() int { return 1 }

// server is the machine of a server: its memory is the class's state.
type server struct {
	office *serverOffice
	dim    int
	begun  bool // there is a state
	round  int  // the last one
	state  state
}

// Adopt implements machine.Server.
func (s *server) Adopt(said, mean []float64) {
	if !s.begun {
		s.keep(s.office.call("first", fmt.Sprintf("%s.state", s.office.class), pyproblem.Array{Name: "start", Shape: s.office.shape(s.dim), Values: said}))
		s.begun = true
	}
	s.round++
	arrays := []pyproblem.Array{
		{Name: "model", Shape: s.office.shape(s.dim), Values: said},
		{Name: "mean", Shape: s.office.shape(s.dim), Values: mean},
		{Name: "round", Values: []float64{float64(s.round)}},
	}
	if s.office.twice {
		arrays = append(arrays, pyproblem.Array{Name: "twice", Values: []float64{1}})
	}
	for _, e := range s.state.entries {
		arrays = append(arrays, pyproblem.Array{Name: statePrefix + e.name, Shape: e.shape, Values: e.values})
	}
	copy(said, s.keep(s.office.call("adopt", fmt.Sprintf("%s.adopt in round %d", s.office.class, s.round), arrays...)))
}

// keep takes the state of an answer, and returns the model in it; nil where there is none.
func (s *server) keep(answer []pyproblem.Array) (model []float64) {
	s.state.entries = s.state.entries[:0]
	for _, a := range answer {
		if name, ok := strings.CutPrefix(a.Name, statePrefix); ok {
			s.state.entries = append(s.state.entries, entry{name: name, shape: a.Shape, values: a.Values})
		} else {
			model = a.Values
		}
	}
	return model
}

// State implements messages.Stateful.
func (s *server) State(c *messages.Codec) {
	c.Bool("begun", &s.begun)
	c.Int("round", &s.round)
	s.state.State(c)
}

// statePrefix begins the names of arrays that are entries of a state.
const statePrefix = "state."
