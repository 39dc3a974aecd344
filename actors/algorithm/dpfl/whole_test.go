package dpfl_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"starling/actors/algorithm/dpfl"
	"starling/mechanisms/accountant"
	"starling/mechanisms/audit"
	"starling/mechanisms/factorization"
	"starling/mechanisms/noise"
	"starling/messages"
)

// Correlated noise is paid for once, in a client's first round, whatever its kind and
// however many local steps there are: sensitivity^2/(2 scale^2). Laplace noise is paid for
// in every local step: sqrt(d) C/b. What was paid is what the account says.
func TestWholeDataArePaidFor(t *testing.T) {
	for _, kind := range factorization.Kinds() {
		if kind == factorization.ARSum || kind == factorization.BandedToeplitz {
			continue // they need more options
		}
		o := fixed(correlated(kind))
		d := runLockstep(t, o)
		for node := messages.NodeID(1); node <= 3; node++ {
			if want := []accountant.Loss{{Rho: 0.5}}; !slices.Equal(d.spent[node], want) || d.steps[node][0] != 1 {
				t.Errorf("%s: client %d paid %v in rounds %v, want %v", kind, node, d.spent[node], d.steps[node], want)
			}
			checkAccount(t, string(kind), &o, d, node, 0)
		}
	}
	o := fixed(laplace)
	d := runLockstep(t, o)
	epsilon := math.Sqrt(6) * o.Clip / o.Noise.Scale()
	for node := messages.NodeID(1); node <= 3; node++ {
		if len(d.spent[node]) != o.MostSteps() {
			t.Errorf("client %d paid %d times for %d local steps", node, len(d.spent[node]), o.MostSteps())
		}
		for _, loss := range d.spent[node] {
			if math.Abs(loss.Epsilon-epsilon) > 1e-12 || loss != (accountant.Loss{Epsilon: loss.Epsilon, Laplace: loss.Epsilon}) {
				t.Errorf("a local step cost %v, want %v", loss, epsilon)
			}
		}
		checkAccount(t, "laplace", &o, d, node, 0)
	}
	o = adaptive(correlated(factorization.BLT), private)
	checkAccount(t, "adaptive", &o, runLockstep(t, o), 2, o.Rounds-2)
}

// checkAccount compares what a client paid with the account of all its local steps.
func checkAccount(t *testing.T, name string, o *dpfl.Options, d *diary, node messages.NodeID, choices int) {
	t.Helper()
	total, account := d.total(node), dpfl.Accounted(o, int(node)-1, o.MostSteps(), choices).Accounted
	paid, err := total.Epsilon(1e-5, accountant.PLD)
	want, failed := account.Epsilon(1e-5, accountant.PLD)
	if err != nil || failed != nil || math.Abs(paid-want) > 1e-9*want {
		t.Errorf("%s: client %d paid for epsilon %v, %v, and the account has %v, %v", name, node, paid, err, want, failed)
	}
}

// A meter that refuses the noise of the run has a client send nothing, ever.
func TestRefusedNoise(t *testing.T) {
	o := fixed(correlated(factorization.Tree))
	d := runLockstep(t, o, func(d *diary) { d.pays = map[messages.NodeID]int{2: 0} })
	if !strings.HasPrefix(d.stopped[2], "step 1: ") || len(d.spent[2]) != 0 {
		t.Errorf("client 2 stopped %q after paying %v", d.stopped[2], d.spent[2])
	}
	other := fixed(correlated(factorization.Tree), func(o *dpfl.Options) { o.Clients = []dpfl.Data{o.Clients[0]} })
	if len(d.models) != o.Rounds || len(runLockstep(t, other).models) != o.Rounds {
		t.Errorf("%d models in %d rounds", len(d.models), o.Rounds)
	}
}

// A budget pays for the noise of a whole run or for none of it, and for as many steps
// with Laplace noise as its composition allows, found here one by one.
func TestBudgetsOfWholeData(t *testing.T) {
	o := fixed(correlated(factorization.Toeplitz))
	cost, err := accountant.GaussianEpsilon(1, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	limited := func(o dpfl.Options, epsilon, delta float64) (dpfl.Plan, error) {
		o.Budget = &dpfl.Budget{Epsilon: epsilon, Delta: delta, Method: accountant.PLD}
		return dpfl.NewPlan(&o)
	}
	if plan, err := limited(o, cost*1.0001, 1e-5); err != nil || plan.Steps != dpfl.Unlimited || math.Abs(plan.Epsilon-cost) > 1e-9 {
		t.Errorf("plan %+v, %v; want all steps for %v", plan, err, cost)
	}
	if plan, err := limited(o, cost*0.999, 1e-5); err == nil {
		t.Errorf("plan %+v of a budget below what the noise costs", plan)
	}
	o = fixed(laplace)
	for delta, epsilon := range map[float64]float64{0: 7, 1e-4: 6} {
		within := 0
		for total := (accountant.Total{}); ; within++ {
			total.Add(o.StepLoss(0))
			if e, err := total.Epsilon(delta, accountant.PLD); err != nil || e > epsilon {
				break
			}
		}
		if plan, err := limited(o, epsilon, delta); err != nil || plan.Steps != within || within == 0 || within >= o.MostSteps() {
			t.Errorf("delta %v: plan %+v, %v; want %d steps of %d", delta, plan, err, within, o.MostSteps())
		}
	}
}

// Noise for less than a sample moves, or for fewer inputs than there are, is refused.
func TestPrefixesThatDoNotFit(t *testing.T) {
	for want, change := range map[string]func(*dpfl.Options){
		"a sample that is in every sum moves C G by up to":           func(o *dpfl.Options) { o.Clip *= 1.001 },
		"the noise is made for 18 local steps, the run has up to 21": func(o *dpfl.Options) { o.Rounds++ },
		"correlated noise without a factorization":                   func(o *dpfl.Options) { o.Noise = noise.OnPrefixes(1, 1, nil) },
		"noise of standard deviation 0; want a finite number > 0":    func(o *dpfl.Options) { o.Noise = noise.OnPrefixes(0, 1, nil) },
		"sensitivity 0; want a finite number > 0":                    func(o *dpfl.Options) { o.Noise = noise.OnPrefixes(1, 0, nil) },
	} {
		o := fixed(correlated(factorization.Tree), change)
		if _, _, err := dpfl.New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// summed are data that keep by how much the sums of local steps move, in order, where
// one sample is left out.
type summed struct {
	samples
	without int
	moved   *[][]float64
}

func (d summed) SumClipped(dst, w []float64, list []int, clip float64) int {
	rest := slices.DeleteFunc(slices.Clone(list), func(s int) bool { return s == d.without })
	d.samples.SumClipped(dst, w, rest, clip)
	other := slices.Clone(dst)
	clipped := d.samples.SumClipped(dst, w, list, clip)
	*d.moved = append(*d.moved, minus(dst, other))
	return clipped
}

// Given what a client has released, leaving one of its samples out moves the sum of each
// local step by C at most, and C G, in units of the noise, by the sensitivity that is
// paid for: by as much where the sample's gradient is always long and of one direction.
// The noise is that which the streams themselves draw.
func TestSensitivityOfWholeData(t *testing.T) {
	for _, kind := range []factorization.Kind{factorization.Independent, factorization.Tree, factorization.TreeOnline, factorization.TreeFull, factorization.Toeplitz, factorization.BLT, factorization.Optimal} {
		most := 0.0
		for _, long := range []bool{false, true} {
			for s := range 8 {
				o := fixed(correlated(kind))
				data := softmax(1, 30, 2)
				if inner := data.gradient; long {
					data.gradient = func(dst, w []float64, k int) {
						if inner(dst, w, k); k == s {
							clear(dst)
							dst[0] = 100
						}
					}
				}
				var moved [][]float64
				o.Clients[0] = summed{data, s, &moved}
				runLockstep(t, o)
				most = max(most, together(t, &o, moved))
			}
		}
		sensitivity := fixed(correlated(kind)).Noise.Sensitivity()
		if math.Abs(most/sensitivity-1) > 1e-9 {
			t.Errorf("%s: leaving a sample out moves C G by up to %v, the sensitivity is %v", kind, most, sensitivity)
		}
	}
}

// together is how far moves of the inputs of a stream move C G.
func together(t *testing.T, o *dpfl.Options, moved [][]float64) float64 {
	t.Helper()
	if len(moved) != o.MostSteps() {
		t.Fatalf("%d sums in %d local steps", len(moved), o.MostSteps())
	}
	for k, row := range moved {
		if norm(row) > o.Clip*(1+1e-9) {
			t.Fatalf("sum %d moves by %v, over C = %v", k+1, norm(row), o.Clip)
		}
	}
	must(audit.NewSeparator(o.Noise.Factorization())).Whiten(moved)
	var square float64
	for _, row := range moved {
		square += norm(row) * norm(row)
	}
	return math.Sqrt(square)
}
