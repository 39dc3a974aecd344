package audit

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// Two vectors with noise of their own, and the same with shared noise: of the second
// only the difference tells the inputs apart beyond what one release does.
func TestPick(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for shared, want := range map[bool]int{false: 0, true: 2} {
		draw := func(mean float64) (rows [][]float64) {
			for range 2000 {
				x, y := r.NormFloat64(), r.NormFloat64()
				if shared {
					y = x
				}
				x += mean
				rows = append(rows, []float64{x, y, x - y, x + y})
			}
			return rows
		}
		a, b := draw(0), draw(1)
		got, err := Pick(a, b, Mu(), 0.99)
		if err != nil || got != want {
			t.Errorf("shared %v: statistic %d, %v; want %d", shared, got, err, want)
		}
	}
}

func TestPickRefuses(t *testing.T) {
	four := [][]float64{{1}, {1}, {1}, {1}}
	for want, c := range map[string][2][][]float64{
		"4 and 3 outcomes":    {four, four[:3]},
		"without a statistic": {make([][]float64, 4), make([][]float64, 4)},
	} {
		if _, err := Pick(c[0], c[1], Mu(), 0.9); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
