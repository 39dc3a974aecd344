package stream

import (
	"math"

	"pgregory.net/rapid"
)

// must returns the value of a constructor that cannot fail on its arguments.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// paper are the data of Fig. 3 of the paper, for n = 20 learners.
func paper(seed uint64) (Logistic, Tester) {
	p := must(NewSyntheticLogistic(DefaultSyntheticOptions(), 20))
	return p.Model(), p.Draw(seed)
}

// meanLoss is the mean loss of data at x, by the definition.
func meanLoss(x, data []float64) float64 {
	width := len(x) + 1
	var sum float64
	for j := 0; j < len(data); j += width {
		sum += Logistic{dim: len(x)}.Loss(x, data[j:j+width])
	}
	return sum / float64(len(data)/width)
}

// drawIntegers draws data in d dimensions with small whole features, which
// makes ties, repetitions and contradictions likely.
func drawIntegers(t *rapid.T, d int) []float64 {
	m := rapid.IntRange(1, 12).Draw(t, "m")
	var data []float64
	for range m {
		for range d {
			data = append(data, float64(rapid.IntRange(-3, 3).Draw(t, "feature")))
		}
		data = append(data, float64(2*rapid.IntRange(0, 1).Draw(t, "label")-1))
	}
	return data
}

// relative is the distance of two numbers in units of the second.
func relative(a, b float64) float64 { return math.Abs(a-b) / math.Abs(b) }
