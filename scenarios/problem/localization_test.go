package problem

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"starling/actors/algorithm/mirror"
	"starling/mechanisms/rng"
	"starling/messages"
)

// The cost and gradient of Example 1, worked by hand: the sensor in the
// origin, the target at (0, 2), no noise, x = (3, 4), so r = 5 and d = 2.
func TestLocalizationByHand(t *testing.T) {
	p := must(NewLocalization(LocalizationOptions{
		Sensors: SensorOptions{Same: &SameOptions{Position: []float64{0, 0}}},
		Target:  TargetOptions{Start: []float64{0, 2}, Motion: MotionStill},
	}, 3, must(mirror.NewL2Ball(2, 5, nil))))
	in := must(p.Draw(1, 4))
	x := []float64{3, 4}
	if got := in.Loss(2, 4, x); got != 4.5 {
		t.Errorf("loss %v, want (5-2)^2/2", got)
	}
	if diff := cmp.Diff([]float64{1.8, 2.4}, gradient(in, 2, 4, x), approx(1e-15)); diff != "" {
		t.Errorf("gradient (-want +got):\n%s", diff)
	}
	sum := make([]float64, 2)
	in.SumGradient(sum, 4, x)
	if diff := cmp.Diff([]float64{5.4, 7.2}, sum, approx(1e-14)); diff != "" {
		t.Errorf("sum over 3 nodes (-want +got):\n%s", diff)
	}
}

// approx compares numbers with an absolute tolerance.
func approx(tolerance float64) cmp.Option {
	return cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= tolerance })
}

// At x = s the printed gradient is 0/0; it is defined as 0, and the gradient
// next to it is not small: it is not continuous there.
func TestGradientAtTheSensorIsZero(t *testing.T) {
	p := must(NewLocalization(LocalizationOptions{
		Sensors:          SensorOptions{Same: &SameOptions{Position: []float64{1, 1}}},
		Target:           TargetOptions{Start: []float64{0, -3}, Motion: MotionStill},
		MeasurementNoise: 0.001,
	}, 2, printedSet()))
	in := must(p.Draw(1, 5))
	for step := 1; step <= 5; step++ {
		at := []float64{1, 1}
		if got := gradient(in, 1, step, at); got[0] != 0 || got[1] != 0 {
			t.Errorf("step %d: gradient %v at the sensor, want 0", step, got)
		}
		in.SumGradient(at, step, []float64{1, 1})
		if at[0] != 0 || at[1] != 0 {
			t.Errorf("step %d: sum %v at the sensors, want 0", step, at)
		}
		if norm := floats.Norm(gradient(in, 1, step, []float64{1, 1 + 1e-9}), 2); norm < 4 {
			t.Errorf("step %d: gradient norm %v next to the sensor, want the distance of the target", step, norm)
		}
	}
	if _, finite := p.Smoothness(); finite {
		t.Error("a finite beta on a set that holds a sensor")
	}
}

// theta by hand. As printed the sensor is in Omega, so theta is the distance
// of the furthest corner, (0, -3), plus the noise. On the circle the sensor
// (4, 0) is 1 from (3, 0) and 7 from (-3, 0); there 1 - d/r is about 1 - 7,
// so beta is about 6.
func TestLocalizationBoundsByHand(t *testing.T) {
	printed := math.Hypot(0.8, 3.95) + 0.001
	if got := asPrintedProblem().GradientBound(); math.Abs(got-printed) > 1e-12 {
		t.Errorf("theta %v as printed, want %v", got, printed)
	}
	p := circleProblem()
	if got := p.GradientBound(); math.Abs(got-6.001) > 1e-9 {
		t.Errorf("theta %v on the circle, want 6.001", got)
	}
	if beta, finite := p.Smoothness(); !finite || math.Abs(beta-6.001) > 1e-9 {
		t.Errorf("beta %v (%v) on the circle, want 6.001", beta, finite)
	}
}

// beta is attained: the target at (-3, 0), x at (3, 0), the derivative along
// the second axis.
func TestLocalizationSmoothnessIsTight(t *testing.T) {
	o := DefaultLocalizationOptions()
	o.Sensors.Circle = &CircleOptions{Radius: 4}
	o.Target = TargetOptions{Start: []float64{-3, 0}, Motion: MotionStill}
	p := must(NewLocalization(o, 6, printedSet()))
	in := must(p.Draw(1, 1))
	const h = 1e-5
	up, down := gradient(in, 0, 1, []float64{3, h}), gradient(in, 0, 1, []float64{3, -h})
	slope := math.Abs(up[1]-down[1]) / (2 * h)
	if beta, _ := p.Smoothness(); slope > beta || slope < 0.999*beta {
		t.Errorf("second derivative %v, beta %v", slope, beta)
	}
}

// theta is attained within 5 percent when target and x run through a grid of
// Omega, and exceeded nowhere.
func TestLocalizationGradientBoundIsTightOnAGrid(t *testing.T) {
	var grid [][]float64
	for a := -3.0; a <= 3; a += 0.25 {
		for b := -3.0; b <= 3; b += 0.25 {
			if math.Abs(a)+math.Abs(b) <= 3 {
				grid = append(grid, []float64{a, b})
			}
		}
	}
	for name, sensors := range map[string]SensorOptions{
		"circle":     {Circle: &CircleOptions{Radius: 4}},
		"as printed": {Same: &SameOptions{Position: []float64{0.8, 0.95}}},
		"off centre": {Circle: &CircleOptions{Radius: 1, Center: []float64{2, 5}}},
		"far box":    {Random: &RandomOptions{Low: []float64{9, 0}, High: []float64{9.1, 0.1}}},
	} {
		largest, theta := 0.0, 0.0
		for _, start := range grid {
			o := LocalizationOptions{Sensors: sensors, Target: TargetOptions{Start: start, Motion: MotionStill}, MeasurementNoise: 0.001}
			p := must(NewLocalization(o, 6, printedSet()))
			in := must(p.Draw(5, 1))
			theta = p.GradientBound()
			for node := range messages.NodeID(6) {
				for _, x := range grid {
					largest = max(largest, floats.Norm(gradient(in, node, 1, x), 2))
				}
			}
		}
		if largest > theta || largest < 0.95*theta {
			t.Errorf("%s: largest gradient on the grid %v, theta %v", name, largest, theta)
		}
	}
}

// The printed motion, summed up from its formula.
func TestPrintedPath(t *testing.T) {
	const horizon = 500
	for _, seed := range []uint64{1, 77} {
		tracker := must(circleProblem().Draw(seed, horizon)).(Tracker)
		key := rng.NewKey(seed, rng.PurposeOf("data.target"))
		var first, second, ones float64
		for step := 1; step <= horizon; step++ {
			want := []float64{0.8 + first, 0.95 - second}
			if diff := cmp.Diff(want, tracker.Target(step), approx(1e-13)); diff != "" {
				t.Fatalf("seed %d, step %d (-want +got):\n%s", seed, step, diff)
			}
			q := 0.0
			if key.Uniform(0, step, 0) < 0.5 {
				q = 1
			}
			s := float64(step)
			first += math.Pow(-1, q) * math.Sin(s/50) / 10 / s
			second += q * math.Cos(s/70) / 40 / s
			ones += q
		}
		// q is Bernoulli(1/2): 5 standard deviations, chance 6e-7.
		if math.Abs(ones-horizon/2) > 5*math.Sqrt(horizon)/2 {
			t.Errorf("seed %d: q is 1 in %v of %d steps", seed, ones, horizon)
		}
		// The bound that printedMove documents.
		if w := 0.1 + math.Log(horizon/50)/10; math.Abs(first) > w {
			t.Errorf("seed %d: moved %v along the first axis, at most %v possible", seed, first, w)
		}
	}
}

// With x on the target the cost is half the square of the measurement error,
// which is U[0, 0.001]. Mean and mean square of n errors stay within 5 of
// their standard deviations (chance of a false failure 6e-7 each).
func TestMeasurementErrors(t *testing.T) {
	const horizon, limit = 500, 0.001
	p := circleProblem()
	in := must(p.Draw(8, horizon))
	sensors := in.(*localization).sensors
	var errors, squares []float64
	for step := 1; step <= horizon; step++ {
		for node := range messages.NodeID(6) {
			x := in.(Tracker).Target(step)
			e := math.Sqrt(2*in.Loss(node, step, x)) / limit
			if e > 1+1e-9 {
				t.Fatalf("node %d, step %d: error of %v of the limit", node+1, step, e)
			}
			// The distance is overestimated: descent leads away from the sensor.
			away := []float64{x[0] - sensors[2*node], x[1] - sensors[2*node+1]}
			if floats.Dot(gradient(in, node, step, x), away) >= 0 {
				t.Fatalf("node %d, step %d: error below 0", node+1, step)
			}
			errors, squares = append(errors, e), append(squares, e*e)
		}
	}
	n := float64(len(errors))
	if got, tolerance := stat.Mean(errors, nil), 5*math.Sqrt(1.0/12/n); math.Abs(got-0.5) > tolerance {
		t.Errorf("mean error %v of the limit, want 1/2 within %v", got, tolerance)
	}
	if got, tolerance := stat.Mean(squares, nil), 5*math.Sqrt(4.0/45/n); math.Abs(got-1.0/3) > tolerance {
		t.Errorf("mean square %v, want 1/3 within %v", got, tolerance)
	}
}

// For N = 6 the sensors stand at 4 (cos i pi/3, sin i pi/3), i = 0..5.
func TestSensorLayouts(t *testing.T) {
	h := 2 * math.Sqrt(3)
	circle := must(circleProblem().Draw(1, 1)).(*localization).sensors
	if diff := cmp.Diff([]float64{4, 0, 2, h, -2, h, -4, 0, -2, -h, 2, -h}, circle, approx(1e-14)); diff != "" {
		t.Errorf("circle (-want +got):\n%s", diff)
	}
	same := must(asPrintedProblem().Draw(1, 1)).(*localization).sensors
	if diff := cmp.Diff([]float64{.8, .95, .8, .95, .8, .95, .8, .95, .8, .95, .8, .95}, same); diff != "" {
		t.Errorf("same (-want +got):\n%s", diff)
	}
	positions := must(still3D().Draw(1, 1)).(*localization).sensors
	if diff := cmp.Diff([]float64{0.2, 0.2, 0.3, 2, -1, 1}, positions); diff != "" {
		t.Errorf("positions (-want +got):\n%s", diff)
	}
}

// Drawn sensors lie in their box, in its middle on the average: the mean of n
// uniform entries is within 5 width/sqrt(12 n), chance 6e-7 a coordinate.
func TestRandomSensors(t *testing.T) {
	const n = 4000
	low, high := []float64{-1, 3}, []float64{2, 3.5}
	p := localizationOf(SensorOptions{Random: &RandomOptions{Low: low, High: high}}, n, printedSet())
	s := must(p.Draw(6, 1)).(*localization).sensors
	for k := range 2 {
		sum := 0.0
		for i := range n {
			v := s[2*i+k]
			if v < low[k] || v > high[k] {
				t.Fatalf("sensor %d at %v, outside the box", i+1, s[2*i:2*i+2])
			}
			sum += v
		}
		if off := math.Abs(sum/n - (low[k]+high[k])/2); off > 5*(high[k]-low[k])/math.Sqrt(12*n) {
			t.Errorf("mean of coordinate %d is off by %v", k, off)
		}
	}
}

// Sensors that go with a topology measure from where it has its nodes in the step,
// mapped to the box: without errors of measurement the loss of a node is 0 all over
// the circle about its own place through the target, and nowhere near it.
func TestLocalizationFollowsATopology(t *testing.T) {
	const nodes, steps = 3, 4
	o := DefaultLocalizationOptions()
	o.Sensors.Topology = &TopologyOptions{Low: []float64{-4, -2}, High: []float64{4, 6}}
	o.MeasurementNoise = 0
	p := must(NewLocalization(o, nodes, printedSet()))
	if !p.Follows() || circleProblem().Follows() {
		t.Error("who follows a topology is mistaken")
	}
	if _, err := p.Draw(1, steps); err == nil || err.Error() != "draw localization: the sensors go with a topology, and there is none" {
		t.Errorf("drawn without a topology: %v", err)
	}
	// The node stands at (node+step, node)/8 of the square in steps from 0.
	square := func(node, step int) (x, y float64) { return float64(node+step) / 8, float64(node) / 8 }
	places := func(still bool) Places {
		return func(seed uint64, count int) (list []float64, _ error) {
			if seed != 7 || count != steps {
				t.Errorf("asked for seed %d and %d steps", seed, count)
			}
			if still {
				count = 1
			}
			for step := range count {
				for node := range nodes {
					x, y := square(node, step)
					list = append(list, x, y)
				}
			}
			return list, nil
		}
	}
	for _, still := range []bool{false, true} {
		in := must(p.Following(places(still)).Draw(7, steps))
		for step := 1; step <= steps; step++ {
			for node := range nodes {
				x, y := square(node, step-1)
				if still {
					x, y = square(node, 0)
				}
				place, target := []float64{-4 + 8*x, -2 + 8*y}, in.(Tracker).Target(step)
				r := math.Hypot(place[0]-target[0], place[1]-target[1])
				for _, angle := range []float64{0, 1, 2.5, 4} {
					on := []float64{place[0] + r*math.Cos(angle), place[1] + r*math.Sin(angle)}
					if loss := in.Loss(messages.NodeID(node), step, on); loss > 1e-24 {
						t.Fatalf("still: %v, step %d, node %d: a loss of %v on the circle", still, step, node+1, loss)
					}
					on[0] = place[0] + (r+0.1)*math.Cos(angle)
					on[1] = place[1] + (r+0.1)*math.Sin(angle)
					if loss := in.Loss(messages.NodeID(node), step, on); math.Abs(loss-0.005) > 1e-12 {
						t.Fatalf("still: %v, step %d, node %d: a loss of %v beside the circle, want 0.005", still, step, node+1, loss)
					}
				}
			}
		}
	}
	if _, err := p.Following(func(uint64, int) ([]float64, error) { return make([]float64, 5), nil }).Draw(7, steps); err == nil ||
		err.Error() != "draw localization: places of 5 coordinates for 3 nodes and 4 steps" {
		t.Errorf("places of another number of nodes: %v", err)
	}
}
