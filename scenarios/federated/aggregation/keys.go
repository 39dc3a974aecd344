package aggregation

import (
	"math"

	"starling/scenarios/document"
)

// Keys are the keys of aggregation by a server that is not trusted: they set the view of the
// server of the messages of a round. Clients add noise to their messages.
type Keys struct {
	Kind        Kind         `yaml:"kind,required" oneof:"secure local shuffle" doc:"view of the server: secure, the sum of the messages of a round, to which every client adds a share of the noise; local, every message, with noise; shuffle, every message, with noise, but not who sent it"`
	Survivors   *int         `yaml:"survivors" min:"1" says:"%v survivors" unit:"clients" doc:"least number of messages of a round: the noise of secure has so many shares, and a batch of shuffle is as private as one of so many messages. A round with fewer is aborted: nobody learns anything, and the model stays; needed by secure and shuffle; absent, of local 1"`
	Dropout     float64      `yaml:"dropout" min:"0" under:"1" says:"a dropout of %v" unit:"probability" doc:"probability with which a client that takes part in a round drops out of it before it has computed, drawn by itself; absent, 0"`
	Shares      Shares       `yaml:"shares" oneof:"gaussian discrete" doc:"shares of noise of secure: gaussian, of real numbers; discrete, of whole numbers, with vectors rounded to a grid and summed modulo a power of 2; absent, gaussian"`
	Granularity *float64     `yaml:"granularity" over:"0" says:"a granularity of %v" unit:"clipping norms" doc:"gamma, step of the grid that vectors are rounded to; needed by discrete shares, and only there; absent, no grid"`
	Bits        *int         `yaml:"bits" min:"2" max:"24" says:"%v bits" unit:"bits" doc:"sums of discrete shares are modulo 2 to the power of this: larger ones wrap round; needed by discrete shares, and only there; absent, no modulus"`
	Bound       ShuffleBound `yaml:"bound" oneof:"numerical closed" doc:"how the epsilon of a shuffled batch is found: numerical, from the divergence of the laws that bound it; closed, by the closed form of a theorem, for Laplace noise; absent, numerical"`
	Weights     Weights      `yaml:"weights" oneof:"equal inverse-variance" doc:"weights of messages in the mean of local: equal, or inverse-variance, by the noise that clients have of their own, as many in sum as clients; absent, equal"`
	Delta       *float64     `yaml:"delta" over:"0" under:"1" says:"delta = %v" unit:"probability" doc:"delta at which losses of shuffle are stated where the mechanism has none, half of it for the shuffles; needed only there; absent, the mechanism's"`
}

// Kind is the view of a server that is not trusted.
type Kind string

// The kinds.
const (
	Secure  Kind = "secure"
	Local   Kind = "local"
	Shuffle Kind = "shuffle"
)

// Shares are a law of shares of noise.
type Shares string

// The laws.
const (
	GaussianShares Shares = "gaussian"
	DiscreteShares Shares = "discrete"
)

// Weights are the weights of messages in a mean.
type Weights string

// The weights.
const (
	EqualWeights    Weights = "equal"
	InverseVariance Weights = "inverse-variance"
)

// ShuffleBound is a way to find the epsilon of a shuffled batch.
type ShuffleBound string

// The ways.
const (
	NumericalBound ShuffleBound = "numerical"
	ClosedBound    ShuffleBound = "closed"
)

// Least is the smallest number of messages of a round.
func (a *Keys) Least() int {
	if a.Survivors == nil {
		return 1
	}
	return *a.Survivors
}

// LeastMultiplier is the least noise multiplier of the noise of a sum: shares on a grid are at least
// as wide as its steps. It is 0 elsewhere.
func (a *Keys) LeastMultiplier() float64 {
	if a.Shares != DiscreteShares {
		return 0
	}
	return *a.Granularity * math.Sqrt(float64(a.Least()))
}

// Check refuses keys of another kind, and missing keys.
func (a *Keys) Check() error {
	discrete := a.Shares == DiscreteShares
	for _, key := range []struct {
		name                 string
		given, wanted, taken bool
		of                   string
	}{
		{"survivors", a.Survivors != nil, a.Kind != Local, true, ""},
		{"shares", a.Shares != "", false, a.Kind == Secure, "kind: secure"},
		{"granularity", a.Granularity != nil, discrete, discrete, "shares: discrete"},
		{"bits", a.Bits != nil, discrete, discrete, "shares: discrete"},
		{"weights", a.Weights != "", false, a.Kind == Local, "kind: local"},
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

// RefusesOwn returns the reason why clients cannot differ by a value of their own where messages are
// hidden or seen by a server that is not trusted; empty where they can. clips means that the value is the
// bound on their vectors, and filters that it is the rho of a filter; else it is a sampling rate. It is empty of nil.
// The proofs are in clipped.go.
func (a *Keys) RefusesOwn(clips, filters bool) string {
	switch {
	case a == nil:
		return ""
	case a.Kind == Local:
		return "with aggregation: {kind: local} clients add noise of their own to their messages: want groups of gaussian or laplace noise, or no aggregation"
	case a.Kind == Shuffle:
		return "the bounds of shuffled batches are for messages of one law, and the number of messages of a client's own group in a round is not known; want kind: secure with clips of clients, kind: local with groups of noise, or no aggregation"
	case filters:
		return "a filter accounts for the noise of all shares, and peers that know their own share face less noise; no filter is derived for them: want clips, or no aggregation"
	case !clips:
		return "the server sees the sender of each message, so that a sample of clients is no secret and a rate of a client changes no loss of a round; want clips, or no aggregation"
	case a.Shares == DiscreteShares:
		return "vectors on a grid may be longer than their bound by the rounding, and their loss is derived for one bound; want shares: gaussian"
	}
	return ""
}

// RefusesGroups returns the reason why clients cannot have noise of their own where a sum or a batch hides
// their messages; empty elsewhere, and of nil.
func (a *Keys) RefusesGroups() string {
	switch {
	case a == nil || a.Kind == Local:
		return ""
	case a.Kind == Secure:
		return "noise that differs between clients adds up in the sum that the server sees, which has one noise for all: clients differ by their bounds there, algorithm.clips or by: clip of sampled-gaussian; else want aggregation: {kind: local}"
	}
	return "noise that differs between clients is no noise of one law, for which the bounds of shuffled batches are; want aggregation: {kind: local}"
}
