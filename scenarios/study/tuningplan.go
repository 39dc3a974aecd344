package study

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/limits"
	"starling/scenarios/metric"
)

// TuningPlan is the trials of a scenario. Its methods describe scenarios by settings over the file: those
// of the trials of a round, and in the end the study with the values that were chosen.
type TuningPlan struct {
	// Metric decides, and Section says how.
	Metric  metric.Metric
	Section *Tune
	// Trials are the trials so far, the same for all arms. A trial is never changed or removed.
	Trials []Trial

	scenario *Scenario
	keys     []tuneKey
	paths    [][]string // by arm, then by key
	stopped  *stopping  // nil without a random number of trials
	extended bool       // trials were added by results of others
}

// Trial is values of the keys, in YAML, in the order of the section.
type Trial struct{ Values []string }

// tuneExample is a section of a scenario with validation rows.
const tuneExample = "tune: {metric: validation.loss, seeds: {base: 1000, count: 3}, validation: private, grid: {rate: [0.03, 0.1, 0.3]}}, with problem.validation: 0.25"

// NewTuningPlan returns the plan of a scenario with a section tune. Errors have paths of the file.
func NewTuningPlan(s *Scenario) (*TuningPlan, error) {
	f, issues := DecodeFile(s.Document)
	if len(issues) > 0 || f.Tune == nil {
		return nil, errors.Join(issues.Err(), document.At("", "the scenario has no section tune, which lists the trials. An example is "+tuneExample))
	}
	return planTrials(s, f.Tune)
}

func planTrials(s *Scenario, t *Tune) (*TuningPlan, error) {
	p := &TuningPlan{Section: t, scenario: s}
	keys, count, err := readTrials(t)
	metric, wrong := checkMetric(s, t)
	if err = errors.Join(wrong, checkSeeds(s, t), err); err != nil {
		return nil, err
	}
	p.Metric, p.keys = metric, keys
	if err := p.place(); err != nil {
		return nil, err
	}
	if t.Random != nil && t.Random.Stopping != nil {
		p.stopped = newStopping(t.Random.Stopping)
		count = p.stopped.draw(t.Seeds.Base)
	}
	if t.Grid != nil {
		p.combine()
	} else {
		p.draw(count)
	}
	if n := limits.Product(len(p.Trials), len(s.Arms)); n > limits.Arms {
		return nil, document.At("tune", "%d trials of %d arms; want at most %d runs a seed", len(p.Trials), len(s.Arms), limits.Arms)
	}
	return p, nil
}

// readTrials returns the keys of a section, and the number of trials that it states, 0 for none.
func readTrials(t *Tune) (keys []tuneKey, trials int, err error) {
	err = checkForm(t)
	for _, way := range []struct {
		given, laws bool
		lists       func() *document.Node
		trials      func() int
	}{
		{t.Grid != nil, false, func() *document.Node { return t.Grid }, func() int { return 0 }},
		{t.Random != nil, true, func() *document.Node { return t.Random.Keys }, func() int { return t.Random.Trials }},
		{t.Halving != nil, true, func() *document.Node { return t.Halving.Keys }, func() int { return t.Halving.Trials }},
	} {
		if !way.given || way.lists() == nil {
			continue // a missing key is an error of the file
		}
		some, wrong := tuneKeys(way.lists(), way.laws)
		keys, trials, err = append(keys, some...), trials+way.trials(), errors.Join(err, wrong)
	}
	return keys, trials, err
}

// place finds the paths of the keys in all arms. A key that an arm's own sweep sets is refused: the
// trials would undo it.
func (p *TuningPlan) place() error {
	var errs []error
	for _, v := range p.scenario.Variants {
		var paths []string
		if p.Section.Halving != nil && slices.ContainsFunc(v.Assigned, func(a Assignment) bool { return a.Path == horizonPath }) {
			errs = append(errs, document.At("tune.halving", "the sweep sets the horizon in arm %s, and halving changes it by itself", v.Name))
		}
		for _, k := range p.keys {
			path, err := tunePath(p.scenario.Kinds, v.Document, k.name)
			if err != nil {
				errs = append(errs, document.At(k.place, "arm %s: %v", v.Name, err))
				continue
			}
			for _, a := range v.Assigned {
				if a.Path == path {
					errs = append(errs, document.At(k.place, "the sweep sets %s in arm %s: it is swept or tuned", path, v.Name))
				}
			}
			if reason := untunable(path); reason != "" {
				errs = append(errs, document.At(k.place, "%s: %s", path, reason))
			}
			if p.Section.Halving != nil && path == horizonPath {
				errs = append(errs, document.At(k.place, "halving changes the horizon by itself"))
			}
			paths = append(paths, path)
		}
		p.paths = append(p.paths, paths)
	}
	return errors.Join(errs...)
}

// horizonPath is the path of the number of steps.
const horizonPath = "horizon"

// combine makes the trials of a grid.
func (p *TuningPlan) combine() {
	p.Trials = []Trial{{}}
	for _, k := range p.keys {
		var next []Trial
		for _, t := range p.Trials {
			for _, value := range k.values {
				if len(next) <= limits.Arms {
					next = append(next, Trial{append(t.Values[:len(t.Values):len(t.Values)], value)})
				}
			}
		}
		p.Trials = next
	}
}

// draw makes trials with values that are drawn: each key of each trial from the seed of the trials.
func (p *TuningPlan) draw(count int) {
	for trial := range count {
		var values []string
		for i := range p.keys {
			values = append(values, p.keys[i].draw(p.Section.Seeds.Base, i, trial))
		}
		p.Trials = append(p.Trials, Trial{values})
	}
}

// Keys returns the names of the keys, as the file writes them.
func (p *TuningPlan) Keys() (names []string) {
	for _, k := range p.keys {
		names = append(names, k.name)
	}
	return names
}

// Arms returns the names of the arms of the scenario.
func (p *TuningPlan) Arms() (names []string) {
	for _, arm := range p.scenario.Arms {
		names = append(names, arm.Name)
	}
	return names
}

// everyStep is a number of steps between records that no run has: the last step alone is recorded.
const everyStep = 10_000_000

// Round returns the settings that make of the scenario the one of some trials: an arm of each trial
// of each arm, arm by arm, under the seeds of the trials, which records the metric at the last
// step. trials has the indices of the trials of each arm. steps is the horizon; 0 leaves it.
func (p *TuningPlan) Round(trials [][]int, steps int) []Setting {
	var list []string
	for arm, some := range trials {
		for _, trial := range some {
			list = append(list, p.listed(arm, p.armName(arm, trial), p.Trials[trial].Values, steps))
		}
	}
	t := p.Section
	settings := []Setting{
		{Path: "tune", Text: "null"}, {Path: "sweep", Text: "{list: [" + strings.Join(list, ", ") + "]}"},
		{Path: "seeds", Text: fmt.Sprintf("{base: %d, count: %d}", t.Seeds.Base, max(1, t.Seeds.Count))},
		{Path: "measure", Text: fmt.Sprintf("{every: %d, metrics: [%s]}", everyStep, p.Metric.Name)},
		{Path: "plots", Text: "[]"},
		{Path: "name", Text: p.name()},
	}
	return settings
}

// name returns the name of the scenario of trials.
func (p *TuningPlan) name() string {
	const suffix = "-trials"
	name := p.scenario.Name
	return name[:min(len(name), 100-len(suffix))] + suffix
}

// armName returns the name of the arm of a trial.
func (p *TuningPlan) armName(arm, trial int) string {
	return fmt.Sprintf("%s #%d", p.scenario.Arms[arm].Name, trial+1)
}

// listedRoles returns an entry of a sweep's list: an arm with the values of its sweep, and others.
func (p *TuningPlan) listed(arm int, name string, values []string, steps int) string {
	var set []string
	for _, a := range p.scenario.Variants[arm].Assigned {
		set = append(set, strconv.Quote(a.Path)+": "+a.Value.Flow())
	}
	for _, s := range p.SettingsOf(arm, values) {
		set = append(set, strconv.Quote(s.Path)+": "+s.Text)
	}
	if steps > 0 {
		set = append(set, "horizon: "+strconv.Itoa(steps))
	}
	return "{name: " + strconv.Quote(name) + ", set: {" + strings.Join(set, ", ") + "}}"
}

// Study returns the settings that make of the scenario the study with the values that were chosen,
// under its own seeds.
func (p *TuningPlan) Study(chosen []TunedChoice) (settings []Setting) {
	settings = []Setting{{Path: "tune", Text: "null"}}
	if _, swept := p.scenario.Document.Find("sweep"); !swept {
		return append(settings, p.SettingsOf(0, chosen[0].Values)...)
	}
	var list []string
	for arm, c := range chosen {
		list = append(list, p.listed(arm, p.scenario.Arms[arm].Name, c.Values, 0))
	}
	return append(settings, Setting{Path: "sweep", Text: "{list: [" + strings.Join(list, ", ") + "]}"})
}

// Stated returns the settings of Study with a statement on each arm.
func (p *TuningPlan) Stated(chosen []TunedChoice, says []string) []Setting {
	var list []string
	for arm, c := range chosen {
		list = append(list, "{arm: "+strconv.Quote(c.Arm)+", says: "+strconv.Quote(says[arm])+"}")
	}
	return append(p.Study(chosen), Setting{Path: "tuned", Text: "[" + strings.Join(list, ", ") + "]"})
}

// Rounds returns the number of trials of an arm and the horizon of each round: one of all trials
// and of the whole horizon, which is 0, unless halving makes several.
func (p *TuningPlan) Rounds() (counts, steps []int) {
	h := p.Section.Halving
	if h == nil {
		return []int{len(p.Trials)}, []int{0}
	}
	horizon, at := p.scenario.Arms[0].File.Horizon, float64(h.Steps)
	// Each round has a trial less and a step more at least, whatever is kept.
	for n := len(p.Trials); n > 1 || counts == nil; n = max(1, min(n-1, int(math.Round(h.Keep*float64(n))))) {
		at = min(at, float64(horizon))
		counts, steps = append(counts, n), append(steps, int(at))
		if at == float64(horizon) {
			break
		}
		at = max(at+1, math.Round(at/h.Keep))
	}
	return counts, steps
}
