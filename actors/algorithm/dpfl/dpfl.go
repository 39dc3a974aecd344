package dpfl

import (
	"starling/actors/algorithm"
	"starling/actors/algorithm/mirror"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
)

// Data is the data of a client: samples 0 .. Size()-1 and their loss under a model of len d
// parameters. Its methods are pure. They are called for one client at a time, and for
// different clients concurrently; Data that are batch.ClientData are asked for all clients
// together.
type Data interface {
	// Size is |D_i|.
	Size() int
	// SumClipped writes the sum of the gradients of the samples' losses at
	// params to dst, both len d, each gradient scaled down to 2-norm clip where
	// it is longer, and returns how many were. No samples sum to 0; a clip of
	// +Inf clips nothing. Samples are distinct and ascending, and not kept.
	SumClipped(dst, params []float64, samples []int, clip float64) (clipped int)
	// SumLossChanges is the sum over the samples of their loss at to minus their loss at from,
	// both len d, each change held within [-bound, bound]; a bound of +Inf holds nothing. Only
	// ALI-DPFL calls it.
	SumLossChanges(from, to []float64, samples []int, bound float64) float64
}

// Comparer is Data that computes in one pass the quantities by which ALI-DPFL compares two
// models; three calls would look at the samples thrice.
type Comparer interface {
	Data
	// SumChanges is SumClipped at from into atFrom and at to into atTo, all len d and apart,
	// and SumLossChanges. The results equal the results of the three calls, to the last bit.
	SumChanges(atFrom, atTo, from, to []float64, samples []int, clip, bound float64) (change float64)
}

// Options describe a run. Where no default is named there is none.
type Options struct {
	Clients []Data // by client from 1: D_i
	Rounds  int    // R_s, C_b: the most rounds
	Tau     int    // local steps in a round; 0 where they are adaptive
	// Adaptive chooses tau as ALI-DPFL does; nil is DPFL, with Tau.
	Adaptive *Adaptive
	// LearningRate is eta, Batch is B, the expected size of a batch: client i
	// samples at rate q = B/|D_i|. 0 is all data of a client, in every local step:
	// B = |D_i| and q = 1.
	LearningRate float64
	Batch        int
	// Clip is C, the 2-norm that no sample's gradient exceeds in a sum. It may
	// be +Inf without noise.
	Clip float64
	// Noise is the noise on the sums of local steps, which one sample moves by at most C in
	// 2-norm; the zero value runs without noise and without privacy. It is noise.OnSamples,
	// which protects by the sampling too; or, where all data of a client are in every sum,
	// noise.OnEach, or noise.OnPrefixes over the local steps of the run, MostSteps at most
	// (DP-FTRL: Kairouz, McMahan, Song, Thakkar, Thakurta, Xu 2021). A sample is then in each
	// of these, and moves C G by at most C times the FullSensitivity of the factorization. A
	// client pays for them once, before its first step.
	Noise noise.Released
	// Budget is P_b; nil is no limit.
	Budget *Budget
	// Neighbours is the relation of the data that the budget is for: with a sample added or
	// removed, which "" means as well, or with one replaced. In either case the loss of a
	// release is stated for adding or removing.
	Neighbours accountant.Relation
	Start      []float64 // the initial model, public, len d
	// Set is the set of models: every local step and every mean is projected on it, in the
	// 2-norm. Both are functions of sums that have their noise, so that privacy is the same
	// with a set as without. nil is all of R^d. Start must lie in it, up to rounding.
	Set mirror.Set
	// Effects is for a run on a network with effects: rounds then go by the schedule, even
	// where participants are missing. Without Effects a missing message is an error, and a
	// server that receives nothing stops. No node of the network may restart
	// (algorithm.Network.Restarts).
	Effects bool
	// Proximal is mu of FedProx: local steps are in the loss plus mu/2 times the square
	// distance from the server's model. 0 is none.
	Proximal float64
	// Stragglers take fewer than Tau local steps in a round, or send nothing; nil is none. Tau is
	// then not adaptive. A client that is dropped takes no local steps, and pays for none. The
	// number of local steps of a client depends on no data.
	Stragglers *algorithm.DrawnStragglers
	// Late is the server's treatment, with Effects, of models that come after their round.
	Late algorithm.Late
	// SamplePurpose keys the batches and NoisePurpose the noise on local steps,
	// StatisticsPurpose samples and noise of ALI-DPFL's statistics: a stream per
	// client and turn each.
	SamplePurpose, NoisePurpose, StatisticsPurpose rng.Purpose
}

// Budget is a limit on the privacy loss of the run for any client: (Epsilon, Delta), as Method
// accounts for it.
type Budget struct {
	Epsilon, Delta float64
	Method         accountant.Method
	Before         accountant.Total // the loss spent before the run, on the same data
}

// Statistics is the source of ALI-DPFL's rho_i, beta_i and gradients.
type Statistics string

const (
	// AsPrinted computes them from the client's data and sends them as they are,
	// which is not private.
	AsPrinted Statistics = "as-printed"
	// Private clips, perturbs and pays for them.
	Private Statistics = "private"
	// Public computes them from data that are public.
	Public Statistics = "public"
)

// statisticsKinds lists the kinds of statistics.
func statisticsKinds() []Statistics { return []Statistics{AsPrinted, Private, Public} }

// Adaptive are the options of ALI-DPFL.
type Adaptive struct {
	// Control is c_G = phi lambda^2 of (13), which the paper does not print; 0
	// is DefaultControl. A small one always chooses 1, a large one leaves the
	// choice to the budgets: see CaseOf.
	Control    float64
	Statistics Statistics
	// Samples is how many of its samples a client expects to use for the
	// statistics of a turn, a Poisson sample as a batch is one; 0 is all.
	Samples int
	// Sigma is the noise multiplier of private statistics, Lipschitz bounds the
	// change of a sample's loss per distance of models, and Clip the 2-norm of
	// its gradient. All are 0 for the other kinds.
	Sigma, Lipschitz, Clip float64
	// Public are, by client, public data like its own, for public statistics.
	Public []Data
}

// DefaultControl is the control constant where none is given. It is a choice of
// this package: the paper prints neither phi nor lambda.
const DefaultControl = 1

func (a *Adaptive) control() float64 {
	if a.Control == 0 {
		return DefaultControl
	}
	return a.Control
}

// The metrics that machines record.
const (
	// Clipped is, of a client and a round, the share of the sampled gradients
	// that were clipped; there is none where nothing was sampled.
	Clipped = "clipped"
	// Tau is the local steps of the round, Rounds and Steps the rounds and the local steps of
	// a client so far: of the server, in every round. A client has taken fewer if its meter
	// refused to pay. With Effects Tau is the tau that the server asked for, Rounds are those
	// in which it averaged anything, and Steps are of a client that took part in all. With
	// Stragglers Rounds are such rounds, too, and Steps are the mean over clients, weighted by
	// the sizes of their batches.
	Tau    = "tau"
	Rounds = "rounds"
	Steps  = "steps"
	// Rho, Beta and Xi are the weighted statistics of a choice, TauChosen is tau* and TauFree
	// the choice by the budgets alone (rho = 0): of the server, in the round after which it
	// chooses.
	Rho       = "rho"
	Beta      = "beta"
	Xi        = "xi"
	TauChosen = "tau.chosen"
	TauFree   = "tau.free"
)

// chooses reports whether tau is chosen after a round: not before clients have a
// model of their own to compare with the mean, and not after the last round.
func (o *Options) chooses(round int) bool {
	return o.Adaptive != nil && round >= 2 && round < o.Rounds
}

// MostTau is the largest number of local steps that a round, from 1, can have: ALI-DPFL has 1
// in the first two rounds, and chooses at most twice the last for the next.
func (o *Options) MostTau(round int) int {
	switch {
	case o.Adaptive == nil:
		return o.Tau
	case round <= 2:
		return 1
	case round > 8:
		return mostTau
	}
	return min(1<<(round-2), mostTau)
}

// MostSteps is the largest number of local steps that a client can take in the run without a
// budget.
func (o *Options) MostSteps() (steps int) {
	for round := 1; round <= o.Rounds; round++ {
		steps += o.MostTau(round)
	}
	return steps
}

// working is how many numbers of working memory a projection takes.
func (o *Options) working() int {
	if o.Set == nil {
		return 0
	}
	return o.Set.WorkSize()
}

// project brings a model into the set, where there is one.
func (o *Options) project(x, work []float64) {
	if o.Set != nil {
		o.Set.Project(x, x, work)
	}
}

// Steps is the horizon, a step a round, the first being 1.
func (o *Options) Steps() int { return o.Rounds }

// Hops is the number of exchanges in the round with that offset from the first: clients train;
// the server averages; and, in a round after which tau is chosen, clients send gradients at
// the new mean, and the server chooses. Its last message is delivered in the round after.
func (o *Options) Hops(offset int) int {
	if o.chooses(offset + 1) {
		return 4
	}
	return 2
}

// Acts returns the participants that have a turn in a hop: algorithm.Run.Acts.
func (o *Options) Acts(_, hop int) (first, end messages.NodeID) {
	if hop%2 == 1 {
		return 0, 1
	}
	return 1, messages.NodeID(len(o.Clients) + 1)
}

// shared is read by all machines of a run and changed by none.
type shared struct {
	Options
	plan  Plan
	dim   int
	noise float64 // c of (19)
}

func newServer(s *shared) algorithm.Machine {
	switch {
	case s.Effects && s.Adaptive != nil:
		return newTolerantAdaptiveServer(s)
	case s.Effects:
		return &tolerantServer{newGlobal(s)}
	case s.Adaptive != nil:
		return newAdaptiveServer(s)
	}
	return &fixedServer{newGlobal(s)}
}

// New returns the machines of a run, the server and the clients, and its plan. It returns the
// errors of Validate and NewPlan. Start is copied; the rest of the options must not change
// during the run.
func New(options Options) ([]algorithm.Machine, Plan, error) {
	plan, err := NewPlan(&options)
	if err == nil {
		err = options.validateFactorization()
	}
	if err != nil {
		return nil, Plan{}, err
	}
	s := &shared{Options: options, plan: plan, dim: len(options.Start), noise: options.NoiseTerm()}
	machines := make([]algorithm.Machine, 0, len(s.Clients)+1)
	machines = append(machines, newServer(s))
	for i := range s.Clients {
		c, err := newClient(s, i)
		if err != nil {
			return nil, Plan{}, err
		}
		machines = append(machines, c)
	}
	return machines, plan, nil
}
