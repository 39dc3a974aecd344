package comparison

import (
	"math"
	"slices"

	"starling/mechanisms/portable"
	"starling/mechanisms/rng"
)

// Resamples is the number of samples of seeds that a bootstrap draws. With one more it is a
// multiple of 1/(1 - Confidence), so that the quantile is one of the drawn values.
const Resamples = 4999

// resampling is the stream of the bootstrap. It depends on the number of seeds alone: arms are
// resampled in pairs, and the same results give the same bits.
var resampling = rng.NewKey(0, rng.PurposeOf("comparison.bootstrap"))

// A Statistic computes a statistic over seeds, which has no value for a single one, for the
// weights of the seeds, which sum to 1. It overwrites values with a number for each seed: their
// weighted mean is the result, and their deviations from it are its derivatives by the weights. A
// standard error is made of them.
type Statistic func(weights, values []float64) float64

// estimated is a statistic of all seeds, or of a sample of them, with the values of the seeds.
type estimated struct {
	value  float64
	values []float64
}

// bootstrap holds the samples of a number of seeds.
type bootstrap struct {
	// samples has for each sample the number of times that each seed is drawn.
	samples [][]int32
	n       int
}

// newBootstrap draws the samples of n seeds: n seeds of them, each drawn from all.
func newBootstrap(n int) *bootstrap {
	b := &bootstrap{n: n, samples: make([][]int32, Resamples)}
	var stream rng.Stream
	for i := range b.samples {
		r := stream.Open(resampling, n, i, 0)
		b.samples[i] = make([]int32, n)
		for range n {
			b.samples[i][r.IntN(n)]++
		}
	}
	return b
}

// replicates are a statistic of all seeds and of each sample of a bootstrap.
type replicates struct {
	all  estimated
	each []estimated
}

// of computes a statistic for all samples.
func (b *bootstrap) of(statistic Statistic) *replicates {
	weights := make([]float64, b.n)
	compute := func() estimated {
		e := estimated{values: make([]float64, b.n)}
		e.value = statistic(weights, e.values)
		return e
	}
	for s := range weights {
		weights[s] = 1 / float64(b.n)
	}
	r := &replicates{all: compute(), each: make([]estimated, len(b.samples))}
	for i, sample := range b.samples {
		for s, count := range sample {
			weights[s] = float64(count) / float64(b.n)
		}
		r.each[i] = compute()
	}
	return r
}

// combine returns the replicates of a function of two statistics of the same samples.
func combine(x, y *replicates, f func(x, y estimated) estimated) *replicates {
	r := &replicates{all: f(x.all, y.all), each: make([]estimated, len(x.each))}
	for i := range r.each {
		r.each[i] = f(x.each[i], y.each[i])
	}
	return r
}

// difference is y - x.
func difference(x, y estimated) estimated {
	d := estimated{y.value - x.value, make([]float64, len(x.values))}
	for s := range d.values {
		d.values[s] = y.values[s] - x.values[s]
	}
	return d
}

// quotient is y/x. The derivative of y/x by a weight is (y' - (y/x) x')/x.
func quotient(x, y estimated) estimated {
	q := estimated{y.value / x.value, make([]float64, len(x.values))}
	for s := range q.values {
		q.values[s] = q.value + (y.values[s]-y.value-float64(q.value*(x.values[s]-x.value)))/x.value
	}
	return q
}

// logarithm is log(y/x), where both have one sign. Its derivative by a weight is y'/y - x'/x.
func logarithm(x, y estimated) estimated {
	q := estimated{portable.Log(y.value / x.value), make([]float64, len(x.values))}
	for s := range q.values {
		q.values[s] = q.value + (y.values[s]-y.value)/y.value - (x.values[s]-x.value)/x.value
	}
	return q
}

// agreement is the part of a value below which a standard error is rounding: the seeds agree.
const agreement = 1e-12

// interval is an estimate with its interval and p-value, which are NaN where there are none.
type interval struct{ value, low, high, p float64 }

// studentized returns the interval and the p-value of replicates by the studentized bootstrap
// (Hall 1988), with the shift method for the test.
//
// T is the statistic of all seeds and s its standard error; sample b has T_b and s_b. The law
// of (T - T0)/s, T0 the value of the whole population, is taken to be the law of (T_b - T)/s_b
// over the samples, which the data show. So |T_b - T|/s_b stands for |T - 0|/s if T0 were 0: the
// drawn values are shifted to the hypothesis, and
//
//	p = (1 + number of b with |T_b - T|/s_b >= |T|/s) / (Resamples + 1)
//
// which is never 0, and a valid p-value for the samples that were drawn. The interval has each
// T0 that the same test does not reject at 1 - Confidence: T +- q s, q the quantile of
// |T_b - T|/s_b at Confidence. Division by s_b, in place of the percentiles of T_b, makes up for
// the shortness of percentile intervals of few seeds. A largest value over nodes or points is
// biased upwards by about as much in the samples as in the data, and T_b - T has that bias too.
//
// A sample in which all values are equal has s_b = 0, up to rounding, and counts as extreme unless
// T_b = T. Of two or three seeds more than 1 - Confidence of the samples are so, and no interval is
// bounded. There is none where s is 0, up to rounding, either.
func (b *bootstrap) studentized(r *replicates) interval {
	out := interval{r.all.value, math.NaN(), math.NaN(), math.NaN()}
	even := make([]int32, b.n)
	for s := range even {
		even[s] = 1
	}
	se := b.standardError(r.all, even)
	if !(se > agreement*math.Abs(out.value)) || math.IsInf(se, 0) || math.IsInf(out.value, 0) {
		return out
	}
	extremes := make([]float64, len(r.each))
	extreme, own := 0, math.Abs(out.value)/se
	for i, e := range r.each {
		switch away, s := math.Abs(e.value-out.value), b.standardError(e, b.samples[i]); {
		case away == 0:
		case s > agreement*math.Abs(e.value):
			extremes[i] = away / s
		default:
			extremes[i] = math.Inf(1)
		}
		if extremes[i] >= own {
			extreme++
		}
	}
	out.p = float64(1+extreme) / float64(len(r.each)+1)
	slices.Sort(extremes)
	q := extremes[int(math.Round(Confidence*float64(len(r.each)+1)))-1]
	if half := float64(q * se); !math.IsInf(half, 0) && !math.IsNaN(half) {
		out.low, out.high = out.value-half, out.value+half
	}
	return out
}

// standardError returns the standard error of the mean of the values of a sample.
func (b *bootstrap) standardError(e estimated, sample []int32) float64 {
	sum := 0.0
	for s, count := range sample {
		d := e.values[s] - e.value
		sum += float64(float64(count) * float64(d*d))
	}
	n := float64(b.n)
	return math.Sqrt(sum / (n - 1) / n)
}

// ratioOf returns the ratio of the second of two statistics to the first. Where both keep one
// sign in all samples, the interval follows from the logarithm of the ratio, which is nearer to
// normal and keeps the sign. There is no ratio where the first is 0 or has both signs among the
// samples.
func (b *bootstrap) ratioOf(x, y *replicates) Ratio {
	switch {
	case !x.oneSign():
		return noRatio()
	case !y.oneSign() || y.all.value/x.all.value < 0:
		i := b.studentized(combine(x, y, quotient))
		return Ratio{i.value, i.low, i.high}
	}
	i := b.studentized(combine(x, y, logarithm))
	return Ratio{y.all.value / x.all.value, portable.Exp(i.low), portable.Exp(i.high)}
}

// oneSign reports whether the statistic is above 0 in all samples, or below in all.
func (r *replicates) oneSign() bool {
	values := []float64{r.all.value}
	for _, e := range r.each {
		values = append(values, e.value)
	}
	return oneSign(values)
}
