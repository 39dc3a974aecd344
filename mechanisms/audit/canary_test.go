package audit_test

import (
	"math"
	"testing"

	"starling/mechanisms/accountant"
	"starling/mechanisms/audit"
	"starling/mechanisms/factorization"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
)

// Every mechanism of the module keeps to its loss on its canary, as its bound at
// confidence 0.9999 says, which fails falsely with chance 1e-4 for each of them
// were this not a fixed stream; and half the noise is found out.
func TestCanaries(t *testing.T) {
	const samples, confidence = 50_000, 0.9999
	for _, scale := range []float64{1, 0.5} {
		for _, c := range must(audit.Canaries(scale)) {
			a, b := outcomes(t, c, samples)
			f, err := audit.Judge(c.Loss, c.Delta, a, b, audit.HalfPilot, confidence)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case scale == 1 && (f.Exceeded() || f.Audited < 0.5*f.Accounted):
				t.Errorf("%s: %+v", c.Mechanism, f)
			case scale != 1 && !f.Exceeded():
				t.Errorf("%s with half its noise: %+v", c.Mechanism, f)
			}
		}
	}
	for _, scale := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := audit.Canaries(scale); err == nil {
			t.Errorf("noise scaled by %v is accepted", scale)
		}
	}
}

// Without rounding to a grid the floating-point noise itself is found out: the
// last bits of a sum tell what was added (Mironov 2012).
func TestFloatingPointLeaks(t *testing.T) {
	m, moved := noise.Laplace{Scale: 1}, 0.75
	draw := func(r *rng.Rand, other bool) float64 {
		x := []float64{0}
		if other {
			x[0] = moved
		}
		if _, err := m.Release(x, r, moved, func(accountant.Loss) error { return nil }); err != nil {
			t.Fatal(err)
		}
		return math.Abs(x[0]) - math.Abs(x[0]-moved)
	}
	a, b := law(draw).samples(generator(9), 20_000)
	if got := bound(t, a, b, audit.Epsilon(0), 0.9999); got <= moved {
		t.Errorf("bound %v of the likelihood ratio in floating point, of epsilon %v", got, moved)
	}
	for _, x := range [][]float64{a, b} {
		for i := range x {
			x[i] = audit.Grid(x[i])
		}
	}
	if got := bound(t, a, b, audit.Epsilon(0), 0.9999); got > moved || got < 0.7*moved {
		t.Errorf("bound %v on a grid, of epsilon %v", got, moved)
	}
}

// The worst input is separated by the sensitivity.
func TestSeparator(t *testing.T) {
	for _, kind := range factorization.Kinds() {
		for _, n := range []int{8, 13} {
			checkSeparator(t, kind, n)
		}
	}
	if _, err := audit.NewSeparator(must(factorization.New(factorization.Options{Kind: factorization.Toeplitz, N: 513}))); err == nil {
		t.Error("513 steps are accepted")
	}
}

func checkSeparator(t *testing.T, kind factorization.Kind, n int) {
	t.Helper()
	o := factorization.Options{Kind: kind, N: n}
	switch kind {
	case factorization.ARSum:
		o.Chains = 3
	case factorization.BandedToeplitz:
		o.Bands = 3
	case factorization.BLT:
		o.Buffers = 2
	}
	f := must(factorization.New(o))
	input, separation := must(audit.NewSeparator(f)).Worst(factorization.Once)
	if ratio := separation / f.Sensitivity(); ratio > 1+1e-8 || ratio < 1-1e-8 || input < 0 || input >= n {
		t.Errorf("%s of %d steps: input %d is separated by %v, sensitivity %v", kind, n, input+1, separation, f.Sensitivity())
	}
}

// ratio is the logarithm of the likelihood ratio of released increments, of mean
// second against mean first, from whitened rows.
func ratio(s *audit.Separator, released, first, second [][]float64) (sum float64) {
	moved, middle := make([][]float64, len(released)), make([][]float64, len(released))
	for i, row := range released {
		for k, v := range row {
			moved[i] = append(moved[i], second[i][k]-first[i][k])
			middle[i] = append(middle[i], v-(first[i][k]+second[i][k])/2)
		}
	}
	s.Whiten(moved)
	s.Whiten(middle)
	for i, row := range moved {
		for k, v := range row {
			sum += v * middle[i][k]
		}
	}
	return sum
}

// Noise that a factorization draws is independent and of variance 1 once it is
// whitened: of 4000 streams of six steps no covariance is off by 0.12, over five
// standard deviations of a variance, sqrt(2/4000).
func TestWhiten(t *testing.T) {
	const n, streams, within = 6, 4000, 0.12
	for _, kind := range []factorization.Kind{factorization.Tree, factorization.Toeplitz, factorization.Optimal} {
		f := must(factorization.New(factorization.Options{Kind: kind, N: n}))
		s := must(audit.NewSeparator(f))
		r := generator(11)
		var products [n][n]float64
		for range streams {
			stream, rows := must(f.Stream(1)), [][]float64{}
			for range n {
				row := make([]float64, 1)
				if err := stream.Next(row, r); err != nil {
					t.Fatal(err)
				}
				rows = append(rows, row)
			}
			s.Whiten(rows)
			for i := range rows {
				for j := range rows {
					products[i][j] += rows[i][0] * rows[j][0] / streams
				}
			}
		}
		for i := range n {
			for j := range n {
				want := 0.0
				if i == j {
					want = 1
				}
				if math.Abs(products[i][j]-want) > within {
					t.Errorf("%s: covariance of %d and %d is %v, want %v", kind, i+1, j+1, products[i][j], want)
				}
			}
		}
	}
}

// For independent noise the ratio is that of independent normal numbers, term by
// term: (|v - a|^2 - |v - b|^2)/2.
func TestRatio(t *testing.T) {
	s := must(audit.NewSeparator(must(factorization.New(factorization.Options{Kind: factorization.Independent, N: 3}))))
	r := generator(10)
	rows := func() (rows [][]float64) {
		for range 3 {
			rows = append(rows, []float64{r.NormFloat64(), r.NormFloat64()})
		}
		return rows
	}
	released, first, second := rows(), rows(), rows()
	want := 0.0
	for t, row := range released {
		for k, v := range row {
			want += (math.Pow(v-first[t][k], 2) - math.Pow(v-second[t][k], 2)) / 2
		}
	}
	if got := ratio(s, released, first, second); math.Abs(got-want) > 1e-9 {
		t.Errorf("ratio %v, want %v", got, want)
	}
	if got := s.Statistic(1, []float64{4, 5, 6}); math.Abs(got-5) > 1e-12 {
		t.Errorf("statistic %v, want 5", got)
	}
}

// Releases of some inputs, the rest zero, are whitened exactly: their response to each normal
// number that NextAt draws has rows that are orthogonal and of length 1 after it.
func TestWhitenSomeInputs(t *testing.T) {
	const n = 9
	for _, kind := range []factorization.Kind{factorization.Independent, factorization.Tree, factorization.Toeplitz, factorization.Optimal} {
		f := must(factorization.New(factorization.Options{Kind: kind, N: n}))
		for _, inputs := range [][]int{{0, 1, 2, 3, 4, 5, 6, 7, 8}, {3}, {1, 2, 7}, {0, 4, 8}} {
			s := must(audit.NewSeparator(f)).Of(inputs)
			var responses [][][]float64 // by number, by input
			for number, drawn := 0, 1; number < drawn; number++ {
				stream, source, rows := must(f.Stream(1)), &one{at: number}, [][]float64{}
				for _, input := range inputs {
					row := make([]float64, 1)
					if err := stream.NextAt(input, row, source); err != nil {
						t.Fatal(err)
					}
					rows = append(rows, row)
				}
				drawn = source.drawn
				s.Whiten(rows)
				responses = append(responses, rows)
			}
			for i := range inputs {
				for j := range inputs {
					product, want := 0.0, 0.0
					for _, rows := range responses {
						product += rows[i][0] * rows[j][0]
					}
					if i == j {
						want = 1
					}
					if math.Abs(product-want) > 1e-9 {
						t.Errorf("%s: covariance of inputs %d and %d of %v is %v, want %v", kind, inputs[i], inputs[j], inputs, product, want)
					}
				}
			}
			// A unit input is separated by the length of its whitened vector.
			h, unit, square := make([]float64, len(inputs)), make([][]float64, len(inputs)), 0.0
			for k := range unit {
				unit[k] = make([]float64, 1)
			}
			h[len(h)-1], unit[len(h)-1][0] = 1, 1
			s.Whiten(unit)
			for _, row := range unit {
				square += row[0] * row[0]
			}
			if got := s.Separation(h); math.Abs(got*got-square) > 1e-9 {
				t.Errorf("%s: the last of %v is separated by %v, want %v", kind, inputs, got, math.Sqrt(square))
			}
		}
	}
}

// one has normal numbers that are all 0 but for one, which is 1.
type one struct{ drawn, at int }

func (o *one) FillNormal(dst []float64) {
	for k := range dst {
		dst[k] = 0
		if o.drawn == o.at {
			dst[k] = 1
		}
		o.drawn++
	}
}
