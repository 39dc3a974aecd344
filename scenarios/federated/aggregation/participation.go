package aggregation

import (
	"slices"

	"starling/actors/algorithm"
	"starling/mechanisms/factorization"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/personal"
	"starling/scenarios/section/networks"
)

// Participation holds the keys of the participation of clients in rounds.
type Participation struct {
	Rate   float64         `yaml:"rate" over:"0" max:"1" says:"a rate of %v" unit:"probability" doc:"probability with which a client takes part in a round that it may take part in, drawn by itself"`
	Draw   Draw            `yaml:"draw" oneof:"clients server" doc:"how the clients of a round are drawn: clients, each by itself, and a run holds all of them; or server, by the same law from the seed, and a run holds only the clients of the round, so that its cost does not grow with nodes; absent, clients"`
	Cohort *int            `yaml:"cohort" min:"1" says:"a cohort of %v" unit:"clients" doc:"m, with draw: server: so many clients take part in every round, drawn without replacement from those that may; absent, each takes part with probability rate"`
	Rates  personal.Values `yaml:"rates" doc:"clients with a sampling rate of their own, at most 1, in place of rate: a list of groups, a file with a line for each client, a law from which they are drawn, or a column of the problem's own data; absent, all have rate"`
	Groups int             `yaml:"groups" min:"1" says:"%v groups" unit:"groups" doc:"b, groups of clients that take turns: client i may take part in the rounds whose number less i is a multiple of it"`
	Apart  int             `yaml:"apart" min:"1" says:"%v rounds apart" unit:"rounds" doc:"b, at least so many rounds lie between the beginnings of two rounds that a client takes part in"`
	Times  *int            `yaml:"times" min:"1" says:"%v times" unit:"rounds" doc:"k, in so many rounds a client takes part at most; absent, no limit"`

	Attendance *Listed `yaml:"attendance" doc:"clients of each round by a list, in place of draws: a round has the clients that a file names for it; absent, they are drawn"`

	own     []float64         // rates of clients, from 0, that differ; nil means Rate
	members int               // clients of the smallest group, where there is a Cohort; see WithCohort
	chance  float64           // the largest chance of a client to be in a Cohort, after any rounds
	checks  *networks.CheckIn // nil where clients do not check in
	// concurrent is nil where clients do not work at their own pace.
	concurrent *Concurrency
	list       *Attendees // nil where no file lists the clients of rounds; see WithList
}

// WithRates returns the rule with a sampling rate of each client, from 0; nil means that all have
// Rate.
func (p Participation) WithRates(rates []float64) Participation {
	p.own = rates
	return p
}

// RateOf is the sampling rate of a client.
func (p *Participation) RateOf(node messages.NodeID) float64 {
	if p.own == nil {
		return p.Rate
	}
	return p.own[node-1]
}

// Partial reports whether some client may be absent by chance.
func (p *Participation) Partial() bool {
	if p.Cohort != nil {
		return *p.Cohort < p.members
	}
	return p.Unsampled() || p.own == nil && p.Rate < 1 || slices.ContainsFunc(p.own, func(rate float64) bool { return rate < 1 })
}

// Turn reports whether a round is one of the rounds of a client's group.
func (p *Participation) Turn(round int, node messages.NodeID) bool {
	return (round-int(node))%p.Groups == 0
}

// Everybody is the rule of all clients in every round.
func Everybody() Participation { return Participation{Rate: 1, Groups: 1, Apart: 1} }

// Most returns how often, and how far apart, a client takes part in a number of rounds. Rounds
// are evenly apart where a client takes every turn of its group up to a limit, or some of all
// turns: a client that leaves some out moves no release further. A client that draws and has a
// limit may take any of its turns.
func (p *Participation) Most(rounds int) factorization.Participation {
	if p.list != nil {
		return p.list.gaps(rounds)
	}
	of := factorization.Participation{Times: rounds, Apart: max(p.Groups, p.Apart), Even: p.Groups >= p.Apart}
	if p.Groups > 1 && p.Apart > p.Groups { // the next turn of the group that is far enough
		of.Apart, of.Even = (p.Apart+p.Groups-1)/p.Groups*p.Groups, false
	}
	turns := of.Within(rounds).Times
	if p.Times != nil {
		of.Times = min(of.Times, *p.Times)
	}
	of.Even = of.Even && (p.Rate == 1 && p.Cohort == nil && !p.Unsampled() || of.Times >= turns)
	return of.Within(rounds)
}

// Sampled is the rate of a sample that is drawn anew in every round that a client may take
// part in, independently of other rounds. It is 1 where there is no such sample: participation
// that depends on participation in other rounds is no sample of its own.
func (p *Participation) Sampled() float64 {
	if !p.anew() {
		return 1
	}
	return p.Rate
}

// Turns is the number of rounds of a client's group in a number of rounds.
func (p *Participation) Turns(rounds int, node messages.NodeID) int {
	return (rounds + p.Groups - 1 - (int(node)-1)%p.Groups) / p.Groups
}

// Expected is the mean number of clients in a round. Where rounds have to be apart, each
// client waits that long, and then for its draw. With rates of clients that differ it is the sum of
// the shares of rounds of all clients: N mean(q) without groups.
func (p *Participation) Expected(clients int) float64 {
	if p.list != nil {
		rounds := max(1, len(p.list.ends)-2) // without the round after the last
		return float64(p.list.ends[rounds]) / float64(rounds)
	}
	if p.ChecksIn() {
		return float64(p.checks.Goal)
	}
	if p.concurrent != nil {
		return float64(p.concurrent.Buffer)
	}
	if p.Cohort != nil {
		return float64(*p.Cohort)
	}
	if p.own == nil {
		return p.expected(float64(clients))
	}
	sum := 0.0
	for _, rate := range p.own {
		one := *p
		one.Rate = rate
		sum += one.expected(1)
	}
	return sum
}

// expected is Expected for n clients of one rate.
func (p *Participation) expected(n float64) float64 {
	if p.Groups == 1 {
		return n / (float64(p.Apart-1) + 1/p.Rate)
	}
	return n * p.Rate / float64(max(p.Groups, p.Apart))
}

// Check refuses a rule with more groups than clients.
func (p *Participation) Check(clients int) error {
	if p.Groups > clients {
		return document.At("groups", "%d groups of %d clients; want at most one of each", p.Groups, clients)
	}
	return nil
}

// takePurpose keys the draws of participation: arms of one seed have the same clients.
var takePurpose = rng.PurposeOf("federated.participation")

// Attendance is a client's memory of its own participation.
type Attendance struct {
	last  int // round in which it took part, 0 for none
	times int
}

// Takes reports whether a client takes part in a round, in the turn of that round, and notes it.
func (p *Participation) Takes(t *algorithm.Turn, node messages.NodeID, round int, of *Attendance) bool {
	switch {
	case p.list != nil && !p.list.has(round, node):
		return false
	case !p.Turn(round, node) || !p.free(round, of):
		return false
	}
	if rate := p.RateOf(node); rate < 1 && !(t.Rand(takePurpose).Float64() < rate) {
		return false
	}
	of.last = round
	of.times++
	return true
}

// free reports whether a client may take part in a round after those in which it has.
func (p *Participation) free(round int, of *Attendance) bool {
	return !(of.last > 0 && round-of.last < p.Apart || p.Times != nil && of.times >= *p.Times)
}

// State encodes and decodes a part for checkpoints.
func (of *Attendance) State(c *messages.Codec) {
	c.Int("last round", &of.last)
	c.Int("rounds taken part in", &of.times)
}
