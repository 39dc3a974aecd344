package model

import (
	"math"
	"sync"
)

// blockSize is the number of samples that are computed together: enough for the matrix
// products of dense layers, few enough for the gradients of the convolutions, which are kept
// for each of them, to stay in a processor's cache.
const blockSize = 16

// Workspace is the memory that a computation of one model writes to. It holds nothing between
// calls and must not be shared between goroutines.
type Workspace struct {
	model *Model
	// parameters are rounded to float32, of each layer that has any.
	parameters [][]float32
	// finite is true if all parameters are finite.
	finite bool
	// sums are gradients summed over a block, laid out as parameters.
	sums [][]float32
	// gradients are of each sample of a block, blockSize x as parameters; of convolutions
	// only.
	gradients [][]float32
	// features are blockSize x inputs.
	features []float32
	// stages are the values that each stage keeps for the samples.
	stages []stageValues
	// outputs are the outputs of dense layers, blockSize x units.
	outputs [][]float32
	// deltas are derivatives by the arguments of the ReLU, in the layout of outputs.
	deltas [][]float32
	// patches is an input of a convolution, unfolded.
	patches []float32
	// padded is an input of a convolution with its margin.
	padded []float32
	// below are derivatives on their way down, two buffers in turn.
	below [2][]float32
	// nonzeros are derivatives by an output of a convolution.
	nonzeros sparse
	// flat are derivatives by the inputs of the first dense layer.
	flat []float32
	// broken is true for samples with a value that is not finite.
	broken [blockSize]bool
	labels [blockSize]int
	losses [blockSize]float64
	scales []float32 // len blockSize
	// norms are the norms of the gradients of the last sum.
	norms []float64
}

// stageValues are the values that a stage keeps for the samples of a block.
type stageValues struct {
	// output has samples stride apart; stride is 0 where it is scratch of one sample.
	output []float32
	// size is the length of one sample's output.
	stride int
	size   int
	// source, for a max-pool, has the places of the maxima, blockSize x outputs.
	source []int32
}

// NewWorkspace allocates the memory that the methods of the model write to.
func (m *Model) NewWorkspace() *Workspace {
	w := &Workspace{model: m, features: make([]float32, blockSize*m.Inputs()), scales: make([]float32, blockSize)}
	for _, n := range m.blocks {
		w.parameters = append(w.parameters, make([]float32, n))
		w.sums = append(w.sums, make([]float32, n))
	}
	for i := range m.stages {
		w.addStage(i)
	}
	for _, d := range m.head {
		w.outputs = append(w.outputs, make([]float32, blockSize*d.units))
		w.deltas = append(w.deltas, make([]float32, blockSize*d.units))
	}
	if m.lowest < len(m.stages) {
		w.flat = make([]float32, blockSize*m.head[0].inputs)
	}
	return w
}

// addStage allocates the values of a stage, and enlarges the scratch that stages share as far
// as the stage needs.
func (w *Workspace) addStage(i int) {
	m := w.model
	s := m.stages[i]
	v := stageValues{size: s.output().Dim()}
	samples := 1
	if m.kept(i) {
		v.stride, samples = v.size, blockSize
	}
	v.output = make([]float32, samples*v.size)
	switch s := s.(type) {
	case *maxPool:
		v.source = make([]int32, blockSize*v.size)
	case *convolution:
		w.gradients = append(w.gradients, make([]float32, blockSize*s.weights()))
		w.padded = atLeast(w.padded, s.padded().Dim())
	}
	w.patches = atLeast(w.patches, s.unfolded())
	if n := v.size; len(w.nonzeros.values) < n {
		w.nonzeros = sparse{indices: make([]int32, n), values: make([]float32, n)}
	}
	if i > m.lowest {
		side := &w.below[i%2]
		*side = atLeast(*side, m.stages[i-1].output().Dim())
	}
	w.stages = append(w.stages, v)
}

func atLeast(s []float32, n int) []float32 {
	if len(s) >= n {
		return s
	}
	return make([]float32, n)
}

// kept reports whether the output of a stage is read again: by its ReLU, or by the layer above
// it, unless that is a max-pool, which only routes.
func (m *Model) kept(i int) bool {
	if m.stages[i].rectified() || i == len(m.stages)-1 {
		return true
	}
	return m.stages[i+1].weights() > 0
}

// slot returns the output of a stage for a sample of the block.
func (w *Workspace) slot(stage, slot int) []float32 {
	v := &w.stages[stage]
	return v.output[slot*v.stride:][:v.size]
}

// input returns the input of a stage for a sample of the block.
func (w *Workspace) input(stage, slot int) []float32 {
	if stage == 0 {
		n := w.model.Inputs()
		return w.features[slot*n : (slot+1)*n]
	}
	return w.slot(stage-1, slot)
}

func (w *Workspace) sources(at place) []int32 {
	v := &w.stages[at.stage]
	return v.source[at.slot*v.size:][:v.size]
}

// gradient returns the gradient by a convolution's parameters for a sample. Convolutions come
// first among the layers with parameters.
func (w *Workspace) gradient(at place) []float32 {
	n := w.model.blocks[at.block]
	return w.gradients[at.block][at.slot*n:][:n]
}

// flattened returns the inputs of the first dense layer, blockSize x inputs.
func (w *Workspace) flattened() []float32 {
	if n := len(w.stages); n > 0 {
		return w.stages[n-1].output
	}
	return w.features
}

// load rounds parameters, len Dim, to float32. It notes whether all of them are still finite.
func (w *Workspace) load(params []float64) {
	requireLength("parameters", len(params), w.model.dim)
	var largest uint32
	for _, block := range w.parameters {
		largest = max(largest, narrow(block, params[:len(block)]))
		params = params[len(block):]
	}
	w.finite = largest < math.Float32bits(float32(math.Inf(1)))
}

// pool lends workspaces to calls that bring none.
type pool struct {
	model *Model
	free  sync.Pool
}

func (p *pool) get() *Workspace {
	if w, ok := p.free.Get().(*Workspace); ok {
		return w
	}
	return p.model.NewWorkspace()
}

func (p *pool) put(w *Workspace) { p.free.Put(w) }
