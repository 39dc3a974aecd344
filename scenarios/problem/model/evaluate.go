package model

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// Evaluation is the result of parameters on data.
type Evaluation struct {
	Samples int
	// Loss is the mean over the samples.
	Loss float64
	// Correct is the number of samples with a correct prediction of their class.
	Correct int
}

// Accuracy returns the share of samples with a correct prediction, or 0 if there are no
// samples.
func (e Evaluation) Accuracy() float64 {
	if e.Samples == 0 {
		return 0
	}
	return float64(e.Correct) / float64(e.Samples)
}

// evaluationPart is the number of samples that a goroutine takes at a time. Losses are summed
// within parts, and then the sums of the parts, so it must not depend on the number of cores.
const evaluationPart = 16 * blockSize

// Evaluate computes the mean loss at params, len Dim, and the number of correct
// predictions over all of the data, on as many goroutines as there are cores.
// The result does not depend on their number. Losses that are not finite are no error: the
// mean is then not finite either. Data without samples, of another width, or with labels that
// do not exist are errors.
func (m *Model) Evaluate(params []float64, data Samples) (Evaluation, error) {
	requireLength("parameters", len(params), m.dim)
	parts := make([]part, (data.Len()+evaluationPart-1)/evaluationPart)
	err := m.inParts(params, data, func(w *Workspace, sample, slot int) {
		p := &parts[sample/evaluationPart]
		p.loss += crossEntropy(nil, w.logits(slot), w.labels[slot])
		if predict(w.logits(slot)) == w.labels[slot] {
			p.correct++
		}
	})
	if err != nil {
		return Evaluation{}, err
	}
	result := Evaluation{Samples: data.Len()}
	for _, p := range parts {
		result.Loss += p.loss
		result.Correct += p.correct
	}
	result.Loss /= float64(result.Samples)
	return result, nil
}

// part is the sum over some samples.
type part struct {
	loss    float64
	correct int
}

// inParts calls use for each sample of data, with a workspace that has its logits and its label
// in a slot. Parts of evaluationPart samples are computed concurrently, the samples of one in
// their order.
func (m *Model) inParts(params []float64, data Samples, use func(w *Workspace, sample, slot int)) error {
	n := data.Len()
	if n == 0 {
		return fmt.Errorf("no samples to evaluate")
	}
	if err := m.fits(data); err != nil {
		return err
	}
	failed := make([]error, (n+evaluationPart-1)/evaluationPart)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(failed)) {
		workers.Go(func() {
			w := m.pool.get()
			defer m.pool.put(w)
			w.load(params)
			for i := int(next.Add(1)) - 1; i < len(failed); i = int(next.Add(1)) - 1 {
				failed[i] = w.each(data, i*evaluationPart, min(n, (i+1)*evaluationPart), use)
			}
		})
	}
	workers.Wait()
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

// each calls use for the samples first .. end-1 at the parameters loaded.
func (w *Workspace) each(data Samples, first, end int, use func(w *Workspace, sample, slot int)) error {
	for ; first < end; first += blockSize {
		n := min(blockSize, end-first)
		if err := w.read(data, nil, first, n); err != nil {
			return err
		}
		w.forward(n)
		for slot := range n {
			use(w, first+slot, slot)
		}
	}
	return nil
}
