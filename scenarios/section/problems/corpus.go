package problems

import (
	"errors"
	"math"
	"slices"
	"sync"

	"starling/actors/algorithm/mirror"
	"starling/mechanisms/accountant"
	"starling/mechanisms/kernel"
	"starling/scenarios/cache"
	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/kind"
	"starling/scenarios/ledger"
	"starling/scenarios/limits"
	"starling/scenarios/metric"
	"starling/scenarios/problem"
	"starling/scenarios/problem/stream"
	"starling/scenarios/study"
)

// Samples are the data of one client, which stay with it for the whole run. Package dpfl
// documents the methods: SumClipped computes the sum of clipped gradients, and SumLossChanges
// the sum of bounded changes of the loss from one model to another.
type Samples interface {
	Size() int
	SumClipped(dst, params []float64, samples []int, clip float64) (clipped int)
	SumLossChanges(from, to []float64, samples []int, bound float64) float64
}

// Passing are the data of a client that comes and goes.
type Passing interface {
	Samples
	// Leave ends their use: they are for one user, which returns their memory.
	Leave()
}

// ClippedLength clips the gradient of the first sample at a model far below its length, and
// returns the length of the result divided by the bound. It is 1 for data that clip, up to
// rounding to float32. It is 1 where the gradient is 0.
func ClippedLength(data interface {
	SumClipped(dst, params []float64, samples []int, clip float64) (clipped int)
}, model []float64) float64 {
	gradient := make([]float64, len(model))
	data.SumClipped(gradient, model, []int{0}, math.Inf(1))
	clip := kernel.Norm(gradient) / 1024
	if !(clip > 0) || math.IsInf(clip, 1) {
		return 1
	}
	data.SumClipped(gradient, model, []int{0}, clip)
	if length := kernel.Norm(gradient) / clip; length > 1.001 {
		return length
	}
	return 1
}

// Divided is a corpus under one seed: the data of each client, and the judgement of models.
type Divided struct {
	// Clients are by number, from 0, or nil where Passing returns the data of a client of a
	// population: they are then drawn from its key, and kept in the result alone.
	Clients []Samples
	Passing func(client int) Passing
	// Sizes is the number of samples of a client of Passing, from 0; nil where all have one number.
	Sizes func(client int) int
	// Estimates are the standard errors of Loss and Accuracy where these are estimated from a
	// panel; nil where they are over all clients.
	Estimates *Estimates
	// Loss is the mean loss of a model over the data of all clients.
	Loss func(x []float64) (float64, error)
	// Accuracy is the share of fresh data that a model predicts the label of; nil
	// where there are no fresh data, or no labels.
	Accuracy func(x []float64) (float64, error)
	// FreshLoss is the mean loss on fresh data; nil where there are none.
	FreshLoss func(x []float64) (float64, error)
	// Predict adds the fresh data to a sample of the form Form, with the predictions of a model;
	// nil, and the zero form, where the model has none.
	Form    problem.ScoreForm
	Predict func(s *problem.Predictions, x []float64) error
	// Validation answers FreshLoss and Predict on validation rows; nil where there are none.
	Validation *HeldOut
	// Measure returns the numbers of a model by the problem's own metrics, in their order; nil where it has none.
	Measure func(x []float64) ([]float64, error)
	// Least is the least mean loss of one model of the set over the data of all clients,
	// NaN where the search for it did not come close enough; nil where it is not known.
	Least func() float64
	// Own are the answers about a model on the data of single clients, and BestPoint returns
	// the model of Least, nil where the search for it did not come close enough. Both are nil
	// where they are not known.
	Own       *gauge.OwnData
	BestPoint func() []float64
	// Together, unless it is nil, are the data of all clients in one place, client by client,
	// where that takes less work than to ask each.
	Together Samples
	// Outside is the external program that computes the data; nil if there is none. Start, unless
	// it is nil, asks it for the initial model, of any place.
	Outside study.Outside
	Start   func() ([]float64, error)
}

// HeldOut are the answers about models on other data that are held out, as FreshLoss and Predict of
// Divided are on fresh data.
type HeldOut struct {
	Loss    func(x []float64) (float64, error)
	Predict func(s *problem.Predictions, x []float64) error
}

// Corpus is a checked problem with data that stay with clients, for algorithms that draw
// batches of them.
type Corpus struct {
	Dim int
	// Set is Omega, the set that models are from; nil means all of R^d.
	Set mirror.Set
	// Draw divides the data among clients under a seed. Public does the same with public data;
	// it is nil where there are none.
	Draw, Public func(seed uint64, clients int) (*Divided, error)
	// Needs returns the entries that Draw asks the cache of a scenario for; nil means none.
	Needs func(seed uint64, clients int) []cache.Need
	// Start is the initial model, len Dim, the caller's own. It may be outside the set.
	Start func(seed uint64) []float64
	// Started is true if the problem itself names the initial model. Before returns the
	// privacy loss of that model, for a relation of neighbours.
	Started bool
	Before  func(accountant.Relation) *ledger.Before
	// Shares returns notes on the data that clients have under a seed; nil where there are no
	// such notes.
	Shares func(seed uint64, clients int) []study.Note
	// Tests is true if there are fresh data, Classifies if there is an accuracy, and Compared
	// if the least loss of one model is known.
	Tests, Classifies, Compared bool
	// Validates is true if there are validation rows.
	Validates bool
	// Predictions is the form of predictions of the labels of data that are held out, the zero
	// value where there are none.
	Predictions problem.ScoreForm
	// Losses and Accuracies are true if the loss, and the accuracy, on the data of single
	// clients is known, and Point if the model of the least loss is.
	Losses, Accuracies, Point bool
	// OwnFresh and OwnValidation are true if the fresh data, and the validation rows, of single
	// clients are known.
	OwnFresh, OwnValidation bool
	// PanelTests is true if the fresh data of a population are those of its panel, and false if they are
	// one set for all.
	PanelTests bool
	// Own are metrics of models that the problem itself measures, with names that begin with metric.Own.
	Own metric.List
	// Sized is the number of clients that the problem has sizes of; 0 is any number.
	Sized int
	// Trains is true if clients take local steps of their own: their data are batch.Trainers.
	Trains bool
	// Overlaps is true if clients may have the same data: each draws its own from all.
	Overlaps bool
	// Trained describes the model for writing it to a file; nil where it is not of package
	// model.
	Trained *study.TrainedModel
	// Deals is the number of data that each seed divides anew; 0 means that seeds do not
	// decide how many data a client has.
	Deals int
	// Held is about the number of bytes of data that a job holds.
	Held     float64
	Notes    []study.Note
	Warnings []study.Warning
	// Fixed is true if no key of the section is the dimension. Audits then hold all parameters
	// but the first few.
	Fixed bool
}

// OtherSeeds calls check for the other seeds of a scenario, for the data that clients of an
// arm divide.
func (c *Corpus) OtherSeeds(b *study.Builder, a *study.ArmFile, check func(seed uint64) error) error {
	type division struct {
		problem string
		clients int
	}
	return study.OtherSeeds(b, division{a.Problem.Text(), a.Nodes}, c.Deals, check)
}

// usualSamples is the default number of samples of a client of a stream.
const usualSamples = 100

// buildCorpusOf builds the data that clients learn from, with so many samples of each client.
// samples is 0 where the scenario does not give it. A problem that has a corpus of its own
// builds it; of any other problem the corpus is the first samples of each learner of its
// stream.
func buildCorpusOf(b *study.Builder, a *study.ArmFile, algorithm string, samples int) (*Corpus, error) {
	if piece, err := kind.PieceOf[AsCorpus](b.Kinds.Problems, a.Problem, algorithm); err == nil {
		return piece.Corpus(b, a.Problem, samples)
	}
	piece, err := kind.PieceOf[AsStream](b.Kinds.Problems, a.Problem, algorithm)
	if err != nil {
		return nil, err
	}
	if samples == 0 {
		samples = usualSamples
	}
	long := *a
	long.Horizon = samples // of the stream
	p, err := piece.Stream(b, a.Problem, &long)
	if err != nil {
		return nil, ofSamples(a, err)
	}
	return streamCorpus(b.Cache, p, a, samples)
}

// ofSamples moves errors about the length of a stream to the key algorithm.samples: such a
// user has not written a horizon of a stream.
func ofSamples(a *study.ArmFile, err error) error {
	var list []error
	for _, issue := range a.Doc.Resolve("", err) {
		if issue.Path != "horizon" {
			list = append(list, issue)
			continue
		}
		list = append(list, document.At("algorithm.samples", "a sample of a client is a step of the problem: %s", issue.Message))
	}
	return errors.Join(list...)
}

// streamCorpus returns the beginning of a stream as data that stay: the first samples of
// each learner, which are the same however many steps a run has.
func streamCorpus(kept *cache.Cache, p *Stream, a *study.ArmFile, samples int) (*Corpus, error) {
	shape := stream.Shape{Learners: a.Nodes, Rounds: samples, Tau: 1}
	if numbers := limits.Product(a.Nodes, samples); numbers > limits.Coordinates { // before anything is drawn
		return nil, document.At("algorithm.samples", "%d clients have %.3g samples in all; want at most %d", a.Nodes, numbers, limits.Coordinates)
	}
	if p.Stays != nil {
		return nil, a.Problem.Resolve(p.Stays())
	}
	if err := p.Check(shape); err != nil {
		return nil, a.Problem.Resolve(err)
	}
	if s := p.Source; s != nil && limits.Product(a.Nodes, samples, s.Width) > limits.Coordinates { // before the laws of clients are drawn
		return nil, tooManyNumbers(a.Nodes, samples, s.Width)
	}
	instance, err := p.Draw(a.Seeds.Base, shape)
	if err != nil {
		return nil, a.Problem.Resolve(err)
	}
	numbers := limits.Product(a.Nodes, samples, instance.Width())
	if numbers > limits.Coordinates {
		return nil, tooManyNumbers(a.Nodes, samples, instance.Width())
	}
	c := p.cached(kept, a.Problem.Text(), samples, instance.Width())
	c.Held += float64(8 * numbers)
	return c, nil
}

// tooManyNumbers refuses clients with data that cannot be held, and says how many can.
func tooManyNumbers(clients, samples, width int) error {
	return document.At("algorithm.samples", "the data of %d clients, %d samples each, have %.3g numbers; want at most %d, which %d clients have, or an algorithm of a server that draws the clients of a round, with draw: server, which holds no others",
		clients, samples, limits.Product(clients, samples, width), limits.Coordinates, limits.Coordinates/(samples*width))
}

// cached returns the corpus of the first samples of each learner. Jobs share it in a cache that
// has room for it, under the text of the section. width is the length of a datum.
func (p *Stream) cached(kept *cache.Cache, text string, samples, width int) *Corpus {
	sizes := p.Sizes
	if sizes == nil {
		sizes = func(parties, mean int) []int { return slices.Repeat([]int{mean}, parties) }
	}
	key := func(seed uint64, clients int) corpusKey { return corpusKey{text, clients, samples, seed} }
	draw := func(fresh bool) *Corpus {
		return p.Corpus(func(seed uint64, clients int) (problem.Data, []int, error) {
			sizes := sizes(clients, samples)
			data, err := p.Draw(seed, stream.Shape{Learners: clients, Rounds: slices.Max(sizes), Tau: 1})
			if drawn, ok := data.(stream.Drawn); ok && fresh {
				data = stream.Keep(drawn, nil, stream.AllTests(data.Width(), clients, drawn.TestSamples(0)))
			}
			return data, sizes, err
		})
	}
	own, shared := draw(false), draw(true)
	c := *own
	c.Needs = func(seed uint64, clients int) []cache.Need {
		sizes, bytes := sizes(clients, samples), int64(0)
		for _, size := range sizes {
			bytes += stream.KeptBytes(width, 1, size)
		}
		own := bytes // a job holds it in any case
		if s := p.Source; s != nil {
			bytes += stream.KeptBytes(s.Width, clients, s.Tests)
		}
		return []cache.Need{{Key: key(seed, clients), Bytes: bytes, Alone: true, Own: own}}
	}
	c.Draw = func(seed uint64, clients int) (*Divided, error) {
		d, ok, err := cache.Get(kept, key(seed, clients), func() (*Divided, error) { return shared.Draw(seed, clients) })
		if !ok {
			return own.Draw(seed, clients)
		}
		return d, err
	}
	return &c
}

// Corpus returns the rows of a stream as data that stay with clients. draw divides them among
// clients, with the number of rows of each.
func (p *Stream) Corpus(draw func(seed uint64, clients int) (problem.Data, []int, error)) *Corpus {
	_, labels := p.Model.(stream.Classifier)
	return &Corpus{
		Dim: p.Model.Dim(), Set: p.Set, Start: p.Start, Tests: p.Tests, Classifies: p.Classifies(), Compared: p.Minimiser != nil, Trained: p.Trained,
		Losses: true, Accuracies: labels, Point: p.Minimiser != nil, Predictions: p.Predictions(), Validates: p.Validates,
		OwnFresh: p.Tests, OwnValidation: p.Validates,
		Before: func(accountant.Relation) *ledger.Before { return nil },
		Held:   p.Held, Notes: p.Notes, Warnings: p.Warnings,
		Draw: func(seed uint64, clients int) (*Divided, error) {
			data, sizes, err := draw(seed, clients)
			if err != nil {
				return nil, err
			}
			return p.divide(stream.NewUnevenCorpus(p.Model, data, sizes), clients), nil
		},
	}
}

// corpusKey names a corpus of a stream, by the text of its section, under a seed.
type corpusKey struct {
	text             string
	clients, samples int
	seed             uint64
}

// divide returns a stream's beginning as data divided among clients.
func (p *Stream) divide(c *stream.Corpus, clients int) *Divided {
	d := &Divided{
		Loss: func(x []float64) (float64, error) { return c.Loss(x), nil },
		Own:  &gauge.OwnData{Loss: func(client int, x []float64) (float64, error) { return c.Party(client).Loss(x), nil }},
	}
	if _, labels := p.Model.(stream.Classifier); labels {
		d.Own.Accuracy = func(client int, x []float64) (float64, error) { return c.Party(client).Accuracy(x), nil }
	}
	for i := range clients {
		d.Clients = append(d.Clients, c.Party(i))
	}
	if p.Classifies() {
		d.Accuracy = func(x []float64) (float64, error) {
			share, _ := c.Accuracy(x)
			return share, nil
		}
	}
	if p.Tests {
		d.FreshLoss = func(x []float64) (float64, error) { return c.FreshLoss(x), nil }
	}
	p.predict(c, d)
	if p.Minimiser != nil {
		least := sync.OnceValue(func() stream.Optimum { return c.Least(p.Minimiser) })
		d.Least = func() float64 { return least().Known() }
		d.BestPoint = func() []float64 { return least().Point() }
	}
	return d
}

// predict adds the predictions of models on data that are held out.
func (p *Stream) predict(c *stream.Corpus, d *Divided) {
	d.Form = p.Predictions()
	of := func(c *stream.Corpus) (all func(*problem.Predictions, []float64) error, own func(*problem.Predictions, int, []float64) error) {
		if !d.Form.Any() {
			return nil, nil
		}
		return func(s *problem.Predictions, x []float64) error {
				c.Predictions(s, x)
				return nil
			}, func(s *problem.Predictions, client int, x []float64) error {
				c.PredictionsOf(s, client, x)
				return nil
			}
	}
	if p.Tests {
		d.Predict, d.Own.Predict = of(c)
	}
	if v := c.Validation(); v != nil {
		d.Validation = &HeldOut{Loss: func(x []float64) (float64, error) { return v.FreshLoss(x), nil }}
		d.Validation.Predict, d.Own.PredictValidation = of(v)
	}
}

// TwoStarts is the error of a scenario that names the start of a model twice.
const TwoStarts = "problem.model.weights says where the model starts; leave one of them out"
