package robust

import (
	"math"
	"slices"

	"starling/mechanisms/kernel"
)

// Vector is one of the vectors that a rule is given, of length d, and its weight. A rule
// changes neither.
type Vector struct {
	Values []float64
	Weight float64
}

// Rule makes one vector of several.
type Rule interface {
	// Combine writes the rule's result for at least one vector to dst, len d, which overlaps
	// none of them. own is the vector of the node that combines, len d; it may be one of the
	// list, and nil where the rule is not Centred. work is working memory.
	Combine(dst, own []float64, list []Vector, work *Work)
	// Least is the number of vectors that the rule needs for its guarantee.
	Least() int
}

// Centred is a Rule that rests on the vector of the node that combines.
type Centred interface {
	Rule
	// Centred does nothing.
	Centred()
}

// Work is the working memory of rules. The zero value is ready.
type Work struct{ a, b []float64 }

// take returns two slices of n numbers each, with arbitrary entries.
func (w *Work) take(n int) (a, b []float64) {
	w.a, w.b = slices.Grow(w.a[:0], n)[:n], slices.Grow(w.b[:0], n)[:n]
	return w.a, w.b
}

// Median is the median of every coordinate, of an even number the mean of the middle two.
// As long as fewer than half of the vectors are lies, every entry lies between two of those
// that are none. Weights do not count.
type Median struct {
	Liars int `yaml:"liars" min:"0" says:"%v liars" unit:"nodes" doc:"f, how many of those that are heard may lie; the median promises the same for any number below half: it is only checked that as many can be there; absent, 0"`
}

// Least implements Rule.
func (m Median) Least() int { return 2*m.Liars + 1 }

// Combine implements Rule.
func (Median) Combine(dst, _ []float64, list []Vector, work *Work) {
	// The mean of one or two remains when all others are cut off.
	trim(dst, list, (len(list)-1)/2, work)
}

// TrimmedMean is the mean of every coordinate without its Liars least and largest entries. As
// long as no more of the vectors are lies, every entry lies between two of those that are
// none. Of 2 Liars vectors and fewer it cuts off all but one or two. Weights do not count.
type TrimmedMean struct {
	Liars int `yaml:"liars,required" min:"0" says:"%v liars" unit:"nodes" doc:"f, how many of those that are heard may lie: as many entries are cut off at each end; where fewer than 2 f + 1 arrive, as many as leave one or two"`
}

// Least implements Rule.
func (m TrimmedMean) Least() int { return 2*m.Liars + 1 }

// Combine implements Rule.
func (m TrimmedMean) Combine(dst, _ []float64, list []Vector, work *Work) {
	trim(dst, list, min(m.Liars, (len(list)-1)/2), work)
}

// trim writes the mean of every coordinate without its cut least and its cut largest entries.
func trim(dst []float64, list []Vector, cut int, work *Work) {
	column, _ := work.take(len(list))
	for k := range dst {
		for i := range list {
			column[i] = list[i].Values[k]
		}
		slices.Sort(column)
		kept := column[cut : len(column)-cut]
		// Each is divided before they are added, so that no sum is beyond the largest number.
		mean := 0.0
		for _, v := range kept {
			mean += v / float64(len(kept))
		}
		dst[k] = min(max(mean, kept[0]), kept[len(kept)-1]) // rounding leads nowhere else
	}
}

// Krum is the vector with the nearest n - Liars - 2 nearest others, of n, by the sum of
// squared distances; of several it is the first. It takes 2 Liars + 3 vectors; of fewer, Liars
// counts as the most that they allow. Weights do not count.
type Krum struct {
	Liars int `yaml:"liars,required" min:"0" says:"%v liars" unit:"nodes" doc:"f, how many of those that are heard may lie: of n vectors the one with the nearest n - f - 2 others is taken; where fewer than 2 f + 3 arrive, f is the most that they allow"`
}

// Least implements Rule.
func (m Krum) Least() int { return 2*m.Liars + 3 }

// Combine implements Rule.
func (m Krum) Combine(dst, _ []float64, list []Vector, work *Work) {
	n := len(list)
	liars := max(0, min(m.Liars, (n-3)/2))
	near := min(max(n-liars-2, 1), n-1) // of one vector no other
	distances, best, least := work.square(list), 0, math.Inf(1)
	for i := range n {
		row := distances[i*n : (i+1)*n]
		slices.Sort(row) // the first is the distance to itself, 0
		score := 0.0
		for _, d := range row[min(1, n-1) : 1+near] {
			score += d
		}
		if score < least {
			best, least = i, score
		}
	}
	copy(dst, list[best].Values)
}

// square returns the squared distances of all pairs, by row.
func (w *Work) square(list []Vector) []float64 {
	n := len(list)
	distances, _ := w.take(n * n)
	for i := range n {
		distances[i*n+i] = 0
		for j := range i {
			d := kernel.SquaredDistance(list[i].Values, list[j].Values)
			distances[i*n+j], distances[j*n+i] = d, d
		}
	}
	return distances
}

// ClippedGossip is x_i + sum_j w_ij Clip(x_j - x_i, tau): the weighted mean of vectors that
// are brought to within tau of the own, x_i. Weights sum to 1 with the weight of x_i, whether
// or not it is in the list.
//
// The theorem of the paper takes tau_i^2 = sum_j w_ij E ||x_i - x_j||^2/delta_i over the
// honest neighbours, delta_i the weight of the liars among all, which is unknown. With Tau 0,
// tau is the distance of all but the Liars furthest vectors: the rule of the authors' program,
// which has one liar, the second largest distance. An infinite Tau is gossip.
type ClippedGossip struct {
	Tau   float64 `yaml:"tau" over:"0" says:"tau %v" unit:"2-norm" doc:"distance from the node's own release beyond which others are clipped; absent, in every step the largest distance without the furthest releases, one for each attacker"`
	Liars int     `yaml:"liars" min:"0" says:"%v liars" unit:"nodes" doc:"f, how many of those that are heard may lie; needed without tau; absent, 0"`
}

// Centred implements Centred.
func (ClippedGossip) Centred() {}

// Least implements Rule: the own vector, the lies, and one more.
func (m ClippedGossip) Least() int { return m.Liars + 2 }

// Combine implements Rule.
func (m ClippedGossip) Combine(dst, own []float64, list []Vector, work *Work) {
	distances, sorted := work.take(len(list))
	for i := range list {
		distances[i] = kernel.Distance(list[i].Values, own)
	}
	tau := m.Tau
	if tau == 0 {
		copy(sorted, distances)
		slices.Sort(sorted)
		tau = sorted[max(len(sorted)-1-m.Liars, 0)]
	}
	copy(dst, own)
	for i, v := range list {
		weight := v.Weight
		if d := distances[i]; d > tau {
			weight *= tau / d
		}
		for k, x := range v.Values {
			dst[k] += float64(weight * (x - own[k]))
		}
	}
}
