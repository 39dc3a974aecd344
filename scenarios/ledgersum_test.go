package scenarios

import (
	"context"
	"fmt"
	"math"
	"testing"

	"starling/actors/algorithm"
	"starling/actors/lockstep"
	"starling/mechanisms/accountant"
	"starling/messages"
)

// sending is what one node sent in a step and hop.
type sending struct {
	step, hop int
	protected bool
}

// sentBy runs a job once for each node that is watched, and returns what each
// sent over wires, and the job of the last run.
func sentBy(t *testing.T, s *Scenario, nodes ...messages.NodeID) (sent map[messages.NodeID][]sending, j *job) {
	t.Helper()
	sent = map[messages.NodeID][]sending{}
	for _, node := range nodes {
		var err error
		if j, err = s.Arms[0].algorithm.job(s.Seeds.Base); err != nil {
			t.Fatal(err)
		}
		visit := func(w *lockstep.Watched) error {
			for _, p := range payloads(w, node) {
				sent[node] = append(sent[node], sending{w.Step, w.Hop, !p.Kind().Raw()})
			}
			return nil
		}
		if err := lockstep.Watch(context.Background(), &j.run, &lockstep.Watcher{Node: node, Visit: visit}); err != nil {
			t.Fatal(err)
		}
	}
	return sent, j
}

// payloads are what a node sends in a turn: a broadcast once.
func payloads(w *lockstep.Watched, node messages.NodeID) (list []messages.Payload) {
	out := w.Graph.View(node).Out()
	if w.Outbox.Broadcast != nil && len(out) > 0 {
		list = append(list, w.Outbox.Broadcast)
	}
	for _, to := range out {
		for _, single := range w.Outbox.Singles(to) {
			list = append(list, single.Payload)
		}
	}
	return list
}

// finalRows are the rows of a job that has run, by observer and unit.
func finalRows(t *testing.T, arm *Arm, j *job) map[accountant.Observer]map[int32]float64 {
	t.Helper()
	rows, err := arm.privacyRows(j.run.Seed, j.meter)
	if err != nil {
		t.Fatal(err)
	}
	found := map[accountant.Observer]map[int32]float64{}
	for _, row := range rows {
		if !row.Final {
			continue
		}
		of := accountant.Observer(row.Observer)
		if found[of] == nil {
			found[of] = map[int32]float64{}
		}
		for unit := row.Unit; unit < row.Unit+row.Units; unit++ {
			found[of][unit] = row.Epsilon
		}
	}
	return found
}

// atSum checks a unit's loss for all of an arm's observers.
func atSum(t *testing.T, what string, got map[accountant.Observer]map[int32]float64, unit int32, want float64) {
	t.Helper()
	for observer, units := range got {
		if e := units[unit]; math.Abs(e-want) > 1e-12*want {
			t.Errorf("%s: %s learns %v of unit %d, want %v", what, observer, e, unit, want)
		}
	}
	if len(got) == 0 {
		t.Errorf("%s: nobody learns anything", what)
	}
}

// Every message of DPDO-NC after the first of a node's costs sqrt(t/(t-1)) eps as
// printed (the 2 sqrt d alpha_(t-1) theta/omega that x_t moves by, over the noise
// for alpha_t), here with eps = 1, whatever else happens: a budget that ends it,
// nodes that are down and send nothing, and nodes that forget and begin again.
func TestLedgerIsTheSumOverMessagesOfDPDONC(t *testing.T) {
	for name, overrides := range map[string][]string{
		"plain":    nil,
		"stop":     {"budget={epsilon: 5, on: stop}"},
		"down":     {"network={kind: effects, events: [{at: 4, until: 8, crash: [2]}]}"},
		"messages": {"network={kind: effects, loss: {probability: 0.3}, delay: {turns: 1}}"},
	} {
		t.Run(name, func(t *testing.T) {
			s := loadText(t, base, overrides...)
			sent, j := sentBy(t, s, 0, 1, 2)
			rows, fewest := finalRows(t, s.Arms[0], j), math.MaxInt
			for node, list := range sent {
				want := 0.0
				for _, m := range list[1:] {
					want += math.Sqrt(float64(m.step) / float64(m.step-1))
				}
				atSum(t, name, rows, int32(node)+1, want)
				fewest = min(fewest, len(list))
			}
			if all := name == "plain" || name == "messages"; all != (fewest == s.Arms[0].file.Horizon) {
				t.Errorf("the node that sent least sent %d messages", fewest)
			}
		})
	}
}

// The noise on the sums of a learner's gradients is paid for once if anything of
// it was sent, (2, 1e-3) as calibrated exactly: the accountant's inverse.
func TestLedgerIsTheSumOverMessagesOfOnlineLearning(t *testing.T) {
	s := loadText(t, learning, "mechanism.calibration=exact")
	sent, j := sentBy(t, s, 1, 2, 3)
	rows := finalRows(t, s.Arms[0], j)
	for node, list := range sent {
		if len(list) != 4 { // rounds
			t.Fatalf("learner %d sent %d messages", node, len(list))
		}
		for observer, units := range rows {
			// Calibration rounds up: at most 2, and not less than by rounding.
			if e := units[int32(node)]; e > 2*(1+1e-12) || e < 2*(1-1e-9) {
				t.Errorf("%s learns %v of learner %d, want 2", observer, e, node)
			}
		}
	}
}

// A message of the local Fed-DP-OPE-Stoch holds d noisy numbers. A linear loss in
// [0, alpha] at the root of tree j moves each of them by alpha/b at 2^j leaves, and
// the noise at each is Laplace of scale 4 alpha 2^j/(b eps): the messages of a tree
// cost d eps/4, and those of other trees and phases are of other losses. With d = 4
// and eps = 2 that is 2, as soon as one tree's messages are sent; the decisions,
// two numbers a leaf in effect, show half of that.
func TestLedgerIsTheSumOverMessagesOfExperts(t *testing.T) {
	s := loadText(t, stochastic)
	sent, j := sentBy(t, s, 1, 2, 3)
	rows := finalRows(t, s.Arms[0], j)
	for node, list := range sent {
		for _, m := range list {
			if !m.protected {
				t.Errorf("client %d sends something raw in step %d", node, m.step)
			}
		}
		marks := j.meter.paid[node].marks
		paid, pure := marks[len(marks)-1].total.Pure()
		if !pure || math.Abs(paid-2) > 2e-12 || len(list) == 0 {
			t.Errorf("client %d paid %v for %d messages", node, paid, len(list))
		}
		for _, observer := range []accountant.Observer{accountant.Wire, accountant.Server} {
			if e := rows[observer][int32(node)]; math.Abs(e-2) > 2e-12 {
				t.Errorf("%s learns %v of client %d", observer, e, node)
			}
		}
		if e := rows[accountant.Public][int32(node)]; math.Abs(e-1) > 1e-12 {
			t.Errorf("public learns %v of client %d", e, node)
		}
	}
}

// Local SGD pays for its local steps: a sampled Gaussian step for each, at the
// rate B/|D_i|. The models on the wire tell the rounds, of tau steps each.
func TestLedgerIsTheSumOverMessagesOfLocalSGD(t *testing.T) {
	for name, overrides := range map[string][]string{
		"plain": {"horizon=6"},
		"stop":  {"horizon=60", "budget={epsilon: 2, on: stop}"},
	} {
		t.Run(name, func(t *testing.T) {
			overrides = append(overrides, "algorithm.kind=dpfl", "algorithm.tau=3", "problem.partition={kind: iid}")
			s := loadText(t, trained, overrides...)
			sent, j := sentBy(t, s, 1)
			plan, arm := s.Arms[0].algorithm, s.Arms[0]
			one := plan.loss(1).Sampled
			steps := 3 * len(sent[1])
			m := j.meter.paid[1].marks
			got := m[len(m)-1].total
			if limit := arm.file.Budget; limit != nil {
				// The last round is cut to what the budget pays for.
				if one.Steps = 1; !isOfSteps(t, got, accountant.SampledGaussian{Rate: one.Rate, Noise: one.Noise, Steps: steps}, steps-2, steps) {
					t.Errorf("%d messages", len(sent[1]))
				}
				return
			}
			want, _, err := accountant.SampledGaussian{Rate: one.Rate, Noise: one.Noise, Steps: steps}.Epsilon(plan.accounts[0].delta, plan.accounts[0].by)
			if err != nil {
				t.Fatal(err)
			}
			atSum(t, name, finalRows(t, arm, j), 1, want)
		})
	}
}

// isOfSteps tells whether a total is that of a number of steps in a range.
func isOfSteps(t *testing.T, got accountant.Total, s accountant.SampledGaussian, least, most int) bool {
	t.Helper()
	for steps := least; steps <= most; steps++ {
		s.Steps = steps
		var want accountant.Total
		if want.Add(accountant.Loss{Sampled: s}); want.Equal(&got) {
			return true
		}
	}
	t.Errorf("a total of %+v, want %d to %d steps", got, least, most)
	return false
}

// Fed-SVT pays for an arming, eps/2 by both halves of the threshold's budget, and
// eta for every draw of an expert that the server sends: at most kappa of them.
func TestLedgerIsTheSumOverMessagesOfFedSVT(t *testing.T) {
	s := loadText(t, realizable)
	j := jobOf(t, s)
	draws := 0
	visit := func(w *lockstep.Watched) error {
		if v, ok := w.Outbox.Broadcast.(*messages.Vector); ok && w.Step > 1 && v.Values[0] != 0 {
			draws++
		}
		return nil
	}
	if err := lockstep.Watch(context.Background(), &j.run, &lockstep.Watcher{Visit: visit}); err != nil {
		t.Fatal(err)
	}
	const eps, kappa = 20, 3
	want := eps/2.0 + float64(draws)*eps/(2*kappa)
	marks := j.meter.paid[0].marks
	if got, _ := marks[len(marks)-1].total.Pure(); math.Abs(got-want) > 1e-12*want || draws == 0 {
		t.Errorf("the server paid %v for %d draws, want %v", got, draws, want)
	}
	rows := finalRows(t, s.Arms[0], j)
	for unit := int32(1); unit <= 3; unit++ {
		// What the schedule lets it pay, whatever the losses were.
		if e := rows[accountant.Public][unit]; math.Abs(e-eps) > 1e-12*eps {
			t.Errorf("public learns %v of client %d", e, unit)
		}
		if !math.IsInf(rows[accountant.Server][unit], 1) {
			t.Errorf("the server learns %v of client %d", rows[accountant.Server][unit], unit)
		}
	}
}

// jobOf is the job of a scenario's first arm and seed.
func jobOf(t *testing.T, s *Scenario) *job {
	t.Helper()
	j, err := s.Arms[0].algorithm.job(s.Seeds.Base)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// The state of a ledger: a run that is saved and resumed at every step ends with
// the ledger of one that is not.
func TestLedgerOfAResumedRun(t *testing.T) {
	for name, text := range map[string]string{"dpdonc": base, "lossy": lossy, "ofl": learning, "opestoch": stochastic, "fedsvt": realizable} {
		t.Run(name, func(t *testing.T) {
			s := loadText(t, text)
			whole := jobOf(t, s)
			if err := lockstep.Run(context.Background(), &whole.run); err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprint(mustRows(t, s, whole))
			for _, at := range []int{1, 5, 11} {
				first := jobOf(t, s)
				var state []byte
				first.run.Pauses = algorithm.Pauses{Every: at, Save: func(now *algorithm.State) (err error) {
					if state == nil {
						state, err = first.appendState(nil, now)
					}
					return err
				}}
				if err := lockstep.Run(context.Background(), &first.run); err != nil {
					t.Fatal(err)
				}
				second := jobOf(t, s)
				if err := second.resume(state); err != nil {
					t.Fatal(err)
				}
				if err := lockstep.Run(context.Background(), &second.run); err != nil {
					t.Fatal(err)
				}
				if got := fmt.Sprint(mustRows(t, s, second)); got != want {
					t.Errorf("resumed after %d steps:\n%s\nwant\n%s", at, got, want)
				}
			}
		})
	}
}

func mustRows(t *testing.T, s *Scenario, j *job) any {
	t.Helper()
	rows, err := s.Arms[0].privacyRows(j.run.Seed, j.meter)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
