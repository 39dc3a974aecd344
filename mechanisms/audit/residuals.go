package audit

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"starling/mechanisms/noise"
)

// Residual is a number that a run draws: noise at scale 1, or a coin.
type Residual struct {
	Name string
	// Law is the stated law of noise; nil of a coin, a number that is 1 with a known
	// probability, else 0: whether a sample holds a record.
	Law  noise.Law
	Rate float64 // probability of 1, in (0, 1), of a coin
}

// Residuals holds the moments of noise against the stated ones, over independent
// runs. All residuals of a run are stated to be independent of each other, with
// mean 0 and the law that they name. Correlated noise is first multiplied by the
// inverse of a Cholesky factor of its covariance.
//
// The test looks at two numbers of each residual: the residual itself, cut off at three
// standard deviations, and its square. The mean of the residual must be 0, and the mean of its
// square the law's, and no two numbers of different residuals may be correlated. Code that
// repeats or shares noise correlates the residuals themselves or, if it flips signs at random,
// their squares.
type Residuals struct {
	entries  []Residual
	scores   []score
	runs     int
	sums     []float64 // by score
	squares  []float64 // by score, of their squares
	products []float64 // by pair of scores, the first before the second
	row      []float64 // working memory, by score
}

// score is a number of a residual that has mean 0 under the stated law.
type score struct {
	residual       int
	square         bool
	centre         float64 // the stated mean, which is subtracted
	variance, most float64 // under the law; most is the largest absolute value
}

// NewResiduals prepares the test of numbers that every run draws.
func NewResiduals(entries []Residual) *Residuals {
	r := &Residuals{entries: entries}
	for i, e := range entries {
		if e.Law == nil {
			r.scores = append(r.scores, score{i, false, e.Rate, e.Rate * (1 - e.Rate), max(e.Rate, 1-e.Rate)})
			continue
		}
		second, fourth := e.Law.CutMoments(winsor)
		r.scores = append(r.scores, score{i, false, 0, second, winsor}, score{i, true, second, fourth - float64(second*second), winsor*winsor - second})
	}
	n := len(r.scores)
	r.sums, r.squares, r.row, r.products = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n*(n-1)/2)
	return r
}

// Empty returns a test of the same numbers that has seen no run.
func (r *Residuals) Empty() *Residuals { return NewResiduals(r.entries) }

// Runs is the number of runs that have been added.
func (r *Residuals) Runs() int { return r.runs }

// Add takes the numbers of one run, one for each entry, which are only read.
func (r *Residuals) Add(values []float64) error {
	if len(values) != len(r.entries) {
		return fmt.Errorf("audit: %d residuals of a run; want %d", len(values), len(r.entries))
	}
	for k := range r.scores {
		s := &r.scores[k]
		v := values[s.residual]
		if math.IsNaN(v) {
			return fmt.Errorf("audit: residual %s is not a number", r.entries[s.residual].Name)
		}
		r.row[k] = r.value(s, v)
	}
	r.runs++
	at := 0
	for k, v := range r.row {
		r.sums[k] += v
		r.squares[k] += float64(v * v)
		for _, w := range r.row[k+1:] {
			r.products[at] += float64(v * w)
			at++
		}
	}
	return nil
}

func (r *Residuals) value(s *score, v float64) float64 {
	e := &r.entries[s.residual]
	if e.Law != nil {
		v = max(-winsor, min(winsor, v/e.Law.Deviation(1)))
	}
	if s.square {
		v *= v
	}
	return v - s.centre
}

// Merge adds the runs of another test of the same numbers.
func (r *Residuals) Merge(other *Residuals) {
	r.runs += other.runs
	for k, v := range other.sums {
		r.sums[k] += v
	}
	for k, v := range other.squares {
		r.squares[k] += v
	}
	for k, v := range other.products {
		r.products[k] += v
	}
}

// Deviation is a moment that is not as stated.
type Deviation struct {
	Residuals string // which, in words
	// Value is the mean over the standard deviation, or the correlation; it is 0
	// under the stated law, and beyond Limit in absolute value.
	Value, Limit float64
}

// Noise is the outcome of the test.
type Noise struct {
	Runs  int
	Tests int // moments that were looked at
	// Miss bounds the chance that the test finds a deviation where there is none.
	Miss float64
	// Correlation is the bound that a correlation of two residuals must exceed for so many
	// runs to show it, but for that chance: twice the largest limit.
	Correlation float64
	Deviations  []Deviation // the clearest first; none where the noise is as stated
}

// AsStated reports whether no moment deviates.
func (n *Noise) AsStated() bool { return len(n.Deviations) == 0 }

// Judge compares all moments with those stated. The chance of a deviation where the noise is
// as stated is at most miss, for any number of runs: each of the tests has its share of miss
// (Bonferroni), by Bernstein's inequality for bounded numbers. Squares may exceed theirs: more
// noise than stated is no loss.
func (r *Residuals) Judge(miss float64) Noise {
	n := Noise{Runs: r.runs, Tests: len(r.sums) + r.pairs(), Miss: miss}
	if r.runs == 0 {
		return n
	}
	share := miss / float64(n.Tests)
	limits := make([]float64, len(r.scores))
	for k := range r.scores {
		s := &r.scores[k]
		limits[k] = beyond(n.Runs, s.variance, s.most, share)
		if mean := r.mean(k); mean < -limits[k] || mean > limits[k] && !s.square {
			deviation := math.Sqrt(s.variance)
			n.Deviations = append(n.Deviations, Deviation{r.name(s), mean / deviation, limits[k] / deviation})
		}
	}
	at := 0
	for k := range r.scores {
		for m := k + 1; m < len(r.scores); m++ {
			product := r.products[at] / float64(r.runs)
			at++
			if r.scores[k].residual != r.scores[m].residual {
				n.correlate(r, k, m, product-float64(r.mean(k)*r.mean(m)), share, limits)
			}
		}
	}
	slices.SortStableFunc(n.Deviations, func(a, b Deviation) int {
		return cmp.Compare(math.Abs(b.Value)/b.Limit, math.Abs(a.Value)/a.Limit)
	})
	return n
}

// correlate looks at the covariance of two scores. It is the mean of their products,
// to which Bernstein's inequality applies, less the product of their means, each of
// which is within its limit. Scores that vary more than stated are allowed more.
func (n *Noise) correlate(r *Residuals, k, m int, covariance, share float64, limits []float64) {
	s, o := &r.scores[k], &r.scores[m]
	variances := max(s.variance, r.variance(k)) * max(o.variance, r.variance(m))
	limit := (beyond(n.Runs, variances, s.most*o.most, share) + float64(limits[k]*limits[m])) / math.Sqrt(variances)
	value := covariance / math.Sqrt(variances)
	if math.Abs(value) > limit {
		n.Deviations = append(n.Deviations, Deviation{r.name(s) + " with " + r.name(o), value, limit})
	}
	if !s.square && !o.square {
		n.Correlation = max(n.Correlation, 2*limit)
	}
}

func (r *Residuals) mean(k int) float64 { return r.sums[k] / float64(r.runs) }

func (r *Residuals) variance(k int) float64 {
	return float64(r.squares[k]/float64(r.runs)) - float64(r.mean(k)*r.mean(k))
}

// pairs is the number of pairs of scores that are of different residuals.
func (r *Residuals) pairs() (pairs int) {
	for k := range r.scores {
		for m := k + 1; m < len(r.scores); m++ {
			if r.scores[k].residual != r.scores[m].residual {
				pairs++
			}
		}
	}
	return pairs
}

func (r *Residuals) name(s *score) string {
	if s.square {
		return "square of " + r.entries[s.residual].Name
	}
	return r.entries[s.residual].Name
}
