package python

import (
	"starling/actors/algorithm/desk"
	"starling/mechanisms/accountant"
	"starling/scenarios/document"
	"starling/scenarios/external/costs"
	"starling/scenarios/ledger"
	"starling/scenarios/limits"
	"starling/scenarios/problem/stream"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// start begins at the centre of the set under every seed, or at 0 where there is none.
func start(p *remarked) func(uint64) []float64 {
	return func(uint64) []float64 {
		x := make([]float64, p.Dim())
		if set := p.Set(); set != nil {
			set.Center(x)
		}
		return x
	}
}

// regretNote says whether regret is recorded.
func regretNote(p *remarked) study.Note {
	if p.Bests() {
		return study.Note{Key: "regret", Value: "against the least losses that the class says, which nothing checks"}
	}
	return study.Note{Key: "regret", Value: "not recorded: the class offers no " + costs.Minimum}
}

// BuildStream has learners of a server meet the costs of nodes, a node each: a datum is the
// number of the node and the step. It is a problems.StreamBuilder.
func BuildStream(b *study.Builder, section *document.Node, a *study.ArmFile) (*problems.Stream, error) {
	p, err := read(b, section, a.Nodes, false)
	if err != nil {
		return nil, err
	}
	return &problems.Stream{
		Model: p.Model(), Set: p.Set(), GradientBound: p.GradientBound(), Start: start(p), Tests: p.Tests(),
		Asked: &problems.Asked{Fresh: p.Tests(), Tries: p.Classifies(), Best: p.Bests()}, Fixed: true,
		Check: func(stream.Shape) error { return nil },
		Draw:  func(seed uint64, shape stream.Shape) (stream.Instance, error) { return p.DataOf(seed, shape), nil },
		Notes: append(p.code.Notes, regretNote(p)), Warnings: p.code.Warnings,
	}, nil
}

// usualSamples are those of a client where the scenario does not say.
const usualSamples = 100

// BuildCorpus has the costs of nodes stay with clients, a node each: a sample is the number of
// the node and a step. It is a problems.CorpusBuilder.
func BuildCorpus(b *study.Builder, section *document.Node, samples int) (*problems.Corpus, error) {
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
		Notes:  append(p.code.Notes, regretNote(p)), Warnings: p.code.Warnings,
		Draw: func(seed uint64, clients int) (*problems.Divided, error) {
			if numbers := limits.Product(clients, samples); numbers > limits.Coordinates {
				return nil, document.At("algorithm.samples", "%d clients have %.3g samples in all; want at most %d", clients, numbers, limits.Coordinates)
			}
			return divided(p, p.CorpusOf(seed, clients, samples), clients), nil
		},
	}, nil
}

// divided are the data of a seed. What goes wrong in the class ends the run.
func divided(p *remarked, c *costs.Corpus, clients int) *problems.Divided {
	ended := func(of func(x []float64) (float64, error)) func(x []float64) (float64, error) {
		return func(x []float64) (float64, error) {
			value, err := of(x)
			if err != nil {
				panic(desk.Failure{Err: err})
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
	return d
}
