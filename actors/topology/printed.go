package topology

// Printed returns the three weight matrices of the numerical experiment of
// DPDO-NC, Section 5, on 6 nodes: a1 the directed ring, a2 the complete graph
// without self-loops, a3 the nodes of equal parity averaged. The experiment
// shows them in this order, again and again. The matrices are the caller's.
func Printed() (a1, a2, a3 [][]float64) {
	const n = 6
	fill := func(entry func(i, j int) float64) [][]float64 {
		a := make([][]float64, n)
		for i := range a {
			a[i] = make([]float64, n)
			for j := range a[i] {
				a[i][j] = entry(i, j)
			}
		}
		return a
	}
	a1 = fill(func(i, j int) float64 {
		if j == i || j == (i+n-1)%n {
			return 1. / 2
		}
		return 0
	})
	a2 = fill(func(i, j int) float64 {
		if i != j {
			return 1. / 5
		}
		return 0
	})
	a3 = fill(func(i, j int) float64 {
		if i%2 == j%2 {
			return 1. / 3
		}
		return 0
	})
	return a1, a2, a3
}
