package stream

import (
	"starling/mechanisms/kernel"
	"starling/mechanisms/rng"
)

// The size of the search for the best common model: a model would overfit fewer data, and more
// would take time.
const (
	commonRows   = 50 // times d: number of data for the fit, and for the test
	mostNumbers  = 1 << 20
	commonRounds = 100
)

// CommonRows returns the number of data that CommonAccuracy fits a model to, 50 d. It is 0
// where d is too large, and CommonAccuracy is not known.
func (p *SyntheticLogistic) CommonRows() int {
	if d := p.options.Dimension; commonRows*d <= mostNumbers/(d+1) {
		return commonRows * d
	}
	return 0
}

// CommonAccuracy returns about the largest share of fresh data of all learners, over so many
// steps, of which one model predicts the labels. It is the share of a model fitted to as many
// other data. It takes a while: some hundred passes over the data.
func (p *SyntheticLogistic) CommonAccuracy(seed uint64, steps int) (accuracy float64) {
	d, rows := p.options.Dimension, p.CommonRows()
	model, in := p.Model(), p.Passing(seed).(*synthetic)
	if p.learners <= rows { // several data of a learner
		in = p.Draw(seed).(*synthetic)
	}
	datum := func(dst []float64, key rng.Key, j int) {
		learner, step := j%p.learners, j*steps/rows
		if p.learners > rows {
			learner = j * p.learners / rows
		}
		in.draw(dst, key, learner, j, step)
	}
	data, longest := make([]float64, rows*(d+1)), 0.0
	for j := range rows {
		row := data[j*(d+1) : (j+1)*(d+1)]
		datum(row, in.sample, j)
		longest = max(longest, kernel.Dot(row[:d], row[:d]))
	}
	x := descend(model, data, rows, float64(longest/4)+p.options.L2)
	row, correct := data[:d+1], 0
	for j := range rows {
		if datum(row, in.fresh, j); model.Correct(x, row) {
			correct++
		}
	}
	return float64(correct) / float64(rows)
}

// descend minimises the mean loss, of smoothness l, by accelerated gradient descent from 0
// (Nesterov 1983).
func descend(model Logistic, data []float64, rows int, l float64) []float64 {
	d := model.Dim()
	x, ahead, last := make([]float64, d), make([]float64, d), make([]float64, d)
	mean, gradient := make([]float64, d), make([]float64, d)
	for round := range commonRounds {
		clear(mean)
		for j := range rows {
			model.Gradient(gradient, ahead, data[j*(d+1):(j+1)*(d+1)])
			kernel.Add(mean, gradient)
		}
		copy(last, x)
		weight := float64(round) / float64(round+3)
		for k, g := range mean {
			x[k] = ahead[k] - g/(float64(rows)*l)
			ahead[k] = x[k] + float64(weight*(x[k]-last[k]))
		}
	}
	return x
}
