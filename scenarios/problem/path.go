package problem

import (
	"starling/actors/algorithm/mirror"
	"starling/mechanisms/kernel"
	"starling/mechanisms/portable"
	"starling/mechanisms/rng"
)

// The uses of randomness in the data. The names are part of every key: to
// change one is to change all results.
var (
	purposeTarget      = rng.PurposeOf("data.target")      // the true position and its motion
	purposeMeasurement = rng.PurposeOf("data.measurement") // errors of the distances
	purposeSensors     = rng.PurposeOf("data.sensors")     // drawn positions of sensors
	purposeNode        = rng.PurposeOf("data.node")        // parameters of a node's distribution
	purposeSample      = rng.PurposeOf("data.sample")      // the datum of a node and step
)

// path is a point of R^d per step, or one point that stands still.
type path struct {
	points []float64 // T x d, or 1 x d
	dim    int
	stride int // d, or 0 for a point that stands still
}

// at returns the point of a step, 1-based; read only.
func (p path) at(step int) []float64 {
	o := (step - 1) * p.stride
	return p.points[o : o+p.dim : o+p.dim]
}

// stillPath stands at start, which it keeps.
func stillPath(start []float64) path {
	return path{points: start, dim: len(start)}
}

// walkPath starts at start and applies move to get from each step's point to
// the next: move(next, current, t) writes x_{t+1} given x_t.
func walkPath(start []float64, horizon int, move func(next, current []float64, t int)) path {
	d := len(start)
	p := path{points: make([]float64, horizon*d), dim: d, stride: d}
	copy(p.points, start)
	for t := 1; t < horizon; t++ {
		move(p.at(t+1), p.at(t), t)
	}
	return p
}

// printedMove returns the motion of the target of DPDO-NC, section 5 (d = 2):
//
//	x_{t+1} = x_t + ((-1)^q sin(t/50)/(10 t), -q cos(t/70)/(40 t)), q ~ Bernoulli(1/2).
//
// The steps shrink like 1/t, so the way is no longer than
// 0.1 + (ln(T/50))/10 along the first axis for T >= 50 steps (|sin(t/50)| is
// at most t/50 and at most 1), and (1 + ln T)/40 along the second.
func printedMove(key rng.Key) func(next, current []float64, t int) {
	return func(next, current []float64, t int) {
		s := float64(t)
		first := portable.Sin(s/50) / (10 * s)
		second := 0.0
		if key.Uniform(0, t, 0) < 0.5 { // q = 1
			first = -first
			second = -portable.Cos(s/70) / (40 * s)
		}
		next[0] = current[0] + first
		next[1] = current[1] + second
	}
}

// driftMove takes a step of fixed length in a direction uniform on the sphere and projects
// back to the set.
func driftMove(key rng.Key, set mirror.Set, length float64) func(next, current []float64, t int) {
	stream := new(rng.Stream)
	work := make([]float64, set.WorkSize())
	return func(next, current []float64, t int) {
		drawDirection(next, stream, key, t, length)
		for k := range next {
			next[k] += current[k]
		}
		set.Project(next, next, work)
	}
}

// drawStart draws the point that a path starts from: a quarter of the diameter
// away from the middle of the set in a uniform direction, projected to the set.
func drawStart(key rng.Key, set mirror.Set) []float64 {
	d := set.Dim()
	x, center := make([]float64, d), make([]float64, d)
	drawDirection(x, new(rng.Stream), key, 0, set.Diameter()/4)
	set.Center(center)
	for k := range x {
		x[k] += center[k]
	}
	set.Project(x, x, make([]float64, set.WorkSize()))
	return x
}

// drawDirection writes a vector of the given length, uniform on the sphere.
func drawDirection(dst []float64, stream *rng.Stream, key rng.Key, step int, length float64) {
	stream.Open(key, 0, step, 0).FillNormal(dst)
	scaleTo(dst, length)
}

// scaleTo gives x the 2-norm length. A zero vector, which the continuous
// distributions here give with probability 0, stays zero.
func scaleTo(x []float64, length float64) {
	if norm := kernel.Norm(x); norm != 0 {
		kernel.Scale(x, length/norm, x)
	}
}
