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

// calibrated returns a variant with the noise that its sections budget and match ask for, and the
// section match; the variant itself if they ask for none, or if it has other faults.
func calibrated(b *study.Builder, v study.Variant) (study.Variant, *study.MatchSection, error) {
	f, issues := study.DecodeFile(v.Document)
	var err error
	switch {
	case issues.Err() != nil:
	case f.Match != nil && f.Budget != nil:
		err = document.At("match", "match states the privacy of the run, and so does budget; give one of them")
	case f.Match != nil:
		v, err = matched(b, v, f.Match)
	case f.Budget.Limits() && f.Budget.On == ledger.BudgetSpread:
		v, err = spread(b, v, f.Budget)
	}
	return v, f.Match, err
}

// spread returns a variant in which one factor multiplies the epsilons of the mechanism, such that
// the planned releases of all steps just fit its budget. The factor is the largest up to
// spreadError.
func spread(b *study.Builder, v study.Variant, budget *ledger.BudgetSection) (study.Variant, error) {
	keys, err := epsilonsOf(v.Document)
	if err != nil {
		return v, err
	}
	s := &spreading{b: b, v: v, keys: keys, at: "budget.on", does: "a budget is spread over noise", target: budget.Loss()}
	s.limit = func(arm *study.Arm) (*ledger.Budget, error) {
		if arm.Privacy.Budgeted {
			return nil, document.At("budget.on", "this algorithm plans its releases with the budget by itself; want %s or %s", ledger.BudgetStop, ledger.BudgetRefuse)
		}
		limit, err := study.LimitOf(arm.File.Budget, &arm.Privacy)
		if err != nil {
			return nil, document.At("budget.observer", "%s", err)
		}
		return limit, nil
	}
	return s.search()
}

// matched returns a variant in which one factor multiplies the epsilons of the mechanism, or
// divides its noise multiplier, such that the ledger states the privacy that match asks for.
func matched(b *study.Builder, v study.Variant, m *study.MatchSection) (study.Variant, error) {
	if err := m.Check(); err != nil {
		return v, err
	}
	if err := study.RefuseDeltas(v.Document, "match states the loss of all units at one delta, match.delta; leave deltas of groups out"); err != nil {
		return v, err
	}
	stated := v
	var err error
	for _, at := range []struct{ path, text string }{
		{"match", "null"}, // so that plans of the search are not calibrated anew
		// All losses are stated at the delta of a budget, also of one without a limit.
		{"budget", fmt.Sprintf("{epsilon: none, delta: %v, on: %s}", m.Delta, ledger.BudgetRefuse)},
	} {
		if stated.Document, err = stated.Document.Set(at.path, at.text, "match"); err != nil {
			return v, err
		}
	}
	if _, ok := v.Document.Find("mechanism.delta"); ok && m.Delta > 0 {
		if stated.Document, err = stated.Document.Set("mechanism.delta", strconv.FormatFloat(m.Delta, 'g', -1, 64), "match"); err != nil {
			return v, err
		}
	}
	keys, err := sigmasOf(stated.Document)
	if err != nil {
		return v, err
	}
	if _, ok := stated.Document.Find("mechanism.sigma"); !ok {
		if _, ok := stated.Document.Find("mechanism.epsilon"); !ok {
			return v, document.At("match", "the mechanism of arm %s has neither the key epsilon nor sigma; set match: null in an arm without noise", v.Name)
		}
		if keys, err = epsilonsOf(stated.Document); err != nil {
			return v, err
		}
	}
	if !m.Calibrates() {
		return quiet(stated, keys)
	}
	s := &spreading{b: b, v: stated, keys: keys, at: "match", does: "match calibrates noise", hint: "; set match: null in arm " + v.Name, target: accountant.Loss{Epsilon: float64(m.Epsilon), Delta: m.Delta}}
	s.limit = func(arm *study.Arm) (*ledger.Budget, error) { return m.LimitOf(arm) }
	return s.search()
}

// quiet returns a variant without noise.
func quiet(v study.Variant, keys []scaledKey) (study.Variant, error) {
	var err error
	if keys[0].inverse { // an epsilon takes the place of a noise multiplier
		for _, path := range []string{keys[0].path, "mechanism.sigmas"} {
			if _, ok := v.Document.Find(path); !ok {
				continue
			}
			if v.Document, err = v.Document.Delete(path); err != nil {
				return v, err
			}
		}
	}
	v.Document, err = v.Document.Set("mechanism.epsilon", "none", "match")
	return v, err
}

// scaledKey is a key of the mechanism that the factor of a search multiplies, or divides.
type scaledKey struct {
	path    string
	inverse bool
}

// search finds the largest factor with which the planned releases fit.
func (s *spreading) search() (study.Variant, error) {
	if s.refused() {
		return s.v, nil
	}
	low, high, factor := 0.0, math.Inf(1), 1.0 // low fits, and high does not
	for range mostSpread {
		epsilon, within, err := s.try(factor)
		switch {
		case err != nil || s.faulty:
			return s.v, err
		case math.IsInf(epsilon, 1) && factor < leastFactor:
			return s.v, document.At(s.at, "the releases are not private however small epsilon is: the mechanism's noise bounds no part of their loss%s%s", s.because(), s.hint)
		case !within && factor < leastFactor:
			return s.v, document.At(s.at, "the releases cost %.6g however small the epsilon of the mechanism is, and %.6g is asked for: a part of them has noise of its own, or comes before the run%s; want more of that noise, or a larger epsilon%s", epsilon, s.target.Epsilon, s.because(), s.hint)
		case within:
			low = factor
		default:
			high = factor
		}
		if within && s.target.Epsilon-epsilon <= spreadError*s.target.Epsilon || low > 0 && high/low-1 <= spreadError {
			return s.scaled(low)
		}
		factor = next(factor, s.target.Epsilon/epsilon, low, high)
	}
	return s.v, document.At(s.at, "no epsilon of the mechanism makes the releases of all steps cost %s", s.target)
}

// refused reports whether the arm has faults whatever its noise is, which its own check reports: a
// search over a horizon that is refused anyway could take hours.
func (s *spreading) refused() bool {
	arm, err := planned(s.b, s.v)
	if err != nil || arm.Algorithm == nil {
		return true
	}
	_, _, err = measurements(s.b, arm)
	return err != nil
}

// because returns the reason of the account behind a colon, where it gives one.
func (s *spreading) because() string {
	if s.why == "" {
		return ""
	}
	return ": " + s.why
}

const (
	// leastFactor is a factor so small that noise leaves nothing to lose.
	leastFactor = 1e-9
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

// spreading is a search for the factor of some keys of the mechanism.
type spreading struct {
	b    *study.Builder
	v    study.Variant
	keys []scaledKey
	// at is the section that asks for it, and does is a sentence on it.
	at, does string
	hint     string // behind the error of an arm without noise
	target   accountant.Loss
	// limit returns the account of an arm that is held to the target.
	limit  func(arm *study.Arm) (*ledger.Budget, error)
	faulty bool // the arm has faults, which its own check reports
	// why is the reason that the account gives for a loss that differs from the payments.
	why string
}

// ofTrials is the key of the builder of plans that are tried.
type ofTrials struct{}

// trials returns the builder of the plans that searches try. They have one for all arms, so that data
// are read once; it is not the arms' own, since remarks on these plans are none on the arms.
func trials(b *study.Builder) *study.Builder {
	return study.Shared(b, ofTrials{}, func() (*study.Builder, bool) { return study.Renewed(b), true })
}

// try plans the arm with its keys scaled by a factor. It returns the epsilon of the planned
// releases, at the delta of the target, and whether the target allows them.
func (s *spreading) try(factor float64) (epsilon float64, within bool, err error) {
	v, err := s.scaled(factor)
	if err != nil {
		return 0, false, err
	}
	arm, err := planned(trials(s.b), v)
	if err != nil {
		s.faulty = true
		return 0, false, nil
	}
	budget, err := s.limit(arm)
	if err != nil {
		return 0, false, err
	}
	totals, err := plannedTotals(arm, budget)
	if err != nil {
		return 0, false, document.At(s.at, "%v", err)
	}
	account := *budget.Account()
	account.Delta = s.target.Delta
	s.why = account.Why
	by := arm.Epsilons.Cache()
	within = true
	for k := range totals {
		stated, err := by.Stated(&account, &totals[k])
		if err != nil {
			return 0, false, document.At(s.at, "%v", err)
		}
		epsilon = max(epsilon, stated)
		allowed, err := budget.Allows(&totals[k])
		if err != nil {
			return 0, false, err
		}
		within = within && allowed
	}
	return epsilon, within, nil
}

// plannedTotals returns the total of the planned releases, of the unit that pays the most. Where
// payments depend on the data it returns the totals that the plan guarantees, of all units.
func plannedTotals(arm *study.Arm, budget *ledger.Budget) (totals []accountant.Total, err error) {
	a, extent := budget.Account(), &arm.Extent
	if a.Guarantee == nil {
		total, _, err := study.PlannedTotal(arm, arm.File.Horizon, ledger.NewBudget(accountant.NotPrivate(), *a))
		return []accountant.Total{total}, err
	}
	first := 0
	if extent.Server {
		first = 1
	}
	for unit := range extent.Units {
		totals = append(totals, a.Before.Added(a.Guarantee(first+unit, extent.FirstStep+arm.File.Horizon-1)))
	}
	return totals, nil
}

// scaled returns the variant with its keys times a factor, or divided by it.
func (s *spreading) scaled(factor float64) (study.Variant, error) {
	v := s.v
	for _, key := range s.keys {
		node, _ := s.v.Document.Find(key.path)
		value, err := strconv.ParseFloat(node.Value(), 64)
		if err != nil {
			return v, document.At(key.path, "%s, and %s is no number", s.does, node.Value())
		}
		if key.inverse {
			value /= factor
		} else {
			value *= factor
		}
		if v.Document, err = v.Document.Set(key.path, strconv.FormatFloat(value, 'g', -1, 64), "budget"); err != nil {
			return v, err
		}
	}
	return v, nil
}

// sigmasOf returns the keys of the noise multipliers of the mechanism: of its own, and of clients.
func sigmasOf(doc *document.Document) (keys []scaledKey, err error) {
	keys = []scaledKey{{"mechanism.sigma", true}}
	for _, form := range []string{"file", "column"} {
		path := "mechanism.sigmas." + form
		if _, ok := doc.Find(path); ok {
			return nil, document.At(path, "noise is scaled by the multipliers of a scenario, and these are in a %s", form)
		}
	}
	add := func(path string) bool {
		_, ok := doc.Find(path)
		if ok {
			keys = append(keys, scaledKey{path, true})
		}
		return ok
	}
	for k := 0; add(fmt.Sprintf("mechanism.sigmas[%d].value", k)); k++ {
	}
	add("mechanism.sigmas.from") // the draws of a law are proportional to its ends
	add("mechanism.sigmas.to")
	for k := 0; add(fmt.Sprintf("mechanism.sigmas.values[%d]", k)); k++ {
	}
	return keys, nil
}

// epsilonsOf returns the keys of the epsilons of the mechanism: of its own, of groups or of their law,
// and over time.
func epsilonsOf(doc *document.Document) (keys []scaledKey, err error) {
	const own = "mechanism.epsilon"
	if _, ok := doc.Find(own); !ok {
		return nil, document.At("budget.on", "a budget is spread by the key epsilon of the mechanism, and it has none")
	}
	keys = []scaledKey{{path: own}}
	add := func(path string) bool {
		_, ok := doc.Find(path)
		if ok {
			keys = append(keys, scaledKey{path: path})
		}
		return ok
	}
	if _, file := doc.Find("mechanism.groups.file"); file {
		return nil, document.At("mechanism.groups.file", "noise is scaled by the epsilons of a scenario, and these are in a file")
	}
	if _, column := doc.Find("mechanism.groups.column"); column {
		return nil, document.At("mechanism.groups.column", "noise is scaled by the epsilons of a scenario, and these are in the problem's data")
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
	return keys, nil
}
