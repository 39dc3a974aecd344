package scenarios_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/actors/algorithm"
	"starling/actors/lockstep"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/messages"
	"starling/scenarios"
	"starling/scenarios/gauge"
	"starling/scenarios/jobs"
	"starling/scenarios/ledger"
	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
	"starling/scenarios/testneeds"
)

// familyJob is a job of one of the families.
func familyJob(t *testing.T, name string) (*study.Arm, *study.Job) {
	t.Helper()
	test := scenariotest.Families[name]
	s := scenariotest.LoadText(t, test[0], append(test[1:len(test):len(test)], "seeds.count=1")...)
	return s.Arms[0], scenariotest.JobOf(t, s)
}

// What every family pays is what its plan says, by unit and step. A run that goes on from a
// state saved after any step does so too, and leaves the bits of the straight run, and every
// row of its ledger.
func TestPaymentsAreAsPlanned(t *testing.T) {
	t.Parallel()
	for name := range scenariotest.Families {
		t.Run(name, func(t *testing.T) {
			arm, j := familyJob(t, name)
			var states [][]byte
			j.Run.Pauses = algorithm.Pauses{Every: 1, Save: func(now *algorithm.State) error {
				states = append(states, messages.Write(nil, jobs.SaveAt(j, now)))
				return nil
			}}
			if err := lockstep.Run(context.Background(), &j.Run); err != nil {
				t.Fatal(err)
			}
			if err := j.Meter.Settled(arm.Extent.FirstLabel); err != nil {
				t.Fatal(err)
			}
			want := leftBy(t, arm, j)
			for i, state := range states {
				if !testneeds.Some(i, 8) {
					continue
				}
				_, again := familyJob(t, name)
				if err := jobs.Resume(again, state); err != nil {
					t.Fatal(err)
				}
				if err := lockstep.Run(context.Background(), &again.Run); err != nil {
					t.Fatal(err)
				}
				if err := again.Meter.Settled(arm.Extent.FirstLabel); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, leftBy(t, arm, again)); diff != "" {
					t.Errorf("a run that goes on (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// left is what a job that has run leaves: the digest of its machines and metrics, and its ledger.
type left struct {
	Digest  string
	Stops   []gauge.Stop
	Privacy []results.PrivacyRow
}

// leftBy is what a job has left.
func leftBy(t *testing.T, arm *study.Arm, j *study.Job) left {
	t.Helper()
	catalog, r := scenarios.Catalog(), &jobs.Result{Seed: j.Run.Seed}
	if err := jobs.Take(r, arm, j, catalog.AllMetrics()); err != nil {
		t.Fatal(err)
	}
	return left{fmt.Sprintf("%x", r.Proof.Digest), r.Stops, r.Privacy}
}

// cheating stands between machines and the ledger of a job and changes what one
// machine pays from a step on.
type cheating struct {
	*ledger.Ledger
	node messages.NodeID
	from int
	pay  func(accountant.Loss) (_ accountant.Loss, pays bool)
}

func (c cheating) Spent(node messages.NodeID, step int, loss accountant.Loss) error {
	if node == c.node && step >= c.from && loss != (accountant.Loss{}) {
		var pays bool
		if loss, pays = c.pay(loss); !pays {
			return nil
		}
	}
	return c.Ledger.Spent(node, step, loss)
}

// A machine of any family that pays half, twice, or, from some step on, nothing,
// fails its run with the step and the node.
func TestPaymentsThatAreNotPlanned(t *testing.T) {
	half := func(l accountant.Loss) (accountant.Loss, bool) {
		return accountant.Loss{Epsilon: l.Epsilon / 2, Rho: l.Rho / 2}, true
	}
	nothing := func(accountant.Loss) (accountant.Loss, bool) { return accountant.Loss{}, false }
	for name, test := range map[string]struct {
		node messages.NodeID
		from int
		pay  func(accountant.Loss) (accountant.Loss, bool)
		want string
	}{
		"dpdonc":           {1, 5, half, "step 5, node 2: a machine pays"},
		"dpdonc, effects":  {1, 7, nothing, "step 7, node 2: it sent a message that somebody sees and paid 0 times"},
		"ofl":              {1, 0, half, "step 0, node 1: a machine pays"},
		"ofl, no noise":    {2, 0, nothing, "node 2: it sent a message that somebody sees and paid 0 times not private"},
		"opestoch":         {1, 1, half, "node 1: it sent a message that somebody sees and paid"},
		"opestoch central": {0, 1, half, "node 0: it sent a message that somebody sees and paid"},
		"fedsvt":           {0, 1, half, "step 1, node 0: a machine pays"},
		"dpfl":             {2, 2, nothing, "step 2, node 2: it sent a message that somebody sees and paid 0 times"},
		"ali-dpfl":         {2, 3, nothing, "step 3, node 2: it sent a message that somebody sees and paid 0 times"},
	} {
		t.Run(name, func(t *testing.T) {
			arm, j := familyJob(t, name)
			j.Run.Meter = cheating{j.Meter, test.node, test.from, test.pay}
			err := lockstep.Run(context.Background(), &j.Run)
			if err == nil {
				err = j.Meter.Settled(arm.Extent.FirstLabel)
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

// tampered is a machine whose payloads of a step are sent by the test.
type tampered struct {
	algorithm.Machine
	step int
	play []float64
	send func(*algorithm.Turn) error
}

func (m tampered) Step(t *algorithm.Turn) error {
	if t.Step < m.step {
		return m.Machine.Step(t)
	}
	return errorsOf(t.Play(m.play), m.send(t))
}

func errorsOf(list ...error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}

// A machine that pays for its first releases and then shows a third of its data, or
// marks them as public, or as following from what it received, fails its run: a
// release that was paid for opens no gate.
func TestGatesDoNotStayOpen(t *testing.T) {
	var old accountant.Receipt
	private := func(t *algorithm.Turn) *messages.Vector { return &messages.Vector{Values: []float64{1, 1}} }
	for name, test := range map[string]struct {
		send func(*algorithm.Turn) error
		want string
	}{
		"an old receipt": {func(t *algorithm.Turn) error { return t.Broadcast(private(t), algorithm.Released(old)) }, "which it has not paid in this turn"},
		"public, for the start's reason": {func(t *algorithm.Turn) error {
			return t.Broadcast(private(t), algorithm.Public("x_1 is public, and the same for all nodes"))
		}, "step 5, node 1: it sent a message that somebody sees and paid 0 times"},
		"public, for another reason": {func(t *algorithm.Turn) error { return t.Broadcast(private(t), algorithm.Public("trust me")) },
			`step 5, node 1: its message is marked as public because "trust me", which is no reason of this algorithm`},
		"raw": {func(t *algorithm.Turn) error { return t.BroadcastRaw(private(t)) },
			"step 5, node 1: it sent a message that somebody sees and paid 0 times"},
		"following": {func(t *algorithm.Turn) error { return t.Broadcast(private(t), t.Follows("it is a mean")) },
			`step 5, node 1: its message is marked as public because "it is a mean", which is no reason of this algorithm`},
		"a third of the noise's price": {func(t *algorithm.Turn) error {
			v := private(t)
			receipt, err := noise.Laplace{Scale: 30}.Release(v.Values, t.Rand(1), 1, t.Spend)
			return errorsOf(err, t.Broadcast(v, algorithm.Released(receipt)))
		}, "step 5, node 1: a machine pays 0.0333333"},
	} {
		t.Run(name, func(t *testing.T) {
			arm, j := familyJob(t, "dpdonc")
			old = accountant.NewReceipt(arm.Privacy.Loss(4))
			j.Run.Machines[0] = tampered{j.Run.Machines[0], 5, []float64{1, 1}, test.send}
			err := lockstep.Run(context.Background(), &j.Run)
			if err == nil {
				err = j.Meter.Settled(arm.Extent.FirstLabel)
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

// The bills of Fed-DP-OPE-Stoch are the sums of what its plan says of phases.
func TestBillsOfPhasesAreThePlannedLosses(t *testing.T) {
	arm, j := familyJob(t, "opestoch")
	for step := 1; step <= arm.File.Horizon; step++ {
		want := arm.Privacy.Loss(step).Epsilon
		got := j.Meter.Bills(1, step, ledger.Moment{})
		same := want == 0 && (got == ledger.ExpectedPayment{} || got == ledger.PaysInAll(accountant.Loss{}))
		for ulp := uint64(0); want > 0 && ulp <= 16; ulp++ { // sums in another order differ in the last bits
			same = same || got == ledger.PaysInAll(accountant.Loss{Epsilon: math.Float64frombits(math.Float64bits(want) + ulp - 8)})
		}
		if !same {
			t.Errorf("step %d: the bill is %s, the planned loss %v", step, got, want)
		}
	}
}

// Every family says who decides what: a machine that never plays, or plays something
// else, fails its run.
func TestPlansSayWhoDecides(t *testing.T) {
	for name := range scenariotest.Families {
		if name == "fedsvt, every one" {
			continue // its server misses the sums first
		}
		_, j := familyJob(t, name)
		decider := j.Run.Decisions.First
		j.Run.Machines[decider] = silent{j.Run.Machines[decider]}
		err := lockstep.Run(context.Background(), &j.Run)
		if err == nil || !strings.Contains(err.Error(), "played no decision in this step") {
			t.Errorf("%s: a machine that does nothing: %v", name, err)
		}
		_, j = familyJob(t, name)
		j.Run.Machines[decider] = tampered{j.Run.Machines[decider], 0, []float64{100, 100}, func(*algorithm.Turn) error { return nil }}
		if err = lockstep.Run(context.Background(), &j.Run); err == nil || !strings.Contains(err.Error(), "played a decision") {
			t.Errorf("%s: a machine that plays (100, 100): %v", name, err)
		}
	}
}

// silent is a machine that does nothing. It reads no blocks.
type silent struct{ algorithm.Machine }

func (silent) Step(*algorithm.Turn) error { return nil }

// Holding the payments of DPDO-NC, of which there is one a node and step, against
// bills costs the memory of one bill a step, which all nodes share. The account has one
// entry at the last step.
func TestBillsAllocateNothing(t *testing.T) {
	s := scenariotest.LoadText(t, scenariotest.Base, "measure.every=12")
	arm, j := s.Arms[0], scenariotest.JobOf(t, s)
	step, mark := arm.Extent.FirstStep, algorithm.Raw()
	if n := testing.AllocsPerRun(10, func() {
		for node := range messages.NodeID(3) {
			j.Meter.Exposed(node, (node+2)%3, step, &mark)
			if err := j.Meter.Spent(node, step, arm.Privacy.Loss(step)); err != nil {
				t.Fatal(err)
			}
		}
		step++
	}); n > 1 {
		t.Errorf("%v allocations a step", n)
	}
	if err := j.Meter.Settled(arm.Extent.FirstLabel); err != nil {
		t.Error(err)
	}
}

// A run that is made as users make it fails where its payments are not its plan's,
// with scenario, arm, seed, step and node, and is not complete.
func TestRunsFailWithTheirLedger(t *testing.T) {
	for _, engine := range []runner.Engine{runner.Lockstep, runner.Actors} {
		s := scenariotest.LoadText(t, scenariotest.Base, "seeds.count=1")
		scenariotest.Rig(s.Arms[0], nil, func(seed uint64, own func(uint64) (*study.Job, error)) (*study.Job, error) {
			j, err := own(seed)
			if err != nil {
				return nil, err
			}
			planned := j.Meter.Bills
			j.Meter.Bills = func(node messages.NodeID, step int, at ledger.Moment) ledger.ExpectedPayment {
				b := planned(node, step, at)
				b.Alike = false
				if node == 1 && step == 7 {
					b.Prices[0].Least, b.Prices[0].Most = 2, 2
				}
				return b
			}
			return j, nil
		})
		_, err := runner.Run(s, t.Context(), runner.RunOptions{Out: t.TempDir(), Engine: engine})
		if err == nil || !strings.Contains(err.Error(), "seed 1: the ledger does not agree with the plan: step 7, node 2: it sent a message that somebody sees and paid 1 times") {
			t.Errorf("%s: %v", engine, err)
		}
	}
}
