package numeric

import (
	"math"

	"starling/mechanisms/kernel"
	"starling/mechanisms/portable"
)

// Rational is r(x) = Constant + sum_j Weights[j]/(x + Poles[j]), with as many poles >= 0
// as weights > 0 and a constant >= 0. All terms are positive, so no digits cancel.
type Rational struct {
	Poles, Weights []float64
	Constant       float64
}

// At returns r(x), for an x that is not the negative of a pole.
func (r Rational) At(x float64) float64 {
	y := r.Constant
	for j, s := range r.Poles {
		y += r.Weights[j] / (x + s)
	}
	return y
}

// InverseRoot returns the function with count >= 1 poles that approximates
// x^(-1/2) on [low, high], 0 < low < high, and the largest relative error it
// makes there.
//
// It is the midpoint rule for x^(-1/2) = (2/pi) int_0^inf dy/(x + y^2) under
// y = sqrt(low) sc(u, k'), k^2 = low/high (Hale, Higham, Trefethen 2008, section
// 4): the integrand becomes analytic and periodic in u. On the interval 1 plus the
// relative error is an elliptic function again, dn over its mean, whose Fourier
// series has the coefficients 4 q^l/(1 + q^(2l)) with nome q = exp(-2 pi count
// K/K'), so the largest error is their sum.
func InverseRoot(low, high float64, count int) (Rational, float64) {
	k := math.Sqrt(low / high)
	complement := math.Sqrt((1 - k) * (1 + k))
	quarter := math.Pi / (2 * mean(1, k)) // K' = K(k')
	r := Rational{Poles: make([]float64, count), Weights: make([]float64, count)}
	scale := 2 * math.Sqrt(low) * quarter / (math.Pi * float64(count))
	for j := range (count + 1) / 2 {
		s := tangent((float64(j)+0.5)*quarter/float64(count), k, complement)
		weight := math.Sqrt((1 + float64(k*k*s*s)) * (1 + float64(s*s)))
		r.Poles[j] = low * s * s
		r.Weights[j] = scale * weight // dn/cn^2
		// The other half follows from sc(K' - u) = 1/(k sc(u)) without the loss
		// of digits that a direct evaluation near the pole at K' would have.
		mirror := count - 1 - j
		r.Poles[mirror] = high / (s * s)
		r.Weights[mirror] = scale * weight / (k * s * s)
	}
	other := math.Pi / (2 * mean(1, complement)) // K(k)
	nome := portable.Exp(-2 * math.Pi * float64(count) * other / quarter)
	return r, dnRipple(nome)
}

// dnRipple returns 4 sum_{l >= 1} q^l/(1 + q^(2l)), the excess of the largest value of dn over
// its mean, relative to the mean.
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
		a, b = float64((a+b)/2), math.Sqrt(a*b)
	}
	return float64((a + b) / 2)
}

// tangent returns the Jacobian elliptic function sc(u, k') for 0 <= u <= K'/2,
// given k and k'. By Jacobi's imaginary transformation it is sn(iu, k)/i, and
// the descending Landen transformation takes k to 0, where it is sinh u; for
// these u none of the denominators comes near 0.
func tangent(u, k, complement float64) float64 {
	if k < 1e-9 {
		return portable.Sinh(u)
	}
	ratio := k / (1 + complement)
	next := float64(ratio * ratio) // (1 - k')/(1 + k')
	s := tangent(u/(1+next), next, math.Sqrt((1-next)*(1+next)))
	return (1 + next) * s / (1 - float64(next*s*s))
}

// RationalWithin returns the function with as few poles as keep the largest relative error to
// x^(-1/2) on [low, high], 0 < low < high, within the tolerance > 0, and that error.
func RationalWithin(low, high, tolerance float64) (Rational, float64) {
	for count := 1; ; count++ {
		if r, ripple := InverseRoot(low, high, count); ripple <= tolerance {
			return r, ripple
		}
	}
}

// Reciprocal returns f(x) = 1/(x r(x)) for an r without constant and with increasing poles.
// Both are Stieltjes functions: f has its poles at 0 and at the zeros of r, one between each
// two poles of r, and positive weights.
func (r Rational) Reciprocal() Rational {
	f := Rational{Poles: []float64{0}, Weights: []float64{1 / r.At(0)}, Constant: 1 / kernel.Sum(r.Weights)}
	for j := range len(r.Poles) - 1 {
		zero := r.zeroBetween(r.Poles[j], r.Poles[j+1])
		slope := 0.0 // -r'(-zero)
		for l, s := range r.Poles {
			slope += r.Weights[l] / ((s - zero) * (s - zero))
		}
		f.Poles = append(f.Poles, zero)
		f.Weights = append(f.Weights, 1/(zero*slope))
	}
	return f
}

// zeroBetween returns the s in (a, b) with r(-s) = 0 for neighbouring poles a < b.
// There r(-s) increases from minus to plus infinity.
func (r Rational) zeroBetween(a, b float64) float64 {
	for {
		middle := float64(math.Sqrt(a) * math.Sqrt(b))
		if middle <= a || middle >= b || b-a <= 4e-16*a {
			return middle
		}
		if r.At(-middle) < 0 {
			a = middle
		} else {
			b = middle
		}
	}
}
