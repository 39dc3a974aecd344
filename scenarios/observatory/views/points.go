package views

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/ledger"
	"starling/scenarios/results"
	"starling/scenarios/results/live"
	"starling/scenarios/results/runs"
	"starling/scenarios/view/plot"
)

// Points are the arms of finished runs as points: the settings in which they differ, a metric at the last step of
// each, and the privacy loss.
type Points struct {
	// Keys are the settings in which the arms differ, the ones that most arms have first, and the length of a
	// run and its seeds last.
	Keys   []string `json:"keys"`
	Points []Point  `json:"points"`
}

// Point is one arm of a run.
type Point struct {
	Side
	// Label is the name of the arm for readers, after the name of its run where there are several runs.
	Label string `json:"label"`
	// Values are the values of the keys, without those that the scenario leaves to their defaults.
	Values map[string]string `json:"values"`
	// Value is the metric after the last step, the mean or the statistic over the seeds; null where the arm has
	// not recorded it. Epsilon is the accounted loss of the run; null where none is recorded, and where Unbounded
	// says that no number bounds it.
	Value     live.Float `json:"value"`
	Epsilon   live.Float `json:"epsilon"`
	Unbounded bool       `json:"unbounded,omitempty"`
}

// lengths are keys of the length of a run and of its seeds, which tell runs apart and say little of them.
var lengths = []string{"horizon", "seeds.base", "seeds.count"}

// Points returns the arms of runs as points of a metric. Keys with a list or a mapping as a value are left out.
func (f *Folder) Points(ids []string, metric string) (*Points, error) {
	names, err := f.Names(ids)
	if err != nil {
		return nil, err
	}
	out := &Points{Keys: []string{}, Points: []Point{}}
	for _, id := range ids {
		o, err := f.opened(id)
		if err != nil {
			return nil, err
		}
		own, labels := f.baseValues(id), plot.ArmLabels(o.Arms)
		last, losses := lastOf(o.Rows[metric]), lastOf(o.Rows[ledger.EpsilonTotal])
		for _, arm := range o.Arms {
			p := Point{Side: Side{id, arm.Name}, Label: labels[arm.Name], Values: valuesOf(own, arm.Values), Value: valueIn(last, arm.Name), Epsilon: valueIn(losses, arm.Name)}
			if p.Unbounded = math.IsInf(float64(p.Epsilon), 1); p.Unbounded {
				p.Epsilon = live.Float(math.NaN())
			}
			if len(ids) > 1 {
				if p.Label = names[id] + ": " + p.Label; len(o.Arms) == 1 {
					p.Label = names[id]
				}
			}
			out.Points = append(out.Points, p)
		}
	}
	if n := len(out.Points); n > mostCompared {
		return nil, document.BadInput(errNothing)
	}
	out.keys()
	return out, nil
}

// baseValues returns the values that a scenario sets, without its sweep, by key.
func (f *Folder) baseValues(id string) map[string]string {
	text, err := f.text(id, results.ScenarioFile)
	if err != nil {
		return nil // a run without its scenario has the values of its arms
	}
	settings := runs.SettingsIn(&runs.Run{}, text)
	return settings.Values
}

// valuesOf returns the values of an arm: its own over the values of the scenario.
func valuesOf(base map[string]string, own []results.Value) map[string]string {
	values := maps.Clone(base)
	if values == nil {
		values = map[string]string{}
	}
	for _, v := range own {
		values[v.Path] = v.Value
	}
	return values
}

// lastOf returns the last value of each arm; rows of an arm are in the order of the steps.
func lastOf(rows []results.SummaryRow) map[string]float64 {
	last := map[string]float64{}
	for _, row := range rows {
		last[row.Arm] = row.Mean
	}
	return last
}

// valueIn returns the value of an arm, NaN for none.
func valueIn(values map[string]float64, arm string) live.Float {
	if v, ok := values[arm]; ok {
		return live.Float(v)
	}
	return live.Float(math.NaN())
}

// keys finds the keys in which the points differ, and takes others out of their values.
func (p *Points) keys() {
	texts := map[string]map[string]bool{}
	for i := range p.Points {
		for key, value := range p.Points[i].Values { // each is on its own
			if texts[key] == nil {
				texts[key] = map[string]bool{}
			}
			texts[key][value] = true
		}
	}
	without := map[string]int{} // points, by key
	for key, values := range texts {
		for i := range p.Points {
			if _, ok := p.Points[i].Values[key]; !ok {
				without[key]++
			}
		}
		plain := true
		for value := range values { // any order
			plain = plain && !strings.ContainsAny(value, "[{,")
		}
		if plain && (len(values) > 1 || without[key] > 0) {
			p.Keys = append(p.Keys, key)
		}
	}
	slices.SortFunc(p.Keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(slices.Index(lengths, a), slices.Index(lengths, b)), cmp.Compare(without[a], without[b]), cmp.Compare(a, b))
	})
	for i := range p.Points {
		maps.DeleteFunc(p.Points[i].Values, func(key, _ string) bool { return !slices.Contains(p.Keys, key) })
	}
}
