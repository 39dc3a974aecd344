package python

import (
	"math"

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
		return study.Note{Key: "regret", Value: "against the least losses that the class says, which nothing checks"}
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

// Corpus implements problems.AsCorpus: the costs of nodes stay with clients, a node each. A
// sample is the number of the node and a step.
func (Problem) Corpus(b *study.Builder, section *document.Node, samples int) (*problems.Corpus, error) {
	p, err := read(b, section, 1, false)
	if err != nil {
		return nil, err
	}
	if samples == 0 {
		samples = usualSamples
	}
	return &problems.Corpus{
		Dim: p.Dim(), Set: p.Set(), Start: start(p), Tests: p.Tests(), Classifies: p.Classifies(), Compared: p.Bests(), Fixed: true,
		Before: func(accountant.Relation) *ledger.Before { return nil },
		Notes:  append(append(p.code.Notes, regretNote(p)), keptNotes(p)...), Warnings: p.code.Warnings,
		Draw: func(seed uint64, clients int) (*problems.Divided, error) {
			if numbers := limits.Product(clients, samples); numbers > limits.Coordinates {
				return nil, document.At("algorithm.samples", "%d clients have %.3g samples in all; want at most %d", clients, numbers, limits.Coordinates)
			}
			return divided(p, p.CorpusOf(seed, clients, samples), clients), nil
		},
	}, nil
}

// keptNotes are notes on a class that clips where its gradients are, and on its start.
func keptNotes(p *remarked) (notes []study.Note) {
	if p.offers(pyproblem.Sums) {
		notes = append(notes, study.Note{Key: "clipping", Value: "in the class: the first sum of a seed and one of 1024 are held, within a part in 10^4, against gradients that are clipped here, and every sum to the length that so many have"})
	}
	if p.offers(pyproblem.Start) {
		notes = append(notes, study.Note{Key: "start", Value: "as the class returns it, which is taken to depend on no data"})
	}
	return notes
}

// divided returns the data of a seed. A failure of the class ends the run.
func divided(p *remarked, c *pyproblem.Corpus, clients int) *problems.Divided {
	ended := func(of func(x []float64) (float64, error)) func(x []float64) (float64, error) {
		return func(x []float64) (float64, error) {
			value, err := of(x)
			if err != nil {
				panic(batch.Failure{Err: err})
			}
			return value, nil
		}
	}
	d := &problems.Divided{Loss: ended(c.Loss), Together: c.Together(), Outside: c}
	for i := range clients {
		d.Clients = append(d.Clients, c.Client(i))
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
