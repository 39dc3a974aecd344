package experts

import (
	"testing"

	"starling/messages"
	"starling/scenarios/problem"
)

var _ problem.Instance = (*Costs)(nil)

// Node i pays the loss of client i+1, and sums are those of the clients one by one.
func TestCosts(t *testing.T) {
	const clients, d = 3, 4
	adversary, err := NewGaussianSoftmax(DefaultGaussianSoftmaxOptions(), clients, d)
	if err != nil {
		t.Fatal(err)
	}
	in, err := adversary.Draw(3, 5)
	if err != nil {
		t.Fatal(err)
	}
	x := []float64{0.4, 0.3, 0.2, 0.1}
	c, got, want, total, sum := NewCosts(in, clients, d), make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
	for node := range messages.NodeID(clients) {
		in.Gradient(want, node+1, 2, x)
		c.Gradient(got, node, 2, x)
		if c.Loss(node, 2, x) != in.Loss(node+1, 2, x) || [d]float64(got) != [d]float64(want) {
			t.Errorf("node %d: gradient %v, want %v", node, got, want)
		}
		for k := range total {
			total[k] += want[k]
		}
	}
	if c.SumGradient(sum, 2, x); [d]float64(sum) != [d]float64(total) {
		t.Errorf("sum %v, want %v", sum, total)
	}
}
