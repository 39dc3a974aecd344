package vector

import (
	"math"

	"starling/actors/algorithm/mirror"
	"starling/mechanisms/kernel"
	"starling/scenarios/problem/stream"
)

// The most rounds of the search for a least hinge loss, the rounds between computations of its
// gap, and the factor by which the gap has to fall for a new beginning.
const (
	mostRounds = 2000
	lookEvery  = 20
	fallen     = 0.3
)

// leastHinge returns the least mean hinge loss over data on a compact set. As max(0, 1 - u) is
// the largest of s (1 - u) over s in [0, 1], it is the value of a game
//
//	min over x in the set, max over s in [0, 1]^m, of
//	mean_j s_j (1 - <z_j, x>) + l2/2 ||x||^2,  z_j = y_j a_j,
//
// played by the primal-dual steps of Chambolle and Pock (2011), which begin anew at their
// averages as the gap falls (Applegate et al. 2021). The gap is the gap between the best x and
// the best s met; it is at most stream.SetTolerance, or the status is undecided.
func (m hinged) leastHinge(data []float64, set mirror.Set) stream.Optimum {
	g := newGame(m.margin, data, set)
	for round := 1; round <= mostRounds && g.best.Gap > stream.SetTolerance; round++ {
		if g.play(); round%lookEvery == 0 {
			g.look()
		}
	}
	if g.best.Gap <= stream.SetTolerance {
		g.best.Status = stream.Solved
	}
	return g.best
}

// pair is a point for each of the players.
type pair struct{ x, s []float64 }

// newPair returns the point 0 for both players.
func newPair(dim, rows int) pair { return pair{make([]float64, dim), make([]float64, rows)} }

// game is the state of the search.
type game struct {
	margin
	table
	set          mirror.Set
	now          pair
	sum          pair // of the pairs since the beginning
	mean         pair // scratch
	since        float64
	begun        float64 // the gap at the beginning
	stepX, stepS float64
	above, below float64        // the least loss of an x, and the largest bound of an s
	best         stream.Optimum // at the x of the least loss
	force, ahead []float64      // mean_j s_j z_j, and the point that s answers to
	work         []float64
}

// newGame begins at the centre of the set and s = 0. data are data of hinge, with labels -1
// and 1.
func newGame(m margin, data []float64, set mirror.Set) *game {
	rows := len(data) / (m.dim + 1)
	g := &game{
		margin: m, table: table{data, m.dim, float64(rows)}, set: set, now: newPair(m.dim, rows), sum: newPair(m.dim, rows), mean: newPair(m.dim, rows),
		begun: math.Inf(1), above: math.Inf(1), below: math.Inf(-1),
		force: make([]float64, m.dim), ahead: make([]float64, m.dim), work: make([]float64, set.WorkSize()),
	}
	set.Center(g.now.x)
	squares := 0.0
	g.each(func(_ int, a []float64, _ float64) { squares += kernel.SquaredNorm(a) })
	// The product of the steps is 1/||Z/m||^2 or less, and they are in proportion to the
	// distance that each player may go.
	norm := math.Sqrt(squares) / g.rows
	if norm == 0 { // nothing moves
		norm = 1
	}
	far := set.Diameter() / math.Sqrt(g.rows)
	g.stepX, g.stepS = far/norm, 1/(far*norm)
	g.weigh(g.now)
	return g
}

// pull writes mean_j s_j z_j to force.
func (g *game) pull(s []float64) {
	clear(g.force)
	g.each(func(j int, a []float64, y float64) {
		if s[j] == 0 {
			return
		}
		by := s[j] * y / g.rows
		kernel.Axpy(g.force, by, a)
	})
}

// play moves both players once.
func (g *game) play() {
	x, s := g.now.x, g.now.s
	g.pull(s)
	copy(g.ahead, x)
	for k, v := range g.force {
		x[k] = (x[k] + float64(g.stepX*v)) / (1 + float64(g.stepX*g.l2))
	}
	g.set.Project(x, x, g.work)
	for k, v := range x {
		g.ahead[k] = 2*v - g.ahead[k]
		g.sum.x[k] += v
	}
	g.each(func(j int, a []float64, y float64) {
		s[j] = min(1, max(0, s[j]+float64(g.stepS/g.rows*(1-float64(y*kernel.Dot(a, g.ahead))))))
		g.sum.s[j] += s[j]
	})
	g.since++
}

// look computes the gaps of the pair and of the averages, and begins anew at the better one if
// its gap has fallen.
func (g *game) look() {
	for k, v := range g.sum.x {
		g.mean.x[k] = v / g.since
	}
	for j, v := range g.sum.s {
		g.mean.s[j] = v / g.since
	}
	gap, averaged := g.weigh(g.now), g.weigh(g.mean)
	if min(gap, averaged) > fallen*g.begun {
		return
	}
	if averaged < gap {
		copy(g.now.x, g.mean.x)
		copy(g.now.s, g.mean.s)
	}
	g.begun, g.since = min(gap, averaged), 0
	clear(g.sum.x)
	clear(g.sum.s)
}

// weigh returns the gap of a pair. It keeps the best x and the best bound so far.
func (g *game) weigh(p pair) (gap float64) {
	above, below := 0.0, 0.0
	g.each(func(j int, a []float64, y float64) {
		above += g.Curve.Loss(kernel.Dot(a, p.x), y) / g.rows
		below += p.s[j] / g.rows
	})
	above += ridge(g.l2, p.x)
	g.pull(p.s)
	below -= g.most(g.force)
	if above < g.above {
		g.above, g.best.Value, g.best.X = above, above, append(g.best.X[:0], p.x...)
	}
	g.below = max(g.below, below)
	g.best.Gap = max(0, g.above-g.below)
	return max(0, above-below)
}

// most returns the largest <v, x> - l2/2 ||x||^2 over the set. It overwrites v.
func (g *game) most(v []float64) float64 {
	if g.l2 == 0 {
		for k := range v {
			v[k] = -v[k]
		}
		return g.set.Support(v)
	}
	at := g.ahead // is not needed between moves
	for k := range v {
		at[k] = v[k] / g.l2
	}
	g.set.Project(at, at, g.work)
	return kernel.Dot(v, at) - ridge(g.l2, at)
}
