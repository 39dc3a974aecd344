package personal

import (
	"math"
	"slices"
	"testing"

	"starling/scenarios/document"
)

// Epsilons lie between the ends, and their distribution is the law: by Dvoretzky, Kiefer, Wolfowitz
// and Massart it is further than sqrt(ln(2/p)/(2n)) from it with probability p at most; here 1e-9.
// Of a choice the shares are as near, by Hoeffding.
func TestEpsilonsFollowTheirLaw(t *testing.T) {
	const n = 40000
	near := math.Sqrt(math.Log(2/1e-9) / (2 * n))
	for law, share := range map[string]func(epsilon float64) float64{
		lawUniform:    func(epsilon float64) float64 { return (epsilon - 0.5) / 7.5 },
		lawLogUniform: func(epsilon float64) float64 { return math.Log(epsilon/0.5) / math.Log(16) },
	} {
		l := Law{Law: law, From: 0.5, To: 8, Draw: 1}
		list := l.assigned(n).Epsilons
		slices.Sort(list)
		if list[0] < 0.5 || list[n-1] > 8 || list[0] == list[n-1] {
			t.Errorf("%s: epsilons from %v to %v", law, list[0], list[n-1])
		}
		for k, epsilon := range list {
			if want := share(epsilon); math.Abs(float64(k+1)/n-want) > near+1.0/n {
				t.Fatalf("%s: %v of the epsilons are up to %v, want %v", law, float64(k+1)/n, epsilon, want)
			}
		}
		if other := (&Law{Law: law, From: 0.5, To: 8, Draw: 2}).assigned(1); other.Epsilons[0] == l.assigned(1).Epsilons[0] {
			t.Errorf("%s: two draws are alike", law)
		}
	}
	for _, shares := range [][]float64{nil, {0.5, 0, 0.2, 0.3}} {
		l := Law{Law: lawChoice, Values: []document.Epsilon{1, 2, 4, document.Epsilon(math.Inf(1))}, Shares: shares, Draw: 1}
		of := l.assigned(n)
		for k, value := range l.Values {
			want := 0.25
			if shares != nil {
				want = shares[k]
			}
			got := 0.0
			for node, epsilon := range of.Epsilons {
				if (epsilon == float64(value)) != (of.Numbers[node] == k+1) {
					t.Fatalf("node %d of epsilon %v is in group %d", node, epsilon, of.Numbers[node])
				}
				if epsilon == float64(value) {
					got += 1.0 / n
				}
			}
			if math.Abs(got-want) > near || want == 0 && got > 0 {
				t.Errorf("shares %v: %v have %v, want %v", shares, got, value, want)
			}
		}
	}
}

// A node has its epsilon whatever the number of nodes.
func TestEpsilonsAreOfTheirNodes(t *testing.T) {
	l := Law{Law: lawLogUniform, From: 0.5, To: 8, Draw: 3}
	if few, many := l.assigned(5).Epsilons, l.assigned(50).Epsilons[:5]; !slices.Equal(few, many) {
		t.Errorf("%v, and %v of more nodes", few, many)
	}
}
