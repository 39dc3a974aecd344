package factorization

import (
	"fmt"
	"math"
	"testing"

	"starling/mechanisms/rng"
)

// No number that is not finite leaves a factorization, whatever it is asked for: the search
// of a fit may take a decay to 1, and an interval of a long run ends where 1 - x rounds to 1.
func TestEverythingIsFinite(t *testing.T) {
	var list []Options
	for _, n := range []int{1, 2, 3, 10, 64, 200} {
		for _, kind := range Kinds() {
			if kind != BLT && kind != BandedToeplitz {
				list = append(list, options(kind, n))
			}
		}
		for _, fit := range []Participation{{}, {Times: 1, Apart: 1}, {Times: n, Apart: 1}, {Times: 4, Apart: 1}, {Times: 2, Apart: 5}, {Times: 10, Apart: 20}, {Times: 2, Apart: max(1, n-1), Even: true}} {
			for _, buffers := range []int{1, 2, 3, 4, 6, 10} {
				list = append(list, Options{Kind: BLT, N: n, Buffers: buffers, Fit: fit})
			}
			for _, bands := range []int{1, 2, 7} {
				list = append(list, Options{Kind: BandedToeplitz, N: n, Bands: min(n, bands), Fit: fit})
			}
		}
	}
	for _, o := range list {
		f, err := New(o)
		if err != nil {
			t.Errorf("%+v: %v", o, err)
			continue
		}
		numbers := map[string]float64{"sensitivity": f.Sensitivity(), "MSE": f.MSE(), "largest error": f.MaxError(), "full sensitivity": f.FullSensitivity()}
		for _, p := range []Participation{{1, 1, false}, {2, 1, false}, {3, 2, true}, {o.N, 1, false}} {
			s, err := f.SensitivityOf(p)
			if err != nil {
				t.Errorf("%+v: %v", o, err)
			}
			numbers[fmt.Sprintf("sensitivity to %+v", p)] = s
		}
		stream, err := f.Stream(1)
		if err != nil {
			t.Fatal(err)
		}
		r, row := rng.New(1), make([]float64, 1)
		for step := range o.N {
			if err := stream.Next(row, r); err != nil {
				t.Fatal(err)
			}
			if !(math.Abs(row[0]) < 1e6) {
				numbers[fmt.Sprintf("noise of step %d", step)] = row[0]
			}
		}
		if c, ok := f.spread.(columns); ok { // term by term, where a sum has a closed form
			square := 0.0
			for x := range c.coefficients() {
				square += x * x
			}
			if !near(f.Sensitivity()*f.Sensitivity(), square, 1e-12) {
				t.Errorf("%+v: the square of the sensitivity is %v, term by term %v", o, f.Sensitivity()*f.Sensitivity(), square)
			}
		}
		for name, x := range numbers {
			if math.IsNaN(x) || math.IsInf(x, 0) || x <= 0 && name[:5] != "noise" {
				t.Errorf("%+v: %s is %v", o, name, x)
			}
		}
	}
}
