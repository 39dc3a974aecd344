package stream

import (
	"fmt"
	"math"

	"starling/mechanisms/portable"
)

// RegretBound are the constants of the bounds on regret that the paper proves:
// Lemma IV.9, Corollary IV.11 and Corollary IV.12, of the second version, or of
// the first. All are explicit: the caller has to know them, and for most problems they are
// unknown. None is a result of a run.
type RegretBound struct {
	Shape
	// PerRound is true if noise is on the average of each round, as in version 1 of the paper.
	// The rows are then its b^r in place of b^{r,t}.
	PerRound   bool
	Dim        int     // d
	LocalStep  float64 // eta
	GlobalStep float64 // eta_g

	Smoothness    float64 // L > 0, of every f_i^{r,t}
	GradientBound float64 // B_g >= 0, of every f_i^{r,t}
	// Alpha and Mu > 0 are the constants of Assumption IV.4 on the mean loss of a round; 1 and
	// mu for mu-strongly convex losses.
	Alpha, Mu float64
	// Sigma >= 0 is the constant of Assumption IV.3: 1 where the set of optima is convex, and
	// 0 where it is one point.
	Sigma float64

	// Scale is V_i >= 0, the standard deviation of the entries of every xi_i;
	// the paper's V^2 is V_i^2/n.
	Scale float64
	// RoundRows is ||B_R||_F^2, the sum over rounds of ||b^{r,tau-1}||^2.
	RoundRows float64
	// LargestRow is the largest ||b^{r,t}||^2.
	LargestRow float64

	// Start is ||x^0 - x*||^2, x* the projection of x^0 on the optima of all
	// data together.
	Start float64
	// Drift is C_R: the sum over rounds of the expected squared distance
	// between the projections of x^r on the optima of the round and of all
	// data together.
	Drift float64
}

// Step returns eta~ = eta eta_g tau.
func (b *RegretBound) Step() float64 {
	return float64(b.LocalStep * b.GlobalStep * float64(b.Tau))
}

// Validate reports the first constant for which the lemma does not hold.
func (b *RegretBound) Validate() error {
	if b.Learners < 1 || b.Rounds < 1 || b.Tau < 1 || b.Dim < 1 {
		return fmt.Errorf("regret bound: n = %d, R = %d, tau = %d, d = %d, want at least 1 of each", b.Learners, b.Rounds, b.Tau, b.Dim)
	}
	for _, c := range []struct {
		name     string
		value    float64
		positive bool
	}{
		{"eta", b.LocalStep, true},
		{"eta_g", b.GlobalStep, true},
		{"L", b.Smoothness, true},
		{"B_g", b.GradientBound, false},
		{"alpha", b.Alpha, true},
		{"mu", b.Mu, true},
		{"sigma", b.Sigma, false},
		{"V_i", b.Scale, false},
		{"||B_R||_F^2", b.RoundRows, false},
		{"max ||b||^2", b.LargestRow, false},
		{"||x^0 - x*||^2", b.Start, false},
		{"C_R", b.Drift, false},
	} {
		if !(c.value >= 0) || math.IsInf(c.value, 1) || c.positive && c.value == 0 {
			return fmt.Errorf("regret bound: %s = %v, want a finite number %s", c.name, c.value, map[bool]string{true: "> 0", false: ">= 0"}[c.positive])
		}
	}
	if most := b.Alpha / (8 * b.Smoothness); !(b.Step() <= most) {
		return fmt.Errorf("regret bound: eta~ = eta eta_g tau = %v, want at most alpha/(8 L) = %v", b.Step(), most)
	}
	return nil
}

// BoundTerms are the terms of a bound on regret, each divided by R tau.
type BoundTerms struct {
	Start float64 // of the initial error
	Noise float64 // of the noise at the ends of rounds
	Drift float64 // of C_R, the change of the environment
	Local float64 // of local steps away from x^r, and of their noise
}

// Sum returns the bound on the expected regret, divided by R tau.
func (t BoundTerms) Sum() float64 { return t.Start + t.Noise + t.Drift + t.Local }

// String returns the sum with its terms.
func (t BoundTerms) String() string {
	return fmt.Sprintf("%.4g = start %.4g + noise %.4g + drift %.4g + local steps %.4g", t.Sum(), t.Start, t.Noise, t.Drift, t.Local)
}

// square returns x^2.
func square(x float64) float64 { return float64(x * x) }

// variance returns V^2 = V_i^2/n.
func (b *RegretBound) variance() float64 { return b.Scale * b.Scale / float64(b.Learners) }

// roundNoise returns the variance d V^2 of the noise on the step of a round, for one unit of a
// row. The server divides the noise of a round by tau, except in version 1, where the noise is
// on an average already.
func (b *RegretBound) roundNoise() float64 {
	noise := float64(b.Dim) * b.variance()
	if b.PerRound {
		return noise
	}
	return noise / square(float64(b.Tau))
}

// away returns the bound on E||z^{r,t} - x^r||^2/eta^2, (22): local steps, and in version 2
// the noise in them.
func (b *RegretBound) away() float64 {
	steps := square(float64(b.Tau) * b.GradientBound)
	if b.PerRound {
		return steps
	}
	return float64(2*steps) + float64(8*b.LargestRow*float64(b.Dim)*float64(b.Learners)*b.variance())
}

// drift returns the term of C_R in the bounds on dynamic regret.
func (b *RegretBound) drift() float64 {
	return (float64(12*b.Smoothness) + float64(b.Alpha*b.Mu)) * b.Drift / (b.Alpha * b.Alpha * float64(b.Rounds))
}

// start returns the term of the initial error.
func (b *RegretBound) start() float64 {
	return b.Start / (b.Alpha * float64(b.Rounds) * b.Step())
}

// Dynamic returns Lemma IV.9, the bound on dynamic regret with noise by a matrix
// factorization. It fails where Validate does.
func (b *RegretBound) Dynamic() (BoundTerms, error) {
	if err := b.Validate(); err != nil {
		return BoundTerms{}, err
	}
	step, l, alpha := b.Step(), b.Smoothness, b.Alpha
	return BoundTerms{
		Start: b.start(),
		Noise: 24 * l * (1 + b.Sigma) * step * step / (alpha * alpha * float64(b.Rounds)) * b.RoundRows * b.roundNoise(),
		Drift: b.drift(),
		Local: (step + alpha/(12*l) + 1/b.Mu) / alpha * 2 * square(l*b.LocalStep) * b.away(),
	}, nil
}

// Independent returns the bound on dynamic regret with fresh noise of the same size on every
// input. Corollary IV.11 states its order; the bound is from the end of the proof. It fails
// where Validate does, and in version 2 for eta~ over 5 alpha/(48 L): the proof there has
// -eta~ alpha/2 where it then divides by eta~ alpha, and loses a factor of up to 2; with
// smaller steps it is right, since 2 eta~ + theta/2 is alpha/(4 L) at most.
func (b *RegretBound) Independent() (BoundTerms, error) {
	if err := b.Validate(); err != nil {
		return BoundTerms{}, err
	}
	step, alpha := b.Step(), b.Alpha
	local := 2 * square(b.Smoothness*b.LocalStep) / alpha
	terms := BoundTerms{Start: b.start(), Drift: b.drift()}
	if b.PerRound {
		terms.Noise = step / alpha * b.roundNoise()
		terms.Local = (step + 1/b.Mu) * local * b.away()
		return terms, nil
	}
	if most := 5 * alpha / (48 * b.Smoothness); step > most {
		return BoundTerms{}, fmt.Errorf("regret bound: eta~ = eta eta_g tau = %v, want at most 5 alpha/(48 L) = %v with independent noise", step, most)
	}
	tau, d, n := float64(b.Tau), float64(b.Dim), float64(b.Learners)
	terms.Noise = 2 * step * d / alpha * b.variance() / tau
	terms.Local = (float64(2*step) + 1/b.Mu) * 2 * local * (square(tau*b.GradientBound) + float64(tau*d*n*b.variance()))
	return terms, nil
}

// Static returns the bound on static regret of strongly convex losses. Corollary IV.12 states
// its order; the constants are from its proof: theta = eta~ ln(R tau), in version 1 eta~ ln R.
// Drift is C_R of that corollary, the sum of ||x* - x_r*||^2. It fails where Validate does,
// unless Alpha is 1, and where eta~ is over 1/(10 L ln(R tau)).
func (b *RegretBound) Static() (BoundTerms, error) {
	if err := b.Validate(); err != nil {
		return BoundTerms{}, err
	}
	releases := b.Steps()
	if b.PerRound {
		releases = b.Rounds
	}
	step, l, log := b.Step(), b.Smoothness, portable.Log(float64(releases))
	if b.Alpha != 1 {
		return BoundTerms{}, fmt.Errorf("regret bound: alpha = %v, want 1, as for strongly convex losses", b.Alpha)
	}
	if most := 1 / (10 * l * log); !(step <= most) || releases < 2 {
		return BoundTerms{}, fmt.Errorf("regret bound: eta~ = eta eta_g tau = %v, want at most 1/(10 L ln %d) = %v for static regret", step, releases, most)
	}
	theta, rounds := float64(step*log), float64(b.Rounds)
	return BoundTerms{
		Start: b.start(),
		Noise: step * step / (theta * rounds) * b.RoundRows * b.roundNoise(),
		Drift: 2 * l * l * (step + theta) * b.Drift / rounds,
		Local: (step + theta + 1/(2*b.Mu)) * 2 * square(l*b.LocalStep) * b.away(),
	}, nil
}

// PerStep returns the bound of Lemma IV.9 on the expected dynamic regret divided by R tau. It
// fails where Validate does.
func (b *RegretBound) PerStep() (float64, error) {
	terms, err := b.Dynamic()
	return terms.Sum(), err
}

// Total returns the bound on the expected dynamic regret of the whole run.
func (b *RegretBound) Total() (float64, error) {
	perStep, err := b.PerStep()
	return perStep * float64(b.Steps()), err
}
