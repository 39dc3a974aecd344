package scenarios_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"starling/actors/lockstep"
	"starling/mechanisms/accountant"
	"starling/scenarios"
	"starling/scenarios/accounts"
	"starling/scenarios/guide"
	"starling/scenarios/jobs"
	"starling/scenarios/ledger"
	"starling/scenarios/scenariotest"
	"starling/scenarios/section/python"
	"starling/scenarios/study"
	"starling/scenarios/testneeds"
)

// limited is a scenario to which budgets are given.
type limited struct {
	name, text string
	overrides  []string
	// late tells that the network says when who pays: what is promised is for the worst.
	late bool
	// uneven tells that a unit which stops changes what others pay, or that units pay by chance:
	// what is left of a run then is not the beginning of the run without a limit.
	uneven bool
}

// steps is how many the runs have.
const heldSteps = 8

// limitedRuns are all pairs of an algorithm and a mechanism, and what else changes who pays,
// how losses add up, and what observers see.
func limitedRuns(t *testing.T) (list []limited) {
	t.Helper()
	catalog := scenarios.Catalog()
	for _, p := range guide.Pairs(&catalog) {
		if !p.Fits || p.Section != "mechanism" {
			continue
		}
		// A process takes long to start, and is one of the algorithms of equals.
		if p.Algorithm == python.KindPython && (p.Kind != "laplace" || testneeds.NoPython()) {
			continue
		}
		algorithm := named(t, catalog.Algorithms, p.Algorithm)
		for i, text := range algorithm.Examples {
			for k, example := range named(t, catalog.Mechanisms, p.Kind).Examples {
				overrides := []string{"mechanism=" + example, fmt.Sprintf("horizon=%d", heldSteps), "measure={every: 1}"}
				if strings.Contains(text, "rate: 0.5}") {
					overrides = append(overrides, "algorithm.rate=1")
				}
				if _, err := scenariotest.Loader(t).Load(scenariotest.File(t, text), parseSets(t, overrides...)...); err == nil {
					list = append(list, limited{fmt.Sprintf("%s/%s/%d.%d", p.Algorithm, p.Kind, i, k), text, overrides, p.Algorithm == "fedbuff", p.Algorithm == "random-walk"})
				}
			}
		}
	}
	average := named(t, catalog.Algorithms, "dp-fedavg").Examples[0]
	buffer := named(t, catalog.Algorithms, "fedbuff").Examples[0]
	long := func(overrides ...string) []string {
		return append([]string{fmt.Sprintf("horizon=%d", heldSteps), "measure={every: 1}", "nodes=5", "algorithm.rate=1", "problem={kind: synthetic-logistic, dimension: 2}"}, overrides...)
	}
	const gaussian, laplace, none = "mechanism={kind: gaussian, epsilon: 2, delta: 1e-5}", "mechanism={kind: laplace, epsilon: 0.05}", "mechanism={kind: none}"
	const secure, open = "algorithm.aggregation={kind: secure, survivors: 4}", "algorithm.aggregation={kind: local, survivors: 4}"
	const shuffled = "algorithm.aggregation={kind: shuffle, survivors: 4}"
	for name, overrides := range map[string][]string{
		"secure":                  long(gaussian, secure),
		"discrete":                long(gaussian, "algorithm.aggregation={kind: secure, survivors: 4, shares: discrete, granularity: 0.01, bits: 16}"),
		"local shares":            long(gaussian, open),
		"local shares, krum":      long(gaussian, open, "algorithm.combine={kind: krum, liars: 1}"),
		"local shares, liars":     long(gaussian, open, "adversaries={kind: sign-flip, nodes: [5]}"),
		"local Laplace":           long(laplace, "algorithm.aggregation={kind: local}"),
		"shuffle":                 long(gaussian, shuffled),
		"shuffle Laplace":         long(laplace, "algorithm.aggregation={kind: shuffle, survivors: 4, delta: 1e-5}"),
		"secure without noise":    long(none, secure),
		"local without noise":     long(none, "algorithm.aggregation={kind: local}"),
		"records":                 long("mechanism={kind: sampled-gaussian, sigma: 2, delta: 1e-5}", "algorithm.level=record", "algorithm.batch=5"),
		"records without noise":   long(none, "algorithm.level=record", "algorithm.batch=5"),
		"records without a clip":  long(none, "algorithm.level=record", "algorithm.clip=none"),
		"replaced":                long("mechanism={kind: sampled-gaussian, sigma: 2, delta: 1e-5, neighbours: replace}"),
		"replaced, secure":        long("mechanism={kind: sampled-gaussian, sigma: 2, delta: 1e-5, neighbours: replace}", secure),
		"replaced, sampled":       long("mechanism={kind: sampled-gaussian, sigma: 2, delta: 1e-5, neighbours: replace}", "algorithm.rate=0.5"),
		"replaced Laplace":        long("mechanism={kind: laplace, epsilon: 0.05, neighbours: replace}"),
		"replaced, local Laplace": long("mechanism={kind: laplace, epsilon: 0.05, neighbours: replace}", "algorithm.aggregation={kind: local}"),
		"groups":                  long(gaussian, "algorithm.groups=2"),
	} {
		list = append(list, limited{name: "dp-fedavg, " + name, text: average, overrides: overrides})
	}
	list = append(list,
		limited{"dp-fedavg, by chance, open", average, long(gaussian, open, "algorithm.rate=0.7"), true, true},
		limited{"dp-fedavg, by chance, secure", average, long(gaussian, secure, "algorithm.rate=0.9"), true, true},
		limited{"dp-fedavg, by chance", average, long(laplace, "algorithm.rate=0.5"), false, false},
		limited{"fedbuff, Laplace", buffer, long(laplace), true, false},
		limited{"fedbuff, Gaussian", buffer, long(gaussian), true, false},
	)
	slices.SortStableFunc(list, func(a, b limited) int { return cmp.Compare(a.name, b.name) })
	return list
}

// slow tells that a run starts a process.
func (c *limited) slow() bool { return strings.HasPrefix(c.name, python.KindPython+"/") }

// deltas are those of the budgets.
func (c *limited) deltas() []string {
	if c.slow() {
		return []string{"1e-6"}
	}
	return []string{"0", "1e-6"}
}

// told is what a run came to.
type told struct {
	arm *study.Arm
	job *study.Job
	// curves are by observer, unit and step what the ledger says, and paid by step the metric of
	// what was paid.
	curves map[accountant.Observer]map[int32]map[int64]float64
	paid   map[int64]float64
}

// tell runs a scenario with a budget; the error is of a scenario that is refused.
func (c *limited) tell(t *testing.T, budget string) (*told, error) {
	t.Helper()
	s, err := scenariotest.Loader(t).Load(scenariotest.File(t, c.text), parseSets(t, append(slices.Clip(c.overrides), "budget="+budget)...)...)
	if err != nil {
		return nil, err
	}
	arm := s.Arms[0]
	j := jobOf(t, s)
	if err := lockstep.Run(context.Background(), &j.Run); err != nil {
		t.Fatalf("%s, %s: %v", c.name, budget, err)
	}
	if err := j.Meter.Settled(0); err != nil {
		t.Fatalf("%s, %s: %v", c.name, budget, err)
	}
	all := &told{arm, j, map[accountant.Observer]map[int32]map[int64]float64{}, map[int64]float64{}}
	for row := range jobs.MetricsOf(j, arm, j.Run.Seed).Rows() {
		if row.Metric == ledger.EpsilonTotal {
			all.paid[row.Step] = row.Value
		}
	}
	rows, err := accounts.PrivacyRows(arm, j.Run.Seed, j.Meter)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		of := all.curves[accountant.Observer(row.Observer)]
		if of == nil {
			of = map[int32]map[int64]float64{}
			all.curves[accountant.Observer(row.Observer)] = of
		}
		for unit := row.Unit; unit < row.Unit+row.Units; unit++ {
			if of[unit] == nil {
				of[unit] = map[int64]float64{}
			}
			of[unit][row.Step] = row.Epsilon
		}
	}
	return all, nil
}

// values are those of a curve, ascending, each once.
func values(curves ...map[int64]float64) (list []float64) {
	for _, curve := range curves {
		for _, v := range curve { // in any order
			list = append(list, v)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// units are the curves of an observer, or what was paid by whoever paid the most.
func (r *told) units(o accountant.Observer) (list []map[int64]float64) {
	if o == "" {
		return []map[int64]float64{r.paid}
	}
	for _, curve := range r.curves[o] { // in any order
		list = append(list, curve)
	}
	return list
}

// most is the last value of a list that is within a limit, 0 if none is.
func most(list []float64, limit float64) (last float64) {
	for _, v := range list {
		if v <= limit {
			last = v
		}
	}
	return last
}

// observers are those whom a budget may name, and nobody. Where the budget has a delta, all
// that is told is stated at it.
func (c *limited) observers(t *testing.T, free *told, delta string) []accountant.Observer {
	list := []accountant.Observer{""}
	for _, a := range free.arm.Privacy.Accounts {
		list = append(list, a.Observer)
		if delta != "0" && fmt.Sprint(a.Delta) != fmt.Sprint(free.arm.File.Budget.Delta) {
			t.Errorf("%s: losses are stated at delta %v beside a budget at %s", c.name, a.Delta, delta)
		}
	}
	if c.slow() {
		return list[:2]
	}
	return list
}

var paysFor = regexp.MustCompile(`it pays for (\d+) of \d+ steps`)

// promise is how many steps the notes say that the budget pays for.
func (r *told) promise(t *testing.T) int {
	t.Helper()
	notes := study.NotesOfBudget(r.arm)
	if len(notes) != 1 {
		t.Fatalf("notes %v", notes)
	}
	if strings.Contains(notes[0].Value, "it pays for all steps") {
		return r.arm.File.Horizon
	}
	found := paysFor.FindStringSubmatch(notes[0].Value)
	if found == nil {
		t.Fatalf("a note of a budget that says %q", notes[0].Value)
	}
	n, err := strconv.Atoi(found[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// firstStop is the first step in which anybody ended its part, counted from 0; the horizon if
// nobody did.
func (r *told) firstStop() int {
	first := r.arm.File.Horizon
	for _, s := range r.job.Meter.Stops() {
		first = min(first, s.Step-r.arm.Extent.FirstStep)
	}
	return first
}

// A budget that stops is held by one account, that of the observer that it names, or of what is
// paid: what the ledger tells of no unit exceeds the limit; as many steps are run as the notes
// promise, and no fewer; and a run is no shorter than the limit has it: every unit ends at the
// last of what it loses in the run without a limit that is within this. Of every algorithm with
// every mechanism, every observer, and with a delta or without.
func TestBudgetsStopWhatTheyLimit(t *testing.T) {
	testneeds.Slow(t)
	t.Chdir("testdata")
	held, refused := 0, 0
	for _, c := range limitedRuns(t) {
		for _, delta := range c.deltas() {
			free, err := c.tell(t, "{epsilon: 1e9, delta: "+delta+", on: stop}")
			if err != nil {
				if !strings.Contains(err.Error(), "nobody can stop") && !strings.Contains(err.Error(), "a privacy budget for a run without noise") {
					t.Errorf("%s: %v", c.name, err)
				}
				continue
			}
			for _, o := range c.observers(t, free, delta) {
				if c.hold(t, free, o, delta) {
					held++
				} else {
					refused++
				}
			}
		}
	}
	t.Logf("%d budgets are held, %d are refused", held, refused)
	if held < 200 || refused < 20 {
		t.Errorf("%d budgets are held and %d refused: too few to say anything", held, refused)
	}
}

// hold checks budgets of one observer; false if they are refused.
func (c *limited) hold(t *testing.T, free *told, o accountant.Observer, delta string) bool {
	t.Helper()
	// Without a delta nothing is within the budget of what needs one, and then nobody sees it.
	all := values(free.units(o)...)
	limit, unbounded := 1.0, len(all) == 0 || math.IsInf(all[len(all)-1], 1)
	if len(all) > 1 && !unbounded {
		k := (len(all) - 1) / 2
		limit = (all[k] + all[k+1]) / 2
	}
	if free.arm.Privacy.Budgeted && unbounded {
		return false // what is raw is left out of such a plan, and its observers are of TestBudgetObserver
	}
	name := fmt.Sprintf("%s: {epsilon: %.6g, delta: %s, observer: %s}", c.name, limit, delta, cmp.Or(o, "none"))
	budget := fmt.Sprintf("{epsilon: %.17g, delta: %s, on: stop", limit, delta)
	if o != "" {
		budget += ", observer: " + string(o)
	}
	run, err := c.tell(t, budget+"}")
	if err != nil {
		if once := free.arm.Privacy.Budgeted && strings.Contains(err.Error(), "pays for no local step"); !once && !(o != "" && unbounded && strings.Contains(err.Error(), "no budget limits it")) {
			t.Errorf("%s is refused: %v", name, err)
		}
		return false
	}
	if got := values(run.units(o)...); len(got) > 0 && !(got[len(got)-1] <= limit*(1+1e-9)) {
		t.Errorf("%s: the ledger tells %v", name, got[len(got)-1])
		return true
	}
	if run.arm.Privacy.Budgeted {
		return true
	}
	promised, stopped := run.promise(t), run.firstStop()
	if stopped < promised || !c.late && !c.uneven && stopped != promised {
		t.Errorf("%s: %d steps are promised, and the first stop is in step %d", name, promised, stopped+1)
	}
	if !c.uneven && o != "" {
		for unit, curve := range free.curves[o] {
			want, got := most(values(curve), limit*(1+1e-9)), most(values(run.curves[o][unit]), math.Inf(1))
			if !(math.Abs(got-want) <= 1e-9*want) {
				t.Errorf("%s: unit %d loses %v, want %v of %v", name, unit, got, want, values(curve))
			}
		}
	}
	return true
}
