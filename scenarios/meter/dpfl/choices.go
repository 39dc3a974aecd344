package dpfl

import (
	"starling/actors/algorithm/dpfl"
	"starling/messages"
	"starling/scenarios/gauge"
)

// Choices keeps what the server chose tau by, for notes: it records no metric.
type Choices struct {
	rounds int
	// chosen and free are, by choice, tau* and what the budgets alone would
	// choose.
	chosen, free []float64
	// done is how many local steps a client has taken, and statistics are those of
	// the last choice.
	done       int
	statistics Statistics
}

// Statistics are what tau was chosen by: rho, beta and xi, weighted over clients.
type Statistics struct{ Rho, Beta, Xi float64 }

// Begin implements gauge.Gauge.
func (m *Choices) Begin(*gauge.Span) []gauge.Column { return nil }

// Recorded implements gauge.Quantities.
func (m *Choices) Recorded(_ messages.NodeID, _ gauge.At, quantity string, value float64) {
	switch quantity {
	case dpfl.TauChosen:
		m.chosen = append(m.chosen, value)
	case dpfl.TauFree:
		m.free = append(m.free, value)
	case dpfl.Steps:
		m.done = int(value)
	case dpfl.Rho:
		m.statistics.Rho = value
	case dpfl.Beta:
		m.statistics.Beta = value
	case dpfl.Xi:
		m.statistics.Xi = value
	}
}

// Case tells what decided tau. The run must be over.
func (m *Choices) Case() dpfl.Case { return dpfl.CaseOf(m.chosen, m.free) }

// Last is the tau* that the server chose last and what it chose it by, and
// how many local steps a client took in all. Nothing was chosen where tau is 0. The
// run must be over.
func (m *Choices) Last() (tau, steps int, by Statistics) {
	if n := len(m.chosen); n > 0 {
		tau = int(m.chosen[n-1])
	}
	return tau, m.done, m.statistics
}

// State implements gauge.Gauge.
func (m *Choices) State(c *messages.Codec) {
	c.List("chosen", &m.chosen, m.rounds)
	c.List("free", &m.free, m.rounds)
	c.Check(len(m.chosen) == len(m.free), "%d choices, and %d without rho", len(m.chosen), len(m.free))
	c.Int("done", &m.done)
	c.Float("rho", &m.statistics.Rho)
	c.Float("beta", &m.statistics.Beta)
	c.Float("xi", &m.statistics.Xi)
}
