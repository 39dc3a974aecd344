package dpfl

import (
	"fmt"
	"math"
	"sort"

	"starling/actors/option"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
)

// The protected unit is one sample of one client, and neighbours differ by adding or removing
// it: it moves a sum of clipped gradients by at most C. |D_i| counts as public. Replacing it
// moves the sum by up to 2C; the loss of that is converted from the losses of adding or
// removing (accountant.Total.ReplaceEpsilon).
//
// A local step is one release of the sampled Gaussian mechanism, or, over all data of a
// client, of noise of a law or of one input of a stream of correlated noise. A round's
// model is a function of its tau steps, which compose. A projection on a set is a function of
// releases.

// Unlimited is the number of local steps of a plan without a budget.
const Unlimited = math.MaxInt

// Plan is the part of a run that the options settle before it begins.
type Plan struct {
	// Steps is how many local steps the privacy budget pays for at the client
	// that reaches it first; Unlimited without a budget, and where one pays for the
	// correlated noise of the whole run. It is R_c, the rounds
	// that the budget allows at tau = 1.
	Steps int
	// Client is the client that reaches the budget first, from 1; 0 without a budget. Epsilon
	// is the loss of Steps for it, with private statistics for every choice of tau, and is
	// within the budget. Statistics as printed are no part of it, as in the paper.
	Client  int
	Epsilon float64
}

// NewPlan returns the plan of the options. It returns the errors of Validate, and an error for
// a budget that pays for no local step. Private statistics are planned for in every round that
// could have them: their cost is set aside first.
func NewPlan(o *Options) (Plan, error) {
	if err := o.Validate(); err != nil {
		return Plan{}, err
	}
	plan := Plan{Steps: Unlimited}
	if o.Budget == nil {
		return plan, nil
	}
	type affordable struct {
		steps   int
		epsilon float64
	}
	known := map[[2]int]affordable{} // by sizes, as clients are often alike
	for i := range o.Clients {
		key := [2]int{o.Clients[i].Size(), o.statisticsSize(i)}
		a, ok := known[key]
		if !ok {
			var err error
			if a.steps, a.epsilon, err = o.affordable(i); err != nil {
				return Plan{}, option.At("budget", err)
			}
			known[key] = a
		}
		if a.steps < plan.Steps || plan.Client == 0 {
			plan = Plan{Steps: a.steps, Client: i + 1, Epsilon: a.epsilon}
		}
	}
	if plan.Steps == 0 {
		return Plan{}, option.Errorf("budget", "the budget epsilon = %v at delta = %v pays for no local step of client %d", o.Budget.Epsilon, o.Budget.Delta, plan.Client)
	}
	return plan, nil
}

// affordable is how many local steps of a client, 0 .. N-1, the budget pays for beside the
// statistics, and the loss of all of these together.
func (o *Options) affordable(i int) (steps int, epsilon float64, err error) {
	b := o.Budget
	statistics := o.StatisticsLoss(i, o.choices())
	if !b.Before.Private() {
		return 0, 0, fmt.Errorf("the start is not private, and no budget limits it")
	}
	if !statistics.Private() {
		statistics = accountant.Loss{} // no part of the plan
	}
	var by accountant.Converter
	cost := func(steps int) float64 {
		total := b.Before.Clone()
		total.Add(statistics)
		o.addSteps(&total, i, steps)
		epsilon, failure := by.EpsilonOf(o.Neighbours, &total, b.Delta, b.Method)
		if failure != nil {
			err = failure
		}
		return epsilon
	}
	most := o.MostSteps()
	switch {
	case o.Noise.Once():
		if epsilon = cost(most); epsilon <= b.Epsilon {
			return Unlimited, epsilon, err
		}
		return 0, epsilon, err
	case !o.owned():
		most, epsilon, _, err = o.StepLoss(i).Sampled.StepsWithin(b.Epsilon, b.Delta, b.Method)
		if err != nil || o.Neighbours != accountant.Replace && statistics == (accountant.Loss{}) && b.Before.Equal(&accountant.Total{}) {
			return most, epsilon, err
		}
	}
	steps = sort.Search(most, func(k int) bool { return cost(k+1) > b.Epsilon })
	epsilon = cost(steps)
	return steps, epsilon, err
}

// choices is the number of rounds in which tau can be chosen.
func (o *Options) choices() int {
	if o.Adaptive == nil {
		return 0
	}
	return max(0, o.Rounds-2)
}

// batch is B of a client, 0 .. N-1.
func (o *Options) batch(i int) float64 {
	if o.Batch == 0 {
		return float64(o.Clients[i].Size())
	}
	return float64(o.Batch)
}

// rate is q = B/|D_i| of a client, 0 .. N-1.
func (o *Options) rate(i int) float64 { return o.batch(i) / float64(o.Clients[i].Size()) }

// moves is the amount by which a sample that is added or removed moves a sum: by C in 2-norm.
func (o *Options) moves() noise.Moves { return noise.MovesL2(o.Clip, len(o.Start)) }

// StepLoss is the loss that a client, 0 .. N-1, pays for one local step. Noise that is paid for
// once is paid for all steps.
func (o *Options) StepLoss(i int) accountant.Loss { return o.Noise.At(o.rate(i)).Loss() }

// addSteps adds the loss of the given number of local steps of a client, 0 .. N-1.
func (o *Options) addSteps(to *accountant.Total, i, steps int) {
	if o.Noise.Once() {
		steps = min(steps, 1)
	}
	to.AddTimes(o.StepLoss(i), steps)
}

// StepsLoss is the loss of the given number of local steps of a client, 0 .. N-1, as one loss.
func (o *Options) StepsLoss(i, steps int) accountant.Loss {
	if o.Noise.Once() {
		steps = min(steps, 1)
	}
	loss := o.StepLoss(i)
	if !loss.Private() {
		return loss
	}
	n := float64(steps)
	return accountant.Loss{
		Epsilon: n * loss.Epsilon, Delta: n * loss.Delta, Laplace: n * loss.Laplace, Rho: n * loss.Rho, Concentrated: n * loss.Concentrated,
		Sampled: accountant.SampledGaussian{Rate: loss.Sampled.Rate, Noise: loss.Sampled.Noise, Steps: steps * loss.Sampled.Steps},
	}
}

// releasesAChoice is how often a client sends statistics for one choice of tau:
// rho_i and beta_i together, and its gradient.
const releasesAChoice = 2

// noise is the noise of private statistics of samples at a rate. One sample moves them by 1.
func (a *Adaptive) noise(rate float64) noise.Released { return noise.OnSamples(a.Sigma, 1).At(rate) }

// StatisticsLoss is the cost of a client's statistics, 0 .. N-1, for a number of
// choices of tau.
func (o *Options) StatisticsLoss(i, choices int) accountant.Loss {
	if o.Adaptive == nil || choices == 0 {
		return accountant.Loss{}
	}
	switch a := o.Adaptive; a.Statistics {
	case AsPrinted:
		return accountant.NotPrivate()
	case Private:
		loss := a.noise(o.statisticsRate(i)).Loss()
		loss.Sampled.Steps = releasesAChoice * choices
		return loss
	}
	return accountant.Loss{}
}

// StatisticsPrice is the loss that a client, 0 .. N-1, pays for one release of its statistics,
// and the number of releases for one choice of tau.
func (o *Options) StatisticsPrice(i int) (loss accountant.Loss, releases int) {
	if loss = o.StatisticsLoss(i, 1); loss == (accountant.Loss{}) {
		return loss, 0
	}
	if loss.Private() {
		loss.Sampled.Steps /= releasesAChoice
	}
	return loss, releasesAChoice
}

// Account is the privacy loss of one sample of a client, by observer.
type Account struct {
	Claimed accountant.Total // the local steps, which Theorem 3 covers
	// Accounted is for every observer: the wire, the server, other clients and the public all
	// see models, and the tau that statistics decide.
	Accounted accountant.Total
}

// Accounted is the account of a client, 0 .. N-1, after a number of local steps
// and of choices of tau.
func Accounted(o *Options, i, steps, choices int) Account {
	var a Account
	o.addSteps(&a.Claimed, i, steps)
	a.Accounted = a.Claimed.Clone()
	a.Accounted.Add(o.StatisticsLoss(i, choices))
	return a
}

// Warnings are notes on the claim for readers of results.
func Warnings(o *Options) []string {
	a := o.Adaptive
	if a == nil {
		return nil
	}
	var list []string
	switch {
	case o.choices() == 0:
		list = append(list, fmt.Sprintf("in %d rounds tau is never chosen, and stays 1: the first choice is made after round 2, and none after the last", o.Rounds))
	case a.Statistics == AsPrinted:
		list = append(list, "rho_i, beta_i and gradients are sent as they are, which Theorem 3 does not cover: nothing is private")
	case a.Statistics == Private && o.Budget != nil:
		list = append(list, fmt.Sprintf("the budget sets aside the statistics of all %d choices of tau before it pays for local steps", o.choices()))
	}
	return list
}
