package view

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"starling/scenarios/accounts"
	"starling/scenarios/document"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
	"starling/scenarios/view/plot"
)

// Baseline compares several arms with one, the baseline.
type Baseline struct {
	*comparison.Against
	// Arms are the baseline and then the others, in their order; rows of Against name places in it.
	Arms []BaselineArm
	// Conditions are the privacy of the arms, the baseline's first.
	Conditions []Condition
	// Join is the choice of steps. Observer limits the privacy to one observer; empty is all.
	Join     comparison.Join
	Observer string
	// narrowed is true if tables leave out arms that are compared as well; see Only.
	narrowed bool
}

// BaselineArm is an arm of a Baseline.
type BaselineArm struct {
	// Label is the arm, with its run before it where the arms are of several runs, and Shown the
	// same for people.
	Label, Shown string
	Dir          string
	Arm          string
	// Baseline is the place of the arm with which this one is compared, and Setting describes the
	// condition in which it learns where conditions have baselines of their own.
	Baseline int
	Setting  string
	setting  string // a key that is equal in equal settings
	// Condition is the place of the arm's privacy in Conditions.
	Condition int
	// Incomparable means that the arm's losses are for another unit or other neighbours than
	// the baseline's: epsilons do not compare.
	Incomparable bool
}

// BaselineOptions choose the contents of a Baseline.
type BaselineOptions struct {
	// Metrics are names of metrics; nil is the metric of the first figure, and epsilon.total.
	Metrics []string
	Join    comparison.Join
	// Observer limits the privacy that is compared to one observer; empty is all.
	Observer string
	// AcrossProblems compares arms of other problems and data, too.
	AcrossProblems bool
	// AcrossConditions compares all arms with the first, also those among other adversaries. Else an
	// arm is compared with the arm that is as the first in its own condition, where there is one.
	AcrossConditions bool
	// Named lists the sides that the user has named one by one: one of another problem is an
	// error. Others are left out with a note.
	Named bool
	// Runs are names of runs for people, by folder; a run without one has the name of its folder.
	Runs map[string]string
	// Statistics makes statistics over seeds again; nil leaves them out.
	Statistics comparison.Statistics
}

// OtherProblemError is the error of sides that learn different things.
type OtherProblemError struct {
	First, Second string
	Differences   []Difference
}

// Error implements error.
func (e *OtherProblemError) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s and %s are of different problems:", e.First, e.Second)
	for _, d := range e.Differences {
		before, after := d.Texts()
		fmt.Fprintf(&text, "\n  %s: %s, then %s", d.Path, before, after)
	}
	return text.String()
}

// Against compares arms with the first of them. known are the metrics of all runs.
func Against(sides []Side, known metric.List, o BaselineOptions) (*Baseline, error) {
	b := &Baseline{Join: o.Join, Observer: o.Observer}
	sides, notes, err := ofOneProblem(sides, &o)
	if err != nil {
		return nil, err
	}
	labels, shown := labelsOf(sides, o.Runs)
	for i, s := range sides {
		b.Arms = append(b.Arms, BaselineArm{Label: labels[i], Shown: shown[i], Dir: s.Run.Dir, Arm: s.Arm})
	}
	if err := b.conditions(sides, known); err != nil {
		return nil, err
	}
	if !o.Named && !o.AcrossConditions {
		if err := b.withinConditions(sides, known); err != nil {
			return nil, err
		}
	}
	for i, s := range sides {
		b.Arms[i].Incomparable = !slices.Equal(protectionsOf(sides[b.Arms[i].Baseline]), protectionsOf(s))
	}
	metrics, err := chosen(sides, known, o.Metrics)
	if err != nil {
		return nil, err
	}
	arms := make([]comparison.Arm, len(sides))
	for i, s := range sides {
		arms[i] = comparison.Arm{Run: s.Run, Name: s.Arm, Label: labels[i], Baseline: b.Arms[i].Baseline}
		if o.Runs != nil {
			arms[i].Label = shown[i]
		}
	}
	if b.Against, err = comparison.CompareAgainst(arms, metrics, o.Join, o.Statistics); err != nil {
		return nil, err
	}
	b.Notes = append(append(notes, b.Notes...), b.arithmetic(sides)...)
	return b, nil
}

// ofOneProblem returns the sides that learn the problem of the first, on its data, and notes on
// those that it leaves out.
func ofOneProblem(sides []Side, o *BaselineOptions) (kept []Side, notes []string, err error) {
	if o.AcrossProblems {
		return sides, nil, nil
	}
	kept = sides[:1:1]
	spread := spreads{}
	var others *OtherProblemError
	var paths []string // of the first difference of those left out, each once
	out := map[string][]string{}
	for _, s := range sides[1:] {
		list, err := spread.differences(sides[0], s)
		if err != nil {
			return nil, nil, err
		}
		list = slices.DeleteFunc(list, func(d Difference) bool { return !d.Problem })
		if len(list) == 0 {
			kept = append(kept, s)
			continue
		}
		others = &OtherProblemError{sides[0].Shown(), s.Shown(), list}
		if o.Named {
			return nil, nil, others
		}
		path := list[0].Path
		if out[path] == nil {
			paths = append(paths, path)
		}
		out[path] = append(out[path], plot.ArmLabels(s.Run.Manifest.Arms)[s.Arm])
	}
	for _, path := range paths {
		notes = append(notes, leftOut(out[path], path))
	}
	if len(kept) == 1 && others != nil {
		return nil, nil, others
	}
	return kept, notes, nil
}

// leftOut is the note on arms that are left out, with the path of their first difference from the baseline.
func leftOut(arms []string, path string) string {
	const reason = "another problem or other data than the baseline"
	if len(arms) == 1 {
		return fmt.Sprintf("arm %s is left out: it has %s (%s)", arms[0], reason, path)
	}
	return fmt.Sprintf("%d arms are left out: they have %s (%s): %s", len(arms), reason, path, accounts.ArmsText(arms))
}

// labelsOf returns the names of arms, and their names for people. Before arms of several runs stands the folder,
// and for people the name of the run, which is enough for its only arm.
func labelsOf(sides []Side, names map[string]string) (labels, shown []string) {
	several := slices.ContainsFunc(sides, func(s Side) bool { return s.Run.Dir != sides[0].Run.Dir })
	of := map[*results.Run]map[string]string{}
	for _, s := range sides {
		if of[s.Run] == nil {
			of[s.Run] = plot.ArmLabels(s.Run.Manifest.Arms)
		}
		run, arm := "", of[s.Run][s.Arm]
		if several {
			run = filepath.Base(s.Run.Dir) + ":"
		}
		labels = append(labels, run+s.Arm)
		switch name := names[s.Run.Dir]; {
		case !several || name == "":
			shown = append(shown, run+arm)
		case len(s.Run.Manifest.Arms) == 1:
			shown = append(shown, name)
		default:
			shown = append(shown, name+": "+arm)
		}
	}
	return labels, shown
}

// conditions finds the privacy of the arms.
func (b *Baseline) conditions(sides []Side, known metric.List) error {
	read := map[*results.Run]map[string]Condition{} // by arm
	var seen []string
	for i, s := range sides {
		if read[s.Run] == nil {
			of, observers, err := conditionsOf(s.Run, known, b.Observer)
			if err != nil {
				return err
			}
			read[s.Run], seen = of, append(seen, observers...)
		}
		c := read[s.Run][s.Arm]
		k := slices.IndexFunc(b.Conditions, func(other Condition) bool { return other.Key == c.Key })
		if k < 0 {
			k = len(b.Conditions)
			b.Conditions = append(b.Conditions, Condition{Privacy: c.Privacy, Key: c.Key, Epsilon: c.Epsilon, Pattern: c.Pattern, Unit: c.Unit})
		}
		b.Conditions[k].Arms = append(b.Conditions[k].Arms, b.Arms[i].Label)
		b.Arms[i].Condition, b.Arms[i].setting = k, c.Setting
	}
	if b.Observer != "" && !slices.Contains(seen, b.Observer) {
		slices.Sort(seen)
		return document.BadInput(fmt.Errorf("unknown observer %q%s", b.Observer, document.Suggest(b.Observer, slices.Compact(seen), "the ledger has")))
	}
	return nil
}

// conditionsOf returns the condition of each arm of a run, and all observers.
func conditionsOf(r *results.Run, known metric.List, observer string) (of map[string]Condition, observers []string, err error) {
	run, err := Read(r, known)
	if err != nil {
		return nil, nil, err
	}
	list, observers, err := run.Conditions(r.Manifest.Arms, observer)
	of = map[string]Condition{}
	for _, c := range list {
		for _, arm := range c.Arms {
			of[arm] = c
		}
	}
	return of, observers, err
}

// protectionsOf lists the units and neighbours of an arm's losses, each once.
func protectionsOf(s Side) (list []string) {
	for _, entry := range s.Run.Manifest.Ledger {
		if entry.Arm == s.Arm {
			list = append(list, accounts.Protected(entry))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// arithmetic notes it where a run was made on another processor, or by a build that rounds
// otherwise.
func (b *Baseline) arithmetic(sides []Side) (notes []string) {
	first := &sides[0].Run.Manifest
	for _, s := range sides[1:] {
		m := &s.Run.Manifest
		if text := results.OtherMachine(&first.Versions, &m.Versions); text != "" && m.Digest != first.Digest && !slices.Contains(notes, text) {
			notes = append(notes, text)
		}
	}
	return notes
}

// allRows returns the rows of the first metric, of all its baselines.
func (b *Baseline) allRows() (rows []comparison.Row) {
	for i := range b.Metrics {
		if b.Metrics[i].Metric.Name == b.Metrics[0].Metric.Name {
			rows = append(rows, b.Metrics[i].Rows...)
		}
	}
	return rows
}

// chosen returns the metrics that are compared. Metrics of nodes have no value of an arm.
func chosen(sides []Side, known metric.List, names []string) (list metric.List, err error) {
	if names == nil {
		return headline(sides[0], known)
	}
	recorded, err := recordedOf(sides)
	if err != nil {
		return nil, err
	}
	var faults []error
	for _, name := range names {
		if !recorded[name] {
			var all []string
			for _, m := range known {
				if recorded[m.Name] {
					all = append(all, m.Name)
				}
			}
			faults = append(faults, fmt.Errorf("no arm has the metric %q%s", name, document.SuggestDotted(name, all, "recorded")))
			continue
		}
		m, ok := known.Find(name)
		if !ok {
			m = metric.Metric{Name: name, Label: name, Level: metric.OfRun}
		}
		if _, twice := list.Find(name); !twice {
			list = append(list, m)
		}
	}
	if len(faults) > 0 {
		return nil, document.BadInput(errors.Join(faults...))
	}
	return list, nil
}

// recordedOf returns the metrics in the summaries of the runs of sides.
func recordedOf(sides []Side) (map[string]bool, error) {
	recorded, read := map[string]bool{}, map[*results.Run]bool{}
	for _, s := range sides {
		if read[s.Run] {
			continue
		}
		read[s.Run] = true
		if err := s.Run.Summary(func(row results.SummaryRow) error { recorded[row.Metric] = true; return nil }); err != nil {
			return nil, err
		}
	}
	return recorded, nil
}

// preferred returns the metrics that can be the headline of a run, the preferred first: the one
// that the scenario states, metrics of its figures, of the usual figures, the ones with a better
// side, the accounted epsilon, and costs.
func preferred(run *results.Run, known metric.List) (names []string, err error) {
	stated, own, err := plot.Stated(run)
	if err != nil {
		return nil, err
	}
	for _, o := range plot.Headlines(stated.Headline, own, known) {
		names = append(names, o.Metric)
	}
	ranked := Ranked(known)
	costs := slices.DeleteFunc(slices.Clone(ranked), func(m metric.Metric) bool { return !m.Cost })
	ranked = slices.DeleteFunc(ranked, func(m metric.Metric) bool { return m.Cost })
	return slices.Concat(names, ranked.Names(), []string{ledger.EpsilonTotal}, costs.Names()), nil
}

// firstRecorded returns the first recorded metric of names.
func firstRecorded(names []string, known metric.List, recorded func(name string) bool) (m metric.Metric, ok bool) {
	i := slices.IndexFunc(names, recorded)
	if i < 0 {
		return m, false
	}
	m, _ = known.Find(names[i])
	m.Name = cmp.Or(m.Name, names[i])
	return m, true
}

// headline returns the preferred metric that the run has recorded, and then the accounted epsilon.
func headline(s Side, known metric.List) (list metric.List, err error) {
	names, err := preferred(s.Run, known)
	if err != nil {
		return nil, err
	}
	recorded, err := recordedOf([]Side{s})
	if err != nil {
		return nil, err
	}
	if m, ok := firstRecorded(names, known, func(name string) bool { return recorded[name] }); ok {
		list = append(list, m)
	}
	if m, ok := known.Find(ledger.EpsilonTotal); ok && recorded[ledger.EpsilonTotal] && !slices.Contains(list.Names(), m.Name) {
		list = append(list, m)
	}
	if len(list) == 0 {
		return nil, document.BadInput(fmt.Errorf("%s has no metric of a usual figure: choose with --metric", s.Run.Dir))
	}
	return list, nil
}
