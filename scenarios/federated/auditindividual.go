package federated

import (
	"fmt"

	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/auditing"
	"starling/scenarios/section/mechanisms"
)

// Clients that differ are audited one of each kind: by the rounds that count on their own draws, and
// by rounds in which all take part.

// auditedKinds makes the audits of clients that differ.
func auditedKinds(whole, sampled *plan) (runs []*auditing.Run, err error) {
	for _, p := range []*plan{sampled, whole} {
		first := p.kinds()
		for _, client := range first {
			node := messages.NodeID(client + 1)
			if p == sampled && !(p.samples() && p.common.Participation.RateOf(node) < 1) {
				continue
			}
			r, canary, err := whole.audited(node)
			if err == nil && p == sampled {
				r, err = p.auditedSample(canary)
			}
			if err != nil {
				return nil, err
			}
			planned := p.totalOf(node)
			loss := planned.Loss()
			if s := loss.Sampled; s.Rate == 1 { // as auditing.Ledger counts it
				loss.Rho, loss.Sampled = float64(s.Steps)*accountant.GaussianRho(s.Noise), accountant.SampledGaussian{}
			}
			r.Planned = &loss
			r.Mechanism += fmt.Sprintf(", client %d", node)
			runs = append(runs, r)
		}
	}
	return runs, nil
}

// kinds are clients, from 0, one of each kind of clients that differ.
func (p *plan) kinds() []int {
	if s := p.at.Sharing; s != nil {
		return s.Clipped()
	}
	first, _ := p.at.Individual.Kinds()
	return first
}

// hiddenClips reports whether clients have bounds of their own in sums that hide them.
func (p *plan) hiddenClips() bool { return p.at.Sharing != nil && p.own.clips != nil }

// totalOf is the loss of a client in all rounds, of the one that pays the most where all pay alike.
func (p *plan) totalOf(client messages.NodeID) accountant.Total {
	if n := p.at.Individual; n != nil {
		return n.Total(int(client) - 1)
	}
	if p.hiddenClips() {
		var total accountant.Total
		total.AddTimes(p.at.Sharing.MessageAmong(client), p.most.Times)
		return total
	}
	return p.total()
}

// everybody has all clients take part whenever they may, for an audit of the rounds together.
func (p *plan) everybody() (err error) {
	rates := make([]float64, p.at.Clients)
	for client := range rates {
		rates[client] = 1
	}
	p.take(mechanisms.ByRate, rates)
	p.at.Individual, err = p.individual(&p.mechanism)
	return err
}
