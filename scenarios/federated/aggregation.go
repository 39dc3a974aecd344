package federated

import (
	"math"

	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/metric"
)

// Aggregation are the keys of what the server sees of the messages of a round, where it is
// not trusted: clients add noise to what they send.
type Aggregation struct {
	Kind        AggregationKind `yaml:"kind,required" oneof:"secure local shuffle" doc:"what the server sees: secure, the sum of the messages of a round, to which every client adds a share of the noise; local, every message, with noise; shuffle, every message, with noise, but not who sent it"`
	Survivors   *int            `yaml:"survivors" min:"1" says:"%v survivors" unit:"clients" doc:"messages that a round has at least: the noise of secure is that of so many shares, and a batch of shuffle is as private as one of so many messages. A round with fewer is aborted: nobody learns anything, and the model stays; needed by secure and shuffle; absent, of local 1"`
	Dropout     float64         `yaml:"dropout" min:"0" under:"1" says:"a dropout of %v" unit:"probability" doc:"probability with which a client that takes part in a round drops out of it before it has computed, drawn by itself; absent, 0"`
	Shares      Shares          `yaml:"shares" oneof:"gaussian discrete" doc:"shares of noise of secure: gaussian, of real numbers; discrete, of whole numbers, with vectors rounded to a grid and summed modulo a power of 2; absent, gaussian"`
	Granularity *float64        `yaml:"granularity" over:"0" says:"a granularity of %v" unit:"clipping norms" doc:"gamma, step of the grid that vectors are rounded to; needed by discrete shares, which alone have it; absent, no grid"`
	Bits        *int            `yaml:"bits" min:"2" max:"24" says:"%v bits" unit:"bits" doc:"sums of discrete shares are modulo 2 to the power of this: what is larger wraps round; needed by discrete shares, which alone have it; absent, no modulus"`
	Bound       ShuffleBound    `yaml:"bound" oneof:"numerical closed" doc:"how the epsilon of a shuffled batch is found: numerical, from the divergence of the laws that bound it; closed, by the closed form of a theorem, for Laplace noise; absent, numerical"`
	Delta       *float64        `yaml:"delta" over:"0" under:"1" says:"delta = %v" unit:"probability" doc:"delta at which losses of shuffle are stated where the mechanism has none, half of it for the shuffles; needed there, by no other; absent, that of the mechanism"`
}

// AggregationKind is what a server that is not trusted sees.
type AggregationKind string

// The kinds.
const (
	SecureAggregation AggregationKind = "secure"
	LocalNoise        AggregationKind = "local"
	Shuffle           AggregationKind = "shuffle"
)

// Shares are a law of shares of noise.
type Shares string

// The laws.
const (
	GaussianShares Shares = "gaussian"
	DiscreteShares Shares = "discrete"
)

// ShuffleBound is a way to find the epsilon of a shuffled batch.
type ShuffleBound string

// The ways.
const (
	NumericalBound ShuffleBound = "numerical"
	ClosedBound    ShuffleBound = "closed"
)

// least is how many messages a round has at least.
func (a *Aggregation) least() int {
	if a.Survivors == nil {
		return 1
	}
	return *a.Survivors
}

// check refuses keys of another kind, and those that are missing.
func (a *Aggregation) check() error {
	discrete := a.Shares == DiscreteShares
	for _, key := range []struct {
		name                 string
		given, wanted, taken bool
		of                   string
	}{
		{"survivors", a.Survivors != nil, a.Kind != LocalNoise, true, ""},
		{"shares", a.Shares != "", false, a.Kind == SecureAggregation, "kind: secure"},
		{"granularity", a.Granularity != nil, discrete, discrete, "shares: discrete"},
		{"bits", a.Bits != nil, discrete, discrete, "shares: discrete"},
		{"bound", a.Bound != "", false, a.Kind == Shuffle, "kind: shuffle"},
		{"delta", a.Delta != nil, false, a.Kind == Shuffle, "kind: shuffle"},
	} {
		switch {
		case key.wanted && !key.given:
			return document.At("aggregation", "missing required key %q: no noise is known without it", key.name)
		case key.given && !key.taken:
			return document.At("aggregation."+key.name, "this is a key of %s; leave it out", key.of)
		}
	}
	return nil
}

// The purposes of what clients draw.
var (
	sharePurpose = rng.PurposeOf("federated.shares")
	dropPurpose  = rng.PurposeOf("federated.dropouts")
)

// sharing is the noise of clients on what they send, and what it costs. It is immutable, and
// shared by all machines of a run.
type sharing struct {
	*Aggregation
	clip   float64
	length int
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
	// hidden tells that a shuffled batch is known to be more private than its messages.
	hidden bool
}

// private tells whether there is noise.
func (s *sharing) private() bool {
	return s.shares != nil || s.discrete != nil || s.own != noise.Additive{}
}

// moves is how far a client moves what it sends; of a shuffled batch where its vector is any
// other in its place, and else where that is zeros.
func (s *sharing) moves() noise.Moves {
	if s.Kind == Shuffle {
		return noise.MovesL2(2*s.clip, s.length)
	}
	return noise.MovesL2(s.clip, s.length)
}

// message is the loss of who sees the message of a client by itself.
func (s *sharing) message() accountant.Loss {
	switch {
	case s.discrete != nil:
		return s.discrete.Among(1)
	case s.shares != nil:
		return s.shares.Among(1).Loss(s.clip)
	}
	return s.own.Loss(s.moves())
}

// round is the loss of who sees of a round no more than the sum of the messages, or the
// shuffled batch, and knows all messages but so many of them, at least 1 and that of the
// client among them. amplified is false of a batch where it is that of a message.
func (s *sharing) round(unknown int) (loss accountant.Loss, amplified bool, err error) {
	switch {
	case s.discrete != nil:
		return s.discrete.Among(unknown), false, nil
	case s.shares != nil:
		return s.shares.Among(unknown).Loss(s.clip), false, nil
	case s.Kind != Shuffle || s.own.Scale == 0:
		return s.message(), false, nil
	}
	var epsilon float64
	switch {
	case s.own.Law == noise.GaussianLaw:
		deviation := s.own.Scale / s.moves().L2
		epsilon, amplified, err = accountant.Amplified(unknown, s.delta, func(delta float64) (float64, error) {
			return accountant.GaussianEpsilon(deviation, delta)
		})
	default:
		batch := accountant.Shuffled{Local: s.message().Epsilon, Messages: unknown}
		if epsilon, amplified, err = batch.Epsilon(s.delta); s.Bound == ClosedBound {
			epsilon, amplified, err = batch.ClosedForm(s.delta)
		}
	}
	if err != nil || !amplified {
		return s.message(), false, err
	}
	return s.lesser(accountant.Loss{Epsilon: epsilon, Delta: s.delta})
}

// lesser is the loss of a batch, or that of a message where that is less in all rounds: it is
// known whole, and adds up better than an epsilon and a delta do.
func (s *sharing) lesser(batch accountant.Loss) (loss accountant.Loss, amplified bool, err error) {
	together, err := s.total(batch)
	if err != nil {
		return loss, false, err
	}
	apart, err := s.total(s.message())
	if err != nil || apart <= together {
		return s.message(), false, err
	}
	return batch, true, nil
}

// priced is the sharing with what a client pays.
func (s sharing) priced() (*sharing, error) {
	var err error
	if s.paid = s.message(); s.Kind != LocalNoise {
		s.paid, s.hidden, err = s.round(s.least())
	}
	return &s, err
}

// scaled is the noise times a factor, for audits, with its price.
func (s sharing) scaled(by float64) (*sharing, error) {
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

// release adds the noise of a message in place, once it is paid for.
func (s *sharing) release(x []float64, r *rng.Rand, pay func(accountant.Loss) error) (accountant.Receipt, error) {
	switch {
	case s.discrete != nil:
		return s.discrete.Release(x, r, pay)
	case s.shares != nil && s.Kind == SecureAggregation:
		return s.shares.Release(x, r, s.clip, pay)
	case s.shares != nil:
		return s.shares.Share().Release(x, r, s.clip, pay)
	}
	return s.own.ReleaseAt(x, r, s.paid, pay)
}

// deviation is about the standard deviation of the noise on the sum of so many messages.
func (s *sharing) deviation(messages float64) float64 {
	of := s.own.Deviation()
	switch {
	case s.discrete != nil:
		of = s.discrete.Deviation() / math.Sqrt(float64(s.least()))
	case s.shares != nil:
		of = s.shares.Share().Scale
	}
	return of * math.Sqrt(messages)
}

// What a server that is not trusted records.
const (
	quantityAborted = "rounds.aborted"
	quantityWrapped = "aggregation.wrapped"
)

var (
	abortedRounds  = metric.Metric{Name: quantityAborted, Summary: "rounds so far in which too few messages were left for the noise that is stated, so that nobody learned anything, of a server that is not trusted", Label: "aborted rounds", Unit: "rounds", Better: metric.LowerIsBetter, Level: metric.OfRun}
	wrappedEntries = metric.Metric{Name: quantityWrapped, Summary: "share of the entries of the sum of the round that were too large for the modulus, and wrapped round, of discrete shares of noise", Label: "wrapped entries", Unit: metric.Share, Better: metric.LowerIsBetter, Level: metric.OfRun}
)

// gauges are of what it records.
func (s *sharing) gauges() []gauge.Gauge {
	list := []gauge.Gauge{&gauge.Latest{Metric: abortedRounds, Quantity: quantityAborted}}
	if s.discrete != nil {
		list = append(list, &gauge.Latest{Metric: wrappedEntries, Quantity: quantityWrapped})
	}
	return list
}
