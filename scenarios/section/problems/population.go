package problems

import (
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/kind"
	"starling/scenarios/limits"
	"starling/scenarios/problem"
	"starling/scenarios/problem/stream"
	"starling/scenarios/study"
)

// A population is clients that are too many for their data to be held. The data of a client are
// drawn from its key when it takes part, and dropped after. Values over the data of all clients
// are estimated from a panel: clients that are drawn from the seed. A job holds their data.

// UsualPanel is the default number of clients of a panel.
const UsualPanel = 100

// panelPurpose keys the draw of a panel: arms of one seed have the same.
var panelPurpose = rng.PurposeOf("population.panel")

// Estimates are the standard errors of values that are estimated from a panel, and the values of its clients.
type Estimates struct {
	// Loss and Accuracy are standard errors; Accuracy is nil where accuracy is not estimated.
	Loss, Accuracy func(x []float64) float64
	// Nodes are the clients of the panel, from 0. Losses and Accuracies are their values of a model;
	// Accuracies is nil as Accuracy is.
	Nodes              []messages.NodeID
	Losses, Accuracies func(x []float64) []float64
}

// AsPopulation is the capability of a problem with data in memory, from which each of any number of clients
// draws its own.
type AsPopulation interface {
	// Population returns the corpus of so many clients, with samples data of each, or all where it is 0,
	// and of a panel. The data of Divided are Passing.
	Population(b *study.Builder, section *document.Node, clients, samples, panel int) (*Corpus, error)
}

// Panel draws the clients of a panel under a seed, from 0 and ascending.
func Panel(seed uint64, clients, panel int) []messages.NodeID {
	var draws rng.Stream
	return rng.Sample[messages.NodeID](draws.Open(rng.NewKey(seed, panelPurpose), 0, 0, 0), clients, panel)
}

// ReadPopulation is ReadCorpus for clients with data that are not held, and for a panel of so many
// clients. It refuses problems that cannot draw the data of one client
// alone.
func ReadPopulation(b *study.Builder, a *study.ArmFile, algorithm string, samples *int, panel int) (*Corpus, error) {
	panel = min(panel, a.Nodes)
	if piece, err := kind.PieceOf[AsPopulation](b.Kinds.Problems, a.Problem, "the algorithm "+algorithm); err == nil {
		count := 0
		if samples != nil {
			count = *samples
		}
		return piece.Population(b, a.Problem, a.Nodes, count, panel)
	}
	count := usualSamples
	if samples != nil {
		count = *samples
	}
	piece, err := kind.PieceOf[AsStream](b.Kinds.Problems, a.Problem, "the algorithm "+algorithm)
	if err != nil {
		return nil, err
	}
	long := *a
	long.Horizon = count
	p, err := piece.Stream(b, a.Problem, &long)
	if err != nil {
		return nil, ofSamples(a, err)
	}
	switch {
	case p.Passing == nil:
		return nil, document.At("problem.kind", "the data of all clients are held at once; draw: server is for problems that draw the data of one client from its key, such as synthetic-logistic, or images and rows of a table that are drawn")
	case p.Sizes != nil:
		return nil, a.Problem.Resolve(document.At("sizes", "sizes that differ are divided among all clients at once; leave this out, or want algorithm.draw: clients"))
	case p.Stays != nil:
		return nil, a.Problem.Resolve(p.Stays())
	}
	width, tests := p.Source.Width, p.Source.Tests
	if numbers := limits.Product(panel, count+tests, width); numbers > limits.Coordinates {
		return nil, document.At("algorithm.panel", "the data of a panel of %d clients have %.3g numbers; want at most %d, which %d clients have", panel, numbers, limits.Coordinates, limits.Coordinates/((count+tests)*width))
	}
	draw := func(seed uint64) (stream.Tester, error) { return p.Passing(seed), nil }
	return p.Population(draw, a.Nodes, count, panel), nil
}

// Population returns the corpus of a population, with so many samples of each client; 0 means all data of a client,
// which are then stream.Whole. draw returns the data of a seed, which hold nothing for a client. Fresh data that all
// clients share judge a model without an estimate.
func (p *Stream) Population(draw func(seed uint64) (stream.Tester, error), clients, samples, panel int) *Corpus {
	c := p.Corpus(nil)
	c.Compared, c.Point, c.Losses, c.Accuracies, c.OwnFresh, c.OwnValidation = false, false, false, false, false, false
	c.PanelTests = p.Source != nil
	c.Draw = func(seed uint64, _ int) (*Divided, error) {
		data, err := draw(seed)
		if err != nil {
			return nil, err
		}
		nodes := Panel(seed, clients, panel)
		some := &stream.Panel{Tester: data, Nodes: nodes}
		var judges problem.Data = some
		if p.Source != nil {
			judges = stream.Keep(some, nil, stream.AllTests(data.Width(), panel, p.Source.Tests))
		}
		size := func(int) int { return samples }
		if whole, ok := data.(stream.Whole); ok && samples == 0 {
			size = func(client int) int { return whole.Size(messages.NodeID(client)) }
		}
		sizes := make([]int, panel)
		for i, node := range nodes {
			sizes[i] = size(int(node))
		}
		of := stream.NewUnevenCorpus(p.Model, judges, sizes)
		d := p.divide(of, panel)
		d.Clients, d.Least, d.BestPoint, d.Own = nil, nil, nil, nil
		every := stream.NewCorpus(p.Model, data, 0, 0)
		d.Passing = func(client int) Passing { return every.Passing(client, size(client)) }
		d.Estimates = estimates(of, nodes, clients, d.Accuracy != nil && c.PanelTests)
		if samples == 0 {
			d.Sizes = size
			d.Estimates.Loss = func(x []float64) float64 { return stream.RatioError(of.Losses(x), sizes, clients) }
		}
		return d, nil
	}
	if p.Source != nil {
		c.Held += float64(stream.KeptBytes(p.Source.Width, panel, samples+p.Source.Tests))
	} else {
		c.Held += 8 * limits.Product(panel, samples, p.Model.Dim())
	}
	return c
}

// estimates returns the standard errors of values of a panel of some of so many clients.
func estimates(panel *stream.Corpus, nodes []messages.NodeID, clients int, accurate bool) *Estimates {
	e := &Estimates{Loss: func(x []float64) float64 { return stream.StandardError(panel.Losses(x), clients) }, Nodes: nodes, Losses: panel.Losses}
	if accurate {
		e.Accuracies = panel.Accuracies
		e.Accuracy = func(x []float64) float64 { return stream.StandardError(panel.Accuracies(x), clients) }
	}
	return e
}
