package dpfl_test

import (
	"math"
	"testing"

	"starling/actors/algorithm/dpfl"
	"starling/mechanisms/accountant"
)

// hockey is the delta at which a number of equal local steps, and Gaussian releases of another
// kind whose means are apart by other standard deviations together, are epsilon-private where a
// record is added or removed: the integral of (p - e^epsilon q)+ over the noise of all steps, by
// the midpoint rule in up to two steps. A step of Gaussian noise sigma samples the record with a
// rate; other releases take it always, and are one normal variable.
func hockey(epsilon, sigma, rate float64, steps int, other float64) float64 {
	const cells, reach = 360, 8.0
	normal := func(x, mean, deviation float64) float64 {
		z := (x - mean) / deviation
		return math.Exp(-z*z/2) / (deviation * math.Sqrt(2*math.Pi))
	}
	type cell struct{ with, without float64 }
	line := make([]cell, cells)
	from, width := -reach*sigma, (1+2*reach*sigma)/cells
	for k := range line {
		x := from + (float64(k)+0.5)*width
		line[k] = cell{width * ((1-rate)*normal(x, 0, sigma) + rate*normal(x, 1, sigma)), width * normal(x, 0, sigma)}
	}
	all := []cell{{1, 1}}
	for range steps {
		var next []cell
		for _, a := range all {
			for _, b := range line {
				next = append(next, cell{a.with * b.with, a.without * b.without})
			}
		}
		all = next
	}
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	// (p a - e^epsilon q b)+ integrated over the normal variables a, b of means other and 0.
	positive := func(p, q float64) float64 {
		if other == 0 {
			return math.Max(p-math.Exp(epsilon)*q, 0)
		}
		level := epsilon + math.Log(q/p)
		return p*phi(other/2-level/other) - math.Exp(epsilon)*q*phi(-other/2-level/other)
	}
	var added, removed float64
	for _, c := range all {
		added += positive(c.with, c.without)
		removed += positive(c.without, c.with)
	}
	return math.Max(added, removed)
}

// epsilonOf is the epsilon at a delta, by bisection of hockey.
func epsilonOf(delta, sigma, rate float64, steps int, other float64) float64 {
	low, high := 0.0, 60.0
	for high-low > 1e-4 {
		if middle := (low + high) / 2; hockey(middle, sigma, rate, steps, other) > delta {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// What local steps and statistics cost, sampled or not, is the integral over what they release.
// Bounds by discrete losses are up to 0.002 of it above it, and the integral is as exact as 0.001.
func TestPriceByIntegration(t *testing.T) {
	const delta = 1e-5
	for name, test := range map[string]struct {
		o              dpfl.Options
		client, steps  int
		choices        int
		sigma, rate, m float64 // m: how far statistics are apart
	}{
		"one step of 6 of 30":     {fixed(), 0, 1, 0, 1.1, 0.2, 0},
		"two steps of 6 of 40":    {fixed(), 1, 2, 0, 1.1, 0.15, 0},
		"two steps of 6 of 24":    {fixed(), 2, 2, 0, 1.1, 0.25, 0},
		"a step, and a choice":    {adaptive(private), 1, 1, 1, 1.1, 0.15, math.Sqrt(2) / 4},
		"two steps, two choices":  {adaptive(private), 2, 2, 2, 1.1, 0.25, math.Sqrt(4) / 4},
		"a whole step":            {fixed(allData), 0, 1, 0, 1.1, 1, 0},
		"two whole steps, choice": {adaptive(private, allData), 0, 2, 1, 1.1, 1, math.Sqrt(2) / 4},
	} {
		want := epsilonOf(delta, test.sigma, test.rate, test.steps, test.m)
		total := dpfl.Accounted(&test.o, test.client, test.steps, test.choices).Accounted
		loss := test.o.StepsLoss(test.client, test.steps).Total()
		loss.Add(test.o.StatisticsLoss(test.client, test.choices))
		one, releases := test.o.StatisticsPrice(test.client)
		byOne := accountant.Total{}
		for range test.steps {
			byOne.Add(test.o.StepLoss(test.client))
		}
		for range releases * test.choices {
			byOne.Add(one)
		}
		for book, total := range map[string]*accountant.Total{"account": &total, "losses": &loss, "payments": &byOne} {
			if got := must(total.Epsilon(delta, accountant.PLD)); !(got > want*(1-1e-3) && got < want*(1+4e-3)) {
				t.Errorf("%s: the %s of client %d come to %v, want %v", name, book, test.client+1, got, want)
			}
		}
	}
}

// As many local steps are planned as a budget pays for, counted one by one: with Gaussian noise
// on all data by the closed form of a Gaussian mechanism, statistics set aside for every round
// but the first and the last, and with Laplace noise by the sum of sqrt(d) C/b.
func TestPlannedStepsByClosedForms(t *testing.T) {
	const delta = 1e-5
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	for limit := 4.0; limit <= 12; limit += 0.8 {
		for _, statistics := range []bool{false, true} {
			o := fixed(allData)
			square := 0.0
			if statistics {
				o = adaptive(private, allData)
				square = 2 * float64(o.Rounds-2) / (4 * 4)
			}
			o.Rounds = max(o.Rounds, 8)
			o.Budget = &dpfl.Budget{Epsilon: limit, Delta: delta, Method: accountant.PLD}
			want := 0
			for ; ; want++ {
				mu := math.Sqrt(square + float64(want+1)/(1.1*1.1))
				if phi(mu/2-limit/mu)-math.Exp(limit)*phi(-mu/2-limit/mu) > delta {
					break
				}
			}
			want = min(want, o.MostSteps())
			plan, err := dpfl.NewPlan(&o)
			if (err != nil) != (want == 0) || err == nil && min(plan.Steps, o.MostSteps()) != want {
				t.Errorf("budget %v, statistics %v: %d steps, %v; want %d", limit, statistics, plan.Steps, err, want)
			}
		}
		o := fixed(laplace)
		o.Budget = &dpfl.Budget{Epsilon: limit, Method: accountant.PLD}
		one := math.Sqrt(6) * 0.4 / 1.5
		if plan, err := dpfl.NewPlan(&o); err != nil || plan.Steps != int(limit/one) {
			t.Errorf("budget %v, Laplace noise: %d steps, %v; want %d", limit, plan.Steps, err, int(limit/one))
		}
	}
}
