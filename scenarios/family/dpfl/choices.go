package dpfl

import (
	"starling/actors/algorithm/dpfl"
	"starling/messages"
	"starling/scenarios/gauge"
)

// Choices keeps the server's choices of tau and their grounds, for notes: it records no
// metric.
type Choices struct {
	rounds int
	// chosen and free are, by choice, tau* and the value that the budgets alone would choose.
	chosen, free []float64
	// done is the number of local steps of a client, and statistics is for the last choice.
	done       int
	statistics Statistics
}

// Statistics are the quantities by which tau is chosen: rho, beta and xi, weighted over
// clients.
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

// Case returns the ground on which tau was decided. The run must be over.
func (m *Choices) Case() dpfl.Case { return dpfl.CaseOf(m.chosen, m.free) }

// Last returns the tau* that the server chose last, its statistics, and the number of local
// steps of a client in all. A tau of 0 means that nothing was chosen. The run must be over.
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
