package factorization

import (
	"math"
	"math/bits"
	"slices"
)

// treeSensitivity is the largest column norm of the tree's C: input 0 lies in
// [0, 2^j) for every 2^j <= n, and no input lies in more nodes. It is the sensitivity
// where all nodes count.
func treeSensitivity(n int) float64 { return math.Sqrt(float64(bits.Len(uint(n)))) }

// buildTree fills in the tree of which the dark nodes are summed (v2, Fig. 2).
func (f *Factorization) buildTree() {
	f.buildFromBelow(make([]float64, bits.Len(uint(f.n))))
}

// buildTreeOnline fills in Honaker's estimation from below: a node is estimated
// from its own noisy value, of variance 1, and the sum of its children's
// estimates, with weights in inverse proportion to the variances.
func (f *Factorization) buildTreeOnline() {
	fromChildren := make([]float64, bits.Len(uint(f.n)))
	variance := 1.0
	for level := 1; level < len(fromChildren); level++ {
		fromChildren[level] = 1 / (1 + 2*variance)
		variance = 1 / (1 + 1/(2*variance))
	}
	f.buildFromBelow(fromChildren)
}

// buildFromBelow fills in the tree in which a node at level l is estimated with weight
// fromChildren[l] from the estimates of its children, and with the rest from its own value.
func (f *Factorization) buildFromBelow(fromChildren []float64) {
	variances := make([]float64, len(fromChildren))
	// variances[l] is the variance of the estimate of a node at level l. The two children
	// are estimated from different noise, so that their variances add up.
	for level, w := range fromChildren {
		variances[level] = float64((1 - w) * (1 - w))
		if level > 0 {
			variances[level] += float64(2 * w * w * variances[level-1])
		}
	}
	f.sensitivity = sensitivityFromBelow(f.n, fromChildren)
	f.spread = spreadFromBelow{f.n, fromChildren}
	f.rows = func(yield func(float64) bool) {
		for t := range f.n {
			sum := 0.0
			// A prefix is the disjoint union of the nodes of the binary representation of
			// t+1, one for each bit that is set.
			for m := uint(t + 1); m > 0; m &= m - 1 {
				sum += variances[bits.TrailingZeros(m)]
			}
			if !yield(sum) {
				return
			}
		}
	}
	f.law = fromBelow{fromChildren, slices.Max(fromChildren) > 0}
}

// sensitivityFromBelow is the distance by which an input moves the visible estimates of such a
// tree, in standard deviations of its noise: the root of a'K^(-1)a, K the covariance of the
// visible estimates, a the indicator of those that the input is in. For trees with estimates
// that use their children it is below the column norm of C. Visible are the estimates of the
// left children and of the largest nodes. Estimates of right children come together with their
// parents' and are in no sum of their own.
//
// Given the visible estimates below a node at level l, its estimate has variance unseen[l],
// and an input below it moves its mean by some delta, where it moves the estimate by 1. Seeing
// the estimate adds (1 - delta)^2/unseen[l] to the square; delta is 0 at a leaf, and
// fromChildren[l] times 1 above a left child, which has a visible estimate, or times the
// child's own delta above a right one.
func sensitivityFromBelow(n int, fromChildren []float64) float64 {
	levels, unseen := len(fromChildren), unseenFromBelow(fromChildren)
	// best is the most that an input gains below a node, by the level of the last left
	// child that it is in, from none on.
	best, delta := []float64{0}, []float64{0}
	largest := 0.0
	for level := range levels {
		seen := 0.0 // the most where the node itself is seen
		for k, gain := range best {
			d := 1 - delta[k]
			seen = max(seen, gain+d*d/unseen[level])
		}
		if n>>level&1 == 1 {
			largest = max(largest, seen)
		}
		if level+1 == levels {
			break
		}
		w := fromChildren[level+1]
		for k := range delta {
			delta[k] *= w
		}
		best, delta = append(best, seen), append(delta, w)
	}
	return math.Sqrt(largest)
}

// unseenFromBelow is, by level, the variance of a node's estimate given the visible estimates
// below it.
func unseenFromBelow(fromChildren []float64) []float64 {
	unseen := make([]float64, len(fromChildren))
	for level, w := range fromChildren {
		unseen[level] = float64((1 - w) * (1 - w))
		if level > 0 {
			unseen[level] += float64(w * w * unseen[level-1])
		}
	}
	return unseen
}

// spreadFromBelow is the spread of such a tree. An entry sums over every visible node the
// product of the moves of its estimate by two inputs, in units of its variance; a move that
// follows from the visible estimates below is subtracted. No input moves an estimate by less
// than that, so that no entry is negative.
type spreadFromBelow struct {
	// n is the number of inputs. fromChildren has, by level, the weight of the children in a
	// node's estimate; it is 0 for leaves.
	n            int
	fromChildren []float64
}

// whole implements spread: a node at level l moves by 2^l, and its mean given the visible
// estimates below it by known.
func (f spreadFromBelow) whole() (sum float64) {
	known := 0.0
	for level, unseen := range unseenFromBelow(f.fromChildren) {
		if level > 0 {
			known = f.fromChildren[level] * (math.Ldexp(1, level-1) + known)
		}
		moved := math.Ldexp(1, level) - known
		seen := (f.n>>level + 1) / 2 // left children, and the largest nodes
		sum += float64(seen) * moved * moved / unseen
	}
	return sum
}

// entries implements spread.
func (f spreadFromBelow) entries() func(s, t int) float64 {
	unseen := unseenFromBelow(f.fromChildren)
	return func(s, t int) (sum float64) {
		first, second := 0.0, 0.0 // the moves of a node's mean, given the visible estimates below it, by s and by t
		for level, variance := range unseen {
			node, other := s>>level, t>>level
			if (node+1)<<level > f.n { // it is not complete, and neither are those above
				return sum
			}
			if level > 0 {
				first, second = f.told(first, s, level), f.told(second, t, level)
			}
			if node == other && node&1 == 0 { // a left child, or a largest node
				sum += float64((1-first)*(1-second)) / variance
			}
		}
		return sum
	}
}

// told is the distance by which an input moves the mean of its node at a level above 0, given
// the visible estimates below. below is the same for the node's child: a left child is visible
// itself.
func (f spreadFromBelow) told(below float64, input, level int) float64 {
	if input>>(level-1)&1 == 0 {
		below = 1
	}
	return f.fromChildren[level] * below
}

// fromBelow streams Tree and TreeOnline. After step t the state holds, for each
// node of the binary representation of t+1, the error of its estimate, by level;
// the highest level is never taken out of a sum again and is not kept.
type fromBelow struct {
	fromChildren []float64
	online       bool // some weight is not 0
}

// memory and sampler implement law: a number for each level but the highest.
func (f fromBelow) memory() int      { return len(f.fromChildren) - 1 }
func (f fromBelow) sampler() sampler { return f }

// next implements sampler. Draws are in the order of blocks of coordinates, then of levels.
func (f fromBelow) next(dst, state []float64, t int, z Normals) {
	d := len(dst)
	// Step t completes one node at each level up to the number of trailing ones of t.
	// Only the largest of them is in the new prefix sum; the siblings that it covers
	// leave the sum.
	complete := bits.TrailingZeros(uint(t + 1))
	kept := complete < f.memory()
	for begin := 0; begin < d; begin += together {
		block := dst[begin:min(begin+together, d)]
		row := func(level int) []float64 { return state[level*d+begin:][:len(block)] }
		var estimates, left [together]float64
		z.FillNormal(block)
		copy(estimates[:], block)
		for level := range complete {
			if f.online {
				z.FillNormal(block)
			}
			for i, sibling := range row(level) {
				left[i] += sibling // the siblings on the way up leave the sum
				if w := f.fromChildren[level+1]; f.online {
					estimates[i] = float64(w*(sibling+estimates[i])) + float64((1-w)*block[i])
				}
			}
		}
		for i := range block {
			block[i] = estimates[i] - left[i]
		}
		if kept {
			copy(row(complete), estimates[:])
		}
	}
}
