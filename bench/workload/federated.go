package workload

import (
	"fmt"

	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/problem"
	"starling/scenarios/problem/stream"
)

// The federated runs, as the scenario below has them.
const (
	federatedDim  = 100
	federatedTau  = 4
	federatedStep = 0.1
	// The privacy of the noise on a gradient. The loop has other noise, as much of it.
	federatedEpsilon, federatedDelta = 2, 1e-3
)

// federated is a run of online federated learning: every learner meets a fresh datum in
// every step.
type federated struct {
	learners, rounds int
	noised           bool
}

// text is the scenario.
func (f federated) text() string {
	mechanism := "{kind: none}"
	if f.noised {
		mechanism = fmt.Sprintf("{kind: independent, epsilon: %v, delta: %v, calibration: zcdp}", federatedEpsilon, federatedDelta)
	}
	steps := f.rounds * federatedTau
	return fmt.Sprintf(`version: 1
name: bench-federated
horizon: %d
nodes: %d
algorithm: {kind: ofl, version: 2, tau: %d, local_step: %v, global_step: 1}
problem: {kind: synthetic-logistic, dimension: %d}
topology: {kind: star}
mechanism: %s
seeds: {base: 1, count: 1}
measure: {every: %d, metrics: [loss.mean]}
plots: []
`, steps, f.learners, federatedTau, federatedStep, federatedDim, mechanism, steps)
}

// loop is the run as a loop over arrays: two goroutines, half of the learners each, and a
// barrier before and after the server's part. It returns the model after the last round
// and the mean loss of a datum at the model of its round.
func (f federated) loop() (model []float64, loss float64, err error) {
	options := stream.DefaultSyntheticOptions()
	options.Dimension = federatedDim
	p, err := stream.NewSyntheticLogistic(options, f.learners)
	if err != nil {
		return nil, 0, err
	}
	l := &localSteppers{federated: f, data: p.Draw(1), learner: p.Model(), model: make([]float64, federatedDim), sums: messages.NewBlocks(f.learners, federatedDim)}
	if f.noised {
		l.noise = noise.Gaussian{Scale: 1}
	}
	half := (l.sums.Len() + 1) / 2
	var losses [2]float64
	halves(func(w int, barrier *barrier) {
		for round := range f.rounds {
			for block := w * half; block < min((w+1)*half, l.sums.Len()); block++ {
				losses[w] += l.round(round, block)
			}
			barrier.wait()
			if w == 0 {
				for block := range l.sums.Len() {
					sum, _ := l.sums.Block(block)
					Axpy(l.model, -federatedStep*federatedTau/float64(f.learners), sum)
				}
			}
			barrier.wait()
		}
	})
	return l.model, (losses[0] + losses[1]) / float64(f.learners*f.rounds*federatedTau), nil
}

// localSteppers are all learners of the loop.
type localSteppers struct {
	federated
	data    problem.Data
	learner problem.Model
	noise   noise.Gaussian
	model   []float64
	sums    *messages.Blocks
}

// noiseKey keys the noise of the loops.
var noiseKey = rng.NewKey(1, rng.PurposeOf("bench.noise"))

// free is a budget that pays for everything.
func free(accountant.Loss) error { return nil }

// round is a round of the learners of a block: the block's sum becomes the sum of their
// messages.
func (l *localSteppers) round(round, block int) (loss float64) {
	z, g, datum := make([]float64, federatedDim), make([]float64, federatedDim), make([]float64, l.data.Width())
	var draws rng.Stream
	sum, _ := l.sums.Block(block)
	clear(sum)
	first, end := l.sums.Senders(block)
	for i := int(first); i < min(int(end), l.learners); i++ {
		copy(z, l.model)
		for step := round * federatedTau; step < (round+1)*federatedTau; step++ {
			l.data.Datum(datum, messages.NodeID(i), step+1)
			loss += l.learner.Loss(l.model, datum)
			l.learner.Gradient(g, z, datum)
			if l.noise.Scale > 0 {
				// The error is of scales and budgets, which are fixed here.
				_, _ = l.noise.Release(g, draws.Open(noiseKey, i, step, 0), 1, free)
			}
			Axpy(z, -federatedStep, g)
		}
		for k, x := range l.model {
			sum[k] += (x - z[k]) / (federatedStep * federatedTau)
		}
	}
	return loss
}
