package experts_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"starling/messages"
	"starling/scenarios/problem/experts"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

const (
	clients = 3
	dim     = 5
	horizon = 40
)

func usual() experts.GaussianSoftmaxOptions {
	o := experts.DefaultGaussianSoftmaxOptions()
	o.Loss, o.Floor = experts.Usual, 0.01
	return o
}

// adversaries are all kinds, by a name of their own.
func adversaries() map[string]*experts.Adversary {
	rows := make([][]float64, clients*horizon)
	for r := range rows {
		rows[r] = make([]float64, dim)
		for n := range rows[r] {
			rows[r][n] = float64((r*7+n*3)%11) / 10
		}
	}
	return map[string]*experts.Adversary{
		"uniform-zero":     must(experts.NewUniformZero(experts.UniformZeroOptions{}, clients, dim)),
		"linear":           must(experts.NewLinear(experts.LinearOptions{Gap: 0.2}, clients, dim)),
		"linear, uniform":  must(experts.NewLinear(experts.LinearOptions{Gap: 0.2, Law: experts.Uniform}, clients, dim)),
		"gaussian-softmax": must(experts.NewGaussianSoftmax(experts.DefaultGaussianSoftmaxOptions(), clients, dim)),
		"cross-entropy":    must(experts.NewGaussianSoftmax(usual(), clients, dim)),
		"theorem 2":        must(experts.NewLowerBound2(clients, dim)),
		"theorem 3":        must(experts.NewLowerBound3(experts.LowerBound3Options{Epsilon: 0.1}, clients, dim)),
		"one-select":       must(experts.NewOneSelect(experts.OneSelectOptions{Records: 7}, clients, dim)),
		"table":            must(experts.NewTable(rows, clients)),
	}
}

// drawSimplex draws a point of the simplex, sometimes a vertex.
func drawSimplex(t *rapid.T) []float64 {
	x, sum := make([]float64, dim), 0.0
	x[rapid.IntRange(0, dim-1).Draw(t, "vertex")], sum = 1, 1
	if rapid.Bool().Draw(t, "inside") {
		for n := range x {
			v := rapid.Float64Range(0, 1).Draw(t, "x")
			x[n] += v
			sum += v
		}
	}
	for n := range x {
		x[n] /= sum
	}
	return x
}

// Every adversary keeps what it states: gradients within Alpha and of the right
// sign, changes of gradients within Beta times the 1-norm, convexity, linearity
// where it is claimed; the same values for any order and horizon of the same
// seed, and others for another seed or client where there is chance.
func TestAdversariesKeepTheirWord(t *testing.T) {
	for name, a := range adversaries() {
		t.Run(name, func(t *testing.T) {
			in, again := must(a.Draw(5, horizon)), must(a.Draw(5, horizon))
			rapid.Check(t, func(t *rapid.T) {
				client := messages.NodeID(rapid.IntRange(0, clients-1).Draw(t, "client"))
				step := rapid.IntRange(1, horizon).Draw(t, "step")
				x, y := drawSimplex(t), drawSimplex(t)
				gx, gy := make([]float64, dim), make([]float64, dim)
				in.Gradient(gx, client, step, x)
				again.Gradient(gy, client, step, x)
				if !slices.Equal(gx, gy) || in.Loss(client, step, x) != again.Loss(client, step, x) {
					t.Fatal("two draws of one seed differ")
				}
				in.Gradient(gy, client, step, y)
				low := -a.Alpha
				if a.Linear {
					low = 0
				}
				var distance, apart, inner float64
				for n := range gx {
					if !(gx[n] >= low*(1+1e-12) && gx[n] <= a.Alpha*(1+1e-12)) {
						t.Fatalf("gradient entry %v, alpha %v", gx[n], a.Alpha)
					}
					distance += math.Abs(x[n] - y[n])
					apart = max(apart, math.Abs(gx[n]-gy[n]))
					inner += gx[n] * (y[n] - x[n])
				}
				if apart > a.Beta*distance*(1+1e-9)+1e-9 {
					t.Fatalf("gradients %v apart at distance %v, beta %v", apart, distance, a.Beta)
				}
				rise := in.Loss(client, step, y) - in.Loss(client, step, x)
				if rise < inner-1e-9 || a.Linear && math.Abs(rise-inner) > 1e-12 {
					t.Fatalf("the loss rises by %v, its gradient says %v", rise, inner)
				}
			})
		})
	}
}

// Gradients of the usual order agree with central differences of the loss. The
// differences of a function of third derivative up to 2 alpha^3 = 2e6 over
// steps of 1e-6 are off by 1e-6 at most, and by rounding of 1e-9.
func TestCrossEntropyGradient(t *testing.T) {
	in := must(must(experts.NewGaussianSoftmax(usual(), clients, dim)).Draw(1, horizon))
	x, g := []float64{0.1, 0.2, 0.3, 0.25, 0.15}, make([]float64, dim)
	in.Gradient(g, 1, 7, x)
	for n := range x {
		const h = 1e-6
		up, down := slices.Clone(x), slices.Clone(x)
		up[n] += h
		down[n] -= h
		if want := (in.Loss(1, 7, up) - in.Loss(1, 7, down)) / (2 * h); math.Abs(g[n]-want) > 1e-5 {
			t.Errorf("entry %d is %v, differences give %v", n+1, g[n], want)
		}
	}
}

// add sums up the losses of all clients up to a step.
func add(m experts.Model, in *experts.Instance, sum []float64, steps int) {
	datum := make([]float64, len(sum))
	for i := range messages.NodeID(clients) {
		for step := 1; step <= steps; step++ {
			in.Datum(datum, i, step)
			m.Add(sum, datum)
		}
	}
}

// No point of the simplex beats the decision in hindsight, and the stated loss
// is what it pays.
func TestHindsightIsBest(t *testing.T) {
	for name, a := range adversaries() {
		in := must(a.Draw(9, horizon))
		sum, best := make([]float64, dim), make([]float64, dim)
		total := func(x []float64) (loss float64) {
			for i := range messages.NodeID(clients) {
				for step := 1; step <= 30; step++ {
					loss += in.Loss(i, step, x)
				}
			}
			return loss
		}
		add(a.Model, in, sum, 30)
		got := a.Model.Hindsight(best, sum)
		if want := total(best); math.Abs(got-want) > 1e-9*max(1, math.Abs(want)) {
			t.Errorf("%s: stated %v, the decision %v pays %v", name, got, best, want)
		}
		rapid.Check(t, func(t *rapid.T) {
			if x := drawSimplex(t); total(x) < got-1e-9 {
				t.Fatalf("%s: %v pays %v, the best %v", name, x, total(x), got)
			}
		})
	}
}

// A floor that binds: classes that hardly occur are predicted with nothing.
func TestHindsightAtTheFloor(t *testing.T) {
	o := usual()
	o.Floor = 0.1
	model := must(experts.NewGaussianSoftmax(o, 1, dim)).Model
	best := make([]float64, dim)
	loss := model.Hindsight(best, []float64{10, 0, 0.1, 5, 0})
	// Classes 2, 3 and 5 are at the floor: q = 0.1 each, and 0.7 is shared 10:5.
	want := -10*math.Log(0.7*10/15) - 0.1*math.Log(0.1) - 5*math.Log(0.7*5/15)
	if math.Abs(loss-want) > 1e-12 || best[1] != 0 || best[2] != 0 || math.Abs(best[0]-(0.7*10/15-0.1)/0.5) > 1e-12 {
		t.Errorf("loss %v, want %v; decision %v", loss, want, best)
	}
	if loss := model.Hindsight(best, make([]float64, dim)); loss != 0 {
		t.Errorf("nothing was lost, and the best loses %v", loss)
	}
}

// Sequences of the lower bounds and of Fig. 2 are what they are said to be.
func TestSequences(t *testing.T) {
	x, l, other := make([]float64, dim), make([]float64, dim), make([]float64, dim)
	x[0] = 1
	two := must(must(experts.NewLowerBound2(clients, dim)).Draw(3, horizon))
	o := experts.LowerBound3Options{Epsilon: 0.1, Expert: 2}
	if got := o.Hard(clients, dim); got != 3 { // ln 5/(2*3*0.1) = 2.68
		t.Errorf("k = %d, want 3", got)
	}
	three := must(must(experts.NewLowerBound3(o, clients, dim)).Draw(3, horizon))
	zero := must(must(experts.NewUniformZero(experts.UniformZeroOptions{Expert: 4}, clients, dim)).Draw(3, horizon))
	ones := 0.0
	for step := 1; step <= horizon; step++ {
		two.Gradient(l, 0, step, x)
		two.Gradient(other, 2, step, x)
		if !slices.Equal(l, other) {
			t.Fatalf("theorem 2, step %d: clients 1 and 3 get %v and %v", step, l, other)
		}
		for _, v := range l {
			if v != 0 && v != 1 {
				t.Fatalf("theorem 2, step %d: a coin shows %v", step, v)
			}
			ones += v
		}
		three.Gradient(l, 1, step, x)
		want := []float64{0, 0, 0, 0, 0}
		if step > horizon-3 {
			want = []float64{1, 0, 1, 1, 1}
		}
		if !slices.Equal(l, want) {
			t.Fatalf("theorem 3, step %d: %v, want %v", step, l, want)
		}
		zero.Gradient(l, 1, step, x)
		if l[3] != 0 || slices.Contains(l[:3], 0) {
			t.Fatalf("uniform-zero, step %d: %v", step, l)
		}
	}
	// 200 fair coins have mean 100 and standard deviation 7.1: beyond 6 of them
	// with chance 2e-9.
	if math.Abs(ones-100) > 6*math.Sqrt(200)/2 {
		t.Errorf("theorem 2: %v ones of 200", ones)
	}
}

// Means of losses over 3 clients and 4,000 steps are within 6 standard errors,
// at most 0.5/sqrt(12000), of those stated: false with chance 2e-9 each of 20.
func TestLossesHaveTheirMeans(t *testing.T) {
	const steps = 4000
	tolerance := 6 * 0.5 / math.Sqrt(clients*steps)
	for name, test := range map[string]struct {
		a    *experts.Adversary
		want []float64
	}{
		"bernoulli":    {must(experts.NewLinear(experts.LinearOptions{Gap: 0.3, Expert: 2}, clients, dim)), []float64{0.5, 0.2, 0.5, 0.5, 0.5}},
		"uniform":      {must(experts.NewLinear(experts.LinearOptions{Gap: 0.3, Expert: 2, Law: experts.Uniform}, clients, dim)), []float64{0.5, 0.2, 0.5, 0.5, 0.5}},
		"uniform-zero": {must(experts.NewUniformZero(experts.UniformZeroOptions{Expert: 1}, clients, dim)), []float64{0, 0.5, 0.5, 0.5, 0.5}},
	} {
		in := must(test.a.Draw(8, steps))
		sum := make([]float64, dim)
		add(test.a.Model, in, sum, steps)
		for n := range sum {
			if mean := sum[n] / (clients * steps); math.Abs(mean-test.want[n]) > tolerance {
				t.Errorf("%s: expert %d has mean %v, want %v", name, n+1, mean, test.want[n])
			}
		}
	}
}

// With no variance the class distribution is known: the softmax of the means,
// here uniform, so that every class loses log d in the order linear in x; a
// clip below cuts it off.
func TestGaussianSoftmaxInClosedForm(t *testing.T) {
	o := experts.DefaultGaussianSoftmaxOptions()
	o.Means, o.Variances = [2]float64{3, 3}, [2]float64{}
	in := must(must(experts.NewGaussianSoftmax(o, 1, dim)).Draw(1, 1))
	x := []float64{0, 1, 0, 0, 0}
	if got := in.Loss(0, 1, x); math.Abs(got-math.Log(dim)) > 1e-12 {
		t.Errorf("loss %v, want log 5", got)
	}
	o.Clip = 1.5
	in = must(must(experts.NewGaussianSoftmax(o, 1, dim)).Draw(1, 1))
	if got := in.Loss(0, 1, x); got != 1.5 {
		t.Errorf("clipped loss %v, want 1.5", got)
	}
	o.Loss, o.Floor = experts.Usual, 0.02
	in = must(must(experts.NewGaussianSoftmax(o, 1, dim)).Draw(1, 1))
	want := -(math.Log(0.9+0.02) + 4*math.Log(0.02)) / dim
	if got := in.Loss(0, 1, x); math.Abs(got-want) > 1e-12 {
		t.Errorf("usual order: loss %v, want %v", got, want)
	}
}

// Clients, steps, experts and seeds have numbers of their own.
func TestStreamsAreApart(t *testing.T) {
	for name, a := range adversaries() {
		if name == "table" || name == "one-select" || strings.HasPrefix(name, "theorem") {
			continue
		}
		one, two := must(a.Draw(1, horizon)), must(a.Draw(2, horizon))
		x := []float64{0.2, 0.2, 0.2, 0.2, 0.2}
		sum := func(in *experts.Instance, client messages.NodeID, from int) (list []float64) {
			for step := from; step < from+20; step++ {
				list = append(list, in.Loss(client, step, x))
			}
			return list
		}
		base := sum(one, 0, 1)
		if slices.Equal(base, sum(two, 0, 1)) || slices.Equal(base, sum(one, 1, 1)) || slices.Equal(base, sum(one, 0, 2)) {
			t.Errorf("%s: another seed, client or step has the same losses", name)
		}
		if longer := must(a.Draw(1, 2*horizon)); !slices.Equal(base, sum(longer, 0, 1)) {
			t.Errorf("%s: the horizon changes the losses", name)
		}
	}
}

func TestTableIsRead(t *testing.T) {
	rows := [][]float64{{0, 0.1}, {0.2, 0.3}, {0.4, 0.5}, {0.6, 1}}
	a := must(experts.NewTable(rows, 2))
	in := must(a.Draw(1, 2))
	l := make([]float64, 2)
	for r, row := range rows {
		in.Gradient(l, messages.NodeID(r/2), r%2+1, l)
		if !slices.Equal(l, row) {
			t.Errorf("row %d reads %v, want %v", r+1, l, row)
		}
	}
	for want, do := range map[string]func() error{
		"table: 3 rows do not divide among 2 clients":                          func() error { _, err := experts.NewTable(rows[:3], 2); return err },
		"table: client 2, step 1: 1 losses, the first row has 2":               func() error { _, err := experts.NewTable([][]float64{{0, 0}, {1}}, 2); return err },
		"table: client 1, step 2: the loss of expert 1 is 1.5, outside [0, 1]": func() error { _, err := experts.NewTable([][]float64{{0}, {1.5}}, 1); return err },
		"draw table: horizon is 3 steps, the table has 2 a client":             func() error { _, err := a.Draw(1, 3); return err },
		"draw table: horizon is 0 steps, want at least 1":                      func() error { _, err := a.Draw(1, 0); return err },
		"uniform-zero: 0 clients, want 1 to 2147483646":                        func() error { _, err := experts.NewUniformZero(experts.UniformZeroOptions{}, 0, 1); return err },
		"expert: is 3, want 1 to 2, or 0 to draw it for each seed": func() error {
			_, err := experts.NewUniformZero(experts.UniformZeroOptions{Expert: 3}, 1, 2)
			return err
		},
		"gap: is 0.6, want a number in [0, 0.5]":      func() error { _, err := experts.NewLinear(experts.LinearOptions{Gap: 0.6}, 1, 2); return err },
		`law: is "normal", want bernoulli or uniform`: func() error { _, err := experts.NewLinear(experts.LinearOptions{Law: "normal"}, 1, 2); return err },
		"epsilon: is 0, want a finite number above 0": func() error { _, err := experts.NewLowerBound3(experts.LowerBound3Options{}, 1, 2); return err },
		"floor: is 0.01, want a number in (0, 1/100)": func() error { _, err := experts.NewGaussianSoftmax(usual(), 1, 100); return err },
		"variances: is [-1 1], want two finite numbers of at least 0, the larger last": func() error {
			o := usual()
			o.Variances[0] = -1
			_, err := experts.NewGaussianSoftmax(o, 1, 2)
			return err
		},
	} {
		if err := do(); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Reg(t, m) against its definition, summed the long way, and what it refuses.
func TestRegretIsItsDefinition(t *testing.T) {
	for name, a := range adversaries() {
		drawn := must(a.Draw(4, horizon))
		in := experts.LossesOf(drawn)
		points := []int{1, 7, 8, horizon}
		best := must(drawn.Hindsight(points))
		tally := must(experts.NewTally(in, clients, points))
		for _, v := range must(tally.Regret(best)) {
			if !math.IsNaN(v) {
				t.Errorf("%s: regret of nothing: %v", name, v)
			}
		}
		paid := make([]float64, horizon+1) // up to a step, over clients
		for step := 1; step <= horizon; step++ {
			paid[step] = paid[step-1]
			for i := 1; i <= clients; i++ {
				x := make([]float64, dim)
				x[(step*i)%dim] = 1
				tally.Played(messages.NodeID(i), step, x)
				paid[step] += in.Loss(messages.NodeID(i), step, x)
			}
		}
		restored := must(experts.NewTally(in, clients, points))
		if err := messages.Read(messages.Write(nil, tally), restored); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := must(restored.Regret(best))
		for k, point := range points {
			smallest, lowest := math.Inf(1), 0
			if !a.Linear {
				smallest = best.Loss[k] // TestHindsightIsBest
			}
			for n := range dim {
				x, total := make([]float64, dim), 0.0
				x[n] = 1
				for step := 1; step <= point; step++ {
					for i := 1; i <= clients; i++ {
						total += in.Loss(messages.NodeID(i), step, x)
					}
				}
				if total < smallest && a.Linear {
					lowest = n + 1
				}
				smallest = min(smallest, total)
			}
			if a.Linear && best.Expert[k] != lowest {
				t.Errorf("%s: expert %d is the best at %d, want %d", name, best.Expert[k], point, lowest)
			}
			if want := (paid[point] - smallest) / clients; math.Abs(got[k]-want) > 1e-9 {
				t.Errorf("%s: Reg(%d, %d) = %v, want %v", name, point, clients, got[k], want)
			}
		}
		if _, err := tally.Regret(&experts.Best{Loss: best.Loss[:1]}); err == nil {
			t.Errorf("%s: best losses of other points are taken", name)
		}
	}
	if _, err := (*experts.Instance)(nil).Hindsight([]int{3, 3}); err == nil || err.Error() != "point 2 of the list is step 3, want more than 3" {
		t.Errorf("points twice: %v", err)
	}
}

// Out of range is a broken invariant.
func TestInstancesPanicOutOfRange(t *testing.T) {
	in := must(adversaries()["linear"].Draw(1, horizon))
	for name, do := range map[string]func(){
		"server":    func() { in.Loss(-1, 1, make([]float64, dim)) },
		"client":    func() { in.Loss(clients, 1, make([]float64, dim)) },
		"step":      func() { in.Loss(0, horizon+1, make([]float64, dim)) },
		"dimension": func() { in.Gradient(make([]float64, dim+1), 0, 1, make([]float64, dim)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s out of range: no panic", name)
				}
			}()
			do()
		}()
	}
}
