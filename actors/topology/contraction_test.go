package topology_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"starling/actors/option"
	"starling/actors/topology"
)

// gonumMatrix is the matrix of a graph for gonum.
func gonumMatrix(g *topology.Graph) *mat.Dense {
	m := mat.NewDense(g.Nodes(), g.Nodes(), nil)
	for i, row := range dense(g) {
		m.SetRow(i, row)
	}
	return m
}

// furthest returns the largest |phi_ij - 1/N|.
func furthest(phi *mat.Dense) float64 {
	n, _ := phi.Dims()
	var largest float64
	for _, x := range phi.RawMatrix().Data {
		largest = max(largest, math.Abs(x-1/float64(n)))
	}
	return largest
}

// deviationsByProducts returns e_k = max |Phi(s+k,s)_ij - 1/N| over all starts s
// that are multiples of every and all lags k inside the horizon, from dense
// products. What is below 1e-14 N is rounding and left out.
func deviationsByProducts(seq topology.Sequence, horizon, every int) []float64 {
	n := seq.Nodes()
	e := make([]float64, horizon+1)
	for s := 0; s <= horizon; s += every {
		phi := mat.NewDense(n, n, nil)
		for i := range n {
			phi.Set(i, i, 1)
		}
		for k := 0; s+k <= horizon; k++ {
			d := furthest(phi)
			if d < 1e-14*float64(n) {
				break
			}
			e[k] = max(e[k], d)
			next := mat.NewDense(n, n, nil)
			next.Mul(gonumMatrix(seq.At(s+k)), phi)
			phi = next
		}
	}
	return e
}

// checkPair holds c and lambda to the bound (15) of DPDO-NC and to the smallest
// C/(1-lambda) among the thousandths.
func checkPair(t *testing.T, e []float64, c, lambda float64) {
	t.Helper()
	if !(lambda > 0 && lambda < 1) {
		t.Fatalf("lambda is %v", lambda)
	}
	// Rounding of two ways to multiply: some ulps a product, of entries up to 1.
	for k, x := range e {
		if bound := c * math.Pow(lambda, float64(k)); x > bound*(1+1e-12)+1e-15*float64(k) {
			t.Fatalf("e_%d = %v exceeds C lambda^k = %v with C = %v, lambda = %v", k, x, bound, c, lambda)
		}
	}
	best := math.Inf(1)
	for m := 1; m < 1000; m++ {
		l, needed := float64(m)/1000, 0.
		for k, x := range e {
			if x > 0 {
				needed = max(needed, x/math.Pow(l, float64(k)))
			}
		}
		best = min(best, needed/(1-l))
	}
	if got := c / (1 - lambda); got > best*(1+1e-9) {
		t.Errorf("C/(1-lambda) = %v, a pair with %v holds", got, best)
	}
}

// TestPrintedContraction has the constants in closed form. With J = 1/6
// everywhere, A2 = (6J - I)/5 makes A2 A1 - J = (J - A1)/5, the largest of two
// steps, and A1 A3 = A3 A1 = J leaves nothing of three: e = 5/6, 1/3, 1/15, 0, 0, ... The
// least C/(1-lambda) of max(5/6, 1/(3 lambda), 1/(15 lambda^2)) is at the first
// two equal, lambda = 2/5.
func TestPrintedContraction(t *testing.T) {
	seq := printedCycle(t)
	for _, horizon := range []int{5, 500, 1 << 40} {
		c, lambda, err := topology.Contraction(seq, horizon)
		if err != nil || math.Abs(c-5./6) > 1e-15 || lambda != 0.4 {
			t.Errorf("horizon %d: C = %v, lambda = %v, %v, want 5/6 and 2/5", horizon, c, lambda, err)
		}
	}
	e := deviationsByProducts(seq, 12, 1)
	for k, want := range []float64{5. / 6, 1. / 3, 1. / 15, 0} {
		if math.Abs(e[k]-want) > 1e-15 {
			t.Errorf("e_%d = %v by dense products, want %v", k, e[k], want)
		}
	}
	c, lambda, err := topology.Contraction(seq, 12)
	if err != nil {
		t.Fatal(err)
	}
	checkPair(t, e, c, lambda)
}

// TestPrintedCycleAverages: A1 A3 is 1/6 everywhere, to the last bit, so two of
// the three switches make all nodes equal.
func TestPrintedCycleAverages(t *testing.T) {
	a1, _, a3 := topology.Printed()
	var product mat.Dense
	product.Mul(gonumMatrix(mustDense(t, a1)), gonumMatrix(mustDense(t, a3)))
	for k, x := range product.RawMatrix().Data {
		if x != 1./6 {
			t.Errorf("entry %d, %d of A1 A3 is %v, want 1/6", k/6+1, k%6+1, x)
		}
	}
}

func TestContractionAgainstProducts(t *testing.T) {
	permutation, err := topology.FromDense([][]float64{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}})
	if err != nil {
		t.Fatal(err)
	}
	switched, err := topology.NewPeriodic(mustSequence(t, topology.Ring{Nodes: 7}).At(0),
		mustSequence(t, topology.Permutations{Nodes: 7, Degree: 2, Seed: 5}).At(0))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name    string
		seq     topology.Sequence
		horizon int
		every   int // spacing of the starts that the measurement looks at
	}{
		{"ring", mustSequence(t, topology.Ring{Nodes: 8}), 60, 1},
		{"ring, one step", mustSequence(t, topology.Ring{Nodes: 8}), 1, 1},
		{"complete", mustSequence(t, topology.Complete{Nodes: 5}), 40, 1},
		{"average", mustSequence(t, topology.Complete{Nodes: 5, SelfLoops: true}), 40, 1},
		{"switched", switched, 50, 1},
		{"redrawn", mustSequence(t, topology.Permutations{Nodes: 9, Degree: 2, Every: 3, Seed: 3}), 70, 1},
		{"never mixing", topology.Static(permutation), 30, 1},
		// 2500 starts are more than 1024: every third is taken.
		{"thinned", mustSequence(t, topology.Permutations{Nodes: 4, Degree: 1, Every: 1, Seed: 3}), 2500, 3},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, lambda, err := topology.Contraction(test.seq, test.horizon)
			if err != nil {
				t.Fatal(err)
			}
			checkPair(t, deviationsByProducts(test.seq, test.horizon, test.every), c, lambda)
		})
	}
}

// TestContractionBeyondTheLagsMeasured: the ring of 100 nodes has not mixed after
// 4096 steps (its second eigenvalue is cos(pi/100) in modulus, and cos^4096 is
// 0.13), and the pair must hold for longer lags all the same.
func TestContractionBeyondTheLagsMeasured(t *testing.T) {
	seq := mustSequence(t, topology.Ring{Nodes: 100})
	c, lambda, err := topology.Contraction(seq, 20000)
	if err != nil {
		t.Fatal(err)
	}
	if second := math.Cos(math.Pi / 100); lambda < second {
		t.Errorf("lambda = %v is below the second eigenvalue %v", lambda, second)
	}
	for _, k := range []int{1, 100, 4096, 8192, 12345, 20000} {
		var phi mat.Dense
		phi.Pow(gonumMatrix(seq.At(0)), k)
		if e, bound := furthest(&phi), c*math.Pow(lambda, float64(k)); e > bound {
			t.Errorf("e_%d = %v exceeds C lambda^k = %v", k, e, bound)
		}
	}
}

func TestContractionOfOneNode(t *testing.T) {
	c, lambda, err := topology.Contraction(mustSequence(t, topology.Complete{Nodes: 1, SelfLoops: true}), 10)
	if err != nil || c != 0 || !(lambda > 0 && lambda < 1) {
		t.Errorf("C = %v, lambda = %v, %v, want 0 and any lambda", c, lambda, err)
	}
}

func TestContractionRefuses(t *testing.T) {
	_, _, err := topology.Contraction(mustSequence(t, topology.Ring{Nodes: 257}), 10)
	if !errors.Is(err, topology.ErrTooLarge) || option.Message(err) != "too many nodes to measure the contraction: 257, at most 256" {
		t.Errorf("257 nodes: %v", err)
	}
	var fault *topology.WeightError
	_, _, err = topology.Contraction(mustSequence(t, topology.Star{Leaves: 3}), 10)
	if !errors.As(err, &fault) || !strings.HasPrefix(err.Error(), "step 1: row 1 sums to 3") {
		t.Errorf("star: %v", err)
	}
	if _, _, err = topology.Contraction(printedCycle(t), 0); err == nil || option.Message(err) != "horizon is 0, want at least 1" {
		t.Errorf("horizon 0: %v", err)
	}
	apart := topology.Static(mustDense(t, [][]float64{{1, 0}, {0, 1}}))
	_, _, err = topology.Contraction(apart, 5000)
	if !errors.Is(err, topology.ErrNoContraction) || !strings.HasSuffix(err.Error(), "after 4096 steps an entry is still 0.5 from 1/N") {
		t.Errorf("identity: %v", err)
	}
}

// TestPermutationsMixFast holds Permutations to why it draws permutations and
// not shifts: the eigenvalues of a random sum of 6 permutations are about
// sqrt(6) and less in modulus, so with the identity lambda is near
// (1+sqrt(6))/7 = 0.49. The draws are fixed by the seeds, so the test cannot fail by chance.
func TestPermutationsMixFast(t *testing.T) {
	for seed := range uint64(3) {
		seq := mustSequence(t, topology.Permutations{Nodes: 200, Degree: 6, Seed: seed})
		_, lambda, err := topology.Contraction(seq, 500)
		if err != nil || lambda > 0.6 {
			t.Errorf("seed %d: lambda = %v, %v, want at most 0.6", seed, lambda, err)
		}
	}
}
