package factorization

import "math"

// rational is the function r(x) = constant + sum_j weights[j]/(x + poles[j]),
// with poles >= 0, weights > 0 and constant >= 0. It is applied to the
// tridiagonal matrices of this package pole by pole, with positive terms only,
// so no digits cancel.
type rational struct {
	poles, weights []float64
	constant       float64
}

// at returns r(x).
func (r rational) at(x float64) float64 {
	y := r.constant
	for j, s := range r.poles {
		y += r.weights[j] / (x + s)
	}
	return y
}

// inverseRoot returns the rational function with count poles that approximates
// x^(-1/2) on [low, high], 0 < low < high, and the largest relative error it
// makes there.
//
// It is the midpoint rule for x^(-1/2) = (2/pi) int_0^inf dy/(x + y^2) under
// y = sqrt(low) sc(u, k'), k^2 = low/high (Hale, Higham, Trefethen 2008, section
// 4): the integrand becomes analytic and periodic in u. On the interval 1 plus the
// relative error is an elliptic function again, dn over its mean, whose Fourier
// series has the coefficients 4 q^l/(1 + q^(2l)) with nome q = exp(-2 pi count
// K/K'), so the largest error is their sum.
func inverseRoot(low, high float64, count int) (rational, float64) {
	k := math.Sqrt(low / high)
	complement := math.Sqrt((1 - k) * (1 + k))
	quarter := math.Pi / (2 * mean(1, k)) // K' = K(k')
	r := rational{poles: make([]float64, count), weights: make([]float64, count)}
	scale := 2 * math.Sqrt(low) * quarter / (math.Pi * float64(count))
	for j := range (count + 1) / 2 {
		s := tangent((float64(j)+0.5)*quarter/float64(count), k, complement)
		weight := math.Sqrt((1 + float64(k*k*s*s)) * (1 + float64(s*s)))
		r.poles[j] = low * s * s
		r.weights[j] = scale * weight // dn/cn^2
		// The other half follows from sc(K' - u) = 1/(k sc(u)) without the loss
		// of digits that a direct evaluation near the pole at K' would have.
		mirror := count - 1 - j
		r.poles[mirror] = high / (s * s)
		r.weights[mirror] = scale * weight / (k * s * s)
	}
	other := math.Pi / (2 * mean(1, complement)) // K(k)
	nome := math.Exp(-2 * math.Pi * float64(count) * other / quarter)
	return r, dnRipple(nome)
}

// dnRipple returns 4 sum_{l >= 1} q^l/(1 + q^(2l)), by how much the largest value
// of dn exceeds its mean, relative to the mean.
func dnRipple(q float64) float64 {
	sum := 0.0
	for power := q; power > 1e-20*q && power > 0; power *= q {
		sum += power / (1 + float64(power*power))
	}
	return 4 * sum
}

// mean is the arithmetic-geometric mean of a and b > 0.
func mean(a, b float64) float64 {
	for math.Abs(a-b) > 1e-15*a {
		a, b = (a+b)/2, math.Sqrt(a*b)
	}
	return (a + b) / 2
}

// tangent returns the Jacobian elliptic function sc(u, k') for 0 <= u <= K'/2,
// given k and k'. By Jacobi's imaginary transformation it is sn(iu, k)/i, and
// the descending Landen transformation takes k to 0, where it is sinh u; for
// these u none of the denominators comes near 0.
func tangent(u, k, complement float64) float64 {
	if k < 1e-9 {
		return math.Sinh(u)
	}
	next := k / (1 + complement)
	next *= next // (1 - k')/(1 + k')
	s := tangent(u/(1+next), next, math.Sqrt((1-next)*(1+next)))
	return (1 + next) * s / (1 - float64(next*s*s))
}
