package ofl_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/actors/algorithm"
	"starling/actors/algorithm/ofl"
	"starling/actors/algorithmtest"
	"starling/actors/lockstep"
	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/mechanisms/noise"
	"starling/messages"
)

// A learner pays rho = Delta^2/(2 V_i^2), and for Laplace noise epsilon, once for all of its noise, before the
// first step that is perturbed: step 0 in version 2, the last of round 0 in
// version 1. Nobody else pays. Without noise every round's release is not
// private.
func TestLearnersPayOnce(t *testing.T) {
	for _, kind := range kinds() {
		for version, step := range map[ofl.Version]int{ofl.PerStep: 0, ofl.PerRound: 3} {
			o := described(kind, func(o *ofl.Options) { o.Version = version })
			want := map[messages.NodeID][]payment{}
			for i := range o.Learners {
				if o.Noise.Private() {
					want[ofl.Learner(i)] = []payment{{step, cost(o)}}
					continue
				}
				for r := range o.Rounds {
					want[ofl.Learner(i)] = append(want[ofl.Learner(i)], payment{(r+1)*o.Tau - 1, accountant.NotPrivate()})
				}
			}
			got := runLockstep(t, o).spent
			approximately := cmp.Comparer(func(a, b float64) bool { return a == b || math.Abs(a-b) < 1e-14*max(a, b) })
			if diff := cmp.Diff(want, got, approximately); diff != "" {
				t.Errorf("%s, version %d: payments (-want +got):\n%s", kind, version, diff)
			}
		}
	}
}

// cost is what a learner's noise costs, by its law.
func cost(o ofl.Options) accountant.Loss {
	if o.Noise.Law() == noise.LaplaceLaw {
		epsilon := o.Noise.Sensitivity() / o.Noise.Scale()
		return accountant.Loss{Epsilon: epsilon, Laplace: epsilon}
	}
	return accountant.Loss{Rho: rho(o)}
}

// rho is what a learner's noise costs.
func rho(o ofl.Options) float64 {
	return o.Noise.Sensitivity() * o.Noise.Sensitivity() / (2 * o.Noise.Scale() * o.Noise.Scale())
}

// order is a meter that writes down what comes before what.
type order struct {
	*diary
	events []string
}

func (o *order) Spent(node messages.NodeID, step int, _ accountant.Loss) error {
	o.events = append(o.events, fmt.Sprintf("learner %d pays in step %d", node, step))
	return nil
}

func (o *order) Recorded(node messages.NodeID, step int, quantity string, _ float64) {
	if quantity == ofl.PrefixNoise {
		o.events = append(o.events, fmt.Sprintf("learner %d draws noise in step %d", node, step))
	}
}

func (o *order) Sent(step int, messages, _ int64) {
	o.events = append(o.events, fmt.Sprintf("step %d sends %d", step, messages))
}

func TestPaymentComesFirst(t *testing.T) {
	for version, want := range map[ofl.Version][]string{
		ofl.PerStep: {
			"step 0 sends 1", "learner 1 pays in step 0", "learner 1 draws noise in step 0",
			"step 1 sends 1", "learner 1 draws noise in step 1", "step 1 sends 1", "step 1 sends 1",
		},
		ofl.PerRound: {
			"step 0 sends 1",
			"step 1 sends 1", "learner 1 pays in step 1", "learner 1 draws noise in step 1", "step 1 sends 1", "step 1 sends 1",
		},
	} {
		meter := &order{diary: newDiary()}
		o := described(factorization.Toeplitz, func(o *ofl.Options) { o.Version, o.Learners, o.Rounds, o.Tau = version, 1, 1, 2 })
		if err := lockstep.Run(context.Background(), newRun(o, meter)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, meter.events); diff != "" {
			t.Errorf("version %d (-want +got):\n%s", version, diff)
		}
	}
}

// refusing makes a run whose meter refuses the payments of some learners.
func refusing(o ofl.Options, cause error, learners ...int) (*algorithm.Run, *diary) {
	d := newDiary()
	for _, i := range learners {
		d.refused[ofl.Learner(i)] = fmt.Errorf("%w: nothing is left", cause)
	}
	return newRun(o, d), d
}

// A learner whose budget does not pay for its noise stops before anything of it
// leaves: what its step came to shows in no message. The server goes on with the
// average of the others, which see a run without that learner.
func TestRefusedLearnerStops(t *testing.T) {
	for _, version := range []ofl.Version{ofl.PerRound, ofl.PerStep} {
		o := described(factorization.Toeplitz, func(o *ofl.Options) { o.Version = version })
		for refused := range o.Learners {
			run, d := refusing(o, accountant.ErrBudget, refused)
			turns := 0
			watch(t, run, ofl.Learner(refused), func(w *lockstep.Watched) {
				turns++
				if !w.Outbox.Empty() {
					t.Errorf("version %d: learner %d sent %+v", version, refused+1, w.Outbox)
				}
			})
			last := 2 // hops of step 0
			if version == ofl.PerRound {
				last = 1 + o.Tau // one hop of every step, and one more of the first
			}
			want := map[messages.NodeID]string{ofl.Learner(refused): "the privacy budget is spent: nothing is left"}
			if diff := cmp.Diff(want, d.stopped); diff != "" || turns != last || d.spent[ofl.Learner(refused)] != nil {
				t.Errorf("version %d: %d turns, want %d, stopped (-want +got):\n%s", version, turns, last, diff)
			}
			others := newPaper(o, run.Seed)
			others.drop(refused)
			form := others.algorithm1
			if version == ofl.PerRound {
				form = others.algorithm1v1
			}
			if off := norm(minus(algorithmtest.Quantity(run.Machines[0], "x"), form().x[o.Rounds])); off > 1e-12 {
				t.Errorf("version %d, without learner %d: x^R is off by %v", version, refused+1, off)
			}
		}
	}
}

// drop leaves a learner out: those after it move down, with their data and noise.
func (p *paper) drop(learner int) {
	p.bxi = slices.Delete(slices.Clone(p.bxi), learner, learner+1)
	all := p.Data
	p.Data = data{all.Width(), func(dst []float64, i, step int) {
		if i >= learner {
			i++
		}
		all.Datum(dst, messages.NodeID(i), step+1)
	}}
	p.Learners--
}

// Where nobody is left to learn, the server stops with its public start.
func TestServerStopsWhenNobodyIsLeft(t *testing.T) {
	for _, version := range []ofl.Version{ofl.PerRound, ofl.PerStep} {
		o := described(factorization.Tree, func(o *ofl.Options) { o.Version = version })
		run, d := refusing(o, accountant.ErrBudget, 0, 1, 2)
		turns := 0
		watch(t, run, 0, func(w *lockstep.Watched) {
			turns++
			if !w.Outbox.Empty() {
				t.Errorf("version %d: the server sent %+v", version, w.Outbox)
			}
		})
		if got, want := d.stopped[0], "no learner sent anything in round 0"; got != want || turns != 1 || len(d.stopped) != 4 {
			t.Errorf("version %d: %d turns, stopped %q, want %q", version, turns, got, want)
		}
		if x := algorithmtest.Quantity(run.Machines[0], "x"); !slices.Equal(x, o.Start) {
			t.Errorf("version %d: the server holds %v, want %v", version, x, o.Start)
		}
	}
}

// The server averages over those that sent something, in whatever round, and
// names the round in which nobody did: x^1 = x^0 - eta~ (u + v)/2 for two of three.
func TestServerAveragesWhatItGets(t *testing.T) {
	o := logisticOptions()
	d := newDiary()
	run := newRun(o, d)
	server := run.Machines[0].(algorithm.Folder)
	stepper, clock := algorithm.NewStepper(run, messages.Range(0, o.Participants()), 2), run.Clock()
	round := func(gradients ...[]float64) (stopped bool) {
		for clock.Hop != 2 {
			clock.Next()
		}
		blocks, inbox := messages.NewBlocks(o.Participants(), server.FoldLength()), []messages.Envelope(nil)
		for i, g := range gradients {
			inbox = append(inbox, messages.Envelope{From: ofl.Learner(i), Payload: &messages.Vector{Values: g}})
		}
		blocks.Fill(0, inbox, server.Fold)
		var outbox messages.Outbox
		stepper.Begin(&clock)
		stopped, failure := stepper.StepFolder(server, view(run.Graphs, 0), func() *messages.Blocks { return blocks }, &outbox)
		if failure != nil || stopped != outbox.Empty() {
			t.Fatalf("failure %v, stopped %v, outbox %+v", failure, stopped, outbox)
		}
		clock.Next()
		return stopped
	}
	u, v := []float64{1, 2, 3}, []float64{-2, 0, 7}
	if round(u, v) {
		t.Fatalf("stopped: %s", d.stopped[0])
	}
	etaTilde := o.LocalStep * o.GlobalStep * float64(o.Tau)
	want := combination(1, o.Start, -etaTilde/2, combination(1, u, 1, v))
	if x := algorithmtest.Quantity(server, "x"); norm(minus(x, want)) > 1e-14 {
		t.Errorf("x^1 = %v, want %v", x, want)
	}
	if !round() || d.stopped[0] != "no learner sent anything in round 1" {
		t.Errorf("stopped: %q", d.stopped[0])
	}
}

// Any other error of the ledger is no matter of the budget, and fails the run.
func TestBrokenLedgerFailsTheRun(t *testing.T) {
	broken := errors.New("broken ledger")
	for version, step := range map[ofl.Version]int{ofl.PerStep: 0, ofl.PerRound: 3} {
		o := described(factorization.Tree, func(o *ofl.Options) { o.Version = version })
		run, _ := refusing(o, broken, 1)
		err := lockstep.Run(context.Background(), run)
		if want := fmt.Sprintf("step %d, node 2: broken ledger: nothing is left", step); !errors.Is(err, broken) || err.Error() != want {
			t.Errorf("version %d: error %v, want %q", version, err, want)
		}
	}
}
