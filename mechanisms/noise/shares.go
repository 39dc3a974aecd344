package noise

import (
	"fmt"
	"math"

	"starling/mechanisms/accountant"
	"starling/mechanisms/rng"
)

// Shares is Gaussian noise that several parties add to their messages, where observers see
// only a sum of these messages. The sum of Survivors messages has noise of the law N(0,
// Scale^2) on every entry, and one of more messages has more.
type Shares struct {
	// Scale is sigma >= 0 of the sum of Survivors shares, in the unit of the entries. 0 adds
	// nothing.
	Scale float64
	// Survivors is the least number of messages of a sum, at least 1. A sum of fewer must stay
	// secret.
	Survivors int
}

// Validate refuses a scale that Gaussian refuses, and no survivors.
func (s Shares) Validate() error {
	if s.Survivors < 1 {
		return fmt.Errorf("shares of %d messages; want at least 1", s.Survivors)
	}
	return Gaussian{s.Scale}.Validate()
}

// Share is the noise of one message: sigma/sqrt(Survivors).
func (s Shares) Share() Gaussian { return s.Among(1) }

// Among is the noise of the sum of so many shares: it remains against an observer that knows
// the other shares.
func (s Shares) Among(shares int) Gaussian {
	return Gaussian{s.Scale * math.Sqrt(float64(shares)/float64(s.Survivors))}
}

// Loss is the cost of a sum of Survivors messages or more to which one party adds a vector of
// 2-norm at most sensitivity, or zeros in its place: rho = sensitivity^2/(2 sigma^2).
func (s Shares) Loss(sensitivity float64) accountant.Loss {
	return Gaussian{s.Scale}.Loss(sensitivity)
}

// Release adds one share to x in place, after pay has accepted the loss of the sum, as
// Gaussian.Release does.
func (s Shares) Release(x []float64, r *rng.Rand, sensitivity float64, pay func(accountant.Loss) error) (accountant.Receipt, error) {
	if err := s.Validate(); err != nil {
		return accountant.Receipt{}, err
	}
	return s.Share().release(x, r, s.Loss(sensitivity), pay)
}
