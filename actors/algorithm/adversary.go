package algorithm

import (
	"math"

	"starling/mechanisms/portable"
)

// Attack makes the messages that liars send to one receiver in place of the vectors that they
// have computed. It is a pure function, and immutable. A liar computes as an honest participant
// does, by its own data, and hears its own true vector from itself. Its messages to others are
// changed on their way. A silent liar sends nothing, and has no attack.
//
// A lie is made from the true vectors of all liars that the receiver hears in a turn. So the
// liars of one turn agree on their lies without exchanging a message, and a run has the same
// bits on every runtime. Liars tell each other the truth. They know nothing else of others than
// Knows declares.
type Attack interface {
	// Lie replaces truths, the true vectors of the liars that a receiver hears in a turn, by
	// lies. honest holds the vectors that the receiver hears from others, and its own where it
	// hears itself. It is read only. All vectors have
	// the same length.
	Lie(truths, honest [][]float64)
	// Knows reports whether lies depend on the messages of honest participants in the same
	// turn.
	Knows() bool
}

// Scaled sends a multiple of the true vector.
type Scaled struct {
	Factor float64 `yaml:"factor,required" range:"any number" unit:"none" doc:"factor by which liars multiply their vectors"`
}

// Lie implements Attack.
func (s Scaled) Lie(truths, _ [][]float64) {
	for _, x := range truths {
		for k := range x {
			x[k] *= s.Factor
		}
	}
}

// Knows implements Attack.
func (Scaled) Knows() bool { return false }

// Flipped is Scaled by -1.
type Flipped struct{}

// Lie implements Attack.
func (Flipped) Lie(truths, honest [][]float64) { Scaled{-1}.Lie(truths, honest) }

// Knows implements Attack.
func (Flipped) Knows() bool { return false }

// Little sends mean - z deviation in every coordinate, the same for all liars, the attack of
// Baruch et al. against convergence, by the deviation of the sample. It is so near to the
// vectors of honest participants that no rule can tell it from them. The paper is A Little Is
// Enough (Baruch, Baruch, Goldberg, NeurIPS 2019, arXiv 1902.06156).
type Little struct {
	// Z is how many deviations. 0 stands for the most that leaves the lie nearer to the mean
	// than s of the honest vectors, which together with the liars' are a majority; see
	// MostDeviations.
	Z float64 `yaml:"z" over:"0" says:"z %v" unit:"deviations" doc:"number of standard deviations below the mean of the vectors that liars send; absent, the largest number at which s honest nodes, a majority with the liars, are still further away: the normal quantile of (n - m - s)/(n - m), s = floor(n/2 + 1) - m, for n vectors at a receiver, m of them of liars"`
	// Omniscient takes mean and deviation over the vectors that the receiver hears from honest
	// participants, as in the experiments of He, Karimireddy, Jaggi (arXiv 2202.01545).
	// Otherwise they are taken over the true vectors of the liars that it hears, as in the
	// paper: a single liar then tells the truth.
	Omniscient bool `yaml:"omniscient" doc:"attackers know the honest messages to a receiver, and lie by their mean and deviation; absent, by the mean and deviation of their own honest messages, of which a receiver needs two"`
}

// Knows implements Attack.
func (l Little) Knows() bool { return l.Omniscient }

// Lie implements Attack.
func (l Little) Lie(truths, honest [][]float64) {
	z, sample := l.Z, truths
	if z == 0 {
		z = MostDeviations(len(truths)+len(honest), len(truths))
	}
	if l.Omniscient {
		if sample = honest; len(sample) == 0 {
			return
		}
	}
	n := float64(len(sample))
	for k := range truths[0] {
		var mean, square float64
		for _, x := range sample {
			mean += x[k] / n
		}
		for _, x := range sample {
			off := x[k] - mean
			square += float64(off * off)
		}
		lie := mean - float64(z*math.Sqrt(square/n))
		for _, x := range truths {
			x[k] = lie
		}
	}
}

// MostDeviations is z_max of Baruch et al. for n participants with m liars: the normal
// quantile of (n - m - s)/(n - m), s = floor(n/2 + 1) - m. Where the liars need no supporter,
// s counts as 1. It is never less than 0.
func MostDeviations(n, m int) float64 {
	honest, supporters := n-m, max(n/2+1-m, 1)
	if honest <= supporters {
		return 0
	}
	return max(portable.NormalQuantile(float64(honest-supporters)/float64(honest)), 0)
}
