package factorization

import (
	"math"

	"starling/mechanisms/kernel"
	"starling/mechanisms/numeric"
	"starling/mechanisms/portable"
)

// together is the number of coordinates that evolve takes at once: their numbers and a few of
// their modes fit into the nearest cache.
const together = 64

// evolve takes modes x_k of every coordinate one step further, x_k <- x_k - decay_k x_k +
// gain_k z with one fresh normal number z for a coordinate, and writes the change of their sum
// to dst. In state (len(gains) numbers for each coordinate) coordinates are in groups of
// together, the last of which may be smaller, and the modes of a group follow each other.
func evolve(dst, state, gains, decays []float64, z Normals) {
	var drawn [together]float64
	for len(dst) > 0 {
		size := min(together, len(dst))
		changes, numbers := dst[:size], drawn[:size]
		dst = dst[size:]
		z.FillNormal(changes)
		copy(numbers, changes)
		clear(changes)
		k := 0
		for ; k+4 <= len(gains); k += 4 {
			evolveFour(changes, numbers, state[:4*size], gains[k:], decays[k:])
			state = state[4*size:]
		}
		for ; k < len(gains); k++ {
			gain, decay, x := gains[k], decays[k], state[:size]
			for i, number := range numbers {
				change := float64(gain*number) - float64(decay*x[i])
				x[i] += change
				changes[i] += change
			}
			state = state[size:]
		}
	}
}

// evolveFour adds to changes the changes of four modes. The time of a stream is spent here;
// four modes share the reads and writes beside them.
func evolveFour(changes, numbers, state, gains, decays []float64) {
	g0, g1, g2, g3 := gains[0], gains[1], gains[2], gains[3]
	r0, r1, r2, r3 := decays[0], decays[1], decays[2], decays[3]
	m := len(changes)
	numbers = numbers[:m]
	x0, x1, x2, x3 := state[:m], state[m:][:m], state[2*m:][:m], state[3*m:][:m]
	for i, number := range numbers {
		c0 := float64(g0*number) - float64(r0*x0[i])
		c1 := float64(g1*number) - float64(r1*x1[i])
		c2 := float64(g2*number) - float64(r2*x2[i])
		c3 := float64(g3*number) - float64(r3*x3[i])
		x0[i] += c0
		x1[i] += c1
		x2[i] += c2
		x3[i] += c3
		changes[i] += (c0 + c1) + (c2 + c3)
	}
}

// modes is the law of prefix noise u_t = sum_k x_k of modes that are the same at
// every step: row t of B has at j steps before t the sum of gain_k (1 -
// decay_k)^j.
type modes struct{ gains, decays []float64 }

// memory and sampler implement law.
func (m modes) memory() int      { return len(m.gains) }
func (m modes) sampler() sampler { return m }

// next implements sampler. Modes of a Toeplitz factorization do not depend on the step.
func (m modes) next(dst, state []float64, _ int, z Normals) {
	evolve(dst, state, m.gains, m.decays, z)
}

// The rule of rootModes. Most of it is the trapezoidal rule in log s: exp(-j s) is
// bounded where s has a positive real part, so the error falls as
// exp(-pi^2/ruleStep). Terms with s > fastest are less than 1e-13 of h(1). Those
// with s < slowest/n, of which there are many before they vanish, are replaced by
// the Gauss rule of their own sum, for exp(-j s) is nearly a polynomial there.
const (
	ruleStep  = 0.33
	fastest   = 22.0
	slowest   = 4.0
	slowModes = 8
	vanishing = 1e-40 // slowest s as a share of slowest/n; weights go as sqrt(s)
)

// rootModes returns modes with h(j) = sum_k gain_k (1-decay_k)^j for j < n, h the
// series of rootSeries, to a relative error below 1e-12 in each. They are a rule for
// the integral
//
//	h(j) = 1/pi integral_0^inf exp(-(j + 1/2) s) (1 - exp(-s))^(-1/2) ds,
//
// with s = -log(1 - decay), and one mode that lasts a step only, for h(0) = 1.
func rootModes(n int) modes {
	var m modes
	rest := 1.0 // the part that lasts a step only
	add := func(s, weight float64) {
		m.gains, m.decays = append(m.gains, weight), append(m.decays, -portable.Expm1(-s))
		rest -= weight
	}
	var slow, weights []float64
	cut := slowest / float64(n)
	for k := 0; ; k++ {
		s := fastest * portable.Exp(-ruleStep*float64(k))
		weight := ruleStep / math.Pi * portable.Exp(-s/2) * s / math.Sqrt(-portable.Expm1(-s))
		if s >= cut {
			add(s, weight)
			continue
		}
		if s < vanishing*cut {
			break
		}
		slow, weights = append(slow, s/cut), append(weights, weight)
	}
	slow, weights = gaussRule(slow, weights, slowModes)
	for k, s := range slow {
		add(s*cut, weights[k])
	}
	m.gains, m.decays = append(m.gains, rest), append(m.decays, 1)
	return m
}

// gaussRule returns the nodes and weights of the rule with count nodes that has
// the first 2 count moments of the given one, which has more (Golub, Welsch 1969;
// the recurrence by Lanczos's method with full orthogonalisation).
func gaussRule(nodes, weights []float64, count int) ([]float64, []float64) {
	total := kernel.Sum(weights)
	q := make([]float64, len(nodes))
	for i, w := range weights {
		q[i] = math.Sqrt(w / total)
	}
	jacobi := make([]float64, count*count)
	basis := [][]float64{q}
	for k := range count {
		r := make([]float64, len(nodes))
		for i, x := range nodes {
			r[i] = float64(x * basis[k][i])
		}
		jacobi[k*count+k] = kernel.Dot(r, basis[k])
		for range 2 {
			for _, p := range basis {
				kernel.Axpy(r, -kernel.Dot(r, p), p)
			}
		}
		length := kernel.Norm(r)
		if k+1 < count {
			jacobi[k*count+k+1], jacobi[(k+1)*count+k] = length, length
		}
		kernel.Scale(r, 1/length, r)
		basis = append(basis, r)
	}
	values, vectors, ok := numeric.Eigen(jacobi, count)
	if !ok {
		panic("factorization: no eigenvalues of a tridiagonal matrix")
	}
	short := make([]float64, count)
	for k := range short {
		short[k] = total * vectors[k*count] * vectors[k*count]
	}
	return values, short
}
