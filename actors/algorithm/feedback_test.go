package algorithm_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"starling/actors/algorithm"
	"starling/actors/algorithm/batch"
	"starling/messages"
)

// quadratic is <b, x> + x'Qx/2 with Q symmetric, the same for all nodes and steps.
type quadratic struct {
	b []float64
	q [][]float64 // nil is 0
}

func (c quadratic) Loss(_ messages.NodeID, _ int, x []float64) (sum float64) {
	for k, v := range x {
		sum += c.b[k] * v
		for l, w := range x {
			if c.q != nil {
				sum += v * c.q[k][l] * w / 2
			}
		}
	}
	return sum
}

func (c quadratic) Gradient(dst []float64, _ messages.NodeID, _ int, x []float64) {
	copy(dst, c.b)
	for k := range dst {
		for l, w := range x {
			if c.q != nil {
				dst[k] += c.q[k][l] * w
			}
		}
	}
}

// x, b and q are of dimension 3.
var (
	x = []float64{0.4, -1.2, 0.7}
	b = []float64{1, -2, 0.5}
	q = [][]float64{{2, 0.3, -0.4}, {0.3, 1, 0.2}, {-0.4, 0.2, 3}}
)

// Estimates are the formulas of the papers, of the direction that a node has at a step.
func TestLiterally(t *testing.T) {
	costs := quadratic{b, q}
	for points := 1; points <= 2; points++ {
		f := &algorithm.Feedback{Points: points, Radius: 0.3, Seed: 7}
		told := algorithm.WithFeedback(costs, f)
		for step := range 50 {
			const d, delta, node = 3, 0.3, 4
			u, g := make([]float64, d), make([]float64, d)
			f.Direction(u, node, step)
			at := func(sign float64) float64 {
				return costs.Loss(node, step, []float64{x[0] + sign*delta*u[0], x[1] + sign*delta*u[1], x[2] + sign*delta*u[2]})
			}
			along, mean := d/delta*at(1), at(1)
			if points == 2 {
				along, mean = d/(2*delta)*(at(1)-at(-1)), (at(1)+at(-1))/2
			}
			told.Gradient(g, node, step, x)
			want := []float64{along * u[0], along * u[1], along * u[2]}
			if diff := cmp.Diff(want, g, cmpopts.EquateApprox(1e-12, 1e-12)); diff != "" {
				t.Fatalf("%d points, step %d (-want +got):\n%s", points, step, diff)
			}
			if loss := told.Loss(node, step, x); math.Abs(loss-mean) > 1e-12 {
				t.Fatalf("%d points, step %d: loss %v of what is played, want %v", points, step, loss, mean)
			}
		}
	}
	if told := algorithm.WithFeedback(costs, nil); !cmp.Equal(told, algorithm.Costs(costs), cmp.AllowUnexported(quadratic{})) {
		t.Errorf("without feedback nodes are told of %v", told)
	}
}

// draws is how many estimates a mean is of, and deviations by how many of its standard errors
// it may be off. The mean of so many is normal but for 1e-3, so that a coordinate is off by
// more with a chance below 1e-7, and any of the fewer than 40 here with one below 4e-6.
const (
	draws      = 40000
	deviations = 5.5
)

// moments are the mean of vectors of length 3 and the standard errors of its entries.
func moments(draw func(dst []float64, step int)) (mean, errs [3]float64) {
	var squares [3]float64
	v := make([]float64, 3)
	for step := range draws {
		draw(v, step)
		for k, e := range v {
			mean[k] += e / draws
			squares[k] += e * e / draws
		}
	}
	for k := range mean {
		errs[k] = math.Sqrt((squares[k] - mean[k]*mean[k]) / draws)
	}
	return mean, errs
}

// The mean of estimates is the gradient, of linear and of quadratic losses, at any radius:
// Flaxman, Kalai, McMahan 2005, Lemma 2.1, as the mean of such a loss over a ball has the
// gradient of the loss. That of another loss is not: of |x|^4 it is that of the mean over the
// ball, (4 |x|^2 + (4 + 8/d) delta^2 d/(d+2)) x for d = 3.
func TestUnbiased(t *testing.T) {
	for points := 1; points <= 2; points++ {
		for name, costs := range map[string]quadratic{"linear": {b, nil}, "quadratic": {b, q}} {
			told := algorithm.WithFeedback(costs, &algorithm.Feedback{Points: points, Radius: 0.5, Seed: 3})
			mean, errs := moments(func(dst []float64, step int) { told.Gradient(dst, 2, step, x) })
			want := make([]float64, 3)
			costs.Gradient(want, 2, 0, x)
			near(t, name, points, mean, errs, want)
		}
		told := algorithm.WithFeedback(quartic{}, &algorithm.Feedback{Points: points, Radius: 0.5, Seed: 3})
		mean, errs := moments(func(dst []float64, step int) { told.Gradient(dst, 2, step, x) })
		square := x[0]*x[0] + x[1]*x[1] + x[2]*x[2]
		factor := 4*square + (4+8.0/3)*0.5*0.5*3/5
		near(t, "quartic", points, mean, errs, []float64{factor * x[0], factor * x[1], factor * x[2]})
		if bias := factor - 4*square; !(bias*math.Abs(x[1]) > deviations*errs[1]) {
			t.Errorf("%d points: the test could not tell |x|^4 from its mean over the ball", points)
		}
	}
}

// quartic is |x|^4.
type quartic struct{}

func (quartic) Loss(_ messages.NodeID, _ int, x []float64) float64 {
	square := x[0]*x[0] + x[1]*x[1] + x[2]*x[2]
	return square * square
}
func (quartic) Gradient([]float64, messages.NodeID, int, []float64) {
	panic("a node is told losses alone")
}

func near(t *testing.T, name string, points int, mean, errs [3]float64, want []float64) {
	t.Helper()
	for k := range mean {
		if math.Abs(mean[k]-want[k]) > deviations*errs[k] {
			t.Errorf("%s, %d points, entry %d: the mean is %v ± %v, want %v", name, points, k+1, mean[k], errs[k], want[k])
		}
	}
}

// Directions have length 1, mean 0 and covariance I/d, and differ between nodes and seeds.
func TestDirections(t *testing.T) {
	f := &algorithm.Feedback{Points: 1, Radius: 1, Seed: 5}
	mean, errs := moments(func(u []float64, step int) {
		f.Direction(u, 1, step)
		if length := math.Sqrt(u[0]*u[0] + u[1]*u[1] + u[2]*u[2]); math.Abs(length-1) > 1e-12 {
			t.Fatalf("length %v", length)
		}
	})
	near(t, "directions", 1, mean, errs, make([]float64, 3))
	mean, errs = moments(func(u []float64, step int) {
		f.Direction(u, 1, step)
		u[0], u[1], u[2] = u[0]*u[0], u[1]*u[1], u[0]*u[2]
	})
	near(t, "squares", 1, mean, errs, []float64{1. / 3, 1. / 3, 0})
	var u, other [3]float64
	f.Direction(u[:], 1, 1)
	f.Direction(other[:], 2, 1)
	if u == other {
		t.Error("two nodes have one direction")
	}
	if f.Under(6).Direction(other[:], 1, 1); u == other {
		t.Error("two seeds have one direction")
	}
}

// crowd are costs that are asked for many nodes at once.
type crowd struct {
	quadratic
	calls int
}

func (c *crowd) Losses(dst []float64, nodes []messages.NodeID, step int, x []float64) error {
	c.calls++
	for i, node := range nodes {
		dst[i] = c.Loss(node, step, x[3*i:3*i+3])
	}
	return nil
}

func (c *crowd) Gradients([]float64, []messages.NodeID, int, []float64) error {
	panic("nodes are told losses alone")
}

// WithFeedback costs that are asked for many nodes at once all are asked at once, and told the same.
func TestManyAtOnce(t *testing.T) {
	for points := 1; points <= 2; points++ {
		f := &algorithm.Feedback{Points: points, Radius: 0.3, Seed: 7}
		costs := &crowd{quadratic: quadratic{b, q}}
		one, ask := algorithm.WithFeedback(costs.quadratic, f), algorithm.WithFeedback(costs, f).(batch.Costs)
		nodes := []messages.NodeID{3, 5, 3}
		rows := append(append(append([]float64{}, x...), b...), x...)
		gradients, losses := make([]float64, 9), make([]float64, 3)
		if err := ask.Gradients(gradients, nodes, 2, rows); err != nil {
			t.Fatal(err)
		}
		if err := ask.Losses(losses, nodes, 2, rows); err != nil {
			t.Fatal(err)
		}
		for i, node := range nodes {
			want := make([]float64, 3)
			one.Gradient(want, node, 2, rows[3*i:3*i+3])
			if diff := cmp.Diff(want, gradients[3*i:3*i+3]); diff != "" || losses[i] != one.Loss(node, 2, rows[3*i:3*i+3]) {
				t.Errorf("%d points, row %d: %s, loss %v", points, i, diff, losses[i])
			}
		}
		if costs.calls != 2 {
			t.Errorf("%d points: asked %d times, want 2", points, costs.calls)
		}
	}
}
