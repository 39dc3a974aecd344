package problems

import (
	"starling/actors/algorithm/mirror"
	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/scenarios/document"
	"starling/scenarios/kind"
	"starling/scenarios/ledger"
	"starling/scenarios/limits"
	"starling/scenarios/problem"
	"starling/scenarios/problem/stream"
	"starling/scenarios/study"
)

// Stream is a checked problem of online federated learning.
type Stream struct {
	Model stream.Model
	// Set is Omega, the set that decisions are from; nil means all of R^d.
	Set mirror.Set
	// GradientBound is B_g: no gradient on the set is longer in 2-norm. It is +Inf where
	// the losses have no bound of their own.
	GradientBound float64
	// Minimiser finds the best decisions of the set, with which regret compares. It is nil
	// where they are not known; then no regret is recorded.
	Minimiser  stream.Minimiser
	Smoothness float64 // L, of convex losses; 0 where losses are not known to be convex
	Convexity  float64 // mu, of strongly convex losses; 0 where losses are not known to be so
	Linear     bool    // losses are <l, x>: a gradient is the same at all x
	Tests      bool    // the data are a stream.Tester
	Validates  bool    // the data have validation rows, as stream.Validated
	Draw       func(seed uint64, shape stream.Shape) (problem.Data, error)
	// Check returns an error if it is known beforehand that no seed can draw so many data.
	Check func(shape stream.Shape) error
	Start func(seed uint64) []float64 // x^0
	// Repeats returns the number of steps of a run in which the same datum may be met, under
	// any seed, and how far apart they are; nil means one step. The privacy loss of a datum
	// grows with the number. Algorithms that account for it call BuildRepeatedStreamOf.
	Repeats func(learners, steps int) (factorization.Participation, error)
	// Random is true if x^0 is drawn for each seed and a run from a fixed point such as 0
	// would learn nothing, as with networks with hidden layers.
	Random bool
	// Compared returns notes that help to read the regret; nil means none. leftOut, if it is
	// not empty, replaces the notes that need the optima of rounds.
	Compared func(c *stream.Comparator, leftOut string) []stream.Note
	Notes    []study.Note
	Hard     []study.Note // notes on the hardness of the problem
	Warnings []study.Warning
	// Trained describes the model for writing it to a file; nil where it is not of package
	// model.
	Trained *study.TrainedModel
	// Started is true if the problem itself names the initial model. Before returns the
	// privacy loss of that model, for a relation of neighbours; nil is nothing.
	Started bool
	Before  func(accountant.Relation) *ledger.Before
	Held    float64 // about the bytes of data that all jobs share
	// Sizes returns the number of data of each party, with the given mean, where data stay.
	// nil means the same number for all.
	Sizes func(parties, mean int) []int
	// Stays returns the reason that the data cannot stay with parties; nil where they can.
	Stays func() error
	// Source keeps drawn data; nil where data are in memory already.
	Source *stream.Source
	// Passing is Draw for nodes that come and go, of any number: the data hold nothing for a
	// node. nil where data of one node are not drawn alone. It needs a Source.
	Passing func(seed uint64) stream.Tester
	// Asked, unless it is nil, lists the questions that instances answer themselves, for many
	// decisions at once, as a problem.Many. The model is then asked for gradients alone.
	Asked *Asked
	// Fixed is true if no key of the section is the dimension. Audits then hold all parameters
	// but the first few.
	Fixed bool
}

// Asked lists the answers that instances give beside losses and gradients. Fresh: the losses
// of fresh data. Tries: which fresh data a decision classifies right. Best: least losses, as a
// federated.Comparator and by BestIn(first, last), the paper's steps from 1.
type Asked struct{ Fresh, Tries, Best bool }

// Classifies reports whether there are fresh data with labels that the model predicts.
func (p *Stream) Classifies() bool {
	_, labels := p.Model.(stream.Classifier)
	return p.Tests && labels
}

// Predictions returns the form of predictions of the labels of data that are held out, the zero
// value where there are none.
func (p *Stream) Predictions() problem.ScoreForm {
	if !p.Tests && !p.Validates {
		return problem.ScoreForm{}
	}
	return problem.FormOf(p.Model)
}

// Participation returns the number and distance of the steps in which a datum may be met.
func (p *Stream) Participation(learners, steps int) (factorization.Participation, error) {
	if p.Repeats == nil {
		return factorization.Once, nil
	}
	return p.Repeats(learners, steps)
}

// BuildRepeatedStreamOf builds the stream of data that learners meet, for algorithms that
// account for data that are met several times; see Stream.Repeats. algorithm is the
// algorithm's name in errors.
func BuildRepeatedStreamOf(b *study.Builder, a *study.ArmFile, algorithm string) (*Stream, error) {
	if a.Problem == nil {
		return nil, nil
	}
	return study.TryShared(b, streamKey{a.Nodes, a.Horizon, a.Problem.Text()}, func() (*Stream, error) {
		piece, err := kind.PieceOf[AsStream](b.Kinds.Problems, a.Problem, "the algorithm "+algorithm)
		if err != nil {
			return nil, err
		}
		p, err := piece.Stream(b, a.Problem, a)
		if err != nil {
			return nil, err
		}
		if !b.Usage.Take(&b.Usage.Coordinates, limits.Product(2, a.Nodes, p.Model.Dim()), limits.Coordinates) {
			return nil, document.At(a.Problem.Path(), "the learners of all arms have over %d coordinates", limits.Coordinates)
		}
		return p, nil
	})
}

// streamKey identifies a problem.
type streamKey struct {
	// text is the text of the section. Arms with the same text and size share the stream.
	learners, horizon int
	text              string
}
