package scenarios_test

import (
	"context"
	"math"
	"testing"

	"starling/actors/algorithm"
	"starling/actors/lockstep"
	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/ledger"
	"starling/scenarios/scenariotest"
)

// transcript is what participants of a run did, by participant and step: which losses of more
// than nothing they paid, and whether they sent something of a release that somebody sees.
type transcript struct {
	*ledger.Ledger
	paid map[place][]accountant.Loss
	sent map[place]bool
}

type place struct {
	node messages.NodeID
	step int
}

func (m *transcript) Spent(node messages.NodeID, step int, loss accountant.Loss) error {
	if loss != (accountant.Loss{}) {
		m.paid[place{node, step}] = append(m.paid[place{node, step}], loss)
	}
	return m.Ledger.Spent(node, step, loss)
}

func (m *transcript) Exposed(from, to messages.NodeID, step int, mark *algorithm.Mark) {
	m.sent[place{from, step}] = m.sent[place{from, step}] || m.Sees(from, to) && mark.Exposure() != messages.Public
	m.Ledger.Exposed(from, to, step, mark)
}

// EachReceiver implements algorithm.ReceiverMeter: broadcasts are told link by link, to liars too.
func (m *transcript) EachReceiver() bool { return true }

// apart is how many standard deviations the means of two normal laws are apart whose releases are
// (epsilon, delta)-private, by bisection of the closed form.
func apart(epsilon, delta float64) float64 {
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	low, high := 1e-3, 1e3
	for range 200 {
		mu := (low + high) / 2
		if phi(mu/2-epsilon/mu)-math.Exp(epsilon)*phi(-mu/2-epsilon/mu) > delta {
			high = mu
		} else {
			low = mu
		}
	}
	return low
}

// like tells whether two losses are the same but for rounding.
func like(a, b accountant.Loss) bool {
	close := func(x, y float64) bool { return x == y || math.Abs(x-y) <= 1e-9*math.Abs(y) }
	return close(a.Epsilon, b.Epsilon) && close(a.Rho, b.Rho) && close(a.Delta, b.Delta) &&
		close(a.Sampled.Rate, b.Sampled.Rate) && close(a.Sampled.Noise, b.Sampled.Noise) && a.Sampled.Steps == b.Sampled.Steps
}

// What plans have participants pay is what closed forms say of the steps in which a transcript
// has them send, at most and at least; and machines pay that, no more and no less often.
func TestBillsByTranscripts(t *testing.T) {
	sampled := func(rate, noise float64) accountant.Loss {
		return accountant.Loss{Sampled: accountant.SampledGaussian{Rate: rate, Noise: noise, Steps: 1}}
	}
	// nothing, or a pure loss, once.
	once := func(epsilon float64) []ledger.Price {
		if epsilon == 0 {
			return nil
		}
		return []ledger.Price{{Loss: accountant.Loss{Epsilon: epsilon}, Least: 1, Most: 1}}
	}
	// The noise of step t hides a point that alpha_(t-1) has moved, and is scaled to alpha_t = c/sqrt(t).
	printed := func(t int) []ledger.Price {
		if t == 1 {
			return nil
		}
		return once(math.Sqrt(float64(t) / float64(t-1)))
	}
	steps := func(node messages.NodeID, least, most int) []ledger.Price {
		if node == 0 { // the server
			return nil
		}
		return []ledger.Price{{Loss: sampled(8.0/40, 2), Least: least, Most: most}}
	}
	for name, test := range map[string]struct {
		text      string
		overrides []string
		// restarts tells whether a participant has lost what it knew in the step.
		want func(node messages.NodeID, t int, restarts bool) []ledger.Price
	}{
		"dpdonc": {scenariotest.Base, nil, func(_ messages.NodeID, t int, _ bool) []ledger.Price { return printed(t) }},
		"dpdonc, nodes that forget": {
			scenariotest.Base, []string{"horizon=24", "network={kind: effects, churn: {fail: 0.3, recover: 0.5, forget: true}}"},
			func(_ messages.NodeID, t int, restarts bool) []ledger.Price {
				if restarts {
					return nil
				}
				return printed(t)
			},
		},
		"dsgd": {
			scenariotest.Base, []string{"algorithm={kind: dsgd, learning_rate: 0.2}", "mechanism={kind: laplace, epsilon: 0.7}"},
			func(messages.NodeID, int, bool) []ledger.Price { return once(0.7) },
		},
		"dpfl": {
			scenariotest.Trained, []string{"algorithm={kind: dpfl, tau: 3, learning_rate: 0.5, batch: 8, clip: 0.1}"},
			func(node messages.NodeID, _ int, _ bool) []ledger.Price { return steps(node, 3, 3) },
		},
		"dpfl, correlated": {
			scenariotest.Trained, []string{"algorithm={kind: dpfl, tau: 3, learning_rate: 0.5, clip: 0.1}", "mechanism={kind: tree, epsilon: 2, delta: 1e-5}"},
			func(node messages.NodeID, t int, _ bool) []ledger.Price {
				if node == 0 || t > 1 {
					return nil
				}
				return []ledger.Price{{Loss: accountant.Loss{Rho: apart(2, 1e-5) * apart(2, 1e-5) / 2}, Least: 1, Most: 1}}
			},
		},
		"ali-dpfl": {
			scenariotest.Trained, []string{"algorithm={kind: ali-dpfl, learning_rate: 0.5, batch: 8, clip: 0.1, statistics: private, statistics_sigma: 3, statistics_clip: 1, statistics_lipschitz: 1}"},
			func(node messages.NodeID, t int, _ bool) []ledger.Price {
				list := steps(node, 1, -1)
				if node > 0 && t >= 2 && t <= 11 { // of 12 rounds
					list = append(list, ledger.Price{Loss: sampled(1, 3), Most: 2})
				}
				return list
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := scenariotest.LoadText(t, test.text, append(test.overrides, "seeds.count=1")...)
			arm, j := s.Arms[0], scenariotest.JobOf(t, s)
			m := &transcript{j.Meter, map[place][]accountant.Loss{}, map[place]bool{}}
			j.Run.Meter = m
			if err := lockstep.Run(context.Background(), &j.Run); err != nil {
				t.Fatal(err)
			}
			if err := j.Meter.Settled(arm.Extent.FirstLabel); err != nil {
				t.Fatal(err)
			}
			network := j.Run.Network
			for node := range messages.NodeID(len(j.Run.Machines)) {
				begun, payments := false, 0
				for step := 1; step <= arm.File.Horizon; step++ {
					if network != nil && !network.Up(node, step-1) {
						continue
					}
					at := place{node, step}
					moment := ledger.Moment{Begins: !begun, Paid: payments > 0, Payments: payments + len(m.paid[at])}
					bill := j.Meter.Bills(node, step, moment)
					begun, payments = true, moment.Payments
					want := test.want(node, step, network != nil && network.Restarts(node, step-1))
					var got []ledger.Price
					for _, p := range bill.Prices {
						if p.Most > 0 {
							got = append(got, p)
						}
					}
					same := len(got) == len(want)
					for i := range got {
						same = same && like(got[i].Loss, want[i].Loss) && got[i].Least == want[i].Least && (want[i].Most < 0 || got[i].Most == want[i].Most)
					}
					if !same {
						t.Fatalf("step %d, node %d: the bill is %s, want %v", step, node, bill, want)
					}
					// What was paid, loss by loss.
					left := len(m.paid[at])
					for _, p := range want {
						count := 0
						for _, loss := range m.paid[at] {
							if like(loss, p.Loss) {
								count++
							}
						}
						left -= count
						if m.sent[at] && count < p.Least || p.Most >= 0 && count > p.Most {
							t.Fatalf("step %d, node %d: paid %d times %s, want %d to %d times", step, node, count, p.Loss, p.Least, p.Most)
						}
					}
					if left != 0 {
						t.Fatalf("step %d, node %d: paid %v, want %v", step, node, m.paid[at], want)
					}
					if len(want) > 0 && want[0].Least > 0 && !m.sent[at] {
						t.Errorf("step %d, node %d: it pays and sends nothing", step, node)
					}
				}
			}
		})
	}
}
