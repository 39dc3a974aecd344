package factorization

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"starling/mechanisms/rng"
)

// The modes have the series of the square root, as its recurrence gives it, at
// every step.
func TestRootModes(t *testing.T) {
	for _, test := range []struct{ n, modes int }{{1, 15}, {2, 17}, {33, 25}, {4096, 40}, {1_000_000, 57}} {
		m := rootModes(test.n)
		if m.memory() != test.modes {
			t.Errorf("n = %d: %d modes, want %d", test.n, m.memory(), test.modes)
		}
		if floats.Min(m.gains) <= 0 || floats.Min(m.decays) <= 0 || floats.Max(m.decays) != 1 {
			t.Errorf("n = %d: gains %v, decays %v", test.n, m.gains, m.decays)
		}
		h := rootSeries(test.n)
		for j := 0; j < test.n; j += 1 + j/200 {
			got := 0.0
			for k, gain := range m.gains {
				got += gain * math.Exp(float64(j)*math.Log1p(-m.decays[k]))
			}
			if j == 0 {
				got = floats.Sum(m.gains) // 0 log 0
			}
			if math.Abs(got/h[j]-1) > 1e-12 {
				t.Errorf("n = %d: coefficient %d is %.15g, want %.15g", test.n, j, got, h[j])
			}
		}
	}
}

// coefficients are those of the modes, gain (1-decay)^j summed, for j < n.
func (m modes) coefficients(n int) []float64 {
	h := make([]float64, n)
	powers := slices.Clone(m.gains)
	for j := range h {
		h[j] = floats.Sum(powers)
		for k, decay := range m.decays {
			powers[k] -= decay * powers[k]
		}
	}
	return h
}

// The B that the modes are has as its least C, with B C = A, one of the stated
// sensitivity: the coefficients of the inverse of the series, summed up.
func TestSensitivityOfRootModes(t *testing.T) {
	for _, n := range []int{1, 2, 33, 4096} {
		h := rootModes(n).coefficients(n)
		inverse, column := make([]float64, n), make([]float64, n)
		inverse[0] = 1 / h[0]
		for j := 1; j < n; j++ {
			for i := 1; i <= j; i++ {
				inverse[j] -= h[i] * inverse[j-i] / h[0]
			}
		}
		floats.CumSum(column, inverse)
		if got, want := norm(column), build(t, Options{Kind: Toeplitz, N: n}).Sensitivity(); math.Abs(got/want-1) > 1e-12 {
			t.Errorf("n = %d: sensitivity %.15g, want %.15g", n, got, want)
		}
	}
}

// A stream's answer to one unit number is the series. Every step rounds what is
// left of it by about 1e-16.
func TestResponseOfManySteps(t *testing.T) {
	const n = 1_000_000
	f := build(t, Options{Kind: Toeplitz, N: n})
	s, err := f.Stream(1)
	if err != nil {
		t.Fatal(err)
	}
	var impulse impulse
	var increment [1]float64
	sum := 0.0
	for j, want := range rootSeries(n) {
		s.next(increment[:], &impulse)
		sum += increment[0]
		if math.Abs(sum/want-1) > 1e-9 {
			t.Fatalf("step %d: %.15g, want %.15g", j, sum, want)
		}
	}
}

// place is where a state of count modes and d coordinates has mode k of coordinate
// i.
func place(k, i, count, d int) int {
	begin := i / 64 * 64
	return begin*count + k*min(64, d-begin) + i - begin
}

// What a stream has released adds up to what it holds.
func TestIncrementsAddUp(t *testing.T) {
	const n, d = 50_000, 70
	s, err := build(t, Options{Kind: Toeplitz, N: n}).Stream(d)
	if err != nil {
		t.Fatal(err)
	}
	r := rng.New(5)
	dst, sum := make([]float64, d), make([]float64, d)
	for range 200 {
		s.next(dst, r)
		floats.Add(sum, dst)
	}
	for i, got := range sum {
		want := 0.0
		for k := range len(s.state) / d {
			want += s.state[place(k, i, len(s.state)/d, d)]
		}
		if math.Abs(got-want) > 1e-11 {
			t.Errorf("coordinate %d: the increments add up to %v, the modes to %v", i, got, want)
		}
	}
}

// Four modes at a time do what one does, coordinates in groups what they do alone,
// and all draw in the order of the coordinates.
func TestEvolve(t *testing.T) {
	r := rng.New(3)
	for _, count := range []int{1, 3, 4, 5, 9} {
		for _, d := range []int{1, 63, 64, 65, 130} {
			random := func(n int) []float64 {
				x := make([]float64, n)
				for i := range x {
					x[i] = r.NormFloat64()
				}
				return x
			}
			gains, decays, state := random(count), random(count), random(count*d)
			before := slices.Clone(state)
			dst := random(d)
			evolve(dst, state, gains, decays, rng.New(9))
			numbers := rng.New(9)
			for i := range d {
				z, want := numbers.NormFloat64(), 0.0
				for k := range count {
					change := gains[k]*z - decays[k]*before[place(k, i, count, d)]
					want += change
					if got := state[place(k, i, count, d)] - before[place(k, i, count, d)]; math.Abs(got-change) > 1e-13 {
						t.Fatalf("mode %d of coordinate %d of %d moves by %v, want %v", k, i, d, got, change)
					}
				}
				if math.Abs(dst[i]-want) > 1e-13 {
					t.Fatalf("coordinate %d of %d moves by %v, want %v", i, d, dst[i], want)
				}
			}
		}
	}
}

// Both nodes of the rule with 2 nodes for 3 equal weights at 0, 1/2, 1 are 1/2
// +- sqrt(1/6): the second moment about 1/2 is 1/6 of the weight.
func TestGaussRule(t *testing.T) {
	nodes, weights := gaussRule([]float64{0, 0.5, 1}, []float64{1, 1, 1}, 2)
	for k, want := range []float64{0.5 - math.Sqrt(1.0/6), 0.5 + math.Sqrt(1.0/6)} {
		if !near(nodes[k], want, 1e-14) || !near(weights[k], 1.5, 1e-14) {
			t.Errorf("node %d is %v with weight %v, want %v with 1.5", k, nodes[k], weights[k], want)
		}
	}
}
