package federated

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/federated/aggregation"
	"starling/scenarios/ledger"
	"starling/scenarios/personal"
	"starling/scenarios/section/mechanisms"
	"starling/scenarios/study"
)

// individualValues are the values of clients that differ, from 0, where a trusted server adds noise to
// their sum; nil means that all clients are alike.
type individualValues struct {
	rates, clips, filters []float64
	sigmas                []float64 // of clients that protect their samples
	// targets are the epsilons for which a value is found; +Inf of clients in no group.
	targets []float64
	// deltas are the deltas at which losses are stated, where clients have their own.
	deltas []float64
	found  string // the values that were found, for people
}

// individualKeys lists the keys that have clients differ.
func (p *plan) individualKeys() (keys []string) {
	c := &p.common
	for _, key := range []struct {
		name  string
		given bool
	}{
		{"algorithm.rates", c.Participation.Rates.Any()}, {"algorithm.clips", c.Clips.Any()},
		{"algorithm.filters", c.Filters.Any()}, {"mechanism.by", p.mechanism.By != ""},
	} {
		if key.given {
			keys = append(keys, key.name)
		}
	}
	return keys
}

// differs reports whether clients differ in what they pay to a trusted server's sum.
func (p *plan) differs() bool { return p.common.Aggregation == nil && len(p.individualKeys()) > 0 }

// filtered reports whether some clients may have a filter.
func (p *plan) filtered() bool {
	return p.private() && (p.common.Filters.Any() || p.mechanism.By == mechanisms.ByFilter)
}

// readIndividual reads the values of clients that differ. It returns all faults.
func (p *plan) readIndividual() error {
	c, own := &p.common, &p.own
	at := personal.Site{Section: p.file.Algorithm, Data: p.data, Nodes: p.file.Nodes, Fewer: p.fewer, Column: p.column}
	var found study.Faults
	var err error
	own.rates, err = c.Participation.Rates.Of(at, "rates", c.Participation.Rate, 1)
	found.Note(err)
	own.clips, err = c.Clips.Of(at, "clips", float64(c.Clip), math.Inf(1))
	found.Note(err)
	own.filters, err = c.Filters.Of(at, "filters", math.Inf(1), math.Inf(1))
	found.Note(err)
	at.Section = p.file.Mechanism
	targets, err := p.mechanism.Targets(at)
	own.targets = targets.Epsilons
	if found.Note(err) { // else deltas have the same faults
		own.deltas, err = study.DeltasOf(at, &p.file.File, p.file.Doc, p.file.Budget.StatedDelta(p.mechanism.Delta))
		found.Note(err)
	}
	own.sigmas, err = p.mechanism.Sigmas(at)
	found.Note(err)
	if len(found) > 0 {
		*own = individualValues{}
	}
	c.Participation = c.Participation.WithRates(own.rates)
	return found.Err()
}

// checkIndividual refuses settings in which no loss of one client by itself is proved.
func (p *plan) checkIndividual() error {
	var found study.Faults
	c, m, keys := &p.common, &p.mechanism, p.individualKeys()
	refuse := func(refused bool, why string) {
		for _, key := range keys {
			if refused {
				found.At(key, "%s", why)
			}
		}
	}
	refuse(p.buffer != nil, "which clients meet in a buffer is the network's choice, and the server pays for the one that is in the most: clients that differ are for a server that takes a step in every round")
	refuse(c.Level == Record, "with level: record clients protect their samples by noise of their own in every local step; want level: user")
	for _, key := range keys {
		if why := c.Aggregation.RefusesOwn(key == "algorithm.clips" || m.By == mechanisms.ByClip && key == "mechanism.by", p.filtersBy(key)); why != "" {
			found.At(key, "%s", why)
		}
	}
	refuse(p.tiers != nil, "levels of servers add noise to the sums of their own clients, and all clients pay alike there; want the topology star")
	refuse(m.Correlated != nil, "noise that is correlated over rounds has one loss for all rounds of a client, of its sensitivity to rounds that lie apart; want noise of its own on each round, such as sampled-gaussian")
	refuse(c.Participation.Times != nil || c.Participation.Apart > c.Participation.Groups, "a client pays in every round of its group; with times, or apart beyond groups, its rounds depend on the rounds before")
	refuse(c.Participation.Lists(), "a client pays in every round of its group, and a list of attendance has no groups")
	if m.OwnSigmas() && c.Level != Record {
		found.At("mechanism.sigmas", "one server adds the noise of a round, and clients differ in their part of the sum: want algorithm.rates, clips or filters, or level: record, whose clients have noise of their own")
	}
	filters := "algorithm.filters"
	if m.By == mechanisms.ByFilter {
		filters = "mechanism.by"
	}
	if p.filtered() && c.Participation.Partial() {
		found.At(filters, "the proof of individual filters has no secret sample: each round pays for the whole length of a vector; want rate 1 for all clients")
	}
	if p.filtered() && m.Owned() {
		found.At(filters, "individual filters are for Gaussian noise; %s noise has other losses", noise.Title(m.Own.Law))
	}
	for _, twice := range []struct {
		by    mechanisms.By
		key   string
		given bool
	}{{mechanisms.ByRate, "rates", c.Participation.Rates.Any()}, {mechanisms.ByClip, "clips", c.Clips.Any()}, {mechanisms.ByFilter, "filters", c.Filters.Any()}} {
		if m.By == twice.by && twice.given {
			found.At("algorithm."+twice.key, "mechanism.by: %s finds these values for the epsilons of groups; leave one of the two out", m.By)
		}
	}
	return found.Err()
}

// filtersBy reports whether a key has clients differ by individual filters.
func (p *plan) filtersBy(key string) bool {
	return key == "algorithm.filters" || key == "mechanism.by" && p.mechanism.By == mechanisms.ByFilter
}

// valuesOf are the rate and the clip of a client, from 0.
func (p *plan) valuesOf(client int) (rate, clip float64) {
	clip = float64(p.common.Clip)
	if p.own.clips != nil {
		clip = p.own.clips[client]
	}
	return p.common.Participation.RateOf(messages.NodeID(client + 1)), clip
}

// deltaOf is the delta at which the loss of a client, from 0, is stated.
func (p *plan) deltaOf(client int) float64 {
	if p.own.deltas != nil {
		return p.own.deltas[client]
	}
	return p.mechanism.Delta
}

// sigmaOf is the noise multiplier of a client, from 0, that protects its samples.
func (p *plan) sigmaOf(client int) float64 {
	if p.own.sigmas != nil {
		return p.own.sigmas[client]
	}
	return p.mechanism.Sigma
}

// noteSigmas notes the multipliers of clients that have their own.
func (p *plan) noteSigmas(r *study.Remarks) {
	if p.own.sigmas == nil || !p.private() {
		return
	}
	sorted := slices.Sorted(slices.Values(p.own.sigmas))
	least, most := sorted[0], sorted[len(sorted)-1]
	r.Add("sigmas", "clients have noise multipliers of their own, from %.6g to %.6g, with the median %.6g", least, most, sorted[(len(sorted)-1)/2])
}

// lossOf is the loss of a round of a client of a rate and a clip, to the noise of the clip of all.
func (p *plan) lossOf(m *mechanisms.Sums, rate, clip float64) accountant.Loss {
	all, width := float64(p.common.Clip), p.at.Width
	switch {
	case !m.Private():
		return accountant.NotPrivate()
	case p.common.Aggregation != nil: // of a sum of shares, of which a sample is no secret
		return noise.Gaussian{Scale: m.Sigma * all}.Loss(clip)
	case m.Owned():
		return noise.OnEach(m.Noise(noise.MovesL2(all, width)), noise.MovesL2(clip, width)).Loss()
	case m.Whole:
		rate = 1
	}
	return noise.Gaussian{Scale: m.Sigma * all}.SampledLoss(clip, rate)
}

// individual makes the payments of clients by a mechanism.
func (p *plan) individual(m *mechanisms.Sums) (*aggregation.Individual, error) {
	n := &aggregation.Individual{
		Rule: p.at.Participation, Rounds: p.rounds, Scale: m.Sigma * float64(p.common.Clip),
		Clips: make([]float64, p.at.Clients), Losses: make([]accountant.Loss, p.at.Clients), Deltas: p.own.deltas,
	}
	for client := range n.Clips {
		rate, clip := p.valuesOf(client)
		n.Clips[client], n.Losses[client] = clip, p.lossOf(m, rate, clip)
	}
	if p.own.filters != nil && m.Private() {
		n.Filters = slices.Clone(p.own.filters)
		if p.fewer {
			p.narrowFilters(n)
		}
	}
	first, _ := n.Kinds()
	most := -1.0
	for _, client := range n.Candidates(first) {
		epsilon, err := p.statedAt(n.Total(client), p.deltaOf(client))
		if err != nil {
			return nil, err
		}
		if epsilon > most {
			n.Dearest, most = client, epsilon
		}
	}
	return n, nil
}

// checkFirstRound refuses budgets that pay for no client in the first round. Clients pay for the models
// of the server: one for which nobody has paid would count as raw.
func (p *plan) checkFirstRound() error {
	n, b := p.at.Individual, p.file.Budget
	if n == nil || p.fewer || !p.private() || !b.Limits() || b.On != ledger.BudgetStop {
		return nil
	}
	limits, err := p.budgets()
	if err != nil {
		return nil // the check of budgets, which comes after this, tells it
	}
	start := p.corpus.Before(accountant.AddOrRemove)
	type try struct {
		loss         accountant.Loss
		limit, delta float64
	}
	tried := map[try]bool{} // of many clients few differ
	for client, limit := range limits {
		of := try{n.Of(client, 1), limit, b.Delta}
		if p.own.deltas != nil {
			of.delta = p.own.deltas[client]
		}
		if tried[of] || !n.Rule.Turn(1, messages.NodeID(client+1)) {
			continue
		}
		tried[of] = true
		own, total := *b, start.Added(of.loss.Total())
		own.Epsilon, own.Delta, own.Groups = document.Epsilon(limit), of.delta, personal.Groups{}
		budget := own.Limit(ledger.Account{Delta: p.deltaOf(client), By: p.mechanism.Accountant, Converted: p.converted()})
		if allowed, err := budget.Allows(&total); err == nil && allowed {
			return nil
		}
	}
	return document.At("budget", "it pays for no client in the first round, so that nobody can stop before the server shows a model; want more")
}

// budgets are the epsilons of the budgets of clients, from 0; +Inf is none.
func (p *plan) budgets() ([]float64, error) {
	section, _ := p.file.Doc.Find("budget")
	at := personal.Site{Section: section, Data: p.data, Nodes: p.at.Clients, Column: p.column}
	of, err := p.file.Budget.Groups.Assign(&at, float64(p.file.Budget.Epsilon))
	return of.Epsilons, err
}

// narrowFilters has filters bind in an audit, which has fewer rounds than the arm: after three
// eighths of them, with a canary as long as its clip.
func (p *plan) narrowFilters(n *aggregation.Individual) {
	for client, rho := range n.Filters {
		if math.IsInf(rho, 1) {
			continue
		}
		n.Filters[client] = min(rho, n.LongestPays(client)*3*float64(n.Turns(client))/8)
	}
}

// findValues finds the values of clients with an epsilon of their own: the largest ones at which the
// payments of a client and the start have that epsilon, at most.
func (p *plan) findValues() error {
	if p.own.targets == nil || !p.private() {
		return nil
	}
	by, own := p.mechanism.By, &p.own
	values := make([]float64, p.at.Clients)
	found := map[finding]float64{}
	var order []finding
	sizes := map[finding]int{}
	var faults []error
	for client, epsilon := range own.targets {
		rate, clip := p.valuesOf(client)
		of := finding{epsilon: epsilon, delta: p.deltaOf(client), turns: p.at.Participation.Turns(p.rounds, messages.NodeID(client+1))}
		switch by {
		case mechanisms.ByRate:
			values[client], of.other = rate, clip
		case mechanisms.ByClip:
			values[client], of.other = clip, rate
		case mechanisms.ByFilter:
			values[client] = math.Inf(1)
		}
		if math.IsInf(epsilon, 1) || of.turns == 0 {
			continue
		}
		value, ok := found[of]
		if !ok {
			var err error
			if value, err = p.find(of); err != nil {
				faults = append(faults, document.At("groups", "client %d: no %s has an epsilon of %.6g: %v", client+1, by, epsilon, err))
			}
			found[of], order = value, append(order, of)
		}
		values[client] = value
		sizes[of]++
	}
	if err := errors.Join(faults...); err != nil {
		return p.file.Mechanism.Resolve(err)
	}
	p.take(by, values)
	own.found = p.foundText(order, found, sizes)
	return nil
}

// take sets the values that were found.
func (p *plan) take(by mechanisms.By, values []float64) {
	switch by {
	case mechanisms.ByRate:
		p.own.rates = values
		p.common.Participation = p.common.Participation.WithRates(values)
		p.at.Participation = &p.common.Participation
		p.at.Expected = p.expected()
	case mechanisms.ByClip:
		p.own.clips = values
	case mechanisms.ByFilter:
		p.own.filters = values
	}
}

// finding is an epsilon for which a value is found, at a delta. other is the client's clip where its rate is
// found, and its rate where its clip is; turns are its rounds.
type finding struct {
	epsilon, delta, other float64
	turns                 int
}

// find finds a value. In an audit, which has fewer rounds, a rate of 1 may cost less.
func (p *plan) find(of finding) (float64, error) {
	m, start, most := &p.mechanism, p.corpus.Before(accountant.AddOrRemove), math.Inf(1)
	var loss func(value float64) accountant.Loss
	times := of.turns
	switch m.By {
	case mechanisms.ByRate:
		most = 1
		loss = func(rate float64) accountant.Loss { return p.lossOf(m, rate, of.other) }
	case mechanisms.ByClip:
		loss = func(clip float64) accountant.Loss { return p.lossOf(m, of.other, clip) }
	case mechanisms.ByFilter:
		times = 1
		loss = func(rho float64) accountant.Loss { return accountant.Loss{Concentrated: rho} }
	}
	value, err := noise.Greatest(of.epsilon, most, func(value float64) (float64, error) {
		var total accountant.Total
		total.AddTimes(loss(value), times)
		return p.statedAt(start.Added(total), of.delta)
	})
	var little noise.TooLittleError
	if p.fewer && errors.As(err, &little) {
		return little.Most, nil
	}
	return value, err
}

// mostFound is the number of values that a note lists.
const mostFound = 20

// foundText describes the values that were found.
func (p *plan) foundText(order []finding, found map[finding]float64, sizes map[finding]int) string {
	var list []string
	for k, of := range order {
		if k == mostFound {
			list = append(list, fmt.Sprintf("%d more", len(order)-k))
			break
		}
		text := fmt.Sprintf("%.6g for %.6g", found[of], of.epsilon)
		if p.own.deltas != nil {
			text += fmt.Sprintf(" at delta %.6g", of.delta)
		}
		list = append(list, fmt.Sprintf("%s (%s)", text, document.Counted(sizes[of], "client")))
	}
	name := map[mechanisms.By]string{mechanisms.ByRate: "rates", mechanisms.ByClip: "clips", mechanisms.ByFilter: "rhos of filters"}[p.mechanism.By]
	at := fmt.Sprintf("delta %.6g", p.mechanism.Delta)
	if p.own.deltas != nil {
		at = "their own deltas"
	}
	return fmt.Sprintf("%s, the largest with the epsilons of groups at %s in the whole run: %s", name, at, strings.Join(list, ", "))
}

// noteIndividual notes the values of clients that differ.
func (p *plan) noteIndividual(r *study.Remarks) {
	n := p.at.Individual
	if n == nil {
		if p.own.found != "" {
			r.Add("found", "%s", p.own.found)
		}
		return
	}
	first, sizes := n.Kinds()
	var list []string
	for k, client := range first {
		if k == mostFound {
			list = append(list, fmt.Sprintf("%d more kinds", len(first)-k))
			break
		}
		rate, clip := p.valuesOf(client)
		text := fmt.Sprintf("%s like client %d, of rate %.6g and clip %.6g", document.Counted(sizes[k], "client"), client+1, rate, clip)
		if f := n.FilterOf(client); f != nil {
			text += fmt.Sprintf(" with a filter of rho %.6g", f.Rho)
		}
		list = append(list, text)
	}
	r.Add("individual", "%s", strings.Join(list, "; "))
	if p.own.found != "" {
		r.Add("found", "%s", p.own.found)
	}
	if p.filtered() {
		r.Add("filters", "a client pays for the length of its vectors; the ledger states the largest possible payment; the rest of its rho depends on its data, and stays at the client and in checkpoints")
	}
}
