package paper

import (
	"cmp"
	"fmt"
	"strings"

	"starling/scenarios/metric"
	"starling/scenarios/view"
)

// Describe returns the caption of a figure of a run: title, seeds, problem, data, privacy and
// run. Arms are as in Options, and bands describes the bands of curves; empty is none. A run without
// such an arm has no sentences.
func Describe(run *view.Run, arms []string, title, bands string) ([]string, error) {
	b := newBuilder(run, Options{Arms: arms, Title: title, Labels: true})
	if err := b.readScenario(); err != nil {
		return nil, err
	}
	b.chooseArms() // of several runs a name may select arms of another: the figure checks that
	if len(b.shown.Arms) == 0 {
		return nil, nil
	}
	conditions, err := b.conditions()
	if err != nil {
		return nil, err
	}
	m := &run.Source.Manifest
	if bands != "" {
		bands = ", bands: " + bands
	}
	list := append([]string{sentence(cmp.Or(title, m.Description, m.Scenario)), b.seedsText(bands)}, b.context(conditions)...)
	return append(list, m.Provenance()), nil
}

// caption returns the sentences on the contents: title, metric, seeds, step, problem, data and
// privacy.
func (b *builder) caption(conditions []view.Condition) []string {
	m := &b.run.Source.Manifest
	list := []string{sentence(cmp.Or(b.Title, m.Description, m.Scenario))}
	if b.Rows != MetricAxis && b.Columns != MetricAxis {
		list = append(list, sentence("Values of "+b.metrics[0]+b.better(b.metrics[0])))
	}
	seeds := b.seedsText("," + b.stepText() + b.errorText())
	if b.Brief {
		title := strings.TrimSuffix(list[0], ".")
		list[0] = title + ": " + strings.ToLower(seeds[:1]) + seeds[1:]
	} else {
		list = append(list, seeds)
	}
	if b.order != "" {
		m, _ := b.run.Known.Find(b.order)
		list = append(list, sentence("The best arm by "+cmp.Or(m.Label, m.Name)+" comes first"))
	}
	if names := b.idsText(); names != "" {
		list = append(list, names)
	}
	if b.Brief {
		return list
	}
	return append(list, b.context(conditions)...)
}

// idsText gives the names of metrics whose labels are headings; empty where there are none, and below a
// brief table whose metrics were given by their names.
func (b *builder) idsText() string {
	if !b.Readers || b.Brief && b.Metrics != nil || b.Rows != MetricAxis && b.Columns != MetricAxis {
		return ""
	}
	var ids []string
	for _, name := range b.metrics {
		if m, _ := b.run.Known.Find(name); m.Label != "" && m.Label != name {
			ids = append(ids, fmt.Sprintf("%s (%s)", m.Label, name))
		}
	}
	if len(ids) == 0 {
		return ""
	}
	return sentence("Metrics: " + strings.Join(ids, "; "))
}

// seedsText names the seeds of the means.
func (b *builder) seedsText(more string) string {
	seeds := b.run.Source.Manifest.Seeds
	if seeds.Count == 1 {
		return fmt.Sprintf("Values under seed %d%s.", seeds.Base, more)
	}
	return fmt.Sprintf("Means over %d seeds, %d to %d%s.", seeds.Count, seeds.Base, seeds.Base+uint64(seeds.Count)-1, more)
}

// context returns the sentences on problem, data, failures and privacy.
func (b *builder) context(conditions []view.Condition) []string {
	m := &b.run.Source.Manifest
	list := []string{b.problemText()}
	if data := view.DataOf(m, ""); data != "" {
		list = append(list, sentence("Data: "+data))
	}
	if text := m.Failed(); text != "" {
		list = append(list, sentence(text))
	}
	return append(list, b.privacyTexts(conditions)...)
}

// better describes the better side of a metric; empty where it has none.
func (b *builder) better(name string) string {
	switch m, _ := b.run.Known.Find(name); m.Better {
	case metric.LowerIsBetter:
		return ", of which lower is better"
	case metric.HigherIsBetter:
		return ", of which higher is better"
	}
	return ""
}

// stepText names the step of the values.
func (b *builder) stepText() string {
	steps := map[int64]bool{}
	var first int64
	for _, arm := range b.shown.Arms {
		if len(steps) == 0 {
			first = b.at[arm.Name]
		}
		steps[b.at[arm.Name]] = true
	}
	if len(steps) == 1 {
		return fmt.Sprintf(" at step %d", first)
	}
	return " at the last step of each arm"
}

// problemText names the learning problem, and its rows for training and tests where the
// scenario says so.
func (b *builder) problemText() string {
	text := "Problem: "
	for i, key := range []string{"kind", "train", "test"} {
		node, ok := b.base.Find("problem." + key)
		switch {
		case !ok:
		case i == 0:
			text += node.Text()
		default:
			text += fmt.Sprintf(", %s %s", key, node.Text())
		}
	}
	return sentence(text)
}

// sentence ends a text with a full stop.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	if strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}
