package numeric_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"starling/mechanisms/numeric"
)

// The law is that of drawn values: of 200,000 ratios as many exceed a quantile as should,
// within 5.3 standard deviations, a chance of 1e-7 for each of 21, or 1 % for what the tables
// are off.
func TestSkewedStudent(t *testing.T) {
	const draws = 200_000
	var law numeric.SkewedStudent
	for _, n := range []int{2, 3, 5, 10, 20, 50, 100} {
		draw := rand.New(rand.NewPCG(5, uint64(n)))
		levels := []float64{0.2, 0.025, 0.001}
		var quantiles [3]float64
		for i, p := range levels {
			quantiles[i] = law.Quantile(n, 1-p)
		}
		var exceed [3]int
		for range draws / max(1, n/20) {
			var sum, squares float64
			for range n {
				x := draw.ExpFloat64()
				sum += x
				squares += x * x
			}
			mean := sum / float64(n)
			se := math.Sqrt((squares - sum*mean) / float64(n-1) / float64(n))
			for i := range levels {
				if 1-mean > quantiles[i]*se {
					exceed[i]++
				}
			}
		}
		total := float64(draws / max(1, n/20))
		for i, p := range levels {
			want := total * p
			if tolerance := 5.3*math.Sqrt(want) + 0.01*want; math.Abs(float64(exceed[i])-want) > tolerance {
				t.Errorf("%d values: %d ratios exceed the quantile of %v, want %v ± %v", n, exceed[i], 1-p, want, tolerance)
			}
		}
	}
}

// Two values have a closed form: of their mean and half their distance, which are independent
// given their sum, |x1-x2| is uniform on the sum, so that the ratio exceeds c with the
// probability of a sum below 2/(1 + c u), u uniform.
func TestSkewedStudentOfTwo(t *testing.T) {
	var law numeric.SkewedStudent
	for _, c := range []float64{1, 12, 300, 1e6} {
		const steps = 1 << 20
		var sum float64
		for i := range steps {
			// In the logarithm of u, from e^-30 to 1.
			x := -30 + 30*(float64(i)+0.5)/steps
			below := 2 / (1 + c*math.Exp(x))
			sum += math.Exp(x) * (-math.Expm1(-below) - below*math.Exp(-below)) * 30 / steps
		}
		near(t, "survival", law.Survival(2, c), sum, 1e-4)
	}
}

// Quantile and Survival are inverse, grow with the probability, and go to Student's law where
// there are many values.
func TestSkewedStudentQuantiles(t *testing.T) {
	var law numeric.SkewedStudent
	for _, n := range []int{2, 4, 11, 60, 200, 201, 5000} {
		before := 0.0
		for _, p := range []float64{0.8, 0.975, 0.9999, 1 - 1e-7} {
			c := law.Quantile(n, p)
			if !(c > before) || c <= numeric.StudentQuantile(float64(n-1), p) {
				t.Errorf("%d values: %v at %v", n, c, p)
			}
			near(t, "survival", law.Survival(n, c), 1-p, 1e-6)
			before = c
		}
	}
	near(t, "a million", law.Quantile(1_000_000, 0.975), 1.96, 0.005)
	near(t, "201 and 200", law.Quantile(201, 0.9999), law.Quantile(200, 0.9999), 0.002)
	if !math.IsInf(law.Quantile(5, 1), 1) || law.Survival(5, math.Inf(1)) != 0 || !math.IsNaN(law.Quantile(1, 0.9)) || !math.IsNaN(law.Survival(5, math.NaN())) {
		t.Error("edges")
	}
}
