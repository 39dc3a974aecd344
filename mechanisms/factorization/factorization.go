// Package factorization holds the factorizations A = BC of the n x n lower triangle of
// ones with which prefix sums of a stream are released under differential privacy with
// correlated Gaussian noise. The release is B(CG + Z) = AG + BZ, Z of independent normal
// entries (Denisov, McMahan, Rush, Smith, Thakurta 2022). Only the covariance B B' and
// the sensitivity, the largest column norm of C, matter to a run.
//
// A Factorization is an immutable table that all streams share. A Stream draws the noise of
// one release step by step, for unit noise. The package does not calibrate the noise to a
// privacy budget, and does not account for it: mechanisms/noise.OnPrefixes does both.
//
// # Why correlated noise
//
// A learner that follows sums of gradients needs x_t = g_1 + ... + g_t, privately, at
// every t. With fresh noise of variance s^2 on every g_t (Independent) the noise on x_t
// has variance t s^2. A tree releases sums over dyadic intervals instead: each input is
// in about log2 n of them, which costs a factor of log2 n in s^2, and each prefix is a
// sum of at most log2 n of them. The error falls from a root of n to about log n.
//
//	G  ->  C G         the strategy: each column is one input's part in it
//	   ->  C G + Z     one Gaussian mechanism of sensitivity max ||column of C||
//	   ->  B (...)     post-processing: prefix sums, with noise B Z
//	                   Stream.Next gives the rows of B Z one after the other, as differences
//
// # The kinds
//
// For n = 1024, at unit sensitivity, the root of the mean variance (MSE) and the largest
// standard deviation (MaxError) of a prefix, and the floats that a stream keeps for a
// coordinate:
//
//	kind              root MSE   largest   floats   source
//	independent       22.64      32.00      0       C = I
//	tree               7.42      10.49     10       Dwork et al. 2010; Chan, Shi, Song 2011
//	tree-online        5.24       7.41     10       Honaker 2015, estimation from below
//	tree-full          3.69       4.44     10       Honaker 2015, all nodes
//	toeplitz           3.11       3.27     36       Henzinger, Upadhyay, Upadhyay 2023
//	banded-toeplitz    5.54       7.62     31       Kalinin, Lampert 2024, with 32 bands
//	blt                3.06       3.36      4       Dvijotham et al. 2024, with 4 buffers
//	ar-sum             2.97       3.21      4       this package, with 4 chains
//	optimal            2.96       3.19     25       Denisov et al. 2022
//
// Start with toeplitz, which is built at once and has no option. Choose ar-sum or blt,
// with few chains or buffers, where d is large and memory matters. The trees are for
// papers that use them.
package factorization

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"slices"

	"starling/mechanisms/kernel"
	"starling/mechanisms/numeric"
)

// Kind names a factorization.
type Kind string

// The kinds. Their noise lasts exactly n steps.
const (
	// Independent is C = I, B = A: fresh noise on every input.
	Independent Kind = "independent"
	// Tree is the binary tree of Dwork, Naor, Pitassi, Rothblum 2010 and Chan, Shi, Song 2011
	// without padding: C has a row for every dyadic interval that lies whole inside [0, n),
	// row t of B sums the intervals of the binary representation of t+1.
	Tree Kind = "tree"
	// TreeOnline has the C of Tree; B estimates every node from all of its
	// complete subtree (Honaker 2015, "estimation from below").
	TreeOnline Kind = "tree-online"
	// TreeFull has the C of Tree and B = A C^+, drawn causally by its law.
	TreeFull Kind = "tree-full"
	// Optimal minimises ||B||_F^2 among all factorizations of sensitivity 1 (Denisov et al.
	// 2022), to the certified gap. Its stream is ARSum's with as many chains as the gap takes,
	// 25 at n = 1024 and 44 at n = 1,000,000.
	Optimal Kind = "optimal"
	// ARSum is Optimal streamed with few chains.
	ARSum Kind = "ar-sum"
	// Toeplitz is B = C = A^(1/2) (Henzinger, Upadhyay, Upadhyay 2023; Fichtenberger,
	// Henzinger, Upadhyay 2023). Its stream has the coefficients of B as a sum of
	// about 3 ln n + 15 geometric sequences, to 1e-12 of each.
	Toeplitz Kind = "toeplitz"
	// BandedToeplitz has as C the first bands of A^(1/2) and B = A C^(-1) (Kalinin, Lampert
	// 2024, banded square root; the class is from Choquette-Choo et al. 2023).
	BandedToeplitz Kind = "banded-toeplitz"
	// BLT is a buffered linear Toeplitz matrix C, with coefficients that are a sum of
	// geometric sequences, and B = A C^(-1) (Dvijotham, McMahan, Pillutla, Steinke, Thakurta
	// 2024).
	BLT Kind = "blt"
	// Own is a Strategy C of the author, and B = A C^(-1).
	Own Kind = "strategy"
)

// Kinds returns the kinds that numbers describe, simple ones first: all but Own.
func Kinds() []Kind {
	return []Kind{Independent, Tree, TreeOnline, TreeFull, Toeplitz, BandedToeplitz, BLT, ARSum, Optimal}
}

const (
	// DefaultGap is the relative gap to the optimum that Options.Gap = 0 means.
	DefaultGap = 1e-8
	// smallestGap is the smallest gap that rounding allows: the recurrences lose about as many
	// units in the last place as the spectrum has e-folds.
	smallestGap = 1e-11
	// LargestN bounds n, so that the sizes of tables cannot overflow.
	LargestN = 1 << 30
	// mostChains and mostBuffers are more than any double needs.
	mostChains, mostBuffers = 64, 32
)

// Options describes the factorization to build. A field that the kind does not use must be
// zero.
type Options struct {
	// Kind chooses the factorization. There is no default: the zero value is refused.
	Kind Kind
	// N is the number of steps n, 1 to LargestN.
	N int
	// Chains is the number P of autoregressive chains of ARSum, 1 to 64, and of floats
	// a stream holds for each coordinate; it draws one normal number a step. With 4,
	// 6 and 8 the loss over the optimum is 0.85, 0.08 and 0.02 % at n = 1024, and
	// 1.6, 0.18 and 0.06 % at n = 4096.
	Chains int
	// Bands is the number of nonzero diagonals of C of BandedToeplitz, 1 to N.
	Bands int
	// Buffers is the number of geometric sequences of BLT, 1 to 32.
	Buffers int
	// Fit, unless it is zero, has the coefficients of BandedToeplitz or BLT be those with the
	// least mean error for the sensitivity to a record that takes part so often (McKenna 2024;
	// McMahan, Xu, Zhang 2024), in place of the coefficients of the square root, or those for
	// one input.
	Fit Participation
	// Gap is the relative gap 1 - lower/mse to which Optimal and ARSum find the
	// multipliers of the optimum, 1e-11 to 1; 0 means DefaultGap.
	// A smaller gap costs time in the search and chains in the stream; below DefaultGap
	// no figure of a run changes visibly.
	Gap float64
	// Strategy is C of Own, with N rows or more, of which the first N are used.
	Strategy *Strategy
}

// Validate names the first option that cannot be met.
func (o Options) Validate() error {
	if !slices.Contains(all(), o.Kind) {
		return fmt.Errorf("kind of factorization is %q, want one of %q", o.Kind, all())
	}
	if err := o.checkStrategy(); err != nil {
		return err
	}
	if o.N < 1 || o.N > LargestN {
		return fmt.Errorf("factorization %s has %d steps, want 1 to %d", o.Kind, o.N, LargestN)
	}
	for _, field := range []struct {
		name        string
		value, most int
		kind        Kind
	}{
		{"chains", o.Chains, mostChains, ARSum},
		{"bands", o.Bands, o.N, BandedToeplitz},
		{"buffers", o.Buffers, mostBuffers, BLT},
	} {
		switch {
		case o.Kind == field.kind && (field.value < 1 || field.value > field.most):
			return fmt.Errorf("factorization %s has %d %s, want 1 to %d", o.Kind, field.value, field.name, field.most)
		case o.Kind != field.kind && field.value != 0:
			return fmt.Errorf("factorization %s has no %s, got %d", o.Kind, field.name, field.value)
		}
	}
	solved := o.Kind == Optimal || o.Kind == ARSum
	switch fits := o.Kind == BandedToeplitz || o.Kind == BLT; {
	case o.Fit != (Participation{}) && !fits:
		return fmt.Errorf("factorization %s is fitted to no participation; banded-toeplitz and blt are", o.Kind)
	case o.Fit != (Participation{}) && o.Fit.Validate() != nil:
		return o.Fit.Validate()
	case !solved && o.Gap != 0:
		return fmt.Errorf("factorization %s has no gap, got %v", o.Kind, o.Gap)
	case o.Gap != 0 && !(o.Gap >= smallestGap && o.Gap <= 1):
		return fmt.Errorf("gap of factorization %s is %v, want %v to 1, or 0 for %v", o.Kind, o.Gap, smallestGap, DefaultGap)
	}
	return nil
}

// Factorization is A = BC with all that a run needs of it. It is immutable and
// may be shared between goroutines.
type Factorization struct {
	// kind and n are the options of the same names.
	kind Kind
	n    int
	// sensitivity is the largest column norm of C; see Sensitivity.
	sensitivity float64
	// spread is X = A'(B B')^(-1)A; see SensitivityOf.
	spread spread
	// rows yields the squared row norms of B. They are computed anew each time, so that n
	// = 2^30 takes no table.
	rows iter.Seq[float64]
	// total is the sum and peak the largest of rows.
	total, peak float64
	// gap is the certified gap of Optimal and ARSum, NaN for the other kinds.
	gap float64
	// law is the law that streams draw from. Different kinds share laws: Optimal's is ARSum's.
	law law
}

// New builds a factorization. Optimal and ARSum take time O(n log^2 n log^2(1/gap)), on two
// goroutines, and about 40 n floats while they search. They keep O(n): with P chains 2 n P
// floats for their streams; or, where these are more than 32 MiB, about n P/8, and then every
// stream spends O(P^2) on a step, for any d. The others take O(n) times their parameter or log
// n.
func New(o Options) (*Factorization, error) { return Build(o, nil) }

// Build is New with reports of its progress to tell, several times a second up to a million
// steps. It ends with the first error that tell returns. tell may be nil.
func Build(o Options, tell func(Progress) error) (*Factorization, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	w := &watcher{Tell: tell}
	f := &Factorization{kind: o.Kind, n: o.N, gap: math.NaN()}
	var err error
	switch o.Kind {
	case Independent:
		f.buildIndependent()
	case Tree:
		f.buildTree()
	case TreeOnline:
		f.buildTreeOnline()
	case TreeFull:
		f.buildTreeFull()
	case Toeplitz:
		f.buildToeplitz()
	case BandedToeplitz:
		f.buildBanded(o, w)
	case BLT:
		err = f.buildBLT(o, w)
	case Optimal, ARSum:
		err = f.buildChains(o, w)
	case Own:
		f.buildOwn(o.Strategy)
	}
	if err = cmp.Or(w.Err(), err); err != nil {
		return nil, fmt.Errorf("factorization %s of %d steps: %w", o.Kind, o.N, err)
	}
	t := 0
	for norm := range f.rows {
		f.total += norm
		f.peak = max(f.peak, norm)
		if t++; !w.At("errors of prefix sums", t, f.n) {
			return nil, w.Err()
		}
	}
	// Noise is scaled by these: a run would take a NaN for a number.
	if !positive(f.sensitivity) || !positive(f.total) || !positive(f.peak) {
		return nil, fmt.Errorf("factorization %s of %d steps: sensitivity %v and squared error %v, want finite numbers above 0", o.Kind, o.N, f.sensitivity, f.total)
	}
	return f, nil
}

func positive(x float64) bool { return x > 0 && !math.IsInf(x, 1) }

// Kind returns the kind.
func (f *Factorization) Kind() Kind { return f.kind }

// N returns the number of steps n.
func (f *Factorization) N() int { return f.n }

// Sensitivity returns the largest distance by which an input moves the release, in standard
// deviations of unit noise: the root of the largest diagonal entry of A'(B B')^(-1)A. That is
// the largest column norm of C (the norm, not its square), 1 for Independent, Optimal and
// ARSum; for TreeOnline, with a B that uses less than all that C gives, it is smaller. It is
// exact up to rounding; no bound and no rational error is in it.
func (f *Factorization) Sensitivity() float64 { return f.sensitivity }

// FullSensitivity is SensitivityOf a record that takes part in every input (Choquette-Choo,
// McMahan, Rush, Thakurta 2023, section 2), exact up to rounding and computed anew, in time
// O(n) times the numbers that a Stream keeps for a coordinate.
func (f *Factorization) FullSensitivity() float64 { return math.Sqrt(f.spread.whole()) }

// RowNorms yields the n squared row norms of B in order: the variance of the
// noise on each prefix sum, for unit noise. They are computed anew for each
// loop.
func (f *Factorization) RowNorms() iter.Seq[float64] { return f.rows }

// MSE returns the mean variance of the noise on the prefix sums at unit
// sensitivity, Sensitivity^2 ||B||_F^2 / n.
func (f *Factorization) MSE() float64 {
	return f.sensitivity * f.sensitivity * f.total / float64(f.n)
}

// MaxError returns the largest standard deviation of the noise on a prefix sum at
// unit sensitivity, Sensitivity max ||b_row||.
func (f *Factorization) MaxError() float64 { return f.sensitivity * math.Sqrt(f.peak) }

// Gap returns a certified bound of 1 - mse*/mse, the relative excess of the MSE over the least
// that is possible, for Optimal and ARSum (for the latter it is the loss through few chains).
// It is NaN for the other kinds, which certify nothing.
func (f *Factorization) Gap() float64 { return f.gap }

// MemoryPerCoordinate returns the number of floats that a Stream keeps for each coordinate,
// between steps: nodes of the path in a tree, the last increments, or the modes that add up to
// the noise. Memory that does not grow with d, and the tables shared by all streams, are not
// in it.
func (f *Factorization) MemoryPerCoordinate() int { return f.law.memory() }

// MemoryPerCoordinate returns the number of floats that a Stream of the factorization will
// keep for each coordinate, without building it. It is exact for all kinds but Optimal: there
// the search decides the number of chains, and the result is within two of it. The options
// have to be valid.
func (o Options) MemoryPerCoordinate() int {
	switch o.Kind {
	case Tree, TreeOnline, TreeFull:
		return bits.Len(uint(o.N)) - 1
	case Toeplitz:
		return rootModes(o.N).memory()
	case BandedToeplitz:
		return o.Bands - 1
	case BLT:
		return o.Buffers
	case Own:
		return o.Strategy.bands(o.N) - 1
	case ARSum:
		return o.Chains
	case Optimal:
		gap := o.Gap
		if gap == 0 {
			gap = DefaultGap
		}
		low, high := likelySpectrum(o.N)
		r, _ := numeric.RationalWithin(low, high, max(exactRipple, rippleOfGap*gap))
		return len(r.Poles)
	}
	return 0
}

// Diagonals returns a bound on the number of nonzero diagonals of C: releases further apart share
// no noise. The options have to be valid.
func (o Options) Diagonals() int {
	switch o.Kind {
	case Independent:
		return 1
	case BandedToeplitz:
		return o.Bands
	case Own:
		return o.Strategy.bands(o.N)
	}
	return o.N
}

// Bytes returns about the number of bytes that Build holds at a time, as far as that grows
// with N.
func (o Options) Bytes() float64 {
	fits, floats := o.Fit != (Participation{}), 0
	switch {
	case o.Kind == Optimal || o.Kind == ARSum:
		floats = 40
	case o.Kind == BandedToeplitz && fits:
		floats = 5
	case o.Kind == Toeplitz || o.Kind == BLT && fits:
		floats = 1
	}
	return float64(float64(8*floats) * float64(o.N))
}

// buildIndependent fills in C = I, B = A.
func (f *Factorization) buildIndependent() {
	f.sensitivity = 1
	f.spread = columns{f.n, func() iter.Seq[float64] { return padded([]float64{1}, f.n) }}
	f.rows = func(yield func(float64) bool) {
		for t := range f.n {
			if !yield(float64(t + 1)) {
				return
			}
		}
	}
	f.law = independent{}
}

// independent draws fresh noise at every step.
type independent struct{}

// memory and sampler implement law.
func (independent) memory() int      { return 0 }
func (independent) sampler() sampler { return independent{} }

// next implements sampler: the increment is the noise of one input.
func (independent) next(dst, _ []float64, _ int, z Normals) {
	z.FillNormal(dst)
}

// runningSums yields the partial sums of the squares of x, the squared row norms
// of the lower-triangular Toeplitz matrix with first column x.
func runningSums(x []float64) iter.Seq[float64] {
	return func(yield func(float64) bool) {
		sum := 0.0
		for _, c := range x {
			sum += float64(c * c)
			if !yield(sum) {
				return
			}
		}
	}
}

// norm is the Euclidean norm.
func norm(x []float64) float64 { return kernel.Norm(x) }
