package arms

import (
	"fmt"
	"math"
	"strconv"

	"starling/mechanisms/accountant"
	"starling/scenarios/document"
	"starling/scenarios/ledger"
	"starling/scenarios/study"
)

// spread returns a variant in which one factor multiplies the epsilons of the mechanism, such that
// the planned releases of all steps just fit its budget; the variant itself if its budget is not to
// be spread, or if it has other faults. The factor is the largest up to spreadError.
func spread(b *study.Builder, v study.Variant) (study.Variant, error) {
	f, issues := study.DecodeFile(v.Document)
	if issues.Err() != nil || !f.Budget.Limits() || f.Budget.On != ledger.BudgetSpread {
		return v, nil
	}
	paths, err := epsilonsOf(v.Document)
	if err != nil {
		return v, err
	}
	s := &spreading{b: b, v: v, paths: paths, target: float64(f.Budget.Epsilon)}
	low, high, factor := 0.0, math.Inf(1), 1.0 // low fits, and high does not
	for range mostSpread {
		epsilon, within, err := s.try(factor)
		switch {
		case err != nil || s.faulty:
			return v, err
		case math.IsInf(epsilon, 1) && factor < 1e-9:
			return v, document.At("budget.on", "the releases are not private however small epsilon is: what they cost has no part that the mechanism's noise bounds")
		case within:
			low = factor
		default:
			high = factor
		}
		if within && s.target-epsilon <= spreadError*s.target || low > 0 && high/low-1 <= spreadError {
			return s.scaled(low)
		}
		factor = next(factor, s.target/epsilon, low, high)
	}
	return v, document.At("budget.on", "no epsilon of the mechanism makes the releases of %d steps fit the budget of %s", f.Horizon, f.Budget.Loss())
}

const (
	// spreadError is the relative error of the search.
	spreadError = 1e-6
	// mostSpread is the largest number of plans that a search makes.
	mostSpread = 100
)

// next returns the factor to try after one, given the ratio by which the loss misses the budget: a
// loss that is proportional to the factor is found at once. low and high enclose the result.
func next(factor, ratio, low, high float64) float64 {
	const under = 1 - spreadError/4 // so that rounding does not exceed the budget
	if guess := factor * ratio * under; low < guess && guess < high {
		return guess
	}
	switch {
	case low == 0:
		return high / 16
	case math.IsInf(high, 1):
		return 16 * low
	}
	return math.Sqrt(low * high)
}

// spreading is a search.
type spreading struct {
	b      *study.Builder
	v      study.Variant
	paths  []string // of the epsilons
	target float64
	faulty bool // the arm has faults, which its own check reports
}

// try plans the arm with its epsilons times a factor. It returns the epsilon of the planned
// releases, as the budget counts it, and whether the budget allows them.
func (s *spreading) try(factor float64) (epsilon float64, within bool, err error) {
	v, err := s.scaled(factor)
	if err != nil {
		return 0, false, err
	}
	arm, err := planned(study.Renewed(s.b), v)
	if err != nil {
		s.faulty = true
		return 0, false, nil
	}
	if arm.Privacy.Budgeted {
		return 0, false, document.At("budget.on", "this algorithm plans its releases with the budget by itself; want %s or %s", ledger.BudgetStop, ledger.BudgetRefuse)
	}
	budget, err := study.LimitOf(arm.File.Budget, &arm.Privacy)
	if err != nil {
		return 0, false, document.At("budget.observer", "%s", err)
	}
	total, _, err := study.PlannedTotal(arm, arm.File.Horizon, ledger.NewBudget(accountant.NotPrivate(), *budget.Account()))
	if err != nil {
		return 0, false, document.At("budget", "%v", err)
	}
	account := *budget.Account()
	account.Delta = arm.File.Budget.Delta
	if epsilon, err = new(ledger.EpsilonCache).Stated(&account, &total); err != nil {
		return 0, false, document.At("budget", "%v", err)
	}
	within, err = budget.Allows(&total)
	return epsilon, within, err
}

// scaled returns the variant with its epsilons times a factor.
func (s *spreading) scaled(factor float64) (study.Variant, error) {
	v := s.v
	for _, path := range s.paths {
		node, _ := s.v.Document.Find(path)
		value, err := strconv.ParseFloat(node.Value(), 64)
		if err != nil {
			return v, document.At(path, "a budget is spread over noise, and %s is no number", node.Value())
		}
		if v.Document, err = v.Document.Set(path, strconv.FormatFloat(value*factor, 'g', -1, 64), "budget"); err != nil {
			return v, err
		}
	}
	return v, nil
}

// epsilonsOf returns the paths of the epsilons of the mechanism: of its own, of groups or of their law,
// and over time.
func epsilonsOf(doc *document.Document) (paths []string, err error) {
	const own = "mechanism.epsilon"
	if _, ok := doc.Find(own); !ok {
		return nil, document.At("budget.on", "a budget is spread by the key epsilon of the mechanism, and it has none")
	}
	paths = []string{own}
	add := func(path string) bool {
		_, ok := doc.Find(path)
		if ok {
			paths = append(paths, path)
		}
		return ok
	}
	if _, file := doc.Find("mechanism.groups.file"); file {
		return nil, document.At("mechanism.groups.file", "a budget is spread by the epsilons of a scenario, and these are in a file")
	}
	if _, column := doc.Find("mechanism.groups.column"); column {
		return nil, document.At("mechanism.groups.column", "a budget is spread by the epsilons of a scenario, and these are in the problem's data")
	}
	for k := 0; ; k++ {
		group := fmt.Sprintf("mechanism.groups[%d]", k)
		if _, ok := doc.Find(group); !ok {
			break
		}
		add(group + ".epsilon")
	}
	add("mechanism.groups.from") // the draws of a law are proportional to its ends
	add("mechanism.groups.to")
	for k := 0; add(fmt.Sprintf("mechanism.groups.values[%d]", k)); k++ {
	}
	add("mechanism.over_time.to")
	for k := 0; add(fmt.Sprintf("mechanism.over_time.values[%d]", k)); k++ {
	}
	return paths, nil
}
