package numeric

import (
	"math"
	"math/bits"

	"starling/mechanisms/portable"
)

// Transform transforms sequences of one length, a power of two of at least 2. It keeps
// no state between calls, but one must not be used by two at once.
type Transform struct {
	size  int
	roots []complex128 // exp(-2 pi i k / size) for k < size/2
	work  []complex128 // len size/2
}

// NewTransform makes the transform of sequences of a length; another than a power of two from
// 2 is a panic.
func NewTransform(size int) *Transform {
	if size < 2 || size&(size-1) != 0 {
		panic("numeric: the length is no power of two from 2")
	}
	t := &Transform{size: size, roots: make([]complex128, size/2), work: make([]complex128, size/2)}
	for k := range t.roots {
		sin, cos := portable.Sincos(2 * math.Pi * (float64(k) / float64(size)))
		t.roots[k] = complex(cos, -sin)
	}
	return t
}

// MultiplyComplex is a b, each operation rounded by itself.
func MultiplyComplex(a, b complex128) complex128 {
	return complex(
		float64(real(a)*real(b))-float64(imag(a)*imag(b)),
		float64(real(a)*imag(b))+float64(imag(a)*real(b)))
}

// PowerComplex is a^k for k >= 0, by squares.
func PowerComplex(a complex128, k int) complex128 {
	power := complex(1, 0)
	for ; k > 0; k >>= 1 {
		if k&1 == 1 {
			power = MultiplyComplex(power, a)
		}
		a = MultiplyComplex(a, a)
	}
	return power
}

// Coefficients is the sum over j of x[j] exp(-2 pi i j k / size) for k from 0 to
// size/2, len size/2 + 1; the others are their conjugates. len(x) is size.
func (t *Transform) Coefficients(x []float64) []complex128 {
	half := t.size / 2
	for j := range half { // the even places and the odd ones as one complex sequence
		t.work[j] = complex(x[2*j], x[2*j+1])
	}
	t.pass()
	found := make([]complex128, half+1)
	for k := range half + 1 {
		a, b := t.work[k%half], conjugate(t.work[(half-k)%half])
		even, odd := scaled(a+b, 0.5), scaled(a-b, 0.5) // odd is i times its transform
		found[k] = even + MultiplyComplex(t.turn(k), complex(imag(odd), -real(odd)))
	}
	return found
}

// Sequence is size times the sequence of the coefficients, which has length size.
// The imaginary parts of the first and the last coefficient are taken as 0.
func (t *Transform) Sequence(coefficients []complex128) []float64 {
	half := t.size / 2
	for k := range half {
		a, b := coefficients[k], conjugate(coefficients[half-k])
		if k == 0 {
			a, b = complex(real(a), 0), complex(real(b), 0)
		}
		even, odd := a+b, MultiplyComplex(conjugate(t.turn(k)), a-b)
		// The conjugate of a transform of conjugates is the transform backwards.
		t.work[k] = conjugate(even + complex(-imag(odd), real(odd)))
	}
	t.pass()
	x := make([]float64, t.size)
	for j, z := range t.work {
		x[2*j], x[2*j+1] = real(z), -imag(z)
	}
	return x
}

// turn is exp(-2 pi i k / size) for k up to size/2.
func (t *Transform) turn(k int) complex128 {
	if k == len(t.roots) {
		return -1
	}
	return t.roots[k]
}

// pass transforms work in its place: the places in the order of their bits reversed,
// then sums of two, of four, and so on (Cooley and Tukey, 1965).
func (t *Transform) pass() {
	n := len(t.work)
	for i := range n {
		if j := int(bits.Reverse64(uint64(i)) >> (65 - bits.Len(uint(n)))); n > 1 && i < j {
			t.work[i], t.work[j] = t.work[j], t.work[i]
		}
	}
	for length := 2; length <= n; length *= 2 {
		stride := t.size / length
		for first := 0; first < n; first += length {
			low, high := t.work[first:first+length/2], t.work[first+length/2:first+length]
			for k, a := range low {
				b := MultiplyComplex(high[k], t.roots[k*stride])
				low[k], high[k] = a+b, a-b
			}
		}
	}
}

func conjugate(z complex128) complex128 { return complex(real(z), -imag(z)) }

func scaled(z complex128, by float64) complex128 {
	return complex(float64(real(z)*by), float64(imag(z)*by))
}
