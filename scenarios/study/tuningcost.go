package study

import (
	"fmt"
	"strings"

	"starling/mechanisms/accountant"
	"starling/scenarios/ledger"
)

// Cost states what the trials of an arm cost the units of its ledger, with data that are learned
// from, and one run of the study with them. runs are the arms of all trials that were made, of each of
// which every seed of the trials is a run; final is the arm of the study.
//
// Runs on the same data compose: losses of all trials add up, by their divergences, whatever is
// published of them and however the next are chosen. Under a random number of trials that are
// drawn, the trial that is chosen costs less where nothing else is published, by Stopping.Best; a
// trial is then all runs of its seeds.
func (p *TuningPlan) Cost(runs []*Arm, final *Arm) (text string, err error) {
	if len(final.Privacy.Accounts) == 0 {
		return "no account of privacy, so that nothing can be composed", nil
	}
	account := &final.Privacy.Accounts[0]
	if reason := uncomposed(append(runs, final)); reason != "" {
		return reason, nil
	}
	last, err := totalOfRun(final)
	if err != nil {
		return "", err
	}
	seeds := max(1, p.Section.Seeds.Count)
	all, one := last.Clone(), accountant.Total{}
	equal := true
	for i, run := range runs {
		total, err := totalOfRun(run)
		if err != nil {
			return "", err
		}
		var trial accountant.Total
		for range seeds {
			all.AddTotal(&total)
			trial.AddTotal(&total)
		}
		if i == 0 {
			one = trial
		}
		equal = equal && trial.Equal(&one)
	}
	delta := account.Delta
	if !all.Private() {
		return "epsilon inf: a run is without noise, or its loss has no bound", nil
	}
	epsilon, err := new(ledger.EpsilonCache).Stated(account, &all)
	if err != nil {
		return fmt.Sprintf("the losses of the trials cannot be composed: %v", err), nil
	}
	how := fmt.Sprintf("sequential composition, %s", account.By)
	if _, pure := all.Pure(); pure && delta == 0 {
		how = "sum of pure losses"
	}
	text = fmt.Sprintf("epsilon %.6g at delta %.6g, of the %d runs of trials and one run of the study (%s), %s", epsilon, delta, len(runs)*seeds, how, account.Neighbours)
	text += p.odometer()
	if p.stopped != nil {
		stated, err := p.bestOfRandom(one, last, equal, account)
		if err != nil {
			return "", err
		}
		text += "; " + stated
	}
	return text, nil
}

// odometer says that the number of trials depends on the data, where a grid was extended by the
// results of its trials: no bound was fixed beforehand.
func (p *TuningPlan) odometer() string {
	if !p.extended {
		return ""
	}
	return "; the grid was extended by results, so that the number of trials depends on the data, and this is the reading of an odometer"
}

// uncomposed returns the reason why the losses of runs cannot be composed; empty if they can.
func uncomposed(runs []*Arm) string {
	for _, arm := range runs {
		for _, a := range arm.Privacy.Accounts[:min(1, len(arm.Privacy.Accounts))] {
			if a.Guarantee != nil {
				return fmt.Sprintf("the account of arm %s cannot be composed: its payments depend on the data", arm.Name)
			}
		}
		if len(arm.Privacy.Accounts) == 0 {
			return fmt.Sprintf("arm %s has no account of privacy, so that nothing can be composed", arm.Name)
		}
	}
	return ""
}

// totalOfRun returns the planned total of one run of an arm, to the observer of its first account.
func totalOfRun(arm *Arm) (total accountant.Total, err error) {
	steps, b := arm.File.Horizon, arm.File.Budget
	if b.Limits() && b.On == ledger.BudgetStop && !arm.Privacy.Budgeted {
		budget, err := LimitOf(b, &arm.Privacy)
		if err != nil {
			return total, err
		}
		if _, steps, err = PlannedTotal(arm, steps, budget); err != nil {
			return total, err
		}
	}
	total, _, err = PlannedTotal(arm, steps, ledger.NewBudget(accountant.NotPrivate(), arm.Privacy.Accounts[0]))
	return total, err
}

// bestOfRandom states the loss where the best of a random number of trials is published alone,
// composed with a run of the study. The bound is of divergences for the neighbours that payments
// are for, and is not stated where the account is for others.
func (p *TuningPlan) bestOfRandom(one, last accountant.Total, equal bool, account *ledger.Account) (string, error) {
	if account.Converted {
		return fmt.Sprintf("the bound for a random number of trials is not stated: it is for %s", account.PaidFor), nil
	}
	if !equal || len(p.Trials) == 0 {
		return "the bound for a random number of trials is not stated: it is of trials that all cost the same", nil
	}
	trial, ok, err := one.Curve()
	if err != nil || !ok {
		return "the bound for a random number of trials is not stated: their divergences are not known", err
	}
	best, err := p.stopped.law.Best(trial)
	if err != nil {
		return "", err
	}
	run, ok, err := last.Curve()
	if err != nil || !ok {
		return "the bound for a random number of trials is not stated: the divergences of the study are not known", err
	}
	for i := range best.RDP {
		best.RDP[i] += run.RDP[i]
	}
	epsilon, order, err := best.EpsilonCKS(account.Delta)
	return fmt.Sprintf("epsilon %.6g at delta %.6g where of all trials the chosen values alone are published, and not their number, for %s, at order %.4g", epsilon, account.Delta, p.stopped.text, order), err
}

// OfValidation states the cost of the choice for the owners of validation rows.
func (p *TuningPlan) OfValidation() string {
	if p.Section.Validation == TunePublic {
		return "not counted: public validation data"
	}
	return "epsilon inf: values are chosen by their rows without noise; give validation: public where these are nobody's"
}

// Remark returns the statement of the costs of an arm for the results of the study.
func (p *TuningPlan) Remark(c TunedChoice, cost string) string {
	var values []string
	for i, k := range p.keys {
		values = append(values, k.name+" "+c.Values[i])
	}
	return fmt.Sprintf("%s: chosen by %s of %d trials; rows that are learned from: %s; validation rows: %s", strings.Join(values, ", "), p.Metric.Name, c.Trials, cost, p.OfValidation())
}
