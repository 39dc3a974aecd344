package fedsvt

import (
	"math"

	"starling/actors/algorithm"
	"starling/actors/option"
	"starling/mechanisms/portable"
	"starling/mechanisms/rng"
	"starling/messages"
)

// Variant is the notion of privacy that the switches are tuned for.
type Variant string

const (
	// Pure has eta = eps/(2 kappa).
	Pure Variant = "pure"
	// Approximate has eta = eps/sqrt(kappa log(1/delta)).
	Approximate Variant = "approximate"
)

// DefaultRho is the default of Options.Rho.
const DefaultRho = 0.1

// Options are the parameters of a run, the same for all participants. Where no default is
// named there is none: Validate names missing options.
type Options struct {
	Clients  int // m
	Experts  int // d
	Horizon  int // T
	Interval int // N, steps between exchanges; beyond T there is none
	Variant  Variant
	Epsilon  float64 // eps; +Inf runs without noise
	Delta    float64 // delta in (0, 1) for Approximate, 0 for Pure
	// Kappa bounds the switches: there is one more while fewer than kappa have
	// happened. It need not be whole. 0, the default, is
	// 3 ceil(log2 d) + 24 ln(1/rho).
	Kappa float64
	// Rho is the chance of failure that kappa and the threshold are chosen for,
	// in (0, 1/2); 0, the default, is DefaultRho.
	Rho float64
	// Lstar is L*, a bound: some expert's total loss does not exceed it for any client; 0 is
	// the default.
	Lstar float64
	// Start is x_0, an expert from 1; 0, the default, draws it uniformly.
	Start int
	// NoisePurpose keys the server's noise, StartPurpose the draw of x_0.
	NoisePurpose, StartPurpose rng.Purpose
}

// Validate returns all errors in the options, joined: each an [option.Error]
// named as scenarios do.
func (o *Options) Validate() error {
	var found option.Faults
	check := found.Check
	check(o.Clients > 0, "clients", "%d clients; at least 1 is needed", o.Clients)
	check(o.Experts > 0, "experts", "%d experts; at least 1 is needed", o.Experts)
	check(o.Horizon > 0, "horizon", "horizon of %d steps; at least 1 is needed", o.Horizon)
	check(o.Interval > 0, "interval", "interval of %d steps; at least 1 is needed", o.Interval)
	check(o.Variant == Pure || o.Variant == Approximate, "variant", "unknown variant %q; known: pure, approximate", o.Variant)
	check(o.Epsilon > 0, "epsilon", "epsilon = %v; it must be > 0, or none", o.Epsilon)
	if o.Variant == Approximate {
		check(o.Delta > 0 && o.Delta < 1, "delta", "delta = %v; the approximate variant needs one in (0, 1)", o.Delta)
	} else {
		check(o.Delta == 0, "delta", "delta = %v; the pure variant has none", o.Delta)
	}
	check(nonNegative(o.Kappa), "kappa", "kappa = %v is not a finite number >= 0", o.Kappa)
	check(o.Rho >= 0 && o.Rho < 0.5, "rho", "rho = %v is not in (0, 1/2), nor 0 for the default", o.Rho)
	check(nonNegative(o.Lstar), "lstar", "L* = %v is not a finite number >= 0", o.Lstar)
	check(o.Start >= 0 && o.Start <= max(o.Experts, 0), "start", "start at expert %d of %d; want 1 to %d, or 0 to draw it", o.Start, o.Experts, o.Experts)
	return found.Err()
}

func nonNegative(v float64) bool { return v >= 0 && !math.IsInf(v, 1) }

// Parameters are derived from the options by Theorem 4.
type Parameters struct {
	Kappa     float64 // switching budget
	Eta       float64 // of the exponential mechanism; +Inf without noise
	Threshold float64 // L
}

// Parameters returns kappa, eta and L. The options must be valid.
func (o *Options) Parameters() Parameters {
	rho := o.Rho
	if rho == 0 {
		rho = DefaultRho
	}
	p := Parameters{Kappa: o.Kappa}
	if p.Kappa == 0 {
		p.Kappa = float64(3*math.Ceil(portable.Log2(float64(o.Experts)))) - float64(24*portable.Log(rho))
	}
	p.Eta = o.Epsilon / (2 * p.Kappa)
	if o.Variant == Approximate {
		p.Eta = o.Epsilon / math.Sqrt(-p.Kappa*portable.Log(o.Delta))
	}
	blocks := float64(o.Horizon) / float64(o.Interval)
	p.Threshold = float64(float64(o.Clients)*o.Lstar) + 8*portable.Log(2*blocks*blocks/rho)/o.Epsilon + 4/p.Eta
	return p
}

// shared is read by all machines of a run and changed by none.
type shared struct {
	Options
	derived  Parameters
	schedule *Schedule
}

// New returns the machines of the server, participant 0, and of the clients 1 .. m, and the
// schedule that the run must have. It returns the errors of Validate.
func New(options Options) ([]algorithm.Machine, *Schedule, error) {
	schedule, err := NewSchedule(&options)
	if err != nil {
		return nil, nil, err
	}
	s := &shared{Options: options, derived: options.Parameters(), schedule: schedule}
	machines := make([]algorithm.Machine, options.Clients+1)
	machines[0] = &Server{shared: s, total: make([]float64, options.Experts), StarSum: make([]float64, options.Experts)}
	for i := range options.Clients {
		machines[i+1] = &Client{
			shared: s, node: messages.NodeID(i + 1),
			sums: make([]float64, options.Experts), decision: make([]float64, options.Experts),
		}
	}
	return machines, schedule, nil
}

// Schedule says which participants act when; it does not depend on data. Step 1 begins with a
// hop in which the server broadcasts x_0. Steps N, 2 N, .. have three hops: sums up, the
// server's answer down, the play. All others have the play alone.
type Schedule struct {
	Clients, Experts, Horizon, Interval int
}

// NewSchedule returns the schedule of the options. It returns the errors of Validate.
func NewSchedule(o *Options) (*Schedule, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return &Schedule{Clients: o.Clients, Experts: o.Experts, Horizon: o.Horizon, Interval: o.Interval}, nil
}

// exchanges reports whether a step begins with an exchange.
func (s *Schedule) exchanges(step int) bool { return step%s.Interval == 0 }

// Exchanges is the number of exchanges, floor(T/N).
func (s *Schedule) Exchanges() int { return s.Horizon / s.Interval }

// Hops is the number of hops of the step with that offset from step 1:
// algorithm.Run.Hops.
func (s *Schedule) Hops(offset int) int {
	hops := 1
	if s.exchanges(offset + 1) {
		hops = 3
	}
	if offset == 0 {
		hops++
	}
	return hops
}

// Acts returns the participants that have a turn in a hop of the step with that offset from
// step 1: algorithm.Run.Acts.
func (s *Schedule) Acts(offset, hop int) (first, end messages.NodeID) {
	return algorithm.StarActs(s.Clients, offset, hop)
}

// Communication is the number of scalars that the clients send in all, and the number that the
// server sends, a broadcast counted once a client: d an exchange and client up; x_0 and one
// index an exchange down.
func (s *Schedule) Communication() (up, down int) {
	return s.Clients * s.Experts * s.Exchanges(), s.Clients * (1 + s.Exchanges())
}
