package problems

import (
	"fmt"

	"starling/mechanisms/accountant"
	"starling/scenarios/document"
	"starling/scenarios/kind"
	"starling/scenarios/limits"
	"starling/scenarios/problem"
	"starling/scenarios/study"
)

// Adversary is a checked problem of prediction from experts.
type Adversary struct {
	// Experts is d, the dimension of the simplex of decisions.
	Experts int
	// Linear is true if losses are linear, <l, x>, with entries of l in [0, Alpha].
	Linear bool
	// Alpha and Beta are the Lipschitz constant and the smoothness of losses, both in the
	// 1-norm.
	Alpha, Beta float64
	Model       problem.Model
	// Draw makes the losses of a seed as costs of nodes, experts.Comparable if Compared is
	// true.
	Draw func(seed uint64, horizon int) (problem.Instance, error)
	// Compared is true if the best fixed decision in hindsight is known, and so regret.
	Compared bool
	// Tests is true if there are fresh data, Classifies if data have labels, too. Instances
	// are then a problem.Fresh and a problem.Classifier.
	Tests, Classifies bool
	// Validates is true if instances have validation rows.
	Validates bool
	// Asked, unless it is nil, lists the questions that instances answer themselves, as
	// Stream.Asked.
	Asked *Asked
	// Least is the least mean loss of one decision of the simplex on the losses of a seed;
	// nil where it is not known, or is the loss of the best fixed decision.
	Least    func(seed uint64, horizon int) (float64, error)
	Notes    []study.Note
	Warnings []study.Warning
	// Forced is the regret of a client that a pure epsilon for each loss forces: as the paper
	// says, and in fact. It is nil where nothing is known.
	Forced func(epsilon float64) (paper, really float64)
	// Owners describes the people that losses are about; nil means that losses are about
	// nobody.
	Owners *LossOwners
	// Held is about the number of bytes of losses that are read from files.
	Held float64
}

// Predictions returns the form of predictions of the labels of fresh data, the zero value where
// there are none.
func (a *Adversary) Predictions() problem.ScoreForm {
	if !a.Tests && !a.Validates {
		return problem.ScoreForm{}
	}
	return problem.FormOf(a.Model)
}

// ReadLosses returns the losses of the problem of an arm; nil without a problem section. Arms
// with the same problem section share the losses. algorithm is the algorithm's name in errors.
func ReadLosses(b *study.Builder, a *study.ArmFile, algorithm string) (*Adversary, error) {
	return readLosses(b, a, algorithm, func(p AsLosses) (*Adversary, error) { return p.Losses(b, a.Problem, a) })
}

// ReadLinearLosses is ReadLosses for losses that are linear, with entries in [0, 1].
func ReadLinearLosses(b *study.Builder, a *study.ArmFile, algorithm string) (*Adversary, error) {
	return readLosses(b, a, algorithm, func(p AsLinearLosses) (*Adversary, error) { return p.LinearLosses(b, a.Problem, a) })
}

// readLosses is ReadLosses for the capability C of a problem.
func readLosses[C any](b *study.Builder, a *study.ArmFile, algorithm string, read func(C) (*Adversary, error)) (*Adversary, error) {
	if a.Problem == nil {
		return nil, nil
	}
	return study.TryShared(b, adversaryKey[C]{a.Nodes, a.Horizon, a.Problem.Text()}, func() (*Adversary, error) {
		piece, err := kind.PieceOf[C](b.Kinds.Problems, a.Problem, "the algorithm "+algorithm)
		if err != nil {
			return nil, err
		}
		p, err := read(piece)
		if err != nil {
			return nil, err
		}
		if !b.Usage.Take(&b.Usage.Coordinates, limits.Product(4, a.Nodes, p.Experts), limits.Coordinates) {
			return nil, document.At(a.Problem.Path(), "the clients of all arms have over %d coordinates", limits.Coordinates)
		}
		return p, nil
	})
}

// adversaryKey identifies a problem in the form C.
type adversaryKey[C any] struct {
	nodes, horizon int
	text           string
}

// LossText begins with the number.
func LossText(l accountant.Loss) string {
	if l.Delta == 0 {
		return fmt.Sprintf("%.6g", l.Epsilon)
	}
	return fmt.Sprintf("%.6g at delta %.6g", l.Epsilon, l.Delta)
}
