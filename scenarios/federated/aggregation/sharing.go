package aggregation

import (
	"fmt"
	"math"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/messages/compression"
	"starling/scenarios/auditing"
	"starling/scenarios/document"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
	"starling/scenarios/section/mechanisms"
)

// The purposes of the draws of clients.
var (
	sharePurpose = rng.PurposeOf("federated.shares")
	dropPurpose  = rng.PurposeOf("federated.dropouts")
)

// Sharing is the noise of clients on their messages, and its loss. It is immutable, and shared
// by all machines of a run.
type Sharing struct {
	*Keys
	of Vectors
	// Noise of a message is one of these: a share of the noise of a sum, the same on a grid,
	// or noise of its own.
	shares   *noise.Shares
	discrete *noise.DiscreteShares
	own      noise.Additive
	delta    float64 // of one shuffled batch
	// total returns the epsilon of all rounds of a client, each with the same loss.
	total func(of accountant.Loss) (float64, error)
	// paid is the payment of a client for a message: its loss to the server.
	paid accountant.Loss
	// dropouts, unless nil, is the seed of the dropouts, whatever the seed of the run.
	dropouts *uint64
	// hidden means that a shuffled batch is known to be more private than its messages.
	hidden bool
	// weights are the weights of the messages of clients, from 0; nil means 1.
	weights []float64
}

// Vectors describes the vectors of clients in the rounds of a run.
type Vectors struct {
	Clip     float64 // the largest 2-norm
	Length   int
	Expected float64 // vectors in a sum, in the mean
	// Rule is the rule of participation, and Most the largest participation in all rounds.
	Rule *Participation
	Most factorization.Participation
	// Calendar has the rounds.
	Calendar *Calendar
	// Factors are the scales of the noise of clients, from 0, over the scale of the mechanism; nil
	// means that all are alike.
	Factors []float64
	// Clips are the bounds on the 2-norms of the vectors of clients, from 0, in sums of shares; nil means
	// Clip.
	Clips []float64
	// Open means that the model of a round may show one of its messages: it is not made of
	// their sum, or some of them follow from others.
	Open bool
	// Liars are the clients that may send anything, ascending: their noise hides nobody.
	Liars []messages.NodeID
}

// Share makes the noise of clients by a mechanism. All losses are at the mechanism's Delta.
// The error comes from the keys.
func Share(keys *Keys, by *mechanisms.Sums, of Vectors) (*Sharing, error) {
	s, scale := Sharing{Keys: keys, of: of}, by.Sigma*of.Clip
	switch {
	case !by.Private():
	case by.Owned():
		s.own = by.Noise(noise.MovesL2(of.Clip, of.Length))
	case keys.Kind == Shuffle:
		s.own = noise.Additive{Law: noise.GaussianLaw, Scale: scale}
	case keys.Shares == DiscreteShares:
		on, err := noise.SharesOnGrid(scale, keys.Least(), *keys.Granularity*of.Clip, of.Clip, of.Length, *keys.Bits)
		if err != nil {
			return nil, document.At("aggregation.granularity", "%v", err)
		}
		s.discrete = &on
	default:
		s.shares = &noise.Shares{Scale: scale, Survivors: keys.Least()}
	}
	s.delta = by.Delta / float64(2*max(1, of.Most.Times))
	s.total = func(loss accountant.Loss) (float64, error) {
		var total accountant.Total
		total.AddTimes(loss, of.Most.Times)
		return ledger.EpsilonOf(total, by.Delta, by.Accountant)
	}
	s.weights = s.weigh()
	priced, err := s.priced()
	if err != nil {
		return nil, document.At("aggregation", "%v", err)
	}
	return priced, nil
}

// During returns the noise in rounds of a calendar. nil is none.
func (s *Sharing) During(calendar *Calendar) *Sharing {
	if s == nil || s.of.Calendar == calendar {
		return s
	}
	own := *s
	own.of.Calendar = calendar
	return &own
}

// Private reports whether there is noise.
func (s *Sharing) Private() bool {
	return s.shares != nil || s.discrete != nil || s.own != noise.Additive{}
}

// moves is the distance that a client moves its message. In a shuffled batch any other vector
// replaces its vector; otherwise zeros do.
func (s *Sharing) moves() noise.Moves {
	if s.Kind == Shuffle {
		return noise.MovesL2(2*s.of.Clip, s.of.Length)
	}
	return noise.MovesL2(s.of.Clip, s.of.Length)
}

// Message is the loss to an observer that sees the message of a client by itself, of the client
// that loses the most.
func (s *Sharing) Message() accountant.Loss {
	switch {
	case s.of.Factors != nil:
		return s.MessageOf(s.dearest())
	case s.discrete != nil:
		return s.discrete.Among(1)
	case s.shares != nil:
		return s.shares.Among(1).Loss(s.longest())
	}
	return s.own.Loss(s.moves())
}

// round is the loss to an observer that sees no more of a round than the sum of the messages,
// or the shuffled batch. It knows all messages but unknown of them; unknown is at least 1 and
// counts the client's own. amplified means that the loss of a batch is not just the loss of a
// message.
func (s *Sharing) round(unknown int) (loss accountant.Loss, amplified bool, err error) {
	switch {
	case s.discrete != nil:
		return s.discrete.Among(unknown), false, nil
	case s.shares != nil:
		return s.shares.Among(unknown).Loss(s.longest()), false, nil
	case s.Kind != Shuffle || s.own.Scale == 0:
		return s.Message(), false, nil
	}
	var epsilon float64
	switch {
	case s.own.Law == noise.GaussianLaw:
		deviation := s.own.Scale / s.moves().L2
		epsilon, amplified, err = accountant.AmplifiedByShuffling(unknown, s.delta, func(delta float64) (float64, error) {
			return accountant.GaussianEpsilon(deviation, delta)
		})
	default:
		local := s.Message()
		if local != (accountant.Loss{Epsilon: local.Epsilon, Laplace: local.Laplace}) {
			return local, false, nil // the theorem is for an epsilon alone
		}
		batch := accountant.ShuffledBatch{Local: local.Epsilon, Messages: unknown}
		if epsilon, amplified, err = batch.Epsilon(s.delta); s.Bound == ClosedBound {
			epsilon, amplified, err = batch.ClosedForm(s.delta)
		}
	}
	if err != nil || !amplified {
		return s.Message(), false, err
	}
	return s.lesser(accountant.Loss{Epsilon: epsilon, Delta: s.delta})
}

// lesser is the loss of a batch, or of a message where that is less in all rounds: the loss of
// a message is known whole, and composes better than an epsilon and a delta.
func (s *Sharing) lesser(batch accountant.Loss) (loss accountant.Loss, amplified bool, err error) {
	together, err := s.total(batch)
	if err != nil {
		return loss, false, err
	}
	apart, err := s.total(s.Message())
	if err != nil || apart <= together {
		return s.Message(), false, err
	}
	return batch, true, nil
}

// priced returns the sharing with the payment of a client set.
func (s Sharing) priced() (*Sharing, error) {
	var err error
	if s.paid = s.Message(); s.Kind != Local {
		s.paid, s.hidden, err = s.round(s.Least())
	}
	return &s, err
}

// Scaled returns the noise times a factor, for audits, with its price.
func (s Sharing) Scaled(by float64) (*Sharing, error) {
	if s.shares != nil {
		scaled := *s.shares
		scaled.Scale *= by
		s.shares = &scaled
	}
	if s.discrete != nil {
		scaled := s.discrete.Scaled(by)
		s.discrete = &scaled
	}
	s.own.Scale *= by
	return s.priced()
}

// Drops reports whether a client that takes part in the round of a turn drops out of it.
func (s *Sharing) Drops(t *algorithm.Turn) bool {
	if s.dropouts != nil {
		return s.dropsOut(t.View.Self(), t.Step)
	}
	return s.Dropout > 0 && t.Rand(dropPurpose).Float64() < s.Dropout
}

// dropsOut reports whether a client drops out of a round, where dropouts are known.
func (s *Sharing) dropsOut(client messages.NodeID, round int) bool {
	var stream rng.Stream
	return stream.Open(rng.NewKey(*s.dropouts, dropPurpose), int(client), round, 0).Float64() < s.Dropout
}

// mostTried is the number of seeds of dropouts that DropAlike tries.
const mostTried = 256

// DropAlike returns the sharing with the same dropouts in all runs of a number of clients and
// rounds, for audits by observers that know the dropouts. It maximizes the rounds that are not
// aborted and have the client in them. It prefers seeds that leave at least half of the rounds
// so, and give some round one message less than it needs.
func (s Sharing) DropAlike(clients, rounds int, client messages.NodeID) *Sharing {
	most, best := -1, uint64(0)
	for seed := range uint64(mostTried) {
		s.dropouts = &seed
		there, short := 0, 0
		for round := 1; round <= rounds; round++ {
			left := 0
			for i := range clients {
				if !s.dropsOut(messages.NodeID(i+1), round) {
					left++
				}
			}
			if !s.dropsOut(client, round) && left >= s.Least() {
				there++
			}
			if left == s.Least()-1 {
				short++
			}
		}
		if short > 0 && 2*there >= rounds {
			there += rounds
		}
		if there > most {
			most, best = there, seed
		}
	}
	s.dropouts = &best
	return &s
}

// Release adds the noise of a client's message in place, once it is paid for. It marks, for
// measures, the entries of the message that were reduced by a modulus.
func (s *Sharing) Release(t *algorithm.Turn, v *messages.Vector) (accountant.Receipt, error) {
	x, r := v.Values, t.Rand(sharePurpose)
	switch {
	case s.discrete != nil:
		var reduced []messages.Reduced
		receipt, err := s.discrete.Release(x, r, t.Spend, func(entry int, times float64) {
			reduced = append(reduced, messages.Reduced{Entry: int32(entry), Times: times})
		})
		v.Reduces(reduced)
		return receipt, err
	case s.of.Factors != nil:
		return s.noiseOf(t.View.Self()).ReleaseAt(x, r, s.MessageOf(t.View.Self()), t.Spend)
	case s.shares != nil && s.Kind == Secure:
		return s.shares.Release(x, r, s.ClipOf(t.View.Self()), t.Spend)
	case s.shares != nil:
		return s.shares.Share().Release(x, r, s.of.Clip, t.Spend)
	}
	return s.own.ReleaseAt(x, r, s.paid, t.Spend)
}

// Encode encodes a message in its number of bits. It leaves a message without a grid as it is.
func (s *Sharing) Encode(v *messages.Vector) error {
	if s.discrete == nil {
		return nil
	}
	return v.Compress(compression.Whole{Bits: s.discrete.Bits}, &compression.Work{})
}

// Modular reports whether messages are whole numbers modulo a power of 2. It is false of nil.
func (s *Sharing) Modular() bool { return s != nil && s.discrete != nil }

// Decode turns a sum of messages on a grid into numbers, in place. reduced counts, by entry,
// how many times the modulus was taken off the messages. wrapped is the share of the entries
// with a wrong sum. Messages that are on no grid are left as they are, and ok is false.
func (s *Sharing) Decode(sum, reduced []float64) (wrapped float64, ok bool) {
	if !s.Modular() {
		return 0, false
	}
	return float64(s.discrete.Decode(sum, reduced)) / float64(len(sum)), true
}

// mostWraps is the largest share of the entries of a sum that may wrap round without a
// warning.
const mostWraps = 1e-3

// Wrapping is a warning that more entries of sums wrap round than may: by the noise alone, or
// with clipped vectors that agree, however evenly they are spread. It is empty where they do
// not.
func (s *Sharing) Wrapping() string {
	if s.discrete == nil {
		return ""
	}
	step, flat := s.discrete.Granularity, s.discrete.Flat(s.of.Expected)
	share, agreed := s.discrete.Wraps(s.of.Expected, 0), s.discrete.Wraps(s.of.Expected, flat)
	switch {
	case share > mostWraps:
	case agreed > mostWraps:
		return fmt.Sprintf("%s of the entries of sums wrap round where clipped vectors agree: %.6g of them add up to %.4g steps of the grid, %.4g an entry where they are spread evenly over %d, and sums modulo 2^%d hold %d to either side; more bits or a coarser grid hold more",
			about(agreed), s.of.Expected, s.of.Expected*s.of.Clip/step, flat, s.of.Length, s.discrete.Bits, 1<<(s.discrete.Bits-1))
	default:
		return ""
	}
	return fmt.Sprintf("%s of the entries of sums wrap round by the noise alone: its standard deviation on the sum of %.6g messages is %.4g steps of the grid, and sums modulo 2^%d hold %d to either side; the clipped vectors add up to %.4g steps; more bits or a coarser grid hold more",
		about(share), s.of.Expected, s.deviation(s.of.Expected)/step, s.discrete.Bits, 1<<(s.discrete.Bits-1), s.of.Expected*s.of.Clip/step)
}

// about is a share in words.
func about(share float64) string {
	if share > 0.99 {
		return "nearly all"
	}
	return fmt.Sprintf("about %.2g %%", 100*share)
}

// Loss implements Noise.
func (s *Sharing) Loss(step int) accountant.Loss {
	if !pays(s.of.Most, s.of.Calendar, step) {
		return accountant.Loss{}
	}
	return s.paid
}

// Bill implements Noise: a client pays for each of its messages.
func (s *Sharing) Bill(node messages.NodeID, step int, _ ledger.Moment) ledger.ExpectedPayment {
	if node == 0 || !s.of.Calendar.Has(step) {
		return ledger.ExpectedPayment{}
	}
	if s.of.Factors != nil {
		return ledger.Pays(s.MessageOf(node), 1, 1)
	}
	if s.clipped() {
		return ledger.Pays(s.among(node, s.Least()), 1, 1)
	}
	return ledger.Pays(s.paid, 1, 1)
}

// Drowning implements Noise.
func (s *Sharing) Drowning() (size, signal float64) {
	return s.deviation(s.of.Expected) * math.Sqrt(float64(s.of.Length)), s.of.Expected * s.of.Clip
}

// Metrics implements Noise.
func (s *Sharing) Metrics() metric.List {
	if s.discrete == nil {
		return metric.List{abortedRounds}
	}
	return metric.List{abortedRounds, wrappedEntries}
}

// Stated is the stated noise of a vector in an audit: the mean of a round, or a message where
// messages are seen.
func (s *Sharing) Stated(at auditing.Place) auditing.Noise {
	stated := auditing.Noise{Law: noise.GaussianLaw, Length: at.Length, Scale: s.deviation(1)}
	switch {
	case s.Kind != Secure:
	case at.Node > 0:
		return auditing.Noise{} // the noise of the sum is stated
	default:
		stated.Scale = s.deviation(float64(s.Least())) / s.of.Expected // or more
	}
	if s.own.Law != nil && s.own.Law != noise.GaussianLaw {
		stated.Law, stated.Scale = s.own.Law, s.own.Scale
	}
	if s.of.Factors != nil && at.Node > 0 {
		stated.Scale = s.noiseOf(at.Node).Scale
	}
	return stated
}

// deviation is about the standard deviation of the noise on the sum of a number of messages.
func (s *Sharing) deviation(messages float64) float64 {
	of := s.own.Deviation()
	switch {
	case s.discrete != nil:
		of = s.discrete.Deviation() / math.Sqrt(float64(s.Least()))
	case s.shares != nil:
		of = s.shares.Share().Scale
	}
	return of * s.strength() * math.Sqrt(messages)
}
