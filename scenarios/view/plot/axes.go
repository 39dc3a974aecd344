package plot

import (
	"math"
	"slices"
	"strings"

	"starling/scenarios/accounts"
	"starling/scenarios/document"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/runs"
	"starling/scenarios/study"
)

// acrossMetric is the metric on the x axis, if it is one.
func acrossMetric(o *study.PlotOptions) string {
	if o.Accounted() {
		return ledger.EpsilonTotal
	}
	return o.X
}

// categoriesOf returns the values of a swept key on the x axis, in the order of the arms, where some of
// them is no number; else nil.
func categoriesOf(shown []Run, o *study.PlotOptions) (list []string) {
	words := false
	if !o.Keyed() || o.Accounted() || o.Numbers {
		return nil
	}
	for i := range shown {
		for k := range shown[i].Arms {
			value, ok := shown[i].Arms[k].Value(o.X)
			if !ok || slices.Contains(list, value) {
				continue
			}
			_, number := AxisNumber(value)
			words = words || o.X == study.EachRun || !number && value != document.NoEpsilon
			list = append(list, value)
		}
	}
	if !words || len(list) > mostHeatRows {
		return nil
	}
	return list
}

// alongRuns returns runs whose arms have the name of their run as the value of a key, for an axis of runs.
// Numbers in the names ascend.
func alongRuns(list []Run) []Run {
	names := RunNames(list)
	named, labels := make([]results.ArmEntry, len(list)), map[string]string{}
	for i, name := range names {
		named[i].Name, labels[name] = name, name
	}
	places := accounts.ByLabels(named, labels)
	along := make([]Run, len(list))
	for i, run := range list {
		run.Arms = slices.Clone(run.Arms)
		for k := range run.Arms {
			run.Arms[k].Values = append(slices.Clone(run.Arms[k].Values), results.Value{Path: study.EachRun, Value: names[i]})
		}
		along[places[names[i]]] = run
	}
	return along
}

// RunNames names finished runs by the settings in which they differ.
func RunNames(list []Run) []string {
	listed, settings := make([]runs.Run, len(list)), make([]runs.Settings, len(list))
	for i := range list {
		listed[i] = runs.Of(list[i].Source.Dir)
		settings[i] = runs.SettingsOf(&listed[i])
	}
	return runs.NamesOf(listed, settings, settingLabel)
}

// settingLabel returns a setting of a run as figures write it. Of a key with many values it has their number.
func settingLabel(key, value string) string {
	switch values := strings.Count(value, ", ") + 1; {
	case key == "seeds.count":
		return value + " seeds"
	case key == "seeds.base":
		return "seeds from " + value
	case values > fewValues && !strings.ContainsAny(value, "{["):
		return document.Counted(values, "value") + " of " + axisKeyOf([]string{key})
	}
	return valueLabel(key, lastElement(key), value)
}

// fewValues is the largest number of values of a swept key that the name of a run lists.
const fewValues = 3

// categoryLabels are the categories for readers; nil for an axis of numbers.
func (p *plotter) categoryLabels() (labels []string) {
	if p.options.X == study.EachRun {
		return p.categories
	}
	for _, value := range p.categories {
		labels = append(labels, valueLabel(p.options.X, lastElement(p.options.X), value))
	}
	return labels
}

// axis returns the place of an arm on an axis of a swept key, or of accounted losses. The boolean is
// false for an arm without a place: without noise, without a finite loss, or a baseline that does
// not set the key. The place is NaN for an arm whose loss is not recorded.
func (p *plotter) axis(run *Run, arm *results.ArmEntry) (float64, bool, error) {
	o := p.options
	if o.Accounted() {
		return p.lossAt(run, arm)
	}
	value, set := arm.Value(o.X)
	switch {
	case !set && len(baselines(p.runs, o.X, setsOf)) > 0:
		return 0, false, nil
	case set && p.categories != nil:
		return float64(slices.Index(p.categories, value)), true, nil
	}
	return axisValue(arm, o.X, o.Known)
}

// lossAt returns the accounted privacy loss of an arm at the step of the figure. A loss of 0 has no place on a
// logarithmic axis.
func (p *plotter) lossAt(run *Run, arm *results.ArmEntry) (float64, bool, error) {
	rows := byArm(run.Rows[ledger.EpsilonTotal])[arm.Name]
	loss, known := 0., len(rows) > 0
	if known {
		row, err := rowAt(arm, rows, ledger.EpsilonTotal, p.at)
		if err != nil {
			return 0, false, err
		}
		loss = row.Mean
		if worst := run.strongest(arm.Name); p.at == 0 && worst > loss { // under the seed that pays the most, as the ledger has it
			loss = worst
		}
	} else {
		loss, known = matched(arm)
	}
	if !known {
		loss = math.NaN()
	}
	return loss, !math.IsInf(loss, 1) && (loss != 0 || !p.options.LogX), nil
}

// axisKeys are the keys of an arm that the x axis shows.
func axisKeys(arm *results.ArmEntry, o *study.PlotOptions) []string {
	if !o.Accounted() {
		return []string{o.X}
	}
	return epsilonKeys(arm)
}

// axisValue returns the value that an arm gives a swept key, as a number. The boolean is false
// for none, the value of an arm without noise, which has no place on an axis. Errors name the
// option x.
func axisValue(arm *results.ArmEntry, key string, metrics metric.List) (float64, bool, error) {
	text, err := sweptValue(arm, key, "x", metrics)
	if err != nil || text == document.NoEpsilon {
		return 0, false, err
	}
	value, ok := AxisNumber(text)
	if !ok {
		return 0, false, document.At("x", "arm %s sets %s to %s, which is no number; tell such arms apart by curves (by: %s)", arm.Name, key, text, key)
	}
	return value, true, nil
}

// sweptValue returns the text of the value that an arm gives a swept key. option is the
// option of the plot that names the key, for the error: an arm that does not set it has
// no place in the figure.
func sweptValue(arm *results.ArmEntry, key, option string, metrics metric.List) (string, error) {
	if value, ok := arm.Value(key); ok {
		return value, nil
	}
	keys := KeysOf(arm)
	// The name may be a misspelling of anything that the option takes: a swept key, a word, a
	// metric.
	known := append(slices.Clone(keys), study.PlotAxes()...)
	switch option {
	case "by":
		known = append(slices.Clone(keys), study.EachArm, study.EachNode, study.EachRun)
	case "facet", "hue", "dash":
		known = append(slices.Clone(keys), study.EachArm, study.EachRun)
	}
	if hint := document.Suggest(key, append(known, metrics.Names()...), ""); hint != "" {
		return "", document.At(option, "arm %s does not set %q%s", arm.Name, key, hint)
	}
	if len(keys) == 0 {
		return "", document.At(option, "arm %s sets no key, and so not %q", arm.Name, key)
	}
	return "", document.At(option, "arm %s does not set %q; it sets %s", arm.Name, key, strings.Join(keys, ", "))
}

// KeysOf returns the keys that an arm sets, and the keys inside of the mappings that it sets,
// in their order, each once; a new list.
func KeysOf(a *results.ArmEntry) (keys []string) {
	add := func(key string) {
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	for _, v := range a.Values {
		add(v.Path)
		doc, err := document.ParseText(v.Path, v.Value)
		if err != nil {
			continue // a text that is no YAML by itself has no keys inside
		}
		var inside func(node *document.Node, path string)
		inside = func(node *document.Node, path string) {
			if node.Kind() != document.Mapping {
				return
			}
			for key, value := range node.Entries() {
				add(path + "." + key)
				inside(value, path+"."+key)
			}
		}
		inside(doc.Root(), v.Path)
	}
	return keys
}
