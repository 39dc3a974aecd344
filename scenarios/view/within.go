package view

import (
	"cmp"
	"slices"

	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
	"starling/scenarios/view/plot"
)

// withinConditions gives the arms of each condition of a run, such as an attack, a baseline of their
// own: the arm that is as the first in all other values. Arms of a condition without such an arm
// keep the first, and so do arms of several runs: their scenarios may say a condition in other ways. Where every
// condition has one arm, all keep the first.
func (b *Baseline) withinConditions(sides []Side, known metric.List) error {
	if slices.ContainsFunc(sides, func(s Side) bool { return s.Run != sides[0].Run }) {
		return nil
	}
	run, err := Read(sides[0].Run, known)
	if err != nil {
		return err
	}
	entries := make([]results.ArmEntry, len(sides))
	for i, s := range sides {
		at := slices.IndexFunc(run.Arms, func(arm results.ArmEntry) bool { return arm.Name == s.Arm })
		if at < 0 {
			return nil
		}
		entries[i] = run.Arms[at]
	}
	stated := run.Emphasis.Conditions
	first := choices(entries[0], stated)
	for i := range b.Arms {
		if b.Arms[i].setting == b.Arms[0].setting || !slices.Equal(choices(entries[i], stated), first) {
			continue
		}
		for k := range b.Arms {
			if b.Arms[k].setting == b.Arms[i].setting && b.Arms[k].Baseline == 0 {
				b.Arms[k].Baseline = i
			}
		}
	}
	if b.apart() {
		for i := range b.Arms {
			b.Arms[i].Baseline = 0
		}
	}
	if !b.Within() {
		return nil
	}
	for i := range b.Arms {
		b.Arms[i].Setting = plot.ValueLabels(SettingValues(entries[b.Arms[i].Baseline], stated))
	}
	return nil
}

// apart reports whether every arm is the only one of its condition, so that none would be compared.
func (b *Baseline) apart() bool {
	for i, a := range b.Arms {
		if a.Baseline != i {
			return false
		}
	}
	return true
}

// Within reports whether conditions have baselines of their own.
func (b *Baseline) Within() bool {
	return slices.ContainsFunc(b.Arms, func(a BaselineArm) bool { return a.Baseline != 0 })
}

// Only returns the comparison with the rows of the first so many arms alone, and of their baselines.
// Its p-values stay corrected for all comparisons, so that an answer that shows some of them agrees
// with one that shows all.
func (b *Baseline) Only(arms int) *Baseline {
	all, conditions := *b.Against, 0
	out := *b
	out.Against, out.narrowed, all.Metrics = &all, arms < len(b.Arms), nil
	for _, of := range b.Metrics {
		of.Rows = slices.DeleteFunc(slices.Clone(of.Rows), func(row comparison.Row) bool { return row.Arm >= arms && !row.Baseline })
		if len(of.Rows) < 2 {
			continue
		}
		all.Metrics = append(all.Metrics, of)
		for _, row := range of.Rows {
			conditions = max(conditions, b.Arms[row.Arm].Condition+1)
		}
	}
	out.Conditions = b.Conditions[:conditions]
	return &out
}

// choices lists the values of an arm that are not of its condition, in their order by path.
func choices(arm results.ArmEntry, conditions []string) (list []results.Value) {
	setting := SettingValues(arm, conditions)
	for _, v := range arm.Values {
		if !slices.Contains(setting, v) {
			list = append(list, v)
		}
	}
	slices.SortFunc(list, func(a, b results.Value) int { return cmp.Compare(a.Path, b.Path) })
	return list
}
