package comparison

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/metric"
	"starling/scenarios/results"
)

// Join is the choice of the steps at which arms are compared. The zero value is the last step of
// each arm.
type Join struct {
	// Column is StepColumn, or a metric that is recorded and grows with the steps, such as
	// data.seen. It is empty for the last step.
	Column string
	// Value is the value of the column; +Inf is the greatest that all arms have reached.
	Value float64
	// Better, unless empty, is the better side of Column: the steps are the first of each seed at which
	// Column is as good as Value. See Reach.
	Better metric.Direction
}

// StepColumn is the column of a Join by the numbers of steps, and Last the text of a Join of the
// last steps.
const (
	StepColumn = "step"
	Last       = "last"
)

// ParseJoin reads last, COLUMN=N, or COLUMN for the greatest value that all arms have reached.
func ParseJoin(text string) (j Join, err error) {
	column, value, given := strings.Cut(text, "=")
	switch {
	case text == Last || text == "":
		return j, nil
	case column == "" || column == Last:
		return j, fmt.Errorf("%q is not one of %s, step=N and COLUMN=N, such as data.seen=1000", text, Last)
	case !given && isDigits(column):
		return j, fmt.Errorf("%s is no column; want %s, step=N or COLUMN=N, such as step=%s", column, Last, column)
	case !given:
		return Join{Column: column, Value: math.Inf(1)}, nil
	}
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return j, fmt.Errorf("%q is no number of %s", value, column)
	}
	return Join{Column: column, Value: n}, nil
}

// isDigits reports whether a text is a whole number.
func isDigits(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	return err == nil
}

// String returns the join as ParseJoin reads it, or a Reach in words.
func (j Join) String() string {
	switch {
	case j.Column == "":
		return Last
	case j.Reaches():
		return fmt.Sprintf("%s of %v or better", j.Column, j.Value)
	case math.IsInf(j.Value, 1):
		return j.Column
	}
	return j.Column + "=" + strconv.FormatFloat(j.Value, 'g', -1, 64)
}

// place is a recorded step with the value of the joining column.
type place struct {
	step  int64
	value float64
}

// joined are the steps of some arms for one metric, with the remark on them if there is any.
type joined struct {
	at     []place
	remark string
}

// summaries are the summary rows of the runs of arms: by run, arm and metric, in the order of
// the steps.
type summaries map[*results.Run]map[series][]results.SummaryRow

// readSummaries reads the summary rows of the runs of arms, each run once.
func readSummaries(arms []Arm) (summaries, error) {
	read := summaries{}
	for _, arm := range arms {
		if read[arm.Run] != nil {
			continue
		}
		rows := map[series][]results.SummaryRow{}
		err := arm.Run.Summary(func(row results.SummaryRow) error {
			name := series{row.Arm, row.Metric}
			rows[name] = append(rows[name], row)
			return nil
		})
		if err != nil {
			return nil, err
		}
		read[arm.Run] = rows
	}
	return read, nil
}

// of returns the rows of a metric of an arm.
func (s summaries) of(arm Arm, metric string) []results.SummaryRow {
	return s[arm.Run][series{arm.Name, metric}]
}

// join chooses the step of each arm for a metric that all of them have. The first arm is the
// baseline: numbers of steps are in its numbers.
func (s summaries) join(arms []Arm, metric string, j Join) (joined, error) {
	all := make([][]place, len(arms))
	for i, arm := range arms {
		var err error
		if all[i], err = s.places(arm, metric, j.Column); err != nil {
			return joined{}, err
		}
	}
	if j.Column == "" {
		return lastPlaces(arms, all)
	}
	limit := math.Inf(1)
	for _, places := range all {
		most := math.Inf(-1)
		for _, p := range places {
			most = max(most, p.value)
		}
		limit = min(limit, most)
	}
	var out joined
	wanted := j.Value
	if j.Column == StepColumn {
		wanted -= float64(arms[0].firstStep())
	}
	if wanted > limit && !math.IsInf(wanted, 1) {
		most := limit
		if j.Column == StepColumn {
			most += float64(arms[0].firstStep())
		}
		out.remark = fmt.Sprintf("%s: not all arms have reached %s; the greatest value that all reached is %s", metric, j, formatPlain(most))
	}
	for i, places := range all {
		at, ok := nearest(places, min(wanted, limit))
		if !ok {
			shown, first := Join{Column: j.Column, Value: min(wanted, limit)}, formatPlain(places[0].value)
			if j.Column == StepColumn {
				shown.Value += float64(arms[0].firstStep())
				first = formatPlain(float64(places[0].step))
			}
			return out, document.BadInput(fmt.Errorf("arm %s has recorded no %s at or below %s; its first is at %s", arms[i].label(), metric, shown, first))
		}
		out.at = append(out.at, at)
	}
	return out, nil
}

// places returns the recorded steps of a metric with the values of a column. Numbers of steps are
// counted from the first step of the arm.
func (s summaries) places(arm Arm, metric, column string) (list []place, err error) {
	values := map[int64]float64{}
	if column != "" && column != StepColumn {
		rows := s.of(arm, column)
		if len(rows) == 0 {
			return nil, document.BadInput(fmt.Errorf("arm %s has not recorded %s: name it in measure.metrics", arm.label(), column))
		}
		for _, row := range rows {
			values[row.Step] = row.Mean
		}
	}
	for _, row := range s.of(arm, metric) {
		value, ok := float64(row.Step-arm.firstStep()), true
		if column != "" && column != StepColumn {
			value, ok = values[row.Step]
		}
		if ok {
			list = append(list, place{row.Step, value})
		}
	}
	slices.SortFunc(list, func(a, b place) int { return int(a.step - b.step) })
	return list, nil
}

// nearest returns the first step that has the greatest value of at most limit.
func nearest(places []place, limit float64) (best place, ok bool) {
	for _, p := range places {
		if p.value <= limit && (!ok || p.value > best.value) {
			best, ok = p, true
		}
	}
	return best, ok
}

// lastPlaces returns the last step of each arm or, where budgets stopped arms at different steps,
// the last one that all have before the first of them stopped.
func lastPlaces(arms []Arm, all [][]place) (out joined, err error) {
	entries := make([]results.ArmEntry, len(arms))
	steps := map[string][]int64{}
	for i, arm := range arms {
		entries[i] = side{arm.Run, arm.Name}.sinceFirst(arm.Name)
		entries[i].Name = strconv.Itoa(i) // arms of several runs may have one name
		for _, p := range all[i] {
			steps[entries[i].Name] = append(steps[entries[i].Name], p.step-arm.firstStep())
		}
	}
	_, apart := StoppedApart(entries)
	common, ok := CommonStep(entries, steps)
	if apart && !ok {
		return out, fmt.Errorf("%w: budgets stopped the arms at different steps, and no step is recorded that all reached", ErrNothingCommon)
	}
	for i, arm := range arms {
		last := all[i][len(all[i])-1]
		if apart {
			last = place{common + arm.firstStep(), float64(common)}
		}
		out.at = append(out.at, last)
	}
	if text := endApart(arms, all); !apart && text != "" {
		out.remark = text
	}
	if apart {
		out.remark = fmt.Sprintf("budgets stopped arms at different steps: they are compared at step %d of the baseline, the last that all reached", out.at[0].step)
	}
	return out, nil
}

// endApart names the last recorded step that all arms share where they end at different steps; it is
// empty where they end together, and where they share none. Steps are counted from each arm's first.
func endApart(arms []Arm, all [][]place) string {
	shared, differ := map[int64]int{}, false
	last := int64(-1)
	end := func(i int) int64 { return all[i][len(all[i])-1].step - arms[i].firstStep() }
	for i, places := range all {
		differ = differ || end(i) != end(0)
		for _, p := range places {
			at := p.step - arms[i].firstStep()
			if shared[at]++; shared[at] == len(arms) {
				last = max(last, at)
			}
		}
	}
	if !differ || last < 0 {
		return ""
	}
	at := last + arms[0].firstStep()
	return fmt.Sprintf("the arms end at different steps; the last step that all have recorded is %d: --at step=%d compares there", at, at)
}

// formatPlain writes a number without an exponent where it is whole.
func formatPlain(value float64) string {
	if value == math.Trunc(value) && math.Abs(value) < 1e15 {
		return strconv.FormatFloat(value, 'f', 0, 64)
	}
	return strconv.FormatFloat(value, 'g', 6, 64)
}
