package factorization

import (
	"math"
	"testing"
)

// plainLoss is Loss with matrices, and all sets of steps that a record can be in tried.
func plainLoss(g goal, c []float64) float64 {
	n := g.N
	column := func(j, i int) float64 { // entry i of column j of C
		if i < j || i-j >= len(c) {
			return 0
		}
		return c[i-j]
	}
	worst := 0.0
	for set := range 1 << n {
		count, last, fits := 0, -n, true
		row := make([]float64, n)
		for j := range n {
			if set>>j&1 == 0 {
				continue
			}
			fits = fits && j-last >= g.Apart
			count, last = count+1, j
			for i := range n {
				row[i] += column(j, i)
			}
		}
		if square := dot(row, row); fits && count <= g.Times {
			worst = max(worst, square)
		}
	}
	// X C = A, a row at a time from its end.
	total := 0.0
	for t := range n {
		x, square := make([]float64, n), 0.0
		for j := n - 1; j >= 0; j-- {
			if j <= t {
				x[j] = 1
			}
			for i := j + 1; i < n; i++ {
				x[j] -= x[i] * column(j, i)
			}
			square += x[j] * x[j]
		}
		switch {
		case !g.Last:
			total += square / float64(n)
		case t == n-1:
			total = square
		}
	}
	return worst * total
}

func dot(x, y []float64) (sum float64) {
	for k := range x {
		sum += x[k] * y[k]
	}
	return sum
}

// The loss is that of matrices and of the worst of all sets of steps, for free
// coefficients and for those of buffers.
func TestLossByAllParticipations(t *testing.T) {
	for _, g := range []goal{{7, 1, 1, false}, {8, 2, 3, false}, {8, 4, 2, true}, {9, 3, 4, false}, {6, 6, 1, true}} {
		c := []float64{1, 0.7, 0.4, 0.4, 0.1}
		if got, want := g.Loss(c), plainLoss(g, c); math.Abs(got-want) > 1e-12*want {
			t.Errorf("%+v: loss %.15g, by all sets %.15g", g, got, want)
		}
		scales, decays := []float64{0.3, 0.2}, []float64{0.9, 0.4}
		all := []float64{1}
		for j := 1; j < g.N; j++ {
			all = append(all, 0.3*math.Pow(0.9, float64(j-1))+0.2*math.Pow(0.4, float64(j-1)))
		}
		if got, want := g.bufferLoss(scales, decays), plainLoss(g, all); math.Abs(got-want) > 1e-12*want {
			t.Errorf("%+v: loss of buffers %.15g, by all sets %.15g", g, got, want)
		}
	}
}

// Of two steps the best coefficient is a root: the mean error is 1 + (1-c)^2/2, and the
// square of the sensitivity 1 + c^2.
func TestTwoSteps(t *testing.T) {
	low, high := 0.0, 1.0
	for range 60 {
		c := (low + high) / 2
		if 2*c*(1+(1-c)*(1-c)/2)-(1-c)*(1+c*c) > 0 {
			high = c
		} else {
			low = c
		}
	}
	g := goal{N: 2, Times: 1, Apart: 1}
	if got := g.Banded(2, nil); math.Abs(got[1]-low) > 1e-6 {
		t.Errorf("coefficient %.10g, want %.10g", got[1], low)
	}
}

// What is found is a local minimum among falling coefficients: no coefficient, changed a
// little, does better.
func TestLocalMinima(t *testing.T) {
	for _, g := range []goal{{40, 1, 1, false}, {60, 4, 15, false}, {60, 6, 3, true}, {50, 50, 1, false}} {
		for _, bands := range []int{1, 2, 8, 15} {
			c := g.Banded(bands, nil)
			least := g.Loss(c)
			for j := 1; j < bands; j++ {
				for _, by := range []float64{-1e-3, 1e-3} {
					moved := append([]float64(nil), c...)
					if moved[j] += by; moved[j] > moved[j-1] || moved[j] < 0 || j+1 < bands && moved[j] < moved[j+1] {
						continue
					}
					if loss := g.Loss(moved); loss < least*(1-1e-6) {
						t.Errorf("%+v, %d bands: %.12g, and %.12g with coefficient %d changed by %v", g, bands, least, loss, j, by)
					}
				}
			}
		}
	}
}

// The buffers that the authors of the mechanism publish for the largest error of 100,000
// steps and one participation: jax_privacy, tests/matrix_factorization/
// buffered_toeplitz_test.py, test_optimize_single_participation_golden, to their 1e-5.
func TestPublishedBuffers(t *testing.T) {
	g := goal{N: 100000, Times: 1, Apart: 1, Last: true}
	scales, decays := g.Buffers([]float64{0.01, 0.2}, []float64{0.9999, 0.99}, nil)
	for k, want := range []float64{0.0122853238, 0.1878393665} {
		if math.Abs(scales[k]/want-1) > 1e-5 {
			t.Errorf("scale %d: %.10g, published %.10g", k, scales[k], want)
		}
	}
	for k, want := range []float64{0.9999528892, 0.9857068667} {
		if math.Abs(decays[k]/want-1) > 1e-5 {
			t.Errorf("decay %d: %.10g, published %.10g", k, decays[k], want)
		}
	}
}
