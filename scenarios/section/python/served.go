package python

import (
	"math"
	"slices"

	"starling/actors/algorithm/batch"
	"starling/actors/algorithm/mirror"
	"starling/mechanisms/accountant"
	"starling/scenarios/document"
	"starling/scenarios/ledger"
	"starling/scenarios/limits"
	"starling/scenarios/problem"
	"starling/scenarios/problem/pyproblem"
	"starling/scenarios/problem/stream"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// start returns a start at the centre of the set under every seed, or at 0 where there is no
// set.
func start(p *remarked) func(uint64) []float64 {
	return func(uint64) []float64 {
		x := make([]float64, p.Dim())
		if set := p.Set(); set != nil {
			set.Center(x)
		}
		return x
	}
}

// regretNote returns the note on whether regret is recorded.
func regretNote(p *remarked) study.Note {
	if p.Bests() {
		return study.Note{Key: "regret", Value: "against the least losses stated by the class, which are not checked"}
	}
	return study.Note{Key: "regret", Value: "not recorded: the class offers no " + pyproblem.Minimum}
}

// Stream implements problems.AsStream: learners of a server meet the costs of nodes, a node
// each. A datum is the number of the node and the step.
func (Problem) Stream(b *study.Builder, section *document.Node, a *study.ArmFile) (*problems.Stream, error) {
	p, err := readPassing(b, section, a.Nodes, false)
	if err != nil {
		return nil, err
	}
	return &problems.Stream{
		Model: p.Model(), Set: p.Set(), GradientBound: p.GradientBound(), Start: start(p), Tests: p.Tests(),
		Asked: &problems.Asked{Fresh: p.Tests(), Tries: p.Classifies(), Best: p.Bests()}, Fixed: true,
		Check: func(stream.Shape) error { return nil },
		Draw:  func(seed uint64, shape stream.Shape) (problem.Data, error) { return p.DataOf(seed, shape), nil },
		Notes: append(p.code.Notes, regretNote(p)), Warnings: p.code.Warnings,
	}, nil
}

// usualSamples is the default number of samples of a client.
const usualSamples = 100

// Trains implements problems.AsTrainer. Faults of the section are told where it is read.
func (Problem) Trains(section *document.Node) bool {
	offers, _ := section.Get("offers")
	var list []string
	return offers != nil && document.Decode(offers, &list) == nil && slices.Contains(list, pyproblem.Local)
}

// Keeps implements problems.AsTrainer.
func (Problem) Keeps(section *document.Node) int {
	state, _ := section.Get("state")
	var kept int
	if state == nil || document.Decode(state, &kept) != nil {
		return 0
	}
	return max(0, kept)
}

// Corpus implements problems.AsCorpus: the costs of nodes stay with clients, a node each. A
// sample is the number of the node and a step.
func (Problem) Corpus(b *study.Builder, section *document.Node, samples int) (*problems.Corpus, error) {
	p, err := read(b, section, 1, false)
	if err != nil {
		return nil, err
	}
	if samples != 0 && p.sizes != nil {
		return nil, document.At("algorithm.samples", "problem.sizes has the number of samples of each client; leave one of the two out")
	}
	c := p.corpus()
	c.Draw = func(seed uint64, clients int) (*problems.Divided, error) {
		of, err := p.extent(clients, samples)
		if err != nil {
			return nil, err
		}
		return divided(p, p.CorpusOf(seed, of), of), nil
	}
	return c, nil
}

// extent returns the numbers of samples of so many clients, of samples each, or of the usual number where it
// is 0.
func (p *remarked) extent(clients, samples int) (pyproblem.Extent, error) {
	of, numbers := pyproblem.Extent{Clients: clients, Samples: samples}, 0.0
	switch {
	case p.sizes != nil && len(p.sizes) < clients: // an audit may have fewer clients
		return of, document.At("sizes", "%d sizes of %d clients; want one for each", len(p.sizes), clients)
	case p.sizes != nil:
		of.Sizes = p.sizes[:clients]
		of.Samples = slices.Max(of.Sizes)
		for _, size := range of.Sizes {
			numbers += float64(size)
		}
	case samples == 0:
		of.Samples = usualSamples
		fallthrough
	default:
		numbers = limits.Product(clients, of.Samples)
	}
	if numbers > limits.Coordinates {
		return of, document.At("algorithm.samples", "%d clients have %.3g samples in all; want at most %d", clients, numbers, limits.Coordinates)
	}
	return of, nil
}

// corpus is the data of clients, which are not divided yet.
func (p *remarked) corpus() *problems.Corpus {
	return &problems.Corpus{
		Dim: p.Dim(), Set: p.Set(), Start: start(p), Tests: p.Tests(), Classifies: p.Classifies(), Compared: p.Bests(), Trains: p.Trains(), Own: p.metrics, Sized: len(p.sizes), Fixed: true,
		Before: func(accountant.Relation) *ledger.Before { return nil },
		Notes:  append(append(p.code.Notes, regretNote(p)), keptNotes(p)...), Warnings: p.code.Warnings,
	}
}

// Population implements problems.AsPopulation: a class is asked for the clients that take part, and for the clients
// of a panel.
func (Problem) Population(b *study.Builder, section *document.Node, clients, samples, panel int) (*problems.Corpus, error) {
	p, err := read(b, section, 1, false)
	if err != nil {
		return nil, err
	}
	whole := pyproblem.Extent{Clients: clients, Samples: samples}
	switch {
	case p.sizes == nil && samples == 0:
		whole.Samples = usualSamples
	case p.sizes == nil:
	case samples != 0:
		return nil, document.At("algorithm.samples", "problem.sizes has the number of samples of each client; leave one of the two out")
	case len(p.sizes) < clients: // an audit may have fewer clients
		return nil, section.Resolve(document.At("sizes", "%d sizes of %d clients; want one for each", len(p.sizes), clients))
	default:
		whole.Samples, whole.Sizes = slices.Max(p.sizes[:clients]), p.sizes[:clients]
	}
	if numbers := limits.Product(panel, whole.Samples); numbers > limits.Coordinates {
		return nil, document.At("algorithm.panel", "a panel of %d clients has %.3g samples; want at most %d, which %d clients have", panel, numbers, limits.Coordinates, limits.Coordinates/whole.Samples)
	}
	c := p.corpus()
	c.Compared = false
	c.Draw = func(seed uint64, _ int) (*problems.Divided, error) {
		of := whole
		of.Panel = problems.Panel(seed, clients, panel)
		data := p.CorpusOf(seed, of)
		d := divided(p, data, of)
		d.Clients, d.Together, d.Least = nil, nil, nil
		d.Passing = func(client int) problems.Passing { return data.Client(client) }
		losses := ended(data.Losses)
		means := func(x []float64) []float64 {
			list, _ := losses(x) // a failure ends the run
			return list
		}
		d.Estimates = &problems.Estimates{Nodes: of.Panel, Losses: means, Loss: func(x []float64) float64 { return stream.StandardError(means(x), clients) }}
		if of.Sizes != nil {
			d.Sizes = func(client int) int { return of.Sizes[client] }
			sizes := make([]int, len(of.Panel))
			for i, node := range of.Panel {
				sizes[i] = of.Sizes[node]
			}
			d.Estimates.Loss = func(x []float64) float64 { return stream.RatioError(means(x), sizes, clients) }
		}
		return d, nil
	}
	return c, nil
}

// keptNotes are notes on a class that clips where its gradients are, and on its start.
func keptNotes(p *remarked) (notes []study.Note) {
	if p.offers(pyproblem.Sums) {
		notes = append(notes, study.Note{Key: "clipping", Value: "in the class: the first sum of a seed and one of 1024 are held, within a part in 10^4, against gradients that are clipped here, and every sum to the length that so many have"})
	}
	if p.offers(pyproblem.Local) {
		notes = append(notes, study.Note{Key: "local steps", Value: "as in the class; the update of a client is clipped by Starling"})
	}
	if p.offers(pyproblem.Start) {
		notes = append(notes, study.Note{Key: "start", Value: "as the class returns it; it is assumed to depend on no data"})
	}
	return notes
}

// ended has a failure of the class end the run.
func ended[T any](of func(x []float64) (T, error)) func(x []float64) (T, error) {
	return func(x []float64) (T, error) {
		value, err := of(x)
		if err != nil {
			panic(batch.Failure{Err: err})
		}
		return value, nil
	}
}

// divided returns the data of a seed.
func divided(p *remarked, c *pyproblem.Corpus, of pyproblem.Extent) *problems.Divided {
	d := &problems.Divided{Loss: ended(c.Loss), Together: c.Together(), Outside: c}
	if of.Panel == nil {
		for i := range of.Clients {
			d.Clients = append(d.Clients, c.Client(i))
		}
	}
	if p.Classifies() {
		d.Accuracy = ended(c.Accuracy)
	}
	if p.Tests() {
		d.FreshLoss = ended(c.FreshLoss)
	}
	if p.Bests() {
		d.Least = c.Least
	}
	if p.metrics != nil {
		d.Measure = ended(c.Measure)
	}
	if p.Begins() {
		d.Start = c.Start
	}
	return d
}

// Losses implements problems.AsLosses: the costs of nodes, a node each.
func (Problem) Losses(b *study.Builder, section *document.Node, a *study.ArmFile) (*problems.Adversary, error) {
	p, err := readPassing(b, section, a.Nodes, false)
	if err != nil {
		return nil, err
	}
	if set := p.Set(); set != nil && set.Kind() != mirror.KindSimplex {
		return nil, section.Resolve(document.At("set", "this algorithm decides on the simplex; give set: {kind: %s, dimension: %d}", mirror.KindSimplex, p.Dim()))
	}
	alpha, beta := p.GradientBound(), 0.0
	if !p.linear {
		var known bool
		if beta, known = p.Smoothness(); !known || math.IsInf(alpha, 1) {
			return nil, section.Issuef("prediction on the simplex needs gradient_bound, which entries of gradients are held to, and smoothness, by which trees are chosen, of convex losses; or linear: true")
		}
	} else if math.IsInf(alpha, 1) {
		return nil, section.Issuef("losses of experts need gradient_bound, the largest of them")
	}
	said := "the scenario states that losses are convex, which nothing checks"
	if p.linear {
		said = "losses are linear at step 1, which is checked, and taken to be at all others"
	}
	adversary := &problems.Adversary{
		Experts: p.Dim(), Linear: p.linear, Alpha: alpha, Beta: beta, Model: p.Model(), Tests: p.Tests(), Classifies: p.Classifies(),
		Asked: &problems.Asked{Fresh: p.Tests(), Tries: p.Classifies(), Best: p.Bests()},
		Notes: append(p.code.Notes, regretNote(p), study.Note{Key: "losses", Value: said}), Warnings: p.code.Warnings,
		Draw: func(seed uint64, horizon int) (problem.Instance, error) {
			return p.ClientsOf(seed, horizon, p.linear), nil
		},
	}
	return adversary, nil
}

// LinearLosses implements problems.AsLinearLosses, of losses that the section declares linear.
func (Problem) LinearLosses(b *study.Builder, section *document.Node, a *study.ArmFile) (*problems.Adversary, error) {
	p, err := Problem{}.Losses(b, section, a)
	switch {
	case err != nil:
		return nil, err
	case !p.Linear:
		err = document.At("linear", "losses of experts in [0, 1] are needed, and these are not said to be linear in the decision; give linear: true, if they are")
	case p.Alpha > 1:
		err = document.At("gradient_bound", "losses of experts in [0, 1] are needed, and these are up to %.6g; give gradient_bound: 1, or less", p.Alpha)
	}
	return p, section.Resolve(err)
}
