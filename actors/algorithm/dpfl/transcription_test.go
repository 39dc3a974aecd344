package dpfl_test

import (
	"math"
	"slices"
	"testing"

	"starling/actors/algorithm/dpfl"
	"starling/mechanisms/factorization"
	"starling/mechanisms/rng"
)

// transcript is Algorithm 1, or 2, typed from the paper as one loop over rounds
// in which all data are at hand, with the rules of the specification where the
// paper has none. It shares the keys of the random streams with the machines,
// and the number of local steps that the budget pays for.
type transcript struct {
	models [][]float64 // w(k) after each round
	taus   []int       // local steps of each round
	chosen []int       // tau* after each round that chooses
	rho    []float64
	beta   []float64
	xi     []float64
	inside bool // some model was brought into the ball
}

// transcriber is what the parts of the transcription share.
type transcriber struct {
	o    dpfl.Options
	seed uint64
	D    float64
	// streams are, by client, where the correlated noise is at.
	streams map[int]*factorization.Stream
	// inside tells that some model was brought into the ball.
	inside bool
}

func (p *transcriber) stream(purpose rng.Purpose, client, round, hop int) *rng.Rand {
	return new(rng.Stream).Open(rng.NewKey(p.seed, purpose), client+1, round, hop)
}

func poisson(r *rng.Rand, n int, q float64) (batch []int) {
	for s := range n {
		if r.Float64() < q {
			batch = append(batch, s)
		}
	}
	return batch
}

// data are what the statistics of a client are computed from, and their expected
// number.
func (p *transcriber) data(i int) (d samples, size float64) {
	d = p.o.Clients[i].(samples)
	if p.o.Adaptive.Statistics == dpfl.Public {
		d = p.o.Adaptive.Public[i].(samples)
	}
	if p.o.Adaptive.Samples > 0 {
		return d, float64(p.o.Adaptive.Samples)
	}
	return d, float64(d.size)
}

// meanOf is the sum of f over a batch, divided by size.
func meanOf(batch []int, size float64, f func(s int) []float64) []float64 {
	var mean []float64
	for _, s := range batch {
		v := f(s)
		if mean == nil {
			mean = make([]float64, len(v))
		}
		axpy(mean, 1/size, v)
	}
	return mean
}

func clip(g []float64, C float64) []float64 {
	clipped := make([]float64, len(g))
	axpy(clipped, 1/math.Max(1, norm(g)/C), g)
	return clipped
}

// estimates are rho_i and beta_i.
func (p *transcriber) estimates(i, round int, wi, w []float64) (rho, beta float64) {
	a := p.o.Adaptive
	data, size := p.data(i)
	r := p.stream(statisticsPurpose, i, round, 0)
	batch := poisson(r, data.size, size/float64(data.size))
	distance := norm(minus(wi, w))
	bound, C := math.Inf(1), math.Inf(1)
	if a.Statistics == dpfl.Private {
		bound, C = a.Lipschitz*distance, a.Clip
	}
	gradient := func(at []float64) []float64 {
		return meanOf(batch, size, func(s int) []float64 {
			g := make([]float64, len(w))
			data.gradient(g, at, s)
			return clip(g, C)
		})
	}
	change := meanOf(batch, size, func(s int) []float64 {
		return []float64{math.Min(bound, math.Max(-bound, data.loss(wi, s)-data.loss(w, s)))}
	})[0]
	difference := norm(minus(gradient(wi), gradient(w)))
	if a.Statistics == dpfl.Private {
		// Two numbers, of sensitivities bound and 2C before they are divided by
		// size: together sqrt 2 in units of these.
		change += math.Sqrt2 * a.Sigma * r.NormFloat64() * bound / size
		difference = math.Max(0, difference+math.Sqrt2*a.Sigma*r.NormFloat64()*2*C/size)
	}
	return math.Abs(change) / distance, difference / distance
}

// gradient is what client i sends at the new mean.
func (p *transcriber) gradient(i, round int, w []float64) []float64 {
	a := p.o.Adaptive
	data, size := p.data(i)
	r := p.stream(statisticsPurpose, i, round, 2)
	batch := poisson(r, data.size, size/float64(data.size))
	C := math.Inf(1)
	if a.Statistics == dpfl.Private {
		C = a.Clip
	}
	mean := meanOf(batch, size, func(s int) []float64 {
		g := make([]float64, len(w))
		data.gradient(g, w, s)
		return clip(g, C)
	})
	if a.Statistics == dpfl.Private {
		for k := range mean {
			mean[k] += a.Sigma * C * r.NormFloat64() / size
		}
	}
	return mean
}

// local is lines 5 to 12: tau steps of client i from w.
func (p *transcriber) local(i, round, tau int, w []float64) []float64 {
	data := p.o.Clients[i].(samples)
	B := float64(p.o.Batch)
	if B == 0 {
		B = float64(data.size)
	}
	q := B / float64(data.size)
	draw, noise := p.stream(samplePurpose, i, round, 0), p.stream(noisePurpose, i, round, 0)
	wi := slices.Clone(w)
	for range tau {
		sum := make([]float64, len(w))
		for _, s := range poisson(draw, data.size, q) {
			g := make([]float64, len(w))
			data.gradient(g, wi, s)
			axpy(sum, 1, clip(g, p.o.Clip))
		}
		for k := range sum {
			switch {
			case !p.o.Noise.Private(), p.o.Noise.Once():
			case !p.o.Noise.Sampled():
				sum[k] += p.o.Noise.Scale() * noise.Laplace()
			default:
				sum[k] += p.o.Noise.Multiplier() * p.o.Clip * noise.NormFloat64()
			}
		}
		if p.o.Noise.Once() {
			axpy(sum, p.o.Noise.Scale(), p.increment(i, noise))
		}
		axpy(wi, -p.o.LearningRate/B, sum)
		p.nearest(wi)
	}
	return wi
}

// increment is that of the correlated noise of client i for its next local step.
func (p *transcriber) increment(i int, r *rng.Rand) []float64 {
	if p.streams == nil {
		p.streams = map[int]*factorization.Stream{}
	}
	if p.streams[i] == nil {
		p.streams[i] = must(p.o.Noise.Factorization().Stream(len(p.o.Start)))
	}
	row := make([]float64, len(p.o.Start))
	if err := p.streams[i].Next(row, r); err != nil {
		panic(err)
	}
	return row
}

// nearest brings w into the ball, if there is one.
func (p *transcriber) nearest(w []float64) {
	if p.o.Set == nil {
		return
	}
	by := min(1, ballRadius/norm(w))
	for k := range w {
		w[k] *= by
	}
	p.inside = p.inside || by < 1
}

// G is (13) with h of (10) in closed form, lambda and phi such that phi lambda^2
// is the control constant.
func (p *transcriber) G(tau int, T, rho, beta, xi float64) float64 {
	const lambda = 0.7
	eta, phi := p.o.LearningRate, p.o.Adaptive.Control/(lambda*lambda)
	c := 0.0
	if p.o.Noise.Private() {
		c = p.o.NoiseTerm()
	}
	x := float64(tau)
	h := (xi+c)/beta*(math.Pow(eta*beta+1, x)-1) - eta*(xi+c)*x
	if beta == 0 {
		h = 0
	}
	bracket := eta*phi - rho*h/(x*lambda*lambda)
	if bracket <= 0 {
		return math.Inf(1)
	}
	return 1/(T*bracket) + math.Sqrt(3)/3
}

// choose is lines 17 to 19 after a round.
func (p *transcriber) choose(tr *transcript, round, last, stepsLeft int, w []float64, rho, beta float64) int {
	gradients := make([][]float64, len(p.o.Clients))
	mean := make([]float64, len(w))
	for i, data := range p.o.Clients {
		gradients[i] = p.gradient(i, round, w)
		axpy(mean, float64(data.Size())/p.D, gradients[i])
	}
	var xi float64
	for i, data := range p.o.Clients {
		xi += float64(data.Size()) / p.D * norm(minus(gradients[i], mean))
	}
	best, least := 0, math.Inf(1)
	for tau := 1; tau <= min(2*last, 100); tau++ {
		T := math.Min(float64(tau*(p.o.Rounds-round)), float64(stepsLeft))
		if g := p.G(tau, T, rho, beta, xi); g < least-1e-12 {
			best, least = tau, g
		}
	}
	tr.chosen, tr.rho, tr.beta, tr.xi = append(tr.chosen, best), append(tr.rho, rho), append(tr.beta, beta), append(tr.xi, xi)
	return best
}

func transcribe(o dpfl.Options, seed uint64, most int) (tr transcript) {
	p := &transcriber{o: o, seed: seed}
	for _, data := range o.Clients {
		p.D += float64(data.Size())
	}
	w, tau, left := slices.Clone(o.Start), 1, most
	if o.Adaptive == nil {
		tau = o.Tau
	}
	local := make([][]float64, len(o.Clients))
	for round := 1; round <= o.Rounds && left > 0; round++ {
		now := min(tau, left)
		left -= now
		var rho, beta float64
		mean := make([]float64, len(w))
		chooses := o.Adaptive != nil && round >= 2 && round < o.Rounds
		for i, data := range o.Clients {
			share := float64(data.Size()) / p.D
			if chooses {
				rhoI, betaI := p.estimates(i, round, local[i], w)
				rho, beta = rho+share*rhoI, beta+share*betaI
			}
			local[i] = p.local(i, round, now, w)
			axpy(mean, share, local[i])
		}
		p.nearest(mean)
		w = mean
		tr.models, tr.taus = append(tr.models, w), append(tr.taus, now)
		if chooses && left > 0 {
			tau = p.choose(&tr, round, tau, left, w, rho, beta)
		}
	}
	tr.inside = p.inside
	return tr
}

// The machines do what the algorithms say, to rounding.
func TestTranscription(t *testing.T) {
	longest := 0
	for name, o := range sampleRuns() {
		plan := must(dpfl.NewPlan(&o))
		want, got := transcribe(o, 7, plan.Steps), runLockstep(t, o)
		if len(got.models) != len(want.models) {
			t.Fatalf("%s: %d rounds, want %d", name, len(got.models), len(want.models))
		}
		for k, w := range want.models {
			if norm(minus(w, got.models[k])) > 1e-12 {
				t.Fatalf("%s: round %d gave %v, want %v", name, k+1, got.models[k], w)
			}
		}
		if want.inside != (o.Set != nil) {
			t.Errorf("%s: a model was brought into the ball: %v", name, want.inside)
		}
		server := got.values[0]
		compare(t, name+": tau", server[dpfl.Tau], floats(want.taus), 0)
		compare(t, name+": tau*", server[dpfl.TauChosen], floats(want.chosen), 0)
		compare(t, name+": rho", server[dpfl.Rho], want.rho, 1e-12)
		compare(t, name+": beta", server[dpfl.Beta], want.beta, 1e-12)
		compare(t, name+": xi", server[dpfl.Xi], want.xi, 1e-12)
		longest = max(longest, slices.Max(want.taus))
	}
	if longest < 4 {
		t.Errorf("the largest tau is %d: these runs choose too little", longest)
	}
}

func floats(list []int) []float64 {
	values := make([]float64, len(list))
	for k, v := range list {
		values[k] = float64(v)
	}
	return values
}

func compare(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
	for k := range want {
		if !(math.Abs(got[k]-want[k]) <= tolerance*max(1, math.Abs(want[k]))) {
			t.Fatalf("%s: %v, want %v", what, got, want)
		}
	}
}
