package aggregation

import (
	"cmp"
	"math"
	"slices"

	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/ledger"
)

// Individual has the privacy of clients that differ, where a trusted server adds noise to their sum.
// Each client pays its own loss, in place of the server: in every round of its group, whether its
// draw has it take part or not. It is immutable, and shared by all machines of a run.
//
// A client of sampling rate q_i and clip C_i meets the noise N(0, sigma^2 C^2 I) as a sum over a
// Poisson sample of rate q_i that it moves by C_i: one step of the sampled Gaussian mechanism of
// multiplier sigma C/C_i. The draws of other clients are independent of its own, so their rates do
// not matter (Boenisch, Mühl, Dziedzic, Rinberg, Papernot 2023; Jorgensen, Yu, Cormode 2015).
//
// A client with a filter is in every round of its group. See Filter for its loss.
type Individual struct {
	Rule   *Participation
	Rounds int
	// Scale is the standard deviation sigma C of the noise of Filters.
	Scale float64
	// Clips and Filters are by client, from 0: C_i, and rho_i or +Inf for no filter. nil Filters are
	// no filters.
	Clips, Filters []float64
	// Losses are the losses of a round of clients without a filter.
	Losses []accountant.Loss
	// Deltas are the deltas of clients, where the loss of each is stated at its own; nil is one for all.
	Deltas []float64
	// Dearest is the client, from 0, that pays the most in a run.
	Dearest int
}

// Filter bounds the loss of one client in a run, by its own vectors (Feldman, Zrnic 2021, Individual
// Privacy Accounting via a Rényi Filter, Theorem 3.1 with a constant order). In a round in which the
// client sends u, and the noise has standard deviation Scale, it pays |u|^2/(2 Scale^2). Vectors are
// shortened so that the payments of a run never pass Rho.
//
// Let D and D' differ in client i, and o be the releases of the rounds so far. Given o, round t is
// a Gaussian whose means differ by u_it(o), so the Rényi divergence of order a of its conditional
// laws is a |u_it(o)|^2/(2 Scale^2) =: a rho_it(o). Whatever o, the filter has sum_t rho_it(o) <=
// Rho. By induction from the last round the divergence of all releases is at most a max_o sum_t
// rho_it(o) <= a Rho, for every order a > 1: Rho-zCDP. The client is in all rounds, for a sample
// that is drawn anew has no divergence that is a sum over the client's own vectors.
//
// Paid depends on the client's data. It stays at the client: no message, metric, note or result has
// it. The same bound on all vectors that may come makes the a-priori payments of the ledger; see
// Individual.Of.
type Filter struct {
	Rho, Scale float64
	Paid       float64
	// Turns is the number of rounds that the client has paid for to the ledger. A client that is down
	// in a round pays nothing for it.
	Turns int
}

// rounding is the part of a bound, and of a payment, that makes up for rounding: Paid is at least the
// real sum of payments, and that sum does not pass Rho.
const rounding = 1.0 / (1 << 40)

// Bound returns the 2-norm that the next vector may have.
func (f *Filter) Bound() float64 {
	return f.Scale * math.Sqrt(2*max(0, f.Rho-f.Paid)) * (1 - rounding)
}

// Pay notes that a vector of a 2-norm was sent. last means that it was shortened to Bound: then
// nothing is left.
func (f *Filter) Pay(norm float64, last bool) {
	if last {
		f.Paid = f.Rho
	}
	if last || norm == 0 {
		return
	}
	f.Paid = min(f.Rho, math.Nextafter(f.Paid+float64(rhoOf(norm, f.Scale)*(1+rounding)), math.Inf(1)))
}

// State implements messages.Stateful.
func (f *Filter) State(c *messages.Codec) {
	c.Float("paid", &f.Paid)
	c.Int("rounds paid for", &f.Turns)
}

// rhoOf is the rho of Gaussian noise of a standard deviation on a vector that moves by a 2-norm.
func rhoOf(norm, scale float64) float64 { return float64(norm*norm) / (2 * scale * scale) }

// ClipOf is the 2-norm that the vectors of a client, from 0, are clipped to.
func (n *Individual) ClipOf(client int) float64 { return n.Clips[client] }

// FilterOf returns the filter of a client, from 0, at the beginning of a run; nil for none.
func (n *Individual) FilterOf(client int) *Filter {
	if !n.filters(client) {
		return nil
	}
	return &Filter{Rho: n.Filters[client], Scale: n.Scale}
}

// filters reports whether a client has a filter.
func (n *Individual) filters(client int) bool {
	return n.Filters != nil && !math.IsInf(n.Filters[client], 1)
}

// Of is the loss of a client, from 0, in the round of its group of a number, from 1, among those that
// it has paid for. With a filter it is the increment of min(Rho, k C_i^2/(2 Scale^2)), the largest sum of
// payments of k rounds: a bound that depends on no data.
func (n *Individual) Of(client, turn int) accountant.Loss {
	if !n.filters(client) {
		return n.Losses[client]
	}
	rho, each := n.Filters[client], n.LongestPays(client)
	return accountant.Loss{Concentrated: min(each, max(0, rho-float64(float64(turn-1)*each)))}
}

// LongestPays is the rho of a round of a client, from 0, with a vector as long as its clip.
func (n *Individual) LongestPays(client int) float64 { return rhoOf(n.Clips[client], n.Scale) }

// Pays returns the payment of a client in a round, zero where it has none. of is its filter; nil is
// none.
func (n *Individual) Pays(node messages.NodeID, round int, of *Filter) accountant.Loss {
	switch {
	case !n.Rule.Turn(round, node):
		return accountant.Loss{}
	case of == nil:
		return n.Losses[node-1]
	}
	return n.Of(int(node)-1, of.Turns+1)
}

// bill is the bill of a participant in a round. A client with a filter makes payments until they come
// to its rho. Then it sends without one.
func (n *Individual) bill(node messages.NodeID, round int, moment ledger.Moment) ledger.ExpectedPayment {
	client := int(node) - 1
	switch {
	case client < 0 || client >= len(n.Clips) || !n.Rule.Turn(round, node):
		return ledger.ExpectedPayment{}
	case !n.filters(client):
		return ledger.Pays(n.Losses[client], 1, 1)
	}
	none := accountant.Loss{}
	loss, least := n.Of(client, max(1, moment.Payments)), 1
	if n.Of(client, moment.Payments+1) == none {
		least = 0
	}
	if loss == none {
		return ledger.ExpectedPayment{}
	}
	return ledger.Pays(loss, least, 1)
}

// Turns is the number of rounds of a client, from 0, in a run.
func (n *Individual) Turns(client int) int {
	return n.Rule.Turns(n.Rounds, messages.NodeID(client+1))
}

// Total is the loss of a client, from 0, in all rounds of its group.
func (n *Individual) Total(client int) (total accountant.Total) {
	if !n.filters(client) {
		total.AddTimes(n.Losses[client], n.Turns(client))
		return total
	}
	for turn := range n.Turns(client) {
		loss := n.Of(client, turn+1)
		if loss == (accountant.Loss{}) {
			break
		}
		total.Add(loss)
	}
	return total
}

// Candidates returns clients, from 0, among which is the one that pays the most in a run, of the
// first ones of all kinds. Of clients without a filter they are those that no other of their delta exceeds
// in rate and clip in as many rounds, since a larger one never pays less. Of clients with a filter it is
// one of each delta with the largest total.
func (n *Individual) Candidates(first []int) (list []int) {
	var free []int
	var filtered []int
	largest := map[float64]int{} // of a delta, the place in filtered
	for _, client := range first {
		if !n.filters(client) {
			free = append(free, client)
			continue
		}
		k, ok := largest[n.delta(client)]
		if !ok {
			largest[n.delta(client)] = len(filtered)
			filtered = append(filtered, client)
			continue
		}
		before, total := n.Total(filtered[k]), n.Total(client)
		if total.Rho() > before.Rho() {
			filtered[k] = client
		}
	}
	slices.SortFunc(free, func(a, b int) int {
		return cmp.Or(cmp.Compare(n.Turns(b), n.Turns(a)), cmp.Compare(n.rate(b), n.rate(a)), cmp.Compare(n.Clips[b], n.Clips[a]), cmp.Compare(a, b))
	})
	widest := map[float64]int{} // of a delta, the last of the list
	for _, client := range free {
		last, ok := widest[n.delta(client)]
		if !ok || n.Turns(client) < n.Turns(last) || n.Clips[client] > n.Clips[last] {
			list = append(list, client)
			widest[n.delta(client)] = client
		}
	}
	return append(list, filtered...)
}

// delta is the delta of a client, from 0, that has its own.
func (n *Individual) delta(client int) float64 {
	if n.Deltas == nil {
		return 0
	}
	return n.Deltas[client]
}

// rate is the sampling rate of a client, from 0.
func (n *Individual) rate(client int) float64 { return n.Rule.RateOf(messages.NodeID(client + 1)) }

// kindOf has all that clients of one kind have alike.
type kindOf struct {
	turns              int
	rate, clip, filter float64
	delta              float64
}

// Kinds returns one client, from 0, of each kind: the first with its rate, clip, filter, delta and
// number of rounds. sizes are the numbers of clients of each kind.
func (n *Individual) Kinds() (first, sizes []int) {
	known := map[kindOf]int{}
	for client, clip := range n.Clips {
		kind := kindOf{n.Turns(client), n.rate(client), clip, math.Inf(1), n.delta(client)}
		if n.filters(client) {
			kind.filter = n.Filters[client]
		}
		k, ok := known[kind]
		if !ok {
			k = len(first)
			known[kind] = k
			first, sizes = append(first, client), append(sizes, 0)
		}
		sizes[k]++
	}
	return first, sizes
}
