package arms

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/limits"
	"starling/scenarios/personal"
	"starling/scenarios/study"
)

// record returns the participants with values of their own, if measure.by asks for them, and the
// metrics that the arm then records. The points of the arm are known.
func record(b *study.Builder, arm *study.Arm) (owners *gauge.Owners, metrics []string, err error) {
	m := &arm.File.Measure
	metrics = arm.Recording.Metrics
	if err := checkMeasures(b, arm); err != nil {
		return nil, nil, err
	}
	if m.By == "" {
		return nil, metrics, errors.Join(unasked(m), checkOwnerMetrics(m, func(q *gauge.Quantity) string {
			return "it is a metric of single participants, which measure.by: node or group records"
		}))
	}
	groups, fault := groupsOf(b, arm)
	e := &arm.Extent
	owners = &gauge.Owners{Count: cmp.Or(e.Units, arm.File.Nodes), Label: e.FirstLabel, Groups: groups}
	if e.Server {
		owners.First = 1
	}
	owners.Out = arm.Adversaries.IDs(owners.First)
	owners.Steps = slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(m.At), arm.Points[len(arm.Points)-1]))))
	if err := errors.Join(fault, checkOwnerMetrics(m, func(q *gauge.Quantity) string { return missing(arm, owners, q) })); err != nil {
		return nil, nil, err
	}
	asked := study.AskedOfOwners(arm)
	for _, q := range gauge.OwnerQuantities() {
		if !q.Asked(asked) || missing(arm, owners, q) != "" {
			continue
		}
		metrics = append(slices.Clip(metrics), q.Recorded(groups != nil)...)
		if q.IsScore() {
			owners.Scores = append(owners.Scores, q)
		}
	}
	return owners, metrics, nil
}

// checkMeasures refuses names of metrics of decisions that no run of the arm can record.
func checkMeasures(b *study.Builder, arm *study.Arm) error {
	var errs []error
	for i, name := range arm.File.Measure.Metrics {
		if reason := gauge.MissingOf(b.Kinds, name, arm.Recording.Answers); reason != "" {
			errs = append(errs, document.At(fmt.Sprintf("measure.metrics[%d]", i), "no run of this arm records %s: %s", name, reason))
		}
	}
	return errors.Join(errs...)
}

// unasked refuses groups of participants without measure.by: group.
func unasked(m *study.Measure) error {
	if m.Groups != nil {
		return document.At("measure.groups", "groups are for measure.by: %s", study.ByGroup)
	}
	return nil
}

// checkOwnerMetrics refuses names of metrics of single participants that the arm does not record;
// why returns the reason, empty if it records the quantity.
func checkOwnerMetrics(m *study.Measure, why func(q *gauge.Quantity) string) error {
	var errs []error
	for i, name := range m.Metrics {
		if !gauge.IsOfOwners(name) {
			continue
		}
		for _, q := range gauge.OwnerQuantities() {
			if !slices.Contains(q.Names(), name) {
				continue
			}
			reason := why(q)
			if reason == "" && !slices.Contains(q.Recorded(m.By == study.ByGroup), name) {
				reason = fmt.Sprintf("measure.by is %s", m.By)
			}
			if reason != "" {
				errs = append(errs, document.At(fmt.Sprintf("measure.metrics[%d]", i), "no run of this arm records %s: %s", name, reason))
			}
		}
	}
	return errors.Join(errs...)
}

// missing returns the reason why runs of an arm have no such number of each participant; empty
// if they have it.
func missing(arm *study.Arm, owners *gauge.Owners, q *gauge.Quantity) string {
	answers, decide := &arm.Recording.Answers, owners.Decide(arm.Extent.Deciders)
	if q.IsScore() {
		return q.MissingScore(*answers, decide)
	}
	switch q {
	case &gauge.LossOf:
		if !(decide && answers.Met || answers.Losses) {
			return "the loss on the data of a single participant is not known"
		}
	case &gauge.AccuracyOf:
		if !(decide && slices.Contains(arm.Recording.Metrics, gauge.AccuracyTest) || answers.Accuracies) {
			return "the data of single participants have no labels to classify"
		}
	case &gauge.RegretOf:
		if !(decide && answers.Met || answers.Losses) || !answers.BestPoint {
			return "the fixed decision that is best for the data of all is not known"
		}
	case &gauge.EpsilonOf:
		if len(arm.Privacy.Accounts) == 0 {
			return "the arm has no account of privacy"
		}
	}
	return ""
}

// groupsOf returns the number of the group of each participant; nil unless measure.by is group.
// Participants in no group are in group 0.
func groupsOf(b *study.Builder, arm *study.Arm) ([]int, error) {
	m := &arm.File.Measure
	if m.By != study.ByGroup {
		return nil, unasked(m)
	}
	at := arm.Site(b)
	if m.Groups != nil {
		return measureGroups(m.Groups, at.Nodes)
	}
	at.Section = arm.File.Mechanism
	of, err := personal.Numbers(at)
	if of == nil && err == nil {
		err = document.At("measure.by", "the mechanism of this arm has no groups; name the groups by measure.groups")
	}
	return of, err
}

// measureGroups returns the number of the group of each of so many participants, of a list.
func measureGroups(list []study.MeasureGroup, count int) ([]int, error) {
	var errs []error
	of := make([]int, count)
	for k, g := range list {
		path := fmt.Sprintf("measure.groups[%d]", k)
		switch {
		case g.Last < g.First:
			errs = append(errs, document.At(path+".last", "the group is empty: it ends at node %d, before node %d", g.Last, g.First))
		case g.Last > len(of):
			errs = append(errs, document.At(path+".last", "there is no node %d; there are %d", g.Last, len(of)))
		case slices.ContainsFunc(of[g.First-1:g.Last], func(other int) bool { return other != 0 }):
			errs = append(errs, document.At(path, "some of nodes %d to %d are in another group, too", g.First, g.Last))
		default:
			for i := g.First - 1; i < g.Last; i++ {
				of[i] = k + 1
			}
		}
	}
	return of, errors.Join(errs...)
}

// ownerBytes is about the memory of a number of a participant at a record: most of it is of the
// ledger, whose curves have all records then.
const ownerBytes = 96

// OwnerBytes returns about the memory of the values of single participants in a run of the arm.
func OwnerBytes(arm *study.Arm) float64 { return ownerBytes * ownerNumbers(arm) }

// ownerNumbers returns the number of these values: of participants, records and quantities.
func ownerNumbers(arm *study.Arm) float64 {
	if arm.Owners == nil {
		return 0
	}
	return limits.Product(arm.Owners.Count, len(arm.Points), ownerQuantities(arm))
}

// ownerQuantities returns the number of quantities that the arm records of single participants,
// with those that figures show.
func ownerQuantities(arm *study.Arm) (count int) {
	m := &arm.File.Measure
	selected := func(name string) bool {
		return slices.Contains(arm.Recording.Metrics, name) &&
			(m.Records(name) || slices.ContainsFunc(arm.File.Plots, func(p study.PlotSection) bool { return p.Y == name || p.X == name }))
	}
	for _, q := range gauge.OwnerQuantities() {
		if slices.ContainsFunc(q.Names(), selected) || slices.Contains(arm.Owners.Scores, q) {
			count++
		}
	}
	return count
}

// checkOwners refuses values of single participants that nobody selects, or that would not fit in
// memory.
func checkOwners(arm *study.Arm) error {
	if arm.Owners == nil {
		return nil
	}
	if ownerQuantities(arm) == 0 {
		return document.At("measure.metrics", "measure.by: %s records nothing that is selected here; its metrics are accuracy.*, loss.*, regret.*, epsilon.* and messages.*, and the scores that measure.metrics names", arm.File.Measure.By)
	}
	if bytes := OwnerBytes(arm); bytes > limits.OwnerBytes {
		return document.At("measure.by", "%d participants x %d records x %d quantities are %.3g numbers, which take %.3g GiB a run; want at most %d; raise measure.every, or name fewer by measure.metrics",
			arm.Owners.Count, len(arm.Points), ownerQuantities(arm), ownerNumbers(arm), bytes/(1<<30), limits.OwnerBytes>>30)
	}
	return nil
}
