package study

import (
	"math"

	"starling/mechanisms/accountant"
	"starling/scenarios/document"
	"starling/scenarios/ledger"
)

// MatchSection is the privacy that arms have in common, so that their results may be compared: the
// loss over the run of the same unit, for the same neighbours, to the same observer. The noise of
// an arm is scaled by one factor until the ledger states the epsilon, and no more. An arm that
// protects another unit is refused.
type MatchSection struct {
	Epsilon    document.Epsilon    `yaml:"epsilon,required" unit:"nats" doc:"privacy loss of a unit over the run, above 0, or none for no noise"`
	Delta      float64             `yaml:"delta,required" min:"0" under:"1" says:"delta = %v" unit:"probability" doc:"delta at which it is stated; 0 is pure differential privacy"`
	Unit       string              `yaml:"unit,required" oneof:"record client node" doc:"unit that is protected: record, one datum; client or node, all data of one participant"`
	Neighbours accountant.Relation `yaml:"neighbours,required" oneof:"add-or-remove replace" doc:"neighbouring data: with a unit more or less, or with one replaced"`
	Observer   accountant.Observer `yaml:"observer" oneof:"wire server peer public" doc:"observer of the loss: wire, server, peer or public; absent, the payments for releases, which leave out observers that the algorithm trusts with raw data"`
}

// leastMatch is the least epsilon that noise is calibrated to: far below any use, and above what
// accountants resolve in seconds.
const leastMatch = 1e-4

// Check refuses an epsilon that accountants do not resolve.
func (m *MatchSection) Check() error {
	if float64(m.Epsilon) < leastMatch {
		return document.At("match.epsilon", "epsilon is %v; noise is calibrated to %v at least", float64(m.Epsilon), leastMatch)
	}
	return nil
}

// Calibrates reports whether there is an epsilon to calibrate noise to.
func (m *MatchSection) Calibrates() bool { return m != nil && !math.IsInf(float64(m.Epsilon), 1) }

// Protects returns the extent of the unit.
func (m *MatchSection) Protects() ledger.Protected {
	if m.Unit == string(ledger.ProtectsRecord) {
		return ledger.ProtectsRecord
	}
	return ledger.ProtectsParticipant
}

// LimitOf returns the account that is matched, with its limit. The error says why the arm protects
// something else.
func (m *MatchSection) LimitOf(arm *Arm) (*ledger.Budget, error) {
	p := &arm.Privacy
	a := paidOf(p)
	if len(p.Accounts) > 0 { // which the ledger states
		a.Guarantee = p.Accounts[0].Guarantee
	}
	if m.Observer != "" {
		of, err := AccountOf(p, m.Observer)
		if err != nil {
			return nil, document.At("match.observer", "%s", err)
		}
		a = *of
	}
	switch {
	case len(p.Accounts) == 0:
		return nil, document.At("match", "arm %s has no account of privacy; set match: null in it", arm.Name)
	case a.Protects != m.Protects():
		return nil, document.At("match.unit", "arm %s protects %s; set match: null in it, or compare arms that protect the same", arm.Name, a.Unit)
	case a.Relation != m.Neighbours:
		return nil, document.At("match.neighbours", "the losses of arm %s are for %s; set match: null in it, or the neighbours of its mechanism", arm.Name, a.Neighbours)
	}
	return ledger.NewBudget(accountant.Loss{Epsilon: float64(m.Epsilon), Delta: m.Delta}, a), nil
}
