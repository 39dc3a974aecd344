package aggregation

import (
	"cmp"
	"slices"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/mechanisms/noise"
	"starling/messages"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
)

// Records is the noise of clients that protect their samples: Noise, on the sum of gradients of
// 2-norm Clip at most of every local step. Clip may be +Inf without noise.
type Records struct {
	Noise noise.Released
	Clip  float64
	// Own is the noise of each client, from 0, where it differs; nil is Noise. Dearest is then the
	// client that pays the most in a run. Each client adds its noise to its own sums and no other
	// noise hides them, so that the others' multipliers do not matter for its loss.
	Own     []noise.Released
	Dearest int
	// Steps are the local steps for each step since the round before, and Stragglers take fewer;
	// nil is none.
	Steps      int
	Stragglers *algorithm.DrawnStragglers
	Calendar   *Calendar
	// Rates are the sampling rates of a step, by client, from 0. Where Stands is not nil, all clients
	// have the first: Stands returns the client that a participant stands for in a step.
	Rates  []float64
	Stands func(node messages.NodeID, step int) messages.NodeID
	// Most is the largest participation of a client.
	Most factorization.Participation
}

// Of is the noise of a client, from 0, in one local step.
func (r *Records) Of(client int) noise.Released {
	if r.Own != nil {
		return r.Own[client].At(r.Rates[client])
	}
	if r.Stands != nil {
		client = 0
	}
	return r.Noise.At(r.Rates[client])
}

// Scaled returns the noise times a factor, at the same losses: a planted fault.
func (r *Records) Scaled(by float64) *Records {
	of := *r
	of.Noise, of.Own = r.Noise.Scaled(by), slices.Clone(r.Own)
	for client := range of.Own {
		of.Own[client] = of.Own[client].Scaled(by)
	}
	return &of
}

// Candidates returns clients, from 0, among which is the one that pays the most in a run: those that no
// other exceeds in its rate without a larger multiplier.
func (r *Records) Candidates() (list []int) {
	order := make([]int, len(r.Rates))
	for client := range order {
		order[client] = client
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(r.Rates[b], r.Rates[a]), cmp.Compare(r.Own[a].Scale(), r.Own[b].Scale()), cmp.Compare(a, b))
	})
	for _, client := range order {
		if len(list) == 0 || r.Own[client].Scale() < r.Own[list[len(list)-1]].Scale() {
			list = append(list, client)
		}
	}
	return list
}

// dearest is the client that pays the most: of one noise for all the one with the largest rate, which
// has the fewest samples.
func (r *Records) dearest() (client int) {
	if r.Own != nil {
		return r.Dearest
	}
	for i, rate := range r.Rates {
		if rate > r.Rates[client] {
			client = i
		}
	}
	return client
}

// Loss implements Noise: the loss of the client that pays the most. It is planned for as a client that
// is never a straggler.
func (r *Records) Loss(step int) accountant.Loss {
	if !pays(r.Most, r.Calendar, step) {
		return accountant.Loss{}
	}
	loss := r.Of(r.dearest()).Loss()
	loss.Sampled.Steps *= r.Steps * r.Calendar.Since(step)
	return loss
}

// Bill implements Noise: clients pay for every local step that they take.
func (r *Records) Bill(node messages.NodeID, step int, _ ledger.Moment) ledger.ExpectedPayment {
	client := node
	if r.Stands != nil {
		client = r.Stands(node, step)
	}
	if node == 0 || r.Stands == nil && int(node) > len(r.Rates) || !r.Calendar.Has(step) { // or a server
		return ledger.ExpectedPayment{}
	}
	steps := r.Stragglers.Steps(client, step, r.Steps*r.Calendar.Since(step))
	return ledger.Pays(r.Of(int(client)-1).Loss(), steps, steps)
}

// Drowning implements Noise. It returns zeros for noise in local steps.
func (*Records) Drowning() (size, signal float64) { return 0, 0 }

// Metrics implements Noise.
func (*Records) Metrics() metric.List { return nil }
