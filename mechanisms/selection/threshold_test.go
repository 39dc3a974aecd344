package selection_test

import (
	"errors"
	"math"
	"testing"

	"starling/mechanisms/rng"
	"starling/mechanisms/selection"
)

// firstAbove is the law of the first query above the threshold, the last
// outcome being none: the integral over the noisy threshold of the chance that
// the queries before are below it and this one above.
func firstAbove(a selection.AboveThreshold, queries []float64) []float64 {
	p := make([]float64, len(queries)+1)
	kinks := append([]float64{a.Threshold}, queries...)
	for k := range p {
		p[k] = integrate(func(z float64) float64 {
			value := laplaceDensity(z-a.Threshold, a.ThresholdScale)
			for _, q := range queries[:k] {
				value *= laplaceBelow(z-q, a.QueryScale)
			}
			if k < len(queries) {
				value *= 1 - laplaceBelow(z-queries[k], a.QueryScale)
			}
			return value
		}, a.Threshold-45*a.ThresholdScale, a.Threshold+45*a.ThresholdScale, kinks...)
	}
	return p
}

func TestAboveThresholdHasItsLaw(t *testing.T) {
	for name, test := range map[string]struct {
		mechanism selection.AboveThreshold
		queries   []float64
	}{
		"one query":   {selection.AboveThreshold{Threshold: 1, ThresholdScale: 1, QueryScale: 2}, []float64{0.5}},
		"rising":      {selection.AboveThreshold{Threshold: 3, ThresholdScale: 0.5, QueryScale: 1}, []float64{0, 1, 2, 3, 4}},
		"fed-svt eps": {selection.AboveThreshold{Threshold: 2, ThresholdScale: 4, QueryScale: 8}, []float64{0, 2, 4}},
	} {
		checkFrequencies(t, "above "+name, firstAbove(test.mechanism, test.queries), func(r *rng.Rand) int {
			noisy, err := test.mechanism.Arm(r, 1, accept)
			if err != nil {
				t.Fatal(err)
			}
			for k, q := range test.queries {
				if test.mechanism.Above(noisy, q, r) {
					return k
				}
			}
			return len(test.queries)
		})
	}
}

// Every corner of the neighbours of some queries: the stated loss covers all
// answers to five queries, and without it would be too small for general ones.
func TestAboveThresholdLossHolds(t *testing.T) {
	a := selection.AboveThreshold{Threshold: 1, ThresholdScale: 2, QueryScale: 4}
	m := a
	m.Monotone = true
	const sensitivity = 1
	if got, want := a.Loss(sensitivity).Epsilon, 1.0/2+2.0/4; got != want {
		t.Fatalf("loss %v, want %v", got, want)
	}
	if got, want := m.Loss(sensitivity).Epsilon, 1.0/2+1.0/4; got != want {
		t.Fatalf("monotone loss %v, want %v", got, want)
	}
	worst, worstMonotone := 0.0, 0.0
	for _, queries := range [][]float64{{0, 0, 0, 0}, {1, -3, 2, 0}, {-20, -20, -20, 8}, {9, 9, 9, -9}} {
		p := firstAbove(a, queries)
		for corner := range 16 {
			moved := make([]float64, len(queries))
			for k := range queries {
				moved[k] = queries[k] + sensitivity*float64(2*(corner>>k&1)-1)
			}
			ratio := worstRatio(p, firstAbove(a, moved))
			worst = max(worst, ratio)
			if corner == 0 || corner == 15 {
				worstMonotone = max(worstMonotone, ratio)
			}
		}
	}
	if general := a.Loss(sensitivity).Epsilon; worst > general+1e-6 || worst < 0.5*general {
		t.Errorf("log ratio %v, loss %v", worst, general)
	}
	if monotone := m.Loss(sensitivity).Epsilon; worstMonotone > monotone+1e-6 || worstMonotone < 0.5*monotone {
		t.Errorf("log ratio %v of monotone moves, loss %v", worstMonotone, monotone)
	}
}

// Running totals: what moves moves together, from some query on. The stated loss
// covers all answers, for every place and both directions, and is reached: where
// all answers are negative, in the limit of high queries, by the tail of the
// threshold's noise, and where noise of queries is the smaller, by the positive
// answer.
func TestAboveThresholdLossOfRunningTotals(t *testing.T) {
	for _, scales := range [][2]float64{{2, 4}, {4, 8}, {4, 2}} {
		a := selection.AboveThreshold{Threshold: 1, ThresholdScale: scales[0], QueryScale: scales[1], Cumulative: true}
		const sensitivity = 1
		stated := a.Loss(sensitivity).Epsilon
		if want := 1 / min(scales[0], scales[1]); stated != want {
			t.Fatalf("scales %v: loss %v, want %v", scales, stated, want)
		}
		worst := 0.0
		for _, queries := range [][]float64{{0, 0, 0}, {-3, 0, 6}, {-60, -60, -60}, {30, 40, 60}} {
			p := firstAbove(a, queries)
			for from := range queries {
				for _, c := range []float64{-sensitivity, sensitivity} {
					moved := append([]float64(nil), queries...)
					for k := from; k < len(moved); k++ {
						moved[k] += c
					}
					worst = max(worst, worstRatio(p, firstAbove(a, moved)))
				}
			}
		}
		if worst > stated+1e-6 || worst < 0.95*stated {
			t.Errorf("scales %v: log ratio %v, loss %v", scales, worst, stated)
		}
	}
}

func TestAboveThresholdPaysFirst(t *testing.T) {
	a := selection.AboveThreshold{Threshold: 5, ThresholdScale: 4, QueryScale: 8}
	r := generator(0)
	p := &till{refuse: true}
	if _, err := a.Arm(r, 1, p.pay); !errors.Is(err, errRefused) || *r != *generator(0) || p.paid[0] != 0.5 {
		t.Errorf("%v, paid %v, or numbers are drawn", err, p.paid)
	}
	noisy, err := a.Arm(r, 1, accept)
	if err != nil || *r == *generator(0) {
		t.Fatalf("%v, or no number is drawn", err)
	}
	armed := *r
	if a.Above(noisy, 3, r); *r == armed {
		t.Error("no number is drawn for a query")
	}
	bare := selection.AboveThreshold{Threshold: 5}
	if !math.IsInf(bare.Loss(1).Epsilon, 1) || bare.Loss(0).Epsilon != 0 {
		t.Errorf("without noise: losses %v and %v", bare.Loss(1), bare.Loss(0))
	}
	noisy, err = bare.Arm(r, 0, accept)
	if err != nil || noisy != 5 || bare.Above(noisy, 5, r) || !bare.Above(noisy, 5.01, r) {
		t.Errorf("without noise a query is above only where it exceeds the threshold; armed at %v, %v", noisy, err)
	}
}
