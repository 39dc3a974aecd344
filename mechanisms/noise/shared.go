package noise

import (
	"fmt"
	"math"
	"slices"

	"starling/mechanisms/accountant"
	"starling/mechanisms/numeric"
	"starling/mechanisms/rng"
)

// Shared is Gaussian noise that the nodes of an undirected graph have in common. Each node i
// has noise of its own, of deviation sigma, and each edge a vector of deviation ratio times
// sigma, which one end adds and the other subtracts: over all nodes it cancels. The noise that
// all nodes add in a step has, entry by entry, the covariance sigma^2 K,
//
//	K = I + ratio^2 L,  L the Laplacian of the graph.
//
// An observer that sees all releases and knows the noise of the nodes of a coalition, and so
// the noise of their edges, is left with K over the other nodes, without those edges: K_C.
// Data that move one release, of node u, by Delta in 2-norm are as hard to tell apart as under
// independent noise of deviation sigma/sqrt(p), p the entry (u, u) of the inverse of K_C
// (Allouah, Koloskova, El Firdoussi, Jaggi, Guerraoui, The Privacy Power of Correlated Noise
// in Decentralized Learning, ICML 2024, Algorithm 2): rho = Delta^2 p/(2 sigma^2). p is at
// most 1, which is the p of noise of its own alone.
//
// An observer that sees fewer of the releases learns no more: the precision of a part of the
// vector is at most the precision of the whole. So releases that are lost, late or not made
// leave rho a bound. It is immutable.
type Shared struct {
	ratio      float64
	neighbours [][]int
	alone      []float64 // p against an observer that knows no noise, by node
	worst      []float64 // p against the single other node that it loses the most to
}

// MostSharing is the largest number of nodes that share noise: computing the loss of each to
// each other takes time O(n^4).
const MostSharing = 256

// NewShared is the noise of a graph: neighbours are by node, ascending, none itself, and
// every edge at both ends. The ratio is >= 0 and finite.
func NewShared(neighbours [][]int, ratio float64) (*Shared, error) {
	n := len(neighbours)
	if !(ratio >= 0) || math.IsInf(ratio, 1) {
		return nil, fmt.Errorf("noise: shared noise of %v times its own; want a finite number >= 0", ratio)
	}
	if n > MostSharing {
		return nil, fmt.Errorf("noise: %d nodes share noise; want at most %d", n, MostSharing)
	}
	for i, list := range neighbours {
		for k, j := range list {
			if j < 0 || j >= n || j == i || k > 0 && j <= list[k-1] || !slices.Contains(neighbours[j], i) {
				return nil, fmt.Errorf("noise: neighbour %d of node %d is no other node, out of order, or has no edge back", j, i)
			}
		}
	}
	s := &Shared{ratio: ratio, neighbours: neighbours}
	s.alone = s.Precision(nil)
	s.worst = s.singles()
	return s, nil
}

// Covariance is K_C, by rows, of the nodes outside a coalition, which are listed ascending.
func (s *Shared) Covariance(coalition []int) (k []float64, nodes []int) {
	place := make([]int, len(s.neighbours))
	for i := range place {
		if place[i] = -1; !slices.Contains(coalition, i) {
			place[i] = len(nodes)
			nodes = append(nodes, i)
		}
	}
	m, square := len(nodes), s.ratio*s.ratio
	k = make([]float64, m*m)
	for row, i := range nodes {
		degree := 0
		for _, j := range s.neighbours[i] {
			if column := place[j]; column >= 0 {
				k[row*m+column] = -square
				degree++
			}
		}
		k[row*m+row] = 1 + float64(square*float64(degree))
	}
	return k, nodes
}

// Precision is p by node against a coalition that sees all releases; 0 of its own nodes.
func (s *Shared) Precision(coalition []int) []float64 {
	k, nodes := s.Covariance(coalition)
	m, p := len(nodes), make([]float64, len(s.neighbours))
	factor, ok := numeric.NewCholesky(k, m, 0)
	if !ok {
		panic("noise: I + ratio^2 L is not positive definite")
	}
	inverse := factor.Inverse()
	for column, i := range nodes {
		for row := column; row < m; row++ {
			v := inverse[row*m+column]
			p[i] += float64(v * v)
		}
	}
	return p
}

// singles is p by node against the other node that it loses the most to.
func (s *Shared) singles() []float64 {
	worst := slices.Clone(s.alone)
	if s.ratio == 0 {
		return worst
	}
	for j := range worst {
		for i, p := range s.Precision([]int{j}) {
			worst[i] = max(worst[i], p)
		}
	}
	return worst
}

// Alone is p by node against an observer that sees all releases and knows no noise; read only.
func (s *Shared) Alone() []float64 { return s.alone }

// Worst is p by node against the single other node that it loses the most to; read only.
func (s *Shared) Worst() []float64 { return s.worst }

// Most is the largest of Worst.
func (s *Shared) Most() float64 { return slices.Max(s.worst) }

// Least is the ratio of the deviation of all noise of a node to the deviation of its own
// noise, for the node with the fewest neighbours.
func (s *Shared) Least() float64 {
	degree := len(s.neighbours)
	for _, list := range s.neighbours {
		degree = min(degree, len(list))
	}
	return math.Sqrt(1 + float64(s.ratio*s.ratio*float64(degree)))
}

// SharedLoss is the cost of a release with noise of its own to an observer of precision p.
func SharedLoss(own Additive, p float64, moves Moves) accountant.Loss {
	own.Scale /= math.Sqrt(p)
	return own.Loss(moves)
}

// Loss is the cost of a node's release to the single other node that learns the most.
func (s *Shared) Loss(node int, own Additive, moves Moves) accountant.Loss {
	return SharedLoss(own, s.worst[node], moves)
}

// Drawing has the streams that the noise of a node's release is drawn from: its own, and by
// Key, Step and Hop the stream of an edge, the same for both of its ends.
type Drawing struct {
	Own             *rng.Rand
	Key             rng.Key
	Node, Step, Hop int
}

// Release adds a node's noise to every entry of x in place, after pay has accepted Loss,
// and gives the receipt of that. own is Gaussian, or nothing: then nothing is shared. An
// error of pay is returned as it is, and x is then unchanged.
func (s *Shared) Release(x []float64, from Drawing, own Additive, moves Moves, pay func(accountant.Loss) error) (accountant.Receipt, error) {
	if own.Law != GaussianLaw && own != (Additive{}) {
		return accountant.Receipt{}, fmt.Errorf("noise: shared noise beside %v noise; want %s", own.Law, GaussianLaw)
	}
	receipt, err := own.ReleaseAt(x, from.Own, s.Loss(from.Node, own, moves), pay)
	if err == nil {
		s.Add(x, from, own.Scale, s.neighbours[from.Node])
	}
	return receipt, err
}

// Add adds the noise that a node shares with some of its neighbours, where its own noise has a
// scale. Release does that for all of them.
func (s *Shared) Add(x []float64, from Drawing, scale float64, with []int) {
	if scale *= s.ratio; scale == 0 {
		return
	}
	var stream rng.Stream
	for _, other := range with {
		low, high, signed := from.Node, other, scale
		if low > high {
			low, high, signed = high, low, -scale
		}
		stream.Open(from.Key, low*len(s.neighbours)+high, from.Step, from.Hop).AddNormal(x, signed)
	}
}

// Among returns the nodes of some that share noise with a node.
func (s *Shared) Among(node int, some []int) (list []int) {
	for _, j := range s.neighbours[node] {
		if slices.Contains(some, j) {
			list = append(list, j)
		}
	}
	return list
}
