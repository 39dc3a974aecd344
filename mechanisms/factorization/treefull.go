package factorization

import (
	"math"
	"math/bits"
)

// buildTreeFull fills in B = A C^+ for the tree's C. B itself uses nodes that are
// not complete yet, so the noise is drawn by its law instead, which a causal
// factorization has too: the increments y are N(0, X^(-1)) with X = C'C, so their
// density is exp(-(1/2) sum over nodes of (sum of y over the node)^2).
func (f *Factorization) buildTreeFull() {
	f.sensitivity = treeSensitivity(f.n)
	tree := newFullTree(f.n)
	f.rows = tree.rowNorms
	f.law, f.spread = tree, tree
}

// whole implements spread: every node moves by its size.
func (tree *fullTree) whole() (sum float64) {
	for level := range tree.precision {
		sum += math.Ldexp(float64(tree.n>>level), 2*level)
	}
	return sum
}

// entries implements spread: the nodes that two inputs are both in.
func (tree *fullTree) entries() func(s, t int) float64 {
	return func(s, t int) (sum float64) {
		for level := range tree.precision {
			if s>>level == t>>level && (s>>level+1)<<level <= tree.n {
				sum++
			}
		}
		return sum
	}
}

// fullTree is the law of the increments of TreeFull. Given the sum s of a node at level l,
// everything below it together has density exp(-precision[l] s^2/2): its own term, and half of
// its children's.
type fullTree struct {
	n         int
	precision []float64 // 2 - 2^(-l)
}

// newFullTree has a level for each bit of n >= 1.
func newFullTree(n int) *fullTree {
	tree := &fullTree{n: n, precision: make([]float64, bits.Len(uint(n)))}
	for level := range tree.precision {
		tree.precision[level] = 2 - math.Ldexp(1, -level)
	}
	return tree
}

// root returns the level of the largest node that t lies in and where it begins.
// The largest nodes are the binary representation of n, from the top.
func (tree *fullTree) root(t int) (level, begin int) {
	for level = bits.Len(uint(tree.n)) - 1; ; level-- {
		if tree.n>>level&1 == 0 {
			continue
		}
		if t < begin+1<<level {
			return level, begin
		}
		begin += 1 << level
	}
}

// rowNorms yields the variances of the prefix sums of y. Within a node, and given
// its sum s, the sum of its first k leaves has mean (k/size) s, for all is
// symmetric, and a variance that grows by the same rule at every level: the sum
// of a left child has variance 1/(2 precision) given s.
func (tree *fullTree) rowNorms(yield func(float64) bool) {
	for t := range tree.n {
		top, begin := tree.root(t)
		before := 0.0 // variance of the sum of the largest nodes before
		for level := bits.Len(uint(tree.n)) - 1; level > top; level-- {
			if tree.n>>level&1 == 1 {
				before += 1 / tree.precision[level]
			}
		}
		given := 0.0
		for level := 1; level <= top; level++ {
			// Leaves of the child that t is in, up to t, out of its size.
			share := math.Ldexp(float64((t-begin)&(1<<(level-1)-1)+1), 1-level)
			if (t-begin)>>(level-1)&1 == 1 {
				share = 1 - share
			}
			given += share * share / (2 * tree.precision[level-1])
		}
		share := math.Ldexp(float64(t-begin+1), -top)
		if !yield(before + given + share*share/tree.precision[top]) {
			return
		}
	}
}

// memory: level l of the state holds the sum of the left child, of level l, of a
// node on the way from t to its root, while t is in the right child.
func (tree *fullTree) memory() int      { return len(tree.precision) - 1 }
func (tree *fullTree) sampler() sampler { return tree }

// next draws y_t given y_0..y_{t-1}. The earlier and the later increments outside a node leave
// a density exp(-a (s + c)^2/2) of its sum s. On the way down from the root, where a = 0, a
// node adds its own s^2; its right child x has s = x + the known sum of the left; its left
// child x has s = x + the right one's sum, which is integrated out. Only c differs between
// coordinates, and is kept in dst.
func (tree *fullTree) next(dst, state []float64, t int, z Normals) {
	d := len(dst)
	top, begin := tree.root(t)
	clear(dst)
	a := 0.0
	for level := top - 1; level >= 0; level-- {
		shrink := a / (1 + a)
		a++
		if (t-begin)>>level&1 == 1 {
			for i, sum := range state[level*d : level*d+d] {
				dst[i] = float64(shrink*dst[i]) + sum
			}
			continue
		}
		for i := range dst {
			dst[i] *= shrink
		}
		a *= tree.precision[level] / (tree.precision[level] + a)
	}
	shrink, deviation := a/(1+a), 1/math.Sqrt(1+a)
	complete := bits.TrailingZeros(^uint(t - begin)) // right children that end at t
	for begin := 0; begin < d; begin += together {
		block := dst[begin:min(begin+together, d)]
		row := func(level int) []float64 { return state[level*d+begin:][:len(block)] }
		var middles [together]float64
		copy(middles[:], block)
		z.FillNormal(block)
		for i, number := range block {
			block[i] = float64(deviation*number) - float64(shrink*middles[i])
		}
		if complete == top {
			continue
		}
		copy(row(complete), block)
		for level := range complete {
			for i, left := range row(level) {
				row(complete)[i] += left
			}
		}
	}
}
