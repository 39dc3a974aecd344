package aggregation

import (
	"fmt"
	"math"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/mechanisms/accountant/shuffling"
	"starling/mechanisms/factorization"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/messages/compression"
	"starling/scenarios/auditing"
	"starling/scenarios/document"
	"starling/scenarios/federated/participation"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
	"starling/scenarios/section/mechanisms"
)

// The purposes of what clients draw.
var (
	sharePurpose = rng.PurposeOf("federated.shares")
	dropPurpose  = rng.PurposeOf("federated.dropouts")
)

// Sharing is the noise of clients on what they send, and what it costs. It is immutable, and
// shared by all machines of a run.
type Sharing struct {
	*Keys
	of Vectors
	// Noise of a message is one of these: a share of the noise of a sum, the same on a grid,
	// or noise of its own.
	shares   *noise.Shares
	discrete *noise.DiscreteShares
	own      noise.Additive
	delta    float64 // of one shuffled batch
	// total turns the losses of all rounds of a client into an epsilon, each so much.
	total func(of accountant.Loss) (float64, error)
	// paid is what a client pays for a message: what the server learns by it.
	paid accountant.Loss
	// dropouts, unless it is nil, is the seed of who drops out, whatever that of the run.
	dropouts *uint64
	// hidden tells that a shuffled batch is known to be more private than its messages.
	hidden bool
}

// Vectors are what clients send in the rounds of a run.
type Vectors struct {
	Clip     float64 // the most of their 2-norm
	Length   int
	Expected float64 // how many a sum has in the mean
	// Rule is who takes part, and Most how often that can be in all rounds.
	Rule *participation.Rule
	Most factorization.Participation
	// Open tells that what is made of the messages of a round may show one of them: it is not
	// their sum, or some of them follow from others.
	Open bool
	// Liars are the clients that may send anything, ascending: their noise hides nobody.
	Liars []messages.NodeID
}

// Share makes the noise of clients by a mechanism, whose Delta is that of all losses. The
// error is that of its keys.
func Share(keys *Keys, by *mechanisms.Sums, of Vectors) (*Sharing, error) {
	s, scale := Sharing{Keys: keys, of: of}, by.Sigma*of.Clip
	switch {
	case !by.Private():
	case by.Laplace > 0:
		s.own = noise.Additive{Law: noise.LaplaceLaw, Scale: by.Laplace * noise.MovesL2(of.Clip, of.Length).L1}
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
	priced, err := s.priced()
	if err != nil {
		return nil, document.At("aggregation", "%v", err)
	}
	return priced, nil
}

// Private tells whether there is noise.
func (s *Sharing) Private() bool {
	return s.shares != nil || s.discrete != nil || s.own != noise.Additive{}
}

// moves is how far a client moves what it sends; of a shuffled batch where its vector is any
// other in its place, and else where that is zeros.
func (s *Sharing) moves() noise.Moves {
	if s.Kind == Shuffle {
		return noise.MovesL2(2*s.of.Clip, s.of.Length)
	}
	return noise.MovesL2(s.of.Clip, s.of.Length)
}

// Message is the loss of who sees the message of a client by itself.
func (s *Sharing) Message() accountant.Loss {
	switch {
	case s.discrete != nil:
		return s.discrete.Among(1)
	case s.shares != nil:
		return s.shares.Among(1).Loss(s.of.Clip)
	}
	return s.own.Loss(s.moves())
}

// round is the loss of who sees of a round no more than the sum of the messages, or the
// shuffled batch, and knows all messages but so many of them, at least 1 and that of the
// client among them. amplified is false of a batch where it is that of a message.
func (s *Sharing) round(unknown int) (loss accountant.Loss, amplified bool, err error) {
	switch {
	case s.discrete != nil:
		return s.discrete.Among(unknown), false, nil
	case s.shares != nil:
		return s.shares.Among(unknown).Loss(s.of.Clip), false, nil
	case s.Kind != Shuffle || s.own.Scale == 0:
		return s.Message(), false, nil
	}
	var epsilon float64
	switch {
	case s.own.Law == noise.GaussianLaw:
		deviation := s.own.Scale / s.moves().L2
		epsilon, amplified, err = shuffling.Amplified(unknown, s.delta, func(delta float64) (float64, error) {
			return accountant.GaussianEpsilon(deviation, delta)
		})
	default:
		batch := shuffling.Batch{Local: s.Message().Epsilon, Messages: unknown}
		if epsilon, amplified, err = batch.Epsilon(s.delta); s.Bound == ClosedBound {
			epsilon, amplified, err = batch.ClosedForm(s.delta)
		}
	}
	if err != nil || !amplified {
		return s.Message(), false, err
	}
	return s.lesser(accountant.Loss{Epsilon: epsilon, Delta: s.delta})
}

// lesser is the loss of a batch, or that of a message where that is less in all rounds: it is
// known whole, and adds up better than an epsilon and a delta do.
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

// priced is the sharing with what a client pays.
func (s Sharing) priced() (*Sharing, error) {
	var err error
	if s.paid = s.Message(); s.Kind != Local {
		s.paid, s.hidden, err = s.round(s.Least())
	}
	return &s, err
}

// Scaled is the noise times a factor, for audits, with its price.
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

// Drops tells whether a client that takes part in the round of a turn drops out of it.
func (s *Sharing) Drops(t *algorithm.Turn) bool {
	if s.dropouts != nil {
		return s.dropsOut(t.View.Self(), t.Step)
	}
	return s.Dropout > 0 && t.Rand(dropPurpose).Float64() < s.Dropout
}

// dropsOut tells whether a client drops out of a round, where who does so is known.
func (s *Sharing) dropsOut(client messages.NodeID, round int) bool {
	var stream rng.Stream
	return stream.Open(rng.NewKey(*s.dropouts, dropPurpose), int(client), round, 0).Float64() < s.Dropout
}

// mostTried is how many seeds of dropouts are tried.
const mostTried = 256

// DropAlike is the sharing with the same dropouts in all runs of so many clients and rounds, for
// audits of who knows them: as many rounds as can be are not aborted and have a client in them
// and, where that leaves half of them, some have one message less than they need.
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

// Release adds the noise of a client's message in place, once it is paid for. The message
// tells measures which of its entries were reduced by a modulus.
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
	case s.shares != nil && s.Kind == Secure:
		return s.shares.Release(x, r, s.of.Clip, t.Spend)
	case s.shares != nil:
		return s.shares.Share().Release(x, r, s.of.Clip, t.Spend)
	}
	return s.own.ReleaseAt(x, r, s.paid, t.Spend)
}

// Encode has a message cross wires in as many bits as it has. One whose entries are on no grid
// stays as it is.
func (s *Sharing) Encode(v *messages.Vector) error {
	if s.discrete == nil {
		return nil
	}
	return v.Compress(compression.Whole{Bits: s.discrete.Bits}, &compression.Work{})
}

// Modular tells whether messages are whole numbers modulo a power of 2; nil is not.
func (s *Sharing) Modular() bool { return s != nil && s.discrete != nil }

// Decode makes numbers of a sum of messages on a grid, in place. reduced is how many times the
// modulus was taken off each entry of the messages. wrapped is the share of the entries that
// are off what was to be summed up. Messages that are on no grid are left as they are; false
// of them.
func (s *Sharing) Decode(sum, reduced []float64) (wrapped float64, ok bool) {
	if !s.Modular() {
		return 0, false
	}
	return float64(s.discrete.Decode(sum, reduced)) / float64(len(sum)), true
}

// mostWraps is the share of the entries of a sum that may wrap round.
const mostWraps = 1e-3

// Wrapping says that more entries of sums wrap round than may: by the noise alone, or with
// clipped vectors that agree, however evenly they are spread. It is empty where they do not.
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
func (s *Sharing) Loss(round int) accountant.Loss {
	if !pays(s.of.Most, round) {
		return accountant.Loss{}
	}
	return s.paid
}

// Bill implements Noise: a client pays for each of its messages.
func (s *Sharing) Bill(node messages.NodeID, _ int, _ ledger.Moment) ledger.Bill {
	if node == 0 {
		return ledger.Bill{}
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

// Stated is the noise of what an audit looks at: the mean of a round, or a message where
// those are seen.
func (s *Sharing) Stated(at auditing.Place) auditing.Noise {
	stated := auditing.Noise{Law: noise.GaussianLaw, Length: at.Length, Scale: s.deviation(1)}
	switch {
	case s.Kind != Secure:
	case at.Node > 0:
		return auditing.Noise{} // that of the sum is looked at
	default:
		stated.Scale = s.deviation(float64(s.Least())) / s.of.Expected // or more
	}
	if s.own.Law == noise.LaplaceLaw {
		stated.Law, stated.Scale = noise.LaplaceLaw, s.own.Scale
	}
	return stated
}

// deviation is about the standard deviation of the noise on the sum of so many messages.
func (s *Sharing) deviation(messages float64) float64 {
	of := s.own.Deviation()
	switch {
	case s.discrete != nil:
		of = s.discrete.Deviation() / math.Sqrt(float64(s.Least()))
	case s.shares != nil:
		of = s.shares.Share().Scale
	}
	return of * math.Sqrt(messages)
}
