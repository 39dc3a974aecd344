package noise_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/mechanisms/numeric"
	"starling/mechanisms/rng"
)

// edgesOf draws a graph of n nodes: the neighbours, and the edges once each.
func edgesOf(t *rapid.T, n int) (neighbours [][]int, edges [][2]int) {
	neighbours = make([][]int, n)
	for i := range n {
		for j := range i {
			if rapid.IntRange(0, 9).Draw(t, "edge") < 5 {
				edges = append(edges, [2]int{j, i})
				neighbours[i], neighbours[j] = append(neighbours[i], j), append(neighbours[j], i)
			}
		}
	}
	for i := range neighbours {
		slices.Sort(neighbours[i])
	}
	return neighbours, edges
}

// conditioned is what p is, by no formula of the code: the observer sees the releases of all
// nodes that are visible and outside of the coalition, and every noise vector of an edge of
// the coalition. All of that is a linear map B of independent normal numbers, those of nodes
// and those of edges; its mean moves by the unit vector h of a release, and the loss is
// that of the signal h'(BB')^-1 h (the likelihood ratio of normal vectors).
func conditioned(t *rapid.T, n int, edges [][2]int, ratio float64, coalition []int, visible func(int) bool, unit int) float64 {
	var b [][]float64
	signal := -1
	for i := range n {
		if slices.Contains(coalition, i) || !visible(i) {
			continue
		}
		row := make([]float64, n+len(edges))
		row[i] = 1
		for e, ends := range edges {
			switch i {
			case ends[0]:
				row[n+e] = ratio
			case ends[1]:
				row[n+e] = -ratio
			}
		}
		if i == unit {
			signal = len(b)
		}
		b = append(b, row)
	}
	for e, ends := range edges {
		if slices.Contains(coalition, ends[0]) || slices.Contains(coalition, ends[1]) {
			row := make([]float64, n+len(edges))
			row[n+e] = 1
			b = append(b, row)
		}
	}
	m := len(b)
	covariance, h := make([]float64, m*m), make([]float64, m)
	for i := range b {
		for j := range b {
			for k := range b[i] {
				covariance[i*m+j] += b[i][k] * b[j][k]
			}
		}
	}
	lu, ok := numeric.NewLU(covariance, m)
	if !ok {
		t.Fatal("singular")
	}
	h[signal] = 1
	return lu.Solve(h)[signal]
}

// The precision against any coalition is that of conditioning on all that it knows. Who
// knows more noise learns more, and who sees fewer releases, or none of some nodes, learns
// less.
func TestPrecisionByConditioning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 7).Draw(t, "n")
		neighbours, edges := edgesOf(t, n)
		ratio := rapid.Float64Range(0, 20).Draw(t, "ratio")
		shared, err := noise.NewShared(neighbours, ratio)
		if err != nil {
			t.Fatal(err)
		}
		unit := rapid.IntRange(0, n-1).Draw(t, "unit")
		var coalition []int
		before := 0.0
		all := func(int) bool { return true }
		for _, next := range rapid.Permutation(slices.Collect(func(yield func(int) bool) {
			for i := range n {
				if !yield(i) {
					return
				}
			}
		})).Draw(t, "order") {
			p := shared.Precision(coalition)[unit]
			want := conditioned(t, n, edges, ratio, coalition, all, unit)
			if !(math.Abs(p-want) <= 1e-9*want) {
				t.Fatalf("against %v unit %d has %v, by conditioning %v", coalition, unit, p, want)
			}
			if p < before*(1-1e-12) {
				t.Fatalf("against %v unit %d has %v, with less known %v", coalition, unit, p, before)
			}
			silent := rapid.IntRange(0, n-1).Draw(t, "silent")
			if silent != unit {
				if less := conditioned(t, n, edges, ratio, coalition, func(i int) bool { return i != silent }, unit); less > p*(1+1e-9) {
					t.Fatalf("without the release of %d, %v is known of unit %d, with it %v", silent, less, unit, p)
				}
			}
			if before = p; next != unit {
				coalition = append(coalition, next)
			}
		}
		var worst float64
		for j := range n {
			if j != unit {
				worst = max(worst, shared.Precision([]int{j})[unit])
			}
		}
		if got := shared.Worst()[unit]; !(math.Abs(got-worst) <= 1e-12*worst) {
			t.Fatalf("the worst node has %v, want %v", got, worst)
		}
	})
}

// The paper's privacy theorem, by the algebraic connectivity lambda_2 of what a coalition
// leaves of a graph of m nodes: p <= 1/m + (1 - 1/m)/(1 + lambda_2 ratio^2). On complete
// graphs that is p, and with a large ratio p comes to 1/m, that of a trusted sum.
func TestPrecisionWithinTheTheorem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 8).Draw(t, "n")
		neighbours, edges := edgesOf(t, n)
		complete := rapid.Bool().Draw(t, "complete")
		if complete {
			neighbours, edges = completeGraph(n)
		}
		ratio := rapid.Float64Range(0.1, 50).Draw(t, "ratio")
		shared, err := noise.NewShared(neighbours, ratio)
		if err != nil {
			t.Fatal(err)
		}
		laplacian := make([]float64, n*n)
		for _, e := range edges {
			i, j := e[0], e[1]
			laplacian[i*n+i]++
			laplacian[j*n+j]++
			laplacian[i*n+j]--
			laplacian[j*n+i]--
		}
		values, _, ok := numeric.Eigen(laplacian, n)
		if !ok {
			t.Fatal("no eigenvalues")
		}
		m, lambda := float64(n), values[1]
		bound := 1/m + (1-1/m)/(1+max(0, lambda)*ratio*ratio)
		for i, p := range shared.Alone() {
			if p > bound*(1+1e-9) || p < 1/m*(1-1e-9) {
				t.Fatalf("node %d has %v, want within [%v, %v]", i, p, 1/m, bound)
			}
			if complete && !(math.Abs(p-bound) < 1e-9) {
				t.Fatalf("node %d of a complete graph has %v, want %v", i, p, bound)
			}
		}
	})
}

func completeGraph(n int) (neighbours [][]int, edges [][2]int) {
	neighbours = make([][]int, n)
	for i := range n {
		for j := range n {
			if j != i {
				neighbours[i] = append(neighbours[i], j)
			}
			if j < i {
				edges = append(edges, [2]int{j, i})
			}
		}
	}
	return neighbours, edges
}

// A node at the end of a path has noise of its own alone against its neighbour.
func TestWorstOfAPath(t *testing.T) {
	shared, err := noise.NewShared([][]int{{1}, {0, 2}, {1, 3}, {2}}, 1e3)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{1, 1, 1, 1} { // node 1 against 2 has node 0 left, which is 1/2
		if i == 1 || i == 2 {
			want = 0.5
		}
		if got := shared.Worst()[i]; !(math.Abs(got-want) < 1e-5) {
			t.Errorf("node %d has %v, want %v", i, got, want)
		}
	}
}

// What nodes share cancels in their sum, to rounding, and has the deviation that is stated:
// the mean of 4000 squares of a node is within 2 sqrt(x/4000) + 2x/4000 of its mean but with a
// chance of 2 exp(-x) (Laurent, Massart 2000, lemma 1), here x = 12: 4e-5 for three nodes. The
// streams are fixed.
func TestSharedNoiseCancels(t *testing.T) {
	neighbours, _ := completeGraph(3)
	shared, err := noise.NewShared(neighbours, 3)
	if err != nil {
		t.Fatal(err)
	}
	const length, scale = 4000, 2.0
	var own, stream rng.Stream
	sum, alone := make([]float64, length), make([]float64, length)
	key := rng.NewKey(7, rng.PurposeOf("shared"))
	for i := range 3 {
		x := make([]float64, length)
		from := noise.Drawing{Own: own.Open(rng.NewKey(7, rng.PurposeOf("own")), i, 5, 0), Key: key, Node: i, Step: 5}
		receipt, err := shared.Release(x, from, noise.Additive{Law: noise.GaussianLaw, Scale: scale}, noise.MovesL2(1, length), func(accountant.Loss) error { return nil })
		if err != nil || receipt.Loss().Rho != shared.Loss(i, noise.Additive{Law: noise.GaussianLaw, Scale: scale}, noise.MovesL2(1, length)).Rho {
			t.Fatalf("%v, %v", receipt, err)
		}
		stream.Open(rng.NewKey(7, rng.PurposeOf("own")), i, 5, 0).AddNormal(alone, scale)
		var square float64
		for k, v := range x {
			sum[k] += v
			square += v * v
		}
		// 1 + 2*9 of its own variance
		if mean := square / length / (scale * scale * 19); !(math.Abs(mean-1) < 0.12) {
			t.Errorf("node %d: variance %v of what is stated", i, mean)
		}
	}
	for k := range sum {
		if !(math.Abs(sum[k]-alone[k]) < 1e-12) {
			t.Fatalf("entry %d: the sum is %v, of own noise alone %v", k, sum[k], alone[k])
		}
	}
}

// Without a ratio it is the noise of each, to the last bit, and costs the same.
func TestSharedWithoutARatio(t *testing.T) {
	neighbours, _ := completeGraph(3)
	shared, err := noise.NewShared(neighbours, 0)
	if err != nil {
		t.Fatal(err)
	}
	own := noise.Additive{Law: noise.GaussianLaw, Scale: 1.7}
	moves := noise.MovesL2(0.3, 4)
	x, y := make([]float64, 4), make([]float64, 4)
	var stream rng.Stream
	open := func() *rng.Rand { return stream.Open(rng.NewKey(1, 2), 1, 3, 0) }
	pay := func(accountant.Loss) error { return nil }
	receipt, err := shared.Release(x, noise.Drawing{Own: open(), Node: 1, Step: 3}, own, moves, pay)
	if err != nil {
		t.Fatal(err)
	}
	want, err := own.Release(y, open(), moves, pay)
	if err != nil || !slices.Equal(x, y) || receipt.Loss() != want.Loss() {
		t.Errorf("%v for %v, want %v for %v: %v", x, receipt.Loss(), y, want.Loss(), err)
	}
}

func TestSharedRefuses(t *testing.T) {
	for _, test := range []struct {
		neighbours [][]int
		ratio      float64
		want       string
	}{
		{[][]int{{1}, {}}, 1, "has no edge back"},
		{[][]int{{0}}, 1, "is no other node"},
		{[][]int{{1, 1}, {0}}, 1, "out of order"},
		{[][]int{{2}, {0}}, 1, "is no other node"},
		{[][]int{{1}, {0}}, math.Inf(1), "want a finite number"},
		{[][]int{{1}, {0}}, -1, "want a finite number"},
		{make([][]int, noise.MostSharing+1), 1, "share noise; want at most"},
	} {
		if _, err := noise.NewShared(test.neighbours, test.ratio); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %v, want %q", test.neighbours, err, test.want)
		}
	}
	shared, err := noise.NewShared([][]int{{1}, {0}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	spent := errors.New("spent")
	x := []float64{1, 2}
	for _, test := range []struct {
		own  noise.Additive
		pay  func(accountant.Loss) error
		want string
	}{
		{noise.Additive{Law: noise.LaplaceLaw, Scale: 1}, func(accountant.Loss) error { return nil }, "want gaussian"},
		{noise.Additive{Law: noise.GaussianLaw, Scale: 1}, func(accountant.Loss) error { return spent }, "spent"},
	} {
		_, err := shared.Release(x, noise.Drawing{Own: rng.New(1)}, test.own, noise.MovesL2(1, 2), test.pay)
		if err == nil || !strings.Contains(err.Error(), test.want) || x[0] != 1 || x[1] != 2 {
			t.Errorf("%v: %v, %v", test.own, x, err)
		}
	}
}
