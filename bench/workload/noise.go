package workload

import (
	"context"
	"fmt"
	"math/rand/v2"

	"starling/mechanisms/factorization"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
)

// The noise that is measured: releases of vectors of noiseDim numbers, a keyed stream
// each, and noiseSteps of them where they are correlated.
const (
	noiseDim     = 100
	noiseSteps   = 4000
	noiseNumbers = 1_000_000
)

// noises are mechanisms beside as many normal numbers, which a loop draws from one
// generator.
func noises() (list []Workload) {
	for _, law := range []noise.Law{noise.LaplaceLaw, noise.GaussianLaw} {
		add(&list, law.String(), fmt.Sprintf("noise: %s, a keyed stream for each vector of %d", law, noiseDim), func(vectors int) (func() error, error) {
			return func() error { return independent(law, vectors) }, nil
		})
	}
	for _, numbers := range []int{1, 3, 100} {
		list = append(list, Workload{
			Name: fmt.Sprintf("noise/open-%d", numbers), Unit: numberUnit,
			Summary: fmt.Sprintf("noise: a keyed stream for every %d normal numbers", numbers),
			prepare: func(_ context.Context, e *Environment) (*Prepared, error) {
				streams := e.sized(noiseNumbers) / numbers
				vectors := streams * numbers / noiseDim
				return &Prepared{Units: vectors * noiseDim, Run: func() error { opened(streams, numbers); return nil }, Loop: func() error { normals(vectors); return nil }}, nil
			},
		})
	}
	for _, kind := range []factorization.Kind{factorization.Tree, factorization.Toeplitz, factorization.Optimal} {
		add(&list, string(kind), fmt.Sprintf("noise: %s over %d steps, vectors of %d", kind, noiseSteps, noiseDim), func(vectors int) (func() error, error) {
			f, err := factorization.New(factorization.Options{Kind: kind, N: noiseSteps})
			if err != nil {
				return nil, err
			}
			return func() error { return correlated(f, vectors) }, nil
		})
	}
	return list
}

// add adds a workload of noise. draw makes its vectors.
func add(list *[]Workload, name, summary string, draw func(vectors int) (func() error, error)) {
	*list = append(*list, Workload{
		Name: "noise/" + name, Unit: numberUnit, Summary: summary,
		prepare: func(_ context.Context, e *Environment) (*Prepared, error) {
			vectors := e.sized(noiseNumbers) / noiseDim
			run, err := draw(vectors)
			if err != nil {
				return nil, err
			}
			return &Prepared{Units: vectors * noiseDim, Run: run, Loop: func() error { normals(vectors); return nil }}, nil
		},
	})
}

// normals draws as many normal numbers.
func normals(vectors int) {
	r := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, noiseDim)
	for range vectors {
		for k := range x {
			x[k] += r.NormFloat64()
		}
	}
}

// opened draws so many normal numbers from each of as many streams.
func opened(streams, numbers int) {
	x := make([]float64, numbers)
	var draws rng.Stream
	for i := range streams {
		draws.Open(noiseKey, i, 0, 0).FillNormal(x)
	}
}

// independent releases vectors with noise of a law.
func independent(law noise.Law, vectors int) error {
	additive, x := noise.Additive{Law: law, Scale: 1}, make([]float64, noiseDim)
	var draws rng.Stream
	for i := range vectors {
		if _, err := additive.Release(x, draws.Open(noiseKey, i, 0, 0), noise.MovesL1(1, noiseDim), free); err != nil {
			return err
		}
	}
	return nil
}

// correlated draws the noise of streams of a factorization, one after the other.
func correlated(f *factorization.Factorization, vectors int) error {
	x := make([]float64, noiseDim)
	var draws rng.Stream
	for done := 0; done < vectors; {
		s, err := f.Stream(noiseDim)
		if err != nil {
			return err
		}
		for step := 0; step < noiseSteps && done < vectors; step++ {
			if err := s.Next(x, draws.Open(noiseKey, done, 0, 0)); err != nil {
				return err
			}
			done++
		}
	}
	return nil
}
